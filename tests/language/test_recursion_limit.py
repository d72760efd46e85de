"""Runaway recursion is a RecursionError, at any depth of the stack and in any thread."""

import threading

import numpy as np
import pytest
from language.engine import ENGINE
from numjit import njit
from numjit.errors import TypingError

pytestmark = pytest.mark.skipif(ENGINE != "numjit", reason="others die of it")


@njit
def down(n):
    if n == 0:
        return 0
    return down(n - 1) + 1


@njit
def ping(n):
    return 0 if n == 0 else pong(n - 1) + 1


@njit
def pong(n):
    return 0 if n == 0 else ping(n - 1) + 1


@njit
def with_arrays(a, n):
    b = a + 1.0
    if n == 0:
        return b.sum()
    return with_arrays(b, n - 1) + b[0]


def test_deep_but_finite():
    assert down(5000) == 5000


def test_self():
    for _ in range(3):
        with pytest.raises(RecursionError, match="maximum recursion depth exceeded"):
            down(-1)
    assert down(10) == 10


def test_mutual():
    with pytest.raises(RecursionError):
        ping(-1)


def test_memory_is_released():
    with pytest.raises(RecursionError):
        with_arrays(np.zeros(3), -1)


def test_in_a_thread():
    results = []

    def run():
        try:
            down(-1)
        except RecursionError as error:
            results.append(str(error))
        results.append(down(100))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert results == ["maximum recursion depth exceeded", 100]


def test_through_a_caller():
    @njit
    def f(n):
        return down(n) * 2

    with pytest.raises(RecursionError):
        f(-1)
    assert f(5) == 10


def test_result_that_holds_itself():
    @njit
    def nest(x):
        x = np.atleast_1d(x)
        if len(x) > 1:
            return list(map(lambda y: nest(y), x))
        return np.zeros(3)

    with pytest.raises(TypingError):
        nest(np.arange(2.0))
