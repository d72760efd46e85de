"""Reductions of expressions along axes."""

from __future__ import annotations

import functools
import math
import operator

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from numjit.cuda.cudadrv.devicearray import strides_for

from . import current, upcalls
from .creation import asarray, full
from .evaluate import (
    _MOST_BLOCKS,
    _join_axes,
    _prepared,
    _spread,
    as_line,
    new_array,
    part_of,
    root_of,
)
from .kernel_text import _structure, type_name
from .nodes import LEAF, SCALAR, Leaf, Reduced, Scalar
from .reduction_text import THREADS, Reduction, reduction_kernel
from .ufuncs import assign, broadcast, call, cast, choose, make, nodes_of, operand

_BLOCKS = 1024  #: so many blocks keep a device busy


class Plan:
    """A reduction along axes: computes the node that has it."""

    __slots__ = ("reduction", "axes", "shape")

    def __init__(self, reduction, axes, shape):
        self.reduction, self.axes, self.shape = reduction, axes, shape

    def compute(self, node):
        result = new_array(node.shape, node.dtype)
        if result.size:
            self._run(node.operands, result)
        return result

    def _run_whole(self, leaf, result):
        """The reduction of all elements of an array that is one piece of memory."""
        line = as_line(leaf.array)
        count = line.size
        by_block, parts = _division([line], ["strided"], 0, 1, count)
        key = self.reduction, leaf.dtype.num, by_block, parts == 1
        kernel = _whole.get(key)
        if kernel is None:
            kernel = _whole[key] = reduction_kernel(
                [leaf], (leaf,), ("strided",), 0, 1, self.reduction, parts == 1, by_block
            )
        launch = functools.partial(_launch, kernel, outputs=1, by_block=by_block, count=count)
        if parts == 1:
            launch([line, as_line(result), count], parts=1)
            return
        partial = [new_array((parts,), dtype) for dtype in self.reduction.states]
        launch([line, *partial, count], parts=parts)
        leaves = [Leaf(each, root_of(each)) for each in partial]
        Plan(_of_parts(self.reduction), (0,), (parts,))._run(leaves, result)

    def _run(self, operands, result):
        first = operands[0] if operands[0].value is None else operands[0].value
        if (
            len(operands) == 1
            and len(self.axes) == len(self.shape)
            and first.kind == LEAF
            and first.array._c_contiguous
            and first.shape == self.shape
            and first.array.size > 1
        ):
            self._run_whole(first, result)
            return
        order = self._order(operands, first)
        results = tuple(each if each.value is None else each.value for each in operands)
        arrays = [node.array for node in order if node.kind == LEAF]
        kernel, forms, loops, outputs, count, parts, by_block = self._planned(
            order, results, arrays
        )
        views = [part_of(each, each._pointer, *form) for each, form in zip(arrays, forms)]
        scalars = [node.number for node in order if node.kind == SCALAR]
        launch = functools.partial(_launch, kernel, outputs=outputs, by_block=by_block)
        target = as_line(result)
        if parts == 1:
            launch([*views, target, *scalars, *loops], count=count, parts=1)
            return
        partial = [new_array((outputs * parts,), dtype) for dtype in self.reduction.states]
        launch([*views, *partial, *scalars, *loops], count=count, parts=parts)
        # The parts lie one behind the other for a block, and results a thread.
        shape = (outputs, parts) if by_block else (parts, outputs)
        leaves = [
            Leaf(part_of(each, each._pointer, shape, strides_for(shape, each.dtype)), root_of(each))
            for each in partial
        ]
        axes = (1,) if by_block else (0,)
        Plan(_of_parts(self.reduction), axes, shape)._run(leaves, target)

    def _order(self, operands, first):
        """The nodes of the operands' expressions."""
        if len(operands) == 1 and first.kind == LEAF:
            return [first]
        size, order = math.prod(self.shape), []
        for each in operands:
            for found in _prepared(each, size):
                if not any(found is other for other in order):
                    order.append(found)
        return order

    def _planned(self, order, results, arrays):
        """What a launch needs for the structure and the layouts of an expression: the kernel, the
        shapes and strides that it sees, the extents of its loops, and how it is divided."""
        key = (
            _structure(order, results), tuple([(each.shape, each.strides) for each in arrays]),
            self.shape, self.axes, self.reduction.key,
        )  # fmt: skip
        found = _plans.get(key)
        if found is not None:
            return found
        kept = [axis for axis in range(len(self.shape)) if axis not in self.axes]
        count = math.prod(self.shape[axis] for axis in self.axes)
        outer, inner, views, modes = _two_loops(arrays, self.shape, kept, self.axes)
        outputs = math.prod(outer)
        by_block, parts = _division(views, modes, len(outer), outputs, count)
        kernel = reduction_kernel(
            order, results, tuple(modes), len(outer), len(inner), self.reduction, parts == 1,
            by_block,
        )  # fmt: skip
        if len(_plans) >= _MOST_PLANS:
            _plans.clear()
        forms = [(view.shape, view.strides) for view in views]
        found = kernel, forms, (*outer, *inner), outputs, count, parts, by_block
        _plans[key] = found
        return found


