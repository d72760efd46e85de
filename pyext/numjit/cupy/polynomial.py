"""cupy.polynomial, and poly1d and its functions: NumPy's Python over device arrays."""

from __future__ import annotations

import functools
import importlib

from numjit.cupyx.code import in_numpy_code, module

from .numpy_code import from_numpy

__path__: list = []  # a package of CuPy, see compat/cupy_paths.py


@functools.cache
def _coded(name):
    value = getattr(module("numpy.lib._polynomial_impl"), name)
    if not isinstance(value, type):
        return in_numpy_code(value)
    for key, method in list(vars(value).items()):
        if callable(method) and not isinstance(method, type):
            setattr(value, key, in_numpy_code(method))
    return value


_OLD = frozenset("poly1d poly roots polyadd polysub polymul polydiv polyint polyder".split())


def __getattr__(name):
    if name in _OLD:
        return _coded(name)
    if name in ("polynomial", "polyutils"):
        return _Module(name)
    raise AttributeError(f"module 'numjit.cupy.polynomial' has no attribute {name!r}")


class _Module:
    """A module of numpy.polynomial."""

    def __init__(self, name):
        self.__name__ = f"numjit.cupy.polynomial.{name}"
        self._real = importlib.import_module(f"numpy.polynomial.{name}")

    def __getattr__(self, name):
        value = from_numpy(getattr(self._real, name))
        if value is None:
            raise AttributeError(f"{self.__name__} has no attribute {name!r}")
        setattr(self, name, value)
        return value
