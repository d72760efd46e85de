"""Integers: wrap-around, the signs of // and %, division by zero, shifts, exact comparisons."""

import collections
import operator

import numpy as np
import pytest
from language.support import assert_same, check_same, compiled
from numjit import njit

LOW, HIGH = -(2**63), 2**63 - 1
EDGES = [0, 1, -1, 2, -2, 7, -7, 63, 64, 2**31, -(2**31), 2**32 + 1, HIGH, HIGH - 1, LOW, LOW + 1]
UNSIGNED_EDGES = [0, 1, 2, 7, 255, 2**32, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1]


def wrap(value, signed=True):
    value &= 2**64 - 1
    return value - 2**64 if signed and value >= 2**63 else value


def ring(a, b):
    return a + b, a - b, a * b, -a, ~a, a & b, a | b, a ^ b, abs(a)


def order(a, b):
    return a < b, a <= b, a > b, a >= b, a == b, a != b


def divide(a, b):
    return a // b, a % b, divmod(a, b), a / b


@pytest.mark.parametrize("signed", [True, False])
def test_arithmetic_wraps(signed):
    edges, kind = (EDGES, np.int64) if signed else (UNSIGNED_EDGES, np.uint64)
    for a in edges:
        for b in edges:
            expected = tuple(wrap(x, signed) for x in ring(a, b))
            check_same(compiled(ring)(kind(a), kind(b)), expected, where=f"{a}, {b}")


