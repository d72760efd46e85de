"""Compilation ends, also of calls that nest or fail in ways that double with each level."""

import numpy as np
import pytest
from numjit import njit
from numjit.errors import TypingError


def pruned(x):
    if isinstance(x, tuple):
        return 1.0
    return pruned((x,))


def descend(x, deep=False):
    if deep:
        return descend(x, False) + 1
    return len(x)


def nested(x, n):
    if n == 0:
        return 0
    return nested((x,), n - 1) + 1


def at_least(x, ndim):
    if x.ndim < ndim:
        x = np.expand_dims(x, 0)
        return at_least(x, ndim)
    return x


def odd_levels(x, n):
    return 0 if n == 0 else even_levels((x, 1.0), n - 1) + 1


def even_levels(x, n):
    return 0 if n == 0 else odd_levels((x, True), n - 1) + 1


@njit
def calls_with_values(x):
    return nested(x, 5), nested((x,), 0), odd_levels(x, 3), descend((x,)), descend((x,), True)


@njit
def more_dimensions(x):
    return at_least(x, 2).shape, at_least(x, 4).shape


def test_types_end_the_recursion():
    assert njit(pruned)(3) == 1.0


def test_values_end_the_recursion():
    assert calls_with_values(1.5) == calls_with_values.py_func(1.5)
    assert more_dimensions(np.zeros(3)) == ((1, 3), (1, 1, 1, 3))


def grow(x, n):
    return 0 if n == 0 else grow((x,), n - 1)


def double(x, n):
    return 0 if n == 0 else double((x, x), n - 1)


def branch(x, n):
    return 0 if n == 0 else branch((x, 1), n - 1) + branch((1.0, x), n - 1)


def branch_in_turn(x, n):
    return 0 if n == 0 else branch_back((x,), n - 1) + branch_back((x, 2.0), n - 1)


def branch_back(x, n):
    return branch_in_turn((x,), n) + branch_in_turn((x, 1), n)


def more_dimensions_each_time(x, n):
    if n == 0:
        return x.sum()
    return more_dimensions_each_time(x[None], n - 1) + more_dimensions_each_time(x[None], n - 2)


def in_a_container(x, v):
    found = []
    if v is not None:
        found.append(in_a_container((x, 1), v))
        found.append(in_a_container((x, 2.0), v))
    return len(found)


def in_a_handler(x, n):
    try:
        return in_a_handler((x, n), n - 1)
    except Exception:
        return in_a_handler((n, x), n - 1) + 1


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (grow, (1, 3)),
        (double, (1, 3)),
        (double, (abs, 3)),  # types that hold nothing
        (branch, (1, 3)),
        (branch_in_turn, (1, 3)),
        (more_dimensions_each_time, (np.zeros(2), 3)),
        (in_a_container, (1, None)),
        (in_a_handler, (1, 3)),
    ],
)
def test_new_types_at_each_level(function, arguments):
    with pytest.raises(TypingError, match="calls nest too deeply while compiling"):
        njit(function)(*arguments)


def test_the_error_names_the_function_of_the_user():
    with pytest.raises(TypingError, match="while compiling more_dimensions_each_time") as raised:
        njit(more_dimensions_each_time)(np.zeros(2), 3)
    assert "called here" in str(raised.value)


def test_another_function_compiles_after_that():
    with pytest.raises(TypingError):
        njit(grow)(1, 3)
    assert njit(pruned)(3) == 1.0


def failing(x):
    return x.missing


def calls_thrice(function, levels):
    """Each level calls the one below three times: 3 ** levels calls."""
    for _ in range(levels):
        function = _thrice(function)
    return function


def _thrice(function):
    def level(x):
        return function(x) + function(x) + function(x)

    return level


@pytest.mark.parametrize("levels", [1, 40])
def test_a_failure_is_found_once(levels):
    with pytest.raises(TypingError, match="Unknown attribute 'missing' of type int64") as raised:
        njit(calls_thrice(failing, levels))(1)
    assert "in failing" in str(raised.value)


def fails_for_floats(x, n):
    if n <= 0:
        return 0
    return fails_for_floats(x, n - 1) + calls_both(x, n - 1) + calls_both(0.5, n - 1)


def calls_both(x, n):
    return fails_for_floats(x, n - 1) + x[0]


def test_failures_of_functions_that_call_each_other():
    with pytest.raises(TypingError, match="int64"):
        njit(fails_for_floats)(1, 4)


def widens(n, x):
    """The first round of inference takes its own result for an int, the second for a float."""
    if n == 0:
        return x
    return scaled(widens(n - 1, x)) + 0.5


def scaled(x):
    return x * 2


def test_a_type_that_settles_late():
    f = njit(widens)
    assert f(3, 1) == widens(3, 1)
