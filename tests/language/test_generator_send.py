"""What is sent into generators, and what they return: compared with the interpreter's."""

import gc

import numpy as np
import pytest
from language.engine import live_blocks
from numjit import njit
from numjit.errors import TypingError

# -- generators --------------------------------------------------------------------------------


def steps(n):
    t = 0
    while t < n:
        x = yield t
        t += 1 if x is None else x
    return t * 100


def averages():
    total, count, average = 0.0, 0, 0.0
    while True:
        x = yield average
        total += x
        count += 1
        average = total / count


def receives_only():
    total = 0.0
    while True:
        x = yield
        if x is None:
            continue
        total += x
        if total > 10:
            return total


def keeps_what_is_sent(n):
    a = yield 0
    for i in range(n):
        yield i
    b = yield a if a is not None else -1
    return (a, b)


def items_then_count(n):
    for i in range(n):
        yield i
    return n * 2


def texts(words):
    found = ""
    for word in words:
        found += word
        yield word
    return found


def arrays(n):
    a = np.zeros(n)
    for i in range(n):
        a[i] = i
        yield i
    return a


def maybe(n):
    for i in range(n):
        if i == 3:
            return None
        yield i
    return n


def outer(n):
    r = yield from items_then_count(n)
    yield -1
    s = yield from items_then_count(r)
    return r + s


def forwards(n):
    r = yield from steps(n)
    yield r
    return r + 1


def over_other_things(n):
    a = yield from range(n)
    b = yield from [10, 20]
    return a is None and b is None


def walk(n):
    if n > 0:
        yield from walk(n - 1)
        yield n
        yield from walk(n - 1)


def counted_walk(n):
    if n <= 0:
        return 1
    yield n
    a = yield from counted_walk(n - 1)
    b = yield from counted_walk(n - 2)
    return a + b


def even_walk(n):
    yield n
    if n > 0:
        yield from odd_walk(n - 1)


def odd_walk(n):
    yield -n
    if n > 0:
        for x in even_walk(n - 1):
            yield x


def flat(a, low, high):
    if high - low == 1:
        yield a[low]
    elif high > low:
        middle = (low + high) // 2
        yield from flat(a, low, middle)
        yield from flat(a, middle, high)


jitted = {
    f.__name__: njit(f)
    for f in (
        steps,
        averages,
        receives_only,
        keeps_what_is_sent,
        items_then_count,
        texts,
        arrays,
        maybe,
        walk,
        counted_walk,
        even_walk,
        odd_walk,
        flat,
        outer,
        forwards,
        over_other_things,
    )
}


# -- from Python -------------------------------------------------------------------------------


def driven(generator, script):
    """What a generator does when it is sent the items of a script."""
    done = []
    for value in script:
        try:
            done.append(generator.send(value))
        except Exception as error:
            value = error.value if isinstance(error, StopIteration) else None
            done.append((type(error), value))
    return done


def same(a, b):
    return len(a) == len(b) and all(map(equal, a, b))


def equal(x, y):
    if isinstance(x, tuple):
        return isinstance(y, tuple) and len(x) == len(y) and all(map(equal, x, y))
    if isinstance(x, np.ndarray):
        return isinstance(y, np.ndarray) and np.array_equal(x, y)
    x, y = (each.item() if isinstance(each, np.generic) else each for each in (x, y))
    return type(x) is type(y) and x == y


@pytest.mark.parametrize(
    "function, arguments, script",
    [
        (steps, (10,), [None, 3, None, 4, 100, None, 1]),
        (steps, (0,), [None, None]),
        (steps, (10,), [5, None, 5]),
        (averages, (), [None, 10.0, 20.0, 3.5]),
        (receives_only, (), [None, 1.0, 2.5, None, 9.0, None]),
        (keeps_what_is_sent, (2,), [None, 7, None, 8, 9, 10]),
        (keeps_what_is_sent, (0,), [None, None, 5]),
        (items_then_count, (2,), [None] * 4),
        (texts, (("ab", "c"),), [None] * 4),
        (arrays, (3,), [None] * 5),
        (maybe, (2,), [None] * 4),
        (maybe, (5,), [None] * 6),
        (outer, (2,), [None] * 12),
        (forwards, (10,), [None, 3, None, 4, 100, None, 1]),
        (over_other_things, (2,), [None] * 6),
        (walk, (3,), [None] * 9),
        (counted_walk, (4,), [None] * 9),
        (even_walk, (3,), [None] * 6),
        (flat, (np.arange(5.0), 0, 5), [None] * 7),
    ],
)
def test_sent_from_python(function, arguments, script):
    made = jitted[function.__name__](*arguments)
    assert same(driven(made, script), driven(function(*arguments), script))


