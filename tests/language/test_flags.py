"""Bools and strings whose value decides which types meet: functions are compiled for the value."""

import numpy as np
import pytest
from language.support import check_same
from numjit import njit
from numjit.errors import NumbaPerformanceWarning, TypingError


@njit
def columns(x, c, tensor=True):
    if tensor:
        c = c.reshape(c.shape + (1,) * x.ndim)
    return c * 2.0


X, C = np.ones((2, 2)), np.arange(3.0)


def test_flags_of_python_calls():
    for _ in range(2):
        check_same(columns(X, C), C.reshape(3, 1, 1) * 2)
        check_same(columns(X, C, False), C * 2)
        check_same(columns(X, C, tensor=True), C.reshape(3, 1, 1) * 2)
    check_same(columns(X[0], C), C.reshape(3, 1) * 2)


def test_flags_of_numpy():
    for _ in range(2):
        check_same(columns(X, C, np.False_), C * 2)
        check_same(columns(X, C, np.True_), C.reshape(3, 1, 1) * 2)


def test_calls_with_another_value_at_each_level():
    @njit
    def total(points, depth):
        rest = points if depth > 3 else points.sum()
        if len(points) > 1:
            return total(points[1:], depth + 1)
        return rest

    assert njit(lambda points: total(points, 0))(np.ones(4)) == 1.0


def test_flags_of_compiled_calls():
    @njit
    def f(x, c):
        return columns(x, c, tensor=False), columns(x, c)

    check_same(f(X, C), (C * 2, C.reshape(3, 1, 1) * 2))


def test_strings():
    @njit
    def f(a, mode):
        if mode == "flat":
            a = a.ravel()
        return a

    assert [f(X, mode).ndim for mode in ("flat", "other", "flat")] == [1, 2, 1]


def test_other_arguments_keep_their_types():
    @njit
    def f(a, n, flag):
        if flag:
            a = a[None, :]
        return a.ndim + n

    assert [f(C, n, flag) for n in range(4) for flag in (True, False)] == [2, 1, 3, 2, 4, 3, 5, 4]
    assert len(f.signatures) == 2
    assert f(C, 0.5, True) == 2.5


def test_the_error_is_that_of_the_types():
    @njit
    def f(a, n, flag):
        return range(n) if n > 2 else (a, flag)

    for _ in range(2):
        with pytest.raises(TypingError, match="Cannot unify range"):
            f(C, 1, True)
    assert not f.signatures

    @njit
    def g(a, n):
        return f(a, n, False)

    with pytest.raises(TypingError, match="Cannot unify range"):
        g(C, 1)


def test_any_branch_may_be_the_one_with_the_error():
    @njit
    def f(a, shape_only, kind):
        if shape_only:
            return np.array(a.shape)
        if kind == "sum":
            return a.sum(axis=0)
        return a.no_such_attribute

    check_same(f(X, True, ""), np.array(X.shape))
    check_same(f(X, False, "sum"), X.sum(axis=0))
    with pytest.raises(TypingError, match="no_such_attribute"):
        f(X, False, "other")


def test_words():
    @njit
    def zeros(name):
        return np.zeros(2, dtype=name)

    for name in ("float32", "<i4", "?"):
        check_same(zeros(name), np.zeros(2, dtype=name))

    @njit
    def f(text, n):
        return text.format(count=n)

    for text in ("{count} items", "{count}", "a" * 40):  # there may be many of these
        with pytest.raises(TypingError, match="not known at compile time"):
            f(text, 2)


def test_keepdims():
    def f(a, axis, keep):
        return a.sum(axis=axis, keepdims=keep), np.max(a, keepdims=keep)

    def through(a, axis, keep=False):
        return f(a, axis, keep=keep)

    for keep in (True, False):
        check_same(njit(f)(X, 0, keep), f(X, 0, keep))
        check_same(njit(through)(X, 1, keep), f(X, 1, keep))

    @njit
    def both(a, keep, flat):  # either alone leaves types that do not meet
        if flat:
            a = a.ravel()
        return a.sum(axis=0, keepdims=keep)

    for keep in (True, False):
        for flat in (True, False):
            wanted = (X.ravel() if flat else X).sum(axis=0, keepdims=keep)
            check_same(both(X, keep, flat), wanted)


@pytest.mark.parametrize("value", ["\ud800", "a b", "word", True, None])
def test_errors_that_no_value_mends_are_the_first_ones(value):
    @njit
    def f(a, x):
        return a.nothing

    with pytest.raises(TypingError, match="Unknown attribute 'nothing' of type int64"):
        f(1, value)


def test_texts_are_no_flags_where_a_bool_decides():
    @njit
    def f(text, flag):
        if flag:
            return len(text)
        return text.nothing

    assert [f("word" + "s" * i, True) for i in range(5)] == [4, 5, 6, 7, 8]
    assert len(f.signatures) == 1


def test_axes_that_decide_the_type():
    def f(a, axis1, axis2):
        return np.asarray(a).diagonal(axis1=axis1, axis2=axis2)

    g = njit(f)
    a = np.arange(24).reshape(2, 3, 4)
    for axes in ((0, 1), (1, 2), (0, 1), (-1, 0)):
        check_same(g(a, *axes), f(a, *axes))


def test_many_versions_are_told_of_once():
    @njit
    def f(a, name, word):
        if word == "sum":
            return a.sum()
        return a

    with pytest.warns(
        NumbaPerformanceWarning, match=r"f\(\) has been .* 64 times.*of.*'word'"
    ) as told:
        for i in range(70):
            check_same(f(X, 1, f"w{i}"), X)
    assert len(told) == 1 and told[0].filename == __file__
    assert f(X, 1, "sum") == 4.0
