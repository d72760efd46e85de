"""How reductions are computed: which kernel, how many blocks, and the memory that blocks share.

pyext/gpu/reduced.cpp launches them. It asks new_launch() once for each structure and layout.
"""

from __future__ import annotations

import functools
import math

from numjit import _core
from numjit.cuda.block_parts import COUNTERS, shared_arrays

from . import current
from .evaluate import _MOST_BLOCKS, _join_axes, _prepared, _spread, as_line, new_array, value_of
from .nodes import LEAF, in_order, resolved
from .reduction_text import THREADS, Reduction, reduction_kernel

#: At most, where results have parts: a multiple of what runs at once, so that no processor waits
#: for long at the end.
_BLOCKS = 8192
_LANES = 16  #: a lane takes so many elements before a result is given to several blocks


class Plan:
    """A reduction of a shape along axes."""

    __slots__ = ("reduction", "axes", "shape", "size")

    def __init__(self, reduction: Reduction, axes, shape):
        self.reduction, self.axes, self.shape = reduction, axes, shape
        self.size = math.prod(shape)

    def compute(self, node):
        """The device array with the results."""
        if 0 in node.shape:
            return new_array(node.shape, node.dtype)
        found = _core.run_reduction(node)
        if found is None:  # not one kernel: what cannot be a part of it is computed first
            for each in node.operands:
                _prepared(each, self.size)
            found = _core.run_reduction(node)
        if found is None:
            for each in node.operands:
                value_of(each)
            found = _core.run_reduction(node)
        return found


@functools.lru_cache(4096)
def plan_for(reduction, axes, shape):
    return Plan(reduction, axes, shape)


def new_launch(node, capturing):
    """What launches need for a node in the current stream: the kernel, the number of blocks, how it
    sees each array, the extent of the result, arrays that blocks share, and numbers."""
    plan = node.plan
    order = in_order(node.operands)
    results = tuple(resolved(each) for each in node.operands)
    arrays = [each.array for each in order if each.kind == LEAF]
    kept = [axis for axis in range(len(plan.shape)) if axis not in plan.axes]
    count = math.prod([plan.shape[axis] for axis in plan.axes])
    outer, inner, views, modes = _two_loops(arrays, plan.shape, kept, plan.axes)
    outputs = math.prod(outer)
    tile, blocks, parts = _division(views, modes, len(outer), outputs, count)
    kernel = reduction_kernel(
        order, results, tuple(modes), len(outer), len(inner), plan.reduction, tile, parts == 1
    )
    shared = (
        ()
        if parts == 1
        else shared_arrays(plan.reduction.states, outputs * parts, current.handle(), capturing)
    )
    forms = [
        None if view is array else (view.shape, view.strides) for view, array in zip(views, arrays)
    ]
    return kernel, blocks, forms, outputs, shared, (*outer, *inner, outputs, count, parts)


def _two_loops(arrays, shape, kept, reduced):
    """The extents of the outer and of the inner loop, views of the arrays with these axes, and how
    each is indexed."""
    if not kept and all(each._c_contiguous and each.shape == shape for each in arrays):
        lines = [as_line(each) for each in arrays]
        one = math.prod(shape) == 1
        return (), (math.prod(shape),), lines, ["one" if one else "strided"] * len(lines)
    steps = [_spread(each, shape) for each in arrays]
    loops, joined = [], [[] for _ in arrays]
    for axes in (kept, reduced):
        extents, found = _join_axes(
            tuple(shape[axis] for axis in axes), [[each[axis] for axis in axes] for each in steps]
        )
        if not axes or math.prod(extents) == 1:
            extents, found = (
                ((), [[] for _ in arrays]) if axes is kept else ((1,), [[0]] * len(arrays))
            )
        loops.append(extents)
        for all_, new in zip(joined, found):
            all_ += new
    extents = loops[0] + loops[1]
    views, modes = [], []
    for array, strides in zip(arrays, joined):
        if array.size == 1:
            views.append(as_line(array))
            modes.append("one")
        else:
            views.append(array._at(array._pointer, extents, tuple(strides), array.dtype))
            modes.append("strided")
    return loops[0], loops[1], views, modes


def _division(views, modes, kept, outputs, count):
    """How threads share the work: the tile of a block (its results, and whether those of
    neighbouring threads lie side by side), None for a thread for each result; the number of blocks,
    and of parts of each result."""
    beside = False
    for view, mode in zip(views, modes):
        if mode == "strided" and kept:
            beside = abs(view.strides[kept - 1]) < abs(view.strides[-1]) or view.strides[-1] == 0
            break
    if count <= 8 or (beside and count <= 64 and outputs >= 1 << 16):
        return None, min((outputs + THREADS - 1) // THREADS, _MOST_BLOCKS), 1
    if beside:
        columns = min(32, _next_power(outputs))
    else:
        columns = max(1, THREADS // _next_power((count + 3) // 4))
    lanes, groups = THREADS // columns, (outputs + columns - 1) // columns
    parts = 1
    if beside or columns == 1:
        most = _BLOCKS // groups if groups <= COUNTERS else 1
        parts = min((count + lanes * _LANES - 1) // (lanes * _LANES), most)
    return (columns, beside), groups * parts, parts


def _next_power(n):
    return 1 << (n - 1).bit_length()


_core.set_reductions(new_launch)
