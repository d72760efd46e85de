"""`object()` and np._NoValue: defaults that tell that an argument is missing."""

import numpy as np
import pytest
from numjit import njit, types
from numjit.errors import TypingError

MISSING, OTHER = object(), object()


class Options:
    UNSET = object()


@njit
def add(x, y=MISSING):
    if y is MISSING:
        return x
    return x + y


@njit
def which(x):
    if x is MISSING:
        return "missing"
    if x is not OTHER:
        return "something"
    return "other"


def test_defaults():
    assert add(1) == 1 and add(1, 2) == 3 and add(1, y=2.5) == 3.5
    assert add(1, MISSING) == 1
    assert add.py_func(1) == add(1)


def test_which_one():
    for x in (MISSING, OTHER, Options.UNSET, object(), 1, None, "a", np.ones(2)):
        assert which(x) == which.py_func(x)


def test_calls_within_compiled_code():
    @njit
    def inner(x, axis=Options.UNSET, y=MISSING):
        first = 1 if axis is Options.UNSET else axis
        return first + (0 if y is MISSING else y) + x

    @njit
    def outer(x, **options):
        return inner(x) + inner(x, 2) + inner(x, y=3) + inner(x, **options)

    assert outer(1) == outer.py_func(1) == 2 + 3 + 5 + 2


def test_what_numpy_has():
    @njit
    def total(x, keepdims=np._NoValue):
        if keepdims is not np._NoValue:
            return x.sum() + keepdims
        return x.sum()

    assert total(np.ones(3)) == 3 and total(np.ones(3), 2) == 5


def test_it_is_given_back():
    @njit
    def same(x):
        return x

    assert same(MISSING) is MISSING and same(OTHER) is OTHER

    @njit
    def pair(x):
        return (x, 1, x is MISSING, x == MISSING)

    assert pair(MISSING) == (MISSING, 1, True, True)
    assert pair(OTHER) == (OTHER, 1, False, False)


@pytest.mark.parametrize("wrong", [lambda x: x + 1, lambda x: x.a, lambda x: x(), lambda x: x[0]])
def test_nothing_else_can_be_done_with_it(wrong):
    with pytest.raises((TypingError, AttributeError, TypeError)):
        njit(wrong)(MISSING)


def test_other_objects_have_no_type():
    class Plain:
        __slots__ = ()

    with pytest.raises(TypingError, match="cannot determine Numba type of"):
        which(Plain())


def both_sorts(first, second):
    done, missing = object(), object()
    items, found = iter(first), []
    while (x := next(items, done)) is not done:
        found.append(x)
    last = next(iter(second), missing)
    return found, last is missing, last is done, done is missing, done is done


def closed_over(n):
    nothing = object()

    def add(x, y=nothing):
        return x if y is nothing else x + y

    return add(n), add(n, 2)


def test_made_in_compiled_code():
    for function, args in ((both_sorts, ([1, 2], [3.5])), (closed_over, (5,))):
        assert njit(function)(*args) == function(*args)
    empty = np.ones(0)
    assert njit(both_sorts)([1], empty) == both_sorts([1], empty)


def test_one_for_each_turn_of_a_loop_is_refused():
    @njit
    def f(n):
        return [object() for _ in range(n)][0] is MISSING

    with pytest.raises(TypingError, match="in a loop"):
        f(3)


def test_types_of_different_objects_differ():
    assert types.typeof(MISSING) == types.typeof(MISSING) != types.typeof(OTHER)
