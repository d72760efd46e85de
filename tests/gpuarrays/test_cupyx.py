"""numjit.cupyx: what is not SciPy's Python by itself."""

import pickle

import numjit.cupy as cp
import numjit.cupyx as cupyx
import numpy as np
import pytest
from numjit import cuda

scipy = pytest.importorskip("scipy", reason="cupyx runs SciPy's Python")
for each in ("special", "linalg", "ndimage", "signal"):
    pytest.importorskip(f"scipy.{each}", reason="cupyx runs SciPy's Python")
needs_gpu = pytest.mark.skipif(cuda.is_simulated(), reason="the simulator does not run C++")

RMS = """extern "C" __global__ void rms(const double *x, int size, double *y) {
    double sum = 0;
    for (int i = 0; i < size; ++i) sum += x[i] * x[i];
    y[0] = sum / size;
}"""
SHIFT = """extern "C" __global__ void shift(const double *in, ptrdiff_t in_length,
                                            double *out, ptrdiff_t out_length) {
    for (ptrdiff_t i = 0; i < out_length; ++i) out[i] = in[i];
}"""


# -- indices that repeat ---------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", "bhefFD?")
@pytest.mark.parametrize("name", ["add", "subtract", "maximum"])
def test_repeated_indices(name, dtype):
    expected = (np.arange(6).reshape(2, 3) * (2 if dtype not in "FD" else 2 - 1j)).astype(dtype)
    value = np.array([3, 4, 5]).astype(dtype)
    at = [0, 1, 0], [1, 2, 1]
    found = cp.asarray(expected)[:, ::-1].copy()[:, ::-1]
    function = getattr(np, name)
    if (name, dtype) == ("subtract", "?") or (name == "maximum" and dtype in "FD"):
        with pytest.raises(TypeError):
            getattr(cp, name).at(found, tuple(map(cp.array, at)), cp.asarray(value))
        return
    function.at(expected, at, value)
    getattr(cp, name).at(found, tuple(map(cp.array, at)), cp.asarray(value))
    assert found.dtype == dtype
    np.testing.assert_array_equal(found.get(), expected)


def test_scatter_add_of_complex_numbers_to_a_slice():
    a = cp.zeros(4, complex)
    cupyx.scatter_add(a, slice(1, 3), 2j)
    cupyx.scatter_add(a, cp.array([1, 1]), cp.array([1, 1j]))
    np.testing.assert_array_equal(a.get(), [0, 1 + 3j, 2j, 0])


# -- scipy.fft -------------------------------------------------------------------------------------


@pytest.mark.parametrize("only", [False, True])
def test_backend_of_scipy_fft(only):
    import scipy.fft

    x = np.array([[1.0, 2.0, 0.5], [0.0, 3.0, 1.0]])
    expected = scipy.fft.dctn(x)
    with scipy.fft.set_backend(cupyx.scipy.fft, only=only):
        found = scipy.fft.dctn(cp.asarray(x))
        if not only:
            np.testing.assert_allclose(scipy.fft.dctn(x), expected)
    assert type(found) is cp.ndarray
    np.testing.assert_allclose(found.get(), expected)


# -- scipy.ndimage ---------------------------------------------------------------------------------


def test_structure_by_its_shape():
    image = cp.asarray(np.arange(20).reshape(4, 5) % 3 > 0)
    for structure in (2, (1, 3)):
        shape = (2, 2) if structure == 2 else structure
        found = cupyx.scipy.ndimage.binary_erosion(image, structure)
        expected = scipy.ndimage.binary_erosion(image.get(), np.ones(shape))
        np.testing.assert_array_equal(found.get(), expected)


@pytest.mark.parametrize("name", ["minimum_filter", "median_filter"])
@pytest.mark.parametrize("cval", [-1.0, 0.5, 300.0])
def test_what_lies_beyond_edges_of_small_integers(name, cval):
    image = np.arange(12, dtype=np.uint8).reshape(3, 4)
    keywords = {"mode": "constant", "cval": cval, "output": float}
    found = getattr(cupyx.scipy.ndimage, name)(cp.asarray(image), 3, **keywords)
    expected = getattr(scipy.ndimage, name)(image, 3, **keywords)
    np.testing.assert_array_equal(found.get(), expected)


