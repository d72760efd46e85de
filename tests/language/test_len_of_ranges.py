"""Lengths of ranges whose end is beyond 64 bits, and sets of ranges."""

import pytest
from numjit import njit

BEYOND = [
    "range(2**70)",
    "range(5, 2**70)",
    "range(-3, 2**70)",
    "range(0, 2**100, 2)",
    "range(0, -2**70, -1)",
    "range(2**63)",
]


def function_of(text):
    scope = {}
    exec(f"def f(n):\n    return {text}\n", scope)
    return scope["f"]


@pytest.mark.parametrize("text", BEYOND)
def test_too_long(text):
    for f in (function_of(f"len({text})"), njit(function_of(f"len({text})"))):
        with pytest.raises(OverflowError, match="too large to convert to C ssize_t"):
            f(0)


@pytest.mark.parametrize(
    "text",
    [
        "len(range(5, -2**70))",
        "len(range(2**63 - 1))",
        "len(range(-5, 2**63 - 6))",
        "len(range(n, 2**70, -1))",
        "len(range(9) if n else range(2**70))",
        "sum([i for i, _ in zip(range(2**70), range(n))])",
        "sum([i for i, _ in zip(range(0, -2**70, -3), range(n))])",
        "range(2**70)[7]",
        "list(range(2**70)[3:n])",
        "n in range(2**70)",
    ],
)
def test_values(text):
    assert njit(function_of(text))(9) == function_of(text)(9)


def first_square_above(n):
    for i in range(10**30):
        if i * i > n:
            return i
    return -1


def test_endless_loops():
    assert njit(first_square_above)(10**6) == first_square_above(10**6)


@pytest.mark.parametrize("n", [-3, 0, 1, 7, 100, 50_000])
def test_sets_of_ranges(n):
    def f(n):
        s = set(range(n))
        s |= set(range(n, n + 5))
        s.add(-7)
        t = frozenset(range(0, n, 3))
        return len(s), -7 in s, n // 2 in s, len(t), n // 2 in t

    assert njit(f)(n) == f(n)


def test_sets_of_containers():
    def f(items):
        s = set(items)
        t = set(s)
        t.discard(items[0])
        u = set([x % 3 for x in items])
        return sorted(s), sorted(t), sorted(u), len(set({1: 2, 3: 4})), len(set("hello"))

    items = [k * k % 1000 for k in range(3000)]
    assert njit(f)(items) == f(items)
