"""Containers that are made empty and filled by helpers, inner functions and recursion."""

import heapq
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from language.support import assert_same, compiled
from numjit import njit, typed, types
from numjit.errors import TypingError
from numjit.experimental import jitclass


def solve(n, memo):
    if n in memo:
        return memo[n]
    if n < 2:
        return n
    result = solve(n - 1, memo) + solve(n - 2, memo)
    memo[n] = result
    return result


def push(found, x):
    found.append(x)


def push_first(x, *, into):
    push(into, x)


def pushed(found, x):
    found.append(x)
    return found


def walk(graph, at, visited):
    visited.add(at)
    for to in graph[at]:
        if to not in visited:
            walk(graph, to, visited)


def connect(graph, a, b):
    graph[a].append(b)


def connect_new(graph, a, b):
    graph.setdefault(a, []).append(b)


def even(n, seen):
    seen.append(n)
    return True if n == 0 else odd(n - 1, seen)


def odd(n, seen):
    seen.append(-n)
    return False if n == 0 else even(n - 1, seen)


def size(found):
    return len(found)


def total(found):
    t = 0.0
    for x in found:
        t += x
    return t


def choose(items, start, left, chosen, results):
    if left == 0:
        results.append(chosen[:])
        return
    for i in range(start, len(items)):
        chosen.append(items[i])
        choose(items, i + 1, left - 1, chosen, results)
        chosen.pop()


def permute(items, at, results):
    if at == len(items):
        results.append(list(items))
    for i in range(at, len(items)):
        items[at], items[i] = items[i], items[at]
        permute(items, at + 1, results)
        items[at], items[i] = items[i], items[at]


def memo_of_a_recursion(n):
    memo = {}
    return solve(n, memo), len(memo)


def memo_by_keyword(n):
    return solve(n, memo={})


def memo_made_if_there_is_none(n):
    def inner(n, memo=None):
        if memo is None:
            memo = {}
        return solve(n, memo)

    return inner(n)


def list_of_a_helper(n):
    found = []
    for i in range(n):
        push(found, i * 1.5)
    return found, total(found)


def list_of_two_helpers(n):
    found = []
    push_first(n, into=found)
    push(found, n / 2)
    return found


def list_that_comes_back(n):
    found = []
    for i in range(n):
        found = pushed(found, i)
    return found


def strings_and_arrays(n):
    words, rows, pairs = [], [], []
    for i in range(n):
        push(words, str(i))
        push(rows, np.arange(i))
        push(pairs, (i, i / 2))
    return words, rows, pairs


def depth_first(n):
    graph = [[(i + 1) % n, (i * 2) % n] for i in range(n)]
    visited = set()
    walk(graph, 0, visited)
    return sorted(visited)


def lists_of_empty_lists(n):
    graph = [[] for _ in range(n)]
    for i in range(n):
        connect(graph, i, (i * 3) % n)
        connect(graph, 0, i)
    return graph


def dict_of_lists(n):
    graph = {}
    for i in range(n):
        connect_new(graph, i % 3, i)
    return [(k, v) for k, v in graph.items()]


def dict_of_lists_made_here(n):
    graph = {}
    for i in range(n):
        graph[i] = []
    for i in range(n):
        connect(graph, i, i / 4)
    return [(k, v) for k, v in graph.items()]


def mutual_recursion(n):
    seen = []
    return even(n, seen), seen


def two_at_once(n):
    results, chosen = [], []
    choose([10 * i for i in range(n)], 0, 2, chosen, results)
    return results, chosen


def permutations(n):
    results = []
    permute(list(range(n)), 0, results)
    return results


def captured_by_one(n):
    memo = {}

    def fib(k):
        if k < 2:
            return k
        if k not in memo:
            memo[k] = fib(k - 1) + fib(k - 2)
        return memo[k]

    return fib(n), sorted(memo.items())


def captured_by_a_search(n):
    results = []
    path = []

    def search(at):
        if len(path) == 2:
            results.append(path[:])
            return
        for i in range(at, n):
            path.append(i)
            search(i + 1)
            path.pop()

    search(0)
    return results


def captured_and_passed(n):
    found = []

    def keep(x):
        if x % 2:
            push(found, x)

    for i in range(n):
        keep(i)
    return found


def captured_two_deep(n):
    counts = {}

    def outer(k):
        def inner(j):
            counts[j % 3] = counts.get(j % 3, 0) + 1

        for j in range(k):
            inner(j)

    for i in range(n):
        outer(i)
    return sorted(counts.items())


