"""numjit.cupyx under CuPy's names: private modules, cusparse, cusolver, the profiler."""

import pickle
import subprocess
import sys
from unittest import mock

import numjit.cupy as cp
import numjit.cupyx as cupyx
import numpy as np
import pytest

scipy = pytest.importorskip("scipy", reason="cupyx runs SciPy's Python")
for each in ("sparse", "interpolate", "signal"):
    pytest.importorskip(f"scipy.{each}", reason="cupyx runs SciPy's Python")


# -- private modules -------------------------------------------------------------------------------


def test_private_modules():
    from numjit.cupyx.profiler import _time
    from numjit.cupyx.scipy.interpolate._bspline2 import _not_a_knot
    from numjit.cupyx.scipy.signal._savitzky_golay import _polyder
    from numjit.cupyx.scipy.sparse import _construct

    x = np.arange(8.0)
    expected = scipy.interpolate._bsplines._not_a_knot(x, 3)
    found = _not_a_knot(cp.asarray(x), 3)
    assert isinstance(found, cp.ndarray)
    np.testing.assert_array_equal(found.get(), expected)
    np.testing.assert_array_equal(_polyder(cp.array([5, 2, 1]), 1).get(), [10, 2])
    assert _construct.vstack is cupyx.scipy.sparse.vstack
    assert _time.benchmark is cupyx.profiler.benchmark
    with pytest.raises(ImportError):
        import numjit.cupyx.scipy.interpolate._no_such_module  # noqa: F401


def test_classes_of_clones_are_found_by_name():
    kept = pickle.dumps(cupyx.scipy.sparse.SparseEfficiencyWarning("slow"))
    code = f"import pickle; print(pickle.loads({kept!r}).args)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.stdout.strip() == "('slow',)", found.stderr


def test_direct_solution_of_a_grid_of_splines():
    x, y = np.arange(6.0), np.arange(7.0)
    values = x[:, None] ** 3 + y**2
    make = cupyx.scipy.interpolate._ndbspline.make_ndbspl
    found = make((cp.asarray(x), cp.asarray(y)), cp.asarray(values), k=3)
    np.testing.assert_allclose(found(cp.array([[2.5, 3.5]])).get(), [2.5**3 + 3.5**2])


# -- profiler and settings -------------------------------------------------------------------------


def test_benchmark():
    found = cupyx.profiler.benchmark(lambda x: x.sum(), (cp.ones(3),), n_repeat=4, n_warmup=1)
    assert found.cpu_times.shape == (4,) and found.gpu_times.shape == (1, 4)
    times = np.array([[5.4, 7.1], [6.4, 4.3]]) * 1e-6
    found = cupyx.time._PerfCaseResult("name", times, (0,))
    assert found.to_str() == (
        "name                :    CPU:     6.250 us   +/-  0.850"
        " (min:     5.400 / max:     7.100) us"
    )
    assert str(found).endswith(
        "     GPU-0:     5.350 us   +/-  1.050 (min:     4.300 / max:     6.400) us"
    )
    with pytest.raises(ValueError):
        cupyx.profiler.benchmark(print, n_repeat=0)


def test_time_range_has_the_name_of_its_function():
    @cupyx.profiler.time_range()
    def work():
        return 3

    with mock.patch("numjit.cupy.nvtx.RangePush") as push:
        assert work() == 3
    push.assert_called_once_with("work", -1)
    with mock.patch("numjit.cupy.nvtx.RangePushC") as push:
        with cupyx.profiler.time_range("named", argb_color=0xFF00FF00):
            pass
    push.assert_called_once_with("named", 0xFF00FF00)


def test_magic_command(capsys):
    class Shell:
        user_ns = {"cp": cp, "x": cp.ones(3)}

        def register_magic_function(self, function, kind, name):
            assert (kind, name) == ("line_cell", "gpu_timeit")
            self.run = function

    shell = Shell()
    cupyx.profiler.load_ipython_extension(shell)
    shell.run("-n 3 -w 1 x.sum()")
    shell.run("-n 2", "y = x + 1\nz = y * 2\n")
    text = capsys.readouterr().out
    assert text.count("CPU:") == text.count("GPU-0:") == 2
    Shell.user_ns["n"] = 0
    with mock.patch.object(cupyx.profiler, "benchmark") as benchmark:
        shell.run("-n 2 n")
        shell.run(" -w 1  n = 'a  b'")
    for call in benchmark.call_args_list:
        call.args[0]()
    assert Shell.user_ns["n"] == "a  b"


