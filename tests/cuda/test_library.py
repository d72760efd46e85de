"""NumPy's functions that have the processor's runtime or LAPACK behind them, in kernels."""

import numpy as np
import pytest
from numjit import cuda, errors, float32, float64, from_dtype, types

MATRICES = np.random.default_rng(0).normal(size=(6, 5, 5))
LINES = np.random.default_rng(1).normal(size=(6, 40)).round(1)
LINES[2, 7] = LINES[3, 0] = np.nan


def run(function, inputs, shape, dtype=np.float64, makes_arrays=True):
    """What `function` gives for each item of `inputs`, computed by a thread for each."""
    device = cuda.jit(device=True)(function)

    @cuda.jit
    def k(x, out):
        i = cuda.grid(1)
        if i < x.shape[0]:
            out[i, ...] = device(x[i])

    out = np.zeros((len(inputs), *shape), dtype)
    k[1, 8](inputs, out)
    on_gpu = [types.Array(types.float64, n, "C") for n in (inputs.ndim, out.ndim)]
    ptx = cuda.compile_ptx(k.py_func, tuple(on_gpu), cc=(8, 0))[0]
    assert "numjit_scratch" in ptx or not makes_arrays
    return out


LINE_FUNCTIONS = {
    "sort": lambda x: np.sort(x),
    "argsort": lambda x: np.argsort(x, kind="stable"),
    "sort of few": lambda x: np.sort(x[:9]),
    "median": lambda x: np.array((np.median(x), np.nanmedian(x))),
    "percentile": lambda x: np.array((np.percentile(x, 30),)),
    "quantile": lambda x: np.nanquantile(x, np.array((0.1, 0.5))),
    "isin": lambda x: np.isin(x, x[:4]),
    "lexsort": lambda x: np.lexsort((x, np.abs(x))),
    "searchsorted": lambda x: np.searchsorted(np.sort(x), x[:5]),
    "interp": lambda x: np.interp(x[10:15], np.arange(10.0), x[:10]),
    "convolve": lambda x: np.convolve(x[10:30], x[30:34]),
    "histogram": lambda x: np.histogram(x[10:], 4)[0],
}


@pytest.mark.parametrize("name", LINE_FUNCTIONS)
def test_lines(name):
    function = LINE_FUNCTIONS[name]
    expected = np.array([function(x) for x in LINES])
    assert np.allclose(run(function, LINES, expected.shape[1:]), expected, equal_nan=True)


def test_methods_that_sort_in_place():
    @cuda.jit
    def k(x):
        i = cuda.grid(1)
        x[i].sort()
        x[i, 3:].partition(2)

    x = LINES.copy()
    k[1, 6](x)
    assert np.array_equal(x, np.sort(LINES, axis=1), equal_nan=True)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_axes_of_sort(axis):
    matrix = MATRICES[:, :, 0].copy()

    @cuda.jit
    def k(x, values, order):
        values[:, :] = np.sort(x, axis)
        order[:, :] = np.argsort(x, axis)

    values, order = np.zeros_like(matrix), np.zeros(matrix.shape, np.int64)
    k[1, 1](matrix, values, order)
    assert np.array_equal(values, np.sort(matrix, axis))
    assert np.array_equal(order, np.argsort(matrix, axis, kind="stable"))


POSITIVE = MATRICES @ MATRICES.transpose(0, 2, 1)
MATRIX_FUNCTIONS = {
    "solve": (lambda a: np.linalg.solve(a, a[0]), MATRICES),
    "solve of many": (lambda a: np.linalg.solve(a, a.T[:, :3]), MATRICES),
    "inv": (lambda a: np.linalg.inv(a), MATRICES),
    "det": (lambda a: np.array((np.linalg.det(a),)), MATRICES),
    "slogdet": (lambda a: np.array((np.linalg.slogdet(a)[0], np.linalg.slogdet(a)[1])), MATRICES),
    "cholesky": (lambda a: np.linalg.cholesky(a), POSITIVE),
    "upper": (lambda a: np.linalg.cholesky(a, upper=True), POSITIVE),
    "eigvalsh": (lambda a: np.linalg.eigvalsh(a), POSITIVE),
    "eigvalsh of U": (lambda a: np.linalg.eigvalsh(a, "U"), MATRICES),
    "matrix_power": (lambda a: np.linalg.matrix_power(a, -2), MATRICES),
}


