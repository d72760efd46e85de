"""Builtin functions on scalars, boolean logic, conditional expressions, isinstance."""

import math
import operator
import re

import numpy as np
import pytest
from language.support import assert_same, check_same, compiled
from numjit import njit, types
from numjit.errors import TypingError
from numjit.experimental import jitclass


def test_min_and_max():
    def f(a, b, c):
        return min(a, b), max(a, b), min(a, b, c), max(a, b, c), min((a, b, c)), max((c, a))

    nan = float("nan")
    assert_same(f, 3, 1, 2)
    assert_same(f, -1.5, 2.5, 0.0)
    check_same(compiled(f)(1, 2.5, np.float32(0.5)), (1.0, 2.5, 0.5, 2.5, 0.5, 1.0))
    for a, b, c in ((nan, 1.0, 2.0), (1.0, nan, 2.0), (0.0, -0.0, 0.0), (-0.0, 0.0, nan)):
        assert_same(f, a, b, c)


def test_min_and_max_of_sequences():
    def f(a):
        return min(a), max(a), sum(a)

    assert_same(f, [3, 1, 2])
    assert_same(f, (2.5, -1.0))
    check_same(compiled(f)(np.array([4.0, 2.0, 8.0])), (2.0, 8.0, 14.0))


def test_min_of_nothing_raises():
    for f in (lambda a: min(a[1:]), lambda a: max(a[1:])):
        assert njit(f)([1, 2]) == 2
        with pytest.raises(ValueError):
            njit(f)([1])


def test_min_and_max_by_a_key_and_a_default():
    def keys(words, numbers, n):
        d = {1: 3.0, 2: 1.0, 3: 2.0}
        return (
            max(words, key=len),
            min(words, key=lambda w: (-len(w), w)),
            max("hello", key=lambda c: -ord(c)),
            min(numbers, key=abs),
            max(numbers, key=lambda x: x % 3),
            min(d, key=lambda k: d[k]),
            max(d.items(), key=lambda item: item[1]),
            min((x * x - 4 * x for x in range(n)), key=lambda v: v + 1),
            min(2, -3, 1, key=lambda x: -x),
            max((1, 2.5), (3, 0.5), key=lambda p: p[1]),
            max({n, n + 1, n + 2}, key=lambda v: v % 2 == 0),
            max(range(n), key=lambda i: (i * 7) % 5),
        )

    words = ["aaa", "b", "cc", "ddd"]
    assert_same(keys, words, np.array([3.0, -1.0, 2.0]), 11)

    def defaults(l, n):
        return (
            min(l[:n], default=7),
            max(l[:n], default=-1),
            max((x for x in l[:n]), default=0),
            min(l[:n], key=lambda x: -x, default=5),
            max((), default=2),
        )

    assert_same(defaults, [3, 1, 2], 0)
    assert_same(defaults, [3, 1, 2], 2)

    @njit
    def nothing(l):
        return max(l[:0], default=None)

    assert nothing([1]) is None

    @njit
    def empty(l):
        return max(l[:0], key=lambda x: x)

    with pytest.raises(ValueError, match="empty") as error:
        empty([1])
    with pytest.raises(ValueError, match=f"^{re.escape(str(error.value))}$"):
        max([])

    @njit
    def both(a, b):
        return min(a, b, default=1)

    with pytest.raises(TypeError, match="multiple positional"):
        both(1, 2)


def test_min_and_max_of_what_compares():
    def tuples(a, b):
        return min(a, b), max((1, "b"), (1, "a")), min("ab", "aa"), max([1, 2], [1, 3])

    assert_same(tuples, (1, 2.0), (1, 1.5))

    @jitclass([("v", types.int64)])
    class Card:
        def __init__(self, v):
            self.v = v

        def __lt__(self, other):
            return self.v < other.v

    @njit
    def cards(a, b):
        return min(Card(a), Card(b)).v, max(Card(a), Card(b)).v

    assert cards(3, 5) == (3, 5) and cards(5, 3) == (3, 5)


def test_sum():
    def f(t, start):
        return sum(t), sum(t, start), sum([x * 2 for x in t])

    assert_same(f, (1, 2, 3), 10)
    assert_same(f, [0.5, 0.25], 1)
    assert_same(f, (1, 2.5), 0)


