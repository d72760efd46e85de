"""docs/semantics.md: integer typing, overflow, exact comparison, bounds checks. Its programs run in
test_docs.py."""

import re

import numpy as np
import pytest
from language.support import compiled
from numjit import config, njit
from numjit.dump import dump_function
from numjit.errors import NumbaTypeSafetyWarning, TypingError

INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
EDGES = {dtype: [np.iinfo(dtype).min, np.iinfo(dtype).max, 0, 1] for dtype in INTEGERS}


@pytest.mark.parametrize("a", INTEGERS)
def test_comparison_is_exact(a):
    def f(x, y):
        return x < y, x <= y, x == y, x != y, x > y, x >= y

    for b in INTEGERS:
        for x in EDGES[a]:
            for y in EDGES[b]:
                wanted = f(int(x), int(y))
                assert compiled(f)(np.dtype(a).type(x), np.dtype(b).type(y)) == wanted


BIG = 2**62


@pytest.mark.parametrize(
    "f, args",
    [
        (lambda x, y: x + y, (BIG, BIG)),
        (lambda x, y: x - y, (-BIG, BIG + 1)),
        (lambda x, y: x * y, (BIG, -3)),
        (lambda x, y: x**y, (10, 19)),
        (lambda x, y: x << y, (1, 63)),
        (lambda x, y: x // y, (-(2**63), -1)),
        (lambda x, y: -x, (-(2**63), 0)),
        (lambda x, y: x + y, (np.uint64(2**64 - 1), np.uint64(1))),
        (lambda x, y: x - y, (np.uint64(1), np.uint64(2))),
    ],
)
def test_overflow_raises(f, args):
    with pytest.raises(OverflowError, match="integer overflow in "):
        njit(overflow="raise")(f)(*args)
    njit(f)(*args)  # wraps


def test_no_overflow():
    def f(x, y):
        total = 0
        for i in range(x):
            total += i * y - i
        return total, x**y, x << y, -x // y, x - y

    assert njit(overflow="raise")(f)(9, 5) == f(9, 5)
    assert njit(overflow="raise")(lambda x, y: x**y)(-2, 63) == -(2**63)
    a = np.array([2**62])
    assert njit(overflow="raise")(lambda a: a * 4)(a)[0] == 0  # arrays wrap


def test_overflow_names_the_line():
    @njit(overflow="raise")
    def f(x):
        y = x + 1
        return y * x

    with pytest.raises(OverflowError) as info:
        f(2**62)
    assert info.traceback[-1].lineno + 1 == f.py_func.__code__.co_firstlineno + 3


def test_strict_ints():
    def join(a, b, c):
        return a if c else b

    with pytest.raises(TypingError, match="would become a float64"):
        njit(strict_ints=True)(join)(np.uint64(1), 1, True)
    with pytest.raises(TypingError, match="strict_ints"):
        njit(strict_ints=True)(lambda a, b: a + b)(np.ones(2, np.uint64), np.ones(2, np.int64))
    assert njit(strict_ints=True)(join)(np.uint32(1), 1, True) == 1
    assert njit(strict_ints=True)(lambda a, b: a < b)(np.uint64(1), 2)


def test_boundscheck_message():
    @njit(boundscheck=True)
    def f(a, i, j):
        return a[i, j]

    a = np.arange(6.0).reshape(2, 3)
    assert f(a, 1, -3) == 3.0
    for i, j, axis, size in ((2, 0, 0, 2), (0, 3, 1, 3), (-3, 0, 0, 2), (0, -4, 1, 3)):
        with pytest.raises(IndexError) as info:
            f(a, i, j)
        bad = i if axis == 0 else j
        assert str(info.value) == f"index {bad} is out of bounds for axis {axis} with size {size}"

    for f in (lambda a: a[-4, 0], lambda a: a[0, 3], lambda a: a[-3, -1]):
        with pytest.raises(IndexError):
            njit(boundscheck=True)(f)(a)

    @njit(boundscheck=True)
    def g(a, i):
        a[i] = 1.0

    with pytest.raises(IndexError, match="index 9 is out of bounds for axis 0 with size 2"):
        g(a[:, 0], np.uint64(9))


def test_options_are_checked():
    with pytest.raises(Exception, match="overflow"):
        njit(overflow="trap")(lambda x: x)


def test_warning_of_integers(monkeypatch):
    monkeypatch.setattr(config, "warn_int_to_float", True)

    @njit
    def f(a, b, c):
        x = a
        if c:
            x = b
        return x

    with pytest.warns(NumbaTypeSafetyWarning, match="and becomes a float64") as caught:
        assert f(np.uint64(1), 2, True) == 2.0
    assert caught[0].filename == __file__


def reflect(a):
    t = 0.0
    n = len(a)
    for i in range(n):
        t += a[n - 1 - i] * a[-i - 1]
    for i in range(n - 1, -1, -1):
        t += a[i]
    return t


def triangle(a):
    t = 0.0
    for i in range(len(a)):
        for j in range(i):
            t += a[j] + a[i - j - 1]
    return t


def halves(a):
    t = 0.0
    for i in range(len(a) // 2):
        t += a[2 * i] - a[2 * i + 1]
    return t


def stencil(a):
    out = np.zeros(len(a) - 2)
    for i in range(len(out)):
        for k in range(3):
            out[i] += a[i + k]
    for i in range(1, len(a) - 1):
        out[i - 1] += a[i - 1] + a[i + 1]
    return out.sum()


@pytest.mark.parametrize("function", [reflect, triangle, halves, stencil])
def test_checks_of_loop_indices_are_dropped(function):
    checked = njit(boundscheck=True)(function)
    a = np.arange(7.0) ** 2
    assert checked(a) == function(a)
    assert "IndexError" not in checked.inspect_llvm(checked.signatures[0])


def test_an_index_of_a_loop_is_not_counted_from_the_end():
    @njit(boundscheck=True)
    def product(a, b):
        t = 0.0
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                t += a[i, j] * b[j]
        return t

    # Of b's length nothing is known: it takes one test.
    text = dump_function(product, "(float64[:,::1], float64[::1])", "typed")
    assert text.count("scalar.ge") == 1
    with pytest.raises(IndexError, match="index 2 is out of bounds for axis 0 with size 2"):
        product(np.ones((1, 3)), np.ones(2))


def marked(w, out, n, m):
    for i in range(n):
        out[0] = i + 0.5
        for j in range(m):
            for k in range(len(out)):
                out[k] += w[i, j, k]


def divided(w, out, n, m):
    for i in range(len(out)):
        for j in range(m):
            out[i] += (n + j) % m // n + w[j, n - 1, 0]


def countdown(w, out, n, m):
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            for k in range(2):
                out[k] += w[j, 0, i]


@pytest.mark.parametrize("function", [marked, divided, countdown])
def test_checks_that_leave_loops_fail_where_and_when_they_did(function):
    checked = njit(boundscheck=True)(function)
    w = np.arange(24.0).reshape(2, 3, 4)
    for n in range(-1, 6):
        for m in range(5):
            for size in range(6):
                got, wanted = np.zeros(size), np.zeros(size)
                errors = []
                for f, out in ((checked, got), (function, wanted)):
                    try:
                        f(w, out, n, m)
                        errors.append(None)
                    except IndexError as error:
                        errors.append(str(error))
                    except ZeroDivisionError:
                        errors.append("division")
                assert errors[0] == errors[1], (n, m, size)
                np.testing.assert_array_equal(got, wanted)


def test_checks_in_try_blocks_stay_in_their_loops():
    """The handler reads what the loop has assigned."""

    @njit(boundscheck=True)
    def caught(w, n, m, d):
        last = -1.0
        try:
            for i in range(n):
                last = i * 0.5
                for k in range(m):
                    last += int(w[i, k]) // d
        except IndexError:
            return last + 100
        except ZeroDivisionError:
            return last + 200
        finally:
            last += 1
        return last

    w = np.arange(6.0).reshape(2, 3)
    for n in range(4):
        for m in range(5):
            for d in (0, 1, 2):
                assert caught(w, n, m, d) == caught.py_func(w, n, m, d)


BOUNDS = ("n", "n - m", "n - m + 1", "n // 2", "(n + 1) // 2", "n // 2 + 1", "m")
INDICES = ("i + j", "i - j", "n - 1 - i", "n - i", "2 * i + j % 2", "i + m - 1", "2 * i + 1", "j")


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("outer", BOUNDS)
def test_no_check_is_dropped_that_could_fail(outer, index):
    scope = {}
    inner = ("m", "i", "n - i", "2")
    for k, bound in enumerate(inner):
        exec(
            f"def f{k}(a, m):\n n = len(a)\n t = 0.0\n"
            f" for i in range({outer}):\n  for j in range({bound}):\n   t += a[{index}]\n return t",
            scope,
        )
    for k in range(len(inner)):
        function = scope[f"f{k}"]
        checked = njit(boundscheck=True)(function)
        for size in (0, 1, 2, 5, 6):
            for m in (-1, 0, 1, 2, 4):
                a = np.arange(size) + 1.0
                try:
                    expected = function(a, m)
                except IndexError as error:
                    with pytest.raises(IndexError, match=re.escape(str(error))):
                        checked(a, m)
                else:
                    assert checked(a, m) == expected
