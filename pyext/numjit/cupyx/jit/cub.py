"""cupyx.jit.cub: what the threads of a warp or of a block compute together, over numjit.cuda's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from numjit.cuda.kernel_names import block, warp


def Sum():
    """An operator for Reduce."""
    return np.add


def Max():
    """An operator for Reduce."""
    return np.maximum


def Min():
    """An operator for Reduce."""
    return np.minimum


@dataclass(frozen=True)
class _Reducer:
    """Combines one value of each thread."""

    dtype: object
    reduce: object

    def Reduce(self, value, operator):
        return self.reduce(self.dtype(value), operator)

    def Sum(self, value):
        return self.reduce(self.dtype(value), np.add)


@dataclass(frozen=True)
class _OfType:
    """WarpReduce<T>"""

    dtype: object
    reduce: object

    @property
    def TempStorage(self):
        return np.int8  # the functions of numjit.cuda have memory of their own

    def __call__(self, temp_storage):
        return _Reducer(self.dtype, self.reduce)


@dataclass(frozen=True)
class _WarpReduce:
    def __getitem__(self, dtype):
        return _OfType(dtype, warp.reduce)


@dataclass(frozen=True)
class _BlockReduce:
    def __getitem__(self, dtype_and_size):
        return _OfType(dtype_and_size[0], block.reduce)


WarpReduce, BlockReduce = _WarpReduce(), _BlockReduce()
