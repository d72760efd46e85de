"""pad: arrays with a border."""

from __future__ import annotations

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from .creation import full
from .ndarrays import ndarray
from .numpy_code import from_numpy

_pad = from_numpy(np.pad)


def pad(array, pad_width, mode="constant", **keywords):
    """An array with a border."""
    value = keywords.get("constant_values", 0)
    if (
        mode != "constant"
        or type(array) is not ndarray
        or not {*keywords} <= {"constant_values"}
        or not isinstance(value, (int, float, complex, np.number))
        or not array.ndim
    ):
        return _pad(array, pad_width, mode, **keywords)
    if isinstance(pad_width, dict):
        axes = {normalize_axis_index(axis, array.ndim): n for axis, n in pad_width.items()}
        pad_width = [np.broadcast_to(axes.get(i, 0), 2) for i in range(array.ndim)]
    widths = np.asarray(pad_width)
    if widths.dtype.kind not in "iu":
        raise TypeError("`pad_width` must be of integral type.")
    widths = np.broadcast_to(widths, (array.ndim, 2)).tolist()
    if any(n < 0 for pair in widths for n in pair):
        raise ValueError("index can't contain negative values")
    shape = tuple(n + before + after for n, (before, after) in zip(array.shape, widths))
    fortran = array._f_contiguous and not array._c_contiguous
    made = full(shape, np.asarray(value).astype(array.dtype)[()], array.dtype, "CF"[fortran])
    made[tuple(slice(before, before + n) for n, (before, _) in zip(array.shape, widths))] = array
    return made
