"""Lists: every operation and method, items of many types, and lists that come from Python."""

import gc

import numjit
import numpy as np
import pytest
from language.engine import live_blocks
from language.support import assert_same, check_same, compiled, result_type
from numjit import jit, njit, typeof
from numjit.errors import TypingError
from numjit.typed import List


def test_build_and_return():
    def f(a, b):
        return [a, b], [a] * 3, [a, 2.5], [True], [a + 1 for i in range(b)]

    check_same(compiled(f)(1, 2), ([1, 2], [1, 1, 1], [1.0, 2.5], [True], [2, 2]))


def test_append_in_a_loop():
    def f(n):
        l = []
        for i in range(n):
            l.append(i * i)
        return l, len(l)

    for n in (0, 1, 10, 1000):
        assert_same(f, n)


def test_empty_lists():
    def f(n):
        a = []
        b = list()
        if n > 0:
            a.append(1.5)
        b.append(n)
        return a, b

    assert_same(f, 0)
    assert_same(f, 1)


def test_empty_list_of_unknown_items():
    with pytest.raises(IndexError):
        njit(lambda: [].pop())()


def test_empty_lists_that_only_get_items_where_no_call_goes():
    @njit
    def found(v=None):
        out = []
        if v:
            for x in v:
                out.append(x)
            out.append(1.0)
        return len(out)

    @njit
    def others(v=None):
        pairs, seen = {}, set()
        known = v is not None
        if known:
            pairs[1] = 2.0
            seen.add("a")
        return len(pairs) + len(seen) + len([1 for i in range(3) if v])

    assert found(()) == 0
    assert found((1.0, 2.0)) == 3
    assert others() == others(None) == 0
    assert others(1.5) == 5
    assert found() == 0  # what is in a loop over None has no type, and is never put into it


def test_methods():
    def f(l, x):
        l.append(x)
        l.insert(0, x)
        l.insert(-1, 7)
        l.insert(100, 8)
        l.extend([1, 2])
        l.extend(l)
        n = l.count(x)
        i = l.index(x, 1)
        a = l.pop()
        b = l.pop(0)
        c = l.pop(-2)
        l.remove(7)
        l.reverse()
        m = l.copy()
        m.append(99)
        return n, i, a, b, c, l, m, len(l)

    assert_same(f, [5, 6], 3)


def test_methods_that_return_nothing():
    def f(n):
        a, b, c = [1, 2], {1}, {1: 2}
        return (
            (a.append(n), a.extend([n, 3]), a.extend((4, 5)), a.insert(0, n), a.sort()),
            (a.reverse(), a.remove(n), b.add(n), b.discard(n), b.update([7]), c.update({n: 1})),
            (b.clear(), c.clear(), a),
        )

    assert_same(f, 9)


def test_clear():
    def f(l):
        l.clear()
        l.append(4)
        return l

    assert_same(f, [1, 2, 3])


def test_errors():
    cases = [
        (lambda l: l.pop(), [1], [], IndexError),
        (lambda l: l.pop(5), [1], None, IndexError),
        (lambda l: l.index(9), [1], None, ValueError),
        (lambda l: l.remove(9), [1], None, ValueError),
        (lambda l: l[3], [1, 2, 3], None, IndexError),
        (lambda l: l[-4], [1, 2, 3], None, IndexError),
    ]
    for f, l, _, error in cases[1:]:
        with pytest.raises(error):
            njit(f)(l)

    def drained(l):
        while True:
            l.pop()

    with pytest.raises(IndexError):
        njit(drained)([1, 2])


def test_setitem_out_of_range():
    def f(l, i):
        l[i] = 1
        return l

    assert_same(f, [1, 2, 3], -1)
    assert_same(f, [1, 2, 3], 3)
    assert_same(f, [1, 2, 3], -4)


def test_indexing():
    def f(l, i):
        l[i] = l[i] + l[-1] * 2
        l[0] += 5
        l[i] *= 2
        return l[i], l

    for i in (0, 2, -1, -3):
        assert_same(f, [1, 2, 3], i)
        assert_same(f, [0.5, 1.5, 2.5], i)


def test_slices():
    def f(l, i, j, k):
        return l[i:j], l[i:], l[:j], l[:], l[::k], l[i:j:k]

    for i, j, k in ((1, 3, 2), (-3, -1, 1), (4, 1, -1), (0, 100, 3), (-100, 2, -2)):
        assert_same(f, [0, 1, 2, 3, 4], i, j, k)


