"""What SciPy's copy of array_api_compat answers in compiled code."""

import importlib
import sys

import numpy as np
import pytest
from language.support import check_same
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


shared = importlib.import_module("scipy._lib._array_api")


@pytest.mark.skipif(not hasattr(shared, "xp_promote"), reason="this SciPy has no xp_promote")
def test_promotion():
    promote = getattr(shared, "xp_promote", None)

    def together(a, b):
        return promote(a, b, force_floating=True, xp=np)

    def broadcast(a, b):
        return promote(a, b, broadcast=True, xp=np)

    def with_none(a):
        x, y, z = promote(a, None, 2.0, xp=np)
        return x, y is None, z

    def single(a):
        return promote(a, force_floating=True, xp=np)

    row, column, whole = np.ones(3), np.ones((2, 1), np.float32), np.arange(3)
    for a, b in ((row, 1.5), (whole, whole), (row, column), (2.0, whole), (column, row)):
        check_same(njit(together)(a, b), together(a, b))
        check_same(njit(broadcast)(a, b), broadcast(a, b))
    for a in (row, whole, [1, 2]):
        check_same(njit(single)(a), single(a))
        check_same(njit(with_none)(a), with_none(a))
    with pytest.raises(ValueError, match="broadcast"):
        njit(broadcast)(row, np.ones(2))
