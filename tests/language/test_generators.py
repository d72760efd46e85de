"""Generators: state machines over a frame, in compiled loops and as Python iterators."""

import gc

import numpy as np
import pytest
from language.engine import live_blocks
from language.support import assert_same, compiled
from numjit import njit, typeof
from numjit.errors import TypingError


def count(n):
    i = 0
    while i < n:
        yield i
        i += 1


def several_places(n):
    yield -1
    for i in range(n):
        if i % 3 == 0:
            continue
        yield i
        if i == 7:
            return
        yield i * 10
    yield 99


def fibonacci():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


def pairs(a):
    for i, x in enumerate(a):
        for y in a[:i]:
            yield x, y


def nothing(n):
    if n > 100:
        yield 1.5


def arrays(n):
    total = np.zeros(2)
    for i in range(n):
        total = total + i
        yield total


def items_of_lists(n):
    rows = [np.zeros(1)]
    for i in range(n):
        rows.append(np.full(2, float(i)))
        yield rows[i]


def delegating(n, a):
    yield from range(n)
    for _ in range(2):
        yield from count(n)
        yield 100
    yield from [7, n]
    yield from (x * 2 for x in a if x != n)
    yield from (1, 2)


def delegating_in_handlers(n):
    try:
        for i in range(n):
            yield from range(i)
        yield 1 // (n - 3)
    except ZeroDivisionError:
        yield from range(3)


@pytest.mark.parametrize(
    "generator, args",
    [
        (delegating, (3, [0, 1, 2, 3])),
        (delegating, (0, [5])),
        (delegating_in_handlers, (3,)),
        (delegating_in_handlers, (4,)),
        (count, (5,)),
        (count, (0,)),
        (several_places, (5,)),
        (several_places, (30,)),
        (pairs, (np.arange(4.0),)),
        (pairs, ([3, 1, 2],)),
        (nothing, (3,)),
        (arrays, (4,)),
        (items_of_lists, (4,)),
    ],
)
def test_as_python_iterators(generator, args):
    made = compiled(generator)(*args)
    assert iter(made) is made
    for expected in generator(*args):
        actual = next(made)
        assert np.array_equal(actual, expected) and type(actual) is type(expected)
    assert list(made) == []


def test_in_compiled_loops():
    inner = compiled(several_places)

    @njit
    def f(n):
        total = 0
        for x in inner(n):
            if x == 20:
                continue
            total = total * 3 + x
        return total

    def plain(n):
        total = 0
        for x in several_places(n):
            if x == 20:
                continue
            total = total * 3 + x
        return total

    for n in (0, 1, 5, 30):
        assert f(n) == plain(n)


def test_infinite_and_left_early():
    fib = compiled(fibonacci)

    @njit
    def below(n):
        last = 0
        for x in fib():
            if x >= n:
                break
            last = x
        return last

    assert below(100) == 89
    made = fib()
    assert [next(made) for _ in range(8)] == [0, 1, 1, 2, 3, 5, 8, 13]


def test_next_in_compiled_code():
    start = compiled(count)

    @njit
    def f(n):
        g = start(n)
        a = next(g)
        b = next(g)
        return a, b, next(g, -5), next(g, -6)

    assert f(3) == (0, 1, 2, -6)
    with pytest.raises(StopIteration) as caught:
        f(1)
    assert caught.value.args == ()


def test_what_is_held_is_released():
    before = live_blocks()
    make = compiled(arrays)
    made = make(10)
    next(made)
    kept = next(made)
    assert live_blocks() > before
    made.close()
    with pytest.raises(StopIteration):
        next(made)
    assert np.array_equal(kept, [1.0, 1.0])
    del kept, made
    unfinished = compiled(items_of_lists)(5)
    next(unfinished)
    del unfinished
    unstarted = make(3)
    del unstarted
    gc.collect()
    assert live_blocks() == before


def test_arguments_live_as_long_as_the_generator():
    made = compiled(pairs)(np.arange(50.0) + 1)  # nobody else holds the array
    gc.collect()
    junk = [np.full(50, -1.0) for _ in range(20)]
    assert list(made)[:3] == [(2.0, 1.0), (3.0, 1.0), (3.0, 2.0)]
    del junk


def test_the_machine_code_lives_as_long_as_the_generator():
    @njit
    def local(n):
        for i in range(n):
            yield i * 2

    made = local(3)
    del local
    gc.collect()
    assert list(made) == [0, 2, 4]


def test_as_arguments_and_results():
    start = compiled(count)

    @njit
    def total(g):
        s = 0
        for x in g:
            s += x
        return s

    @njit
    def both(n):
        return start(n), start(n + 1)

    assert total(start(5)) == 10
    a, b = both(3)
    next(a)
    assert total(a) == 3 and list(a) == [] and total(b) == 6
    assert str(typeof(start(3))).startswith("int64 generator(")


def test_zip_and_enumerate():
    start = compiled(count)

    @njit
    def f(n):
        s = 0
        for i, x in enumerate(start(n)):
            s += i * x
        for x, y in zip(start(n), start(2 * n)):
            s += x * y
        return s

    assert f(5) == 60


def test_generators_in_generators():
    start = compiled(count)

    def nested(n):
        for i in start(n):
            for j in start(i):
                yield i * 10 + j

    assert list(njit(nested)(4)) == [10, 20, 21, 30, 31, 32]


def test_exceptions():
    @njit
    def f(n):
        for i in range(n):
            if i == 2:
                raise ValueError("two", n)
            yield 10 // (1 - i)

    made = f(5)
    assert next(made) == 10
    with pytest.raises(ZeroDivisionError):
        next(made)
    with pytest.raises(StopIteration):
        next(made)

    @njit
    def g(n):
        done = 0
        while True:
            try:
                if done == 2:
                    raise ValueError(n)
                yield done
                done += 1
            except ValueError:
                yield -1
                return

    assert list(g(3)) == [0, 1, -1]


