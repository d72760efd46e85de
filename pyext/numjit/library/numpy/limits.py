"""What types hold: np.iinfo and np.finfo, as named tuples; np.isscalar, np.iscomplexobj."""

from collections import namedtuple

import numpy as np

from ..core.intrinsics import is_scalar, is_text, promote
from ..core.registry import function

IntegerLimits = namedtuple("iinfo", "min max bits kind")
_FLOAT_FIELDS = "bits eps epsneg max min tiny smallest_normal smallest_subnormal resolution"
_FLOAT_COUNTS = "precision nmant nexp iexp machep maxexp minexp negep"
FloatLimits = namedtuple("finfo", _FLOAT_FIELDS + " " + _FLOAT_COUNTS)


def float_limits(dtype):
    info = np.finfo(dtype)
    scalars = [getattr(info, name) for name in _FLOAT_FIELDS.split()]
    counts = [int(getattr(info, name)) for name in _FLOAT_COUNTS.split() if hasattr(info, name)]
    return FloatLimits(int(scalars[0]), *scalars[1:], *counts)


_HALF, _SINGLE, _DOUBLE = (float_limits(dtype) for dtype in (np.float16, np.float32, np.float64))


@function("numpy.iinfo")
def iinfo(int_type: "dtype"):
    kind = promote(int_type)
    if kind == np.uint64:
        return IntegerLimits(0, 18446744073709551615, 64, "u")
    elif kind.kind == "u":
        bits = 8 * kind.itemsize
        return IntegerLimits(0, (1 << bits) - 1, bits, "u")
    elif kind.kind == "i":
        bits = 8 * kind.itemsize
        largest = (1 << (bits - 2)) - 1 + (1 << (bits - 2))
        return IntegerLimits(-largest - 1, largest, bits, "i")
    else:
        raise ValueError("Invalid integer data type.")


@function("numpy.finfo")
def finfo(dtype: "dtype"):
    kind = promote(dtype)
    if kind == np.float32 or kind == np.complex64:
        return _SINGLE
    elif kind == np.float16:
        return _HALF
    else:
        if kind.kind != "f" and kind.kind != "c":
            raise ValueError("data type is not inexact")
        return _DOUBLE


@function("numpy.isscalar")
def isscalar(element: "array"):
    return (
        is_scalar(element)
        or is_text(element)
        or isinstance(element, (bytes, np.datetime64, np.timedelta64))
    )


@function("numpy.iscomplexobj")
def iscomplexobj(x: "array"):
    if x is None:
        return False
    elif is_text(x) or isinstance(x, bytes):
        return False
    else:
        return promote(x).kind == "c"


@function("numpy.isrealobj")
def isrealobj(x: "array"):
    return not iscomplexobj(x)
