"""Element-wise expressions: dtypes, broadcasting, fusion, aliasing, out."""

import numpy as np
import pytest
from language.arrays import DTYPES, layouts, values
from language.support import assert_same, check_same, compiled
from numjit import njit
from numjit.errors import NumbaError

pytestmark = pytest.mark.one_python


def test_operators():
    def f(a, b):
        return a + b, a - b, a * b, -a, +a, a == b, a != b, abs(a)

    for dtype in "bhilfdFD":
        rtol = {"f": 1e-7, "F": 1e-7, "D": 1e-15}.get(dtype, 0)
        assert_same(f, values(6, dtype), values(6, dtype)[::-1], rtol=rtol)


def test_division():
    def f(a, b):
        return a / b, a // b, a % b, a**2, a < b, a <= b, a > b, a >= b

    for dtype in "bilBLfd":
        assert_same(f, values(6, dtype), values(6, dtype)[::-1] * 2 + 1, rtol=1e-6)


def test_bits():
    def f(a, b):
        return a & b, a | b, a ^ b, ~a

    for dtype in "?bilBL":
        assert_same(f, values(6, dtype), values(6, dtype)[::-1])
    assert_same(lambda a, b: (a << b, a >> b), values(6, int), np.arange(6))


PAIRS = [(a, b) for i, a in enumerate(DTYPES) for b in DTYPES[i % 3 :: 3]]


def test_promotion():
    def f(a, b):
        return a + b, a * b

    for a, b in PAIRS:
        assert_same(f, values(3, a), values(3, b)[::-1], rtol=1e-6)


def test_scalars_are_weak_or_strong():
    """Python ints and floats take the array's dtype where Numba's typing lets them."""

    def f(a):
        return a + 1, a * 2.5, 1 - a, a > 0, a / 2

    for dtype in "dDl":
        assert_same(f, values(4, dtype), rtol=1e-15)


def test_scalar_variables():
    def f(a, x):
        return a + x, x - a, a * x + x, a > x

    for a in (values(4), values(4, int)):
        assert_same(f, a, 2)
        assert_same(f, a, 0.5)


def test_layouts():
    def f(a, b):
        return a * 2 + b, (a - b) * (a + b), -a

    for a in layouts(values((3, 4))):
        for b in layouts(values((3, 4)) + 0.5):
            assert_same(f, a, b)


def test_broadcasting():
    def f(a, b):
        return a + b, b * a - 1, a > b

    shapes = [(3, 4), (4,), (3, 1), (1, 4), (1, 1), (1,), ()]
    for first in shapes[:3]:
        for second in shapes:
            assert_same(f, values(first), values(second) + 0.5)


def test_broadcasting_of_many():
    def f(a, b, c):
        return a * b + c, (a[:, None] - b) * c, a[:, None, None] + b[:, None] + c

    assert_same(f, values(3), values((1, 3)), values((3, 3)))
    assert_same(f, values(1), values((2, 3)), values((2, 1)))


def test_shapes_that_do_not_fit():
    def f(a, b):
        return a + b

    def g(a, b):
        return np.sum(a * b)

    for h in (f, g):
        assert_same(h, values(3), values(4))
        assert_same(h, values((3, 4)), values(3))
        assert_same(h, values((2, 3)), values((3, 3)))


def test_empty_operands():
    def f(a, b):
        return a + b, a * 2, (a + b).sum()

    assert_same(f, np.zeros(0), np.zeros(0))
    assert_same(f, np.zeros((0, 3)), np.zeros(3))
    assert_same(f, np.zeros((3, 0)), np.zeros((3, 1)))
    assert_same(f, np.zeros(0), np.zeros(1))


UNARY = {
    "any": "negative absolute square sign isnan isinf isfinite",
    "float": (
        "sqrt exp log log2 log10 log1p expm1 exp2 sin cos tan arctan sinh cosh tanh arcsinh floor "
        "ceil trunc rint fabs cbrt degrees radians deg2rad rad2deg reciprocal signbit spacing"
    ),
    "unit": "arcsin arccos arctanh",
    "complex": "conjugate real imag angle exp sqrt sin absolute",
}


def unary(name, argument, rtol):
    function = getattr(np, name)
    assert_same(lambda a: (function(a), function(a[1])), argument, rtol=rtol)


@pytest.mark.parametrize("name", UNARY["any"].split())
def test_unary_of_numbers(name):
    for dtype in "lfd":
        unary(name, values(6, dtype), 0)


