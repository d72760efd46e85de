"""Operations of LLVM's IRBuilder that Python has no operator for, as functions of compiled code.

LLVM's integers have no sign; its instructions do. The types of ours have, so each function looks at
the type of its first operand and gives a value of that type back.
"""

from __future__ import annotations

import numpy as np

from numjit import types
from numjit.extending import overload
from numjit.library.core.intrinsics import bit_reverse, leading_zeros, trailing_zeros

#: Name of a builder's method -> the function.
OPERATIONS = {}


def _operation(choose):
    """Registers what chooses the code by the types of the operands."""

    def function(*args):
        raise NotImplementedError(f"{choose.__name__} is an operation of compiled code")

    overload(function, strict=False)(choose)
    OPERATIONS[choose.__name__] = function
    return function


def _unsigned(type_):
    if isinstance(type_, types.Boolean):
        return types.uint8
    return getattr(types, f"uint{type_.bitwidth}")


@_operation
def as_unsigned(a):
    unsigned = _unsigned(a)
    return lambda a: unsigned(a)


@_operation
def not_(a):
    if isinstance(a, types.Boolean):
        return lambda a: not a
    signed = a
    return lambda a: signed(~a)


@_operation
def lshr(a, b):
    signed, unsigned = a, _unsigned(a)
    return lambda a, b: signed(unsigned(a) >> unsigned(b))


@_operation
def udiv(a, b):
    signed, unsigned = a, _unsigned(a)
    return lambda a, b: signed(unsigned(a) // unsigned(b))


@_operation
def urem(a, b):
    signed, unsigned = a, _unsigned(a)
    return lambda a, b: signed(unsigned(a) % unsigned(b))


@_operation
def sdiv(a, b):
    """Rounded towards zero."""
    signed = a

    def divide(a, b):
        quotient = a // b
        return signed(quotient + (quotient < 0 and quotient * b != a))

    return divide


@_operation
def srem(a, b):
    """Of the sign of the dividend."""
    signed = a

    def remainder(a, b):
        rest = a % b
        return signed(rest - b if rest != 0 and (rest < 0) != (a < 0) else rest)

    return remainder


@_operation
def ctpop(a):
    signed, unsigned = a, _unsigned(a)
    return lambda a: signed(np.bitwise_count(unsigned(a)))


@_operation
def ctlz(a, zero_is_undefined):
    signed, unsigned = a, _unsigned(a)
    return lambda a, zero_is_undefined: signed(leading_zeros(unsigned(a)))


@_operation
def cttz(a, zero_is_undefined):
    signed, unsigned, bits = a, _unsigned(a), a.bitwidth

    def count(a, zero_is_undefined):
        return signed(bits if a == 0 else trailing_zeros(unsigned(a)))

    return count


@_operation
def bitreverse(a):
    signed, unsigned, others = a, _unsigned(a), types.uint64(64 - a.bitwidth)
    return lambda a: signed(bit_reverse(np.uint64(unsigned(a))) >> others)


@_operation
def bswap(a):
    signed, unsigned, count = a, _unsigned(a), a.bitwidth // 8

    def swap(a):
        result, rest = unsigned(0), unsigned(a)
        for _ in range(count):
            result = unsigned(unsigned(result << unsigned(8)) | unsigned(rest & unsigned(255)))
            rest = unsigned(rest >> unsigned(8))
        return signed(result)

    return swap
