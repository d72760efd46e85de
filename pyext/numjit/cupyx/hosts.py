"""SciPy's functions and classes that work on the host: what goes to them is copied there, and what
they return are device arrays."""

from __future__ import annotations

import functools
import importlib
import types

import numpy as np

from numjit.cupy import ndarray
from numjit.cupy.numpy_code import _on_device
from numjit.cupy.ufuncs import numpy_calls


def to_host(value):
    """An argument with arrays of the host."""
    if isinstance(value, ndarray):
        return value.get()
    if type(value).__name__ == "poly1d":  # numjit.cupy's
        return np.poly1d(to_host(value.coeffs))
    if type(value) in (list, tuple):
        return type(value)(map(to_host, value))
    if type(value) is dict:
        return {key: to_host(each) for key, each in value.items()}
    host = getattr(type(value), "_numjit_host", None)
    return value if host is None else host(value)


def on_copies(function):
    """A compiled function, whose array arguments may be changed by it."""

    def called(*args, **keywords):
        given = [*args, *keywords.values()]
        if not any(isinstance(each, (ndarray, list, tuple)) for each in given):
            return function(*args, **keywords)
        hosts = {id(each): each.get() for each in given if isinstance(each, ndarray)}
        before = {key: each.copy() for key, each in hosts.items()}

        def host(value):
            return hosts[id(value)] if id(value) in hosts else to_host(value)

        found = function(*map(host, args), **{key: host(v) for key, v in keywords.items()})
        for each in given:
            key = id(each)
            if key in hosts and hosts[key].tobytes() != before[key].tobytes():
                each[...] = _on_device(hosts[key])
        return _on_device(found)

    called.__name__ = getattr(function, "__name__", "function")
    if isinstance(function, np.ufunc):
        called.signature, called.nin, called.nout = function.signature, function.nin, function.nout
    return called


def on_host(function):
    """A function of SciPy that computes on the host; arrays of its results are device arrays."""

    @functools.wraps(function)
    def called(*args, out=None, **keywords):
        args = [to_host(each) for each in args]
        found = function(*args, **{key: to_host(each) for key, each in keywords.items()})
        if out is not None:
            out[...] = _on_device(np.asarray(found))
            return out
        return to_device(found)

    called.__module__ = "cupyx.scipy"
    return called


def to_device(value):
    """A result with device arrays; numbers stay numbers."""
    if type(value) in (tuple, list) and not hasattr(value, "_fields"):
        return type(value)(map(to_device, value))
    if isinstance(value, tuple):
        return type(value)(*map(to_device, value))
    if isinstance(value, dict):
        return type(value)({key: to_device(each) for key, each in value.items()})
    if type(value).__module__.startswith("scipy."):
        return _object_on_device(value)
    return _on_device(value)


def _object_on_device(value):
    """A sparse matrix of SciPy, or an object of another class."""
    if type(value).__module__.startswith("scipy.sparse.") and hasattr(value, "tocsr"):
        sparse = importlib.import_module("numjit.cupyx.scipy.sparse")
        return getattr(sparse, type(value).__name__)(value)
    return of_object(value) if is_object(value) else value


def in_numpy_code(function):
    """A public function of such a module: arrays of the host meet device arrays inside."""

    @functools.wraps(function)
    def called(*args, **keywords):
        with numpy_calls:
            return to_device(function(*args, **keywords))

    called.__module__ = "cupyx.scipy"
    return called


def from_host(package, name):
    """What a package of SciPy has under a name, over copies on the host."""
    value = None if name[:2] == "__" else getattr(importlib.import_module(package), name, None)
    if value is None or isinstance(value, types.ModuleType):
        try:  # a private module, see compat/cupyx_paths.py
            if name[:1] != "_" or name[:2] == "__":
                raise ModuleNotFoundError
            return importlib.import_module(f"numjit.cupyx.{package}.{name}")
        except ModuleNotFoundError:
            raise AttributeError(
                f"module 'numjit.cupyx.{package}' has no attribute {name!r}"
            ) from None
    if isinstance(value, type):
        return value if issubclass(value, Exception) else of_class(value)
    if is_object(value):
        return of_object(value)
    return on_host(value) if callable(value) else value


# -- objects ---------------------------------------------------------------------------------------

#: What classes may have that Python looks for in classes alone.
_SPECIAL = (
    "call len getitem iter contains add radd sub rsub mul rmul truediv rtruediv matmul rmatmul "
    "neg pow eq ne"
).split()


class _Class(type):
    """Class attributes: class methods, static methods, constants."""

    def __getattr__(cls, name):
        value = getattr(vars(cls)["_numjit_class"], name)
        return on_host(value) if callable(value) else to_device(value)


class _Object(metaclass=_Class):
    """What classes of objects of the host have."""

    _numjit_class: type = object

    def __init__(self, *args, **keywords):
        keywords = {key: to_host(each) for key, each in keywords.items()}
        made = self._numjit_class(*map(to_host, args), **keywords)
        object.__setattr__(self, "_object", made)
        if type(made) is not self._numjit_class:  # a class that chooses another one
            object.__setattr__(self, "__class__", of_class(type(made)))

    def __getattr__(self, name):
        value = getattr(object.__getattribute__(self, "_object"), name)
        if not callable(value):
            return to_device(value)
        called = on_host(value)

        @functools.wraps(called)
        def method(*args, **keywords):
            found = called(*args, **keywords)
            if type(self._object) is not self._numjit_class:  # it chose another class
                object.__setattr__(self, "__class__", of_class(type(self._object)))
            return found

        return method

    def __setattr__(self, name, value):
        setattr(self._object, name, to_host(value))

    def __repr__(self):
        return repr(self._object)

    def __reduce__(self):
        return of_object, (self._object,)

    def _numjit_host(self):
        return self._object


def _special(name):
    def called(self, *args, **keywords):
        return on_host(getattr(self._object, name))(*args, **keywords)

    called.__name__ = name
    return called


@functools.cache
def of_class(cls):
    """The class whose objects have one of SciPy's class on the host."""
    bases = tuple(of_class(each) for each in cls.__bases__ if _of_scipy(each)) or (_Object,)
    made = {"__doc__": cls.__doc__, "_numjit_class": cls, "__module__": "cupyx.scipy"}
    for each in _SPECIAL:
        name = f"__{each}__"
        if getattr(cls, name, None) is not getattr(object, name, None):
            made[name] = _special(name)
    if "__eq__" in made:
        made["__hash__"] = object.__hash__
    return _Class(cls.__name__, bases, made)


def of_object(value):
    """An object of SciPy's as one whose arrays are device arrays."""
    cls = of_class(type(value))
    made = cls.__new__(cls)
    object.__setattr__(made, "_object", value)
    return made


def _of_scipy(cls):
    return cls.__module__.startswith("scipy.")


def is_object(value):
    """Whether a result of SciPy is an object with methods of its own."""
    cls = type(value)
    return _of_scipy(cls) and not isinstance(value, (tuple, dict, BaseException, np.generic))
