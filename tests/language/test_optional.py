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
            y = (1, 2) if x > 0 else 3
            for item in y:
                x += item
            return x

        f(1)


OF_OPTIONAL_ARRAYS = [
    "np.roll(x, 1)", "np.sum(x)", "np.concatenate((x, x))", "np.dot(x, a)", "np.sort(x)",
    "np.argmax(x)", "np.array(x)", "np.zeros_like(x)", "np.diff(x, k)", "np.interp(1.5, a, x)",
    "np.linalg.norm(x)", "np.mean(x)", "np.average(a, weights=x)", "np.append(x, k)",
    "np.full(3, k)", "np.vstack((x, a))", "np.unique(x)", "np.all(x)", "np.clip(a, k, 2)",
    "np.repeat(x, k)", "np.take(x, k)", "np.eye(k)", "np.histogram(x)[0]",
    "np.searchsorted(np.sort(a), x)",
    "np.bincount(x.astype(np.int64), x)", "np.cov(x)", "np.nonzero(x)[0]", "np.where(x > 1, x, 0)",
    "np.sum(b, axis=k)", "b.sum(axis=k)", "a.dot(x)", "np.split(x, k)[0]", "np.percentile(x, 50)",
]  # fmt: skip


@pytest.mark.parametrize("expression", OF_OPTIONAL_ARRAYS)
def test_arguments_of_numpy_functions_that_may_be_none(expression):
    space = {"np": np}
    exec(
        "def f(a, b, given):\n    x = k = None\n    if given:\n        x = a\n        k = 1\n"
        f"    return {expression}\n",
        space,
    )
    a, b = np.array([3.0, 1.0, 2.0]), np.arange(6.0).reshape(2, 3)
    compiled = njit(space["f"])
    result, expected = compiled(a, b, True), space["f"](a, b, True)
    np.testing.assert_array_equal(result, expected)
    assert np.asarray(result).dtype == np.asarray(expected).dtype


def test_parameters_that_take_none_get_it():
    @njit
    def average(a, w, given):
        weights = None
        if given:
            weights = w
        return np.average(a, weights=weights)

    a, w = np.array([1.0, 2.0, 6.0]), np.array([1.0, 0.0, 1.0])
    assert average(a, w, True) == 3.5
    assert average(a, w, False) == 3.0


def test_none_for_an_array_is_a_type_error():
    @njit
    def total(a, given):
        x = None
        if given:
            x = a
        return np.sum(x)

    with pytest.raises(TypeError, match=r"expected array\(float64, 1d, C\), got None"):
        total(np.ones(2), False)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_identity(n):
    def f(n):
        x = [1.5, 2.5] if n else None
        y = x
        z = [1.5] if n > 3 else None
        number = 2.5 if n else None
        same = number
        return x is y, x is z, y is not x, z is z, number is same, number is not None

    assert njit(f)(n) == f(n)
