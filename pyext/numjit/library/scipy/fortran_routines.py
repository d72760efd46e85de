"""`scipy.linalg.get_lapack_funcs` and the like: routines and dtypes are found while compiling."""

import functools
import importlib

import numpy as np

from numjit import types
from numjit.errors import TypingError
from numjit.extending import overload
from numjit.np.numpy_support import as_dtype

from ..core.registry import function


def _known_names(kind):
    """The names of routines: a string, or a tuple of them, that is written down."""
    if isinstance(kind, types.StringLiteral):
        return kind.literal_value
    if isinstance(kind, types.BaseTuple):
        return tuple(map(_known_names, kind.types))
    if isinstance(kind, types.List) and kind.initial_value:
        return tuple(kind.initial_value)
    raise TypingError("names of routines must be known at compile time")


def _dtypes(arrays):
    """An array of each type."""
    kinds = getattr(arrays, "types", (arrays,) if isinstance(arrays, types.Array) else ())
    return [np.empty((1,) * kind.ndim, as_dtype(kind.dtype)) for kind in kinds]


def _known(kind, otherwise):
    if isinstance(kind, types.Literal):
        return kind.literal_value
    if isinstance(kind, types.DType | types.NumberClass):
        return as_dtype(kind.dtype)
    return otherwise


@functools.cache
def _returning(found):
    def routines(names, arrays, dtype, ilp64):
        return found

    return routines


def _register(module, name):
    def typed(names, arrays, dtype, ilp64):
        """A function of the same arguments; `overload` asks for it."""

    typed.__qualname__ = f"routines.{name}"

    @overload(typed, prefer_literal=True)
    def implementation(names, arrays, dtype, ilp64):
        find = getattr(importlib.import_module(module), name)
        found = find(
            _known_names(names), _dtypes(arrays), _known(dtype, None), _known(ilp64, "preferred")
        )
        return _returning(tuple(found) if isinstance(found, list) else found)

    @function(f"{module}.{name}", listed=False)
    def routines(names, arrays=(), dtype=None, ilp64="preferred"):
        return typed(names, arrays, dtype, ilp64)


def _best_type(arrays, dtype):
    """A function of the same arguments; `overload` asks for it."""


_BLAS = "scipy.linalg.blas"


@overload(_best_type, prefer_literal=True)
def _implementation(arrays, dtype):
    find = importlib.import_module(_BLAS).find_best_blas_type
    known, made = _known(dtype, None), _dtypes(arrays)
    prefix, best, _ = find(made, known)
    leading = next((i for i, x in enumerate(made) if find((x,))[0] == prefix), 0)
    return _giving(prefix, best, leading if made else None)


@functools.cache
def _giving(prefix, found, leading):
    def best(arrays, dtype):
        if leading is None:
            return prefix, found, False
        else:
            return prefix, found, arrays[leading].flags.f_contiguous

    return best


@function(f"{_BLAS}.find_best_blas_type", listed=False)
def find_best_blas_type(arrays=(), dtype=None):
    return _best_type(arrays, dtype)


_register("scipy.linalg.lapack", "get_lapack_funcs")
_register(_BLAS, "get_blas_funcs")
