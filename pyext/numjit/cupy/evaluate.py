"""From an expression to one kernel: operands are computed that cannot be a part of it, axes that
lie one behind the other become one, and the text of a kernel is looked up by the structure."""

from __future__ import annotations

import math

import numpy as np

from numjit import _core
from numjit.cuda.cudadrv.devicearray import DeviceNDArray, strides_for

from . import nodes, pool
from .current import _current
from .kernel_text import elementwise_kernel
from .nodes import LEAF, OPERATION, REDUCTION, SCALAR, Leaf, resolved

_new = _core.DeviceArray.__new__
#: Threads take turns to compute.
turn = _core.Turn()
_THREADS = 256
_MOST_BLOCKS = 1 << 16
#: An expression with more is computed in parts.
_MOST_OPERATIONS, _MOST_LEAVES, _MOST_OUTPUTS = 48, 16, 4


def device_array(memory, pointer, shape, strides, dtype):
    """A device array of what is known to be right."""
    self = _new(DeviceNDArray, pointer, shape, strides, dtype, False)
    self.gpu_data, self.stream = memory, 0
    return self


def part_of(array, pointer, shape, strides):
    """An array over a part of the memory of another one, with its dtype."""
    return device_array(array.gpu_data, pointer, shape, strides, array.dtype)


def new_array(shape, dtype, strides=None):
    """A device array without values, of the pool."""
    size = dtype.itemsize
    if strides is None:
        if len(shape) == 1:
            strides = (size,)
        else:
            strides = strides_for(shape, dtype)
    for n in shape:
        size *= n
    if not size and len(shape) > 1:
        strides = np.empty(shape, dtype).strides  # as NumPy has them
    memory = pool.allocate(size)
    return device_array(memory, memory.device_pointer_value, shape, strides, dtype)


def root_of(array):
    memory = array.gpu_data
    owner = getattr(memory, "owner", None)
    while owner is not None and hasattr(owner, "owner"):
        memory, owner = owner, owner.owner
    return memory


def value_of(node) -> Leaf:
    """The leaf with the elements of a node, computed if they are not."""
    with turn:
        return _value_of(node)


def _value_of(node):
    found = node if node.value is None else node.value
    kind = found.kind
    if kind == LEAF:
        return found
    if kind == REDUCTION:
        array = found.plan.compute(found)
    else:
        shape = found.shape
        strides = None if len(shape) < 2 else _strides_like_operands(found)
        array = new_array(shape, found.dtype, strides)
        _run(found, array)
    leaf = Leaf(array, root_of(array))
    if kind != SCALAR:
        found.value = leaf
        _adopt(found, leaf)
    return leaf


def _adopt(node, leaf):
    """Gives the array that stands for a node its memory."""
    owner = node.owner
    if owner is not None:
        owner._have(leaf)


def store(node, target, root):
    """Writes the elements of a node to an array."""
    with turn:
        _store(node, target, root)


def _store(node, target, root):
    found = resolved(node)
    if found.kind == REDUCTION:
        found = value_of(found)
    same = _layout(target)
    for leaf in nodes.leaves(found):
        if leaf.root is root and _layout(leaf.array) != same:
            found = _in_new_memory(found, root)
            break
    _run(found, target)
    if node.kind in (OPERATION, REDUCTION) and node.value is None and node.shape == target.shape:
        if node.dtype == target.dtype:
            node.value = Leaf(target, root)


def _in_new_memory(node, root):
    array = new_array(node.shape, node.dtype)
    _run(node, array)
    return Leaf(array, root_of(array))


def _layout(array):
    return array._pointer, array.shape, array.strides


def _strides_like_operands(node):
    """Strides of a result: of F arrays alone an F array."""
    if len(node.shape) < 2:
        return None
    arrays = [leaf.array for leaf in nodes.leaves(node) if leaf.shape == node.shape]
    if arrays and all(each._f_contiguous and not each._c_contiguous for each in arrays):
        return strides_for(node.shape, node.dtype, "F")
    return None


def _run(root, target):
    """Computes an expression into an array of its shape, in one kernel."""
    if not target.size or _core.run_simply(root, target) or _core.run_planned(root, target):
        return
    order = _prepared(root, target.size)
    outputs = [(root, target)]
    for node in order:
        if node is root or node.kind != OPERATION or len(outputs) == _MOST_OUTPUTS:
            continue
        if node.owner is not None and node.shape == target.shape:
            outputs.append(
                (
                    node,
                    new_array(
                        node.shape,
                        node.dtype,
                        target.strides
                        if node.dtype == target.dtype and target._f_contiguous
                        else None,
                    ),
                )
            )
    _launch(order, outputs, target.shape)
    for node, array in outputs[1:]:
        node.value = Leaf(array, root_of(array))
        _adopt(node, node.value)


def _simple_kernel(root):
    """The kernel of one operation on vectors and numbers; equal operands are one parameter."""
    order = []
    for each in root.operands:
        each = resolved(each)
        if not any(each is other for other in order):
            order.append(each)
    modes = ("flat",) * sum(each.kind == LEAF for each in order)
    return elementwise_kernel([*order, root], (root,), modes, 0)