@pytest.mark.parametrize("signed", [True, False])
def test_division_has_python_signs(signed):
    edges, kind = (EDGES, np.int64) if signed else (UNSIGNED_EDGES, np.uint64)
    for a in edges:
        for b in edges:
            if b == 0:
                continue
            q, r = wrap(a // b, signed), wrap(a % b, signed)
            expected = (q, r, (q, r), float(a) / float(b))
            check_same(compiled(divide)(kind(a), kind(b)), expected, where=f"{a}, {b}")


@pytest.mark.parametrize("a", [np.int64, np.uint64])
@pytest.mark.parametrize("b", [np.int64, np.uint64])
def test_comparisons_are_exact(a, b):
    edges = {np.int64: EDGES, np.uint64: UNSIGNED_EDGES}
    for x in edges[a]:
        for y in edges[b]:
            check_same(compiled(order)(a(x), b(y)), order(x, y), where=f"{x}, {y}")


def test_comparison_with_constants():
    def f(x):
        return x < 0, x >= 0, x == -1, x > 9223372036854775807, 3 < x, -1 < x

    for kind, values in ((np.uint64, UNSIGNED_EDGES), (np.int64, EDGES), (np.int8, (-128, 0, 127))):
        for x in values:
            check_same(compiled(f)(kind(x)), f(x), where=str(x))


@pytest.mark.parametrize("small", [np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32])
def test_small_integers_widen(small):
    info = np.iinfo(small)
    for a in (info.min, info.max, 1):
        for b in (info.min, info.max, 3):
            check_same(compiled(ring)(small(a), small(b))[:3], tuple(
                wrap(x, info.min < 0) for x in ring(a, b)[:3]
            ), where=f"{a}, {b}")  # fmt: skip


def unary(a):
    return -a, ~a, +a, operator.neg(a), operator.invert(a), operator.pos(a), abs(a)


Point = collections.namedtuple("Point", "x")


def unary_of_parts(a, n, r, p):
    last = unary(a[0])
    for x in a:
        last = unary(x)
    return last, unary(a[0]), unary(a[n]), unary(r[0].x), unary(p.x)


@pytest.mark.parametrize("small", "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split())
def test_unary_operators_keep_the_width(small):
    """Of arguments, items, fields and loop variables: the value is NumPy's, the type is wider."""
    kind = np.dtype(small).type
    info = np.iinfo(kind)
    for value in (info.min, info.max, info.min + 1, 0, 1, 55):
        a = np.array([value], kind)
        records = np.zeros(1, [("x", kind)])
        records["x"] = value
        expected = tuple(int(x[0]) for x in unary(a))
        check_same(compiled(unary)(kind(value)), expected, where=f"{small} {value}")
        got = compiled(unary_of_parts)(a, 0, records, Point(kind(value)))
        check_same(got, (expected,) * 5, where=f"{small} {value}")


@pytest.mark.parametrize("small", [np.int8, np.int16, np.int32])
def test_negation_that_must_not_wrap_widens(small):
    def f(x):
        return -x

    low = np.iinfo(small).min
    assert compiled(f)(small(low)) == low
    assert compiled(f, overflow="raise")(small(low)) == -low


DIVISIONS = {
    "int //": (operator.floordiv, 1, 0, "integer division by zero"),
    "int %": (operator.mod, 1, 0, "integer modulo by zero"),
    "int /": (operator.truediv, 1, 0, "division by zero"),
    "uint //": (operator.floordiv, np.uint64(1), np.uint64(0), "division by zero"),
    "float /": (operator.truediv, 1.0, 0.0, "division by zero"),
    "float //": (operator.floordiv, 1.0, 0.0, "division by zero"),
    "float %": (operator.mod, 1.0, 0.0, "by zero"),
    "complex /": (operator.truediv, 1j, 0j, "division by zero"),
    "mixed /": (operator.truediv, 1, 0.0, "division by zero"),
}


@pytest.mark.parametrize("case", DIVISIONS)
def test_division_by_zero_raises(case):
    oper, a, b, message = DIVISIONS[case]
    f = njit(lambda a, b: oper(a, b))
    with pytest.raises(ZeroDivisionError):
        f(a, b)
    assert f(a, b + 1) == oper(a, b + 1)


def test_divmod_by_zero_raises():
    f = njit(lambda a, b: divmod(a, b))
    for a, b in ((1, 0), (1.0, 0.0)):
        with pytest.raises(ZeroDivisionError):
            f(a, b)


def test_numpy_error_model():
    def f(a, b):
        return a / b, a // b, a % b

    g = njit(error_model="numpy")(f)
    inf, nan = float("inf"), float("nan")
    check_same(g(1.0, 0.0), (inf, inf, nan))
    check_same(g(-1.0, 0.0), (-inf, -inf, nan))
    check_same(g(0.0, 0.0), (nan, nan, nan))
    check_same(g(1, 0)[0], inf)
    check_same(g(1, 0)[1:], (0, 0))
    check_same(g(7, -2), (-3.5, -4, -1))


def shifts(a, n):
    return a << n, a >> n


def test_shifts():
    for n in (0, 1, 5, 31, 32, 62, 63):
        for a in EDGES:
            assert compiled(shifts)(a, n) == (wrap(a << n), a >> n)
        for a in UNSIGNED_EDGES:
            assert compiled(shifts)(np.uint64(a), n) == (wrap(a << n, False), a >> n)
    for a in (-128, -1, 5, 127):
        assert compiled(shifts)(np.int8(a), np.int8(9)) == (a << 9, a >> 9)
    assert compiled(shifts)(True, 3) == (8, 0)


def power(a, b):
    return a**b, pow(a, b)


def test_integer_powers():
    for a in (0, 1, -1, 2, -2, 3, 10, -7):
        for b in (0, 1, 2, 3, 5, 17, 40, 63, 64):
            assert compiled(power)(a, b) == (wrap(a**b),) * 2
    assert compiled(power)(np.uint64(3), np.uint64(41)) == (wrap(3**41, False),) * 2
    assert compiled(power)(np.int8(3), np.uint8(7)) == (3**7, 3**7)


def test_powers_by_constants():
    def f(x):
        return x**0, x**1, x**2, x**3, x**7, 2**x

    for x in (0, 1, 5, 13):
        assert_same(f, x)
    for x in (0.5, -2.25, 3.0, float("inf")):
        assert_same(f, x, rtol=1e-15)
    assert compiled(f)(-3)[:5] == (1, -3, 9, -27, -2187)


def test_in_place_operators():
    def f(a, b):
        s = a
        s += b
        d = a
        d -= b
        p = a
        p *= b
        q = a
        q //= b
        r = a
        r %= b
        t = a
        t /= b
        l = a
        l <<= 3
        h = a
        h >>= 2
        n = a
        n &= b
        o = a
        o |= b
        x = a
        x ^= b
        e = a
        e **= 2
        return s, d, p, q, r, t, l, h, n, o, x, e

    for a, b in ((17, 5), (-17, 5), (17, -5), (0, 1)):
        assert_same(f, a, b)


def test_mixed_signs_and_constants():
    def f(i, u):
        return i + 1, u + 1, u + np.uint64(1), i // 2, i % 10, u >> 3, -i, (i * 3) % 7

    assert compiled(f)(np.int32(-5), np.uint8(200))[:2] == (-4, 201)
    assert compiled(f)(-5, np.uint64(2**40)) == (
        -4, 2**40 + 1, 2**40 + 1, -3, 5, 2**37, 5, -15 % 7,
    )  # fmt: skip


def test_bool_arithmetic():
    def f(a, b):
        return a + b, a - b, a * b, a & b, a | b, a ^ b, a == b, a < b, a // 1, -a, +a

    for a in (False, True):
        for b in (False, True):
            assert_same(f, a, b)


def test_big_literals():
    def f():
        return 9223372036854775807, -9223372036854775808, 18446744073709551615, 0xFFFFFFFFFFFFFFFF

    assert_same(f)


def test_collatz():
    def f(n):
        steps = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    for n in (1, 2, 27, 97):
        assert_same(f, n)


def test_hash_like_arithmetic_wraps():
    @njit
    def fnv(n):
        h = np.uint64(14695981039346656037)
        for i in range(n):
            h = (h ^ np.uint64(i)) * np.uint64(1099511628211)
        return h

    h = 14695981039346656037
    for i in range(100):
        h = ((h ^ i) * 1099511628211) % 2**64
    assert fnv(100) == h


def test_constants_beyond_int64_are_not_negative():
    def f(n):
        most = 18446744073709551615
        return 0 > most, most > 0, 0 <= most, -1 < most, most == -1, n > most

    assert_same(f, 0)


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32])
def test_numbers_that_wrap_around_are_negative_ones_after_it(kind):
    """What is known of a number, here of a length or a constant, is not known of its low bits."""

    def f(items):
        length, constant = kind(len(items)), kind(np.int64(65535))
        return np.int64(length) % 1000, np.int64(length) < 0, np.int64(constant) % 1000

    for n in (100, 130, 40000):
        length, constant = (int(np.int64(x).astype(kind)) for x in (n, 65535))
        expected = length % 1000, length < 0, constant % 1000
        check_same(compiled(f)(np.zeros(n, np.bool_)), expected, where=str(n))


def test_remainders_around_32_bits():
    """Short numbers take another way than long and negative ones, in loops."""

    def f(a, b, out):
        last = 0
        for i in range(len(a)):
            x = (a[i] + last) % b[i]
            out[i] = x
            last = x * 0
        return last

    edges = [0, 1, 2, 3, 7, 2**31, 2**32, 2**33, 2**62]
    values = sorted({s * (e + d) for e in edges for d in (-1, 0, 1) for s in (-1, 1)})
    pairs = np.array([(x, y) for x in values for y in values if y], np.int64)
    a, b = pairs[:, 0].copy(), pairs[:, 1].copy()
    got = np.empty_like(a)
    njit(f)(a, b, got)
    assert [int(x) for x in got] == [int(x) % int(y) for x, y in pairs]