@pytest.mark.parametrize("name", MATRIX_FUNCTIONS)
def test_matrices(name):
    function, inputs = MATRIX_FUNCTIONS[name]
    expected = np.array([np.asarray(function(np.float64(a))) for a in inputs])
    given = run(function, np.ascontiguousarray(inputs), expected.shape[1:])
    assert np.allclose(given, expected, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("imaginary", [0, 1j])
def test_eigenvectors(imaginary):
    a = POSITIVE + imaginary * (MATRICES - MATRICES.transpose(0, 2, 1))

    @cuda.jit
    def k(a, w, v):
        i = cuda.grid(1)
        values, vectors = np.linalg.eigh(a[i])
        w[i, :] = values
        v[i, :, :] = vectors

    w, v = np.zeros(a.shape[:2]), np.zeros_like(a)
    k[1, 6](a, w, v)
    assert np.allclose(w, np.linalg.eigvalsh(a))
    assert np.allclose(a @ v, v * w[:, None, :], atol=1e-10)
    assert np.allclose(v.conj().transpose(0, 2, 1) @ v, np.eye(5), atol=1e-12)


def test_round_to_digits():
    @cuda.jit
    def k(x, digits, out):
        i = cuda.grid(1)
        out[i, 0] = round(x[i], digits[i])
        out[i, 1] = round(np.float32(x[i]), 2)
        out[i, 2] = round(x[i])

    x = np.array([2.675, -1234.5678, 1e300, 1.5e-310, 0.0, 123456.0, 0.125, 7.25])
    digits = np.array([1, 2, 300, 320, 3, -3, 25, -400])
    out = np.zeros((8, 3))
    k[1, 8](x, digits, out)
    expected = [round(v, n) for v, n in zip(x.tolist(), digits.tolist(), strict=True)]
    assert np.allclose(out[:, 0], expected, rtol=1e-15, atol=0)
    assert np.allclose(out[[0, 1, 4], 1], [2.67, -1234.57, 0], rtol=1e-6)


@cuda.jit(device=True)
def shared(n):
    return cuda.shared.array(n, float32)


@cuda.jit(device=True)
def local(shape, alignment):
    return cuda.local.array(shape, float64, alignment=alignment)


def test_shapes_that_callers_know():
    @cuda.jit
    def k(out):
        small, large, matrix = shared(8), shared(32), local((3, 4), 32)
        small[0], large[31], matrix[2, 3] = 1, 2, 3
        out[0], out[1], out[2], out[3] = small[0], large[31], matrix[2, 3], small.size + large.size
        out[4] = matrix.shape[0] + matrix.shape[1]

    out = np.zeros(5)
    k[1, 1](out)
    assert np.array_equal(out, [1, 2, 3, 40, 7])

    @cuda.jit
    def unknown(n, out):
        out[0] = shared(n)[0]

    with pytest.raises(errors.TypingError, match="must be known at compile time"):
        unknown[1, 1](8, out)


EVERY_OTHER = np.arange(24.0).reshape(4, 6)[::2, ::-2]


def test_constant_arrays_of_any_layout():
    @cuda.jit
    def k(out):
        table = cuda.const.array_like(EVERY_OTHER)
        for i in range(2):
            for j in range(3):
                out[i, j] = table[i, j] + EVERY_OTHER[i, j]

    out = np.zeros((2, 3))
    k[1, 1](out)
    assert np.array_equal(out, 2 * EVERY_OTHER)
    values = cuda.compile_ptx(k.py_func, "void(f8[:, ::1])", cc=(8, 0))[0]
    assert ".const" in values


NAMED = np.dtype([("name", "S5"), ("text", "U4"), ("x", "f8")])


def test_texts_of_records():
    def k(records):
        i = cuda.grid(1)
        records[i].name = b"abc"
        records[i].text = "x\N{GREEK SMALL LETTER BETA}"
        records[i].x = i

    records = np.zeros(3, NAMED)
    records["name"], records["text"] = b"zzzzz", "yyyy"
    cuda.jit(k)[1, 3](records)
    assert records["name"].tolist() == [b"abc"] * 3
    assert records["text"].tolist() == ["xβ"] * 3 and records["x"].tolist() == [0, 1, 2]
    array = types.Array(from_dtype(NAMED), 1, "C")
    assert "st.global" in cuda.compile_ptx(k, (array,), cc=(8, 0))[0]


PRODUCTS = {
    "matrix by matrix": lambda a: a @ a.T,
    "matrix by vector": lambda a: a @ a[0],
    "vector by matrix": lambda a: np.dot(a[0], a),
    "vectors": lambda a: np.array((a[0] @ a[1], np.vdot(a[0], a[1]), np.inner(a[2], a[3]))),
    "powers": lambda a: np.linalg.matrix_power(a, 3),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_call_no_blas(name):
    function = PRODUCTS[name]
    expected = np.array([function(a) for a in MATRICES])
    assert np.allclose(run(function, MATRICES, expected.shape[1:], makes_arrays=False), expected)

    device = cuda.jit(device=True)(function)

    def kernel(x, out):
        out[...] = device(x)

    array = types.Array(types.float64, 2, "C"), types.Array(types.float64, expected.ndim - 1, "C")
    assert "prototype_" not in cuda.compile_ptx(kernel, array, cc=(8, 0))[0]


@pytest.mark.parametrize("function", [np.linalg.svd, np.linalg.eigvals, np.linalg.qr])
def test_code_of_the_processor_is_refused(function):
    def k(a, out):
        out[0] = len(function(a))

    with pytest.raises(errors.TypingError, match="code of the processor"):
        cuda.compile_ptx(k, "void(f8[:, ::1], f8[::1])", cc=(8, 0))


def test_floats_of_literal_texts():
    @cuda.jit
    def k(out):
        out[0], out[1], out[2] = float("nan"), float("-inf"), float("1.5e3")

    out = np.zeros(3)
    k[1, 1](out)
    np.testing.assert_array_equal(out, [np.nan, -np.inf, 1500])
