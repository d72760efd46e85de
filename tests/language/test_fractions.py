"""fractions.Fraction in compiled code: the same values, types and errors, in 64 bits."""

import math
import operator
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numjit import njit, typed, typeof, types
from numjit.errors import TypingError

SMALL = [
    Fraction(n, d) for n, d in ((0, 1), (1, 3), (-1, 3), (7, 2), (-7, 2), (5, 2), (3, 1), (-4, 1))
]
LARGE = [
    Fraction(2**62 + 1, 3),
    Fraction(-(2**63), 2**63 - 1),
    Fraction(2**63 - 1),
    Fraction(1, 2**62),
]


def outcome(function, *arguments):
    try:
        return function(*arguments)
    except (ZeroDivisionError, OverflowError, ValueError) as error:
        return type(error)


def same(made, wanted):
    assert type(made) is type(wanted), (made, wanted)
    assert made == wanted


COMPILED = {}


def compiled(function):
    return COMPILED.setdefault(function, njit(function))


BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv]
BINARY += [
    operator.mod,
    operator.eq,
    operator.ne,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
]
BINARY = [eval(f"lambda a, b: operator.{f.__name__}(a, b)", {"operator": operator}) for f in BINARY]
BINARY.append(lambda a, b: divmod(a, b))


@pytest.mark.parametrize("number", range(len(BINARY)))
def test_operators(number):
    f = BINARY[number]
    for a in SMALL:
        for b in [*SMALL, 2, -3, 0]:
            same(outcome(compiled(f), a, b), outcome(f, a, b))
            same(outcome(compiled(f), b, a), outcome(f, b, a))
        for x in (0.5, -1e10, 2.0):
            same(outcome(compiled(f), a, x), outcome(f, a, x))
            same(outcome(compiled(f), x, a), outcome(f, x, a))


def test_comparisons_are_exact():
    less = compiled(lambda a, b: (a < b, a <= b, a > b, a >= b, a == b, a != b))
    third = Fraction(1, 3)
    floats = [1 / 3, math.nextafter(1 / 3, 1), math.nan, math.inf, -math.inf, 0.0, 2.0**62, 1e300]
    for a in [*SMALL, *LARGE, third, Fraction(3602879701896397, 2**55), Fraction(2**53 + 1)]:
        for b in [*LARGE, *SMALL, *floats, float(a), math.nextafter(float(a), 0), 2**62]:
            wanted = a < b, a <= b, a > b, a >= b, a == b, a != b
            assert less(a, b) == wanted, (a, b)
    assert compiled(lambda a, b: a == b)(Fraction(1, 2), 0.5 + 0j)


fractions = st.builds(Fraction, st.integers(-(2**31), 2**31), st.integers(1, 2**31))
wide = st.builds(Fraction, st.integers(-(2**63), 2**63 - 1), st.integers(1, 2**63 - 1))


def fits(x):
    return not isinstance(x, Fraction) or (abs(x.numerator) < 2**63 and x.denominator < 2**63)


@settings(deadline=None, max_examples=200)
@given(fractions, fractions)
def test_random_arithmetic(a, b):
    for f in (operator.add, operator.mul, operator.sub, operator.truediv):
        wanted = outcome(f, a, b)
        made = outcome(compiled(BY_NAME[f]), a, b)
        if fits(wanted):
            assert made == wanted
        else:
            assert made is OverflowError


BY_NAME = {
    operator.add: lambda a, b: a + b,
    operator.sub: lambda a, b: a - b,
    operator.mul: lambda a, b: a * b,
    operator.truediv: lambda a, b: a / b,
}


@settings(deadline=None, max_examples=200)
@given(wide, wide, st.integers(1, 2**20))
def test_random_conversions(a, b, most):
    made = compiled(everything)(a, b, most)
    assert made == everything(a, b, most)


def everything(a, b, most):
    return (
        float(a),
        hash(a),
        math.floor(a),
        round(a),
        a < b,
        a <= b,
        a == b,
        a < float(b),
        a >= float(a),
        str(a),
        a.limit_denominator(most),
        a.as_integer_ratio(),
    )


def test_conversions():
    def f(x):
        whole = int(x), math.trunc(x), math.floor(x), math.ceil(x), round(x), bool(x)
        parts = x.numerator, x.denominator, x.as_integer_ratio()
        return whole, parts, float(x), complex(x), -x, +x, abs(x), round(x, 1), round(x, -1)

    def text(x):
        return str(x), repr(x), f"{x}"

    for x in SMALL:
        same(compiled(f)(x), f(x))
        same(compiled(text)(x), text(x))
        same(compiled(hash_of)(x), hash(x))
    for x in [
        *LARGE,
        Fraction(-(2**61)),
        Fraction(1, 2**61 - 1),
        Fraction(2**61 - 1),
        Fraction(-1),
    ]:
        same(compiled(hash_of)(x), hash(x))
        same(compiled(lambda x: float(x))(x), float(x))


def hash_of(x):
    return hash(x)


