"""Objects of `collections` that leave the function that makes them, as in the interpreter."""

import copy
from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np
import pytest
from numjit import int64, njit, typeof, types
from numjit.errors import TypingError
from numjit.experimental import jitclass


def check(f, *arguments):
    """The result, its classes, and what becomes of the arguments."""
    mine, python = copy.deepcopy(arguments), copy.deepcopy(arguments)
    wanted = f(*python)
    result = njit(f)(*mine)
    assert described(result) == described(wanted)
    assert list(map(described, mine)) == list(map(described, python))


def described(x):
    if isinstance(x, deque):
        return "deque", x.maxlen, [described(each) for each in x]
    if isinstance(x, dict):
        factory = getattr(x, "default_factory", None)
        return type(x), factory, [(described(k), described(v)) for k, v in x.items()]
    if isinstance(x, (list, tuple)):
        return type(x), [described(each) for each in x]
    return type(x), x


def test_returned():
    def deques(n):
        d = deque([1.5, 2.5], maxlen=n)
        d.append(3.5)
        return d, deque([n]), deque("abc")

    def dicts(n):
        d = defaultdict(int)
        d[n] += 1
        lists = defaultdict(list)
        lists["a"].append(n)
        ordered = OrderedDict([(1, 2), (3, 4)])
        ordered.move_to_end(1)
        return d, lists, ordered, Counter([n, n, 1])

    check(deques, 2)
    check(dicts, 3)
    check(lambda: deque())
    check(lambda n: [deque([n]), deque([n, n])], 1)
    check(lambda n: {n: deque([n])}.get(n), 1)


def test_which_of_two():
    def f(x):
        if x:
            d = deque([1, 2])
        else:
            d = deque([3])
        d.append(4)
        d.appendleft(x)
        return d

    check(f, 0)
    check(f, 1)


def use_deque(d, x):
    d.append(x)
    d.appendleft(x)
    d.extend([x, x])
    d.extendleft([x, x])
    d.rotate(1)
    d.rotate(-2)
    d.reverse()
    first, last = d.popleft(), d.pop()
    d[0] = x
    d.remove(x)
    return first, last, d.count(x), x in d, len(d), bool(d), d[-1], d.maxlen, list(d), sorted(d)


def more_of_deques(d, x):
    e = d.copy()
    e.append(x)
    del e[0]
    total = 0
    for y in d:
        total = total * 3 + y
    d.insert(1, x)
    d += [x]
    return e, total, d + e, d == e, d != e, d < e, d.index(x), sum(d), max(d), list(reversed(d))


@pytest.mark.parametrize("d", [deque([1, 2, 3]), deque([1], 4), deque(), deque([1, 2, 3], 5)])
def test_deques_as_arguments(d):
    check(use_deque, d, 7)


def test_more_of_deques():
    check(more_of_deques, deque([1, 2, 3]), 7)
    check(lambda d: [each for each in d], deque(["a", "b"]))
    check(lambda d: (d.clear(), len(d)), deque([1]))
    check(lambda d: isinstance(d, deque) and not isinstance(d, (list, dict)), deque([1]))

    def arrays(d):
        d.append(d[0] + 1)
        return d[-1].sum()

    d = deque([np.zeros(2)])
    assert njit(arrays)(d) == 2.0 and len(d) == 2 and d[1].tolist() == [1, 1]


def test_errors():
    with pytest.raises(IndexError, match="empty deque"):
        njit(lambda d: (d.clear(), d.pop()))(deque([1]))
    with pytest.raises(IndexError, match="maximum size"):
        njit(lambda d: d.insert(0, 1))(deque([1], 1))
    with pytest.raises(KeyError):
        njit(lambda d: d[5])(defaultdict(None, {1: 2}))
    with pytest.raises(TypeError):
        njit(lambda c: c + 1)(Counter([1]))


def use_dict(d):
    keys = [k for k in d]
    d[100] = 1
    pairs = list(d.items())
    del d[100]
    return keys, pairs, list(d.values()), list(d.keys()), len(d), 1 in d, d.get(1, 5), d.pop(1, 6)


