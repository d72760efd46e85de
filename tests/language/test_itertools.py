"""itertools in compiled functions."""

import itertools
import operator
import sys
from itertools import chain, islice

import numpy as np
import pytest
from language.support import assert_same, compiled
from numjit import njit

ITERABLES = {
    "product": "itertools.product(range(n), [1.5, 2.5])",
    "product of one": "itertools.product('abc')",
    "product of three": "itertools.product(range(n), (1, 2), 'xy')",
    "product of four": "itertools.product([0, 1], repeat=4)",
    "product of none": "itertools.product()",
    "product with an empty one": "itertools.product(range(n), range(0))",
    "product repeated": "itertools.product(range(n), (1, 2), repeat=2)",
    "combinations": "itertools.combinations(range(n), 2)",
    "combinations of three": "itertools.combinations([1, 2, 3, 4, 5], 3)",
    "combinations of none": "itertools.combinations([1, 2], 0)",
    "combinations of too many": "itertools.combinations([1, 2], 3)",
    "combinations with replacement": "itertools.combinations_with_replacement([1, 2, 3], 2)",
    "combinations with replacement of nothing":
        "itertools.combinations_with_replacement(range(0), 2)",
    "permutations": "itertools.permutations((1, 2, 3))",
    "permutations of two": "itertools.permutations(range(n), 2)",
    "permutations of too many": "itertools.permutations(range(2), 3)",
    "chain": "itertools.chain([1, 2], range(n), (5, 6))",
    "chain of arrays": "chain(np.arange(3), np.arange(2) * 10)",
    "chain.from_iterable": "itertools.chain.from_iterable([[1, 2], [3]])",
    "accumulate": "itertools.accumulate([1, 2, 3])",
    "accumulate with a function": "itertools.accumulate([1, 2, 3], operator.mul)",
    "accumulate from": "itertools.accumulate([1, 2, 3], lambda a, b: a * 2 + b, initial=10)",
    "accumulate nothing": "itertools.accumulate(range(0))",
    "count": "islice(itertools.count(3, 2), n)",
    "count of floats": "islice(itertools.count(0.5), n)",
    "cycle": "islice(itertools.cycle([1, 2]), 5)",
    "cycle of nothing": "itertools.cycle(range(0))",
    "repeat": "itertools.repeat(2.5, n)",
    "repeat for ever": "islice(itertools.repeat('x'), n)",
    "islice": "islice(range(100), 3, 20, n)",
    "islice to the end": "islice(range(10), 7, None)",
    "islice of none": "islice(range(10), None, 3, None)",
    "islice beyond": "islice(range(3), 10)",
    "takewhile": "itertools.takewhile(lambda x: x < 3, [1, 2, 3, 1])",
    "dropwhile": "itertools.dropwhile(lambda x: x < 3, [1, 2, 3, 1])",
    "filterfalse": "itertools.filterfalse(lambda x: x < 3, [1, 2, 3, 1])",
    "filterfalse of truth": "itertools.filterfalse(None, [1, 0, 3])",
    "zip_longest": "itertools.zip_longest([1, 2, 3], range(n), fillvalue=0)",
    "pairwise": "itertools.pairwise(range(n))",
    "pairwise of one": "itertools.pairwise([n])",
    "starmap": "itertools.starmap(lambda a, b: a * 10 + b, [(2, 3), (3, 2)])",
    "compress": "itertools.compress([1, 2, 3], [1, 0, 1])",
}  # fmt: skip


def made(source, **names):
    scope = {
        "itertools": itertools,
        "operator": operator,
        "np": np,
        "chain": chain,
        "islice": islice,
        **names,
    }
    exec(source, scope)
    return scope["f"]


@pytest.mark.parametrize("name", ITERABLES)
def test_in_a_loop(name):
    f = made(
        f"def f(n):\n    r = []\n    for x in {ITERABLES[name]}:\n        r.append(x)\n"
        "    return r\n"
    )
    assert [tuple(x) if isinstance(x, tuple) else x for x in f(4)] == compiled(f)(4)


@pytest.mark.parametrize("name", ITERABLES)
def test_as_a_list(name):
    f = made(f"def f(n):\n    return list({ITERABLES[name]})\n")
    assert f(4) == compiled(f)(4)


@pytest.mark.parametrize("name", ["count", "cycle", "chain", "pairwise", "product"])
def test_as_an_iterator(name):
    f = made(
        f"def f(n):\n    it = iter({ITERABLES[name]})\n    return next(it), next(it), "
        f"[x for x in it]\n"
    )
    assert f(4) == compiled(f)(4)


def test_islice_takes_no_more_than_it_needs():
    def f(n):
        it = iter(range(20))
        first = list(islice(it, 3))
        second = list(islice(it, 0, 7, 3))
        third = list(islice(it, 1, 2))
        return first, second, third, next(it)

    assert_same(f, 1)


@pytest.mark.parametrize("bounds", ["-1", "3, -1", "-1, 3", "0, 3, 0", "0, 3, -2"])
def test_bounds_of_islice(bounds):
    f = made(f"def f(n):\n    return list(islice(range(n), {bounds}))\n")
    with pytest.raises(ValueError) as expected:
        f(4)
    with pytest.raises(ValueError) as raised:
        compiled(f)(4)
    assert str(expected.value) == str(raised.value)


