"""inspect.signature() of functions that are known when a program is compiled."""

import inspect

import numpy as np
import pytest
from numjit import njit
from numjit.core.errors import TypingError


def plain(x, scale=2.0, *, power=1):
    return x * scale**power


def without_power(x):
    return x


def call(function, x):
    if "power" in inspect.signature(function).parameters:
        return function(x, power=2)
    else:
        return function(x)


def test_branches_are_decided():
    @njit
    def both(x):
        return call(plain, x), call(without_power, x)

    assert both(3.0) == (12.0, 3.0)


def test_names():
    @njit
    def names(function):
        parameters = inspect.signature(function).parameters
        return list(parameters), len(parameters), "y" in parameters

    assert names(plain) == (["x", "scale", "power"], 3, False)


def test_of_numpy():
    @njit
    def distinct(x):
        settings = {}
        if "equal_nan" in inspect.signature(np.unique).parameters:
            settings = {"equal_nan": False}
        return np.unique(x, **settings)

    assert distinct(np.array([1.0, np.nan, np.nan])).size == 3


def test_of_unknown_functions():
    with pytest.raises(TypingError, match="must be known at compile time"):
        njit(lambda x: len(inspect.signature(x).parameters))(1.0)


def test_kinds_are_members():
    def known(a, b=2, *, c=3):
        return a + b + c

    @njit
    def count():
        positional = keywords = 0
        for parameter in inspect.signature(known).parameters.values():
            if parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD:
                positional += 1
            if parameter.kind == inspect.Parameter.KEYWORD_ONLY:
                keywords += 1
        return positional, keywords

    assert count() == count.py_func() == (2, 1)


def test_signatures_are_returned_as_pythons():
    @njit
    def whole():
        return inspect.signature(plain)

    @njit
    def one():
        return inspect.signature(plain).parameters["scale"]

    assert whole() == inspect.signature(plain)
    assert one() == inspect.signature(plain).parameters["scale"]