def captured_by_a_key(n):
    order = []

    def key(x):
        order.append(x)
        return -x

    return sorted(range(n), key=key), order


def captured_set(n):
    seen = set()

    def new(x):
        if x in seen:
            return False
        seen.add(x)
        return True

    return [i * i % 7 for i in range(n) if new(i * i % 7)]


def only_asked(n):
    found = []
    return size(found) + n, found


def widened(n):
    found = []
    x = n
    for i in range(3):
        push(found, x)
        x = x / 2
    return found


def in_a_branch(n):
    found = []
    if n > 100:
        push(found, "large")
    return len(found)


def parts_of_islands(n):
    rng = np.arange(n * n).reshape(n, n) % 3

    def fill(i, j, seen, cells):
        if i < 0 or j < 0 or i >= n or j >= n or rng[i, j] == 0 or (i, j) in seen:
            return
        seen.add((i, j))
        cells.append((i, j))
        fill(i + 1, j, seen, cells)
        fill(i - 1, j, seen, cells)
        fill(i, j + 1, seen, cells)
        fill(i, j - 1, seen, cells)

    seen = set()
    islands = []
    for i in range(n):
        for j in range(n):
            if (i, j) not in seen and rng[i, j] != 0:
                cells = []
                fill(i, j, seen, cells)
                islands.append(cells)
    return islands


def union_find(n):
    parent = {}

    def find(x):
        if x not in parent:
            parent[x] = x
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x

    def union(a, b):
        ra, rb = find(a), find(b)
        if ra != rb:
            parent[ra] = rb

    for i in range(n - 1):
        union(i, i + 1)
    return find(0) == find(n - 1)


def relax(dist, heap, d, v):
    if v not in dist or d < dist[v]:
        dist[v] = d
        heapq.heappush(heap, (d, v))


def shortest_paths(n):
    dist = {}
    heap = []
    relax(dist, heap, 0.0, 0)
    while heap:
        d, u = heapq.heappop(heap)
        for v in range(u + 1, min(u + 3, n)):
            relax(dist, heap, d + v - u, v)
    return sorted(dist.items())


def connected_components(n):
    g = [[] for _ in range(n)]

    def edge(a, b):
        g[a].append(b)

    for i in range(n):
        edge(i, (i + 1) % n)
    index, low, onstack, stack, comps = {}, {}, set(), [], []
    counter = [0]

    def strong(v):
        index[v] = counter[0]
        low[v] = counter[0]
        counter[0] += 1
        stack.append(v)
        onstack.add(v)
        for w in g[v]:
            if w not in index:
                strong(w)
                low[v] = min(low[v], low[w])
            elif w in onstack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            comp = []
            while True:
                w = stack.pop()
                onstack.remove(w)
                comp.append(w)
                if w == v:
                    break
            comps.append(comp)

    for v in range(n):
        if v not in index:
            strong(v)
    return comps


def knapsack(n):
    w = [1, 3, 4, 5]
    v = [1, 4, 5, 7]
    memo = {}

    def best(i, cap):
        if i == len(w) or cap == 0:
            return 0
        key = (i, cap)
        if key in memo:
            return memo[key]
        r = best(i + 1, cap)
        if w[i] <= cap:
            r = max(r, v[i] + best(i + 1, cap - w[i]))
        memo[key] = r
        return r

    return best(0, n)


def one_of_two_lists(n):
    a = []
    b = []
    t = a if n > 2 else b

    def put(l, x):
        l.append(x)

    put(t, 1.0)
    return a, b


def two_that_change_places(n):
    a, b = [], []

    def rec(k, x, y):
        if k == 0:
            return
        x.append(k)
        rec(k - 1, y, x)

    rec(n, a, b)
    return a, b


def a_new_list_at_each_level(n):
    def rec(k, acc):
        if k == 0:
            return len(acc)
        mine = []
        mine.append(k)
        return rec(k - 1, mine) + len(acc)

    return rec(n, [])


def dict_of_dicts(n):
    t = {}

    def put(a, b, v):
        if a not in t:
            t[a] = {}
        t[a][b] = v

    for i in range(n):
        put(i % 2, i, i * 0.5)
    return sorted((k, sorted(v.items())) for k, v in t.items())


