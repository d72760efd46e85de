"""SciPy's modules that are written in Python, over device arrays.

As numpy_code.py does for single functions of NumPy, whole modules of SciPy run here a second time,
with other imports: NumPy is this package, a compiled module of SciPy is what `natives` has for it,
and a compiled function without a replacement works on the host, with copies there and back. So
the rules of SciPy (formats, dtypes, errors) hold, and none is written a second time.
"""

from __future__ import annotations

import builtins
import functools
import importlib
import importlib.machinery
import importlib.util
import sys
import threading
import types

import numpy as np

from numjit.cupy.numpy_code import Facade, _own_names, replaced

from .hosts import (  # noqa: F401
    from_host,
    in_numpy_code,
    on_copies,
    on_host,
    to_device,
    to_host,
)
from .natives import numpy_names

__path__: list = []  # `numjit.cupyx.code.scipy...`: see compat/cupyx_paths.py

#: Modules of SciPy -> modules of this package that take their place.
_OWN = {
    "scipy.sparse._sparsetools": "numjit.cupyx.natives.sparsetools",
    "scipy.fft._duccfft.pyduccfft": "numjit.cupyx.natives.cosines",
    "scipy.fft._pocketfft.pypocketfft": "numjit.cupyx.natives.cosines",  # before SciPy 1.18
    "scipy.ndimage._nd_image": "numjit.cupyx.natives.nd_image",
    "scipy.ndimage._rank_filter_1d": "numjit.cupyx.natives.rank_1d",
    "scipy.signal._sigtools": "numjit.cupyx.natives.sigtools",
    "scipy.signal._sosfilt": "numjit.cupyx.natives.sigtools",
    "scipy.signal._upfirdn_apply": "numjit.cupyx.natives.sigtools",
    "scipy._lib._array_api_override": "numjit.cupyx.natives.array_api",
    "scipy._external.array_api_compat": "numjit.cupyx.natives.array_api",
    "scipy._external.array_api_compat.common._helpers": "numjit.cupyx.natives.array_api",
    "scipy._external.array_api_extra": "numjit.cupyx.natives.array_api_extra",
}
#: Packages of SciPy that this package has itself: what code asks of them is asked of it.
_PACKAGES = {
    f"scipy.{name}": f"numjit.cupyx.scipy.{name}"
    for name in (
        "fft linalg ndimage signal signal.windows special interpolate spatial stats "
        "optimize".split()
    )
}
_PACKAGES["scipy.signal._ltisys"] = _PACKAGES["scipy.signal"]
#: Packages of SciPy -> what changes a few names of their modules.
_CHANGED = {"scipy.sparse": "numjit.cupyx.natives.sparse_changes"}
#: What imports of device arrays' code find unchanged.
_UNCHANGED = ("scipy._lib._docscrape", "scipy._lib.doccer", "scipy._lib._testutils",
              "scipy._lib.deprecation", "scipy._lib._ccallback", "scipy.fft._helper",
              "scipy._lib._threadsafety", "scipy.version", "scipy._external.",
              "scipy.linalg.")  # fmt: skip

_clones: dict = {}
_lock = threading.RLock()


def module(name):
    """SciPy's module over device arrays."""
    found = _clones.get(name)
    if found is None:
        with _lock:
            found = _clones.get(name) or _load(name)
    return found


def _load(name):
    if name == "scipy":
        found = _clones[name] = _Root("numjit.cupyx.code.scipy")
        return found
    if name == "scipy._external.array_api_compat.numpy":
        found = _clones[name] = _Names("numpy")
        return found
    place = _OWN.get(name) or _PACKAGES.get(name)
    if place is not None:
        found = importlib.import_module(place)
        if name in _OWN:
            found = _Compiled(importlib.import_module(name), found)
    elif name.startswith(_UNCHANGED):
        found = importlib.import_module(name)
    else:
        spec = _spec(name)
        if spec is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        if isinstance(spec.loader, importlib.machinery.ExtensionFileLoader):
            found = _Compiled(importlib.import_module(name), None)
        else:
            return _executed(name, spec)
    _keep(name, found)
    return found


