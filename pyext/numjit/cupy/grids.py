"""linspace, mgrid, ogrid, r_ and c_."""

from __future__ import annotations

import numpy as np

from .creation import array, asarray
from .joining import concatenate
from .ndarrays import ndarray
from .numpy_code import from_numpy

_linspace = from_numpy(np.linspace)

#: So many numbers are made by the host, in less time than the kernels take.
_FEW = 1 << 14


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, **ignored):
    """`num` numbers at equal distances from start to stop, which is the last one with `endpoint`;
    with `retstep` also their distance."""
    numbers = isinstance(start, _NUMBERS) and isinstance(stop, _NUMBERS)
    if numbers and isinstance(num, (int, np.integer)) and num <= _FEW:
        found = np.linspace(start, stop, num, endpoint, retstep, dtype, axis)
        return (array(found[0]), found[1]) if retstep else array(found)
    return _linspace(start, stop, num, endpoint, retstep, dtype, axis)


_NUMBERS = int, float, complex, np.number


def _host_slices(key):
    """Slices whose ends and steps may be device arrays without axes, with numbers."""
    if isinstance(key, tuple):
        return tuple(map(_host_slices, key))
    if not isinstance(key, slice):
        return key
    parts = key.start, key.stop, key.step
    single = (isinstance(each, ndarray) and each.size == 1 for each in parts)
    return slice(*(each.item() if one else each for each, one in zip(parts, single)))


class _Grid:
    def __init__(self, grid):
        self._grid = grid

    def __getitem__(self, key):
        found = self._grid[_host_slices(key)]
        if isinstance(found, (list, tuple)):
            return type(found)(map(array, found))
        return array(found)


class AxisConcatenator:
    """r_ and c_, of arrays, numbers and slices."""

    def __init__(self, grid=np.r_, columns=False):
        self._grid, self._columns = grid, columns

    def __len__(self):
        return 0

    def __getitem__(self, key):
        items = key if isinstance(key, tuple) else (key,)
        if not any(isinstance(each, ndarray) for each in items):
            return array(self._grid[key])
        if isinstance(items[0], str):
            raise NotImplementedError("r_ and c_ of device arrays take no string")
        arrays = [each.dtype for each in items if hasattr(each, "dtype")]
        parts = []
        for each in items:
            if isinstance(each, slice):
                each = _host_slices(each)
                each = self._grid[each] if not self._columns else np.r_[each]
            if type(each) in (bool, int, float, complex):  # which have no dtype of their own
                each = np.asarray(each, np.result_type(each, *arrays))
            each = asarray(each)
            each = each.reshape(1) if not each.ndim else each
            parts.append(each[:, None] if self._columns and each.ndim == 1 else each)
        return concatenate(parts, -1 if self._columns else 0)


mgrid, ogrid = _Grid(np.mgrid), _Grid(np.ogrid)
r_, c_ = AxisConcatenator(np.r_, False), AxisConcatenator(np.c_, True)
