"""cupy._core.internal: shapes, strides and slices in plain integers."""

from __future__ import annotations

import math
import operator

import numpy as np


def prod(args):
    """The product of numbers."""
    return math.prod(args)


prod_sequence = prod


def get_size(size):
    """A shape that may be one number, as a tuple."""
    found = tuple(size) if isinstance(size, (list, tuple)) else (size,)
    if any(_is_truth_value(each) for each in found):
        raise TypeError("a shape has integers, not truth values")
    return found


def _is_truth_value(value):
    return isinstance(value, (bool, np.bool_)) or getattr(value, "dtype", None) == np.bool_


def vector_equal(x, y):
    return tuple(x) == tuple(y)


def get_c_contiguity(shape, strides, itemsize):
    """Whether elements of such strides lie one behind the other, the last axis first."""
    if 0 in shape:
        return True
    distance = itemsize
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size != 1:
            if stride != distance:
                return False
            distance *= size
    return True


def infer_unknown_dimension(shape, size):
    """A shape for `size` elements, in which one number may be negative: unknown."""
    unknown = [i for i, each in enumerate(shape) if each < 0]
    if len(unknown) > 1:
        raise ValueError("can only specify one unknown dimension")
    found = list(shape)
    if unknown:
        known = math.prod(each for each in shape if each >= 0)
        found[unknown[0]] = size // max(known, 1)
    return found


def complete_slice(slice_, size):
    """A slice of an axis whose ends are numbers within the axis."""
    start, stop, step = slice_.indices(size)
    return slice(start, max(start, stop) if step > 0 else min(start, stop), step)


def clp2(x):
    """The least power of two that is not less."""
    return 1 << max(operator.index(x) - 1, 0).bit_length()


def get_contiguous_strides(shape, itemsize, is_c_contiguous=True):
    """Strides of an array whose elements lie one behind the other."""
    found, distance = [], itemsize
    for size in reversed(shape) if is_c_contiguous else shape:
        found.append(distance)
        distance *= max(size, 1)
    return tuple(reversed(found) if is_c_contiguous else found)