def test_slices_with_huge_parts():
    def f(l, i, j):
        return l[j:i], l[i:j:-1], l[::i], l[::j], l[:i], l[j:]

    assert_same(f, [1, 2, 3], 2**63 - 1, -(2**63 - 1))


def test_slice_assignment():
    def f(l, i, j, m):
        l[i:j] = m
        return l

    for i, j in ((0, 0), (1, 3), (5, 5), (0, 5), (-2, 100)):
        for m in ([9], [7, 8, 9], [1, 2, 3, 4]):
            assert_same(f, [0, 1, 2, 3, 4], i, j, m)


def test_extended_slice_assignment():
    def f(l, m):
        l[::2] = m
        return l

    assert_same(f, [0, 1, 2, 3, 4], [7, 8, 9])
    assert_same(f, [0, 1, 2, 3, 4], [7, 8])


def test_self_assignment_of_slices():
    def f(l):
        l[1:1] = l
        l[:] = l[::-1]
        return l

    assert_same(f, [1, 2, 3])


def test_deletion():
    def f(l, i):
        del l[i]
        return l

    for i in (0, 2, -1):
        assert_same(f, [1, 2, 3], i)
    assert_same(f, [1, 2, 3], 7)


def test_slice_deletion():
    def f(l, i, j):
        del l[i:j]
        return l

    for i, j in ((0, 2), (1, 1), (-2, 100), (3, 1), (-1, 0)):
        assert_same(f, [0, 1, 2, 3, 4], i, j)


def test_stepped_slice_deletion():
    def f(l, k):
        del l[::k]
        return l

    for k in (2, 3, -2, 1):
        assert_same(f, [0, 1, 2, 3, 4], k)


def test_concatenate_and_repeat():
    def f(a, b, n):
        c = a + b
        d = a * n
        e = n * b
        a += b
        return c, d, e, a, [0.0] * n

    for n in (0, 1, 3, -1):
        assert_same(f, [1, 2], [3], n)


def test_repetitions_that_fit_no_memory():
    def repeated(l, n):
        return l * n

    def repeated_in_place(l, n):
        l *= n
        return l

    for f in (repeated, repeated_in_place):
        for l in ([1], [1, 2], [(1, "a"), (2, "b"), (3, "c")]):
            for n in (2**61, 2**62 + 1, 2**63 - 1):
                assert_same(f, l, n)  # of 2, the last wraps to -2 in 64 bits


@pytest.mark.parametrize(
    "items",
    [
        [3, 1, 2],
        [True, False, False],
        ["three", "one", "two"],
        [b"three", b"one", b"two"],
        [(3, "three", 3.5), (1, "one", 1.5), (2, "two", 2.5)],
        [np.arange(3.0), np.arange(1.0), np.arange(2.0)],
    ],
    ids=lambda items: type(items[0]).__name__,
)
def test_items_are_moved_and_counted(items):
    def f(items, x):
        l = items[:]
        l.extend(l)
        l.insert(0, x)
        l.insert(3, x)
        l.insert(len(l), x)
        a = l.pop()
        b = l.pop(0)
        c = l.pop(-3)
        l.reverse()
        m = (l + items) * 3
        m *= 2
        m[2:5] = items
        m[1:9] = m[:1]
        m[4:4] = m
        del m[3:7]
        n = m[5:-5] + m[5:2] + m[::-4]
        n.reverse()
        return a, b, c, l, m, n, n[2:3] * 2

    compiled(f)(items, items[1])
    before = live_blocks()
    assert_same(f, items, items[1])
    gc.collect()
    assert live_blocks() == before


def test_extend_with_other_sequences():
    def f(l, t, a):
        l.extend(t)
        l.extend(a)
        l += t
        l.extend(range(3))
        return l

    assert_same(f, [1, 2], (3, 4), np.array([5, 6]))


def test_compare():
    def f(a, b):
        return a == b, a != b, a < b, a <= b, a > b, a >= b

    for a in ([1, 2], [1, 3], [1]):
        for b in ([1, 2], [0, 5, 6], [2]):
            assert_same(f, a, b)