def _keep(name, found):
    """Notes a module, as an attribute of its package, too."""
    _clones[name] = found
    parent, _, leaf = name.rpartition(".")
    public = parent in _PACKAGES and not leaf.startswith("_")  # the package has its own
    if isinstance(_clones.get(parent), types.ModuleType) and not public:
        setattr(_clones[parent], leaf, found)


def _spec(name):
    """Where a module lies; None if there is none."""
    try:
        return importlib.util.find_spec(name)
    except ModuleNotFoundError:
        return None


def _executed(name, spec):
    """A module of Python, run with other imports."""
    made = types.ModuleType(f"numjit.cupyx.code.{name}")
    made.__package__ = name if spec.submodule_search_locations else name.rpartition(".")[0]
    made.__file__ = spec.origin
    made.__builtins__ = {**vars(builtins), "__import__": _import}
    made.__dict__["__name__"] = made.__name__
    made.__path__ = []  # see compat/cupyx_paths.py
    _keep(name, made)
    try:
        exec(spec.loader.get_code(name), made.__dict__)
        _changed(name, made)
    except BaseException:
        del _clones[name]
        raise
    return made


def _changed(name, made):
    """Lets a module of this package change some names of a module of SciPy."""
    place = _CHANGED.get(".".join(name.split(".")[:2]))
    if place is not None:
        importlib.import_module(place).change(name, made)


class _Root(types.ModuleType):
    """`scipy`."""

    __path__: list = []  # see compat/cupyx_paths.py

    def __getattr__(self, name):
        if name[:2] == "__":
            raise AttributeError(name)
        return module(f"scipy.{name}")


class _Compiled:
    """A compiled module: what this package has of it, else its functions over copies."""

    def __init__(self, real, own):
        self._real, self._own = real, own

    def __getattr__(self, name):
        value = getattr(self._own, name, None) if self._own is not None else None
        if value is None:
            value = getattr(self._real, name)
            if callable(value) and not isinstance(value, type):
                value = on_copies(value)
        setattr(self, name, value)
        return value


def _import(name, globals=None, locals=None, fromlist=(), level=0):
    if level:
        name = importlib.util.resolve_name("." * level + name, globals["__package__"])
    root = name.partition(".")[0]
    if root == "numpy":
        importlib.import_module(name)
        return _Names(name if fromlist else "numpy")
    if root != "scipy":
        return builtins.__import__(name, globals, locals, fromlist)
    if not fromlist:
        parts = name.split(".")
        for count in range(2, len(parts) + 1):
            inner = ".".join(parts[:count])
            _keep(inner, module(inner))
        return module("scipy")
    if "*" in fromlist:
        return module(name)
    found = types.SimpleNamespace()
    for each in fromlist:
        setattr(found, each, _imported(name, each))
    return found


def _imported(name, each):
    """The objects that `from name import each` binds."""
    inside = f"{name}.{each}"
    if inside in _clones or inside in _OWN or inside in _PACKAGES:
        return module(inside)
    if name in _clones and each in getattr(_clones[name], "__dict__", {}):
        return getattr(_clones[name], each)
    own = name in _OWN or (name in _PACKAGES and not each.startswith("_"))
    if not own and _spec(inside) is not None:
        return module(inside)
    if name == "scipy":
        return module(inside)
    return getattr(module(name), each)


@functools.cache
class _Names(Facade):
    """numpy in such a module."""

    def __init__(self, name):
        super().__init__(sys.modules[name])
        self.__own = _own_names(name)

    def __getattr__(self, name):
        if name == "__name__":
            return self._module.__name__
        if name.startswith("__"):
            raise AttributeError(name)
        value = getattr(self._module, name)
        if isinstance(value, types.ModuleType) and value.__name__.startswith("numpy."):
            value = _Names(value.__name__)
        elif hasattr(numpy_names, name) and getattr(np, name, None) is value:
            value = getattr(numpy_names, name)
        else:
            value = replaced(value, name)
        setattr(self, name, value)
        return value
