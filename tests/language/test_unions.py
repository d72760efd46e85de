"""Variables and results whose types on several paths do not unify hold what they are given."""

import gc
import pickle
import sys
import threading

import numpy as np
import pytest
from language.support import check_same
from numjit import njit, prange
from numjit.errors import TypingError
from numjit.typed import Dict, List

ROWS = np.arange(6.0).reshape(3, 2)


@njit
def total(a):
    t = 0
    for i in range(a.shape[0]):
        t = t + a[i]
    return t


def test_sums_that_begin_with_a_number():
    check_same(total(ROWS), total.py_func(ROWS))
    check_same(total(ROWS[:0]), 0)
    check_same(total(ROWS[:1, ::-1]), ROWS[0, ::-1])
    check_same(total(np.ones((2, 3, 1), np.float32)), np.full((3, 1), 2, np.float32))


@njit
def chebyshev(x, c):
    if len(c) == 1:
        c0 = c[0]
        c1 = 0
    elif len(c) == 2:
        c0 = c[0]
        c1 = c[1]
    else:
        c0 = c[-2]
        c1 = c[-1]
        for i in range(3, len(c) + 1):
            before = c0
            c0 = c[-i] - c1
            c1 = before + c1 * 2 * x
    return c0 + c1 * x


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_clenshaw(count):
    x, c = np.linspace(-1, 1, 5), np.arange(1.0, count + 1)
    assert np.allclose(chebyshev(x, c), np.polynomial.chebyshev.chebval(x, c))
    assert np.isclose(chebyshev(0.3, c), np.polynomial.chebyshev.chebval(0.3, c))


@njit
def one_of(k):
    if k == 0:
        return 1
    if k == 1:
        return "text"
    if k == 2:
        return np.ones(2)
    return None


def test_results():
    for k in range(4):
        check_same(one_of(k), one_of.py_func(k))


@njit
def asked(k, a):
    x = None
    if k > 0:
        x = 3
    if k > 1:
        x = a
    if x is None:
        return 0.0
    if isinstance(x, int):
        return x + 0.5
    return x.sum() + x[0]


def test_narrowed_by_questions():
    assert [asked(k, ROWS[1]) for k in range(3)] == [asked.py_func(k, ROWS[1]) for k in range(3)]


@njit
def operations(k, a, item):
    x = 2
    if k:
        x = a
    x += 1
    x[item] if k else x
    b = np.zeros(3)
    b[:] = x
    return (
        -x,
        x * 2.5,
        x > 2,
        np.sqrt(x),
        np.ndim(x),
        len(str(x)) > 0,
        abs(x),
        (x, 1)[0] + 1,
        np.maximum(x, 3),
        float(x if not k else x[0]),
        b,
    )


@pytest.mark.parametrize("k", [0, 1])
def test_operations(k):
    a = np.array([1.0, 4.0, 9.0])
    for ours, due in zip(operations(k, a.copy(), 1), operations.py_func(k, a.copy(), 1)):
        np.testing.assert_array_equal(ours, due)


def test_in_place_operators_write_through():
    @njit
    def f(k, a):
        x = 1
        if k:
            x = a
        x += 1
        return x

    a = np.ones(2)
    assert f(0, a) == 2 and a.tolist() == [1, 1]
    result = f(1, a)
    assert a.tolist() == [2, 2]
    result[0] = 7
    assert a[0] == 7


def test_stores_attributes_and_methods():
    @njit
    def f(k, a, b):
        x = a
        if k:
            x = b
        x[0] = 5
        return x.shape, x.T, x.copy(), x.mean(), x[-1], x[..., 0]

    for k in (0, 1):
        ours = f(k, np.zeros(2), np.zeros((2, 3), np.int32))
        due = f.py_func(k, np.zeros(2), np.zeros((2, 3), np.int32))
        for x, y in zip(ours, due):
            np.testing.assert_array_equal(x, y)


def test_what_one_of_the_types_lacks_is_raised_when_it_comes():
    @njit
    def f(k, a):
        x = 1
        if k:
            x = a
        return x[0]

    assert f(1, ROWS[1]) == 2
    for _ in range(2):
        with pytest.raises(TypeError, match="int64 cannot be indexed"):
            f(0, ROWS[1])

    @njit
    def g(k):
        x = 1
        if k:
            x = (1, 2)
        return x.nothing

    with pytest.raises(TypingError, match="Cannot unify"):
        g(1)