def test_infinite_iterators_end_with_the_loop():
    def f(n):
        total = 0
        for i, x in zip(itertools.count(), itertools.cycle((1, 10, 100))):
            total += i * x
            if i == n:
                break
        return total

    assert_same(f, 10)


def test_several_with_different_constants():
    def g(n):
        numbers = enumerate("ab", 1)
        others = enumerate("ab", 10)
        return next(numbers), next(others), next(numbers), next(others)

    assert_same(g, 1)

    def h(n):
        return (
            list(islice(itertools.count(1), 3)),
            list(islice(itertools.count(), 3)),
            list(islice(itertools.count(5, 10), 3)),
            list(itertools.repeat(1, 2)),
            list(itertools.repeat(7, 3)),
            list(itertools.accumulate([1, 2], initial=100)),
            list(itertools.accumulate([1, 2], initial=200)),
            list(zip("abc", itertools.count(1))),
            list(zip(itertools.count(), "ab")),
        )

    assert_same(h, 1)


def test_groups():
    def f(items):
        r = []
        for key, group in itertools.groupby(items):
            for x in group:
                r.append((key, x))
        return r

    assert_same(f, [1, 1, 2, 3, 3, 1])

    def g(items):
        return [(key, len(list(group))) for key, group in itertools.groupby(items, key=abs)]

    assert_same(g, [1, -1, 2, -3, 3, 1])
    assert_same(g, np.array([2, -2, 5]))


def test_loops_over_pairs():
    def f(a):
        total = 0.0
        for i, j in itertools.combinations(range(len(a)), 2):
            total += a[i] * a[j]
        for i, j in itertools.product(range(len(a)), range(len(a))):
            total -= a[i] / (1 + a[j])
        return total

    assert_same(f, np.arange(1.0, 6.0))


def test_sums_and_iterators_that_are_returned():
    def f(n):
        return (
            sum(chain(range(n), [3])),
            max(itertools.accumulate(range(n))),
            any(x == (1, 2) for x in itertools.pairwise(range(n))),
        )

    assert_same(f, 5)
    assert list(njit(lambda n: itertools.combinations(range(n), 2))(3)) == [(0, 1), (0, 2), (1, 2)]


RUN_TIME_LENGTHS = [
    "itertools.permutations(range(n))",
    "itertools.permutations([1.5 * i for i in range(n)], n - 1)",
    "itertools.permutations('abcd'[:n], 2)",
    "itertools.combinations(range(5), n)",
    "itertools.combinations_with_replacement('ab', n)",
    "itertools.product(range(2), repeat=n)",
    "itertools.product([1, 2], [3], repeat=n - 1)",
    "itertools.product([1][n:], repeat=n)",
]


@pytest.mark.parametrize("call", RUN_TIME_LENGTHS)
@pytest.mark.parametrize("n", [1, 3, 0, -1])
def test_lengths_of_tuples_that_are_known_at_run_time(call, n):
    assert_same(made(f"def f(n):\n    return list({call})\n"), n)


def test_the_shortest_tour():
    def f(n):
        distance = [[abs(i * i - j * 3) + 1 for j in range(n)] for i in range(n)]
        least, tour = 10**9, (0,)
        for path in itertools.permutations(range(1, n)):
            length = distance[0][path[0]]
            for i, j in itertools.pairwise(path):
                length += distance[i][j]
            if length < least:
                least, tour = length, (0,) + path
        return least, tour

    assert_same(f, 5)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="itertools.batched is new in 3.12")
def test_batched():
    def f(items, n):
        return [(sum(part), len(part)) for part in itertools.batched(items, n)]

    for n in (1, 2, 3, 7):
        assert_same(f, [1, 2, 3, 4, 5], n)
        assert_same(f, np.arange(4) / 2, n)
    assert_same(f, [1], 0)
    assert_same(lambda items: list(itertools.batched(items, 2)), ["a", "b", "c"])


def test_tee():
    def pairs(n):
        first, second = itertools.tee(x * x for x in range(n))
        for _ in second:
            break
        return [a * 10 + b for a, b in zip(first, second)]

    def one_after_the_other(items):
        a, b, c = itertools.tee(items, 3)
        return sum(a), max(b, default=-1), list(c)

    def endless(n):
        a, b = itertools.tee(itertools.count(n))
        return next(a), next(a), next(b)

    def none(n):
        return len(itertools.tee(range(n), 0))

    for n in (0, 1, 5):
        assert_same(pairs, n)
        assert_same(endless, n)
        assert_same(none, n)
    for items in ([3, 1, 2], [2.5], (4, 5)):
        assert_same(one_after_the_other, items)


def test_tee_does_not_read_ahead():
    def f(log):
        def numbers():
            for i in range(3):
                log.append(i)
                yield i

        a, b = itertools.tee(numbers())
        log.append(-1)
        x = next(b)
        return x, len(log)

    assert_same(f, [7])
