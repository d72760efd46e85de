"""Values that may be None: arguments, results, containers, tests, use."""

import numpy as np
import pytest
from language.support import assert_same, compiled
from numjit import njit, optional, typeof, types
from numjit.errors import TypingError


def test_results():
    def f(x):
        if x > 0:
            return x * 2.0
        return None

    assert_same(f, 1.0)
    assert_same(f, -1.0)
    assert str(compiled(f).nopython_signatures[-1].return_type) == "OptionalType(float64)"


def test_arguments():
    @njit(types.float64(optional(types.float64)))
    def f(x):
        return 0.0 if x is None else x + 1

    assert f(None) == 0.0 and f(2.5) == 3.5 and f(2) == 3.0

    @njit([optional(types.int64)(optional(types.int64[:]), types.int64)])
    def pick(a, i):
        if a is None or i >= len(a):
            return None
        return a[i]

    assert pick(None, 0) is None and pick(np.arange(3), 2) == 2 and pick(np.arange(3), 3) is None


def test_use_of_none():
    @njit
    def f(x):
        y = x if x > 0 else None
        return y + 1

    assert f(1) == 2
    with pytest.raises(TypeError, match="expected int64, got None"):
        f(-1)


def test_comparison():
    def f(x):
        y = x if x > 0 else None
        return y is None, y is not None, y == None, y != None, y == 3, bool(y)  # noqa: E711

    for x in (3, 4, -1):
        assert compiled(f)(x) == (f(x) if x > 0 else (True, False, True, False, False, False))


def test_in_tuples_and_lists():
    def f(x):
        y = x if x > 0 else None
        pair = (y, 1)
        items = [y, None, x]
        n = 0
        for item in items:
            if item is None:
                n += 1
        return pair, n, items[2]

    assert_same(f, 2)
    assert_same(f, -2)


def test_of_arrays_and_tuples():
    def f(a, take):
        b = a if take else None
        if b is None:
            return -1.0
        return b.sum() + b[0] + len(b)

    assert_same(f, np.arange(4.0), True)
    assert_same(f, np.arange(4.0), False)

    def g(x):
        return (x, x * 0.5) if x > 0 else None

    assert_same(g, 1)
    assert_same(g, -1)


def test_default_none():
    @njit
    def f(a, out=None):
        if out is None:
            out = np.zeros_like(a)
        out[:] = a * 2
        return out

    a = np.arange(3.0)
    b = np.empty(3)
    assert np.array_equal(f(a), a * 2) and f(a, b) is b


def test_searching():
    def f(a, wanted):
        found = None
        for i in range(len(a)):
            if a[i] == wanted:
                found = i
                break
        if found is not None:
            return found * 10
        return -1

    assert_same(f, np.arange(5), 3)
    assert_same(f, np.arange(5), 9)


def test_through_calls():
    @njit
    def half(x):
        return x // 2 if x % 2 == 0 else None

    @njit
    def f(x):
        y = half(x)
        return half(y) if y is not None else None

    assert f(8) == 2 and f(6) is None and f(3) is None


def test_types():
    assert str(optional(types.float64)) == "OptionalType(float64)"
    assert typeof(None) is types.none
    with pytest.raises(TypeError):
        optional(types.none)
    with pytest.raises(TypingError, match="Cannot unify"):

        @njit
        def f(x):
            y = (1, 2) if x else 3
            return y

        f(True)