@pytest.mark.parametrize("name", ["minimum_filter", "maximum_filter"])
@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint32, np.bool_, np.float32])
@pytest.mark.parametrize("cval", [-1.0, 2.7, 300.0])
def test_what_lies_beyond_edges_is_an_element_for_footprints(name, dtype, cval):
    image = np.arange(12).reshape(3, 4).astype(dtype)
    footprint = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]], bool)
    keywords = {"mode": "constant", "cval": cval}
    found = getattr(cupyx.scipy.ndimage, name)(
        cp.asarray(image), footprint=cp.asarray(footprint), **keywords
    )
    expected = getattr(scipy.ndimage, name)(image, footprint=footprint, **keywords)
    np.testing.assert_array_equal(found.get(), expected)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_sums_of_grey_morphology_are_elements(dtype):
    image = np.array([[120, 124, 127, 3], [126, 5, 125, 90]], dtype)
    structure = np.array([[2, 9, 3], [1, 0, 5], [4, 7, 6]])
    expected = scipy.ndimage.grey_dilation(image, structure=structure)
    found = cupyx.scipy.ndimage.grey_dilation(cp.asarray(image), structure=cp.asarray(structure))
    np.testing.assert_array_equal(found.get(), expected)


@pytest.mark.unwatched("initcheck", reason="what the host writes is copied there first")
def test_labels_of_half_precision_and_of_few_bits():
    image = np.array([[1, 0, 0.5], [0, 0, 0], [-2, np.nan, 0]], np.float16)
    expected, count = scipy.ndimage.label(image.astype(float))
    found, found_count = cupyx.scipy.ndimage.label(cp.asarray(image))
    assert found_count == count == 3
    np.testing.assert_array_equal(found.get(), expected)
    apart = cp.zeros((3,), bool)
    with pytest.raises(ValueError, match="too few bits"):
        cupyx.scipy.ndimage.label(cp.ones(130, np.int8), apart, np.int8)


def test_grey_morphology_with_a_structure_over_two_axes_of_three():
    image = np.random.default_rng(1).integers(0, 9, (3, 2, 4))
    keywords = {"structure": np.arange(9).reshape(3, 3), "axes": (0, 2)}
    expected = scipy.ndimage.grey_erosion(image, **keywords)
    keywords["structure"] = cp.asarray(keywords["structure"])
    found = cupyx.scipy.ndimage.grey_erosion(cp.asarray(image), **keywords)
    np.testing.assert_array_equal(found.get(), expected)


@pytest.mark.unwatched("initcheck", reason="what the host writes is copied there first")
def test_distance_transform_of_given_dtypes():
    image = cp.asarray(np.arange(30).reshape(5, 6) % 7 > 0)
    transform = cupyx.scipy.ndimage.distance_transform_edt
    distances, indices = transform(image, return_indices=True, block_params=(1, 1, 1))
    assert distances.dtype == np.float64
    single = transform(image, float64_distances=False)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single.get(), distances.get(), rtol=1e-6)
    own = cp.empty(indices.shape, np.int64)
    assert transform(image, return_distances=False, return_indices=True, indices=own) is None
    np.testing.assert_array_equal(own.get(), indices.get())
    with pytest.raises(RuntimeError):
        transform(image, distances=cp.empty(image.shape), float64_distances=False)
    with pytest.raises(RuntimeError):
        transform(image, return_indices=True, indices=cp.empty(indices.shape))


def _functions():
    red = cp.ReductionKernel("X x", "Y y", "x * x", "a + b", "y = a / _in_ind.size()", "0", "rms")
    return cp.RawKernel(RMS, "rms"), red


@needs_gpu
@pytest.mark.parametrize("which", [0, 1])
def test_generic_filter_of_cpp(which):
    image = np.random.default_rng(2).integers(0, 99, (5, 7), dtype=np.int16)
    keywords = {"footprint": [[1, 0, 1], [1, 1, 0]], "mode": "mirror", "output": float}
    found = cupyx.scipy.ndimage.generic_filter(cp.asarray(image), _functions()[which], **keywords)
    expected = scipy.ndimage.generic_filter(image, lambda x: (x * x).mean(), **keywords)
    np.testing.assert_allclose(found.get(), expected)


@needs_gpu
@pytest.mark.parametrize("mode", ["reflect", "constant", "nearest", "mirror", "wrap"])
def test_generic_filter1d_of_cpp(mode):
    image = np.random.default_rng(3).random((5, 4))

    def shift(line, out):
        out[:] = line[: out.size]

    keywords = {"filter_size": 4, "axis": 0, "mode": mode, "cval": 2.0, "origin": 1}
    kernel = cp.RawKernel(SHIFT, "shift")
    found = cupyx.scipy.ndimage.generic_filter1d(cp.asarray(image), kernel, **keywords)
    expected = scipy.ndimage.generic_filter1d(image, shift, **keywords)
    np.testing.assert_array_equal(found.get(), expected)


@pytest.mark.parametrize("mode", range(5))
def test_lines_with_elements_before_and_after_them(mode):
    from numjit.cupyx.natives.generic_filters import extended

    line = np.array([[1.0, 2.0, 3.0]])
    names = ["nearest", "wrap", "reflect", "mirror", "constant"]
    expected = []
    for length in (3, 1):
        scipy.ndimage.generic_filter1d(
            line[:, :length], lambda x, out: expected.append(x.copy()), 6, mode=names[mode],
            cval=9.0, origin=-1,
        )  # fmt: skip
        found = extended(cp.asarray(line[:, :length]), 2, 3, mode, 9.0)
        np.testing.assert_array_equal(found.get()[0], expected[-1])


