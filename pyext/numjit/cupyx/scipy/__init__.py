"""cupyx.scipy: functions of SciPy over device arrays."""

import importlib

from numjit.cupy.interchange import get_array_module

_SUBMODULES = frozenset(
    "fft fftpack interpolate linalg ndimage optimize signal sparse spatial special stats".split()
)


def __getattr__(name):
    if name in _SUBMODULES:
        return importlib.import_module(f"numjit.cupyx.scipy.{name}")
    if name == "get_array_module":
        return get_array_module
    raise AttributeError(f"module 'numjit.cupyx.scipy' has no attribute {name!r}")


def __dir__():
    return sorted({*_SUBMODULES, "get_array_module"})
