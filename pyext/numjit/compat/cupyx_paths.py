"""The import paths of cupyx's private modules, for programs that name them.

`from cupyx.scipy.interpolate._bspline2 import _not_a_knot`: most of these modules are named as
SciPy's own are, and have what those have; a row of _MODULES says where the others find their names.
`numjit.cupyx.code.scipy...` are SciPy's modules over device arrays, whose classes are pickled by
that name. numjit's `__init__` installs the finder.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

import numpy

# A module below numjit.cupyx -> the modules whose names it has, the first that knows a name.
_MODULES = {
    "profiler._time": "numjit.cupyx.profiler",
    "scipy.interpolate._bspline": "scipy.interpolate._bsplines",
    "scipy.interpolate._bspline2": "scipy.interpolate._bsplines",
    "scipy.interpolate._ndbspline": (
        "numjit.cupyx.natives.interpolation scipy.interpolate._ndbspline"
    ),
    "scipy.interpolate._rbfinterp": (
        "numjit.cupyx.natives.interpolation scipy.interpolate._rbfinterp"
    ),
    "scipy.ndimage._util": "numjit.cupyx.scipy.ndimage",
    "scipy.signal._iir_filter_conversions": "scipy.signal._filter_design",
    "scipy.signal._iir_utils": "numjit.cupyx.natives.recursions",
    "scipy.signal._polyutils": "scipy.signal._signaltools",
    "scipy.stats._distributions": "numjit.cupyx.scipy.stats",
}


def _sources(name):
    """Where a module below numjit.cupyx finds its names; None if there is no such module."""
    if name in _MODULES:
        return _MODULES[name].split()
    if name[:6] != "scipy." or name.count(".") < 2:
        return None
    try:
        return [name] if importlib.util.find_spec(name) is not None else None
    except ImportError:
        return None


class _Module(ModuleType):
    """A module whose names are those of others."""

    def __getattr__(self, name):
        if name[:2] != "__":
            for source in self._sources:
                value = _value(source, name)
                if value is not None:
                    return value
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")


def _value(source, name):
    """What a module has under a name; None if nothing."""
    if source[:6] == "scipy.":
        code = importlib.import_module("numjit.cupyx.code")
        if source[:13] == "scipy.sparse.":  # its code works over device arrays
            return getattr(code.module(source), name, None)
        try:
            return _with_namespace(code.from_host(source, name))
        except AttributeError:
            return None
    return getattr(importlib.import_module(source), name, None)


def _with_namespace(value):
    """A function of SciPy that takes the array namespace as `xp`: with NumPy."""
    function = getattr(value, "__wrapped__", None)
    if "xp" not in getattr(getattr(function, "__code__", None), "co_varnames", ()):
        return value
    takes = inspect.signature(function).parameters.get("xp")
    if takes is None or takes.kind is not takes.KEYWORD_ONLY or takes.default is not takes.empty:
        return value
    return functools.partial(value, xp=numpy)


def find_spec(fullname):
    if fullname[:18] == "numjit.cupyx.code.":
        return ModuleSpec(fullname, _CodeLoader, is_package=True)
    sources = _sources(fullname.removeprefix("numjit.cupyx."))
    return None if sources is None else ModuleSpec(fullname, _Loader(sources), is_package=True)


class _Loader:
    def __init__(self, sources):
        self._sources = sources

    @staticmethod
    def create_module(spec):
        return _Module(spec.name, __doc__)

    def exec_module(self, module):
        module._sources = self._sources


class _CodeLoader:
    """A module that code.py has run, or runs now."""

    @staticmethod
    def create_module(spec):
        return _Module(spec.name)

    @staticmethod
    def exec_module(module):
        code = importlib.import_module("numjit.cupyx.code")

        sys.modules[module.__name__] = code.module(
            module.__name__.removeprefix("numjit.cupyx.code.")
        )