def test_powers():
    f = compiled(lambda x, n: x**n)
    for x in SMALL:
        for n in (0, 1, 2, 3, -1, -2):
            same(outcome(f, x, n), outcome(lambda x, n: x**n, x, n))
        same(outcome(f, abs(x), 0.5), abs(x) ** 0.5)
    assert outcome(f, Fraction(3, 2), 100) is OverflowError
    assert f(Fraction(1, 4), Fraction(1, 2)) == 0.5


def test_constructors():
    def f(n, d):
        return Fraction(n, d), Fraction(n), Fraction(), Fraction(n) / d

    for n, d in ((1, 2), (6, -4), (0, 5), (-(2**63) + 1, 3), (True, 2), (np.uint8(6), np.int16(4))):
        same(
            compiled(f)(n, d),
            (Fraction(int(n), int(d)), Fraction(int(n)), Fraction(), Fraction(int(n), int(d))),
        )
    assert outcome(compiled(f), 1, 0) is ZeroDivisionError
    of_float = compiled(lambda x: Fraction(x))
    for x in (0.5, -0.1, 3.0, 0.0, 2.0**62, 2.0**-60):
        same(of_float(x), Fraction(x))
    for x in (math.nan, math.inf, 1e300, 1e-300):
        assert outcome(of_float, x) in (ValueError, OverflowError)
    same(of_float(Fraction(2, 3)), Fraction(2, 3))
    nested = compiled(lambda a, b: Fraction(a, b))
    same(nested(Fraction(1, 2), Fraction(3, 4)), Fraction(2, 3))
    with pytest.raises(TypingError, match="Fraction"):
        njit(lambda: Fraction("1/3"))()


def test_overflow_raises():
    for f in (
        lambda x: x + x,
        lambda x: x * x,
        lambda x: x - (-x),
        lambda x: x / Fraction(1, 3),
    ):
        assert outcome(njit(f), Fraction(2**62, 1)) is OverflowError
    assert outcome(njit(lambda x: -x), Fraction(-(2**63))) is OverflowError
    assert outcome(njit(lambda x: x), Fraction(2**63)) is OverflowError
    assert outcome(njit(lambda x, n: x + n), Fraction(1), np.uint64(2**63)) is OverflowError


HALF = Fraction(1, 2)


def test_where_values_go():
    third = Fraction(1, 3)
    same(njit(lambda: HALF)(), HALF)
    same(njit(lambda x: HALF + third + x)(Fraction(1, 6)), Fraction(1))
    same(njit(lambda x: (x, [x, x + 1], x))(third), (third, [third, third + 1], third))
    same(njit(lambda items: sum(items, Fraction(0)))([third, HALF]), third + HALF)
    same(njit(lambda items: max(items))([third, HALF]), HALF)
    same(njit(lambda items: sorted(items))([HALF, third, -third]), [-third, third, HALF])
    assert njit(lambda d, x: d[x])({third: 5, HALF: 6}, HALF) == 6
    assert njit(lambda s, x: x in s)({third}, third)
    assert njit(lambda s, x: x in s)(frozenset({third}), HALF) is False
    assert njit(lambda x: x if x else None)(Fraction(0)) is None
    assert njit(lambda x: isinstance(x, Fraction))(HALF)
    assert njit(lambda x: isinstance(x, Fraction))(1) is False
    table = typed.Dict.empty(types.int64, typeof(HALF))
    table[1] = third
    same(njit(lambda d: d[1] * 3)(table), Fraction(1))
    same(pickle.loads(pickle.dumps(njit(lambda x: x)(third))), third)


def test_type():
    assert str(typeof(HALF)) == "Fraction(int64, int64)"
    assert typeof(HALF) == types.FractionType()
    f = njit((types.FractionType(),))(lambda x: x * 2)
    same(f(HALF), Fraction(1))
    with pytest.raises(TypeError):
        f(0.5)


def test_loops():
    def harmonic(n):
        total = Fraction(0)
        for i in range(1, n + 1):
            total += Fraction(1, i)
        return total

    same(njit(harmonic)(25), harmonic(25))
    assert outcome(njit(harmonic), 100) is OverflowError

    def egyptian(x):
        parts = []
        while x > 0:
            d = math.ceil(1 / x)
            parts.append(d)
            x -= Fraction(1, d)
        return parts

    same(njit(egyptian)(Fraction(4, 13)), egyptian(Fraction(4, 13)))


@pytest.mark.parametrize("other", ["a", b"a", [1], (1,), {1: 2}, {1}], ids=str)
def test_other_operands_are_refused_as_in_python(other):
    for symbol in ("+", "-", "/", "//", "%", "<", ">="):
        for text in (f"x {symbol} y", f"y {symbol} x"):
            if symbol == "%" and text.startswith("y"):  # of a text: its format
                continue
            f = eval(f"lambda x, y: {text}")
            with pytest.raises(TypeError) as expected:
                f(Fraction(1, 2), other)
            with pytest.raises(TypingError) as error:
                njit(f)(Fraction(1, 2), other)
            if text.startswith("x"):
                assert str(error.value).startswith(str(expected.value))
    assert njit(lambda x, y: (x == y, x != y))(Fraction(1, 2), other) == (False, True)