def test_sum_of_ranges_and_generatorless_loops():
    def f(n):
        return sum(range(n)), len(range(n)), len(range(3, n, 2)), len(range(n, 0, -3))

    for n in (0, 1, 10, 11):
        assert_same(f, n)


def test_abs():
    def f(x):
        return abs(x)

    for x in (-3, 3, -2.5, -0.0, 3 - 4j, np.float32(-1.5), np.uint8(200), True):
        assert_same(f, x)
    assert compiled(f)(np.int8(-128)) in (128, -128)


def test_divmod():
    def f(a, b):
        q, r = divmod(a, b)
        return q, r, q * b + r

    for a, b in ((7, 2), (-7, 2), (7, -2), (-7, -2), (7.5, -2.0), (-7.5, 2), (True, 2)):
        assert_same(f, a, b)


def test_pow():
    def f(a, b):
        return pow(a, b)

    for a, b in ((2, 10), (2.0, 10), (2, 0.5), (1j, 2), (4.0, -0.5)):
        assert_same(f, a, b, rtol=1e-15)


def test_calls_without_arguments():
    def f():
        return int(), float(), complex(), bool()

    assert_same(f)


def test_complex_of_two_parts():
    def f(a, b):
        return complex(a, b), complex(b, a)

    for a, b in ((1, 2), (1.5, -0.0), (np.float32(1), 2), (True, 3.0)):
        assert_same(f, a, b)


# -- truth -----------------------------------------------------------------------------------------


def test_and_or_give_operands():
    def f(a, b):
        return a and b, a or b, not a, not (a and b)

    for a in (0, 1, 5):
        for b in (0, 2):
            assert_same(f, a, b)
    for a in (0.0, -0.0, 2.5, float("nan")):
        assert_same(f, a, 1.5)
    for a in (False, True):
        assert_same(f, a, True)


def test_short_circuit():
    def f(a, i):
        return i < len(a) and a[i] > 0 or i == 100

    for i in (0, 1, 2, 100):
        assert_same(f, (1.0, -1.0), i)


def test_short_circuit_prevents_errors():
    def f(a, b):
        return b != 0 and a // b > 1, b == 0 or a % b == 0

    for b in (0, 1, 5):
        assert_same(f, 10, b)


def test_nested_conditions():
    def f(a, b, c):
        if (a and not b) or (b and not (a or c)):
            return 1
        elif not (a or b or c):
            return 2
        elif a and b and c:
            return 3
        return 4

    for bits in range(8):
        assert_same(f, bool(bits & 1), bool(bits & 2), bool(bits & 4))
        assert_same(f, bits & 1, bits & 2, float(bits & 4))


def test_conditional_expressions():
    def f(x):
        sign = 1 if x > 0 else -1 if x < 0 else 0
        return sign, float(x) if x > 2 else 2.5, x < 3 if x else True

    for x in (-3, 0, 1, 5):
        assert_same(f, x)


def test_chained_comparisons():
    def f(a, b, c):
        return a < b < c, a <= b == c, a < b > c, 0 <= a < 10, a == b == c, not a < b < c

    for a in (1, 2, 3):
        for b in (1, 2.5):
            for c in (0, 2.5, 9):
                assert_same(f, a, b, c)


def test_chained_comparison_evaluates_once():
    @njit
    def count(calls):
        calls[0] += 1
        return calls[0]

    def f():
        calls = np.zeros(1, np.int64)
        r = 0 < count(calls) < 5
        return r, calls[0]

    assert njit(f)() == (True, 1)


def test_is_none():
    def f(x):
        return x is None, x is not None, x == None  # noqa: E711

    assert_same(f, None)
    assert_same(f, 3)


def test_bool_identity():
    def f(a):
        return a is True, a is False, a == True  # noqa: E712

    for a in (False, True):
        assert_same(f, a)


# -- isinstance -----------------------------------------------------------------------------------


def test_isinstance():
    def f(x):
        return (
            isinstance(x, int), isinstance(x, float), isinstance(x, complex), isinstance(x, bool),
            isinstance(x, tuple), isinstance(x, list), isinstance(x, (int, float)),
            isinstance(x, np.ndarray), isinstance(x, (tuple, list)),
        )  # fmt: skip

    for x in (1, 2.5, 1j, (1, 2), (1, 2.5), [1], np.zeros(2)):
        assert_same(f, x)


