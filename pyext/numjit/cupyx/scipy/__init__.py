"""cupyx.scipy: functions of SciPy over device arrays."""

import importlib
import importlib.util
import sys

import numjit.cupy

_SUBMODULES = frozenset(
    "fft fftpack interpolate linalg ndimage optimize signal sparse spatial special stats".split()
)


_scipy_available = importlib.util.find_spec("scipy") is not None


def get_array_module(*args):
    """This package if one of the arguments is a device array, SciPy otherwise."""
    on_device = numjit.cupy.get_array_module(*args) is numjit.cupy
    return sys.modules[__name__] if on_device else importlib.import_module("scipy")


def __getattr__(name):
    if name in _SUBMODULES:
        return importlib.import_module(f"numjit.cupyx.scipy.{name}")
    raise AttributeError(f"module 'numjit.cupyx.scipy' has no attribute {name!r}")


def __dir__():
    return sorted({*_SUBMODULES, "get_array_module"})