_core.set_simple_kernels(_simple_kernel)


def _prepared(root, size):
    """The nodes of an expression, operands first; what cannot be a part of the kernel is
    computed."""
    if root.count > _MOST_OPERATIONS:
        for each in root.operands:
            if resolved(each).count > _MOST_OPERATIONS // 4:
                value_of(each)
    order = _sorted(root, size)
    if sum(node.kind == LEAF for node in order) > _MOST_LEAVES:
        for each in root.operands:
            if resolved(each).kind == OPERATION:
                value_of(each)
        order = _sorted(root, size)
    return order


def _sorted(root, size):
    order, seen = [], set()

    def visit(node):
        node = resolved(node)
        if node.kind == REDUCTION or (
            node.kind == OPERATION and node is not root and not _fits(node, size)
        ):
            node = value_of(node)
        if id(node) in seen:
            return
        seen.add(id(node))
        if node.kind == OPERATION:
            for each in node.operands:
                visit(each)
        order.append(node)

    visit(root)
    return order


def _fits(node, size):
    """Whether an expression is computed inside of a kernel over `size` elements."""
    own = math.prod(node.shape)
    return own == size or (own == 1 and node.count <= 4)


def _new_plan(root, target):
    """The kernel for an expression of leaves, numbers and operations, and the shape and strides
    that it sees of each array: asked for once for each structure and layout (planned.cpp)."""
    order = nodes.in_order((root,))
    arrays = [node.array for node in order if node.kind == LEAF]
    return _plan(order, (root,), [*arrays, target], target.shape)


_core.set_plan_maker(_new_plan)


def _launch(order, outputs, shape):
    arrays = [node.array for node in order if node.kind == LEAF]
    arrays += [array for _, array in outputs]
    plan = _plan(order, tuple(node for node, _ in outputs), arrays, shape)
    _execute(plan, arrays, order, math.prod(shape))


def _plan(order, results, arrays, shape):
    """The kernel for an expression, and the shape and strides that it sees of each array."""
    inputs = len(arrays) - len(results)
    flat, views, collapsed = _collapsed(arrays, inputs, shape)
    modes = tuple(
        "one" if each.size == 1 else "flat" if flat else "strided" for each in views[:inputs]
    )
    kernel = elementwise_kernel(order, results, modes, 0 if flat else len(collapsed))
    return kernel, [
        None if view is array else (view.shape, view.strides) for view, array in zip(views, arrays)
    ]


def _execute(plan, arrays, order, count):
    kernel, forms = plan
    views = [
        array if form is None else part_of(array, array._pointer, *form)
        for array, form in zip(arrays, forms)
    ]
    scalars = [node.number for node in order if node.kind == SCALAR]
    blocks = min((count + _THREADS - 1) // _THREADS, _MOST_BLOCKS)
    kernel.launch_quietly((blocks, _THREADS, _current.handle), *views, *scalars)


def _collapsed(arrays, inputs, shape):
    """Whether all arrays are one piece in the same order; the arrays as the kernel takes them; the
    extents of its loop."""
    count = math.prod(shape)
    for flag in ("_c_contiguous", "_f_contiguous"):
        if all(
            (each.size == 1 and (count == 1 or i < inputs))
            or (each.shape == shape and getattr(each, flag))
            for i, each in enumerate(arrays)
        ):
            return True, [as_line(each) for each in arrays], (count,)
    strides = [_spread(each, shape) for each in arrays]
    extents, joined = _join_axes(shape, strides)
    views = []
    for i, (each, steps) in enumerate(zip(arrays, joined)):
        if each.size == 1 and i < inputs:
            views.append(as_line(each))
        else:
            views.append(part_of(each, each._pointer, extents, tuple(steps)))
    return False, views, extents


def as_line(array):
    """An array that is one piece of memory, as a vector."""
    if array.ndim == 1:
        return array
    size = 1
    for n in array.shape:
        size *= n
    return part_of(array, array._pointer, (size,), (array.dtype.itemsize,))


def _spread(array, shape):
    """Strides of an array in a loop over a larger shape."""
    missing = len(shape) - array.ndim
    return [0] * missing + [
        0 if n == 1 and wanted != 1 else step
        for n, step, wanted in zip(array.shape, array.strides, shape[missing:])
    ]


def _join_axes(shape, strides):
    """The same loop with fewer axes."""
    extents, joined = [], [[] for _ in strides]
    for axis, n in enumerate(shape):
        steps = [each[axis] for each in strides]
        if n == 1:
            continue
        if extents and all(each[-1] == step * n for each, step in zip(joined, steps)):
            extents[-1] *= n
            for each, step in zip(joined, steps):
                each[-1] = step
        else:
            extents.append(n)
            for each, step in zip(joined, steps):
                each.append(step)
    if not extents:
        return (1,), [[0] for _ in strides]
    return tuple(extents), joined
