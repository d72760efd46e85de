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


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_numbers(dtype):
    z = (np.linspace(0.5, 2, 6).reshape(2, 3) + 1j).astype(dtype)

    def f(z):
        return special.gamma(z), special.kve(z.real, z), special.wofz(z)

    for got, wanted in zip(njit(f)(z), f(z), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5 if dtype == np.complex64 else 1e-12)
        assert got.dtype == wanted.dtype
    assert njit(lambda z: special.gamma(z))(1j) == pytest.approx(special.gamma(1j))


@pytest.mark.parametrize("name", ["airy", "sici", "ellipj", "fresnel", "kelvin", "pbdv", "shichi"])
def test_several_results(name):
    function = getattr(special, name)
    x = np.linspace(0.1, 0.9, 5)
    f = njit(lambda x, more: function(*more, x))
    for given in (x, x.astype(np.float32), 0.5):
        more = (given,) * (function.nin - 1)
        got, wanted = f(given, more), function(*more, given)
        assert isinstance(got, tuple) and len(got) == function.nout
        for one, other in zip(got, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6)
            assert np.asarray(one).dtype == np.asarray(other).dtype or np.ndim(other) == 0


def test_functions_that_scipy_calls():
    def f(x, k):
        return special.lambertw(x, k), special.zeta(x + 2), special.binom(5, x)

    for x in (0.5, np.array([0.1, 2.0, 30.0])):
        for got, wanted in zip(njit(f)(x, 0), f(x, 0), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-12)

    def nodes(n):
        return special.roots_chebyt(n)

    for got, wanted in zip(njit(nodes)(6), nodes(6), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-12)


def test_out():
    def f(x, out):
        special.gamma(x, out)
        return special.kolmogi(x, out=out[1:]), special.erf(x)

    x = np.linspace(0.1, 0.9, 4)
    for out in (np.zeros((2, 4)), np.zeros((3, 4))):
        other = out.copy()
        for got, wanted in zip(njit(f)(x, out), f(x, other), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-12)
        np.testing.assert_allclose(out, other, rtol=1e-12)


def test_half_turns():
    from scipy.special._ufuncs import _cospi, _sinpi

    def f(x):
        return _sinpi(x), _cospi(x), _sinpi(x[1]), _cospi(x[-1])

    x = np.concatenate((np.linspace(-3, 3, 49), [0.5, 1.5, 1e6 + 0.25, 1e-9]))
    for got, wanted in zip(njit(f)(x), f(x), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-15)
        assert np.ndim(got) == np.ndim(wanted)


def test_in_many_iterations():
    @njit
    def total(n):
        result = 0.0
        for i in range(n):
            result += special.airy(i / n)[0]
        return result

    x = np.arange(200_000) / 200_000
    assert total(200_000) == pytest.approx(special.airy(x)[0].sum())


def test_what_cannot_be_called():
    objects = np.frompyfunc(lambda x: x, 1, 1)
    with pytest.raises(TypingError, match="has no loop for such numbers"):
        njit(lambda x: objects(x))(1.0)
    with pytest.raises(TypingError, match="ellipj has no loop for such numbers"):
        njit(lambda x: special.ellipj(0.5, x))(1j)
    with pytest.raises(TypingError, match=r"xlogy\(\) missing 1"):
        njit(lambda x: special.xlogy(x))(1.0)
    for function in (special.expit, special.ellipj):
        with pytest.raises(TypingError, match="has no loop") as raised:
            njit(lambda x: function(*(x,) * function.nin))(1j)
        assert "<string>" not in str(raised.value)


def test_outputs_take_only_what_ufuncs_convert_to():
    @njit
    def f(x, out):
        return special.gamma(x, out=out)

    out = np.zeros(2, np.complex64)
    np.testing.assert_allclose(f(np.array([3.0, 4.0]), out), [2, 6])
    with pytest.raises(TypingError, match="according to the rule 'same_kind'"):
        f(np.array([3.0, 4.0]), np.zeros(2, np.int64))


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
