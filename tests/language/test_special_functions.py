"""SciPy's special functions and sparse matrices in compiled code, where SciPy is installed."""

import numpy as np
import pytest
from numjit import njit, typeof, types
from numjit.errors import TypingError
from numjit.extending import overload

special = pytest.importorskip("scipy.special", reason="SciPy is not installed")

ONE = "gamma gammaln erf erfc ndtr expit logit i0 i1 k0 j0 y1 psi exp1 ellipk log1p".split()
TWO = "jv yv kv iv beta betaln gammainc gammaincc xlogy pdtr eval_legendre".split()
THREE = "betainc hyp1f1 fdtr".split()


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_one_argument(name, dtype):
    function = getattr(special, name)
    x = np.array([[1, 2, 3], [4, 5, 6]], dtype)
    x = x / 8 if dtype != np.int64 else x
    actual, expected = njit(lambda x: function(x))(x), function(x)
    np.testing.assert_allclose(actual, expected, rtol=1e-6 if dtype == np.float32 else 1e-13)
    assert actual.dtype == expected.dtype and actual.shape == expected.shape
    assert njit(lambda x: function(x))(0.5) == pytest.approx(function(0.5), nan_ok=True)


@pytest.mark.parametrize("name", TWO)
def test_two_arguments_broadcast(name):
    function = getattr(special, name)
    x, y = np.array([[1.0], [2.0]]), np.array([0.5, 1.5, 2.5])
    np.testing.assert_allclose(njit(lambda x, y: function(x, y))(x, y), function(x, y), rtol=1e-12)
    assert njit(lambda x: function(1.0, x) + 1)(0.5) == pytest.approx(function(1.0, 0.5) + 1)


@pytest.mark.parametrize("name", THREE)
def test_three_arguments(name):
    function = getattr(special, name)
    assert njit(lambda x: function(1.0, 2.0, x))(0.5) == pytest.approx(function(1.0, 2.0, 0.5))


def test_in_loops_and_expressions():
    @njit
    def f(a):
        total = 0.0
        for x in a:
            total += special.erf(x) * 2
        return total + np.sum(special.gamma(a) - 1)

    a = np.linspace(0.5, 2, 7)
    assert f(a) == pytest.approx(f.py_func(a))


def test_what_cannot_be_called():
    with pytest.raises(TypingError, match="of complex numbers"):
        njit(lambda x: special.gamma(x))(1j)
    with pytest.raises(TypingError, match="is not exported"):
        njit(lambda x: special.sici(x))(1.0)


@pytest.mark.parametrize("kind", ["csr_matrix", "csr_array", "csc_matrix", "csc_array"])
def test_sparse_matrices_are_their_arrays(kind):
    sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")
    dense = np.array([[1.0, 0, 2], [0, 0, 3]])
    m = getattr(sparse, kind)(dense)

    @njit
    def product(m, x):
        out = np.zeros(m.shape[0] if m.indptr.size == m.shape[0] + 1 else m.shape[1])
        for i in range(len(out)):
            for k in range(m.indptr[i], m.indptr[i + 1]):
                out[i] += m.data[k] * x[m.indices[k]]
        return out

    x = np.array([1.0, 10.0, 100.0])
    rows = dense if kind[:3] == "csr" else dense.T
    assert product(m, x).tolist() == (rows @ x[: rows.shape[1]]).tolist()

    row = ", ".join(map(str, map(typeof, (m.data, m.indices, m.indptr, m.shape))))
    assert str(typeof(m)) == f"{kind}({row})"  # what overloads are asked about

    @njit
    def double(m):
        m.data[:] = m.data * 2
        return m

    result = double(m)
    assert type(result) is type(m) and np.array_equal(result.toarray(), dense * 2)


@pytest.mark.parametrize("name", ["jv", "gammainc"])
def test_overloads_that_decline_leave_ours(name):
    function = getattr(special, name)

    @overload(function)
    def of_texts(a, x):
        if isinstance(a, types.UnicodeType):
            return lambda a, x: 42

    called = njit(lambda a, x: function(a, x))
    x = np.array([0.5, 1.5])
    assert called("a", 1.0) == 42
    assert called(1.5, 2.0) == pytest.approx(function(1.5, 2.0))
    np.testing.assert_allclose(called(2.0, x), function(2.0, x), rtol=1e-13)
