"""The with statement over objects of compiled classes."""

import contextlib
import warnings

import numpy as np
import pytest
from language.support import assert_same, compiled
from numjit import float64, int64, njit
from numjit.errors import TypingError
from numjit.experimental import jitclass


class PlainTrace:
    def __init__(self, swallow):
        self.swallow = swallow
        self.events = 0

    def __enter__(self):
        self.events = self.events * 10 + 1
        return self

    def __exit__(self, kind, value, traceback):
        self.events = self.events * 10 + (2 if kind is None else 3)
        return self.swallow


Trace = jitclass([("swallow", int64), ("events", int64)])(PlainTrace)


def both(f, *args):
    """What the function gives with the compiled class, compiled, and with the plain one."""

    def outcome(function, cls):
        trace = cls(args[0])
        try:
            return function(trace, *args[1:]), trace.events
        except Exception as error:
            return type(error), str(error), trace.events

    assert outcome(compiled(f), Trace) == outcome(f, PlainTrace)


def test_enter_and_exit():
    def f(trace, x):
        with trace as t:
            y = x + t.events
        return y

    both(f, 0, 5)


def test_what_is_entered_may_be_anything():
    @jitclass([("x", float64)])
    class Other:
        def __init__(self, x):
            self.x = x

        def __enter__(self):
            return self.x, 2

        def __exit__(self, *args):
            self.x = -1.0

    @njit
    def f(x):
        manager = Other(x)
        with manager as (a, b):
            r = a * b
        return r, manager.x

    assert f(2.5) == (5.0, -1.0)


@pytest.mark.parametrize("swallow", [0, 1])
@pytest.mark.parametrize("x", [0, 1])
def test_exceptions(swallow, x):
    def f(trace, x):
        with trace:
            if x == 0:
                raise ValueError("no")
            x = 10 // x
        return x

    both(f, swallow, x)


@pytest.mark.parametrize("n", range(6))
def test_ways_out_of_the_block(n):
    def f(trace, n):
        total = 0
        for i in range(5):
            with trace as t:
                if i == n:
                    break
                if i % 2:
                    continue
                total += t.events % 10
                if n == 5 and i == 4:
                    return -total
        return total

    both(f, 0, n)


def test_nested_blocks_and_handlers():
    def f(trace, n):
        total = 0
        try:
            with trace as a, trace as b:
                total += a.events + b.events
                with trace:
                    total += 10 // n
        except ZeroDivisionError:
            total += 1000000
        finally:
            total += 1
        return total

    both(f, 0, 0)
    both(f, 0, 5)
    both(f, 1, 0)


def test_inner_functions_beside_a_block():
    def f(trace, n):
        def fall(k):
            return k if k < 2 else fall(k - 1) + 1

        with trace:
            total = fall(n)
        return total

    both(f, 0, 5)


def test_values_without_the_methods():
    @njit
    def f(x):
        with x:
            return 1

    with pytest.raises(TypingError, match="__enter__"):
        f(1)


# -- contextlib, NumPy, warnings ---------------------------------------------------------------


@contextlib.contextmanager
def logged(log, swallow):
    log.append(1)
    try:
        yield len(log)
    except ZeroDivisionError:
        log.append(2)
        if not swallow:
            raise
    except KeyError as e:
        raise IndexError("other") from e
    finally:
        log.append(3)


@contextlib.contextmanager
def plain(log):
    log.append(1)
    yield
    log.append(2)


@contextlib.contextmanager
def yields_nothing(log):
    if len(log) > 100:
        yield 1


@contextlib.contextmanager
def yields_twice(log):
    yield 1
    yield 2


@pytest.mark.parametrize("swallow", [False, True])
@pytest.mark.parametrize("a", [0, 1, 2, 3])
def test_generators_as_context_managers(swallow, a):
    def f(log, swallow, a):
        x = -1
        with logged(log, swallow) as n:
            log.append(n)
            if a == 2:
                raise KeyError("k")
            if a == 3:
                return -5
            x = 10 // a
            log.append(x)
        return x

    def outcome(function):
        log = [7]
        try:
            return function(log, swallow, a), log
        except Exception as error:
            return type(error), log

    assert outcome(compiled(f)) == outcome(f)


def test_generators_without_try_as_context_managers():
    def f(log, a):
        with plain(log), plain(log):
            log.append(10 // a)
        return len(log)

    def outcome(a, function):
        log = [7]
        try:
            return function(log, a), log
        except ZeroDivisionError:
            return log

    for a in (0, 1):
        assert outcome(a, compiled(f)) == outcome(a, f)


def test_generators_that_are_no_context_managers():
    def nothing(log):
        with yields_nothing(log) as x:
            return x

    def twice(log):
        with yields_twice(log) as x:
            log.append(x)

    for f, error in [(nothing, "generator didn't yield"), (twice, "generator didn't stop")]:
        for function in (f, compiled(f)):
            with pytest.raises(RuntimeError, match=error):
                function([7])


def test_compiled_generator_as_context_manager():
    entered = contextlib.contextmanager(njit(logged.__wrapped__))

    def f(log):
        with entered(log, True) as n:
            log.append(n)
            log[0] = 7 // (len(log) - 3)
        return len(log)

    log = [7]
    assert njit(f)(log) == 5
    assert log == [7, 1, 2, 2, 3]


def test_suppress_and_nullcontext():
    def f(a):
        x = 0
        with contextlib.suppress(ZeroDivisionError, IndexError):
            x = 10 // a
        with contextlib.nullcontext(x + 1) as y, contextlib.nullcontext() as z:
            return x, y, z

    for a in (0, 2):
        assert_same(f, a)

    def other(a):
        with contextlib.suppress(IndexError):
            a = 10 // a
        return a

    with pytest.raises(ZeroDivisionError):
        compiled(other)(0)


def test_errstate():
    def f(a):
        with np.errstate(divide="ignore", invalid="ignore"), np.errstate(all="ignore"):
            return a / 0.0

    assert_same(f, np.array([0.0, 1.0, -1.0]))
    with pytest.raises(TypingError, match="floating-point errors"):
        njit(lambda: np.errstate(all="raise"))()


def test_catch_warnings():
    def f(text, quiet):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore" if quiet else "error")
            warnings.warn(text)
        return 1

    def by_class(text):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", category=RuntimeWarning)
            warnings.warn(text, RuntimeWarning)
        return 2

    filters = list(warnings.filters)
    for function in (f, njit(f)):
        assert function("quiet", True) == 1
        with pytest.raises(UserWarning, match="loud"):
            function("loud", False)
    for function in (by_class, njit(by_class)):
        assert function("quiet") == 2
    assert warnings.filters == filters
    with pytest.raises(TypingError, match="no arguments"):
        njit(lambda: warnings.catch_warnings(record=True))()