def test_truth_and_membership():
    def f(l, x):
        return bool(l), not l, x in l, x not in l, 1 if l else 2

    assert_same(f, [1, 2], 2)
    assert_same(f, [0], 2)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    "item",
    [
        lambda i: (i * 7 % 5, i),
        lambda i: (float(i * 7 % 5), -i),
        lambda i: (str(i * 7 % 5), i),
        lambda i: [i * 7 % 5, i % 3],
    ],
)
def test_sorting_of_compounds(item, reverse):
    """Runs, merges of full and of partial width; equal keys stay in order."""

    def f(l, reverse):
        by_key = sorted(l, key=lambda x: x[0], reverse=reverse)
        by_compound_key = sorted(l, key=lambda x: (x[0], 1), reverse=reverse)
        l.sort(reverse=reverse)
        return l, by_key, by_compound_key

    compiled = njit(f)
    for n in (1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 100):
        got = compiled([item(i) for i in range(n)], reverse)
        assert got == f([item(i) for i in range(n)], reverse), n


def test_sorting():
    def f(l):
        m = sorted(l)
        l.sort()
        n = l.copy()
        n.sort(reverse=True)
        return m, l, n

    for l in (
        [3, 1, 2],
        [2.5, -1.0, 7.0, 2.5],
        [1],
        list(np.random.default_rng(0).permutation(50)),
    ):
        assert_same(f, [x.item() if hasattr(x, "item") else x for x in l])


@pytest.mark.parametrize("items", ['["b", 1]', '[1, "b"]', "[2, None, 1]", '["b", 2j, 1.5]'])
@pytest.mark.parametrize(
    "how", ["l.sort()", "sorted(l)", "sorted(l, key=lambda x: x)", "l.sort(reverse=True)"]
)
def test_items_of_several_types_have_no_order(items, how):
    names = {}
    exec(f"def f():\n    l = {items}\n    {how}\n    return len(l)", names)
    for each in names["f"], njit(names["f"]):
        with pytest.raises(TypeError):
            each()


def test_iteration():
    def f(l):
        total = 0.0
        for x in l:
            total = total * 2 + x
        for i, x in enumerate(l):
            l[i] = x + total
        for i, (x, y) in enumerate(zip(l, l[1:])):
            total += x * y * i
        for x in reversed(l):
            total -= x
        return total, l, min(l), max(l), sum(l)

    assert_same(f, [1.0, 2.0, 4.0])


def test_appending_while_iterating():
    def f(l):
        for x in l:
            if len(l) < 10:
                l.append(x * 2)
        return l

    assert_same(f, [1, 2])


def test_comprehensions():
    def f(n, l):
        a = [i * 2 for i in range(n)]
        b = [x + 0.5 for x in l if x > 1]
        c = [i * j for i in range(3) for j in range(i)]
        d = [[i * j for j in range(2)] for i in range(n)]
        return a, b, c, d, sum([x for x in l])

    assert_same(f, 4, [1, 2, 3])
    assert_same(f, 0, [5])


def test_comprehension_sees_outer_variables():
    def f(n, k):
        scale = k * 2
        return [i * scale + k for i in range(n)], [(i, x) for i, x in enumerate([k, k])]

    assert_same(f, 3, 1.5)


def test_comprehension_of_an_array():
    def f(a):
        return [x * 2 for x in a], np.array([x + 1 for x in a])

    assert_same(f, np.arange(3.0))


def test_aliases():
    def f(l):
        m = l
        m.append(1)
        n = l[:]
        n.append(2)
        return len(l), len(m), len(n), l is m, l is n

    assert_same(f, [5])


# -- lists that come from Python ------------------------------------------------------------------


def test_changes_are_visible_to_the_caller():
    @njit
    def f(l):
        l[0] = 10
        l.append(4)
        del l[1]

    l = [1, 2, 3]
    alias = l
    f(l)
    assert alias == [10, 3, 4] and l is alias


def test_returned_list_is_the_argument():
    @njit
    def f(l):
        l.append(1.5)
        return l

    l = [0.5]
    m = f(l)
    assert m == l == [0.5, 1.5] and m is l


def test_the_same_list_twice():
    @njit
    def f(a, b):
        a.append(1)
        b.append(2)
        return len(a), len(b)

    l = [0]
    assert f(l, l) == (3, 3) and l == [0, 1, 2]


def test_unmodified_list_is_untouched():
    @njit
    def f(l):
        return l[0] + l[-1]

    items = [1000, 2000, 3000]
    before = [id(x) for x in items]
    assert f(items) == 4000
    assert [id(x) for x in items] == before