@pytest.mark.parametrize(
    "d", [defaultdict(int, {1: 2}), Counter([1, 1, 3]), OrderedDict([(3, 1), (1, 2)])]
)
def test_dicts_as_arguments(d):
    check(use_dict, d)
    check(lambda d: (d.setdefault(7, 8), d.copy()), d)
    check(lambda d: (len(dict(d)), list(d), max(d), sorted(d), d == d.copy()), d)
    check(lambda d: isinstance(d, dict), d)
    check(lambda d: (d.popitem(), d.clear(), len(d)), d)


def test_missing_keys():
    def f(d):
        d[5] += 2
        return d[6], len(d)

    check(f, defaultdict(int, {1: 1}))
    check(f, defaultdict(int))
    check(f, defaultdict(float, {1: 1.5}))
    check(f, Counter([5]))

    def groups(words):
        found = defaultdict(list)

        def add(found, word):
            found[len(word)].append(word)

        found[0].append("")
        for word in words:
            add(found, word)
        return found

    check(groups, ["a", "bb", "c"])

    def into(d):
        d[5].append(1)
        return len(d)

    check(into, defaultdict(list, {1: [1]}))

    def sets(d):
        d["x"].add(4)
        d["y"].add(5)
        return len(d["x"])

    assert njit(sets)(defaultdict(set, {"x": {1}})) == 2

    def floats(d):
        d[5].append(1.5)
        d[1].append(2.5)

    check(floats, defaultdict(list, {1: [0.5]}))

    def nested(d):
        d["b"]["x"] = 2.5
        return d["a"]["x"] + d["b"]["x"]

    assert njit(nested)(defaultdict(dict, {"a": {"x": 1.5}})) == 4.0


def test_operators_of_counters():
    def f(a, b):
        c, d = Counter(a), Counter(b)
        c.subtract([9])
        return c + d, c - d, c & d, c | d, c == d, c != c.copy(), c[77], c.total()

    def more(c):
        c.update([1, 1])
        return c.most_common(1), Counter(c), sorted(c.elements()), c.total()

    check(f, [1, 1, 2, 5], [1, 3, 5, 5])
    check(more, Counter([1, 2]))
    check(lambda c: c.most_common(2), Counter("abca"))


def test_passed_on():
    assert described(passes(5)) == described((2, 5, deque([1])))

    def captured(n):
        d = deque([n])
        seen = Counter([n])
        add = lambda x: (d.append(x), seen.update([x]))
        add(1)
        add(n)
        return d, seen

    check(captured, 4)


@njit(inline="never")
def take(d):
    return d.popleft()


@njit
def push(d, x):
    d.append(x)
    return len(d)


@njit
def passes(n):
    d = deque([n])
    return push(d, 1), take(d), d


def test_fields_of_jitclasses():
    @jitclass([("waiting", typeof(deque([1]))), ("seen", typeof(Counter([1]))), ("n", int64)])
    class Queue:
        def __init__(self):
            self.waiting = deque()
            self.seen = Counter([0])
            self.n = 0

        def put(self, x):
            self.waiting.append(x)
            self.seen[x] += 1

        def take(self):
            self.n += 1
            return self.waiting.popleft()

    queue = Queue()
    for x in (3, 4, 3):
        queue.put(x)
    assert queue.take() == 3 and queue.take() == 4 and queue.n == 2

    @njit
    def f(queue):
        queue.put(9)
        return len(queue.waiting), queue.seen[3], queue.seen[77]

    assert f(queue) == (2, 2, 0)


def test_the_same_object_twice():
    def f(a, b):
        a.append(1)
        return len(b)

    d = deque([1])
    assert njit(f)(d, d) == 2 and len(d) == 2
    c = Counter([1])
    assert njit(lambda a, b: (a.update([2]), len(b)))(c, c)[1] == 2 and c == Counter([1, 2])


def test_unchanged_items_stay_the_objects_that_they_are():
    big = [10**9 + i for i in range(3)]
    d = deque(big)
    njit(lambda d: d.append(5))(d)
    assert all(a is b for a, b in zip(big, d))