@pytest.mark.parametrize("name", UNARY["float"].split())
def test_unary_of_floats(name):
    unary(name, np.abs(values((2, 6))) + 0.25, 4e-16 * 4)
    if name not in ("spacing", "reciprocal"):
        unary(name, (np.abs(values(6)) + 0.25).astype(np.float32), 1e-6)


@pytest.mark.parametrize("name", UNARY["unit"].split())
def test_unary_of_small_floats(name):
    unary(name, np.linspace(-0.9, 0.9, 7), 1e-15)


@pytest.mark.parametrize("name", UNARY["complex"].split())
def test_unary_of_complex_numbers(name):
    unary(name, values(6, complex) + 0.25, 4e-15)


@pytest.mark.parametrize("name", ["sin", "sqrt", "floor", "exp"])
def test_float_functions_of_integers(name):
    for dtype in "hil":  # of int8 NumPy makes float16, which numjit does not have
        unary(name, np.arange(1, 4).astype(dtype), 1e-6 if dtype == "h" else 1e-15)


BINARY = {
    "both": "add subtract multiply divide maximum minimum fmax fmin less equal greater_equal",
    "float": (
        "power arctan2 hypot copysign fmod remainder floor_divide true_divide logaddexp nextafter "
        "heaviside logical_and logical_xor"
    ),
    "integer": "bitwise_and bitwise_or bitwise_xor left_shift right_shift gcd lcm",
}


def binary(name, a, b, rtol):
    function = getattr(np, name)
    assert_same(
        lambda a, b: (function(a, b), function(a[0], b), function(a, b[1])), a, b, rtol=rtol
    )


@pytest.mark.parametrize("name", BINARY["both"].split())
def test_binary(name):
    for dtype in "ld":
        binary(name, values(6, dtype), values(6, dtype)[::-1] * 2 + 1, 0)


@pytest.mark.parametrize("name", BINARY["float"].split())
def test_binary_of_floats(name):
    binary(name, np.abs(values(6)) + 0.5, values(6)[::-1] + 0.25, 1e-14)


@pytest.mark.parametrize("name", BINARY["integer"].split())
def test_binary_of_integers(name):
    binary(name, np.arange(6) + 3, np.arange(6) % 4, 0)


def test_minimum_with_nan():
    def f(a, b):
        return np.minimum(a, b), np.maximum(a, b), np.fmin(a, b), np.fmax(a, b)

    nan = np.nan
    assert_same(f, np.array([1.0, nan, 2.0, nan]), np.array([2.0, 1.0, nan, nan]))


def test_out():
    def f(a, b, c):
        np.add(a, b, c)
        np.multiply(c, 2.0, c)
        np.sqrt(np.abs(c), c)
        d = np.subtract(a, b, c[:])
        return d

    for c in layouts(np.zeros((3, 4))):
        assert_same(f, values((3, 4)), values(4), c, rtol=1e-15)


def test_out_keyword_and_conversion():
    def f(a, c):
        np.exp(a, out=c)
        return np.add(a, 1, out=c)

    assert_same(f, values(4), np.zeros(4), rtol=1e-15)


def test_out_broadcasts_the_operands():
    def f(a, c):
        np.add(a, 1.0, c)

    assert_same(f, values(4), np.zeros((3, 4)))
    assert_same(f, values((3, 4)), np.zeros(4))


def test_out_overlaps():
    def f(a):
        np.add(a[:-1], 1, a[1:])
        np.multiply(a[::-1], a, a)
        return a

    assert_same(f, values(7))


def test_in_place():
    def f(a, b):
        a += b
        a *= 2
        a -= b * a
        a /= 4
        return a

    for a in layouts(values((3, 4))):
        assert_same(f, a, values((3, 4)) + 1)
        assert_same(f, a, values(4) + 1)
        assert_same(f, a, values(()) + 1)


def test_in_place_of_integers():
    def f(a, b):
        a += b
        a //= 2
        a <<= 1
        a |= 1
        a ^= b
        return a

    assert_same(f, values(5, int), np.arange(5))


def test_in_place_cannot_grow():
    def f(a, b):
        a += b
        return a

    assert_same(f, values(3), values((2, 3)))


def test_expression_used_twice():
    def f(a, b):
        c = a * b + 1
        d = c + c
        return c, d, c.sum()

    assert_same(f, values((2, 3)), values(3))


def test_expression_whose_operands_change_before_its_use():
    def f(a, b):
        c = a + b
        a[0] = 100
        d = c * 2
        b[:] = 0
        e = a - 1
        a = b
        return c, d, e, a

    assert_same(f, values(4), values(4) + 1)


