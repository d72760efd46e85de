"""Inner functions that functools.cache or lru_cache decorates keep their results."""

import functools
import functools as ft
import threading
from functools import cache, lru_cache

import numpy as np
import pytest
from language.support import Programs, assert_same, compiled
from numjit import njit
from numjit.errors import TypingError, UnsupportedError

PROGRAMS = Programs()
program = PROGRAMS.add


@program(80)
def fibonacci(n):
    @lru_cache(None)
    def fib(k):
        return k if k < 2 else fib(k - 1) + fib(k - 2)

    return fib(n)


@program("abcbdab" * 5, "bdcaba" * 5)
def longest_common(s, t):
    @functools.lru_cache(maxsize=None)
    def lcs(i, j):
        if i == len(s) or j == len(t):
            return 0
        if s[i] == t[j]:
            return 1 + lcs(i + 1, j + 1)
        return max(lcs(i + 1, j), lcs(i, j + 1))

    return lcs(0, 0)


@program([3, 4, 5, 9, 4] * 6, [3, 4, 4, 10, 4] * 6, 50)
def knapsack(weights, values, capacity):
    @lru_cache(maxsize=1024)
    def best(i, left):
        if i < 0:
            return 0
        found = best(i - 1, left)
        if weights[i] <= left:
            found = max(found, values[i] + best(i - 1, left - weights[i]))
        return found

    return best(len(weights) - 1, capacity)


@program(np.zeros((12, 12), bool))
def paths(grid):
    rows, columns = grid.shape

    @ft.cache
    def count(i, j):
        if i == rows - 1 and j == columns - 1:
            return 1
        total = 0
        for di, dj in ((1, 0), (0, 1)):
            if i + di < rows and j + dj < columns and not grid[i + di, j + dj]:
                total += count(i + di, j + dj)
        return total

    return count(0, 0)


@program(7)
def calls_are_counted(n):
    calls = [0]

    @cache
    def square(k):
        calls[0] += 1
        return k * k

    return [square(i % 3) for i in range(n)], calls[0]


@program(5)
def made_in_a_loop(n):
    out = []
    for m in range(3):

        @cache
        def f(k):
            return 0 if k == 0 else m + f(k - 1)

        out.append(f(n))
    return out


@program(3)
def defaults_and_exceptions(n):
    @lru_cache
    def f(k, s="x"):
        try:
            if k == 0:
                raise ValueError("zero")
            return len(s) + f(k - 1, s)
        except ValueError:
            return 0

    return f(n), f(n, "yy"), f(n, s="yy")


@program(3)
def raises(n):
    @cache
    def f(k):
        if k < 0:
            return k
        if k == 0:
            raise ValueError("zero")
        return f(k - 1)

    return f(-n), f(n)


@program(4)
def parameter_that_changes(n):
    @cache
    def f(k):
        k = k + 1
        return k

    return f(n), f(n), f(n + 1)


@program("forgeeksskeegfor")
def palindromes(text):
    @cache
    def is_palindrome(i, j):
        return i >= j or (text[i] == text[j] and is_palindrome(i + 1, j - 1))

    found = [
        (j - i + 1, text[i : j + 1])
        for i in range(len(text))
        for j in range(i, len(text))
        if is_palindrome(i, j)
    ]
    return max(found)


@program(12)
def sums_over_generators(n):
    @cache
    def catalan(k):
        return 1 if k <= 1 else sum(catalan(i) * catalan(k - 1 - i) for i in range(k))

    return [catalan(i) for i in range(n)]


@program(40)
def given_to_others(n):
    @cache
    def steps(k):
        return 0 if k == 1 else 1 + steps(k // 2 if k % 2 == 0 else 3 * k + 1)

    return max(range(1, n), key=steps), list(map(steps, range(1, 5)))


@program(3)
def two_of_them(n):
    @cache
    def double(k):
        return 2 * k

    @lru_cache(None)
    def total(k):
        return 0 if k == 0 else double(k) + total(k - 1)

    return total(n), double(n)


@program(6)
def results_that_are_containers(n):
    @cache
    def parts(k):
        if k == 0:
            return [0]
        return [*parts(k - 1), k]

    return parts(n), parts(n)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    function, arguments = PROGRAMS[name]
    assert_same(function, *arguments)


def test_a_cache_is_needed():
    """Without one it would take 10^16 calls."""
    assert compiled(fibonacci)(80) == 23416728348467685


def test_threads():
    results = [None] * 16

    def work(i):
        results[i] = compiled(fibonacci)(60 + i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [fibonacci(60 + i) for i in range(16)]


@lru_cache(maxsize=None)
def partitions(n, most=None):
    if most is None:
        most = n
    if n == 0:
        return 1
    return sum([partitions(n - k, min(k, n - k)) for k in range(1, most + 1)])


@functools.cache
def lattice(i, j=0, *, step=1):
    if i <= 0 or j <= 0:
        return 1
    return lattice(i - step, j, step=step) + lattice(i, j - step, step=step)


@cache
def alike(s, t, i=0, j=0):
    if i == len(s) or j == len(t):
        return 0
    if s[i] == t[j]:
        return 1 + alike(s, t, i + 1, j + 1)
    return max(alike(s, t, i + 1, j), alike(s, t, i, j + 1))


@ft.lru_cache
def steps(n):
    return 0 if n == 1 else 1 + steps(n // 2 if n % 2 == 0 else 3 * n + 1)


@program(40)
def of_the_module(n):
    longest = max([steps(k) for k in range(1, n)])
    return partitions(n, n), lattice(16, j=16), lattice(30, 30, step=2), longest


@program("abcbdab" * 5, "bdcaba" * 5)
def texts_of_the_module(s, t):
    return alike(s, t)


def test_functions_of_the_module_are_compiled_for_several_types():
    @njit
    def f(n):
        return steps(n), steps(np.uint8(7)), lattice(n, n, step=3)

    assert f(27) == (111, steps(7), lattice(27, 27, step=3))


def test_what_is_refused():
    @njit
    def arrays(x):
        @cache
        def f(v):
            return v.sum()

        return f(x)

    @njit
    def each_other(n):
        @cache
        def even(k):
            return k == 0 or odd(k - 1)

        @cache
        def odd(k):
            return k != 0 and even(k - 1)

        return even(n)

    with pytest.raises(TypingError, match="unhashable"):
        arrays(np.ones(3))
    with pytest.raises(UnsupportedError, match="odd"):
        each_other(3)
