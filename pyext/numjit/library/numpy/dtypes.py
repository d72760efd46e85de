"""Questions about dtypes, which are answered while a program is compiled."""

import numpy as np

from ..core.axes import rank
from ..core.intrinsics import is_scalar, promote, refuse
from ..core.registry import function


def dtype_of(x):
    if is_scalar(x) or isinstance(x, np.ndarray):
        return promote(x)
    else:
        return np.dtype(x)


@function("numpy.promote_types")
def promote_types(type1, type2):
    return promote(np.dtype(type1), np.dtype(type2))


@function("numpy.can_cast")
def can_cast(from_, to, casting="safe"):
    source, target = dtype_of(from_), np.dtype(to)
    if casting == "unsafe":
        return True
    elif casting == "same_kind":
        return rank(source) <= rank(target)
    elif casting == "safe":
        return promote(source, target) == target
    else:
        if casting != "no" and casting != "equiv":
            raise ValueError("casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe'")
        return source == target


@function("numpy.issubdtype")
def issubdtype(arg1, arg2):
    kind = np.dtype(arg1).kind
    if arg2 is np.generic:
        return True
    elif arg2 is np.number:
        return kind in "iufc"
    elif arg2 is np.integer:
        return kind in "iu"
    elif arg2 is np.signedinteger:
        return kind == "i"
    elif arg2 is np.unsignedinteger:
        return kind == "u"
    elif arg2 is np.inexact:
        return kind in "fc"
    elif arg2 is np.floating:
        return kind == "f"
    elif arg2 is np.complexfloating:
        return kind == "c"
    else:
        return np.dtype(arg1) == np.dtype(arg2)


@function("numpy.isdtype")
def isdtype(dtype, kind):
    if isinstance(kind, tuple):
        found = False
        for each in kind:
            if isdtype(dtype, each):
                found = True
        return found
    elif isinstance(kind, str):
        own = np.dtype(dtype).kind
        if kind == "bool":
            return own == "b"
        elif kind == "signed integer":
            return own == "i"
        elif kind == "unsigned integer":
            return own == "u"
        elif kind == "integral":
            return own in "iu"
        elif kind == "real floating":
            return own == "f"
        elif kind == "complex floating":
            return own == "c"
        elif kind == "numeric":
            return own in "iufc"
        else:
            raise ValueError(f"kind argument is a string, but {kind!r} is not a known kind name.")
    else:
        return np.dtype(dtype) == np.dtype(kind)


@function("numpy.common_type")
def common_type(*arrays):
    kind = promote(common_kind(arrays))
    return kind.type


def common_kind(arrays):
    own = promote(arrays[0])
    if own.kind == "b":
        return refuse("can't get common type for non-numeric array")
    else:
        kind = own if own.kind == "f" or own.kind == "c" else promote(np.float64)
        return kind if len(arrays) == 1 else promote(kind, common_kind(arrays[1:]))


@function("DType.__str__")
def dtype_str(self):
    if self.names is not None:
        return refuse("str() of the dtype of records")
    elif self.kind == "U" or self.kind == "S":
        return self.str
    else:
        return self.name


@function("DType.__repr__")
def dtype_repr(self):
    if self.kind == "S":
        return "dtype('" + self.str[1:] + "')"
    else:
        return "dtype('" + (self.str if self.kind in "mM" else str(self)) + "')"


@function("DType.newbyteorder")
def newbyteorder(self, new_order="S"):
    if new_order in ("=", "N", "native", "|", "I", "ignore", "<", "L", "little"):
        return self
    else:
        return refuse("arrays of foreign byte order do not exist in compiled code")


@function("numpy.isfortran")
def isfortran(a):
    return a.flags.f_contiguous and not a.flags.c_contiguous
