"""NumPy's functions that are written in Python, over device arrays.

Much of NumPy is Python that calls a few dozen functions and methods of arrays: `np.roll`,
`np.percentile`, `np.cov`, `np.linalg.norm`, ... Such a function runs here with other globals: what
this package has takes the place of what NumPy has, everything else stays. So the rules of those
functions (dtypes, shapes, errors) are NumPy's, and none is written a second time.
"""

from __future__ import annotations

import builtins
import functools
import importlib
import types

import numpy as np

import numjit.cupy

from . import creation, upcalls
from .creation import array, asarray, has_device_array
from .interchange import asnumpy
from .manipulation import as_strided, where
from .ndarrays import ndarray
from .picking import take_along_axis
from .sorting import sort
from .ufuncs import numpy_calls, wrapped


class _Globals(dict):
    """The globals of a module of NumPy, replaced when they are first read."""

    def __init__(self, module, own):
        super().__init__(__builtins__=builtins, __name__=module.__name__)
        self._module, self._own = module, own

    def __missing__(self, name):
        value = self._own.get(name)
        if value is None:
            value = replaced(vars(self._module)[name], name)
        self[name] = value
        return value


class Facade:
    """This package with a module of NumPy behind it."""

    def __init__(self, module):
        self._module = module

    def __getattr__(self, name):
        value = replaced(getattr(self._module, name), name)
        setattr(self, name, value)
        return value


@functools.cache
def _facade(name):
    return Facade(importlib.import_module(name))


@functools.cache
def _globals(name):
    return _Globals(importlib.import_module(name), _own_names(name))


def _own_names(module):
    """What takes the place of compiled helpers of NumPy's modules."""
    if module == "numpy.linalg._linalg":
        return {"_umath_linalg": upcalls.linalg_functions, "_makearray": _make_array}
    if module == "numpy.fft._pocketfft":
        return {"pfu": upcalls.fft_functions}
    if module == "numpy.lib._nanfunctions_impl":
        return {"_nanmedian_small": _nanmedian}
    return {"_array_converter": _Converter}


