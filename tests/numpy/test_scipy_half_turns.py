"""scipy.special's sine and cosine of multiples of pi, in compiled code."""

import numpy as np
import pytest
from language.support import assert_same
from numjit import njit

special = pytest.importorskip("scipy.special", reason="SciPy is not installed")


def test_against_scipy():
    from scipy.special._ufuncs import _cospi, _sinpi

    def f(x):
        return _sinpi(x), _cospi(x), _sinpi(x[1]), _cospi(x[-1])

    x = np.concatenate((np.linspace(-3, 3, 49), [0.5, 1.5, 1e6 + 0.25, 1e-9]))
    for actual, expected in zip(njit(f)(x), f(x), strict=True):
        assert np.ndim(actual) == np.ndim(expected)
        np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-15)


def test_nodes_of_chebyshev():
    assert_same(lambda n: special.roots_chebyt(n), 6, rtol=1e-12)
