"""Arithmetic of int64 that raises OverflowError where the result does not fit: for types of the
library whose values are exact."""

from .intrinsics import mul_overflows


def checked(too_large):
    """times, plus, minus and negated, which raise OverflowError with that text."""

    def times(a, b):
        if mul_overflows(a, b):
            raise OverflowError(too_large)
        return a * b

    def plus(a, b):
        total = a + b
        if (a < 0) == (b < 0) and (total < 0) != (a < 0):
            raise OverflowError(too_large)
        return total

    def minus(a, b):
        total = a - b
        if (a < 0) != (b < 0) and (total < 0) != (a < 0):
            raise OverflowError(too_large)
        return total

    def negated(a):
        return minus(0, a)

    return times, plus, minus, negated