def test_changes_survive_an_exception():
    @njit
    def f(l):
        l[0] = 7
        raise ValueError("later")

    l = [1, 2]
    with pytest.raises(ValueError):
        f(l)
    assert l in ([7, 2], [1, 2])


def test_item_types():
    def f(l):
        return l[0], l

    for l in ([1, 2], [0.5, -0.0], [True, False], [1j, 2 + 3j], [np.float32(0.5)], [(1, 2.5)]):
        assert_same(f, l)


MIXED = (
    [1, "a"],
    ["a", b"a"],
    [-1, 2**63],
    [(1,), (1, 2)],
    [np.arange(3), np.ones(3), np.ones((2, 2))],
    [np.ones((2, 2), np.float32), np.ones((2, 2)), 2.5, "label", None],
    [[1, "a"], [2.5, [3, 4]]],
)


def test_items_without_a_common_type():
    first = njit(lambda l: l[0])
    for items in MIXED:
        for order in (items, items[::-1]):
            check_same(first(order), order[0])
            assert_same(lambda l: (len(l), l[-1], l[1:], l), order)


def test_loops_over_items_without_a_common_type():
    def total(items):
        found, texts = 0.0, ""
        for x in items:
            if isinstance(x, np.ndarray):
                found += x.sum()
            elif isinstance(x, str):
                texts += x
            elif x is not None:
                found += x
        return found, texts, [len(items)]

    assert_same(total, [np.arange(3), np.ones((2, 2)), "a", 2.5, None, "b"])
    assert_same(total, [np.ones(2, np.float32), 1, np.arange(2)])
    assert_same(lambda l: l[0].sum() + l[1].sum(), [np.arange(4), np.ones((3, 2)).T])
    assert_same(lambda t: (t[0][1], t[1]), ([1, "a"], 2.5))
    assert njit(lambda d: d["a"][1])({"a": [1, "x"], "b": 2}) == "x"


def test_many_items_without_a_common_type_are_refused():
    with pytest.raises(TypeError, match="can't unbox heterogeneous list"):
        njit(lambda l: l[0])([1, "a"] * 40)
    with pytest.raises(TypingError):
        njit(lambda l: l.append(1))([1, "a"])
    with pytest.raises((TypeError, TypingError)):
        List([[1, "a"]])


def test_big_ints_are_refused():
    with pytest.raises((OverflowError, TypeError, TypingError)):
        njit(lambda l: l[0])([1, 2**70])


def test_large_list():
    @njit
    def f(x, c):
        rs = [0.0] * len(x)
        for i, v in enumerate(x):
            rs[i] = v + c
        return rs

    x = [float(i) for i in range(10000)]
    assert f(x, 1.5) == [v + 1.5 for v in x]


def test_arrays_in_lists():
    def f(l, a):
        l.append(a * 2)
        l[0] = a
        total = 0.0
        for x in l:
            total += x.sum()
        l.pop(1)
        return total, l

    a = np.arange(3.0)
    g = njit(f)
    total, l = g([a + 1, a + 2], a)
    assert total == a.sum() + (a + 2).sum() + 2 * a.sum()
    assert len(l) == 2 and np.array_equal(l[0], a) and np.array_equal(l[1], a * 2)


def test_lists_of_arrays_made_here():
    def f(n):
        l = [np.full(3, float(i)) for i in range(n)]
        l.insert(1, np.zeros(2))
        l.reverse()
        del l[0]
        m = l[1:] + l[:1]
        m[0][0] = 5.0
        return l, m, len(m)

    for n in (2, 5):
        assert_same(f, n)


@pytest.mark.parametrize("put", ["l.append(2.5)", "l[0] = 2.5", "l.insert(0, 1j)", "l += [0.5]"])
def test_items_that_would_lose_their_value_are_refused(put):
    namespace = {}
    exec(f"def f(l):\n    {put}\n    return l\n", namespace)
    f = njit(namespace["f"])
    with pytest.raises(TypingError, match="cannot put"):
        f([1, 2])
    if "j" not in put:
        assert_same(namespace["f"], [1.0, 2.0])


def counts_first(n, x):
    sums, last = [], [0] * n
    for i in range(n):
        sums.append(0)
        for k in range(i):
            sums[i] += x / (k + 1)
        last[i] = sums[i]
    return sums, last