def test_arguments_of_calls():
    @njit
    def size(x):
        return np.ndim(x)

    @njit
    def raises(x):
        if np.ndim(x) == 0:
            raise ValueError("none")
        return 1

    @njit
    def f(k, a):
        x = 0.5
        if k:
            x = a
        return size(x), size(x=x), np.sum(x)

    @njit
    def g(k, a):
        x = 0.5
        if k:
            x = a
        return raises(x)

    assert f(0, ROWS) == (0, 0, 0.5) and f(1, ROWS) == (2, 2, 15.0)
    assert g(1, ROWS) == 1
    with pytest.raises(ValueError, match="none"):
        g(0, ROWS)


def test_callers_of_what_returns_several_types():
    @njit
    def f(k):
        x = one_of(k)
        if x is None:
            return -1.0
        if isinstance(x, str):
            return len(x) * 1.0
        return np.sum(x) * 1.0

    assert [f(k) for k in range(4)] == [1.0, 4.0, 2.0, -1.0]


def test_inner_functions_containers_and_generators():
    @njit
    def f(k, a):
        x = 1
        if k:
            x = a

        def inner(y):
            return x * y

        pair = (x, 2)
        return inner(3), pair, [x, x][1] + 1

    @njit
    def each(k, a):
        x = 1
        for _ in range(2):
            yield np.sum(x)
            x = a
        yield np.sum(x) + k

    for k in (0, 1):
        for ours, due in zip(f(k, ROWS), f.py_func(k, ROWS)):
            check_same(ours, due) if not isinstance(due, tuple) else check_same(ours[0], due[0])
    assert list(each(1, ROWS)) == [1.0, 15.0, 16.0]


def test_kinds_of_values():
    @njit
    def f(k, s):
        x = (1, 2.5)
        if k == 1:
            x = s
        if k == 2:
            x = [1, 2]
        if k == 3:
            x = np.datetime64("2020-01-01")
        return x

    assert [f(k, "ab") for k in range(3)] == [(1, 2.5), "ab", [1, 2]]
    assert f(3, "ab") == np.datetime64("2020-01-01")

    @njit
    def optional(k, a):
        x = None
        if k == 1:
            x = 2
        y = x
        if k == 2:
            y = a
        return y

    assert optional(0, ROWS) is None and optional(1, ROWS) == 2
    check_same(optional(2, ROWS), ROWS)


def test_too_many_types():
    @njit
    def grows(n):
        x = 0
        for i in range(n):
            x = (x, i)
        return x

    with pytest.raises(TypingError, match="Cannot unify int64 and UniTuple"):
        grows(3)


def test_nothing_is_lost_or_kept():
    @njit
    def f(k, n):
        x = 1
        if k:
            x = np.ones(n)
        y = [x, x]
        return x if k else y[0]

    for k in (0, 1):
        f(k, 3)
    a = np.ones(3)
    before = sys.getrefcount(a)
    for _ in range(100):
        total(a.reshape(1, 3))
        f(1, 10)
    gc.collect()
    assert sys.getrefcount(a) == before


