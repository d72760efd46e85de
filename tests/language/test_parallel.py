"""Loops over prange and array expressions with parallel=True: the values of the sequential program,
whatever the number of threads."""

import warnings

import numpy as np
import pytest
from language.engine import ENGINE
from language.parallel_loops import parallel, same, values
from numjit import njit, prange

pytestmark = pytest.mark.skipif(ENGINE != "numjit", reason="compares with numjit's own rules")


# -- reductions ----------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32, np.complex128])
def test_sums_and_products(dtype):
    def f(a):
        s = 0
        d = 1.5
        p = 1.0
        for i in prange(a.size):
            s += a[i]
            d -= a[i]
            p *= 1 + abs(a[i]) * 0.001
        return s, d, p

    if dtype == np.float32:
        a = values(dtype=dtype)
        got, want = parallel(f)(a), f(a.astype(np.float64))
        np.testing.assert_allclose(got, want, rtol=1e-3)
    else:
        same(f, values(dtype=dtype))


@pytest.mark.parametrize("n", [0, 1, 2, 127, 128, 129, 1000])
def test_lengths(n):
    def f(n):
        s = 10
        for i in prange(n):
            s += i
        return s

    assert parallel(f)(n) == 10 + sum(range(n))


@pytest.mark.parametrize("bounds", [(3, 50, 1), (-5, 5, 1), (0, 100, 7), (50, -50, -3), (5, 2, 1)])
def test_ranges(bounds):
    def f(start, stop, step):
        s = 0
        for i in prange(start, stop, step):
            s += i * i
        return s

    assert parallel(f)(*bounds) == f(*bounds)


def test_division_joins_products():
    def f(a):
        p = 1.0
        for i in prange(a.size):
            p *= 2.0
            p /= 1.5
        return p

    same(f, values(20))


def test_bits():
    def f(a):
        x = 0
        y = -1
        z = 0
        for i in prange(a.size):
            x |= a[i]
            y &= a[i] | 5
            z ^= a[i]
        return x, y, z

    same(f, np.arange(3, 400, 7))


def test_extremes():
    def f(a):
        lo = np.inf
        hi = -np.inf
        x = a[0]
        y = a[0]
        for i in prange(a.size):
            lo = min(lo, a[i])
            hi = max(a[i], hi)
            x = np.minimum(x, a[i])
            y = np.maximum(y, a[i])
        return lo, hi, x, y

    same(f, values())


def test_extremes_by_comparison():
    def f(a):
        lo = a[0]
        hi = a[0]
        for i in prange(a.size):
            x = a[i]
            if x < lo:
                lo = x
            if hi < a[i]:
                hi = a[i]
        return lo, hi

    same(f, values())


def test_nan_as_in_the_loop():
    def f(a):
        hi = 0.0
        for i in prange(a.size):
            if a[i] > hi:
                hi = a[i]
        return hi

    a = values()
    a[3] = a[500] = np.nan
    same(f, a)


def test_truth():
    def f(a):
        every = True
        some = False
        both = True
        for i in prange(a.size):
            every = every and a[i] > -100
            some = some or a[i] > 100
            both &= a[i] > -100
        return every, some, both

    same(f, values())
    same(f, values() * 100)


def test_conditional_sums():
    def f(a):
        s = 0.0
        n = 0
        for i in prange(a.size):
            if a[i] > 0:
                s += a[i]
                n += 1
            elif a[i] < -3:
                s -= 1
            else:
                continue
        return s, n

    same(f, values())


def test_sums_in_inner_loops():
    def f(a):
        s = 0.0
        for i in prange(a.shape[0]):
            for j in range(a.shape[1]):
                s += a[i, j] * j
        return s

    same(f, values().reshape(50, 20))


def test_negative_zero():
    def f(a):
        s = -0.0
        for i in prange(a.size):
            s += a[i]
        return s

    assert np.signbit(parallel(f)(np.full(5, -0.0)))


def test_arrays_in_place():
    def f(a, total):
        for i in prange(a.shape[0]):
            total += a[i]
        return total

    same(f, values().reshape(50, 20), np.ones(20))


def test_arrays_in_place_change_the_argument():
    def f(a, total):
        acc = total
        for i in prange(a.shape[0]):
            acc += a[i]

    a, total = values().reshape(50, 20), np.zeros(20)
    parallel(f)(a, total)
    np.testing.assert_allclose(total, a.sum(0))


def test_arrays_not_in_place():
    def f(a, total):
        acc = total
        for i in prange(a.shape[0]):
            acc = acc + a[i]
        return acc

    same(f, values().reshape(50, 20), np.ones(20))


def test_histogram_by_rows():
    def f(a, n):
        counts = np.zeros(n, np.int64)
        for i in prange(a.size):
            one = np.zeros(n, np.int64)
            one[a[i]] += 1
            counts += one
        return counts

    same(f, np.arange(500) ** 2 % 7, 7)


def test_same_bits_for_every_number_of_threads():
    def f(a, n):
        from_n = n
        s = 0.0
        for i in prange(a.size):
            s += a[i] * from_n
        return s, np.sum(a * a)

    import numjit

    inner = parallel(f)
    a = values(100_003)
    found = set()
    before = numjit.get_num_threads()
    try:
        for n in range(1, before + 1):
            numjit.set_num_threads(n)
            found.add(inner(a, 1.1))
    finally:
        numjit.set_num_threads(before)
    assert len(found) == 1


# -- variables that are only assigned ------------------------------------------


def test_last_value():
    def f(n):
        x = -1
        for i in prange(n):
            x = i * 2
            y = x + 1
        return x, y

    same(f, 1)
    same(f, 500)


