"""Floats and complex numbers at their edges: signed zeros, infinities, NaN, rounding."""

import math

import numpy as np
import pytest
from language.support import assert_same, check_same, compiled, result_type
from numjit import njit

INF, NAN = math.inf, math.nan
EDGES = [
    0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.5, 7.0, 1e-310, -5e-324, 1e16 + 2, 1.7e308, -1.7e308,
    INF, -INF, NAN,
]  # fmt: skip


def arithmetic(a, b):
    return a + b, a - b, a * b, -a, +a, abs(a)


def order(a, b):
    return a < b, a <= b, a > b, a >= b, a == b, a != b, not a


def divide(a, b):
    return a / b, a // b, a % b, divmod(a, b)


def test_arithmetic():
    for a in EDGES:
        for b in EDGES:
            assert_same(arithmetic, a, b)
            assert_same(order, a, b)


def test_division():
    for a in EDGES:
        for b in EDGES:
            assert_same(divide, a, b)


def test_single_precision():
    f32 = np.float32
    for a in (1.1, -2.5, 3.4e38, 1e-45, NAN, INF):
        for b in (0.3, -7.7, INF):
            assert_same(arithmetic, f32(a), f32(b))
            assert_same(order, f32(a), f32(b))
    assert_same(divide, f32(7.25), f32(-2.5))


def test_floats_and_integers_compare():
    for x in (0.5, 2.0, -3.0, NAN, INF, -INF):
        for i in (0, 2, -3, 2**53):
            assert_same(order, x, i)
            assert_same(order, i, x)


def rounded(x):
    return round(x), math.floor(x), math.ceil(x), math.trunc(x), int(x)


def test_rounding_to_integers():
    for x in (0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 2.4999, -7.5001, 1e15 + 0.5, -1e15 - 0.5):
        assert_same(rounded, x)
        if abs(x) < 100:  # math.trunc does not take NumPy's scalars
            check_same(compiled(rounded)(np.float32(x)), rounded(float(np.float32(x))))
    for i in (0, -7, 9):
        assert_same(rounded, i)


def test_rounding_to_digits():
    def f(x, n):
        return round(x, n)

    for x in (2.675, -2.675, 1234.5678, 0.5, 1e300, INF, -0.0, NAN):
        for n in (-2, 0, 1, 2, 5, 20, 400, -400):
            assert_same(f, x, n)


def test_powers():
    def f(a, b):
        return a**b

    for a in (0.0, 1.0, 2.0, 0.5, 10.0, INF):
        for b in (0.0, 1.0, 2.0, -1.5, 0.5, -3.0):
            if a == 0 and b < 0:
                continue
            assert_same(f, a, b, rtol=1e-15)
    for a in (-2.0, -0.5, 3.0):
        for b in (0, 1, 2, -1, -3, 5, 30):
            assert_same(f, a, b, rtol=1e-15)
    assert math.isnan(compiled(f)(-8.0, 1 / 3))
    assert compiled(f)(np.float32(1.1), 3) == pytest.approx(1.331, rel=1e-6)
    assert result_type(f) == "float32"


COMPLEX = [0j, 1 + 0j, 1j, -1.5 + 2j, 3 - 4j, complex(-0.0, 0.0), complex(INF, 1), complex(1, NAN)]


def complex_arithmetic(a, b):
    return a + b, a - b, -a, a == b, a != b, a.real, a.imag, a.conjugate(), bool(a)


def test_complex_arithmetic():
    for a in COMPLEX:
        for b in COMPLEX:
            assert_same(complex_arithmetic, a, b)


def test_complex_products_and_quotients():
    def f(a, b):
        return a * b, a / b, abs(a)

    for a in (1j, -1.5 + 2j, 3 - 4j, 1e200 + 1e200j):
        for b in (2 + 0j, 1 - 1j, -3 + 0.5j):
            assert_same(f, a, b, rtol=4e-15)
    for a, b in ((np.complex64(1 + 2j), np.complex64(3 - 1j)), (2.5, 1j), (1j, 3)):
        if not isinstance(a, float):
            assert_same(f, a, b, rtol=1e-6)


def test_complex_powers():
    def f(a, b):
        return a**b

    for a in (1j, -1.5 + 2j, 3 - 4j):
        for b in (2 + 0j, 0.5 + 0j, -1 + 1j, 0j):
            assert_same(f, a, b, rtol=1e-13)
    assert compiled(f)(0j, 2 + 0j) == 0 and compiled(f)(0j, 0j) == 1


def test_integer_powers_of_complex_numbers_multiply():
    """As in Python, whether the exponent is known or not, an integer, a float or complex."""

    def f(a, n):
        return a**n

    def constant(a):
        return a**0, a**2, a**3, a**-1, a**17, a**100

    for a in (1j, -1 + 0j, 1 - 1j, -1.5 + 2j):
        assert_same(constant, a, rtol=1e-14)
        for n in (0, 1, 2, 3, 7, 17, 64, 100, -1, -2, -17):
            for exponent in (n, float(n), complex(n)):
                assert_same(f, a, exponent, rtol=1e-14)
    assert compiled(f)(1j, 2) == -1 and compiled(f)(1j, 100) == 1
    assert np.isnan(compiled(f)(0j, -1))
    a, n = np.array([1j, 1 - 1j, 2 + 1j]), np.array([2, -3, 101])
    np.testing.assert_allclose(compiled(f)(a, n), a**n, rtol=1e-13)
    assert compiled(f)(a.astype(np.complex64), 2)[0] == -1


def test_complex_literals_and_parts():
    def f(x, y):
        z = complex(x, y) * (1 + 2j) - 3j
        return z, z.real + z.imag, complex(x), complex(z), 1j * x

    for x, y in ((1.5, 2.0), (0.0, -1.0)):
        assert_same(f, x, y)


