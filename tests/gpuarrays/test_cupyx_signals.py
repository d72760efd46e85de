"""numjit.cupyx.scipy.signal and ndimage: where values differ from SciPy's states, and edges."""

import numjit.cupy as cp
import numjit.cupyx as cupyx
import numpy as np
import pytest
from numjit.cupy.ufuncs import numpy_calls

scipy = pytest.importorskip("scipy", reason="cupyx runs SciPy's Python")
for each in ("signal", "ndimage", "spatial"):
    pytest.importorskip(f"scipy.{each}", reason="cupyx runs SciPy's Python")
signal, ndimage = cupyx.scipy.signal, cupyx.scipy.ndimage


@pytest.mark.parametrize("axis", [0, 1])
def test_filters_go_on_from_earlier_values(axis):
    rng = np.random.default_rng(0)
    b, a, x = rng.random(3), np.array([1, 0.3, -0.2, 0.1]), rng.random((12, 12))
    expected = scipy.signal.lfilter(b, a, x, axis)
    first, rest = np.split(x, [5], axis)
    zi = cp.zeros((5, 12) if axis == 0 else (12, 5))
    one, zi = signal.lfilter(b, a, cp.asarray(first), axis, zi)
    other, zi = signal.lfilter(b, a, cp.asarray(rest), axis, zi)
    np.testing.assert_allclose(np.concatenate([one.get(), other.get()], axis), expected)
    kept = np.concatenate([np.take(x, [-2, -1], axis), np.take(expected, [-3, -2, -1], axis)], axis)
    np.testing.assert_allclose(zi.get(), kept)


def test_starts_of_filters():
    b, a = [0.2, 0.3], [1, -0.5]
    found = signal.lfilter(b, a, cp.ones(6), zi=signal.lfilter_zi(b, a))[0]
    np.testing.assert_allclose(found.get(), np.ones(6))
    found = signal.lfiltic(b, a, cp.array([7.0]), cp.array([3.0, 4.0]))
    np.testing.assert_array_equal(found.get(), [3, 7])
    sos = scipy.signal.butter(4, 0.2, output="sos")
    zi = signal.sosfilt_zi(cp.asarray(sos))
    assert zi.shape == (2, 4)
    found, after = signal.sosfilt(cp.asarray(sos), cp.ones(9), zi=zi)
    np.testing.assert_allclose(found.get(), np.ones(9))
    np.testing.assert_allclose(after.get(), zi.get())


@pytest.mark.parametrize("boundary", ["fill", "wrap", "symm"])
@pytest.mark.parametrize("name", ["correlate2d", "convolve2d"])
def test_kernels_of_even_size(name, boundary):
    a, b = np.arange(30.0).reshape(5, 6) ** 2, np.arange(1.0, 9).reshape(4, 2)
    expected = getattr(scipy.signal, name)(a, b, "same", boundary)
    found = getattr(signal, name)(cp.asarray(a), cp.asarray(b), "same", boundary)
    np.testing.assert_allclose(found.get(), expected)


@pytest.mark.parametrize("mode", ["nearest", "mirror", "reflect"])
@pytest.mark.parametrize("order", [0, 1, 3, 4])
@pytest.mark.parametrize("prefilter", [True, False])
def test_splines_beyond_the_edges(mode, order, prefilter):
    a, x = np.array([3.0, -1, 4, 1, -5, 9, 2]), np.linspace(-20, 20.1, 160)[None]
    expected = scipy.ndimage.map_coordinates(a, x, None, order, mode, 0, prefilter)
    found = ndimage.map_coordinates(cp.asarray(a), cp.asarray(x), None, order, mode, 0, prefilter)
    np.testing.assert_allclose(found.get(), expected, atol=1e-9)


def test_arguments_of_interpolations():
    a, matrix = cp.ones((4, 5), "f4"), cp.eye(3, dtype="f4")
    found = ndimage.affine_transform(a, matrix, order=1, texture_memory=True)
    np.testing.assert_array_equal(found.get(), np.ones((4, 5)))
    for wrong in ({"order": 3}, {"order": 1, "mode": "mirror"}, {"order": 1, "output": float}):
        with pytest.raises(ValueError):
            ndimage.affine_transform(a, matrix, texture_memory=True, **wrong)
    with pytest.raises(NotImplementedError):
        ndimage.shift(cp.arange(4), 1, order=1, cval=np.nan)


# -- transforms ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["fft", "irfft", "hfft", "fft2", "rfftn"])
def test_transforms_of_float16_are_of_float32(name):
    import scipy.fft

    x = np.random.default_rng(0).random((4, 6)).astype("f2")
    expected = getattr(scipy.fft, name)(x)
    found = getattr(cupyx.scipy.fft, name)(cp.asarray(x))
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.get(), expected, rtol=1e-5, atol=1e-6)


def test_plans_of_transforms():
    fft, x = cupyx.scipy.fft, cp.arange(12.0).reshape(3, 4) + 0j
    plan = fft.get_fft_plan(x)
    with plan:
        assert cp.cuda.cufft.get_current_plan() is plan
        with pytest.raises(RuntimeError):
            fft.fftn(x, plan=plan)
    assert cp.cuda.cufft.get_current_plan() is None
    np.testing.assert_allclose(fft.fftn(x, plan=plan).get(), np.fft.fftn(x.get()))
    found = fft.fft2(x, s=2, axes=-1)
    np.testing.assert_allclose(found.get(), np.fft.fft(x.get(), 2))


