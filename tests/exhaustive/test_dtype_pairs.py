"""Element-wise operations over every pair of dtypes: dtype and values are NumPy's."""

import numpy as np
import pytest
from language.arrays import DTYPES, strided, values
from language.support import assert_same


def numbers(a, b):
    return a + b, a * b, a == b, a != b, np.add(a, b), np.multiply(a, b), np.logical_and(a, b)


def not_bools(a, b):
    return a - b, a / b, np.true_divide(a, b)


def reals(a, b):
    return a < b, a <= b, a > b, a >= b, np.maximum(a, b), np.minimum(a, b), np.fmax(a, b)


def quotients(a, b):
    return a // b, a % b, np.floor_divide(a, b), np.remainder(a, b)


def inexact(a, b):
    return np.arctan2(a, b), np.hypot(a, b), np.copysign(a, b)


def bits(a, b):
    return a & b, a | b, a ^ b


def powers(a, b):
    return a**b, np.power(a, b)


def operands(left, right):
    a, b = values(7, left), values(9, right)[2:]
    if right.kind in "iufc":  # no zero divisors
        b = np.where(b == 0, b.dtype.type(3), b)
    return a, b


@pytest.mark.parametrize("left", DTYPES, ids=str)
@pytest.mark.parametrize("right", DTYPES, ids=str)
def test_pair(left, right):
    a, b = operands(left, right)
    kinds = {left.kind, right.kind}
    single = np.result_type(left, right).char in "fF"
    rtol = 2e-6 if single else 1e-14
    # Strides change the loads alone: half of the pairs, one of each order, have them.
    first = strided(a) if left.num < right.num else a
    # What is the same with its operands exchanged takes one order of each pair.
    ordered = left.num <= right.num
    if ordered:
        assert_same(numbers, first, b, rtol=rtol)
    if kinds != {"b"}:
        assert_same(not_bools, a, b, rtol=rtol)
    if ordered and kinds <= set("iub"):
        # Of signed and unsigned 64-bit integers NumPy makes floats, which have no bits.
        if np.result_type(left, right).kind != "f":
            assert_same(bits, a, b)
    if "c" not in kinds:
        if ordered:
            assert_same(reals, a, b)
        if kinds != {"b"}:
            assert_same(quotients, a, b, rtol=rtol)
        # Of int8 and uint8 NumPy makes float16, which numjit does not have.
        if left.itemsize > 1 or right.itemsize > 1:
            assert_same(inexact, a, b, rtol=2e-6 if single or left.itemsize < 4 else 1e-14)
    if kinds <= set("fc"):
        assert_same(powers, np.abs(a) + 1, b, rtol=1e-5 if single else 1e-13)
    elif kinds <= set("iu") and np.result_type(left, right).kind != "f":
        assert_same(powers, a, np.abs(b) % right.type(5))


def scalar_right(a, x):
    return a + x, x * a, a - x, a == x, a > x, a / x


@pytest.mark.parametrize("left", [d for d in DTYPES if d.kind in "iuf"], ids=str)
def test_typed_scalars_promote_as_arrays_do(left):
    """A NumPy scalar argument has its own type, as a 0-d array has for NumPy.

    Integers beside float arrays are the exception: they are taken for Python's.
    """
    for right in "bhilfd":
        a, x = values(5, left), np.dtype(right).type(3)
        if left.kind == np.dtype(right).kind or np.dtype(right).kind == "f":
            assert_same(scalar_right, a, x, rtol=1e-6)
        elif left.kind == "f":
            assert_same(scalar_right, a, 3, rtol=1e-6)
