"""Programs that were refused, each for a class of them: containers that recursion returns,
annotations of inner functions, merges."""

import heapq
import sys
from dataclasses import dataclass, field
from typing import Callable, Optional

import numpy as np
import pytest
from language.support import assert_same


def moves(n):
    def hanoi(n, a, b, c):
        if n == 0:
            return []
        return hanoi(n - 1, a, c, b) + [(a, c)] + hanoi(n - 1, b, a, c)

    return hanoi(n, "A", "B", "C")


def named(n):
    def names(n):
        if n == 0:
            return {}
        found = names(n - 1)
        found[n] = str(n)
        return found

    return sorted(names(n).items())


def subsets(n):
    def of(items):
        if not items:
            return [[]]
        rest = of(items[1:])
        return rest + [[items[0]] + each for each in rest]

    return of([i / 2 for i in range(n)])


def partitions(n):
    def parts(n, most):
        if n == 0:
            return [[]]
        found = []
        for k in range(min(n, most), 0, -1):
            for rest in parts(n - k, k):
                found.append([k] + rest)
        return found

    return parts(n, n)


def texts(n):
    def path(n):
        if n == 0:
            return []
        found = path(n - 1)
        found.append(str(n))
        return found

    return path(n)


def annotated(n):
    def f(x: Optional[int] = None, y: list[int] | None = None) -> Callable[[int], float]:
        if x is None:
            return 0
        return x * 2

    def g(x: "unknown", *, k: np.ndarray = 2) -> dict[str, float]:  # noqa: F821
        total: Optional[int] = x
        return total + k

    return f(), f(n), g(n), g(n, k=3)


def merged(n):
    a, b = sorted([i * 7 % 5 for i in range(n)]), [i / 2 for i in range(n)]
    down = heapq.merge(a[::-1], [1, 0], reverse=True)
    by_last = heapq.merge([(1, "a"), (0, "b")], [(5, "a")], key=lambda item: item[1])
    return [float(x) for x in heapq.merge(b, a, [0.5])], list(down), list(by_last)


def limits(n):
    return n * sys.float_info.epsilon, sys.float_info.max, sys.float_info.dig


@dataclass
class Account:
    balance: float = 0.0
    history: list[float] = field(default_factory=list)
    tags: dict[str, int] = field(default_factory=dict)
    seen: set = field(default_factory=set)
    weights: np.ndarray = field(default_factory=lambda: np.zeros(2))

    def add(self, x):
        self.balance += x
        self.history.append(x)
        self.tags["n"] = len(self.history)
        return self


def fields_made_anew(n):
    a, b = Account(), Account(2.0, [n * 0.5], seen={n})
    a.seen.add(n + 1)
    for i in range(n):
        a.add(i * 0.5).add(1.0)
    b.weights[1] += n
    return a.history, sorted(a.tags.items()), len(a.seen), b.history, a.weights, b.weights


@pytest.mark.parametrize(
    "program",
    [moves, named, subsets, partitions, texts, annotated, merged, limits, fields_made_anew],
    ids=lambda program: program.__name__,
)
def test_programs(program):
    for n in (0, 1, 4):
        assert_same(program, n)
