"""Between NumPy's dtypes and types, and arrays at pointers: Numba's `np.numpy_support`."""

import numpy

from numjit import _core, types
from numjit.errors import NumbaNotImplementedError
from numjit.special import carray, farray
from numjit.types import from_dtype

__all__ = [
    "as_dtype",
    "as_struct_dtype",
    "carray",
    "farray",
    "from_dtype",
    "is_array",
    "map_arrayscalar_type",
    "map_layout",
    "numpy_version",
]

#: NumPy's version as (major, minor).
numpy_version = tuple(int(part) for part in numpy.__version__.split(".")[:2])


def as_dtype(nbtype):
    """The NumPy dtype of a type."""
    if isinstance(nbtype, types.Literal):
        nbtype = types.unliteral(nbtype)
    if isinstance(nbtype, types.EnumMember):
        return as_dtype(nbtype.dtype)
    if isinstance(nbtype, types.Number | types.Boolean):
        return numpy.dtype(nbtype.name)
    if isinstance(nbtype, types.CharSeq):
        kind = "U" if isinstance(nbtype, types.UnicodeCharSeq) else "S"
        return numpy.dtype(f"{kind}{nbtype.count}")
    if isinstance(nbtype, types.NPDatetime | types.NPTimedelta | types.Record | types.NestedArray):
        return _core.item_dtype(nbtype._handle)
    raise NumbaNotImplementedError(f"{nbtype!r} cannot be represented as a NumPy dtype")


def as_struct_dtype(rec):
    """The NumPy dtype of a record type."""
    return as_dtype(rec)


def is_array(value):
    """Whether a value is an array."""
    return isinstance(value, numpy.ndarray)


def map_layout(value):
    """The layout of an array: "C", "F" or "A"."""
    return "C" if value.flags.c_contiguous else "F" if value.flags.f_contiguous else "A"


def map_arrayscalar_type(value):
    """The type of a NumPy scalar."""
    if isinstance(value, numpy.generic):
        return from_dtype(value.dtype)
    raise NotImplementedError(f"unsupported NumPy scalar: {type(value)}")
