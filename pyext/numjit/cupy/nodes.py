"""Expressions over device arrays that wait to be computed.

A node is a leaf (an array in memory), a scalar of the host, or an operation on nodes of which shape
and dtype are known. Nodes never change but for `value`, the leaf with the result once there is one.
"""

from __future__ import annotations

LEAF, SCALAR, OPERATION, REDUCTION = range(4)


class Leaf:
    """An array in memory."""

    __slots__ = ("array", "root", "shape", "dtype")
    kind, count, value = LEAF, 0, None

    def __init__(self, array, root):
        self.array, self.root = array, root
        self.shape, self.dtype = array.shape, array.dtype


class Scalar:
    """A number of the host."""

    __slots__ = ("number", "dtype")
    kind, count, value, shape = SCALAR, 0, None, ()

    def __init__(self, number, dtype):
        self.number, self.dtype = number, dtype


class Operation:
    """A function of elements.

    `text` is Python, with {0}, {1}, ... for the operands, which are cast to `inputs` first.
    """

    __slots__ = (
        "text", "inputs", "operands", "shape", "dtype", "count", "owner", "value", "stream"
    )  # fmt: skip
    kind = OPERATION

    def __init__(self, text, inputs, operands, shape, dtype, stream):
        self.text, self.inputs, self.operands = text, inputs, operands
        self.shape, self.dtype, self.stream = shape, dtype, stream
        self.owner = self.value = None
        count = 1
        for each in operands:
            if each.value is None:
                count += each.count
        self.count = count


class Reduced:
    """A reduction of an expression (reductions.py knows how it is computed)."""

    __slots__ = ("plan", "operands", "shape", "dtype", "owner", "value", "stream", "__weakref__")
    kind, count = REDUCTION, 0

    def __init__(self, plan, operands, shape, dtype, stream):
        self.plan, self.operands = plan, operands
        self.shape, self.dtype, self.stream = shape, dtype, stream
        self.owner = self.value = None


def resolved(node):
    """The node, or the leaf with its value."""
    return node if node.value is None else node.value


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