def test_globals():
    counts, both, ordered = Counter([1, 1]), deque([1, 2]), OrderedDict([(1, 5)])
    assert njit(lambda x: (counts[x], counts[x + 50], both[0], ordered[x]))(1) == (2, 0, 1, 5)
    table = defaultdict(int, {1: 2})  # it would change
    with pytest.raises(TypingError, match="cannot change a global"):
        njit(lambda x: table[x])(1)


def test_methods_of_dict_are_those_of_dict():
    assert njit(lambda: dict.get({1: 2}, 3, 4))() == 4
    assert njit(lambda: list(map(dict.popitem, [{1: 2}])))() == [(1, 2)]


def test_texts():
    def f(d, c):
        return str(d), repr(d), f"{d}", str(c), repr(c)

    check(f, deque([1, 2]), Counter("abca"))
    check(f, deque(["a"], 3), Counter([2.5]))
    check(lambda c: (c.clear(), str(c)), Counter([1]))


def test_unpacking_and_declared_dicts():
    def g(d):
        def minus(a, b, c):
            return a - b - c

        a, *more = d
        return a, more, minus(*d)

    check(g, deque([1, 5, 7]))
    declared = njit(int64(types.DictType(int64, int64)))(lambda d: len(d))
    for d in ({1: 2}, Counter([1]), defaultdict(int, {1: 1}), OrderedDict([(1, 1)])):
        assert declared(d) == 1
    counters = njit(int64(typeof(Counter([1]))))(lambda c: c[1] + c[5])
    assert counters(Counter([1, 1])) == 2


@pytest.mark.parametrize("operator", ["+", "-", "|", "&"])
@pytest.mark.parametrize("other", [{1: 2}, 1, [1]])
def test_counters_are_combined_with_counters(operator, other):
    if operator == "|" and isinstance(other, dict):
        return  # dicts of any class are merged
    f = eval(f"lambda a, b: a {operator} b")
    for a, b in (
        (Counter({1: 2, 2: -1, 3: 0}), Counter({2: 3, 4: -2, 5: 1})),
        (Counter({1: -1.5, 2: 2.5}), Counter({1: -2.5, 3: 0.5})),
    ):
        check(f, a, b)
        check(f, b, a)
    with pytest.raises(TypingError, match="operators of a Counter take another Counter"):
        njit(f)(Counter([1]), other)


IN_PLACE = """
def f(c, d):
    same = c
    c {}= d
    return c, same, c is same
"""


@pytest.mark.parametrize("operator", ["+", "-", "|", "&"])
def test_counters_change_in_place(operator):
    namespace = {}
    exec(IN_PLACE.format(operator), namespace)
    f = namespace["f"]
    check(f, Counter([1, 1, 2]), Counter({2: 3, 4: -2, 1: -5}))
    check(f, Counter({1: -1.5, 2: 2.5}), Counter({1: -2.5, 3: 0.5}))
    check(f, Counter([1, 1, 2]), {1: 1, 2: 5})
    if operator == "&":
        with pytest.raises(KeyError):
            njit(f)(Counter([1, 1, 2]), {1: 1})


def test_dicts_of_all_classes_are_merged():
    namespace = {}
    exec(IN_PLACE.format("|"), namespace)
    objects = [Counter([1, 1, 2]), defaultdict(int, {1: 5, 7: 1}), OrderedDict([(3, 1), (1, 2)])]
    for one in objects:
        for other in (*objects[1:], {1: 1, 5: 1}):
            if isinstance(one, Counter):  # a plain dict
                check(lambda a, b: sorted((a | b).items()), one, other)
            else:
                check(lambda a, b: a | b, one, other)
            check(lambda a, b: sorted((b | a).items()), one, other)
            if not isinstance(one, Counter):
                check(namespace["f"], one, other)


def test_identity_of_values_made_of_parts():
    def f(c):
        same, copy = c, c.copy()
        return same is c, same is not c, copy is c

    for c in (Counter([1]), deque([1]), defaultdict(int, {1: 1}), OrderedDict([(1, 2)])):
        check(f, c)
    assert njit(lambda t: (t is t, t is not t))((1, "a")) == (True, False)