def whole_numbers(n, x):
    sums = [0] * n
    sums[0] = n * 2
    sums[1] = n
    return sums


def halves(n, x):
    z = [1, 2]
    z[0] = x * 1j
    half = [1.5, 2.5]
    half[0] = n
    return z, half


def test_replaced_items_decide_the_type():
    """A list of ints that a function makes and puts a float into later is one of floats."""
    assert_same(whole_numbers, 3, 0.5)
    for function in (counts_first, halves):
        found, expected = compiled(function)(4, 0.5), function(4, 0.5)
        assert found == expected
        assert {type(x) for part in found for x in part} <= {float, complex}


def test_arrays_of_another_layout_do_not_fit():
    @njit
    def f(l, a):
        l.append(a[::2])
        return l

    with pytest.raises(TypingError, match="layout|laid out|convert"):
        f([np.arange(4.0)], np.arange(4.0))
    assert len(f([np.arange(8.0)[::2]], np.arange(8.0)[::2])) == 2


def test_arrays_of_several_layouts_have_a_common_one():
    def f(a):
        l = [a]
        l.append(a[::2])
        return l

    assert_same(f, np.arange(4.0))


def test_nested_lists():
    def f(n):
        l = [[i, i + 1] for i in range(n)]
        l[0].append(7)
        l.append([9])
        l[1][0] += 100
        total = 0
        for row in l:
            for x in row:
                total += x
        return total, l, len(l[0])

    assert_same(f, 3)


def test_nested_lists_from_python():
    def f(l):
        l[0].append(5)
        l[1][0] = 9
        l.append([7])
        l[2] = l[0]
        return l[0]

    mine, expected = [[1], [2, 3], []], [[1], [2, 3], []]
    inner = list(mine)
    got = njit(f)(mine)
    f(expected)
    assert mine == expected and got is inner[0]
    assert mine[0] is mine[2] is inner[0] and mine[1] is inner[1]
    shared = [1]
    outer = [shared, shared]
    njit(lambda l: l[0].append(2))(outer)
    assert outer == [[1, 2], [1, 2]] and outer[0] is outer[1] is shared


def test_lists_that_hold_themselves():
    endless = []
    endless.append(endless)
    with pytest.raises(RecursionError):
        njit(lambda l: len(l))(endless)
    with pytest.raises(ValueError, match="a list that holds itself"):
        typeof(endless)


@pytest.mark.parametrize("container", [lambda x: [x], lambda x: (x,), lambda x: {1: x}])
def test_arguments_nested_deeper_than_the_stack_is(container):
    deep = 1
    for _ in range(200_000):
        deep = container(deep)
    for use in (njit(lambda x: len(x)), typeof):
        with pytest.raises((RecursionError, ValueError, TypeError)):
            use(deep)
    while deep != 1:  # a release in one go takes as many frames
        (deep,) = deep.values() if type(deep) is dict else deep


def test_empty_lists_have_the_items_that_the_function_gives_them():
    def appends(l, x):
        l.append(x)
        return len(l)

    for x in (1, 2.5, "a", 1j):
        assert_same(appends, [], x)
        assert_same(lambda l, x: l[0].append(x), [[], []], x)
    for f in (
        lambda l: len(l),
        lambda l: sum(l),
        lambda l: [x for x in l],
        lambda l: l,
        lambda l: l == l,
        lambda l: sorted(l),
        lambda l: 0,
        lambda l: [x + 1.5 for x in l],
        lambda l: ",".join(l),
    ):
        assert_same(f, [])
    with pytest.raises(IndexError):
        njit(lambda l: l[-1 - len(l)])([])
    with pytest.raises(TypingError, match="Unknown attribute"):
        njit(lambda l: l.nothing)([])
    declared = njit("int64(List(float64, reflected=True))")(lambda l: len(l))
    assert declared([]) == 0


def test_tuples_in_lists():
    def f(n):
        l = [(i, i * 0.5) for i in range(n)]
        a, b = l[1]
        l.append((7, 2.5))
        return a, b, l, [x for x, y in l]

    assert_same(f, 3)


def test_list_in_tuple():
    def f(n):
        l = [n]
        t = (l, n)
        t[0].append(5)
        return t, len(l)

    assert_same(f, 3)


def test_lists_through_calls():
    @njit
    def fill(l, n):
        for i in range(n):
            l.append(i)
        return l

    @njit
    def f(n):
        l = [100]
        m = fill(l, n)
        return len(l), m[-1], fill([5], 2)

    assert f(3) == (4, 2, [5, 0, 1])


