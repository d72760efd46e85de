"""The array API's helpers, in whose terms SciPy's functions are written: there is one namespace,
numpy's names over device arrays."""

from __future__ import annotations

import importlib.util
import math

import numpy as _numpy

from numjit.cupy import ndarray

from ..code import _Names

SCIPY_ARRAY_API, SCIPY_DEVICE = False, "cpu"


def __getattr__(name):
    if name in ("numpy", "np_compat", "_namespace"):
        return _Names("numpy")
    if name.startswith("is_"):
        return _never
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(_Names("numpy"), name)


def _never(*ignored):
    return False


def is_array_api_obj(value):
    return isinstance(value, (ndarray, _numpy.ndarray))


def is_numpy_namespace(xp):
    return True


def is_numpy_array(value):
    return is_array_api_obj(value)


def array_namespace(*arrays, **ignored):
    return __getattr__("numpy")


get_namespace = array_namespace


def size(array):
    return math.prod(array.shape)


def device(array):
    return None


def _compat_module_name():
    return "scipy._external.array_api_compat"


is_available = importlib.util.find_spec("scipy") is not None