def test_expressions_across_loops_and_branches():
    def f(a, n):
        b = a
        for i in range(n):
            c = b * 0.5 + i
            if i % 2:
                b = c
            else:
                b = c - a
        return b

    for n in (0, 1, 4):
        assert_same(f, values((2, 3)), n)


def test_expression_through_a_call():
    @njit
    def g(x):
        x[0] = 50
        return x.sum()

    def f(a):
        return g(a + 1) + g(a)

    a = values(4)
    b = a.copy()
    assert njit(f)(a) == f(b)


def test_long_expressions():
    def f(a, b, c):
        return (a + b) * (a - c) / (np.abs(b) + 1.5) + a**2 - b * c + 3 + np.sqrt(a * a + b * b)

    assert_same(f, values((3, 4)), values(4), values((3, 1)), rtol=1e-15)


def test_expressions_of_elements_stay_scalar():
    def f(a, i):
        return np.sqrt(a[i]) + np.exp(a[i] * 0.1), np.maximum(a[i], 2), np.add(a[i], 1)

    assert_same(f, np.arange(5.0), 3, rtol=1e-15)


def test_comparisons_give_bool_arrays():
    def f(a, b):
        c = (a > b) & (a < 10) | ~(b == 0)
        return c, c.sum()

    assert_same(f, values((2, 3)), values(3))


def test_mixed_integers_are_compared_exactly():
    def f(a, b):
        return a < b, a == b, a >= b

    a = np.array([-1, 2**62, 5], np.int64)
    b = np.array([2**63, 2**62, 5], np.uint64)
    assert_same(f, a, b)


def test_zero_dimensional_results():
    def f(a, b):
        return a + b, a * 2, np.sin(a)

    for x in f(values(()), values(())):
        assert x.ndim == 0
    result = njit(f)(values(()), values(()))
    assert all(float(x) == float(y) for x, y in zip(result, f(values(()), values(()))))


def test_views_in_expressions():
    def f(a):
        return a[1:] - a[:-1], a[::2] * a[-1], a[1:-1] + a[:-2] * 0.5 + a[2:], a.T + 1

    for a in layouts(values(7)):
        assert_same(f, a)


def test_stencil():
    def f(a):
        b = np.zeros_like(a)
        b[1:-1, 1:-1] = (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]) / 4
        return b

    for a in layouts(values((5, 6))):
        assert_same(f, a)


def test_layout_of_results():
    g = njit(lambda a, b: a + b)
    f = np.asfortranarray(values((3, 4)))
    assert g(f, f).flags.f_contiguous
    assert g(values((3, 4)), values((3, 4))).flags.c_contiguous


def test_unsupported_operand_types():
    for wrong in (lambda a: a + "x", lambda a: a + None, lambda a: np.sin((a, a, "s"))):
        with pytest.raises(NumbaError):
            njit(wrong)(np.zeros(2))


def test_tuples_and_lists_as_operands():
    def f(a, t):
        return a + np.array(t), np.array(t) * 2

    assert_same(f, values(3), (1.0, 2.0, 3.0))
    assert_same(f, values(3), [1.0, 2.0, 3.0])


def test_sign_and_absolute():
    def f(a):
        return abs(a), np.absolute(a), np.sign(a), np.minimum(np.maximum(a, -1), 2)

    for a in layouts(values((2, 3))):
        assert_same(f, a)


def test_results_in_loops_are_released():
    @njit
    def f(a, n):
        total = 0.0
        for i in range(n):
            b = a * i + 1
            c = np.sqrt(np.abs(b)) + b
            total += c[0] + (b - c).sum()
        return total

    a = values(5)
    assert f(a, 50) == pytest.approx(f.py_func(a, 50), rel=1e-13)


def test_check_dtype_of_results():
    check_same(
        compiled(np_add)(np.float32(1) * np.ones(2, np.float32)),
        np.ones(2, np.float32) + np.float32(1),
    )


def np_add(a):
    return np.add(a, np.float32(1))


@pytest.mark.parametrize("text", [
    "(a * b).sum() + l[9]", "(a + b) * (l[0] // (l[0] - l[0]))", "(a * b)[l[5]]",
    "np.where(a < b, l[7], 0)", "a * b * {1: 2}[l[0]]", "((a + b) * l[7] + a).max()",
])  # fmt: skip
def test_of_two_errors_the_first_is_raised(text):
    f = eval(f"lambda a, b, l: {text}", {"np": np})
    for n in (3, 4):
        kinds = []
        for each in (f, njit(f)):
            with pytest.raises((ValueError, LookupError, ZeroDivisionError)) as raised:
                each(np.arange(4.0), np.arange(float(n)), [5, 2])
            kinds.append(raised.type)
        assert kinds[0] is kinds[1]
