"""Means, variances and standard deviations: reductions whose last step divides."""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from . import upcalls
from .creation import asarray
from .current import _current
from .kernel_text import type_name
from .nodes import Reduced
from .reduction_text import Reduction
from .reductions import (
    as_array,
    axes_of,
    check_out,
    given,
    known_key,
    make_reduced,
    reduce,
    remember,
)
from .ufuncs import assign, call, cast, make

#: What calls before found out: the key of a call -> the dtype to reduce in, that of the result, the
#: plan and the shape of the result.
_known: dict = {}


@functools.lru_cache(1024)
def _sum_divided(state, less, root):
    """The sum of elements divided by how many there are, less a number; or the root of that."""
    name = type_name(state)
    count = "count" if not less else f"max(count - {less!r}, 0)"
    final = f"{name}(np.true_divide(A0, {name}({count})))"
    if root:
        final = f"{name}(np.sqrt({final}))"
    return Reduction([state], ["0"], ["X0"], [f"A0 = {name}(A0 + B0)"], final)


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
    key = None
    if out is None and where is True:
        node = array._operand()
        key = known_key("mean", node, axis, dtype, keepdims)
        row = _known.get(key)
        if row is not None:
            inside, result, plan, shape = row
            made = Reduced(plan, (cast(node, inside),), shape, result, _current.place)
            return upcalls.ndarray._waiting(made)
    axes = _axes_of_mean(axis, array.ndim, where)
    result = _float_dtype(array.dtype, dtype)
    inside = np.dtype("f4") if result == "f2" and dtype is None else result
    count = _count_of(array.shape, axes)
    if where is True and count and 0 not in array.shape and result.kind in "fc":
        made = _divided(array._operand(), axes, inside, result, keepdims)
        remember(_known, key, (inside, result, made.plan, made.shape))
        return _rounded(upcalls.ndarray._waiting(made), result, out)
    total = reduce(np.add, array, axes, inside, None, keepdims, where=where)
    if where is not True:
        count = _counted(where, array, axes, keepdims)
    return _rounded(total / count, result, out)


def _divided(node, axes, inside, result, keepdims, less=0, root=False):
    """The node of a sum that is divided by the number of elements."""
    reduction = _sum_divided(np.dtype("f4") if inside == "f2" else inside, less, root)
    return make_reduced(reduction, (cast(node, inside),), axes, result, keepdims)


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


def _in_two_passes(a, axis, dtype, out, ddof, keepdims, where, mean, correction, root):
    """The variance, or its root, by two kernels: the mean, and the mean square of differences from
    it. None where more is asked for than that."""
    keepdims, ddof = given(keepdims, False), ddof if given(correction, None) is None else correction
    if not (given(where, True) is True and given(mean, None) is None and dtype is None):
        return None
    array = as_array(a)
    inside = _float_dtype(array.dtype, None)
    if inside == "f2" or 0 in array.shape or type(ddof) not in (int, float):
        return None
    axes = _axes_of_mean(axis, array.ndim, True)
    node = cast(array._operand(), inside)
    middle = _divided(node, axes, inside, inside, True)
    text = f"{type_name(inside)}(np.subtract({{0}}, {{1}}))"
    square = _square(make(text, (inside, inside), (node, middle), inside))
    made = _divided(square, axes, square.dtype, square.dtype, keepdims, ddof, root)
    return _rounded(upcalls.ndarray._waiting(made), made.dtype, out)


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None,
        correction=None):  # fmt: skip
    """The variance."""
    found = _in_two_passes(a, axis, dtype, out, ddof, keepdims, where, mean, correction, False)
    if found is not None:
        return found
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
    found = _in_two_passes(a, axis, dtype, out, ddof, keepdims, where, mean, correction, True)
    if found is not None:
        return found
    found = var(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction)
    if out is not None:
        check_out(out, found.shape)
    elif found.dtype.kind in "biu":  # only dtype= makes it so
        made = call(np.sqrt, (found,))
        return call(np.sqrt, (found,), out=found) if found.ndim else made.astype(found.dtype)
    return call(np.sqrt, (found,), out=out)