def test_return_values_are_those_of_stop_iteration():
    def ends(generator):
        for _ in generator:
            pass
        try:
            next(generator)
        except StopIteration as stop:
            return stop.value

    def first_end(generator):
        while True:
            try:
                next(generator)
            except StopIteration as stop:
                return stop.value

    for function, arguments in ((items_then_count, (3,)), (texts, (("x", "y"),)), (maybe, (2,))):
        made = jitted[function.__name__]
        assert first_end(made(*arguments)) == first_end(function(*arguments))
        assert ends(made(*arguments)) is ends(function(*arguments)) is None

    def interpreted(generator):
        return (yield from generator)

    assert first_end(interpreted(jitted["items_then_count"](4))) == 8


def test_sent_values_that_do_not_fit():
    generator = jitted["steps"](10)
    next(generator)
    with pytest.raises(TypeError, match="compiled to be sent int64"):
        generator.send("x")
    assert generator.send(2) == 2  # it waits where it did
    generator = njit(items_then_count)(3)
    next(generator)
    with pytest.raises(TypeError, match="to be sent nothing"):
        generator.send(1)
    assert next(generator) == 1


def test_nothing_leaks():
    def run():
        for function, arguments in ((arrays, (3,)), (texts, (("a", "b" * 20),)), (outer, (3,))):
            for stop in range(6):
                generator = jitted[function.__name__](*arguments)
                for _ in zip(range(stop), generator):
                    pass

    run()
    gc.collect()
    before = live_blocks()
    run()
    gc.collect()
    assert live_blocks() == before


# -- in compiled code --------------------------------------------------------------------------


def test_sent_in_compiled_code():
    def make(steps, averages, receives_only):
        def run(values):
            generator = steps(20)
            a = next(generator)
            b = generator.send(3)
            c = next(generator)
            mean = averages()
            next(mean)
            last = 0.0
            for v in values:
                last = mean.send(v)
            return a, b, c, last

        def to_the_end(values):
            generator = receives_only()
            next(generator)
            taken = 0
            for v in values:
                try:
                    generator.send(v)
                except StopIteration:
                    return taken
                taken += 1
            return -1

        return run, to_the_end

    python = make(steps, averages, receives_only)
    mine = make(jitted["steps"], jitted["averages"], jitted["receives_only"])
    values = np.array([1.0, 2.0, 4.0, 8.0])
    for f, g in zip(python, mine, strict=True):
        assert njit(g)(values) == f(values)


def test_sent_to_a_generator_that_is_passed_on():
    g = jitted["steps"]

    @njit
    def push(generator, x):
        return generator.send(x)

    @njit(inline="never")
    def push_far(generator, x):
        return generator.send(x)

    @njit
    def f(n):
        generator = g(n)
        next(generator)
        return push(generator, 2), push_far(generator, 3), next(generator)

    assert f(50) == (2, 5, 6)
    from_python = g(50)
    next(from_python)
    assert push(from_python, 4) == 4 and from_python.send(1) == 5


def test_types_that_are_sent_join():
    def f(g):
        generator = g(100.0)
        next(generator)
        return generator.send(1), generator.send(2.5), next(generator)

    def g(n):
        t = 0.0
        while t < n:
            x = yield t
            t += 1.0 if x is None else x

    compiled_g = njit(g)
    assert njit(lambda: f(compiled_g))() == f(g)


def test_just_started():
    g = jitted["steps"]

    @njit
    def f(n):
        generator = g(n)
        try:
            generator.send(3)
        except TypeError:
            return next(generator) + 1000
        return 0

    assert f(5) == 1000


def test_return_values_in_compiled_code():
    def total(g, n):
        t = 0
        for x in g(n):
            t = t * 3 + x
        return t

    for function in (outer, forwards, walk, counted_walk, even_walk):
        made = jitted[function.__name__]
        for n in range(6):
            assert njit(lambda n, made=made: total(made, n))(n) == total(function, n)


def test_values_of_stop_iteration_in_compiled_code():
    g = jitted["items_then_count"]

    @njit
    def f(n):
        generator = g(n)
        for _ in range(n):
            next(generator)
        try:
            next(generator)
        except StopIteration as stop:
            return stop.value
        return -1

    assert f(3) == 6


def test_recursion_over_a_tree_of_arrays():
    made = jitted["flat"]

    @njit
    def total(a):
        t = 0.0
        for x in made(a, 0, len(a)):
            t = t * 0.5 + x
        return t

    def expected(a):
        t = 0.0
        for x in flat(a, 0, len(a)):
            t = t * 0.5 + x
        return t

    a = np.arange(33.0)
    assert total(a) == expected(a)


def test_recursion_without_end_is_an_error():
    @njit
    def endless(n):
        yield from endless(n + 1)
        yield n

    with pytest.raises(RecursionError):
        for _ in endless(0):
            pass


def test_returns_of_types_that_do_not_go_together():
    @njit
    def f(n):
        yield n
        if n:
            return "a"
        return range(1)

    with pytest.raises(TypingError, match="Cannot unify"):
        f(1)


def test_sent_to_what_cannot_take_it():
    @njit
    def f():
        r = yield from [1, 2]
        return r

    generator = f()
    assert next(generator) == 1
    with pytest.raises((AttributeError, TypeError)):
        generator.send(1)