def test_errstate():
    before = cupyx.geterr()
    assert before["divide"] is None
    with cupyx.errstate(divide="ignore", linalg="raise"):
        assert cupyx.geterr() == before | {"divide": "ignore", "linalg": "raise"}
    assert cupyx.geterr() == before
    with pytest.raises(TypeError):
        cupyx.seterr(unknown=1)


def test_runtime_info():
    found = cupyx.get_runtime_info()
    assert found.cupy_version == cp.__version__ and cp.__version__ in str(found)
    error = cp.cuda.runtime.CUDARuntimeError(2)
    with mock.patch("numjit.cupy.runtime.driverGetVersion", side_effect=error):
        assert "CUDARuntimeError" in str(cupyx.get_runtime_info())


# -- cusparse --------------------------------------------------------------------------------------


def _random(shape, format="csr", seed=0):
    return scipy.sparse.random(*shape, density=0.5, format=format, random_state=seed)


@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
@pytest.mark.parametrize("transa", [False, True])
def test_products_with_dense_arrays(format, transa):
    host = _random((3, 4), format)
    a = getattr(cupyx.scipy.sparse, f"{format}_matrix")(host)
    a.sum_duplicates()
    op = host.T if transa else host
    x, b = np.arange(1.0, op.shape[1] + 1), np.arange(2.0 * op.shape[1]).reshape(-1, 2)
    y = cp.ones(op.shape[0])
    found = cupyx.cusparse.spmv(a, cp.asarray(x), y, alpha=2, beta=3, transa=transa)
    assert found is y
    np.testing.assert_allclose(y.get(), 2 * (op @ x) + 3)
    found = cupyx.cusparse.spmm(a, cp.array(b, order="F"), transa=transa)
    np.testing.assert_allclose(found.get(), op @ b)
    with pytest.raises(ValueError):
        cupyx.cusparse.spmm(a, cp.array(b, order="C"), transa=transa)


def test_sums_and_products_of_sparse_matrices():
    one, other = _random((3, 4)), _random((3, 4), seed=1)
    a, b = map(cupyx.scipy.sparse.csr_matrix, (one, other))
    found = cupyx.cusparse.csrgeam2(a, b, alpha=2, beta=0.5)
    np.testing.assert_allclose(found.toarray().get(), (2 * one + 0.5 * other).toarray())
    found = cupyx.cusparse.spgemm(a, b.T.tocsr(), alpha=3)
    np.testing.assert_allclose(found.toarray().get(), 3 * (one @ other.T).toarray())
    with pytest.raises(TypeError):
        cupyx.cusparse.csrgeam2(a.tocsc(), b)
    assert cupyx.cusparse.check_availability("spgemm")
    assert not cupyx.cusparse.check_availability("no such function")


@pytest.mark.parametrize("transa", ["N", "T", "H"])
@pytest.mark.parametrize("lower", [True, False])
def test_triangular_systems(transa, lower):
    rng = np.random.default_rng(3)
    dense = rng.random((5, 5)) + 1j * rng.random((5, 5)) + 2 * np.eye(5)
    host = np.tril(dense) if lower else np.triu(dense)
    op = {"N": host, "T": host.T, "H": host.conj().T}[transa]
    b = rng.random((5, 2)) + 0j
    a = cupyx.scipy.sparse.csr_matrix(cp.asarray(dense))
    found = cupyx.cusparse.spsm(a, cp.asarray(b), alpha=2, lower=lower, transa=transa)
    np.testing.assert_allclose(found.get(), np.linalg.solve(op, 2 * b))


def test_incomplete_factors():
    host = _random((6, 6)) + 3 * scipy.sparse.eye(6)
    host = scipy.sparse.csr_matrix(np.ones((6, 6)) + 3 * np.eye(6))
    a = cupyx.scipy.sparse.csr_matrix(host)
    cupyx.cusparse.csrilu02(a)
    found = a.toarray().get()
    lower, upper = np.tril(found, -1) + np.eye(6), np.triu(found)
    np.testing.assert_allclose(lower @ upper, host.toarray())
    with pytest.raises(ValueError):
        cupyx.cusparse.csrilu02(cupyx.scipy.sparse.csr_matrix(cp.ones((3, 3))))


