"""What SciPy's copy of array_api_compat answers in compiled code."""

import importlib
import sys

import numpy as np
import pytest
from numjit import njit

helpers = pytest.importorskip(
    "scipy._external.array_api_compat.common._helpers", reason="SciPy, or this copy, is missing"
)

VALUES = [np.ones(3), np.ones((2, 2), np.int32), np.broadcast_to(1.0, 3), 3, 2.5]
ASK = [name for name in vars(helpers) if name.startswith("is_")]


@pytest.mark.parametrize("name", [name for name in ASK if "namespace" not in name])
@pytest.mark.parametrize("value", VALUES)
def test_what_is_an_array(name, value):
    ask = getattr(helpers, name)
    assert njit(lambda x: ask(x))(value) == bool(ask(value))


@pytest.mark.parametrize("name", [name for name in ASK if name.endswith("namespace")])
def test_what_is_the_namespace_of_numpy(name):
    ask = getattr(helpers, name)
    assert njit(lambda: ask(np))() == ask(np)


def test_namespaces_devices_and_sizes():
    def f(x):
        xp = helpers.array_namespace(x)
        moved = helpers.to_device(x, helpers.device(x))
        return xp.sum(moved), helpers.size(x), helpers.device(x)

    x = np.arange(6.0).reshape(2, 3)
    assert njit(f)(x) == (15.0, 6, "cpu")


def test_functions_of_other_modules_that_ask():
    """The functions are known wherever a module has them under another name."""
    module = importlib.import_module("scipy._lib._array_api")
    assert "scipy._lib._array_api" in sys.modules
    f = njit(lambda x: (module.is_numpy(np), module.xp_size(x)))
    assert f(np.ones((2, 3))) == (True, 6)