# -- scipy.sparse ----------------------------------------------------------------------------------


def _matrices(shape, dtype=float):
    from scipy import sparse

    rng = np.random.default_rng(4)
    dense = (rng.integers(-2, 3, shape) * (rng.random(shape) < 0.5)).astype(dtype)
    return cupyx.scipy.sparse.csr_matrix(cp.asarray(dense)), sparse.csr_matrix(dense), dense


def test_sparse_operands_are_broadcast():
    a, _, dense = _matrices((3, 2))
    row, _, of_row = _matrices((1, 2))
    column, _, of_column = _matrices((3, 1))
    np.testing.assert_array_equal(a.maximum(row).toarray().get(), np.maximum(dense, of_row))
    with pytest.warns(cupyx.scipy.sparse.SparseEfficiencyWarning):
        found = a == column
    np.testing.assert_array_equal(found.toarray().get(), dense == of_column)
    with pytest.raises(ValueError, match="inconsistent shapes"):
        a != _matrices((2, 2))[0]


def test_results_of_matrices_have_two_dimensions():
    a, host, dense = _matrices((3, 4))
    for axis in (0, 1):
        assert a.sum(axis=axis).shape == host.sum(axis=axis).shape
    assert a.todia().sum(axis=1).shape == (3, 1)
    out = cp.empty((3, 1))
    assert a.sum(axis=1, out=out) is out
    np.testing.assert_array_equal(out.get(), dense.sum(axis=1, keepdims=True))
    found = a[[0, 2], [1, 3]]
    assert found.shape == (1, 2)
    with pytest.raises(ValueError):
        a.dot(cp.array(2.0))


def test_indices_of_64_bits_stay():
    a = _matrices((3, 4))[0]
    a.indices, a.indptr = a.indices.astype(np.int64), a.indptr.astype(np.int64)
    for found in (a.tocsc(), a.tocoo().tocsr(), abs(a), a.copy(), a + a):
        assert found.indices.dtype == np.int64
    made = cupyx.scipy.sparse.csr_matrix((a.data, a.indices, a.indptr), shape=a.shape)
    assert made.indices.dtype == np.int32


def test_states_of_the_device_for_random_matrices():
    random = cupyx.scipy.sparse.random
    one, other = (random(4, 4, 0.5, random_state=cp.random.RandomState(3)) for _ in range(2))
    np.testing.assert_array_equal(one.toarray().get(), other.toarray().get())
    assert cp.get_array_module(one) is cp


# -- objects of the host ---------------------------------------------------------------------------


def test_class_methods_and_classes_of_results():
    from scipy import interpolate as host

    inter = cupyx.scipy.interpolate
    x = np.linspace(0, 3, 7)
    made = inter.BSpline.basis_element(cp.arange(4.0))
    np.testing.assert_allclose(made(cp.asarray(x)).get(), host.BSpline.basis_element(range(4))(x))
    assert isinstance(made, inter.BSpline)
    spline = inter.CubicSpline(cp.asarray(x), cp.asarray(x**2))
    assert isinstance(spline, inter.PPoly)
    slope = spline.derivative()
    assert isinstance(slope, inter.PPoly) and type(slope.c) is cp.ndarray
    np.testing.assert_allclose(slope(cp.asarray(x)).get(), 2 * x, atol=1e-9)
    matrix = inter.BSpline.design_matrix(cp.array([3.5]), cp.arange(8.0), 3)
    assert cupyx.scipy.sparse.issparse(matrix) and type(matrix.data) is cp.ndarray
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(slope)).c.get(), slope.c.get())
    slope.extrapolate = False
    assert np.isnan(slope(cp.array([9.0])).get()).all()


def test_windows_after_functions_of_signals():
    assert type(cupyx.scipy.signal.convolve(cp.ones(3), cp.ones(2))) is cp.ndarray
    found = cupyx.scipy.signal.windows.blackman(6)
    np.testing.assert_allclose(found.get(), scipy.signal.windows.blackman(6))


# -- scipy.special ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["zeta", "betainc"])
def test_what_is_not_finite(name):
    values = np.array([-np.inf, np.nan, np.inf, 0, 1, 0.5, 2])
    args = [each.ravel() for each in np.meshgrid(*[values] * (2 if name == "zeta" else 3))]
    found = getattr(cupyx.scipy.special, name)(*map(cp.asarray, args))
    expected = getattr(scipy.special, name)(*args)
    np.testing.assert_allclose(found.get(), expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", "beF")
def test_sums_of_exponentials(dtype):
    x = np.arange(6).reshape(2, 3).astype(dtype)
    for name in ("logsumexp", "softmax"):
        found = getattr(cupyx.scipy.special, name)(cp.asarray(x), axis=1)
        expected = getattr(scipy.special, name)(x, axis=1)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found.get(), expected, rtol=1e-3 if dtype == "e" else 1e-5)


