"""Numba's package of what is about NumPy."""

from functools import partial

from numjit.compat.numba_paths import part_of
from numjit.np import numpy_support as numpy_support

__getattr__ = partial(part_of, __name__)
