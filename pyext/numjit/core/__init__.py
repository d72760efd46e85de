"""Numba's package `core`: the modules in it are rows of numjit.compat.numba_paths."""

from functools import partial

from numjit.compat.numba_paths import part_of

__getattr__ = partial(part_of, __name__)
