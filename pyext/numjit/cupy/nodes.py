"""Expressions over device arrays that wait to be computed.

A node is a leaf (an array in memory), a scalar of the host, or an operation on nodes of which shape
and dtype are known. Nodes never change but for `value`, the leaf with the result once there is one.
What each operation touches of them is C++ (pyext/gpu/lazy.cpp).
"""

from __future__ import annotations

from numjit import _core

LEAF, SCALAR, OPERATION, REDUCTION = range(4)


class Leaf(_core.Leaf):
    """An array in memory."""

    __slots__ = ()
    kind, count, value = LEAF, 0, None


class Scalar(_core.Scalar):
    """A number of the host."""

    __slots__ = ()
    kind, count, value, shape = SCALAR, 0, None, ()


class Operation(_core.Node):
    """A function of elements: Operation(text, inputs, operands, shape, dtype, place).

    `text` is Python, with {0}, {1}, ... for the operands, which are cast to `inputs` first.
    """

    __slots__ = ()
    kind = OPERATION


class Reduced(_core.Node):
    """A reduction of an expression (reductions.py knows how it is computed)."""

    __slots__ = ("__weakref__",)
    kind = REDUCTION

    def __new__(cls, plan, operands, shape, dtype, place):
        return _core.Node.__new__(cls, plan, (), operands, shape, dtype, place, 0)

    plan = property(lambda self: self.text)


def resolved(node):
    """The node, or the leaf with its value."""
    return node if node.value is None else node.value


def in_order(roots):
    """The nodes of expressions, each once, operands first."""
    order = []

    def visit(node):
        node = resolved(node)
        if any(node is other for other in order):
            return
        if node.kind == OPERATION:
            for each in node.operands:
                visit(each)
        order.append(node)

    for root in roots:
        visit(root)
    return order


def leaves(node):
    """The leaves of an expression, each once."""
    found, seen, todo = [], set(), [node]
    while todo:
        each = resolved(todo.pop())
        if id(each) in seen:
            continue
        seen.add(id(each))
        if each.kind == LEAF:
            found.append(each)
        elif each.kind != SCALAR:
            todo.extend(each.operands)
    return found