_plans: dict = {}
_MOST_PLANS = 1024
_whole: dict = {}


@functools.lru_cache(256)
def _of_parts(reduction):
    return reduction.of_parts


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
    """Whether blocks or threads make the results, and of how many parts each is combined."""
    beside = False
    for view, mode in zip(views, modes):
        if mode == "strided" and kept:
            beside = abs(view.strides[kept - 1]) < abs(view.strides[-1]) or view.strides[-1] == 0
            break
    if count <= 32 or (beside and outputs >= 32):
        if count <= 64 or outputs >= 1 << 16:
            return False, 1
        parts = min((count + 31) // 32, max(1, (1 << 17) // outputs))
        return False, parts
    parts = min((count + 8 * THREADS - 1) // (8 * THREADS), max(1, _BLOCKS // outputs))
    return True, parts


def _launch(kernel, arguments, outputs, count, parts, by_block):
    blocks = outputs * parts if by_block else (outputs * parts + THREADS - 1) // THREADS
    if not by_block:
        blocks = min(blocks, _MOST_BLOCKS)
    kernel.launch_quietly((blocks, THREADS, current.handle()), *arguments, outputs, count, parts)


def axes_of(axis, ndim):
    """The axes of a reduction, sorted."""
    if axis is None:
        return tuple(range(ndim))
    if isinstance(axis, tuple):
        return tuple(sorted(normalize_axis_tuple(axis, ndim)))
    if not ndim and axis in (0, -1):
        return ()
    return (normalize_axis_index(axis, ndim),)


def reduced_shape(shape, axes, keepdims):
    if keepdims:
        return tuple(1 if axis in axes else n for axis, n in enumerate(shape))
    return tuple(n for axis, n in enumerate(shape) if axis not in axes)


@functools.lru_cache(1024)
def _result_dtype(function, have, wanted):
    """The dtype of a reduction, as NumPy has it."""
    one = np.ones(1, have)
    return function.reduce(one, dtype=wanted).dtype


@functools.lru_cache(1024)
def _of_ufunc(function, dtype):
    """The reduction for a ufunc of two values of a dtype."""
    state = np.dtype("f4") if dtype == "f2" and function in (np.add, np.multiply) else dtype
    text = f"A0 = {type_name(state)}(np.{function.__name__}(A0, B0))"
    first = None
    if function.identity is not None:
        first = [repr(np.array(function.identity).astype(state).item()).replace("inf", "np.inf")]
    return Reduction([state], first, ["X0"], [text])


def reduce(function, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """function.reduce over one axis, several, or all of them (None)."""
    node = as_node(array)
    initial, where = given(initial, None), given(where, True)
    out = None if out is ... else out
    keepdims = given(keepdims, False)
    axes = axes_of(axis, len(node.shape))
    if function.nin != 2 or function.nout != 1:
        raise ValueError(f"{function.__name__} does not support reduction")
    wanted = None if dtype is None else np.dtype(dtype)
    have = node.dtype
    result = _result_dtype(function, have, wanted)
    if result.kind not in "biufc":
        raise TypeError(f"{function.__name__} does not reduce {have} on the device")
    node = cast(node, result)
    if where is not True:
        if function.identity is None and initial is None:
            raise ValueError(
                f"reduction operation '{function.__name__}' does not have an identity, so to use a "
                "where mask one has to specify 'initial'"
            )
        other = function.identity if function.identity is not None else initial
        mask, _ = operand(where)
        if not hasattr(mask, "kind"):
            mask = Scalar(np.bool_(mask), np.dtype(bool))
        other = Scalar(result.type(other), result)
        node = choose(mask, node, other)
    shape = node.shape
    if 0 in [shape[axis] for axis in axes] and function.identity is None and initial is None:
        raise ValueError(
            f"zero-size array to reduction operation {function.__name__} which has no identity"
        )
    if 0 in shape:
        start = initial if initial is not None else function.identity
        return _filled(reduced_shape(shape, axes, keepdims), result, start, out)
    made = make_reduced(_of_ufunc(function, result), (node,), axes, result, keepdims)
    if initial is not None:
        (made,) = nodes_of(function, (upcalls.ndarray._waiting(made), result.type(initial)))
    return finished(made, out)


def given(value, default):
    """An argument, where NumPy's code may have passed that there is none."""
    return default if value is np._NoValue else value


def as_node(array):
    if isinstance(array, upcalls.ndarray):
        return array._operand()
    return asarray(array)._operand()


def make_reduced(reduction, operands, axes, dtype, keepdims=False):
    """The node of a reduction."""
    shape = broadcast(operands)
    plan = Plan(reduction, axes, shape)
    result = reduced_shape(shape, axes, keepdims)
    return Reduced(plan, operands, result, dtype, current.place())


def finished(node, out=None):
    """The array for a node, or `out` with its elements."""
    if out is None:
        return upcalls.ndarray._waiting(node)
    check_out(out, node.shape)
    assign(out, node)
    return out


def check_out(out, shape):
    """Raises if an array is not as a reduction's out= has to be."""
    if out.shape != shape:
        raise ValueError(
            f"output parameter for reduction operation has the wrong shape {out.shape}, not {shape}"
        )


def _filled(shape, dtype, value, out):
    made = full(shape, 0 if value is None else value, dtype)  # None: there are no elements
    if out is not None:
        check_out(out, shape)
        out[...] = made
        return out
    return made


# -- argmax and argmin ----------------------------------------------------------------------------


@functools.lru_cache(256)
def _of_position(name, dtype):
    sign = ">" if name == "argmax" else "<"
    better = f"(B0 {sign} A0)"
    nan_a = nan_b = None
    if dtype.kind in "fc":
        nan_a, nan_b = "(A0 != A0)", "(B0 != B0)"
    if dtype.kind == "c":
        better = f"((B0.real {sign} A0.real) or (B0.real == A0.real and B0.imag {sign} A0.imag))"
    take = f"{better} or (B0 == A0 and B1 < A1)"
    if nan_a:
        take = (
            f"({nan_b} and (not {nan_a} or B1 < A1)) or (not {nan_a} and not {nan_b} and ({take}))"
        )
    lines = [f"taken = {take}", "A1 = B1 if taken else A1", "A0 = B0 if taken else A0"]
    return Reduction([dtype, np.dtype(np.int64)], None, ["X0", "R"], lines, "A1")


def position(name, array, axis=None, out=None, keepdims=False, dtype=None):
    """argmax and argmin."""
    keepdims = given(keepdims, False)
    node = as_node(array)
    axes = axes_of(None if axis is None else operator.index(axis), len(node.shape))
    if 0 in [node.shape[axis] for axis in axes]:
        raise ValueError(f"attempt to get {name} of an empty sequence")
    result = np.dtype(np.int64)
    if 0 in node.shape:
        return _filled(reduced_shape(node.shape, axes, keepdims), result, 0, out)
    if not axes:
        return _filled((), result, 0, out)
    made = make_reduced(_of_position(name, node.dtype), (node,), axes, result, keepdims)
    return finished(cast(made, np.dtype(dtype or result)), out)


def count_nonzero(a, axis=None, *, keepdims=False):
    """The number of elements that are not 0."""
    return reduce(np.add, as_array(a) != 0, axis, np.dtype(np.int64), None, keepdims)


def as_array(a):
    return a if isinstance(a, upcalls.ndarray) else upcalls.ndarray._waiting(as_node(a))


def ptp(a, axis=None, out=None, keepdims=False):
    """The difference of the largest and the smallest element."""
    found = reduce(np.maximum, a, axis, None, None, keepdims)
    found = found - reduce(np.minimum, a, axis, None, None, keepdims)
    if out is None:
        return found
    check_out(out, found.shape)
    out[...] = found
    return out


# -- mean, var, std -------------------------------------------------------------------------------


def _float_dtype(dtype, wanted):
    if wanted is not None:
        return np.dtype(wanted)
    return np.dtype(float) if dtype.kind in "biu" else dtype


def _count_of(shape, axes):
    return math.prod(shape[axis] for axis in axes)


def _axes_of_mean(axis, ndim, where):
    """The axes; of an array without any, which sum() takes axis 0 of, none, as NumPy has it where
    it counts no mask."""
    if ndim or axis is None or where is not True:
        return axes_of(axis, ndim)
    return normalize_axis_tuple(axis, 0)


def mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """The arithmetic mean."""
    keepdims, where = given(keepdims, False), given(where, True)
    array = as_array(a)
    axes = _axes_of_mean(axis, array.ndim, where)
    result = _float_dtype(array.dtype, dtype)
    inside = np.dtype("f4") if result == "f2" and dtype is None else result
    total = reduce(np.add, array, axes, inside, None, keepdims, where=where)
    count = (
        _count_of(array.shape, axes) if where is True else _counted(where, array, axes, keepdims)
    )
    found = total / count
    return _rounded(found, result, out)


def _rounded(found, dtype, out):
    """A result in its dtype, which integers of dtype= keep."""
    if found.dtype != dtype:
        found = found.astype(dtype)
    if out is None:
        return found
    check_out(out, found.shape)
    assign(out, found._operand())
    return out


def _counted(where, array, axes, keepdims):
    mask = upcalls.broadcast_to(asarray(where), array.shape)
    return reduce(np.add, mask, axes, np.dtype(np.int64), None, keepdims)


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None,
        correction=None):  # fmt: skip
    """The variance."""
    keepdims, where = given(keepdims, False), given(where, True)
    mean, correction = given(mean, None), given(correction, None)
    array = as_array(a)
    axes = _axes_of_mean(axis, array.ndim, where)
    result = _float_dtype(array.dtype, dtype)
    inside = np.dtype("f4") if result == "f2" else result
    ddof = ddof if correction is None else correction
    count = (
        _count_of(array.shape, axes) if where is True else _counted(where, array, axes, keepdims)
    )
    if mean is None:
        middle = reduce(np.add, array, axes, inside, None, True, where=where)
        middle = middle / (
            count if where is True or keepdims else _counted(where, array, axes, True)
        )
    else:
        middle = mean
    if dtype is not None:
        middle = middle.astype(inside, copy=False)  # NumPy keeps the dtype that was asked for
        off = array - middle
    else:
        off = array.astype(inside, copy=False) - middle
    off = upcalls.ndarray._waiting(_square(off._operand()))
    asked = result if dtype is not None else None
    total = reduce(np.add, off, axes, asked, None, keepdims, where=where)
    divisor = max(count - ddof, 0) if where is True else (count - ddof).clip(0)
    found = total / divisor
    if dtype is None and result.kind == "c":
        result = np.dtype(f"f{result.itemsize // 2}")
    return _rounded(found, result, out)


def _square(node):
    """The squares of absolute values."""
    if node.dtype.kind != "c":
        text, dtype = f"{type_name(node.dtype)}({{0}} * {{0}})", node.dtype
    else:
        dtype = np.dtype(f"f{node.dtype.itemsize // 2}")
        text = f"{type_name(dtype)}({{0}}.real * {{0}}.real + {{0}}.imag * {{0}}.imag)"
    return make(text, (node.dtype,), (node,), dtype)


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None,
        correction=None):  # fmt: skip
    """The standard deviation."""
    found = var(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction)
    if out is not None:
        check_out(out, found.shape)
    elif found.dtype.kind in "biu":  # only dtype= makes it so
        made = call(np.sqrt, (found,))
        return call(np.sqrt, (found,), out=found) if found.ndim else made.astype(found.dtype)
    return call(np.sqrt, (found,), out=out)