def filled_in_a_handler(n):
    errs = []

    def safe(i):
        try:
            return 10 // i
        except ZeroDivisionError:
            errs.append(i)
            return -1

    return [safe(i) for i in range(n)], errs


WIDENING = [widened, list_of_two_helpers]
PROGRAMS = [
    value
    for name, value in list(globals().items())
    if callable(value)
    and getattr(value, "__module__", None) == __name__
    and value.__code__.co_argcount == 1
    and value.__code__.co_varnames[0] == "n"
    and value not in WIDENING
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [0, 1, 5])
def test_programs(program, n):
    if program is depth_first and n == 0:
        n = 2
    assert_same(program, n)


@pytest.mark.parametrize("program", WIDENING, ids=lambda f: f.__name__)
def test_ints_become_floats_where_both_are_put_in(program):
    assert compiled(program)(5) == program(5)
    assert all(type(x) is float for x in compiled(program)(5))


class Held:
    def __init__(self):
        self.items = []
        self.table = {}


HELD = jitclass(
    [
        ("items", types.List(types.float64, reflected=True)),
        ("table", types.DictType(types.int64, types.float64)),
    ]
)(Held)


@jitclass([("step", types.int64)])
class Walker:
    def __init__(self, step):
        self.step = step

    def fill(self, into):
        into.append(self.step)

    def solve(self, n, memo):
        if n < 2:
            return n
        if n not in memo:
            memo[n] = self.solve(n - 1, memo) + self.solve(n - 2, memo)
        return memo[n]


def test_methods_fill():
    @njit
    def f(n):
        walker = Walker(n)
        into = []
        walker.fill(into)
        memo = {}
        return into, walker.solve(20, memo), len(memo)

    assert f(3) == ([3], 6765, 19)


def test_attributes_say_the_types():
    @njit
    def f(n):
        held = HELD()
        held.items.append(n)
        held.table[n] = 0.5
        return held.items[0], held.table[n]

    assert f(3) == (3.0, 0.5)


@njit("void(ListType(int64), int64)")
def declared_push(found, x):
    found.append(x)


@njit(["int64(DictType(int64, float64), int64)", "int64(DictType(float64, float64), float64)"])
def declared_put(table, x):
    table[x] = x / 2
    return len(table)


def test_declared_signatures_say_the_types():
    @njit
    def f(n):
        found, table = typed.List(), {}
        for i in range(n):
            declared_push(found, i)
        return len(found), found[1], declared_put(table, n), table[n]

    assert f(3) == (3, 1, 1, 1.5)


def joined(n):
    results = []

    def search(start, path):
        results.append(path)
        for i in range(start, n):
            search(i + 1, path + [i])

    search(0, [])
    return results


def test_lists_that_are_joined():
    assert_same(joined, 3)
    assert njit(lambda: ([] + [1.5], set() | {1}))() == ([1.5], {1})


def test_generators_fill():
    def numbers(found, n):
        for i in range(n):
            found.append(i / 2)
            yield i

    def f(n):
        found = []
        total = 0
        for x in numbers(found, n):
            total += x
        return total, found

    assert_same(f, 4)


def test_errors_of_helpers_are_told():
    def helper(found, x):
        found.append(x.there_is_none)

    @njit
    def f(x):
        found = []
        helper(found, x)
        return found

    with pytest.raises(TypingError, match="there_is_none"):
        f(1)


def test_items_that_do_not_go_together():
    def words(found):
        found.append("a")

    def numbers(found):
        found.append(1)

    @njit
    def f():
        found = []
        words(found)
        numbers(found)
        return found

    assert f() == ["a", 1]

    @njit
    def of_one_type():
        found = typed.List()
        words(found)
        numbers(found)
        return found

    with pytest.raises(TypingError, match="Cannot unify unicode_type and int64"):
        of_one_type()


def test_nothing_is_put_in():
    def first(found):
        return found[0]

    @njit
    def f(n):
        found = []
        return first(found) if n > 1 else n

    assert f(1) == 1
    with pytest.raises(IndexError):
        f(2)


def test_questions_make_no_code():
    @njit
    def f(n):
        memo = {}
        return solve(n, memo)

    f(5)
    (code,) = f.inspect_llvm().values()
    assert "undefined" not in code


def test_calls_from_many_threads():
    f = njit(captured_by_a_search)
    with ThreadPoolExecutor(16) as pool:
        assert all(r == captured_by_a_search(4) for r in pool.map(f, [4] * 64))
