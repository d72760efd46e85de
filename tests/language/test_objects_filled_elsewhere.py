"""Deques, defaultdicts, Counters and OrderedDicts that only other functions put something into."""

import itertools
from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np
import pytest
from language.support import assert_same
from numjit import njit


def push(q, x):
    q.append(x)


def push_left(q, x):
    q.appendleft(x)


def push_all(q, xs):
    q.extend(xs)


def push_through(q, x):
    push(q, x)


def push_then_push(n, q):
    q.append(n)
    if n > 0:
        push_then_push(n - 1, q)


def put(d, key, value):
    d[key] = value


def add_to(d, key, value):
    d[key] += value


def append_to(d, key, value):
    d[key].append(value)


def insert_into(d, key, value):
    d[key].add(value)


def put_into(d, key, inner, value):
    d[key][inner] = value


def count_all(c, items):
    for item in items:
        c[item] += 1


def update_with(c, items):
    c.update(items)


def pushes(n):
    q = deque()
    for i in range(n):
        push(q, i * 1.5)
    return list(q)


def pushes_on_both_sides(n):
    q = deque()
    push(q, n)
    push_left(q, -n)
    push_all(q, [n, n + 1])
    return list(q), q.popleft()


def pushes_with_a_limit(n):
    q = deque(maxlen=3)
    for i in range(n):
        push_through(q, str(i))
    return list(q), q.maxlen


def pushes_with_a_limit_of_run_time(n):
    q = deque(maxlen=n - 1)
    push_left(q, (1, 2.5))
    push_all(q, [(i, 0.5) for i in range(n)])
    return list(q)


def pushes_of_a_recursion(n):
    q = deque()
    push_then_push(n, q)
    return list(q)


def arrays_in_a_queue(n):
    q = deque()
    push(q, np.arange(n))
    push(q, np.arange(n + 1))
    return [a.sum() for a in q]


def breadth_first(n):
    def visit(queue, seen, at):
        if at not in seen:
            seen.add(at)
            queue.append(at)

    queue, seen, order = deque(), set(), []
    visit(queue, seen, 1)
    while queue:
        at = queue.popleft()
        order.append(at)
        for to in (2 * at, 2 * at + 1):
            if to <= n:
                visit(queue, seen, to)
    return order


def captured_queue(n):
    q = deque()

    def note(x):
        q.append(x)

    for i in range(n):
        note(i)
    return list(q)


def captured_counts(words):
    c = Counter()

    def note(word):
        c[word] += 1

    for word in words:
        note(word)
    return sorted(c.items())


def sums(n):
    d = defaultdict(float)
    for i in range(n):
        add_to(d, i % 2, i)
    return sorted(d.items())


def ints(n):
    d = defaultdict(int)
    for i in range(n):
        add_to(d, str(i % 3), i)
    return sorted(d.items())


def products_of_a_lambda(n):
    d = defaultdict(lambda: 1.5)
    for i in range(n):
        add_to(d, i % 2, i)
    return sorted(d.items())


def groups(n):
    d = defaultdict(list)
    for i in range(n):
        append_to(d, i % 3, i / 2)
    return sorted(d.items())