def _nanmedian(a, axis, out, overwrite_input):
    """The median of what is not NaN along an axis: sorted, NaN is behind all others."""
    rows = sort(a if a.dtype.kind != "b" else a.astype(float), axis)
    count = (a == a).sum(axis, keepdims=True)
    low, high = ((count - 1) // 2).clip(0), count // 2
    found = (take_along_axis(rows, low, axis) + take_along_axis(rows, high, axis)) / 2
    found = where(count > 0, found, np.nan).astype(found.dtype).squeeze(axis)
    if out is None:
        return asarray(found)
    out[...] = found
    return out


def _make_array(a):
    return asarray(a), lambda array: array


class _Converter:
    """NumPy's helper that makes arrays of arguments."""

    def __init__(self, *values):
        self._values = values
        self.scalar_input = tuple(np.isscalar(each) for each in values)
        self._arrays = [asarray(each) for each in values]

    def __len__(self):
        return len(self._arrays)

    def __getitem__(self, at):
        return self._arrays[at] if isinstance(at, int) else tuple(self._arrays[at])

    def as_arrays(self, subok=True, pyscalars="convert_if_no_array"):
        return tuple(self._arrays)

    def result_type(self, extra_dtype=None, ensure_inexact=False):
        given = [
            value if type(value) in (int, float, complex) else array.dtype
            for value, array in zip(self._values, self._arrays)
        ]
        dtype = np.result_type(*given, *([] if extra_dtype is None else [extra_dtype]))
        if ensure_inexact and dtype.kind not in "fc":
            dtype = np.result_type(dtype, np.float64)
        return dtype

    def wrap(self, array, to_scalar=None):
        return array


class _Ufunc:
    """A ufunc in NumPy's code, where arrays of the host meet device arrays."""

    def __init__(self, function):
        self._host, self._device = function, wrapped(function)

    def __call__(self, *args, **keywords):
        given = (*args, *keywords.values())
        if not any(isinstance(each, ndarray) for each in given):
            return self._host(*args, **keywords)
        if isinstance(keywords.get("out"), np.ndarray):
            keywords = {key: asnumpy(each) if isinstance(each, ndarray) else each
                        for key, each in keywords.items()}  # fmt: skip
            return self._host(*map(asnumpy, args), **keywords)
        args = [asarray(each) if isinstance(each, (np.ndarray, list, tuple)) else each
                for each in args]  # fmt: skip
        return self._device(*args, **keywords)

    def __getattr__(self, name):
        return getattr(self._device, name)


_lenient = functools.cache(_Ufunc)

#: Small things, such as widths and fractions, stay on the host until they meet a device array.
_CONVERSIONS = frozenset("asarray asanyarray array ascontiguousarray".split())


@functools.cache
def _conversion(name):
    def convert(a, *args, **keywords):
        a = creation.of_protocol(a)
        on_device = isinstance(a, ndarray) or (
            isinstance(a, (list, tuple)) and creation.has_device_array(a)
        )
        function = getattr(creation if on_device else np, name)
        return function(a, *args, **keywords)

    return convert


def replaced(value, name):
    """What stands for a value of NumPy's code."""
    if isinstance(value, types.ModuleType):
        return _facade(value.__name__) if value.__name__.split(".")[0] == "numpy" else value
    if isinstance(value, np.ufunc):
        if value.signature is None:
            return _lenient(value)
        return numjit.cupy.own(value.__name__) or value
    if value is np.ndarray:
        return numjit.cupy.ndarray
    if value is np.broadcast:
        return numjit.cupy.broadcast
    if _is_function(value):
        public = getattr(value, "__name__", name)
        compiled = isinstance(value, types.BuiltinFunctionType)
        if public in _CONVERSIONS:
            return _conversion(public)
        if public == "array_function_dispatch":
            return _not_dispatched
        if public == "as_strided":
            return as_strided
        if compiled or getattr(np, public, None) is value or value.__module__ == "numpy":
            found = numjit.cupy.own(public)
            if found is not None:
                return found if public in _CREATION else _either(found, value)
        found = _native(value)
        if found is not None:
            return found
        if hasattr(value, "_implementation"):
            value = value._implementation
        if isinstance(value, types.FunctionType) and _of_numpy(value):
            return rebound(value)
    if type(value) is dict and any(isinstance(each, dict | types.FunctionType) for each in
                                   value.values()):  # fmt: skip
        return {key: replaced(each, key) for key, each in value.items()}
    return value


def _not_dispatched(*ignored, **keywords):
    """NumPy's decorator that asks arrays for their own functions: here none is asked."""
    return lambda function: function


_CREATION = frozenset("zeros ones empty full arange".split())


@functools.cache
def _either(on_device, on_host):
    """A function of this package, or NumPy's where no argument is a device array."""

    def function(*args, **keywords):
        chosen = on_device if _on_a_device(args, keywords) else on_host
        return chosen(*args, **keywords)

    return function


def _on_a_device(args, keywords):
    return has_device_array(args) or (keywords and has_device_array(tuple(keywords.values())))


def _is_function(value):
    return isinstance(value, types.FunctionType | types.BuiltinFunctionType) or hasattr(
        value, "_implementation"
    )


def _of_numpy(function):
    name = function.__globals__.get("__name__", "")
    return name.startswith("numpy.") and "testing" not in name


def _native(function):
    """What this package has for a function of numpy.linalg or numpy.fft."""
    place = {"numpy.linalg": "linalg", "numpy.fft": "fft"}.get(getattr(function, "__module__", ""))
    if place is None:
        return None
    module = importlib.import_module(f"numjit.cupy.{place}")
    return module.own(function.__name__)


@functools.cache
def rebound(function):
    """A function of NumPy's with this package's names."""
    made = types.FunctionType(
        function.__code__,
        _globals(function.__globals__["__name__"]),
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__doc__, made.__module__ = function.__doc__, "cupy"
    return made


def from_numpy(value):
    """A public function of NumPy over device arrays; None if it is not written in Python."""
    inner = getattr(value, "_implementation", value)
    if not isinstance(inner, types.FunctionType) or not _of_numpy(inner):
        return None
    inside = rebound(inner)

    @functools.wraps(inner)
    def function(*args, **keywords):
        with numpy_calls:
            return _on_device(inside(*args, **keywords))

    function.__module__ = "cupy"
    return function


def _on_device(value):
    """A result, whose arrays of the host become device arrays."""
    if type(value) is np.ndarray and value.dtype.kind in "biufc":
        return array(value)
    if type(value) in (tuple, list):
        return type(value)(map(_on_device, value))
    return value


def device_function(function):
    """What a function of NumPy means for device arrays; None if it is not there."""
    module, name = getattr(function, "__module__", ""), function.__name__
    for place in ("linalg", "fft"):
        if module == f"numpy.{place}":
            return getattr(importlib.import_module(f"numjit.cupy.{place}"), name, None)
    if getattr(np, name, None) is function:
        return getattr(numjit.cupy, name, None)
    return from_numpy(function)
