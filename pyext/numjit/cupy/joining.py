"""Arrays made of several: concatenate and stack."""

from __future__ import annotations

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from .creation import asarray, empty
from .ndarrays import ndarray
from .ufuncs import assign


def concatenate(tup, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays one behind the other along an axis."""
    if isinstance(tup, ndarray):
        tup = list(tup)
    arrays = [asarray(each) for each in tup]
    if not arrays:
        raise ValueError("need at least one array to concatenate")
    if axis is None:
        arrays, axis = [each.ravel() for each in arrays], 0
    ndim = arrays[0].ndim
    if not ndim:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    axis = normalize_axis_index(axis, ndim)
    for number, each in enumerate(arrays):
        if each.ndim != ndim:
            raise ValueError(
                "all the input array dimensions except for the concatenation axis must match "
                f"exactly, but along dimension 0, the array at index 0 has {ndim} dimension(s) and "
                f"the array at index {number} has {each.ndim} dimension(s)"
            )
        for other, (n, want) in enumerate(zip(each.shape, arrays[0].shape)):
            if other != axis and n != want:
                raise ValueError(
                    "all the input array dimensions except for the concatenation axis must match "
                    f"exactly, but along dimension {other}, the array at index 0 has size {want} "
                    f"and the array at index {number} has size {n}"
                )
    if out is not None and dtype is not None:
        raise TypeError("concatenate() only takes `out` or `dtype` as an argument, but both were "
                        "provided.")  # fmt: skip
    total = sum(each.shape[axis] for each in arrays)
    shape = arrays[0].shape[:axis] + (total,) + arrays[0].shape[axis + 1 :]
    if out is None:
        if dtype is None:
            dtype = np.result_type(*(each.dtype for each in arrays))
        out = empty(shape, dtype)
    elif out.shape != shape:
        raise ValueError("Output array is the wrong shape")
    for each in arrays:
        if not np.can_cast(each.dtype, out.dtype, casting):
            raise TypeError(
                f"Cannot cast array data from {each.dtype!r} to {out.dtype!r} according to the "
                f"rule '{casting}'"
            )
    begin, before = 0, (slice(None),) * axis
    for each in arrays:
        end = begin + each.shape[axis]
        if each.size:
            part = out[(*before, slice(begin, end))]
            assign(part, each._operand())
            part._force()
        begin = end
    return out


def stack(tup, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays of one shape along a new axis."""
    arrays = [asarray(each) for each in tup]
    if not arrays:
        raise ValueError("need at least one array to stack")
    if any(each.shape != arrays[0].shape for each in arrays):
        raise ValueError("all input arrays must have the same shape")
    axis = normalize_axis_index(axis, arrays[0].ndim + 1)
    index = (slice(None),) * axis + (None,)
    return concatenate([each[index] for each in arrays], axis, out, dtype=dtype, casting=casting)
