"""Bools and strings whose value decides which types meet: functions are compiled for the value."""

import numpy as np
import pytest
from language.support import check_same
from numjit import njit
from numjit.errors import TypingError


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
