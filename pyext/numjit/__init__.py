"""numjit: a just-in-time compiler for numeric Python, under Numba's names.

    from numjit import njit

    @njit
    def total(values):
        result = 0.0
        for value in values:
            result += value
        return result

Importing this loads what `@njit` needs; other modules are imported at their first use.
"""

import sys

from numjit import config as config
from numjit import library as library
from numjit.decorators import jit, jit_module, njit
from numjit.special import (
    carray,
    farray,
    get_num_threads,
    get_parallel_chunksize,
    get_thread_id,
    literal_unroll,
    literally,
    parallel_chunksize,
    prange,
    set_num_threads,
    set_parallel_chunksize,
    threading_layer,
)

_SUBMODULES = frozenset(
    "core cpython cuda dump errors experimental extending misc np parfors pycc signatures stencils "
    "typed types".split()
)
_FROM_MODULES = {
    "from_dtype": "types",
    "typeof": "types",
    "timings": "timing",
    "Signature": "signatures",
    "cfunc": "callbacks",
    "DUFunc": "ufuncs",
    "GUFunc": "ufuncs",
    "guvectorize": "ufuncs",
    "objmode": "with_objmode",
    "ProgressBar": "progress",
    "ProgressBarType": "progress",
    "stencil": "stencils",
    "vectorize": "ufuncs",
    "jitclass": "experimental",
    "gdb": "debugging",
    "gdb_breakpoint": "debugging",
    "gdb_init": "debugging",
}
# Hooks of programs that import the package.
_HOOKS = {"load_ipython_extension": "notebook", "unload_ipython_extension": "notebook"}
_TYPE_NAMES = (
    "boolean bool_ b1 int8 i1 char int16 i2 short int32 i4 intc int64 i8 int_ intp long_ longlong "
    "ssize_t uint8 u1 byte uchar uint16 u2 ushort uint32 u4 uintc uint64 u8 uint uintp ulong "
    "ulonglong size_t float16 f2 bfloat16 float32 f4 float64 f8 double complex64 c8 complex128 c16 "
    "void none optional deferred_type pyobject ffi ffi_forced_object"
).split()
_FROM_MODULES.update(dict.fromkeys(_TYPE_NAMES, "types"))

__all__ = [
    "jit",
    "jit_module",
    "njit",
    "prange",
    "literal_unroll",
    "literally",
    "carray",
    "farray",
    "get_num_threads",
    "get_parallel_chunksize",
    "get_thread_id",
    "parallel_chunksize",
    "set_num_threads",
    "set_parallel_chunksize",
    "threading_layer",
    *_FROM_MODULES,
    "pndindex",
    "config",
    "errors",
    "extending",
    "types",
]
# `from numjit import *` brings the classes of errors, too; __getattr__ imports them when asked.
_public = __all__
del __all__


class _NumbaPaths:
    """Finds modules under Numba's paths, see numba_paths.py."""

    package = sys.modules[__name__]  # by whatever name it is found, and whatever has its name
    roots = frozenset(
        (
            "_helperlib core cpython cuda experimental misc np parfors pycc runtime stencils typed "
            "types typing"
        ).split()
    )

    #: Names that packages of ours may stand under: the module that decides, and what it is here.
    stand_ins = {
        "numba": ("numba", "numjit"),
        "cupy": ("cupy", "numjit.cupy"),
        "cupyx": ("cupy", "numjit.cupyx"),
        "cupy_backends": ("cupy", "numjit.cupy_backends"),
        "pycuda": ("pycuda", "numjit.pycuda"),
    }

    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        top = fullname.partition(".")[0]
        if top in cls.stand_ins:
            name, own = cls.stand_ins[top]
            package = cls.package if name == "numba" else sys.modules.get(f"numjit.{name}")
            if package is None or sys.modules.get(name) is not package:
                return None
            from numjit.compat.numba_paths import alias_of

            return alias_of(fullname, own + fullname[len(top) :])
        if fullname[:13] == "numjit.cupyx." and ("._" in fullname or fullname[13:18] == "code."):
            from numjit.compat.cupyx_paths import find_spec

            return find_spec(fullname)
        if fullname[:7] != "numjit." or fullname[7:].partition(".")[0] not in cls.roots:
            return None
        from numjit.compat.numba_paths import find_spec

        return find_spec(fullname)


class _CupyPaths:
    """Finds modules under CuPy's paths, see cupy_paths.py; those that have a file are found before
    this is asked."""

    @staticmethod
    def find_spec(fullname, path=None, target=None):
        if fullname[:11] != "numjit.cupy":
            return None
        from numjit.compat.numba_paths import find_spec

        return find_spec(fullname)


sys.meta_path.append(_CupyPaths)
# In front: `core.types` is the package `types`, whose files must not be loaded a second time.
sys.meta_path.insert(0, _NumbaPaths)


def __getattr__(name):
    import importlib

    if name in _SUBMODULES:
        value = importlib.import_module(f"numjit.{name}")
    elif name in _FROM_MODULES or name in _HOOKS:
        module = _FROM_MODULES.get(name) or _HOOKS[name]
        value = getattr(importlib.import_module(f"numjit.{module}"), name)
    elif name == "__all__":
        value = [*_public, *importlib.import_module("numjit.errors").__all__]
    elif name == "__version__":
        return importlib.import_module("numjit.versions").version()
    elif name == "version_info":
        return importlib.import_module("numjit.versions").version_info()
    elif name == "bool":
        from numjit.types import boolean as value
    elif name == "pndindex":
        from numpy import ndindex as value
    elif name[:1] != "_" and hasattr(errors := importlib.import_module("numjit.errors"), name):
        value = getattr(errors, name)  # numba.TypingError and the like
    else:
        raise AttributeError(f"module 'numjit' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_public, "__version__"})
