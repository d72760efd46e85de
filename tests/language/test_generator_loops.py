"""Loops over generators that live and die in them: no frame is left, nothing else changes."""

import traceback

import numpy as np
import pytest
from language.engine import live_blocks
from language.support import assert_same
from numjit import njit


def count(n):
    i = 0
    while i < n:
        yield i
        i += 1


def nest(n):
    for i in range(n):
        for j in range(i):
            if (i + j) % 3 == 0:
                continue
            yield i, j


def several(n):
    yield -1
    for i in range(n):
        if i % 2:
            yield i
        else:
            yield i * 10
            if i == 8:
                return
    yield 99


def arrays(n):
    total = np.zeros(2)
    for i in range(n):
        total = total + i
        yield total


def delegating(n):
    yield from count(n)
    for k in range(2):
        yield from several(k + n)
        yield 1000


def handling(n):
    for i in range(n):
        try:
            yield 12 // (i - 2)
        except ZeroDivisionError:
            yield -5


def raising(n):
    for i in range(n):
        yield 12 // (3 - i)


def cleaning(log, n):
    try:
        for i in range(n):
            yield i
    finally:
        log[0] += 1


def jitted(*generators):
    """Names under which compiled functions see generators, and the interpreter's see plain ones."""
    return [njit(generator) for generator in generators]


def same(function, generators, *args):
    """`function(*generators)` makes the function over them, compiled or plain."""
    before = live_blocks()
    expected = outcome(lambda: function(*generators)(*args))
    actual = outcome(lambda: njit(function(*jitted(*generators)))(*args))
    np.testing.assert_equal(actual, expected)
    del actual
    assert live_blocks() == before


def outcome(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__


@pytest.mark.parametrize("n", [0, 1, 4, 11])
@pytest.mark.parametrize("generator", [count, several, delegating, handling, raising])
def test_scalars(generator, n):
    def make(generator):
        def f(n):
            s, last = 0, -7
            for v in generator(n):
                if v == 4:
                    continue
                s = s * 3 + v
                last = v
                if s > 10**15:
                    break
            else:
                s = -s
            return s, last

        return f

    same(make, (generator,), n)


@pytest.mark.parametrize("n", [0, 1, 6])
def test_tuples(n):
    def make(nest):
        def f(n):
            s = 0
            for k, (i, j) in enumerate(nest(n)):
                s += k * i - j
            return s

        return f

    same(make, (nest,), n)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_counted_values(n):
    def make(arrays):
        def f(n):
            kept, s = [], 0.0
            for a in arrays(n):
                s += a[0]
                if len(kept) < 3:
                    kept.append(a)
                for b in arrays(2):
                    s += b[1] * a[1]
            return kept, s

        return f

    same(make, (arrays,), n)


def test_left_early():
    def make(arrays, several):
        def f(n):
            for a in arrays(n):
                for v in several(n):
                    if v > 3:
                        break
                if a[0] > 2:
                    return a[1] + v
            return -1.0

        return f

    for n in (1, 3, 9):
        same(make, (arrays, several), n)


def test_several_in_one_loop():
    def make(count, several):
        def f(n):
            s = 0
            for u, v in zip(count(n), several(n)):
                s = s * 2 + u * v
            for u in count(3):
                for v in several(u):
                    s ^= u * v
            return s

        return f

    for n in (0, 2, 7):
        same(make, (count, several), n)


def test_zip_asks_none_behind_one_that_has_ended():
    def make(count):
        def f(n):
            g, h = count(n), count(2)
            s = 0
            for a, b in zip(range(3), g):
                s += a * b
            for a, (b, c) in zip(g, enumerate(h)):
                s = s * 5 + a * b * c
            for a, b in zip(h, g):
                s += a * b + 1000
            for a, b in zip((), g):
                s += 1
            return s, next(g), next(h, -1)

        return f

    same(make, (count,), 20)


def test_asked_by_hand():
    def make(count):
        def f(n):
            g = count(n)
            first = next(g)
            s = first
            for v in g:
                s = s * 5 + v
                if v == 3:
                    s += next(g, 100)
            return s, next(g, -1)

        return f

    for n in (0, 1, 3, 4, 5, 8):
        same(make, (count,), n)


def test_handed_on():
    def make(count):
        def total(values):
            s = 0
            for v in values:
                s += v
            return s

        total = njit(total) if hasattr(count, "py_func") else total

        def f(n):
            return total(count(n)), sum(count(n)), max(count(n + 1)), list(count(n))

        return f

    for n in (0, 5):
        same(make, (count,), n)


@pytest.mark.parametrize("n", [0, 3, 4, 9])
def test_in_a_try(n):
    def make(raising, arrays):
        def f(n):
            done, s = 0, 0.0
            try:
                for v in raising(n):
                    done += 1
                    for a in arrays(2):
                        s += a[0] * v
                done += 100
            except ZeroDivisionError:
                done = -done
            finally:
                s += 1
            return done, s

        return f

    same(make, (raising, arrays), n)


def test_raised_in_the_body():
    def make(arrays):
        def f(n):
            s = 0.0
            for a in arrays(n):
                s += a[0]
                try:
                    if s > 2:
                        raise ValueError(n)
                    s += 1 // (n - 2)
                except ZeroDivisionError:
                    s += 0.5
            return s

        return f

    for n in (1, 2, 5):
        same(make, (arrays,), n)


def test_finally_in_a_generator_that_ends():
    log = np.zeros(1)
    clean = njit(cleaning)

    @njit
    def f(log, n):
        s = 0
        for v in clean(log, n):
            s += v
        return s

    assert f(log, 4) == 6 and log[0] == 1


def test_tracebacks_name_the_generator():
    steps = njit(raising)

    @njit
    def f(n):
        s = 0
        for v in steps(n):
            s += v
        return s

    with pytest.raises(ZeroDivisionError) as caught:
        f(5)
    innermost = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert innermost.name == "raising" and innermost.line == "yield 12 // (3 - i)"


def test_expressions():
    def f(a, k):
        s = 0
        for x in (v * k for v in a if v > 1):
            s = s * 10 + x
        for x, y in ((u, v) for u in a for v in a if u < v):
            s ^= x * y
        return s

    assert_same(f, np.array([3, 1, 2, 5]), 7)


def test_expressions_that_functions_consume():
    def f(a, n):
        total, k = 0, 0
        for i in range(3):
            k += n
            total += sum(x * k for x in a if x > i)
        longest = max(sum(x * y for y in a if y < x) for x in a)
        try:
            longest += min(x for x in a if x > 100)
        except ValueError:
            longest = -longest
        return total, longest, sum(1.5 * x for x in a), max((x, -x) for x in a)

    assert_same(f, np.array([3, 1, 2, 5]), 2)
    assert_same(f, [4, 1, 2], -1)

    def assigns(a):
        y = 0
        return sum((y := x) for x in a), y

    assert_same(assigns, [4, 1, 2])


def test_code_behind_the_last_yield_beside_code_that_is_never_left():
    """What only unreachable functions call stays as long as they do."""

    def one(values):
        yield 7
        {"key": sorted(list(range(3)), key=lambda v: v % (len("") + 3))}

    def program(generator):
        def f(items):
            for _ in "abc":
                backwards = reversed(items)
                items = list(backwards)[:5] + list(backwards)
                raise AssertionError(str(100))
            return list(generator(np.full((3, 2), 0.5)))[:20]

        return f

    with pytest.raises(AssertionError, match="100"):
        njit(program(njit(one)))([1, 2, 3])
