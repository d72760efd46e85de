"""Atomic operations of kernels: each returns the old value."""

import numpy as np

from ..core.intrinsics import device, item_pointer, refuse
from ..core.registry import function
from .device import complex_like, element

_INTEGERS = (np.int32, np.uint32, np.int64, np.uint64, np.int8, np.uint8, np.int16, np.uint16)
_FLOATS = (np.float32, np.float64)


def is_half(ary):
    """Whether elements are floats of 16 bits, which the hardware exchanges as integers."""
    return isinstance(ary.dtype.type(0), np.floating) and ary.itemsize == 2


def is_complex(ary):
    return isinstance(ary.dtype.type(0), (np.complex64, np.complex128))


def refuse_elements(hint):
    refuse(
        "No implementation of function for an atomic operation on elements of this type",
        hint,
    )


def check_numbers(ary):
    if not isinstance(ary.dtype.type(0), (*_INTEGERS, *_FLOATS)) and not is_half(ary):
        refuse_elements("atomics work on integers and floats")


def check_words(ary):
    if not isinstance(ary.dtype.type(0), _INTEGERS):
        refuse_elements("this one works on integers")


def check_unsigned(ary):
    if not isinstance(ary.dtype.type(0), (np.uint32, np.uint64, np.uint8, np.uint16)):
        refuse_elements("this one works on unsigned integers")


def changed_half(ary, idx, val, operation):
    """Makes an element `operation(old, val)`, by exchanging its bits until nobody comes between."""
    dtype = ary.dtype
    place = element(ary.view(np.uint16), idx)
    found = device("atomic_add", place, np.uint16(0))
    while True:
        old = np.uint16(found).view(dtype)
        new = dtype.type(operation(old, dtype.type(val)))
        expected = found
        found = device("atomic_cas", place, expected, new.view(np.uint16))
        if found == expected:
            return old


def _atomic(name, row, check, on_halves=None):
    @function(f"numjit.cuda.atomic.{name}")
    def atomic(ary, idx, val):
        check(ary)
        if is_half(ary):
            return changed_half(ary, idx, val, on_halves)
        else:
            return device(row, element(ary, idx), val)


def _atomic_sum(name, row, on_halves):
    @function(f"numjit.cuda.atomic.{name}")
    def atomic(ary, idx, val):
        if is_complex(ary):
            # The parts one after the other: who reads in between sees one of them changed.
            number, parts = ary.dtype.type(val), as_parts(ary)
            where = in_tuple(idx)
            real = device(row, item_pointer(parts, (*where, 0)), number.real)
            imag = device(row, item_pointer(parts, (*where, 1)), number.imag)
            return complex_like(number, real, imag)
        else:
            check_numbers(ary)
            if is_half(ary):
                return changed_half(ary, idx, val, on_halves)
            else:
                return device(row, element(ary, idx), val)


def in_tuple(idx):
    if isinstance(idx, tuple):
        return idx
    else:
        return (idx,)


def as_parts(ary):
    """An array of complex numbers with the real and the imaginary parts as another axis."""
    part = np.zeros(1, ary.dtype).real.dtype
    return ary.reshape((*ary.shape, 1)).view(part)


def greater(old, new):
    """As the hardware's maximum: NaN where the old one is."""
    return new if new > old else old


def lesser(old, new):
    return new if new < old else old


_atomic_sum("add", "atomic_add", lambda old, new: old + new)
_atomic_sum("sub", "atomic_sub", lambda old, new: old - new)
_atomic("nanmax", "atomic_nanmax", check_numbers, np.fmax)
_atomic("nanmin", "atomic_nanmin", check_numbers, np.fmin)
_atomic("exch", "atomic_exch", check_numbers, lambda old, new: new)
_atomic("and_", "atomic_and", check_words)
_atomic("or_", "atomic_or", check_words)
_atomic("xor", "atomic_xor", check_words)
_atomic("inc", "atomic_inc", check_unsigned)
_atomic("dec", "atomic_dec", check_unsigned)


def _atomic_extremum(name, row, on_halves):
    # A NaN that is stored stays; one that comes changes nothing.
    @function(f"numjit.cuda.atomic.{name}")
    def atomic(ary, idx, val):
        check_numbers(ary)
        if is_half(ary):
            return changed_half(ary, idx, val, on_halves)
        elif isinstance(val, (float, np.float32)):
            if val != val:
                return device("atomic_add", element(ary, idx), 0)
            else:
                return device(row, element(ary, idx), val)
        else:
            return device(row, element(ary, idx), val)


_atomic_extremum("max", "atomic_max", greater)
_atomic_extremum("min", "atomic_min", lesser)


def exchanged(ary, idx, old, val):
    """Compares and swaps; floats are compared by their bits."""
    check_numbers(ary)
    dtype = ary.dtype
    if is_half(ary):
        expected, new = dtype.type(old).view(np.uint16), dtype.type(val).view(np.uint16)
        found = device("atomic_cas", element(ary.view(np.uint16), idx), expected, new)
        return np.uint16(found).view(dtype)
    else:
        return device("atomic_cas", element(ary, idx), old, val)


@function("numjit.cuda.atomic.cas")
def atomic_cas(ary, idx, old, val):
    return exchanged(ary, idx, old, val)


@function("numjit.cuda.atomic.compare_and_swap")
def atomic_compare_and_swap(ary, old, val):
    return exchanged(ary, (0,) * ary.ndim, old, val)
