"""Loops over prange whose iterations change a container or an object that they share."""

import heapq
import warnings
from collections import Counter, defaultdict, deque

import numpy as np
import pytest
from language.parallel_loops import parallel, values
from numjit import njit, prange, types
from numjit.errors import NumbaParallelSafetyWarning
from numjit.experimental import jitclass
from numjit.typed import Dict, List


def stored(n):
    d = {}
    for i in prange(n):
        d[i % 100] = i
    return len(d), d[n % 100]


def counted(n):
    d = {0: 0}
    for i in prange(n):
        d[i % 7] = d.get(i % 7, 0) + 1
    return d[3]


def joined(n):
    s = {0}
    for i in prange(n):
        s.add(i)
    return len(s)


def discarded(n):
    s = set(range(n))
    for i in prange(n):
        if i % 2:
            s.discard(i)
    return len(s)


def setdefault(n):
    d = {-1: "none"}
    for i in prange(n):
        d.setdefault(i % 9, str(i))
    return len(d), d[-1], d[0]


def updated(n):
    d = {-1: 0.0}
    for i in prange(n):
        d.update({i: 1.0})
    return len(d)


@njit
def put(d, key):
    d[key] = 1


@njit
def put_deeper(key, names):
    put(names[1], key)


def through_calls(n):
    d = {-1: 0}
    for i in prange(n):
        put_deeper(i, (0, d))
    return len(d)


def through_a_closure(n):
    d = {-1: 0}

    def note(key):
        d[key] = key

    for i in prange(n):
        note(i)
    return len(d)


@njit
def append_to(items, x):
    items.append(x)


def appended_by_a_function(n):
    items = [0]
    for i in prange(n):
        append_to(items, i)
    return len(items), items[-1]


def pushed(n):
    heap = [0]
    for i in prange(n):
        heapq.heappush(heap, -i)
    return len(heap), heap[0]


def counter(n):
    found = Counter()
    for i in prange(n):
        found[i % 5] += 1
    return found[3]


def default(n):
    found = defaultdict(list)
    found[0].append(0)
    for i in prange(n):
        found[i % 5].append(1)
    return len(found[3])


def from_the_left(n):
    items = deque([0])
    for i in prange(n):
        items.appendleft(i)
    return len(items), items[-1]


def in_few_lists(n):
    lists = [[0], [1]]
    for i in prange(n):
        lists[i % 2].append(i)
    return len(lists[0]), len(lists[1])


def in_the_same_place(n):
    names = ["a", "b"]
    for i in prange(n):
        names[i % 2] = str(i)
    return names[0], names[1]


def of_a_key(n):
    tables = {0: {0: 0}}
    for i in prange(n):
        tables[0][i] = 1
    return len(tables[0])


class Table:
    def __init__(self):
        self.seen = {0: 0}

    def put(self, key):
        self.seen[key] = 1


def by_a_method(n):
    table = Table()
    for i in prange(n):
        table.put(i)
    return len(table.seen)


def chosen(n):
    a, b = {0: 0}, {0: 1}
    d = a if n > 5 else b
    for i in prange(n):
        d[i] = i
    return len(a), len(b)


def in_an_inner_loop(n):
    d = {0: 0}
    for i in prange(n):
        for j in prange(3):
            d[i * 3 + j] = i
    return len(d)


@pytest.mark.parametrize(
    "f",
    [
        stored,
        counted,
        joined,
        discarded,
        setdefault,
        updated,
        through_calls,
        through_a_closure,
        appended_by_a_function,
        pushed,
        counter,
        default,
        from_the_left,
        in_few_lists,
        in_the_same_place,
        of_a_key,
        by_a_method,
        chosen,
        in_an_inner_loop,
    ],
)
def test_such_loops_run_in_one_thread(f):
    with pytest.warns(NumbaParallelSafetyWarning, match="all iterations change") as warned:
        assert parallel(f)(5000) == f(5000)
    assert len(warned) == 1
    assert warned[0].filename == __file__


def fill(d, n):
    for i in prange(n):
        d[i] = i * 0.5


def test_the_warning_names_the_argument_and_the_line():
    d = Dict.empty(types.int64, types.float64)
    with pytest.warns(NumbaParallelSafetyWarning) as warned:
        njit(parallel=True)(fill)(d, 3000)
    line = fill.__code__.co_firstlineno + 2
    assert f"all iterations change 'd' (line {line})" in str(warned[0].message)
    assert warned[0].lineno == line
    assert len(d) == 3000
    assert d[7] == 3.5


def test_fields_of_objects():
    @jitclass([("seen", types.DictType(types.int64, types.int64)), ("last", types.float64[:])])
    class Log:
        def __init__(self):
            self.seen = Dict.empty(types.int64, types.int64)
            self.last = np.zeros(1)

        def note(self, key):
            self.seen[key] = 1

    @njit(parallel=True)
    def by_method(log, n):
        for i in prange(n):
            log.note(i)

    @njit(parallel=True)
    def by_field(log, n):
        for i in prange(n):
            log.last = np.full(2, float(i))

    log = Log()
    for f in (by_method, by_field):
        with pytest.warns(NumbaParallelSafetyWarning):
            f(log, 2000)
    assert len(log.seen) == 2000
    assert log.last[1] == 1999


def rows(n):
    """Each iteration has its own dict."""
    out = np.zeros(n)
    for i in prange(n):
        own = {0: 0}
        for j in range(i % 5):
            own[j] = j
            put(own, -j)
        out[i] = len(own)
    return out


def looked_up(n):
    d = {i: i * 2.0 for i in range(10)}
    out = np.zeros(n)
    for i in prange(n):
        if i % 10 in d:
            out[i] = d[i % 10] + d.get(-1, 0.5) + len(d)
    return out


def put_into_the_place(n):
    items = [0.0] * n
    for i in prange(n):
        items[i] = i * 0.5
    return np.array(items)


@pytest.mark.parametrize("f", [rows, looked_up, put_into_the_place])
def test_other_loops_are_parallel(f, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(parallel(f)(1000), f(1000))
    parallel(f).parallel_diagnostics()
    assert "runs in parallel" in capsys.readouterr().out


def test_lists_of_dicts_of_which_each_iteration_has_one():
    @njit(parallel=True)
    def f(dicts):
        for i in prange(len(dicts)):
            for j in range(100):
                dicts[i][j] = i

    dicts = List([Dict.empty(types.int64, types.int64) for _ in range(20)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f(dicts)
    assert all(len(d) == 100 for d in dicts)


def test_inner_loops_that_fill_a_dict_of_the_iteration():
    @njit(parallel=True)
    def f(a):
        out = np.zeros(a.size)
        for i in prange(a.size):
            own = {0: 0.0}
            for j in prange(10):
                own[j] = a[i]
            out[i] = len(own)
        return out

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (f(values(50)) == 10).all()
