"""Numba's package of what is about NumPy."""

from numjit.np import numpy_support as numpy_support