def test_parts_of_matrices_are_taken_as_they_are():
    parts = cp.array([1.0, 2.0]), cp.array([0, 1]), cp.array([0, 1, 2])
    found = cupyx.scipy.sparse.csr_matrix._from_parts(*parts, (2, 3), has_canonical_format=True)
    assert found.indices.dtype == found.indptr.dtype == np.int64
    assert found.has_canonical_format and found.has_sorted_indices
    np.testing.assert_array_equal(found.toarray().get(), [[1, 0, 0], [0, 2, 0]])
    with pytest.raises(ValueError, match="major axis"):
        cupyx.scipy.sparse.csr_matrix._from_parts(*parts, (3, 3))
    found = cupyx.scipy.sparse.coo_matrix._from_parts(parts[0], parts[1], parts[1], (2, 3))
    assert found.copy().row.dtype == np.int64


# -- cusolver and lapack ---------------------------------------------------------------------------


def test_decompositions():
    a = np.random.default_rng(0).random((5, 3))
    u, s, v = cupyx.cusolver.gesvdj(cp.asarray(a), full_matrices=False)
    np.testing.assert_allclose((u * s @ v.conj().T).get(), a)
    w, v = cupyx.cusolver.syevj(cp.asarray(a.T @ a))
    np.testing.assert_allclose((a.T @ a) @ v.get(), (w * v).get(), atol=1e-12)


@pytest.mark.parametrize("lower", [True, False])
def test_solution_from_the_factor_of_cholesky(lower):
    a = np.random.default_rng(0).random((2, 3, 3))
    a = a @ a.swapaxes(-1, -2) + 3 * np.eye(3)
    b = np.arange(12.0).reshape(2, 3, 2)
    factor = np.linalg.cholesky(a)
    factor = factor + np.triu(np.full((3, 3), np.nan), 1)  # which is not read
    factor = factor if lower else factor.swapaxes(-1, -2)
    expected = np.linalg.solve(a, b)
    found = cupyx.lapack.potrs(cp.asarray(factor), cp.asarray(b), lower)
    np.testing.assert_allclose(found.get(), expected)
    found = cupyx.linalg.invh(cp.asarray(a))
    np.testing.assert_allclose(found.get(), np.linalg.inv(a))
    with pytest.raises(np.linalg.LinAlgError):
        cupyx.linalg.invh(cp.asarray(-a))


def test_checks_of_gesv():
    a = cp.asarray(np.eye(3) * 2)
    b = cp.ones((3, 2), order="F")
    cupyx.lapack.gesv(a, b)
    np.testing.assert_array_equal(b.get(), np.full((3, 2), 0.5))
    with pytest.raises(ValueError):
        cupyx.lapack.gesv(a, cp.ones((3, 2)))
    with pytest.raises(TypeError):
        cupyx.lapack.gesv(a.astype(int), b)


def test_solution_of_a_sparse_positive_definite_matrix():
    a, b = np.array([[4.0, 1, 0], [1, 3, 0], [0, 0, 2]]), np.array([1.0, 2, 3])
    for given in (cp.asarray(a), cupyx.scipy.sparse.csr_matrix(cp.asarray(a))):
        found = cupyx.linalg.sparse.lschol(given, cp.asarray(b))
        np.testing.assert_allclose(found.get(), np.linalg.solve(a, b))
    with pytest.raises(ValueError):
        cupyx.linalg.sparse.lschol(cp.asarray(a), cp.ones((3, 2)))


def test_sparse_products_do_not_read_an_empty_target():
    cusparse = cupyx.cusparse
    a = cupyx.scipy.sparse.csr_matrix(cp.eye(3))
    x, b = cp.arange(3.0), cp.asfortranarray(cp.arange(6.0).reshape(3, 2))
    y, c = cp.full(3, np.nan), cp.full((3, 2), np.nan, order="F")
    assert cusparse.spmv(a, x, y) is y
    np.testing.assert_array_equal(y.get(), x.get())
    assert cusparse.spmm(a, b, c, alpha=2) is c
    np.testing.assert_array_equal(c.get(), 2 * b.get())
    cusparse.spmv(a, x, y, beta=2)
    np.testing.assert_array_equal(y.get(), 3 * x.get())


def test_available_functions():
    for module, names in (
        (cupyx.cusparse, "dense2csr dense2csc csr2coo csc2csrEx2 spmv csrilu02"),
        (cupyx.cusolver, "gesvdj gels csrlsvqr"),
    ):
        assert all(map(module.check_availability, names.split()))
        assert all(callable(getattr(module, name)) for name in module._FUNCTIONS)
        for name in "getVersion check_availability MatDescriptor potrsBatched _scaled".split():
            assert not module.check_availability(name)