def test_last_value_of_no_iterations():
    def f(n):
        x = -1
        for i in prange(n):
            x = i
            y = i
        if n > 0:
            x += y
        return x

    same(f, 0)
    same(f, 10)

    def g(n):
        for i in prange(n):
            x = i
        return x

    with pytest.raises(UnboundLocalError, match="'x'"):
        parallel(g)(0)


def test_conditional_last_value():
    def f(a, limit):
        found = False
        where = -1
        for i in prange(a.size):
            if a[i] > limit:
                found = True
                where = i
        return found, where

    same(f, values(), 3.0)
    same(f, values(), 300.0)


def test_last_array():
    def f(n):
        x = np.zeros(3)
        for i in prange(n):
            x = np.full(3, float(i))
        return x[0]

    assert parallel(f)(100) == 99


# -- loops ---------------------------------------------------------------------


def test_stores():
    def f(a, out):
        for i in prange(1, a.size - 1):
            out[i] = a[i - 1] + 2 * a[i] + a[i + 1]
        return out

    same(f, values(), np.zeros(1000))


def test_nested():
    def f(a):
        out = np.empty(a.shape[0])
        total = 0.0
        for i in prange(a.shape[0]):
            s = 0.0
            for j in prange(a.shape[1]):
                s += a[i, j]
            out[i] = s
            total += s
        return out, total

    same(f, values(2000).reshape(40, 50))


def test_calls_inside():
    @njit
    def helper(x, y=2):
        return x * y

    def f(a):
        s = 0.0
        for i in prange(a.size):
            s += helper(a[i]) + helper(a[i], y=3)
        return s

    np.testing.assert_allclose(parallel(f)(values()), values().sum() * 5)


def test_inner_functions():
    def f(a, c):
        def g(x):
            return x * c

        s = 0.0
        for i in prange(a.size):
            s += g(a[i])
        return s

    same(f, values(), 3.0)


def test_mixed_tuples_are_unrolled():
    def f(n):
        pair = (1, 2.5)
        s = 0.0
        for i in prange(n):
            for x in pair:
                s += x * i
        return s

    same(f, 50)


def test_loops_behind_and_in_each_other():
    def f(a):
        s = 0.0
        for k in range(3):
            for i in prange(a.size):
                s += a[i]
            t = s
            for i in prange(a.size):
                t -= a[i]
            s = t + 1
        return s

    same(f, values(100))


def test_prange_without_parallel_is_range():
    def f(n):
        last = 0
        for i in prange(n):
            if i > 5:
                break
            last = last * 2 + i
        return last

    assert njit(f)(100) == f(100)
    assert list(prange(2, 6, 2)) == [2, 4]


# -- array expressions ---------------------------------------------------------


@pytest.mark.parametrize("n", [10, 200_000])
def test_array_expressions(n):
    def f(a, b):
        c = np.sqrt(a * a + b) * 2
        d = np.empty_like(c)
        d[:] = c - 1
        d += a
        e = np.full(a.size, 3.5)
        return c, d, e, np.sum(a * b), (a + b).min(), np.max(a), np.mean(c)

    random = np.random.default_rng(0)
    same(f, random.random(n), random.random(n))


def test_expressions_of_views_and_rows():
    def f(a, row):
        return a[::2] * 2 + row, (a + row).sum(), a.T + 1, a.sum(axis=0)

    same(f, values(120_000).reshape(400, 300), values(300))


def test_expressions_in_a_loop():
    def f(a):
        out = np.empty(a.shape[0])
        for i in prange(a.shape[0]):
            out[i] = np.sum(a[i] * 2 + 1)
        return out

    same(f, values(300_000).reshape(6, 50_000))


def scaled(a, out):
    for i in prange(len(a)):
        out[i] = a[i] * 2


@pytest.mark.parametrize("inline", ["always", "never"])
def test_loops_of_callees_are_parallel_as_part_of_the_caller(inline):
    callee = njit(inline=inline)(scaled)

    @njit(parallel=True)
    def f(a):
        out = np.zeros_like(a)
        callee(a, out)
        return out

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(f(np.arange(1000.0)), np.arange(1000.0) * 2)
    assert "do_scheduling_signed" in f.inspect_llvm(f.signatures[0])
    out = np.zeros(5)
    callee(np.arange(5.0), out)  # by itself it runs in one thread
    assert out.tolist() == [0, 2, 4, 6, 8]
    assert "do_scheduling_signed" not in callee.inspect_llvm(callee.signatures[0])


@pytest.mark.parametrize("n", [10, 300_001])
@pytest.mark.parametrize(
    "f",
    [
        lambda n: np.zeros(n),
        lambda n: np.ones(n, np.float32),
        lambda n: np.arange(n),
        lambda n: np.arange(0.5, n, 0.75),
        lambda n: np.linspace(-1.0, 2.5, n),
        lambda n: np.linspace(0, n, n, endpoint=False),
        lambda n: np.full(n, 7),
    ],
)
def test_arrays_are_made_without_a_warning(f, n):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        actual = njit(parallel=True)(f)(n)
    expected = njit(f)(n)
    assert actual.dtype == expected.dtype and np.array_equal(actual, expected)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
@pytest.mark.parametrize("n", [1, 300, 300_001])
def test_places_of_extremes(n, dtype):
    @njit(parallel=True)
    def f(a):
        return np.argmin(a), a.argmax()

    a = (np.random.default_rng(1).random(n) * 1000).astype(dtype)
    assert f(a) == (np.argmin(a), np.argmax(a))
    a[n // 2 :] = a[n // 2]
    assert f(a) == (np.argmin(a), np.argmax(a))
    if dtype is not np.int16:
        a[n // 3 :: 1000] = np.nan
        assert f(a) == (np.argmin(a), np.argmax(a))
    with pytest.raises(ValueError, match="empty sequence"):
        f(a[:0])
