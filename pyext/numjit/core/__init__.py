"""Numba's package `core`: the modules in it are rows of numjit.compat.numba_paths."""

import importlib

from numjit.compat.numba_paths import find_spec


def __getattr__(name):
    if find_spec(f"{__name__}.{name}") is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f"{__name__}.{name}")
