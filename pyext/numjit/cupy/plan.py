"""show_plan(x): the kernels that compute an expression."""

from __future__ import annotations

from . import evaluate, nodes
from .kernel_text import _text, parameters, type_name
from .nodes import LEAF, OPERATION, REDUCTION, SCALAR


def _written(node, names):
    node = nodes.resolved(node)
    if node.kind == LEAF:
        return names.setdefault(id(node), f"a{len(names)}")
    if node.kind == SCALAR:
        return repr(node.number.item())
    if node.kind == REDUCTION:
        inside = ", ".join(_written(each, names) for each in node.operands)
        return f"reduce[{'; '.join(node.plan.reduction.combine)}]({inside}, axes={node.plan.axes})"
    text, cast = node.text, f"{type_name(node.dtype)}("
    if text.startswith(cast) and text.endswith(")"):
        text = text[len(cast) : -1]
    return text.format(*(_written(each, names) for each in node.operands))


def _kernels(node):
    """Text for each kernel that computes a node, in order."""
    node = nodes.resolved(node)
    if node.kind == LEAF:
        return []
    found = []
    size = 1
    for n in node.shape:
        size *= n
    todo, inside = list(node.operands), []
    while todo:
        each = nodes.resolved(todo.pop())
        if each.kind == OPERATION and (node.kind == REDUCTION or evaluate._fits(each, size)):
            inside.append(each)
            todo.extend(each.operands)
        elif each.kind in (OPERATION, REDUCTION):
            found = _kernels(each) + found
    count = sum(leaf.array.nbytes for leaf in nodes.leaves(node))
    what = "reduction" if node.kind == REDUCTION else "element-wise"
    found.append(
        f"{what} kernel for {node.dtype}{list(node.shape)} of {len(inside) + 1} operations, which "
        f"reads {count:,} bytes:\n    {_written(node, {})}"
    )
    return found


def show_plan(x, file=None):
    """Prints the kernels that an array becomes, in order, without computing it."""
    buffer = x._buffer
    node = x._node if buffer is None else buffer.write
    lines = _kernels(node) if node is not None else []
    if not lines:
        print("in memory", file=file)
    for number, text in enumerate(lines, 1):
        print(f"{number}. {text}", file=file)


def kernel_text(x):
    """The Python of the kernel for an element-wise expression."""
    order = evaluate._sorted(x._node, x.size)
    leaves, _ = parameters(order)
    return _text(order, (nodes.resolved(x._node),), ("flat",) * len(leaves), 0)