def test_plans_are_compared_with_the_transform():
    fft, x = cupyx.scipy.fft, cp.arange(12.0).reshape(3, 4)
    line, both = fft.get_fft_plan(x + 0j, axes=1), fft.get_fft_plan(x, value_type="R2C")
    assert isinstance(line, cp.cuda.cufft.Plan1d) and isinstance(both, cp.cuda.cufft.PlanNd)
    with line:
        np.testing.assert_allclose(cp.fft.fft(x + 0j).get(), np.fft.fft(x.get()))
        for call in (
            lambda: cp.fft.fft(x + 0j, 8),
            lambda: cp.fft.rfft(x),
            lambda: cp.fft.fft((x + 0j).astype("F")),
            lambda: cp.fft.fft(x[:2] + 0j),
        ):
            with pytest.raises(ValueError, match="match"):
                call()
    np.testing.assert_allclose(fft.rfft2(x, plan=both).get(), np.fft.rfft2(x.get()))
    with both, numpy_calls:  # as in NumPy's code, whose transforms are not the user's
        assert cp.fft.fft(x[0] + 0j).shape == (4,) and cp.fft.rfft2(x[:2]).shape == (2, 3)
    for wrong in ({"s": (3, 8)}, {"axes": (1, 0)}):
        with pytest.raises(ValueError, match="plan and a.shape do not match"):
            fft.rfftn(x, plan=both, **wrong)
    y = cp.asarray(np.fft.rfft(x.get()))
    back = fft.get_fft_plan(y, shape=4, axes=1, value_type="C2R")
    np.testing.assert_allclose(fft.irfft(y, plan=back).get(), x.get(), atol=1e-12)
    assert cp.cuda.cufft.getVersion() >= 10000


# -- arrays in pinned memory -----------------------------------------------------------------------


def test_layouts_of_pinned_arrays():
    a = np.arange(24).reshape(2, 3, 4)[:, ::2].swapaxes(0, 1)
    for order in "CFAK":
        device = cp.arange(24).reshape(2, 3, 4)[:, ::2].swapaxes(0, 1)
        found = cupyx.empty_like_pinned(device, order=order)
        assert found.strides == np.empty_like(a, order=order).strides
    found = cupyx.zeros_pinned((2, 3), "f4", order="F")
    assert isinstance(found.base, cp.cuda.PinnedMemoryPointer)
    assert found.base.ptr == found.ctypes.data and not found.any()
    with pytest.raises(TypeError):
        cupyx.empty_like_pinned(a, subok=True)


def test_entropy():
    import scipy.stats

    p, q = np.random.default_rng(0).random((2, 4, 3)).astype("f4")
    for given in ((p,), (p, q)):
        expected = scipy.stats.entropy(*given, base=2, axis=1)
        found = cupyx.scipy.stats.entropy(*map(cp.asarray, given), base=2, axis=1)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found.get(), expected, rtol=1e-5)


def test_indices_of_values_of_few_bits():
    a = np.array([[1, 0], [2, 1]])
    found = ndimage.value_indices(cp.asarray(a), ignore_value=0, adaptive_index_dtype=True)
    assert found.keys() == {1, 2} and found[1][0].dtype == np.int8
    np.testing.assert_array_equal(cp.stack(found[1]).get(), [[0, 1], [0, 1]])


# -- special and objects of the host ---------------------------------------------------------------


def test_incomplete_gamma_functions_of_large_numbers():
    import scipy.special

    a = np.array([250, 1e4, 1e7, 1e10])
    for x in (a, a + np.sqrt(a), a - 2 * np.sqrt(a), 1.2 * a):
        for name in ("gammainc", "gammaincc"):
            expected = getattr(scipy.special, name)(a, x)
            found = getattr(cupyx.scipy.special, name)(cp.asarray(a), cp.asarray(x)).get()
            np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-300)


def test_splines_that_choose_another_class():
    x = cp.arange(8.0) + 0.5
    found = cupyx.scipy.interpolate.UnivariateSpline(x, x + 1 / (1 - x), s=0.1)
    found.set_smoothing_factor(s=0)
    assert type(found) is cupyx.scipy.interpolate.InterpolatedUnivariateSpline


def test_dense_arrays_of_columns_are_rows_first():
    found = cupyx.scipy.sparse.csc_matrix(cp.arange(6.0).reshape(2, 3)).toarray()
    assert found.flags.c_contiguous


def test_matrices_keep_wide_indices():
    row = cp.array([0, 2])
    m = cupyx.scipy.sparse.coo_matrix((cp.ones(2), (row, row)), shape=(3, 3))
    m.row, m.col = row, row
    assert m.row.dtype == m.copy().row.dtype == np.int64
    assert m.tocsr().indices.dtype == m.tocsc().indptr.dtype == np.int64
    assert cupyx.cusparse.coo2csr(m).indices.dtype == np.int64


def test_blocks_and_products_with_dense_arrays():
    sparse, a = cupyx.scipy.sparse, cp.eye(2)
    found = sparse.bmat([[sparse.csr_matrix(a), 2 * a]])
    assert found.format == "coo"
    np.testing.assert_array_equal(found.toarray().get(), [[1, 0, 2, 0], [0, 1, 0, 2]])
    for format in ("csr", "csc"):
        found = getattr(sparse, f"{format}_matrix")(a).multiply(cp.array([[3.0, 1], [1, 2]]))
        assert found.format == format
        np.testing.assert_array_equal(found.toarray().get(), [[3, 0], [0, 2]])


def test_trees_list_device_arrays():
    points = np.random.default_rng(0).random((20, 2))
    host, tree = scipy.spatial.KDTree(points), cupyx.scipy.spatial.KDTree(cp.asarray(points))
    found = tree.query_ball_point(cp.asarray(points[:3]), 0.3, return_sorted=True)
    expected = host.query_ball_point(points[:3], 0.3, return_sorted=True)
    assert isinstance(found, list)
    for one, other in zip(found, expected):
        np.testing.assert_array_equal(one.get(), other)