def test_threads_and_pickles():
    @njit
    def f(a, k):
        x = 0
        for i in range(k):
            x = x + a[i]
        return np.sum(x)

    results, twin = [], pickle.loads(pickle.dumps(total))
    threads = [
        threading.Thread(target=lambda: results.append((f(ROWS, 3), twin(ROWS).tolist())))
        for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [(15.0, [6.0, 9.0])] * 16


def test_parallel_loops():
    @njit(parallel=True)
    def f(k, a):
        x = 2.0
        if k:
            x = a
        out = np.zeros(len(a))
        for i in prange(len(a)):
            out[i] = np.sum(x) * i
        return out

    for k in (0, 1):
        check_same(f(k, ROWS[1]), f.py_func(k, ROWS[1]))


def test_flags_decide_first():
    @njit
    def f(a, tensor):
        if tensor:
            a = a[None]
        return a.ndim

    assert (f(ROWS, True), f(ROWS, False)) == (3, 2)
    assert len(f.signatures) == 2


@njit
def collected(n):
    out = [0.5]
    for i in range(n):
        if i % 2:
            out.append(i * 1.5)
        else:
            out.append("a" * i)
    out.append(None)
    out[0] = "first"
    return out


def test_lists():
    check_same(collected(4), collected.py_func(4))

    @njit
    def f(a):
        out = [a, 1.0]
        out.append(2.5)
        total = 0.0
        for x in out:
            total += np.sum(x)
        last = out.pop()
        out.insert(0, "text")
        return total, last, 1.0 in out[2:], len(out), [type(x) is str for x in out]

    assert f(ROWS) == (18.5, 2.5, True, 3, [True, False, False])

    @njit
    def comprehension(n):
        return [i if i % 2 else str(i) for i in range(n)]

    assert comprehension(4) == ["0", 1, "2", 3]

    @njit
    def nested(a):
        out = [[1.0]]
        out.append([a])
        return out

    assert nested("a") == [[1.0], ["a"]]


def test_values_of_dicts():
    @njit
    def f(a):
        d = {"x": 1}
        d["y"] = a
        d["z"] = "text"
        d["x"] = None
        return d["y"].sum(), len(d["z"]), d["x"] is None, sorted(d.keys()), d

    *ours, d = f(ROWS)
    assert ours == [15.0, 4, True, ["x", "y", "z"]]
    assert d["x"] is None and d["z"] == "text"
    check_same(d["y"], ROWS)


def test_typed_containers_have_one_type():
    @njit
    def of_list():
        out = List()
        out.append(1)
        out.append("a")
        return out

    @njit
    def of_dict():
        out = Dict()
        out[1] = 1
        out[2] = "a"
        return out

    for f in (of_list, of_dict):
        with pytest.raises(TypingError, match="Cannot unify"):
            f()


def test_result_type_of_mixed_lists():
    def f(*args):
        items = [np.asarray(arg) for arg in args]
        try:
            return np.result_type(*items)
        except TypeError:
            return np.dtype(np.int8)

    a, b = np.array([1.0]), np.array([1j])
    for args in ((a, b), (b, a), (a, a), (np.array([1]), a, b)):
        assert njit(f)(*args) == f(*args)


def test_classes_that_are_chosen_at_run_time():
    def f(w, only_real):
        kind = np.complex128
        if only_real and np.all(w.imag == 0):
            w = w.real
            kind = np.float64
        return w.astype(kind, copy=False), np.zeros(2, kind)

    for w in (np.array([1j, 2]), np.array([2 + 0j])):
        for only_real in (True, False):
            check_same(njit(f)(w, only_real), f(w, only_real))


def test_generators_that_yield_several_types():
    def parts(a, n):
        yield a
        yield n
        if n > 1:
            yield (a, n)
        yield None

    def collected(a, n):
        found = []
        for part in parts(a, n):
            found.append(part)
        return found

    def doubled(a, n):
        total = 0.0
        for part in parts(a, n):
            if part is not None and not isinstance(part, tuple):
                total += np.sum(part * 2)
        return total

    for n in (1, 2):
        check_same(list(njit(parts)(ROWS, n)), list(parts(ROWS, n)))
        check_same(njit(doubled)(ROWS, n), doubled(ROWS, n))
        check_same(njit(collected)(ROWS, n), collected(ROWS, n))


def test_numbers_that_are_sent_to_generators_of_several_types():
    @njit
    def answer():
        sent = yield 1.5
        if sent is None:
            yield "nothing"
        else:
            yield sent + 1

    for sent, expected in ((2.5, 3.5), (3, 4), (None, "nothing")):
        generator = answer()
        assert next(generator) == 1.5
        assert generator.send(sent) == expected


def test_items_under_keys_that_are_known_at_run_time():
    def item(key, n):
        table = {"row": ROWS[0], "one": 1, "text": "word"}
        return table[key[:n]]

    compiled = njit(item)
    for key in ("row", "one", "text"):
        check_same(compiled(key + "x", len(key)), item(key, len(key)))
    with pytest.raises(KeyError, match="ro"):
        compiled("row", 2)

    def caught(key, n):
        try:
            return {"row": ROWS[0], "one": 1}[key[:n]]
        except KeyError:
            return -1

    for n in (2, 3):
        check_same(njit(caught)("row", n), caught("row", n))


def test_defaults_of_another_type():
    def literal(key, n):
        return {"row": ROWS[0], "one": 1}.get(key[:n], "none")

    def of_dict(key, n):
        numbers = {"a": 1, "b": 2}
        return numbers.get(key[:n], key)

    def known(n):
        return {"row": ROWS[0], "one": n}.get("one"), {"row": ROWS[0], "one": n}.get("two", n)

    for f, keys in ((literal, ("row", "one", "two")), (of_dict, ("a", "b", "c"))):
        for key in keys:
            check_same(njit(f)(key + "x", len(key)), f(key + "x", len(key)))
    check_same(njit(known)(3), known(3))


def plain(x):
    return x + 1


def with_more(x, more):
    return x * more


def test_functions_that_are_chosen_by_a_key():
    chosen = {"plain": (plain, 1), "more": (with_more, 2)}

    def f(name, x, k):
        function = chosen[name.lower()[:k]][0]
        if function == plain:
            return function(x)
        return function(x, 3.0)

    for name in ("PLAIN", "MORE"):
        check_same(njit(f)(name, 2.0, len(name)), f(name, 2.0, len(name)))
    with pytest.raises(KeyError):
        njit(f)("other", 2.0, 3)


def test_axes_of_ranges_without_items():
    def f(a, b):
        n = max(a.ndim, b.ndim)
        a = np.expand_dims(a, axis=tuple(range(n - a.ndim)))
        return np.expand_dims(a, axis=tuple(range(1, 2 * n, 2)))

    for a, b in ((np.ones(3), np.ones(2)), (np.ones(3), ROWS), (ROWS, np.ones(2))):
        check_same(njit(f)(a, b), f(a, b))


def test_recursive_generators_of_several_types():
    def first_items(n):
        if n > 2:
            for part in first_items(n - 1):
                yield part[0]
            return
        yield [1, 2]
        yield (1, 2)

    def copied(n):
        if n > 2:
            for part in copied(n - 1):
                yield [item for item in part]
            return
        yield [1, 2]
        yield (1, 2)

    check_same(list(njit(first_items)(3)), list(first_items(3)))
    with pytest.raises(TypingError, match="Cannot unify"):
        list(njit(copied)(3))


def test_classes_or_texts():
    kinds = {"integer": np.integer, "complex": np.complexfloating}

    def f(a, names):
        found = [kinds.get(name, name) for name in names]
        return any(np.issubdtype(a.dtype, kind) for kind in found)

    for dtype in (np.float32, np.int8, np.complex64):
        for names in (["integer"], ["complex"], ["complex", "integer"]):
            a = np.ones(2, dtype)
            assert njit(f)(a, names) == f(a, names)


def test_lexsort_of_lists():
    def f(a, b):
        keys = [a]
        keys.append(b)
        return np.lexsort(keys), np.lexsort([abs(a.imag)])

    a, b = np.array([1j, 2, 0, 1]), np.array([3.0, 1, 1, 1]) + 0j
    for got, wanted in zip(njit(f)(a, b), f(a, b), strict=True):
        check_same(got, wanted)


def test_loops_over_tuples_of_several_lengths():
    def product(a, n):
        b = a[None] if a.size > n else a
        total = 1
        for extent in b.shape:
            total = total * 10 + extent
        return total, [extent for extent in b.shape if extent != 1]

    def weighted(n):
        t = (1.5, 2.5) if n > 1 else ()
        total = 0.0
        for i, x in enumerate(t):
            total += i + x
        return total

    def texts(n):
        t = ("a",) if n > 1 else (("b", "c") if n else ("d", "e", "f"))
        found = ""
        for x in t:
            found += x
        return found

    for n in (0, 1, 2, 9):
        for f, arguments in ((product, (ROWS, n)), (weighted, (n,)), (texts, (n,))):
            check_same(njit(f)(*arguments), f(*arguments))


def test_tuples_of_other_items_are_no_sequence():
    @njit
    def f(a, n):
        b = (a, 1) if n > 1 else (a,)
        for x in b:
            a = a + x
        return a

    with pytest.raises(TypingError, match="Cannot unify"):
        f(ROWS, 2)


def test_unpacked_tuples_of_several_types():
    def pair(a, n):
        t = (a, a[None]) if n > 1 else (a[None], a)
        b, c = t
        return b.ndim * 10 + c.ndim, float(b.sum() + c[0].sum())

    def mixed(a, n):
        t = (a, "x") if n > 1 else (a[None], "yy")
        b, c = t
        return b, c

    def starred(a, n):
        t = (a, 1.5, 2.0) if n > 1 else (a[None], 2.5, 3.0)
        b, *c = t
        return b.ndim, c

    for f in (pair, mixed, starred):
        for n in (1, 2):
            for a in (ROWS, ROWS[::-1, ::2], ROWS[:0]):
                if f is pair and not a.size:
                    continue
                check_same(njit(f)(a, n), f(a, n))

    @njit
    def unequal(a, n):
        t = (a, 1) if n > 1 else (a[None], 2, 3)
        b, c = t
        return c

    with pytest.raises(TypingError, match="Cannot unify"):
        unequal(ROWS, 2)
