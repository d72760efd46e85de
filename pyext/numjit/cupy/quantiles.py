"""median, percentile and quantile: one sort, and one kernel over the sorted lines."""

from __future__ import annotations

import math

import numpy as np

from .manipulation import where
from .ndarrays import ndarray
from .numpy_code import from_numpy
from .sorting import sort

_median, _quantile = from_numpy(np.median), from_numpy(np.quantile)
_percentile = from_numpy(np.percentile)


def _sorted(a, axis):
    """The lines of an array along an axis, sorted, as the last axis; None for what is left to
    NumPy's own code."""
    if type(a) is not ndarray or a.dtype.kind not in "iuf" or a.dtype == np.float16 or not a.size:
        return None
    if axis is None:
        return sort(a.ravel())
    if type(axis) is not int or not -a.ndim <= axis < a.ndim:
        return None
    return sort(a.swapaxes(axis, -1)) if a.ndim < 3 else None


def _with_nan(lines, found):
    """A result; NaN, which is sorted to the end, where a line has it."""
    if lines.dtype.kind != "f":
        return found
    last = lines[..., -1]
    return where(last != last, last, found)


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The middle element of each line, or the mean of the two in the middle."""
    lines = None if out is not None or keepdims else _sorted(a, axis)
    if lines is None:
        return _median(a, axis, out, overwrite_input, keepdims)
    n = lines.shape[-1]
    low, high = lines[..., (n - 1) // 2], lines[..., n // 2]
    return _with_nan(lines, (low + high) / 2.0 if n % 2 == 0 and low.dtype.kind == "f"
                     else low / 2.0 + high / 2.0 if n % 2 == 0 else low / 1.0)  # fmt: skip


def _linear(a, q, whole, axis, out, method, keepdims, keywords):
    """Linearly between the elements of the sorted lines, at the part `q / whole` of them; None for
    what is left to NumPy's own code."""
    if type(q) not in (int, float) or keepdims or keywords or out is not None or method != "linear":
        return None
    fraction = q / whole
    lines = _sorted(a, axis) if 0 <= fraction <= 1 else None
    if lines is None:
        return None
    n = lines.shape[-1]
    place = (n - 1) * fraction
    begin = math.floor(place)
    begin, end = (-1, -1) if place >= n - 1 else (begin, begin + 1)
    low, high, weight = lines[..., begin], lines[..., end], place - begin
    step = high - low
    return _with_nan(lines, high - step * (1 - weight) if weight >= 0.5 else low + step * weight)


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False,
             **keywords):  # fmt: skip
    """Where a part `q` of the sorted elements of each line lies below."""
    found = _linear(a, q, 1, axis, out, method, keepdims, keywords)
    if found is not None:
        return found
    return _quantile(a, q, axis, out, overwrite_input, method, keepdims, **keywords)


def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False,
               **keywords):  # fmt: skip
    """quantile(), with percent."""
    found = _linear(a, q, 100, axis, out, method, keepdims, keywords)
    if found is not None:
        return found
    return _percentile(a, q, axis, out, overwrite_input, method, keepdims, **keywords)
