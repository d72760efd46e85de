"""The with statement over objects of compiled classes."""

import pytest
from language.support import compiled
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