def conversions(x):
    return int(x), float(x), complex(x), bool(x)


def test_conversions_to_python_types():
    for x in (True, 0, -3, 2.75, -2.75, np.float32(0.5), np.uint8(255), np.int16(-300)):
        assert_same(conversions, x)


def test_numpy_constructors():
    def f(x):
        return (
            np.int8(x), np.int16(x), np.int32(x), np.int64(x),
            np.uint8(x), np.uint16(x), np.uint32(x), np.uint64(x),
            np.float32(x), np.float64(x), np.complex64(x), np.complex128(x), np.bool_(x),
        )  # fmt: skip

    for x in (0, 1, 100):
        assert_same(f, x)
    assert_same(f, 99.75)
    assert compiled(f)(-1)[4:8] == (255, 65535, 2**32 - 1, 2**64 - 1)
    assert compiled(f)(300)[0] == 44 and compiled(f)(2**40 + 5)[2] == 5
    assert str(compiled(f).nopython_signatures[0].return_type) == (
        "Tuple(int8, int16, int32, int64, uint8, uint16, uint32, uint64, "
        "float32, float64, complex64, complex128, bool)"
    )


def test_numpy_constructors_of_what_is_no_real_number():
    def f(x):
        return np.bool_(x)

    for x in (1j, 0j, np.complex64(0), "", "0", None, np.timedelta64(0, "s")):
        assert_same(f, x)
    assert compiled(f)(np.datetime64("NaT", "s")) == f(np.datetime64("NaT", "s"))

    def g(x):
        return np.int32(x), np.float32(x), np.complex64(x)

    for text in ("12", "x"):
        assert_same(g, text)
    assert np.isnan(compiled(lambda: np.float32(None))())


def test_single_precision_is_kept():
    def f(x):
        y = np.float32(x) * np.float32(0.1)
        return y, y + np.float32(1), y * y

    assert_same(f, 3.3)
    assert_same(f, np.float32(3.3))
    assert result_type(f) == "UniTuple(float32 x 3)"


def test_single_and_double_precision_give_double():
    def f(x):
        return x + 1.0, x * 0.1, x / 3

    x = np.float32(3.3)
    check_same(compiled(f)(x), f(float(x)))


def test_constants_of_numpy_and_math():
    def f(x):
        return math.pi * x, math.e, math.tau, np.pi, np.e, np.inf, math.inf, np.nan, -math.inf

    assert_same(f, 2.0)


def test_conversions_back_and_forth():
    def f(n):
        x = float(n)
        i = int(x * 1.5)
        return i, x / 3, np.int32(x), bool(i), complex(i, n).imag

    for n in (0, 1, -7, 1000):
        assert_same(f, n)


def test_nan_in_control_flow():
    def f(x):
        r = 0
        if x:
            r += 1
        if x == x:
            r += 2
        if not x < 1:
            r += 4
        if x > 1 or x <= 1:
            r += 8
        return r

    for x in EDGES:
        assert_same(f, x)


def test_float_loop_accumulates_in_order():
    def f(n):
        total = 0.0
        for i in range(n):
            total += 1.0 / (i + 1)
        return total

    assert_same(f, 1000)


def test_int_of_floats_out_of_range_does_not_crash():
    f = compiled(rounded)
    for x in (1e30, -1e30, INF, NAN):
        assert len(f(x)) == 5


def test_minus_zero_constants():
    def f(x):
        return -0.0, x * -0.0, 0.0 - x, -x, x + 0.0

    for x in (0.0, -0.0, 1.0):
        assert_same(f, x)


def test_check_same_tells_zeros_apart():
    with pytest.raises(AssertionError):
        check_same(0.0, -0.0)


def test_remainders_of_nan():
    def constants(out):
        out[0] = math.sqrt(math.nan) % math.nan
        out[1] = math.fmod(math.nan, 3.0)

    def not_infinite(x):
        rest = min(abs(x), 1e6) % 3.0
        return rest, rest != rest, math.isnan(rest)

    out = np.ones(2)
    compiled(constants)(out)
    assert np.isnan(out).all()
    assert_same(not_infinite, math.nan)
    assert_same(not_infinite, 7.5)


def test_complex_divisors_that_are_partly_nan():
    def f(x, y):
        return x / y

    nan = float("nan")
    for y in [complex(nan, 0.0), complex(nan, -0.0), complex(0.0, nan), complex(nan, 1), nan * 1j]:
        for x in (1 + 1j, 0j, complex(float("inf"), 1)):
            expected, result = f(x, y), compiled(f)(x, y)
            assert (result.real != result.real) == (expected.real != expected.real)
            assert (result.imag != result.imag) == (expected.imag != expected.imag)


@pytest.mark.parametrize("dtype", "i1 i2 i4 i8 u1 u2 u4 u8".split())
def test_constants_become_the_integers_that_values_do(dtype):
    """Where the number does not fit, too: LLVM would fold that to anything."""
    integer = np.dtype(dtype).type
    at_run_time = njit(lambda x: integer(x))
    numbers = [math.nan, math.inf, -math.inf, 1e300, -1e300, 2.0**63, 2.0**64, 3e9, -3e9]
    for number in [*numbers, 0.0, -0.0, -1.0, -1.5, 127.9, 255.7, 300.0, 2.0**31, -(2.0**31)]:
        folded = njit(eval("lambda: integer(number)", {"integer": integer, "number": number}))
        with np.errstate(invalid="ignore"):
            expected = np.array([number]).astype(dtype)[0]
        assert folded() == at_run_time(number) == expected, number

    def filled(x):
        return np.full_like(x, math.nan)

    ints = np.zeros(2, dtype)
    assert_same(filled, ints)
