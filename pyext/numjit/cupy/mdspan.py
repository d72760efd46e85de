"""ndarray.mdspan: an array as an argument of type cuda::std::mdspan."""

from __future__ import annotations

import numpy as np

_FORMS = {np.dtype(np.int32): "i", np.dtype(np.int64): "q"}


class Mdspan:
    """mdspan<T, dextents<index_type, ndim>, layout_stride> of an array. Other layouts of C++ read
    the same bytes without the strides at their end: for arrays that have such a layout."""

    def __init__(self, array, form, numbers):
        self.array, self.form, self.numbers = array, f"Q{len(numbers)}{form}", numbers


def mdspan(array, index_type=np.int64, allow_unsafe=False):
    """The array as an argument of RawKernel. What C++ does not define, axes of length 0 and strides
    that are not positive, is refused unless `allow_unsafe` is given."""
    form = _FORMS.get(np.dtype(index_type))
    if form is None:
        raise ValueError(f"index_type must be int32 or int64, not {index_type}")
    if not allow_unsafe:
        _check(array)
    if any(stride % array.itemsize for stride in array.strides):
        raise ValueError(f"strides must be multiples of {array.itemsize}: {array.strides}")
    numbers = (*array.shape, *(stride // array.itemsize for stride in array.strides))
    largest, limit = max(map(abs, numbers), default=0), np.iinfo(index_type).max
    if largest > limit:
        raise ValueError(f"{largest} exceeds {np.dtype(index_type)} maximum {limit}")
    return Mdspan(array, form, numbers)


def _check(array):
    for axis, length in enumerate(array.shape):
        if length == 0:
            raise RuntimeError(f"{axis}-th dimension has size zero")
    for axis, stride in enumerate(array.strides):
        if stride <= 0:
            raise RuntimeError(f"{axis}-th dimension has non-positive stride")
