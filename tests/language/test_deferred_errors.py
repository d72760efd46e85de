"""Branches that cannot be compiled: their errors are raised by the calls that reach them, where the
rest of the function can be compiled."""

import threading

import numpy as np
import pytest
from numjit import jit, njit, vectorize
from numjit.errors import TypingError

LOCK = threading.local()  # nothing that compiled code knows


def test_branches_that_are_not_reached():
    @njit
    def f(x):
        if x < 0:
            return LOCK.scale * x
        return 2 * x

    assert [f(x) for x in (1, 2, 1)] == [2, 4, 2]
    for _ in range(2):
        with pytest.raises(TypingError, match=r"cannot determine Numba type of _thread._local"):
            f(-1)
    assert f(3) == 6
    assert f(1.5) == 3.0


def test_the_error_is_that_of_compiling():
    @njit
    def early(a):
        return a.unknown

    @njit
    def late(a):
        if a[0] > 0:
            return a.unknown
        return 0

    a = np.ones(3)
    texts = []
    for function in (early, late):
        with pytest.raises(TypingError) as caught:
            function(a)
        texts.append(str(caught.value).replace(".", ""))
    early_lines, late_lines = (text.splitlines() for text in texts)
    assert early_lines[0] == late_lines[0]
    assert len(early_lines) == len(late_lines)


def test_what_every_call_reaches_is_refused_at_once():
    done = []

    @njit
    def in_loop(a):
        total = 0.0
        for x in a:
            total += x.unknown
        return total

    @njit
    def behind_branch(a, flag):
        if flag > 0:
            a[0] = 7
        return a.unknown

    for function, arguments in ((in_loop, ()), (behind_branch, (1,))):
        a = np.zeros(0)
        with pytest.raises(TypingError, match="unknown"):
            function(a, *arguments)
        assert not function.signatures
    assert not done


def test_branches_of_what_is_called():
    def scaled(x, weird):
        if weird > 2:
            return LOCK.scale * x
        return x

    inner = njit(scaled)

    @njit
    def f(x, weird):
        return inner(x, weird) + scaled(x, weird)

    assert f(2, 1) == 4
    with pytest.raises(TypingError, match="_thread._local"):
        f(2, 3)


def test_handlers_do_not_take_them():
    @njit
    def f(x):
        try:
            if x > 0:
                x = LOCK.scale
        except Exception:
            return -1
        return x

    @njit
    def g(x):
        try:
            return f(x)
        except:  # noqa: E722
            return -2
        finally:
            x += 1

    assert f(0) == g(0) == 0
    for function in (f, g):
        with pytest.raises(TypingError, match="_thread._local"):
            function(1)


def test_flags_come_first():
    @njit
    def f(x, flag):
        if flag:
            x = LOCK.scale
        return x

    assert f(1, False) == 1
    with pytest.raises(TypingError):
        f(1, True)
    assert f(2.5, False) == 2.5


def test_variables_take_the_types_of_other_paths():
    @njit
    def f(n):
        items = []
        value = 0
        for i in range(n):
            if i > 5:
                value = LOCK.scale
                items.append(value)
            items.append(i)
        return items, value

    assert f(3) == ([0, 1, 2], 0)
    with pytest.raises(TypingError):
        f(7)


def test_generators():
    @njit
    def f(n):
        for i in range(n):
            if i == 2:
                yield LOCK.scale
            yield i

    found = []
    with pytest.raises(TypingError):
        for i in f(4):
            found.append(i)
    assert found == [0, 1]


def test_where_all_must_be_compiled():
    def f(x):
        if x < 0:
            return LOCK.scale * x
        return 2 * x

    with pytest.raises(TypingError):
        njit("int64(int64)")(f)
    with pytest.raises(TypingError):
        vectorize("int64(int64)")(f)
    LOCK.scale = 3
    assert jit(forceobj=False)(f)(-2) == -6  # in object mode


def test_names_that_are_defined_later():
    namespace = {}
    exec("def f(x):\n    return NAME if x else 0", namespace)
    f = njit(namespace["f"])
    with pytest.raises(TypingError, match="NAME"):
        f(0)
    namespace["NAME"] = 5
    assert f(1) == 5


def test_strict_integers():
    @njit(strict_ints=True)
    def f(a, b, flag):
        return a if flag else b

    for flag in (True, False):
        with pytest.raises(TypingError, match="strict_ints=True"):
            f(np.uint64(2**63), np.int64(1), flag)
