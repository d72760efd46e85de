"""Loops over ranges whose step is known when they run only."""

import numpy as np
import pytest
from numjit import njit

LAST = 2**63 - 1


@njit
def total(a, step):
    if step < 1 or step > 1000:
        return -1
    found = 0
    for i in range(0, len(a), step):
        found += a[i] + i
    return found


@njit
def backwards(a, step):
    if step < -1000 or step > -1:
        return -1
    found = 0
    for i in range(len(a) - 1, -1, step):
        found += a[i]
    return found


@njit
def wraps(a, start, step):
    found = 0
    if 0 < step < 50:
        for i in range(start, len(a), step):
            found += a[i] * (i % 7)
    return found


@njit
def near_the_end(start, stop, step):
    count, last = 0, 0
    if 0 < step < 2**40:
        for i in range(start, stop, step):
            count, last = count + 1, i
    return count, last


@njit
def changes(n, step):
    steps = 0
    if 0 < step < 10:
        for i in range(0, n, step):
            steps += i
            step = 7
    return steps


@njit
def sieve(n):
    prime = np.ones(n + 1, np.bool_)
    prime[:2] = False
    for p in range(2, 100):
        if prime[p]:
            for k in range(p * p, n + 1, p):
                prime[k] = False
    return prime.sum()


@pytest.mark.parametrize("n", [0, 1, 2, 17, 1000])
@pytest.mark.parametrize("step", [-2000, -3, -1, 0, 1, 2, 5, 16, 17, 999, 1000, 1001, LAST])
def test_steps(n, step):
    a = np.arange(n) ** 2
    for function in (total, backwards):
        assert function(a, step) == function.py_func(a, step)
    for start in (-n, -1, 0, 3) if n > 1 else (0,):
        assert wraps(a, start, step) == wraps.py_func(a, start, step)


@pytest.mark.parametrize("start", [0, LAST - 2**41, LAST - 5, LAST])
@pytest.mark.parametrize("stop", [LAST, LAST - 1])
def test_the_end_of_int64(start, stop):
    for step in (2**39, 2**40 - 1):
        numbers = range(start, stop, step)
        want = (len(numbers), numbers[-1] if numbers else 0)
        assert near_the_end(start, stop, step) == want


def test_loops_that_change_their_step():
    for step in (1, 2, 9):
        assert changes(20, step) == changes.py_func(20, step)


def test_sieve():
    assert sieve(9000) == sieve.py_func(9000) == 1117
