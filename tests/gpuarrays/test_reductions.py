"""Reductions of all shapes: a thread, lanes of a block, or several blocks for each result."""

import threading

import numjit.cupy as cp
import numpy as np
import pytest
from numjit import cuda
from numjit.cuda.cudadrv.driver import simulated

_CASES = [
    ((20_000,), (None, 0)),
    ((300, 70), (None, 0, 1)),
    ((3000, 3), (0, 1)),
    ((5, 2000), (0, 1)),
    ((7, 40, 9), (0, 1, 2, (0, 2), (0, 1), None)),
    ((1, 1), (0, None)),
    ((40, 1), (0, 1)),
]
_NAMES = ("sum", "prod", "max", "min", "mean", "var", "std", "any", "all")
_FEW = ("sum", "max", "var", "all")  # of dtypes whose kernels differ in the dtype alone


def _array(shape, dtype):
    x = np.random.default_rng(0).random(shape) * 1.5 + 0.25
    if np.dtype(dtype).kind == "c":
        x = x + 1j * x[::-1]
    return (x > 1) if dtype is bool else x.astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.complex64, bool])
@pytest.mark.parametrize("shape, axes", _CASES)
def test_axes(shape, axes, dtype):
    x = _array(shape, dtype)
    for turned in (False, True):
        host = x.T if turned else x
        array = cp.asarray(x).T if turned else cp.asarray(x)
        for axis in axes if dtype is np.float32 else axes[:3]:
            for name in _NAMES if dtype is np.float32 else _FEW:
                if name == "prod" and x.size > 1000 and dtype is not bool:
                    continue
                wanted = getattr(np, name)(host, axis=axis)
                found = getattr(cp, name)(array, axis=axis)
                assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
                np.testing.assert_allclose(found.get(), wanted, rtol=2e-4)


@pytest.mark.parametrize("shape", [(9000,), (50, 333), (333, 50)])
def test_positions(shape):
    x = np.random.default_rng(0).integers(0, 50, shape).astype(float)
    x[0] = x[-1] = 99
    for axis in (None, 0, -1):
        for name in ("argmax", "argmin"):
            found = getattr(cp.asarray(x), name)(axis)
            np.testing.assert_array_equal(found.get(), getattr(np, name)(x, axis))


def test_equal_keys_of_other_types():
    x = cp.ones((3, 4))
    assert x.sum(axis=1).shape == (3,)
    with pytest.raises(TypeError):
        x.sum(axis=1.0)
    assert cp.zeros((3, 4)).shape == (3, 4)
    with pytest.raises(TypeError):
        cp.zeros((3.0, 4))
    assert cp.ones(2, np.int32).dtype == np.int32
    assert cp.ones(2, np.float32).dtype == np.float32


def test_filled_arrays_are_apart():
    one, other = cp.zeros(5), cp.zeros(5)
    one += 1
    assert (float(one.sum()), float(other.sum()), float(cp.zeros(5).sum())) == (5, 0, 0)


def test_expressions():
    x = np.random.default_rng(0).random((60, 50))
    a = cp.asarray(x)
    held = a * 2
    np.testing.assert_allclose((held + 1).sum(axis=0).get(), (x * 2 + 1).sum(axis=0))
    np.testing.assert_allclose(held.get(), x * 2)
    np.testing.assert_allclose((a - a.mean(axis=0)).std(axis=1).get(), (x - x.mean(0)).std(1))
    np.testing.assert_allclose(((a - a.mean()) / a.std()).sum().get(), 0, atol=1e-9)
    out = cp.empty(50)
    assert a.mean(axis=0, out=out) is out
    np.testing.assert_allclose(out.get(), x.mean(axis=0))
    many = a
    for _ in range(60):  # more operations than one kernel has
        many = many * 1.01 + a
    host = x
    for _ in range(60):
        host = host * 1.01 + x
    np.testing.assert_allclose(many.sum(axis=1).get(), host.sum(axis=1))


@pytest.mark.parametrize("ddof", [0, 1, 0.5])
@pytest.mark.parametrize("dtype", [np.float32, np.int16, np.complex128, np.float16])
def test_scatter_about_the_mean(dtype, ddof):
    x = (_array((30, 40), dtype if dtype != np.int16 else np.float64) * 10).astype(dtype)
    for axis in (None, 0, (0, 1)):
        for name in ("var", "std"):
            wanted = getattr(np, name)(x, axis=axis, ddof=ddof, keepdims=True)
            found = getattr(cp, name)(cp.asarray(x), axis=axis, ddof=ddof, keepdims=True)
            assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
            tolerance = 2e-2 if dtype == np.float16 else 1e-4
            np.testing.assert_allclose(found.get(), wanted, rtol=tolerance)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_norms(dtype):
    x = _array((30, 40), dtype)
    for a, host in ((cp.asarray(x), x), (cp.asarray(x)[::2, 3:], x[::2, 3:])):
        for axis in (None, 0, -1):
            for keepdims in (False, True):
                wanted = np.linalg.norm(host, axis=axis, keepdims=keepdims)
                found = cp.linalg.norm(a, axis=axis, keepdims=keepdims)
                assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
                np.testing.assert_allclose(found.get(), wanted, rtol=1e-5)
        np.testing.assert_allclose(cp.linalg.norm(a, 1).get(), np.linalg.norm(host, 1), rtol=1e-5)


