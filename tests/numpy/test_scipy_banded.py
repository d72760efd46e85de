"""scipy.linalg of matrices that are stored by their diagonals, in compiled code."""

import numpy as np
import pytest
from language.support import assert_same
from numjit import njit
from numjit.errors import TypingError

linalg = pytest.importorskip("scipy.linalg", reason="SciPy is not installed")
RANDOM = np.random.default_rng(3)


def upper(band):
    return linalg.eigvals_banded(band)


def lower(band):
    return linalg.eigvals_banded(band, lower=True, overwrite_a_band=True)


@pytest.mark.parametrize("f", [upper, lower])
@pytest.mark.parametrize("shape", [(1, 5), (2, 6), (3, 4), (4, 4)])
def test_eigenvalues(f, shape):
    band = RANDOM.normal(size=shape)
    assert_same(f, band, rtol=1e-10)
    assert_same(f, band.astype(int), rtol=1e-10)
    row = 0 if f is lower else shape[0] - 1
    band = band + 1j * RANDOM.normal(size=shape)
    band[row] = band[row].real
    assert_same(f, band, rtol=1e-10)


def test_what_is_refused():
    band = np.ones((2, 3))
    band[0, 1] = np.inf
    assert_same(upper, band)
    with pytest.raises(TypingError, match="select="):
        njit(lambda b: linalg.eigvals_banded(b, select="i", select_range=(0, 1)))(np.ones((2, 3)))


def test_gauss_rules():
    special = pytest.importorskip("scipy.special")
    assert_same(lambda n: special.roots_legendre(n), 7, rtol=1e-10)
