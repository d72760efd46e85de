"""sys.modules: which modules are loaded is read when a function is compiled."""

import sys

import numpy as np
import pytest
from language.support import assert_same
from numjit import njit


def is_instance(x, module, name):
    try:
        found = sys.modules[module]
    except KeyError:
        return False
    return issubclass(type(x), getattr(found, name))


def test_classes_of_modules_that_may_be_loaded():
    def f(x):
        return (
            is_instance(x, "numpy", "ndarray"),
            is_instance(x, "numpy", "float64"),
            is_instance(x, "no_such_module", "Array"),
        )

    assert_same(f, np.ones(2))
    assert_same(f, 2)


def test_membership():
    def f(name):
        return name in sys.modules, "numpy.linalg" in sys.modules, "jax.none" not in sys.modules

    assert_same(f, "numpy")
    assert_same(f, "no_such_module")


def test_members():
    def f():
        return sys.modules["math"].pi, sys.modules["numpy"].sum(np.ones(3))

    assert_same(f)
    with pytest.raises(KeyError, match="no_such_module"):
        njit(lambda: sys.modules["no_such_module"] is None)()