def test_isinstance_prunes():
    def f(x):
        if isinstance(x, tuple):
            return len(x)
        elif isinstance(x, (int, float)):
            return x + 1
        else:
            return x.shape[0]

    assert_same(f, (1, 2, 3))
    assert_same(f, 1.5)
    assert_same(f, np.zeros(4))


def test_isinstance_of_numpy_types():
    def f(x):
        return isinstance(x, np.int32), isinstance(x, np.floating), isinstance(x, np.integer)

    for x in (np.int32(1), np.float32(1), np.uint8(1)):
        assert_same(f, x)


def test_print(capfd):
    @njit
    def f(i, x, z):
        print(i, x, z, i > 0)
        print("text", (i, x), None)
        print()
        print(np.float32(x), 1e300, -0.0)

    f(3, 0.1, 1 - 2j)
    out = capfd.readouterr().out.splitlines()
    assert out[0] == "3 0.1 (1-2j) True"
    assert out[1] == "text (3, 0.1) None"
    assert out[2] == ""
    assert out[3].split()[1:] == ["1e+300", "-0.0"]


def test_unknown_arguments_are_typing_errors():
    for wrong in (
        lambda x: len(x),
        lambda x: x[0],
        lambda x: abs((x, x)),
        lambda x: int(x, 10),
        lambda x: max(),
        lambda x: x in 3,
    ):
        with pytest.raises(TypingError):
            njit(wrong)(3)


def test_range_forms():
    def f(a, b, c):
        n = 0
        for i in range(a, b, c):
            n = n * 3 + i
        for i in range(a, b):
            n = n * 2 - i
        for i in range(b):
            n += i
        return n

    for a, b, c in ((0, 10, 3), (10, 0, -2), (5, 5, 1), (-5, 5, 2), (3, -3, -1), (0, 10, -1)):
        assert_same(f, a, b, c)


def test_lengths_of_huge_ranges():
    def f(a, b):
        return len(range(b, 0)), len(range(0, a, 7)), len(range(a, 0, b)), len(range(a, b))

    assert_same(f, 2**63 - 1, -(2**63 - 1) + 2**62)


@pytest.mark.parametrize("step", [1, 2, 3, -1, -2, -3])
def test_lengths_beyond_int64(step):
    def length(start, stop, step):
        return len(range(start, stop, step))

    ends = (-(2**63), 2**63 - 1)[:: 1 if step > 0 else -1]
    if abs(step) == 3:
        assert njit(length)(*ends, step) == length(*ends, step)
        return
    with pytest.raises(OverflowError, match="too large to convert to C ssize_t"):
        length(*ends, step)
    with pytest.raises(OverflowError, match="too large to convert to C ssize_t"):
        njit(length)(*ends, step)


_END = 2**63 - 1


@pytest.mark.parametrize(
    "bounds",
    [(_END - 5, _END, 3), (_END - 5, _END, _END), (0, _END, 2**61), (-_END - 1, _END, 2**62),
     (-_END + 4, -_END - 1, -3), (_END, -_END - 1, -(2**62)), (5, -_END - 1, -_END - 1)],
)  # fmt: skip
def test_steps_over_the_end_of_int64(bounds):
    def through(start, stop, step):
        last, count = 0, 0
        for i in range(start, stop, step):
            last, count = i, count + 1
        return last, count, list(range(start, stop, step)), len(range(start, stop, step))

    assert njit(through)(*bounds) == through(*bounds)


def test_the_step_of_a_range_object_is_any():
    def through(r, other):
        return [i for i in (r if other else range(0, 7, 2))], [i for i in r]

    for r in (range(3, 40, 9), range(9, -9, -4), range(5)):
        for other in (True, False):
            assert njit(through)(r, other) == through(r, other)


def test_range_step_zero():
    def f(n):
        t = 0
        for i in range(0, 5, n):
            t += i
        return t

    assert_same(f, 0)
    assert_same(f, 2)


def test_enumerate_and_zip():
    def f(a, b):
        t = 0.0
        for i, x in enumerate(a):
            t += i * x
        for i, x in enumerate(a, 5):
            t -= i * x
        for x, y in zip(a, b):
            t += x * y
        for i, (x, y) in enumerate(zip(a, b)):
            t += i + x - y
        for x, y, i in zip(a, b, range(2)):
            t += i * y
        return t

    assert_same(f, (1.0, 2.0, 4.0), (3.0, 5.0, 7.0))
    assert_same(f, [1.5, 2.5], [1.0, 2.0, 3.0])
    assert_same(f, np.arange(4.0), [1.0, 2.0])


