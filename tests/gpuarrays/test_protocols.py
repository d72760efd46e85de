"""Protocols of arrays, generalised ufuncs, and small rules of arrays."""

import gc

import numjit.cupy as cp
import numpy as np
import pytest
from numjit.cupyx import GeneralizedUFunc
from numpy.exceptions import AxisError


class HasAnArray:
    """An array that is known by a protocol alone."""

    def __init__(self, array):
        self._array = array

    def __cupy_get_ndarray__(self):
        return self._array


def test_arrays_by_a_protocol():
    x = cp.arange(10.0)
    index = HasAnArray(cp.array([2, 5]))
    np.testing.assert_array_equal(x[index].get(), [2, 5])
    np.testing.assert_array_equal(x[[index]].get(), [[2, 5]])
    x.fill(HasAnArray(cp.array(3.0)))
    assert float(x.sum()) == 30
    assert cp.min_scalar_type([HasAnArray(x)]) == x.dtype


def test_versions_of_dlpack():
    x = cp.arange(6.0).reshape(2, 3)
    assert '"dltensor"' in str(x.__dlpack__())
    capsule = x.__dlpack__(max_version=(1, 0))
    assert '"dltensor_versioned"' in str(capsule)
    y = cp.from_dlpack(capsule)
    assert '"used_dltensor_versioned"' in str(capsule)
    assert y.data.ptr == x.data.ptr
    with pytest.raises(ValueError, match="multiple times"):
        cp.from_dlpack(capsule)
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(9, 0))
    with pytest.warns(UserWarning, match="Stream 0"):
        x.__dlpack__(stream=0)


def test_version_of_the_array_interface(monkeypatch):
    x = cp.zeros(3)
    assert x.__cuda_array_interface__["stream"] == 1
    monkeypatch.setattr(cp._util, "CUDA_ARRAY_INTERFACE_EXPORT_VERSION", 2)
    found = x.__cuda_array_interface__
    assert found["version"] == 2 and "stream" not in found


def test_small_rules():
    with pytest.warns(DeprecationWarning):
        assert not cp.zeros(0)
    assert bytes(cp.arange(3)) == bytes(np.arange(3))
    with pytest.raises(ValueError):
        cp.ndarray((2, 3), np.float32, strides=(20, 4))
    with pytest.raises(ValueError):
        cp.zeros(3).fill(cp.ones(1))
    with pytest.raises(TypeError):
        cp.arange(3).take(cp.array([0]), out=cp.zeros(1, "f4"))
    with pytest.raises(ValueError, match="Invalid kernel name"):
        cp.ElementwiseKernel("T x", "T y", "y = x", "1")

    class Mine(cp.ndarray):
        pass

    assert type(cp.arange(3).view(Mine)) is Mine


def test_gufunc():
    calls = []

    def product(a, b):
        calls.append(a.shape)
        return a @ b

    f = GeneralizedUFunc(product, "(m?,n),(n,p?)->(m?,p?)")
    a, b = np.arange(24.0).reshape(2, 3, 4), np.arange(40.0).reshape(2, 4, 5)
    np.testing.assert_array_equal(f(cp.asarray(a), cp.asarray(b)).get(), a @ b)
    assert calls == [(3, 4)] * 2
    np.testing.assert_array_equal(
        f(cp.asarray(a[0]), cp.asarray(b[0, :, 0])).get(), a[0] @ b[0, :, 0]
    )
    with pytest.raises(ValueError):
        f(cp.asarray(a), cp.asarray(a))
    total = GeneralizedUFunc(lambda x: x.sum(-1), "(i)->()", supports_batched=True)
    for keepdims in (False, True):
        got = total(cp.asarray(a), axis=1, keepdims=keepdims)
        np.testing.assert_array_equal(got.get(), a.sum(1, keepdims=keepdims))


@pytest.mark.parametrize("axes", [[(0, 1), (0, 1), (1, 0)], [(-2, -1), (-3, 0), (-1, -3)]])
def test_axes_of_matmul(axes):
    x, y = np.random.default_rng(0).random((2, 3, 3, 3, 3))
    want = np.matmul(x, y, axes=axes)
    np.testing.assert_allclose(cp.matmul(cp.asarray(x), cp.asarray(y), axes=axes).get(), want)
    with pytest.raises(AxisError):
        cp.matmul(cp.ones((2, 3)), cp.ones((2, 3)), axes=[0, 0, ()])