def sets(n):
    d = defaultdict(set)
    for i in range(n):
        insert_into(d, i % 3, i // 2)
    return sorted([(k, sorted(v)) for k, v in d.items()])


def dicts(n):
    d = defaultdict(dict)
    for i in range(n):
        put_into(d, i % 3, str(i), i / 2)
    return sorted([(k, sorted(v.items())) for k, v in d.items()])


def plain_entries(n):
    d = defaultdict(None)
    for i in range(n):
        put(d, i, str(i))
    return list(d.items())


def counts(n):
    c = Counter()
    count_all(c, [i % 3 for i in range(n)])
    return sorted(c.items()), c.most_common(1)


def counts_of_strings(n):
    c = Counter()
    update_with(c, [str(i % 2) for i in range(n)])
    return sorted(c.items()), c.total()


def ordered(n):
    d = OrderedDict()
    for i in range(n):
        put(d, i, i * 0.5)
    d.move_to_end(0)
    return list(d.items())


def either(n):
    q = deque()
    if n > 2:
        r = q
    else:
        r = deque([1.5])
    push(r, n / 2)
    return list(r), len(q)


def deques_in_a_list(n):
    queues = [deque() for _ in range(n)]
    for i in range(n):
        push(queues[i], i * 1.5)
        queues[0].appendleft(i / 2)
    return [list(q) for q in queues]


def deques_in_a_dict(n):
    queues = {}
    for i in range(n):
        if i % 2 not in queues:
            queues[i % 2] = deque(maxlen=3)
        queues[i % 2].append(str(i))
    return [list(q) for q in queues.values()]


def counters_in_a_list(n):
    counters = [Counter() for _ in range(2)]
    for i in range(n):
        counters[i % 2][str(i % 3)] += 1
    add_to(counters[0], "x", 2)
    return [sorted(c.items()) for c in counters]


def defaultdicts_in_a_list(n):
    sums = [defaultdict(float), defaultdict(float)]
    for i in range(n):
        sums[i % 2][i % 3] += i / 2
    return [sorted(d.items()) for d in sums]


def deques_of_a_defaultdict(n):
    queues = defaultdict(deque)
    for i in range(n):
        queues[i % 2].append(i)
    push(queues[7], n)
    append_to(queues, 8, n)
    return [(k, list(q)) for k, q in queues.items()]


def counters_of_a_defaultdict(n):
    counters = defaultdict(Counter)
    for i in range(n):
        counters[i % 2][i % 3] += 1
    return sorted([(k, sorted(c.items())) for k, c in counters.items()])


def deques_that_only_a_callee_makes(n):
    queues = defaultdict(deque)
    for i in range(n):
        append_to(queues, i % 2, i / 2)
    return [(k, list(q)) for k, q in queues.items()]


def extend_by(q, xs):
    q += xs


def insert_at(q, i, x):
    q.insert(i, x)


def extended_in_place(n):
    q, last = deque(), deque(maxlen=3)
    for i in range(n):
        extend_by(q, [i * 0.5])
        last += (i, i + 1)
        extend_by(last, [7])
    q += [1.5]
    return list(q), list(last)


def inserted(n):
    q, few, made = deque(), deque(maxlen=n + 2), deque([1, 2], maxlen=4)
    for i in range(n):
        insert_at(q, 0, i)
        insert_at(few, -1, str(i))
    made.insert(1, n)
    return list(q), list(few), list(made)


def nested_defaultdicts(n):
    lists = defaultdict(lambda: defaultdict(list))
    sums = defaultdict(lambda: defaultdict(lambda: defaultdict(float)))
    sets = defaultdict(lambda: defaultdict(set))
    for i in range(n):
        lists[i % 2]["ab"[i % 2]].append(i / 2)
        sums["x"][i % 2][i % 3] += i
        sets[i % 2][i].add(str(i))
    inner = sums["x"][0]
    some = [(k, j, sum(v)) for k, d in lists.items() for j, v in d.items()]
    return some, sorted(inner.items()), len(sets[0]), [(k, len(v)) for k, v in sums.items()]


def nested_defaultdicts_that_callees_fill(n):
    counts = defaultdict(lambda: defaultdict(int))
    for i in range(n):
        put_into(counts, str(i), i, i)
        add_inside(counts, "a", i % 2, i)
    return [(k, sorted(d.items())) for k, d in counts.items()]


def add_inside(d, key, inner, value):
    d[key][inner] += value


def new_containers_of_a_factory(n):
    pairs = defaultdict(lambda: [0.0, 0.0])
    queues = defaultdict(lambda: deque(maxlen=2))
    rows = defaultdict(lambda: [0] * n)
    fields = defaultdict(lambda: {"low": n, "high": 0})
    for i in range(n):
        pairs[i % 2][i % 2] += i
        queues[i % 2].append(i)
        rows["a"][i] += 1
        fields[i % 2]["high"] += i
    return (
        [(k, v) for k, v in pairs.items()],
        [list(q) for q in queues.values()],
        rows["a"],
        [sorted(f.items()) for f in fields.values()],
    )


def factories_called_for_missing_keys_only(n):
    made = [0]

    def make():
        made[0] += 1
        return made[0]

    ids, counter = defaultdict(make), itertools.count(5)
    more = defaultdict(lambda: next(counter))
    return [ids[c] + more[c] for c in "abacb" * n], made[0], len(ids)


PROGRAMS = [
    extended_in_place,
    inserted,
    nested_defaultdicts,
    nested_defaultdicts_that_callees_fill,
    new_containers_of_a_factory,
    factories_called_for_missing_keys_only,
    deques_in_a_list,
    deques_in_a_dict,
    counters_in_a_list,
    defaultdicts_in_a_list,
    deques_of_a_defaultdict,
    counters_of_a_defaultdict,
    deques_that_only_a_callee_makes,
    pushes,
    pushes_on_both_sides,
    pushes_with_a_limit,
    pushes_with_a_limit_of_run_time,
    pushes_of_a_recursion,
    arrays_in_a_queue,
    breadth_first,
    captured_queue,
    sums,
    ints,
    products_of_a_lambda,
    groups,
    sets,
    dicts,
    plain_entries,
    counts,
    counts_of_strings,
    ordered,
    either,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_the_types_come_from_what_callees_put_in(program):
    for n in (2, 7):
        assert_same(program, n)


def test_what_inner_functions_put_into_captured_counters():
    words = ["a", "b", "a"]
    assert_same(captured_counts, words)


def test_objects_are_returned_with_what_callees_put_in():
    def made():
        q, d, c = deque(maxlen=2), defaultdict(list), Counter()
        push_all(q, [1.0, 2.0, 3.0])
        append_to(d, "a", 1)
        count_all(c, "aab")
        return q, d, c

    q, d, c = made()
    got = njit(made)()
    assert got == (q, d, c)
    assert [type(each) for each in got] == [deque, defaultdict, Counter]
    assert got[0].maxlen == 2
    assert got[1].default_factory is list


def test_a_full_deque_takes_no_item_in_its_middle():
    @njit
    def inserts(n):
        q = deque([1], maxlen=2)
        for i in range(n):
            q.insert(0, i)
        return list(q)

    assert inserts(1) == [0, 1]
    with pytest.raises(IndexError, match="deque already at its maximum size"):
        inserts(2)


def test_items_that_do_not_fit_are_an_error():
    @njit
    def mixed():
        q = deque()
        push(q, 1)
        push(q, "a")
        return len(q), q.pop(), q.pop()

    assert mixed() == (2, "a", 1)
