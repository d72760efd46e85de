"""cupy.polynomial, and poly1d and its functions: NumPy's Python over device arrays."""

from __future__ import annotations

import functools
import importlib

import numpy as np

from numjit.cupyx.code import in_numpy_code, module

from .creation import asarray, zeros
from .numpy_code import device_function, from_numpy

__path__: list = []  # a package of CuPy, see compat/cupy_paths.py


@functools.cache
def _coded(name):
    value = getattr(module("numpy.lib._polynomial_impl"), name)
    if not isinstance(value, type):
        return in_numpy_code(value)
    for key, method in list(vars(value).items()):
        if callable(method) and not isinstance(method, type):
            setattr(value, key, in_numpy_code(method))
    _extend(value)
    return value


def _trimmed(self):
    """The coefficients. Zeros in front of them are found when somebody asks: the host has to wait
    for the device then."""
    if vars(self).get("untrimmed"):
        cut = device_function(np.trim_zeros)(vars(self)["coeffs"], "f")
        vars(self).update(coeffs=cut if cut.size else zeros(1, cut.dtype), untrimmed=False)
    return vars(self)["coeffs"]


def _set_coefficients(self, value):
    vars(self).update(coeffs=value, untrimmed=False)


def _coefficient(self, power):
    coefficients = vars(self)["coeffs"]
    if 0 <= power < len(coefficients):
        return coefficients[len(coefficients) - 1 - power]
    return coefficients.dtype.type(0)


def _extend(cls):
    """What CuPy's poly1d has beside NumPy's."""
    init = cls.__init__

    def __init__(self, c_or_r, r=False, variable=None):
        if isinstance(c_or_r, np.poly1d):  # which is another class here
            variable = c_or_r.variable if variable is None else variable
            c_or_r = c_or_r.coeffs
        if not isinstance(c_or_r, cls):
            c_or_r = asarray(c_or_r)
            if not r and c_or_r.ndim < 2:
                vars(self).update(coeffs=c_or_r.reshape(-1), untrimmed=True)
                self._variable = "x" if variable is None else variable
                return
        init(self, c_or_r, r, variable)

    extend = cls.__setitem__

    def __setitem__(self, power, value):
        coefficients = vars(self)["coeffs"]
        # A zero may become the first coefficient, which then stays.
        known = isinstance(value, (int, float, complex, np.number)) and value != 0
        if known and 0 <= power < len(coefficients):
            coefficients[len(coefficients) - 1 - power] = value
        else:
            extend(self, power, value)

    def get(self, stream=None, order="C", out=None):
        """A polynomial of NumPy's."""
        return np.poly1d(self.coeffs.get(stream, order, out), variable=self.variable)

    def set(self, polyin, stream=None):
        """Takes the coefficients and the variable of a polynomial of NumPy's."""
        if not isinstance(polyin, np.poly1d):
            raise TypeError("only np.poly1d can be set to a polynomial")
        self._variable = polyin.variable
        self.coeffs.set(polyin.coeffs, stream)

    def __cupy_get_ndarray__(self):
        return self.coeffs

    cls._coeffs = property(_trimmed, _set_coefficients)
    cls.__getitem__ = _coefficient
    for each in (__init__, __setitem__, get, set, __cupy_get_ndarray__):
        setattr(cls, each.__name__, each)


_OLD = frozenset(
    "poly1d poly roots polyadd polysub polymul polydiv polyint polyder polyval".split()
)


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