def test_in():
    def f(x, t):
        return x in t, x not in t

    for x in (1, 2, 7):
        assert_same(f, x, (1, 2, 3))
        assert_same(f, x, [1, 2, 3])
        assert_same(f, x, np.array([1, 2, 3]))
    assert_same(f, 2, (1, 2.0))


def test_in_range():
    def f(x, n):
        return x in range(n), x in range(1, n, 3), x in range(n, 0, -2)

    for x in range(-1, 8):
        assert_same(f, x, 7)
    for x in (1.5, 4.0, 4 + 0j, 4 + 1j, np.complex64(4), True, "4", None, (4,)):
        assert_same(f, x, 7)


@pytest.mark.parametrize("x", [0, 1, -1, 255, -256, 2**62, -(2**63)])
def test_methods_of_integers(x):
    def f(x):
        return x.bit_length(), x.bit_count(), x.conjugate(), x.real, x.imag

    assert_same(f, x)


def test_methods_of_numbers():
    def is_integer(x):
        return x.is_integer()

    for x in (1.0, 2.5, -3.0, 1e300, float("inf"), float("nan")):
        assert_same(is_integer, x)
    assert compiled(lambda x: x.item())(np.float32(2.5)) == 2.5


def test_hypot_of_any_number():
    def f(a, b, c):
        return math.hypot(), math.hypot(a), math.hypot(a, b), math.hypot(a, b, c)

    for args in [(3.0, 4.0, 12.0), (0.0, 0.0, 0.0), (1e200, 1e200, -1e200), (1, 2, 2.0)]:
        assert_same(f, *args, rtol=1e-15)
    assert compiled(f)(1.0, float("nan"), float("inf"))[3] == float("inf")


@pytest.mark.parametrize("r", [range(10), range(2, 11, 3), range(10, 0, -4), range(3, 3)])
def test_items_and_parts_of_ranges(r):
    def f(r, i):
        return r[i], r[1:], r[::-1], r[-3:2:-1], bool(r)

    def find(r, x):
        return r.index(x), r.count(x), r.count(x + 100), r == range(10), r != r[::-1]

    for i in (0, -1, 2):
        assert_same(f, r, i)
    for x in (2, 10):
        assert_same(find, r, x)


def test_bounds_of_slices():
    def f(s, n):
        return s.indices(n)

    for n in (0, 1, 5):
        for s in (
            slice(None),
            slice(1, None),
            slice(None, -1),
            slice(-3, 2),
            slice(None, None, -1),
            slice(7, -7, -2),
            slice(1, 4, 2),
        ):
            assert_same(f, s, n)


def test_truth_of_what_has_no_length():
    def f(a):
        return bool(zip(a, a)), bool(enumerate(a)), not range(0)

    assert_same(f, [1, 2])


def test_least_of_tuples():
    def f(a, b):
        return min(a, b), max(a, b), max(a, b, (0, 9.5))

    assert_same(f, (1, 2.5), (1, 2.0))


def test_sums_of_arrays():
    """Items with dimensions: the sum begins with 0 + the first one."""

    def f(a, n):
        rolled = sum(np.roll(a, i) for i in range(n))
        return rolled, sum([a, a * 2]), sum(a[None] * 2), sum(a.reshape(2, -1)), sum((a, a), a)

    for dtype in (np.int8, np.int64, np.float32, np.complex128):
        assert_same(f, np.arange(6).astype(dtype), 3)
    assert_same(lambda a: sum((a[i] for i in range(0)), np.zeros(2)), np.ones((2, 2)))
    with pytest.raises(ValueError, match="no arrays"):
        njit(lambda a, n: sum(a for i in range(n)))(np.ones(2), 0)


@pytest.mark.parametrize("x", [0, -5, True, np.uint8(7), np.int16(-7), np.uint64(2**64 - 1), 2**63])
def test_digits(x):
    def f(x):
        return bin(x), oct(x), hex(x), operator.index(x)

    assert_same(f, x)


@pytest.mark.parametrize("f", [bin, oct, hex], ids=["bin", "oct", "hex"])
def test_digits_of_other_values(f):
    for x in (1.5, "a", 1j):
        with pytest.raises(TypeError):
            f(x)
        with pytest.raises(TypingError):
            njit(lambda x: f(x))(x)