def test_rules_of_creation_and_indices():
    x = cp.asarray(np.arange(6, dtype="i1").reshape(2, 3), order="F")
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        cp.array(x, copy=False, order="C")
    assert cp.array(x, copy=False) is x
    assert cp.empty_like(x, order="A", shape=(4, 5)).flags.f_contiguous
    with pytest.raises(ValueError, match="byte-order"):
        cp.zeros(3, ">i4")
    assert cp.asarray(np.arange(3, dtype=">i4")).dtype == np.int32
    for order in "CF":
        for one, other in zip(
            cp.unravel_index(x, (2, 4), order), np.unravel_index(x.get(), (2, 4), order)
        ):
            np.testing.assert_array_equal(one.get(), other)
    with pytest.raises(ValueError):
        cp.unravel_index(x, (2, 2))
    with pytest.raises(TypeError):
        cp.unravel_index(x * 1.5, (2, 4))
    index = np.array([[0, 1], [3, 2]], "i1")
    want = np.ravel_multi_index(index, (100, 4), order="F")
    got = cp.ravel_multi_index(cp.asarray(index), (100, 4), order="F")
    np.testing.assert_array_equal(got.get(), want)
    with pytest.raises(ValueError):
        cp.ravel_multi_index(cp.asarray(index), (2, 2), mode="raise")
    assert cp.r_[cp.ones(2, "f4"), 0].dtype == np.r_[np.ones(2, "f4"), 0].dtype
    spread = np.broadcast_to(np.arange(2.0)[:, None], (3, 2, 4))
    np.testing.assert_array_equal(
        cp.broadcast_to(cp.arange(2.0)[:, None], (3, 2, 4)).ravel("K").get(), spread.ravel("K")
    )
    with pytest.raises(TypeError):
        cp.copyto(x, x, where=x)
    with pytest.raises(ValueError):
        cp.place(x, cp.ones(2, bool), cp.ones(1, "i1"))


def test_parameters_of_distributions():
    bad = cp.array([2.0, -1.0])
    for name in ("exponential", "rayleigh", "weibull", "power", "logseries"):
        with pytest.raises(ValueError):
            getattr(cp.random, name)(bad)
    with pytest.raises(ValueError):
        cp.random.noncentral_f(1, 1, bad)
    for p in ([0.5, 0.6], [-0.5, 1.5], [1.0]):
        with pytest.raises(ValueError):
            cp.random.choice(2, 3, p=p)
    with pytest.raises(TypeError):
        cp.random.default_rng(0).poisson(None)
    words = [cp.random.XORWOW(3).random_raw(5) for _ in range(2)]
    np.testing.assert_array_equal(words[0].get(), words[1].get())
    rng = cp.random.default_rng(1)
    rng.bit_generator = cp.random.Philox4x3210(seed=2)
    want = cp.random.Generator(cp.random.Philox4x3210(seed=2)).random(3)
    np.testing.assert_array_equal(rng.random(3).get(), want.get())


@pytest.mark.parametrize("out", [3, object(), np.ones(())])
@pytest.mark.parametrize("name", ["add", "sum", "any", "argmax", "mean", "clip", "cumsum", "modf"])
def test_results_are_stored_in_device_arrays_only(name, out):
    x = cp.ones(3)
    more = {"add": (x,), "clip": (0, 1)}.get(name, ())
    for given in (out, (out, None)) if name == "modf" else (out,):
        with pytest.raises(TypeError, match="return arrays must be of ArrayType"):
            getattr(cp, name)(x, *more, out=given)


def test_matmul_casts_to_out_as_ufuncs_do():
    x = cp.ones((2, 2))
    with pytest.raises(TypeError):
        cp.matmul(x, x * 1j, out=cp.zeros((2, 2)))
    cp.matmul(x, x, out=cp.zeros((2, 2), bool), casting="unsafe")


def test_polynomials_meet_those_of_numpy():
    p = cp.poly1d(np.poly1d([1.0, 2.0], variable="z"))
    assert p.variable == "z" and p.get() == np.poly1d([1.0, 2.0])
    q = cp.poly1d(cp.ones(2))
    q.set(np.poly1d([3.0, 4.0], variable="y"))
    assert q.variable == "y" and q.get() == np.poly1d([3.0, 4.0])
    np.testing.assert_array_equal(cp.add(p, cp.ones(2)).get(), [2, 3])
    np.testing.assert_allclose(cp.polyval(p, q).get().coeffs, np.polyval(p.get(), q.get()).coeffs)