# -- linear algebra, signals, kernels in Python ----------------------------------------------------


@pytest.mark.parametrize("trans", [0, "T", "C"])
def test_stacks_of_triangular_systems(trans):
    rng = np.random.default_rng(5)
    a = np.tril(rng.random((2, 3, 3)) + 1j * rng.random((2, 3, 3))) + 2 * np.eye(3)
    b = rng.random((2, 3)).astype(complex)
    solve = cupyx.scipy.linalg.solve_triangular
    found = solve(cp.asarray(a), cp.asarray(b), trans, lower=True)
    expected = [scipy.linalg.solve_triangular(*each, trans, lower=True) for each in zip(a, b)]
    np.testing.assert_allclose(found.get(), expected)
    for shapes in (((2, 3), (3,)), ((3, 3), (2,)), ((3,), (3,))):
        with pytest.raises(ValueError):
            solve(*map(cp.ones, shapes))
    with pytest.raises(ValueError, match="infs"):
        solve(cp.ones((1, 1)), cp.array([np.inf]), check_finite=True)


def test_functions_of_radar():
    signal = cupyx.signal
    x = cp.asarray(np.random.default_rng(6).random((2, 16)), dtype="f4")
    assert signal.pulse_compression(x, x[0, :4]).dtype == np.float32
    assert signal.pulse_doppler(x, np.negative).dtype == np.complex64
    thresholds, detected = signal.ca_cfar(x[0], 1, 2)
    np.testing.assert_array_equal(detected.get(), (x[0] > thresholds).get())
    h = np.arange(6.0).reshape(2, 3)
    y = x.get()[0, :5].astype(float)
    # Windows of both lengths begin at the same element.
    expected = [
        sum(h[i, j] * y[n - 1 - i] * y[n - j] for i in range(2) for j in range(3))
        for n in (2, 3, 4)
    ]
    found = signal.convolve1d2o(cp.asarray(y), cp.asarray(h)).get()
    np.testing.assert_allclose(found, expected)
    assert signal.freq_shift(cp.array(1.0), 2.0, 8.0).shape == (1,)


def test_module_of_arrays():
    assert cupyx.scipy.get_array_module(cp.ones(1)) is cupyx.scipy
    assert cupyx.scipy.get_array_module(np.ones(1)) is scipy


def test_exchanges_in_groups_of_a_warp():
    jit = cupyx.jit

    @jit.rawkernel()
    def kernel(a, b, c):
        i = jit.threadIdx.x
        a[i] = jit.shfl_sync(0xFFFFFFFF, i, 1, width=8)
        b[i] = jit.shfl_down_sync(0xFFFFFFFF, i, 3, width=8)
        for _ in jit.range(2, unroll=True):
            c[i] += jit.shfl_up_sync(0xFFFFFFFF, i, 3, width=8)

    a, b, c = (cp.zeros(32, np.int64) for _ in range(3))
    kernel[1, 32](a, b, c)
    i = np.arange(32)
    np.testing.assert_array_equal(a.get(), i // 8 * 8 + 1)
    np.testing.assert_array_equal(b.get(), np.where(i % 8 < 5, i + 3, i))
    np.testing.assert_array_equal(c.get(), 2 * np.where(i % 8 >= 3, i - 3, i))
    assert isinstance(kernel.cached_code, str)


def test_axes_of_sparse_arrays_change_places():
    sparse = cupyx.scipy.sparse
    a = np.arange(6.0).reshape(2, 3)
    for axes in ((0, 1), (-1, 0), (1, 1)):
        found = sparse.swapaxes(sparse.coo_array(cp.asarray(a)), *axes)
        assert isinstance(found, sparse.coo_array)
        np.testing.assert_array_equal(found.toarray().get(), np.swapaxes(a, *axes))
    with pytest.raises(ValueError, match="Invalid axis"):
        sparse.swapaxes(sparse.coo_array(cp.asarray(a)), 0, 2)


@pytest.mark.parametrize("format", ["coo", "csr"])
def test_random_places_of_large_matrices(format):
    """A matrix of 10**12 places, of which 1,000 are drawn."""
    sparse = cupyx.scipy.sparse
    states = [cp.random.RandomState(5), cp.random.RandomState(5)]
    drawn = [sparse.random(10**6, 10**6, 1e-9, format, random_state=each) for each in states]
    assert [each.nnz for each in drawn] == [1000, 1000]
    first, second = (each.tocoo().get() for each in drawn)
    assert (first != second).nnz == 0 and len({*zip(first.row, first.col)}) == 1000
