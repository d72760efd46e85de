"""deque, defaultdict, Counter and OrderedDict in the functions that make them."""

import collections
from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np
import pytest
from language.support import assert_same, compiled
from numjit import njit
from numjit.errors import TypingError


def test_a_queue():
    def f(n):
        q = deque()
        for i in range(n):
            q.append(i)
            q.appendleft(-i)
        total = 0
        while q:
            total = (total * 3 + q.popleft()) % 1000003
            if len(q) > 0 and total % 2:
                total += q.pop()
        return total

    assert_same(f, 50)


def test_breadth_first_search():
    def f(starts, ends, n):
        near = defaultdict(list)
        for a, b in zip(starts, ends):
            near[a].append(b)
            near[b].append(a)
        distance = [-1] * n
        distance[0] = 0
        q = deque([0])
        while q:
            a = q.popleft()
            for b in near[a]:
                if distance[b] < 0:
                    distance[b] = distance[a] + 1
                    q.append(b)
        return distance

    rng = np.random.default_rng(1)
    assert_same(f, rng.integers(0, 40, 60), rng.integers(0, 40, 60), 40)


def test_deques_that_are_bounded():
    def f(n):
        d = deque([1, 2, 3, 4], maxlen=3)
        first = list(d)
        d.append(n)
        second = list(d)
        d.appendleft(7)
        third = list(d)
        d.extend([8, 9])
        d.extendleft((10, 11))
        return first, second, third, list(d), d.maxlen, len(d), d[0], d[-1]

    assert_same(f, 5)

    def means(a, size):
        window = deque(maxlen=size)
        r = []
        for x in a:
            window.append(x)
            r.append(sum(window) / len(window))
        return r

    assert_same(means, np.arange(10.0), 4)


@pytest.mark.parametrize("name", ["append", "appendleft", "extend", "extendleft"])
def test_methods_of_deques_without_arguments(name):
    scope = {"deque": deque}
    for make, prefix in (("deque()", ""), ("[]", "deque_")):
        exec(f"def f():\n    q = {make}\n    q.{prefix}{name}()\n    return len(q)", scope)
        with pytest.raises(TypingError):
            njit(scope["f"])()


def test_methods_of_deques():
    def f(n):
        d = deque(range(n))
        d.rotate(2)
        a = list(d)
        d.rotate(-3)
        b = list(d)
        d.rotate()
        d.extendleft([100, 200])
        d.insert(1, 300)
        d.remove(100)
        d.reverse()
        c = [x for x in d]
        found = 300 in d, d.count(0), d.index(0), d.maxlen
        d[0] = -1
        del d[1]
        e = sorted(d)
        d.clear()
        return a, b, c, found, e, len(d), not d

    for n in (1, 2, 7):
        assert_same(f, n)


@pytest.mark.parametrize("method", ["pop", "popleft"])
def test_pop_of_nothing(method):
    scope = {"deque": deque}
    exec(f"def f(n):\n    d = deque([n])\n    d.pop()\n    return d.{method}()\n", scope)
    f = scope["f"]
    with pytest.raises(IndexError) as expected:
        f(1)
    with pytest.raises(IndexError) as raised:
        compiled(f)(1)
    assert str(raised.value) == str(expected.value)


def test_deques_of_strings_tuples_and_arrays():
    def f(a):
        d = deque()
        d.append((0, "first"))
        d.appendleft((1, "second"))
        rows = deque()
        for i in range(40):
            rows.append(a * i)
            if len(rows) > 3:
                rows.popleft()
        for i in range(5):
            rows.appendleft(a + i)
        return list(d), d.popleft(), d.pop(), rows[0], rows[-1], len(rows)

    assert_same(f, np.arange(3.0))


def test_default_dicts():
    def f(items):
        counts, sums, groups = defaultdict(int), defaultdict(float), defaultdict(list)
        seen, names = defaultdict(set), defaultdict(str)
        flags = collections.defaultdict(bool)
        for x in items:
            counts[x] += 1
            sums[x % 2] += x / 2
            groups[x % 3].append(x)
            seen[x % 2].add(x)
            names[x] += "a"
            flags[x] |= x > 2
        return (
            counts[2],
            counts[99],
            len(counts),
            99 in counts,
            sums[0],
            [(k, v) for k, v in groups.items()],
            sorted(seen[1]),
            names[2],
            flags[3],
            groups.get(77, [5]),
        )

    assert_same(f, [1, 2, 2, 3, 7, 3])


def test_default_dicts_of_functions():
    def f(items):
        d = defaultdict(lambda: 10)
        for x in items:
            d[x] -= x
        return d[items[0]], d[-1], sum(d.values())

    assert_same(f, [1, 2, 2])


def test_default_dicts_without_a_factory_and_with_items():
    def f(n):
        d = defaultdict(None, [(1, 2)])
        e = defaultdict(int, {3: 4})
        e[n] += 1
        d[n] = 5
        return d[1], e[3], e[n], len(e)

    assert_same(f, 8)

    def g(n):
        d = defaultdict(None)
        d[1] = 2
        return d[n]

    with pytest.raises(KeyError):
        compiled(g)(5)


def test_results_are_dicts():
    def f(items):
        d = defaultdict(int)
        for x in items:
            d[x] += 1
        return d

    assert dict(compiled(f)([1, 2, 2])) == f([1, 2, 2])


def test_counters():
    def f(items, text):
        c = Counter(items)
        c[7] += 2
        letters = Counter(text)
        letters.update("abc")
        letters.subtract("aa")
        empty = Counter()
        empty.update(items)
        empty[items[0]] -= 1
        return (
            c[2],
            c[100],
            100 in c,
            len(c),
            c.most_common(2),
            letters.most_common(),
            c.total(),
            sorted(c.elements()),
            sum(c.values()),
            [(k, v) for k, v in empty.items()],
            letters["z"],
        )

    assert_same(f, [1, 2, 2, 3], "hello world")


def test_ordered_dicts():
    def f(items):
        d = OrderedDict()
        for x in items:
            d[x] = x * 2
        d.move_to_end(items[0])
        a = list(d.keys())
        d.move_to_end(items[2], last=False)
        b = list(d)
        first = d.popitem(last=False)
        last = d.popitem()
        return a, b, first, last, len(d)

    assert_same(f, [3, 1, 2, 5])


def test_a_cache_that_forgets():
    def f(keys, size):
        cache = OrderedDict()
        hits = 0
        for k in keys:
            if k in cache:
                hits += 1
                cache.move_to_end(k)
            else:
                cache[k] = k * k
                if len(cache) > size:
                    cache.popitem(last=False)
        return hits, list(cache)

    assert_same(f, [1, 2, 3, 1, 4, 1, 2, 5, 3, 1], 3)


@pytest.mark.parametrize(
    "body",
    [
        "d = deque()\n    d.append(x)\n    return d",
        "d = deque([x])\n    return g(d)",
        "d = defaultdict(int)\n    d[x] += 1\n    return g(d)",
        "c = Counter([x])\n    return c + c",
        "d = deque([x])\n    return (lambda: d.pop())()",
        "d = deque([x])\n    return d.copy()",
    ],
)
def test_those_that_leave_their_function(body):
    scope = {"deque": deque, "defaultdict": defaultdict, "Counter": Counter, "g": lambda d: len(d)}
    exec(f"def f(x):\n    {body}\n", scope)
    mine, python = njit(scope["f"])(1), scope["f"](1)
    assert mine == python and type(mine) is type(python)
