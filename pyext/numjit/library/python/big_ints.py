"""Operators of an int beyond 64 bits and one that is not known.

The former comes as its parts of 32 bits, the highest first, and whether it is negative.
"""

import numpy as np

from ..core.registry import function

_beyond = "the result has more than 64 bits, which compiled ints do not hold"


def magnitude(n):
    return np.uint64(-n) if n < 0 else np.uint64(n)  # -2**63 stays what it is


def divided(parts, divisor):
    """Quotient, whether that has more than 64 bits, and remainder."""
    quotient, rest = np.uint64(0), np.uint64(0)
    beyond = False
    if divisor <= np.uint64(0xFFFFFFFF):
        for part in parts:
            beyond = beyond or quotient > np.uint64(0xFFFFFFFF)
            rest = rest << np.uint64(32) | np.uint64(part)
            quotient = quotient << np.uint64(32) | rest // divisor
            rest %= divisor
        return quotient, beyond, rest
    for part in parts:
        for shift in range(31, -1, -1):
            beyond = beyond or quotient >= np.uint64(1 << 63)
            rest = rest << np.uint64(1) | (np.uint64(part) >> np.uint64(shift)) & np.uint64(1)
            quotient <<= np.uint64(1)
            if rest >= divisor:
                rest -= divisor
                quotient |= np.uint64(1)
    return quotient, beyond, rest


@function("numjit.big_modulo")
def big_modulo(parts, negative, n):
    if n == 0:
        raise ZeroDivisionError("integer modulo by zero")
    divisor = magnitude(n)
    rest = divided(parts, divisor)[2]
    if rest != 0 and negative != (n < 0):
        rest = divisor - rest
    return -np.int64(rest) if n < 0 else np.int64(rest)


@function("numjit.big_floordiv")
def big_floordiv(parts, negative, n):
    if n == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    quotient, beyond, rest = divided(parts, magnitude(n))
    below = negative != (n < 0)
    if below and rest != 0:
        beyond = beyond or quotient == np.uint64(0xFFFFFFFFFFFFFFFF)
        quotient += np.uint64(1)
    if beyond or quotient > np.uint64(1 << 63) or (quotient == np.uint64(1 << 63) and not below):
        raise OverflowError(_beyond)
    return -np.int64(quotient) if below else np.int64(quotient)


@function("numjit.modulo_big")
def modulo_big(n, negative):
    if n != 0 and (n < 0) != negative:
        raise OverflowError(_beyond)
    return n


@function("numjit.floordiv_big")
def floordiv_big(n, negative):
    return -1 if n != 0 and (n < 0) != negative else 0


@function("numjit.and_big")
def and_big(n, low):
    """Of the other int its lowest 63 bits are given: those above decide nothing."""
    if n < 0:
        raise OverflowError(_beyond)
    return n & low


@function("numjit.or_big")
def or_big(n, low):
    if n >= 0:
        raise OverflowError(_beyond)
    return n | low
