"""The import paths of CuPy's modules, and its names for what lies behind them."""

import importlib
import pickle
import sys

import numjit.cupy as cp
import numpy as np
import pytest
from numjit.compat.cupy_paths import MODULES


@pytest.fixture
def as_cupy(monkeypatch):
    """Programs import numjit.cupy by CuPy's name."""
    monkeypatch.setitem(sys.modules, "cupy", cp)
    yield
    for name in list(sys.modules):
        if name.startswith(("cupy.", "cupy_backends")):
            del sys.modules[name]


@pytest.mark.parametrize("path", MODULES)
def test_path(path, as_cupy):
    assert importlib.import_module(path) is sys.modules[path]


def test_attributes_without_an_import():
    assert cp.cuda.driver.get_build_version() > 0
    assert cp._core.internal.prod([2, 3]) == 6
    assert cp.cuda.memory.MemoryPool is cp.cuda.MemoryPool
    assert not cp.cuda.nccl.available
    with pytest.raises(AttributeError):
        cp._no_such_module


def test_shapes_and_slices():
    internal = cp._core.internal
    assert internal.get_size(3) == (3,)
    assert internal.infer_unknown_dimension((-1, 2), 6) == [3, 2]
    assert internal.complete_slice(slice(-3, None, -1), 10) == slice(7, -1, -1)
    for order in "CF":
        x = np.empty((2, 3), order=order)
        assert internal.get_c_contiguity(x.shape, x.strides, 8) == x.flags.c_contiguous


def test_errors_of_libraries_pickle():
    for error in (cp.cuda.cublas.CUBLASError(1), cp.cuda.cufft.CuFFTError(2)):
        again = pickle.loads(pickle.dumps(error))
        assert (again.status, str(again)) == (error.status, str(error))


def test_compute_types():
    core = cp._core
    before = core.get_compute_type("f4")
    core.set_compute_type("f4", core.COMPUTE_TYPE_TF32)
    try:
        assert core.get_compute_type("f4") == core.COMPUTE_TYPE_TF32
    finally:
        core.set_compute_type("f4", before)
    with pytest.raises(TypeError):
        core.set_compute_type("i4", before)


def test_cache_of_kernels(tmp_path):
    cache = cp.cuda._compiler_cache.DiskKernelCacheBackend(str(tmp_path))
    assert cache.load("a") is None
    cache.save("a", b"bytes")
    assert cache.load("a") == b"bytes"
    file = tmp_path / "a"
    file.write_bytes(file.read_bytes()[:-1])
    assert cache.load("a") is None
    encode, decode = (getattr(cp.cuda._compiler_cache, f"_{each}code_cache_payload")
                      for each in ("en", "de"))  # fmt: skip
    assert decode(encode(["f", "g"], b"\0x"), 2) == (["f", "g"], b"\0x")
    assert decode(encode(["f"], b"x"), 2) is None


def test_blas_names():
    rng = np.random.default_rng(0)
    a, b, c = (rng.random((4, 4)) for _ in range(3))
    x, y = rng.random(4), rng.random(4)
    on = cp.asarray
    cp.testing.assert_allclose(cp.cublas.gemm("T", "N", on(a), on(b)), a.T @ b)
    out = on(c)
    cp.cublas.gemm("N", "H", on(a), on(b), out=out, alpha=2.0, beta=3.0)
    cp.testing.assert_allclose(out, 2 * a @ b.T + 3 * c)
    out = on(y)
    cp.cublas.gemv("N", 2.0, on(a), on(x), 0.5, out)
    cp.testing.assert_allclose(out, 2 * a @ x + 0.5 * y)
    cp.testing.assert_allclose(cp.cublas.dgmm("R", on(a), on(x)), a @ np.diag(x))
    cp.testing.assert_allclose(cp.cublas.syrk("N", on(a), lower=True), np.tril(a @ a.T))
    assert int(cp.cublas.iamax(on(x))) == np.argmax(x) + 1
    with pytest.raises(TypeError):
        cp.cublas.dot(on(x) * 1j, on(y))


def test_tests_of_random_results():
    condition = importlib.import_module("numjit.cupy.testing._condition")
    hypothesis = importlib.import_module("numjit.cupy.testing._hypothesis")
    runs = []

    @condition.retry(3)
    def fails_once():
        runs.append(1)
        assert len(runs) > 1

    fails_once()
    assert len(runs) == 2
    with pytest.raises(AssertionError, match="first error message: no"):

        @condition.repeat(3)
        def fails():
            raise ValueError("no")

        fails()
    counts = np.array([102, 98, 105, 95])
    assert hypothesis.chi_square_test(counts, np.full(4, 100.0))
    assert not hypothesis.chi_square_test(counts * [1, 1, 1, 2], np.full(4, 100.0))


def test_unit_matrices_for_each_index():
    utilities = importlib.import_module("numjit.cupy.linalg._util")
    for shape in ((), (2,), (0, 3)):
        found = utilities.stacked_identity(shape, 3, np.float32)
        want = np.broadcast_to(np.eye(3, dtype=np.float32), (*shape, 3, 3))
        np.testing.assert_array_equal(found.get(), want)
        assert found.dtype == want.dtype