def test_streams_and_threads():
    x = np.random.default_rng(0).random((200, 130))
    a, wanted, wrong = cp.asarray(x), x.sum(axis=0), []

    def work():
        stream = cp.cuda.Stream(non_blocking=True)
        for _ in range(10):
            with stream:
                found = (a + 0).sum(axis=0), a.sum()
                stream.synchronize()
            if not np.allclose(found[0].get(), wanted) or not np.isclose(float(found[1]), x.sum()):
                wrong.append(found)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


@pytest.mark.skipif(simulated(), reason="graphs need a GPU")
def test_graphs():
    x = cp.arange(1 << 20, dtype=float)
    cp.cuda.Device().synchronize()  # other streams do not wait for this one
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        warm = x.sum()
        stream.synchronize()
        stream.begin_capture()
        found = x.sum()
        graph = stream.end_capture()
    other = cp.cuda.Stream(non_blocking=True)
    for _ in range(20):
        graph.launch(other)
        with stream:
            again = x.sum()
            again._force()
        stream.synchronize()
        other.synchronize()
        assert float(found) == float(again)
    assert float(warm) == float(found) == (1 << 19) * ((1 << 20) - 1)


@pytest.mark.parametrize("n", [1, 31, 255, 256, 257, 2047, 2048, 2049, 5000, 70_000])
def test_reduce_of_kernels(n):
    for dtype in (np.float32, np.int32, np.float64):
        v = np.random.default_rng(n).integers(0, 9, n).astype(dtype)
        assert cuda.reduce(lambda a, b: a + b)(v, init=2) == v.sum() + 2
        assert cuda.reduce(max)(v, init=-5) == v.max()
    place = cuda.device_array(1, np.float64)
    cuda.reduce(lambda a, b: a + b)(cuda.to_device(v), res=place)
    assert place.copy_to_host()[0] == v.sum()


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.uint8, np.int64])
def test_histograms(dtype):
    x = (np.random.default_rng(0).random(3000) * 50).astype(dtype)
    a = cp.asarray(x)
    for bins, extent in ((10, None), (10, (0, 10)), (300, None), (5000, None), (7, (-3, 3)),
                         (np.array([0, 1, 5, 10]), None)):  # fmt: skip
        given = cp.asarray(bins) if isinstance(bins, np.ndarray) else bins
        counts, edges = cp.histogram(a, given, extent)
        wanted, places = np.histogram(x, bins, extent)
        np.testing.assert_array_equal(edges.get(), places)
        np.testing.assert_array_equal(counts.get(), wanted)
        assert counts.dtype == wanted.dtype
    if a.dtype.kind in "iu":
        for least in (0, 700, 9000):
            np.testing.assert_array_equal(cp.bincount(a, minlength=least).get(),
                                          np.bincount(x, minlength=least))  # fmt: skip


def test_histogram_of_nan():
    x = np.array([1.0, np.nan, 2.0, 3.0])
    with pytest.raises(ValueError, match="not finite"):
        cp.histogram(cp.asarray(x))
    found, _ = cp.histogram(cp.asarray(x), 3, (1, 3))
    np.testing.assert_array_equal(found.get(), np.histogram(x, 3, (1, 3))[0])


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int32, np.uint8, bool])
@pytest.mark.parametrize("n", [1, 2, 48, 49, 300, 3000, 4096, 4097, 20_000])
def test_sorts(n, dtype):
    x = (np.random.default_rng(0).random(n) * 200 - 100).astype(dtype)
    if np.dtype(dtype).kind == "f" and n > 40:
        x[3], x[5], x[7], x[9], x[30] = np.nan, np.inf, -np.inf, -0.0, 0.0
    a = cp.asarray(x)
    np.testing.assert_array_equal(cp.sort(a).get(), np.sort(x))
    np.testing.assert_array_equal(cp.sort(a[::-1]).get(), np.sort(x))
    np.testing.assert_array_equal(cp.argsort(a).get(), np.argsort(x, kind="stable"))


def test_products_of_matrices():
    rng = np.random.default_rng(0)
    for dtype in (np.float32, np.float64, np.complex64):
        x, y = rng.random((30, 20)).astype(dtype), rng.random((20, 10)).astype(dtype)
        a, b = cp.asarray(x), cp.asarray(y)
        np.testing.assert_allclose((a @ b).get(), x @ y, rtol=1e-5)
        np.testing.assert_allclose((b.T @ a.T).get(), y.T @ x.T, rtol=1e-5)
        np.testing.assert_allclose((a[::2, ::2] @ b[::2]).get(), x[::2, ::2] @ y[::2], rtol=1e-5)
        np.testing.assert_allclose((a[:, :0] @ b[:0]).get(), x[:, :0] @ y[:0])
    with pytest.raises(ValueError, match="mismatch"):
        a @ a