def test_generator_expressions():
    def f(a, k):
        s = 0
        for x in (v * k for v in a if v > 1):
            s += x
        return s, sum(v + k for v in a), list(v for v in a), max(v % k for v in a)

    assert_same(f, [1, 2, 3, 4], 3)

    def inner(n):
        def squares(m):
            for i in range(m):
                yield i * i + n

        s = 0
        for x in squares(n):
            s += x
        return s

    assert_same(inner, 4)


@pytest.mark.parametrize("q", [True, False])
def test_generator_over_a_conditional_iterable(q):
    def f(n, q):
        return sum(v % 11 for v in ([x * n for x in range(n)] if q else [x for x in range(3)]))

    def g(n, q):
        kept = [v for v in ({x for x in range(n)} if q else {n})]
        return max(v for v in kept) + sum([v for v in (kept if q else [n])])

    assert_same(f, 7, q)
    assert_same(g, 7, q)


def test_refused():
    @njit
    def mixed(n):
        yield n
        yield range(n)

    with pytest.raises(TypingError, match="Cannot unify"):
        mixed(3)


def test_iter():
    def first_and_rest(values):
        iterator = iter(values)
        first = next(iterator)
        rest = 0
        for value in iterator:
            rest = rest * 10 + value
        return first, rest, next(iterator, -1)

    assert_same(first_and_rest, [1, 2, 3])
    assert_same(first_and_rest, (1, 2, 3))
    assert_same(first_and_rest, range(1, 4))
    assert_same(first_and_rest, np.array([4, 5]))

    def others(text, values):
        pairs = iter(zip(text, values))
        generator = iter(i * i for i in range(3))
        return next(pairs), next(pairs), next(iter(text)), list(iter(generator))

    assert_same(others, "ab", [1, 2])

    def too_far(values):
        iterator = iter(values)
        next(iterator)
        return next(iterator)

    assert_same(too_far, [1, 2])
    with pytest.raises(StopIteration):
        compiled(too_far)([1])


def test_a_generator_outlives_its_function():
    def maker(k):
        def numbers(n):
            for i in range(n):
                if i == 2:
                    raise ValueError("two", i)
                yield i + k

        return njit(numbers)(5)

    for k in range(8):
        generator = maker(k)
        gc.collect()
        beside = [bytearray(200) for _ in range(100)]  # where the function was
        assert next(generator) == k and len(beside) == 100
        with pytest.raises(ValueError, match="two"):
            list(generator)


def test_methods_of_the_protocol():
    def f(n):
        g = (i * 2 for i in range(n))
        return g.__next__(), next(g), sum(g.__iter__())

    assert_same(f, 5)


def steps(log):
    for i in range(4):
        try:
            log.append(i)
            yield i
        except ValueError:
            log.append(100 + i)
        finally:
            log.append(200 + i)


@pytest.mark.parametrize("value", ["ValueError", "ValueError('x', 1)", "KeyError('k')"])
def test_throw(value):
    space = {"steps": steps}
    exec(
        f"""
def f(log):
    g = steps(log)
    a = next(g)
    b = g.throw({value})
    return a, b, next(g), sum(g)
def caught(log):
    g = steps(log)
    next(g)
    try:
        g.throw({value})
        log.append(-1)
    except KeyError as e:
        log.append(-2)
    x = next(g, -3)
    g.close()
    return x
def before_it_begins(log):
    g = steps(log)
    try:
        g.throw({value})
    except (ValueError, KeyError):
        log.append(-1)
    return next(g, -2)
""",
        space,
    )
    if "KeyError" not in value:
        assert_same(space["f"], [9])
    assert_same(space["caught"], [9])
    assert_same(space["before_it_begins"], [9])


def test_throw_of_what_was_caught():
    def f(log, a):
        g = steps(log)
        x = next(g)
        try:
            x += 10 // a
        except ZeroDivisionError as e:
            try:
                g.throw(e)
            except ZeroDivisionError:
                x = -1
        g.close()
        return x

    for a in (0, 3):
        assert_same(f, [9], a)


def test_throw_at_the_last_yield():
    def f(log):
        g = steps(log)
        for x in g:
            if x == 3:
                break
        try:
            g.throw(ValueError)
        except StopIteration:
            log.append(-1)
        return next(g, -2)

    assert_same(f, [9])


def stubborn(log):
    for _ in range(2):
        try:
            yield 1
        except BaseException:
            log.append(5)
    raise IndexError


def test_close():
    def once(log, k):
        g = steps(log)
        for _ in range(k):
            next(g)
        g.close()
        g.close()
        return next(g, -2)

    def ignored(log):
        g = stubborn(log)
        next(g)
        try:
            g.close()
        except RuntimeError:
            log.append(6)
        try:
            g.throw(KeyError)
        except IndexError:
            log.append(7)
        return len(log)

    for k in range(4):
        assert_same(once, [9], k)
    assert_same(ignored, [9])


def test_what_generators_hold_is_released_when_they_are_closed():
    def f(n):
        def parts(a):
            for i in range(n):
                b = a[i:] + i
                yield b.sum()

        g = parts(np.ones(n))
        s = next(g)
        g.close()
        return s

    for n in (1, 50):
        assert_same(f, n)


def test_declared_results():
    """A call gives a generator whatever the signature says, as in Numba."""
    for signature in ("void()", "int64()"):

        @njit(signature)
        def made():
            yield 10

        @njit("int64()")
        def used():
            return next(made())

        assert used() == 10 and list(made()) == [10]