def test_sieve():
    def f(n):
        flags = [True] * n
        primes = []
        for i in range(2, n):
            if flags[i]:
                primes.append(i)
                for j in range(i * i, n, i):
                    flags[j] = False
        return primes

    assert_same(f, 200)


def test_list_of():
    def f(t, a):
        return list(t), list(a), list(range(3)), list((1.5, 2.5))

    assert_same(f, (1, 2), np.arange(2.0))


def test_list_and_result_types():
    def f(l):
        return [x * 0.5 for x in l]

    compiled(f)([1, 2])
    assert "float64" in result_type(f)


def test_stack_and_queue():
    def f(n):
        stack = [n]
        seen = 0
        while len(stack) > 0:
            x = stack.pop()
            seen += 1
            if x > 1:
                stack.append(x // 2)
                stack.append(x - x // 2 - 1)
        queue = [1]
        head = 0
        while head < len(queue) and len(queue) < 50:
            queue.append(queue[head] + 1)
            queue.append(queue[head] * 2)
            head += 1
        return seen, queue

    assert_same(f, 50)


def test_star_displays():
    def f(l, t, n):
        return [*l, *t], [n, *range(n), *l], [*l, n, *t]

    assert_same(f, [1, 2], (3, 4), 3)


def test_items_widen():
    def f(n):
        l = [1]
        l.append(2.5)
        m = [1]
        m += [n, 1.5]
        k = [(1, 2)]
        k.append((0.5, 3))
        return l, m, k

    check_same(compiled(f)(4), ([1.0, 2.5], [1.0, 4.0, 1.5], [(1.0, 2), (0.5, 3)]))


def test_types_from_other_paths():
    def f(n):
        if n > 3:
            return []
        if n > 2:
            return [1.5]
        l = []
        l += [n * 0.5]
        return l

    for n in (1, 3, 4):
        assert_same(f, n)


def test_items_that_depend_on_the_list():
    def f(n):
        l = []
        while len(l) < n:
            if len(l) in l:
                l.append(-1)
            else:
                l.append(len(l) + 1)
        return l

    assert_same(f, 6)


def test_more_operators():
    def f(l):
        m = l
        l *= 2
        l += {7}
        l += range(2)
        l[1:2] = (8, 9)
        l[4:] = {5}
        del l[::3]
        return l, m, l is m, list(reversed(l))

    assert_same(f, [1, 2, 3])


def test_texts_of_indices_outside():
    def f(kind, values):
        if kind == 0:
            values[5] = 1
        elif kind == 1:
            values[-4] += 1
        elif kind == 2:
            del values[3]
        else:
            values.pop(7)
        return values

    for kind in range(4):
        assert_same(f, kind, [1, 2, 3])


def test_empty_lists_in_lists():
    def f(n):
        rows = [[] for _ in range(n)]
        for i in range(n):
            rows[i].append(i * 0.5)
            rows[0].append(1.0)
        cells = [[[] for _ in range(n)] for _ in range(n)]
        cells[1][0].append("a")
        for row in cells:
            for cell in row:
                cell.append("b")
        pair = [[], []]
        pair[1].append(n)
        made = []
        for _ in range(n):
            made.append([])
        made[-1].extend([n, n])
        return rows, cells, pair, made

    assert_same(f, 3)


def test_empty_lists_beside_others():
    def f(n):
        rows = []
        for i in range(n):
            rows.append([] if i % 2 else [i * 0.5])
        rows.append([])
        named = {0: [1]}
        named[1] = []
        named[2] = [n]
        parts = [[]]
        parts[0] = [n]
        parts.insert(0, [])
        return rows, [named[k] for k in range(3)], parts

    assert_same(f, 4)


def test_missing_items_are_named():
    def f(l, x):
        return l.index(x)

    assert_same(f, [1, 2], 9)
    assert_same(f, ["a"], "b'c")
    assert_same(f, [1.5], 2.5)
    with pytest.raises(ValueError, match="is not in list"):
        njit(f)([(1, 2)], (3, 4))


def test_a_slice_of_a_list_of_lists_is_no_item():
    def f(n, whole):
        lists = [[v, v] for v in range(n)]
        lists.append([v for one in lists for v in one][:20])
        lists = lists if whole else [[a * 3 for a in range(b)] for b in range(n)]
        if n > 3:
            lists = lists[1:]
        return lists, lists[-1].index(3)

    for n in (3, 5):
        for whole in (True, False):
            assert_same(f, n, whole)


def test_index_gives_an_integer():
    """What raises where nothing is found is no second type of the result."""

    def f(x):
        positions = {"a": [2, x][1:].index(x)}
        positions = {"b": -1, "c": x}.copy()
        return positions

    assert_same(f, 5)


MIXTURES = [
    ([np.float64(1), np.float64(2)], "float64"),
    ([1.0, np.float64(2)], "float64"),
    ([np.int64(1), 2], "int64"),
    ([np.int32(1), np.int32(2)], "int32"),
    ([np.int32(1), 2**40], "int64"),
    ([np.uint8(200), np.int8(-1)], "int16"),
    ([np.float32(0.1), 0.1], "float64"),
    ([np.float16(1), np.float32(2)], "float32"),
    ([1, 2.5], "float64"),
    ([True, 2], "int64"),
    ([np.bool_(True), False], "bool"),
    ([1, 2**63], "uint64"),
    ([1, 2j], "complex128"),
    ([None, 1], "OptionalType(int64)"),
    ([1, None, 2.5], "OptionalType(float64)"),
    ([(1, 2.0), (np.float64(2), np.float32(3))], "UniTuple(float64 x 2)"),
    ([np.datetime64("2020"), np.datetime64("2021-02-03")], "datetime64[D]"),
]


@pytest.mark.parametrize("items, item_type", MIXTURES, ids=[str(row[0]) for row in MIXTURES])
def test_items_that_have_a_common_type(items, item_type):
    """What is passed is what arrives, in either order, and stays what it was where it is not
    touched."""
    second = njit(lambda l: l[1])

    @njit
    def last_first(l):
        l.append(l[0])

    for order in (items, items[::-1]):
        assert item_type in str(numjit.typeof(order)), numjit.typeof(order)
        assert second(order) == order[1]
        classes = [type(item) for item in order]
        ours = list(order)
        last_first(ours)
        assert ours == [*order, order[0]]
        assert [type(item) for item in ours[: len(order)]] == classes


def test_a_mixture_is_no_rule_for_other_lists():
    first = njit(lambda l: l[0])
    for _ in range(2):
        assert type(first([1, 2.5])) is float
        assert type(first([1, 2])) is int
        assert first([1, None]) == 1 and first([None, 1]) is None
        assert type(first([2.5, 1])) is float
        assert first([1, "a"]) == 1 and first(["a", 1]) == "a"
        with pytest.raises(OverflowError):
            first([1, 2**70])
    within = njit(lambda t: t[0][0])
    assert type(within(([1, 2], 0))) is int
    assert type(within(([1, 2.5], 0))) is float
    assert len(first.signatures) == 5


def test_mixtures_in_interpreted_functions():
    with pytest.warns(numjit.errors.NumbaWarning):
        first = jit(lambda l: l[0])
        assert first([1, 2**70]) == 1
    assert first([1, 2]) == 1 and first(["a", "b"]) == "a"


def test_items_with_bits_of_their_own_stay():
    @njit
    def touch(l):
        l[0] = 5.0

    nan = np.float64(np.array(0x7FF8000000000123).view(np.float64))
    l = [1.0, nan, -0.0, 0, True, np.float32(2)]
    same = list(l)
    touch(l)
    assert l[0] == 5.0 and all(a is b for a, b in zip(l[1:], same[1:]))


def test_empty_displays_that_functions_ask():
    for function in (
        lambda: max([], default=7),
        lambda: min([], default=2.5),
        lambda: max([], default=None),
        lambda: sum([]),
        lambda: sum([], 1.5),
        lambda: sorted([]),
        lambda: list(reversed([])),
        lambda: list(enumerate([])),
        lambda: [x for x in zip([], [1])],
        lambda: len(set([])),
    ):
        assert njit(function)() == function()
    with pytest.raises(ValueError):
        njit(lambda: max([]))()


def test_containers_that_what_ends_the_function_would_fill():
    @njit
    def fails(x):
        raise KeyError(x)

    @njit
    def all_of(n):
        found = {i: fails(i) for i in range(n)}
        return len(found)

    assert all_of(0) == 0
    with pytest.raises(KeyError):
        all_of(2)
