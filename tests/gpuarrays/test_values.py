"""Values that are easily wrong: repeated indices in SciPy's code, ends of ranges, infinities."""

import pickle

import numjit.cupy as cp
import numpy as np
import pytest
from gpuarrays.arrays import check

scipy = pytest.importorskip("scipy", reason="cupyx runs SciPy's Python")
for each in ("ndimage", "signal", "sparse"):
    pytest.importorskip(f"scipy.{each}", reason="cupyx runs SciPy's Python")


@pytest.mark.parametrize("name", ["extrema", "maximum_position", "median", "minimum", "maximum"])
def test_the_last_of_repeated_indices_stays_in_scipys_code(name):
    from numjit.cupyx.scipy import ndimage

    random = np.random.default_rng(5)
    for _ in range(4):
        x, labels = random.random((40, 64)), random.integers(1, 30, (40, 64))
        index = np.arange(1, 30, 2)
        expected = getattr(scipy.ndimage, name)(x, labels, index)
        found = getattr(ndimage, name)(*map(cp.asarray, (x, labels, index)))
        if isinstance(found, cp.ndarray):
            check(found, expected)
        else:
            for one, other in zip(found, expected, strict=True):
                np.testing.assert_array_equal(np.array(cp.asarray(one).get()), np.array(other))


@pytest.mark.parametrize("dtype", "bhil")
def test_negative_powers_of_integers(dtype):
    x = cp.array([1, -1, 2, -2, 3, 5], dtype)
    check(x**-1, np.array([1, -1, 0, 0, 0, 0], dtype))
    check(cp.power(x, cp.array([-3, -2, -1, 3, 2, 0], dtype)), np.array([1, 1, 0, -8, 9, 1], dtype))
    assert (cp.array([True, False]) ** 2).dtype == (np.array([True, False]) ** 2).dtype


@pytest.mark.parametrize("dtype", "dD")
def test_interpolation_beside_infinities(dtype):
    x = np.array([1, 3, 5, 7, 9.0])
    y = np.sin(x).astype(dtype) * (1 if dtype == "d" else 2 - 1j)
    y[0] = y[2] = np.inf
    at = np.array([0, 1, 2, 4, 6, 7, 8, 10, np.nan])
    for more in ({}, {"left": 5, "right": y[1]}, {"period": 8.5}):
        expected = np.interp(at, x, y, **more)
        np.testing.assert_allclose(cp.interp(*map(cp.asarray, (at, x, y)), **more).get(), expected)


@pytest.mark.parametrize("low, high", [(-(2**61), 2**62 - 1), (0, 3 << 61), (-(2**63), 2**63 - 1)])
def test_integers_of_large_ranges_are_even(low, high):
    drawn = cp.random.default_rng(3).integers(low, high, size=30000).get()
    counts = np.histogram((drawn.astype(float) - low) / (float(high) - low), 10, (0, 1))[0]
    assert drawn.min() >= low and drawn.max() < high
    assert abs(counts - 3000).max() < 300


def test_random_numbers_into_an_array():
    generator, out = cp.random.default_rng(1), cp.zeros((3, 4))
    assert generator.random(out=out) is out and len(set(out.get().ravel())) == 12
    assert generator.standard_normal((3, 4), out=out) is out
    for wrong, error in ((cp.zeros((4, 3)).T, ValueError), (cp.zeros((3, 4), "f"), TypeError)):
        with pytest.raises(error):
            generator.standard_exponential((3, 4), out=wrong)
    with pytest.raises(ValueError, match="shape"):
        generator.standard_gamma(2.0, (2, 2), out=out)
    drawn = cp.random.randint([[0], [4]], [5, 15, 20]).get()
    assert drawn.shape == (2, 3) and (drawn >= [[0], [4]]).all() and (drawn < [5, 15, 20]).all()
    assert generator.hypergeometric(3, 4, 0, size=2).get().tolist() == [0, 0]
    with pytest.raises(ValueError, match="nsample"):
        cp.random.RandomState(1).hypergeometric(3, 4, 0)


def test_results_of_classes_of_programs():
    class Named(cp.ndarray):
        def __array_finalize__(self, source):
            self.name = getattr(source, "name", None)

    x = cp.arange(3).view(Named)
    x.name = "x"
    for found in (cp.sin(x), cp.add(cp.arange(3), x), x * 2, 2 - x, -x):
        assert type(found) is Named and found.name == "x"
    assert type(cp.arange(3) + 1) is cp.ndarray


def test_matrices_that_are_singular():
    a, b = cp.array([[1.0, 2], [2, 4]]), cp.ones(2)
    with pytest.raises(np.linalg.LinAlgError):
        cp.linalg.solve(a, b)
    with cp.errstate(linalg="ignore"):
        assert np.isnan(cp.linalg.solve(a, b).get()).all()
        assert np.isnan(cp.linalg.inv(cp.stack([a, cp.eye(2)]))[0].get()).all()
    with pytest.raises(np.linalg.LinAlgError):
        cp.linalg.inv(a)


@pytest.mark.parametrize("shapes", [((3, 3), (2, 2)), ((3, 3), (4, 2)), ((2, 3, 3), (2, 3)),
                                    ((3, 3), (2,)), ((3, 3), (0,)), ((3, 3), (0, 2))])  # fmt: skip
