"""How well the types of a kernel's arguments suit its signatures."""

from __future__ import annotations

import numpy as np

from numjit.types.arrays import Array
from numjit.types.misc import CPointer
from numjit.types.scalars import Boolean, Float, Integer


def is_array(type_):
    return hasattr(type_, "layout") and hasattr(type_, "dtype")


def distance(given, declared):
    """How a signature converts arguments: how many to what cannot hold all of their values, to
    another class of numbers, to more bits; None if it does not take them."""
    if len(given) != len(declared):
        return None
    unsafe = other = wider = 0
    for have, want in zip(given, declared):
        if have == want:
            continue
        if is_array(have) and is_array(want):
            if have.dtype != want.dtype or have.ndim != want.ndim:
                return None
            if want.layout != "A" and have.layout != want.layout and have.ndim > 1:
                return None
            continue
        if _is_pointer(want) and _is_integer(have):
            continue
        if is_array(have) or is_array(want) or not _is_real(have) or not _is_real(want):
            return None
        if not np.can_cast(str(have), str(want)):
            unsafe += 1
        elif type(have) is not type(want):
            other += 1
        else:
            wider += 1
    return unsafe, other, wider


def signed_as(given, declared):
    """Types of arguments for a kernel of one signature: it takes an array of integers for one of
    integers of the other sign, as Numba does."""
    if len(given) != len(declared):
        return given
    return tuple(
        Array(want.dtype, have.ndim, have.layout, not have.mutable, aligned=have.aligned)
        if is_array(have) and is_array(want) and _differ_in_sign(have.dtype, want.dtype)
        else have
        for have, want in zip(given, declared)
    )


def viewed_as(value, want):
    """The array of the host that signed_as() takes as an array of that type."""
    if not isinstance(value, np.ndarray) or not is_array(want) or not _is_integer(want.dtype):
        return value
    return value.view(str(want.dtype)) if value.dtype.kind in "iu" else value


def _differ_in_sign(one, other):
    integers = _is_integer(one) and _is_integer(other)
    return integers and one.bitwidth == other.bitwidth and one.signed != other.signed


def _is_pointer(type_):
    return isinstance(type_, CPointer)


def _is_integer(type_):
    return isinstance(type_, Integer)


def _is_real(type_):
    return isinstance(type_, (Boolean, Float, Integer))
