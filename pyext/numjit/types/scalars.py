"""Booleans, numbers, and their literal types."""

from __future__ import annotations

import functools

import numpy

from numjit.errors import LiteralTypingError

from . import rows
from .abstract import (
    Dummy,
    Hashable,
    IterableType,
    Literal,
    Number,
    Opaque,
    SimpleIteratorType,
    Type,
)


class _Scalar(Type):
    def _make_row(self):
        return rows.scalar(self.name)

    def cast_python_value(self, value):
        return getattr(numpy, self.name)(value)


class Boolean(_Scalar, Hashable):
    """Truth values."""

    def cast_python_value(self, value):
        return bool(value)


@functools.total_ordering
class _Number(_Scalar, Number):
    """Numbers of one kind are ordered by their size."""

    bitwidth: int
    signed = True

    def __lt__(self, other):
        if not isinstance(other, type(self)) or self.signed != other.signed:
            return NotImplemented
        return self.bitwidth < other.bitwidth


class Integer(_Number):
    """Integers of 8 to 64 bits, in two's complement."""

    def __init__(self, name, bitwidth=None, signed=None):
        if signed is None:
            signed = name.startswith("int")
        if bitwidth is None:
            bitwidth = int(name.removeprefix("u").removeprefix("int"))
        self.bitwidth = bitwidth
        self.signed = signed
        super().__init__(name)

    @classmethod
    def from_bitwidth(cls, bitwidth, signed=True):
        return cls(f"{'int' if signed else 'uint'}{bitwidth}")

    @property
    def minval(self) -> int:
        return -(1 << (self.bitwidth - 1)) if self.signed else 0

    @property
    def maxval(self) -> int:
        return (1 << (self.bitwidth - self.signed)) - 1


class Float(_Number):
    """Binary floating-point numbers."""

    def __init__(self, name):
        self.bitwidth = int(name.removeprefix("b").removeprefix("float"))
        super().__init__(name)


class Complex(_Number):
    """Complex numbers; `underlying_float` is the type of both parts."""

    def __init__(self, name, underlying_float=None):
        self.bitwidth = int(name.removeprefix("complex"))
        self.underlying_float = underlying_float or Float(f"float{self.bitwidth // 2}")
        super().__init__(name)


# -- None and strings ---------------------------------------------------------------------------


class NoneType(Opaque):
    """None; also what functions without a result return."""

    def _make_row(self):
        return rows.parsed("none")

    def cast_python_value(self, value):
        if value is None:
            return None
        raise TypeError(f"{value!r} is not None")


class UnicodeType(IterableType, Hashable):
    """Strings."""

    @property
    def iterator_type(self):
        return UnicodeIteratorType(self)

    def _make_row(self):
        return rows.parsed("unicode_type")


class UnicodeIteratorType(SimpleIteratorType):
    """The iterator of a string."""

    def __init__(self, dtype):
        self.data = dtype
        super().__init__("iter_unicode", dtype)


# -- types of one value ---------------------------------------------------------------------------


class IntegerLiteral(Literal, Integer):
    """The type of one integer."""

    def __init__(self, value):
        Literal.__init__(self, value)
        self.bitwidth = self.literal_type.bitwidth
        self.signed = self.literal_type.signed

    @property
    def literal_type(self):
        return Integer("int64" if self.literal_value < 1 << 63 else "uint64")


class BooleanLiteral(Literal, Boolean):
    """The type of True, or of False."""

    @property
    def literal_type(self):
        return Boolean("bool")


@rows.of_kind("string")
class StringLiteral(Literal, Dummy):
    """The type of one string."""

    @property
    def literal_type(self):
        return UnicodeType("unicode_type")

    as_part = literal_type

    @classmethod
    def _of_row(cls, row):
        return cls(row.text)


#: The class of literals of a Python class; misc adds that of slices.
_LITERALS = {int: IntegerLiteral, bool: BooleanLiteral, str: StringLiteral}


def literal(value) -> Literal:
    """The literal type of a value; a LiteralTypingError if there is none."""
    cls = _LITERALS.get(type(value))
    if cls is None:
        raise LiteralTypingError(f"{type(value)} cannot be used as a literal")
    return cls(value)


def maybe_literal(value) -> Literal | None:
    """The literal type of a value, or None."""
    try:
        return literal(value)
    except LiteralTypingError:
        return None


boolean = Boolean("bool")
int8, int16, int32, int64 = (Integer(f"int{bits}") for bits in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (Integer(f"uint{bits}") for bits in (8, 16, 32, 64))
float16, float32, float64 = (Float(f"float{bits}") for bits in (16, 32, 64))
bfloat16 = Float("bfloat16")
complex64, complex128 = Complex("complex64"), Complex("complex128")

signed_domain = frozenset([int8, int16, int32, int64])
unsigned_domain = frozenset([uint8, uint16, uint32, uint64])
integer_domain = signed_domain | unsigned_domain
real_domain = frozenset([float32, float64])
complex_domain = frozenset([complex64, complex128])
number_domain = integer_domain | real_domain | complex_domain


@rows.of_kind("scalar")
def _scalar(row):
    return globals()["boolean" if str(row) == "bool" else str(row)]