def test_right_sides_that_are_not_as_long_as_the_matrix(shapes):
    for xp in (np, cp):
        with pytest.raises(ValueError, match="mismatch in its core dimension 0"):
            xp.linalg.solve(xp.ones(shapes[0]), xp.ones(shapes[1]))


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "irfft2"])
def test_transforms_of_half_precision(name):
    a = np.random.default_rng(3).random((4, 6)).astype(np.float16)
    for axis in (0, -1):
        keywords = {"axes": (axis,)} if name[-1] == "2" else {"axis": axis}
        expected = getattr(np.fft, name)(a, **keywords)
        found = getattr(cp.fft, name)(cp.asarray(a), **keywords)
        assert found.dtype == expected.dtype and found.shape == expected.shape
        np.testing.assert_allclose(found.get(), expected, rtol=4e-3, atol=4e-3)


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
def test_indices_of_take_are_converted_as_by_numpy(mode):
    a = np.arange(4.0)
    for indices in (2.7, np.float32(1.5), True, np.int8(2), [1.5, 0], [], np.array([True, False])):
        check(cp.take(cp.asarray(a), indices, mode=mode), np.take(a, indices, mode=mode))
    for indices in (np.array(2.0), np.array([1.5]), np.array([])):
        for take, given in (np.take, indices), (cp.take, indices), (cp.take, cp.asarray(indices)):
            with pytest.raises(TypeError, match="Cannot cast .* from dtype.'float64'"):
                take(cp.asarray(a) if take is cp.take else a, given, mode=mode)


def test_partial_outputs_orders_and_wrapping():
    a, b, out = cp.arange(6.0), cp.full(6, 4.0), cp.zeros(6)
    found = cp.divmod(a, b, out)
    assert found[0] is out
    check(found[1], np.arange(6.0) % 4)
    f = cp.asfortranarray(cp.arange(6).reshape(2, 3))
    assert pickle.loads(pickle.dumps(f)).flags.f_contiguous
    assert cp.arange(3).take(7) == 1 and cp.arange(3).take(cp.array(-4)) == 2
    with pytest.raises(ValueError, match="maximum supported dimension for an ndarray is 32"):
        cp.zeros((1,) * 40)
    assert all(set(each) <= set("?bBhHiIlLqQefdFD->") for each in cp.sin.types)


def test_truth_values_that_are_stored_twice():
    from numjit.cupyx.scipy import sparse

    places = cp.array([0, 0]), cp.array([1, 1])
    for format in ("coo", "csr", "csc"):
        a = sparse.coo_array((cp.array([True, True]), places), shape=(2, 3)).asformat(format)
        assert a.sum().get() == 1 and a.sum(axis=0).get().tolist() == [0, 1, 0]
        assert abs(float(a.mean()) - 1 / 6) < 1e-15
    one = sparse.coo_array((cp.array([True, True]), (cp.array([1, 1]),)), shape=(3,))
    assert one.sum().get() == 1 and one.nnz == 2
    rows = [scipy.sparse.coo_array(np.array([1.0, 0, 2]))] * 2
    found = sparse.hstack([sparse.coo_array(cp.array([1.0, 0, 2]))] * 2)
    check(found.toarray(), scipy.sparse.hstack(rows).toarray())


def test_records_of_other_dtypes():
    a = np.array([(1, 2.0), (5, 6.5)], "i8,f8")
    x = cp.asarray(a)
    check(x.astype("f4,i4"), a.astype("f4,i4"))
    with pytest.raises(ValueError, match="sufficiently aligned"):
        x.astype("f4,i2")
    with pytest.raises(ValueError, match="sufficiently aligned"):
        cp.zeros(3, "?,f8")["f1"] = 1
    assert cp.zeros(0, "?,f8")["f1"].dtype == float
    nested = np.dtype([("p", "f8"), ("q", np.dtype("i8,f8"))])
    other = np.dtype([("p", "f4"), ("q", np.dtype("f4,i4"))])
    b = np.array([(1, (2, 3.5)), (4, (5, 6.5))], nested)
    check(cp.asarray(b).astype(other), b.astype(other))
    wide, own = np.ones(4, "i4,f4,i4"), cp.ones(4, "i4,f4,i4")
    for each, xp in ((wide, np), (own, cp)):
        each["f1"] = xp.arange(4)
        each[["f0", "f2"]] = each[["f1", "f0"]].copy()
    check(own, wide)
    assert own[["f2", "f1"]].get().tolist() == wide[["f2", "f1"]].tolist()
    with pytest.raises(TypeError, match="records"):
        own[:2] = x
    one, other = np.array([b"abcd", b"wxyz"], "V4"), np.array([b"abcd", b"wxy_"], "V4")
    check(cp.asarray(one) == cp.asarray(other), one == other)
    check(cp.asarray(one) != cp.asarray(other), one != other)


@pytest.mark.parametrize("name", ["correlate", "convolve", "correlate2d", "convolve2d"])
@pytest.mark.parametrize("one, other", ["bd", "if", "fd", "dF", "Dd", "iD", "Bb", "bi"])
def test_dtypes_of_correlations(name, one, other):
    from numjit.cupyx.scipy import signal

    x, y = np.arange(24).reshape(4, 6).astype(one), np.arange(6).reshape(2, 3).astype(other)
    for mode in ("full", "same", "valid"):
        expected = getattr(scipy.signal, name)(x, y, mode)
        found = getattr(signal, name)(cp.asarray(x), cp.asarray(y), mode)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found.get(), expected, rtol=1e-5)


def test_seeds_of_the_environment(monkeypatch):
    expected = cp.random.RandomState(6).rand(4).get()
    before = cp.random.get_random_state()
    try:
        monkeypatch.setenv("CUPY_SEED", "6")
        cp.random.reset_states()
        np.testing.assert_array_equal(cp.random.rand(4).get(), expected)
    finally:
        cp.random.set_random_state(before)