@pytest.mark.parametrize("dtype, size", [("?,c8", 16), ("c8,?", 16), ("?,(3,)c8", 32)])
def test_aligned_records(dtype, size):
    assert cp.make_aligned_dtype(dtype).itemsize == size
    assert cp.make_aligned_dtype(dtype, alignment=32).itemsize == 32
    with pytest.raises(ValueError):
        cp.make_aligned_dtype("c16")


def test_counts_in_boxes():
    points = np.random.default_rng(0).random((50, 2)).astype("f4") * 10
    for bins in (4, (3, 5), [np.arange(0, 10, 2.0), np.arange(0, 10, 5.0)]):
        on_device = [cp.asarray(each) for each in bins] if isinstance(bins, list) else bins
        got, edges = cp.histogramdd(cp.asarray(points), on_device)
        want, wanted = np.histogramdd(points, bins)
        np.testing.assert_array_equal(got.get(), want)
        for one, other in zip(edges, wanted):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one.get(), other)
    weights = np.array([1 + 2j, 3j, 1])
    x = np.array([1.3, 2.5, 2.3])
    got = cp.histogram(cp.asarray(x), 2, weights=cp.asarray(weights))[0]
    np.testing.assert_array_equal(got.get(), np.histogram(x, 2, weights=weights)[0])


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("bins", [[3, 2, 1], [1, 2, 3], [np.nan, np.nan], [1, 2, np.nan], [2, 2]])
def test_digitize(right, bins):
    x, bins = np.array([0.5, 1, 2, 3, np.nan]), np.array(bins, float)
    got = cp.digitize(cp.asarray(x), cp.asarray(bins), right)
    np.testing.assert_array_equal(got.get(), np.digitize(x, bins, right))


def test_places_and_their_dtypes():
    x = cp.array([3, 1, 2])
    assert x.argmax(dtype="i4").dtype == cp.array(3).argmax(dtype="i4").dtype == np.int32
    assert cp.argsort(cp.array(4)).shape == np.argsort(np.array(4)).shape
    with pytest.raises(ValueError):
        cp.searchsorted(x, x, sorter=cp.array([0]))
    with pytest.raises(TypeError):
        cp.searchsorted(x, x, sorter=cp.zeros(3))


def test_allocators():
    pool = cp.get_default_memory_pool()
    cp.zeros(300).get()
    try:
        cp.cuda.set_allocator(None)
        gc.collect()  # arrays of other tests would be freed meanwhile
        before = pool.total_bytes(), pool.n_free_blocks()
        x = cp.arange(100_000)
        assert int(x.sum()) == 99_999 * 50_000
        assert (pool.total_bytes(), pool.n_free_blocks()) == before
    finally:
        cp.cuda.set_allocator(pool.malloc)
    with cp.cuda.using_allocator(cp.cuda.MemoryPool().malloc), pytest.raises(ValueError):
        cp.cuda.set_allocator(pool.malloc)
    with pytest.warns(DeprecationWarning):
        pool.free_all_free()


def test_functions_as_parameters():
    import unittest

    @cp.testing.parameterize({"f": lambda x: x + 1})
    class Case(unittest.TestCase):
        def test(self):
            return self.f(1)

    made = globals().pop("Case_param_0")
    assert made("test").f(1) == 2


def test_comparisons_of_errors():
    def fails(self, xp):
        raise (ValueError if xp is np else TypeError)("no")

    for accepted in (False, ValueError, Exception):
        with pytest.raises(AssertionError):
            cp.testing.numpy_cupy_array_equal(accept_error=accepted)(fails)(None)
    with pytest.raises(TypeError):
        cp.testing.numpy_cupy_allclose(rtol={"float16": 1e-3})
    with pytest.raises(AssertionError):
        cp.testing.assert_array_equal(
            cp.ones((2, 3)), np.ones((2, 3), order="F"), strides_check=True
        )
    with pytest.raises(AssertionError), cp.testing.AssertFunctionIsCalled("numjit.cupy.sort"):
        pass
    with pytest.raises(IndexError):
        cp.zeros(3)[np.array(["a"])]
