"""Dask: arrays, delayed functions, and a distributed cluster of processes."""

import numpy as np
import pytest
from processes.functions import called, closure, mixed, smooth, spread

dask = pytest.importorskip("dask", reason="dask is in the extra test-engines")
da = pytest.importorskip("dask.array", reason="dask is in the extra test-engines")
distributed = pytest.importorskip("distributed", reason="it is in the extra test-engines")

DATA = np.random.default_rng(1).normal(size=(8, 50))


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=2, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_map_blocks():
    x = da.from_array(DATA, chunks=(2, 50))
    result = x.map_blocks(smooth, dtype=float).compute(scheduler="threads")
    assert np.array_equal(result, np.concatenate([smooth(DATA[i : i + 2]) for i in range(0, 8, 2)]))


def test_ufuncs_of_arrays():
    x = da.from_array(DATA, chunks=(2, 25))
    assert np.array_equal(da.map_blocks(mixed, x, x, dtype=float).compute(), DATA * 3)
    assert np.array_equal(mixed(x, 1.0), DATA * 2 + 1)  # NumPy's protocol gives a Dask array


def test_apply_gufunc():
    x = da.from_array(DATA, chunks=(2, 50))
    result = da.apply_gufunc(spread, "(n)->()", x, output_dtypes=float).compute()
    assert np.array_equal(result, DATA.max(axis=1) - DATA.min(axis=1))


def test_tokens_stay():
    f = closure(2.0)
    before = dask.base.tokenize(f)
    f(np.ones(3, np.float32))
    assert dask.base.tokenize(f) == before


def test_workers_compile_nothing(client):
    f = closure(2.5)
    for function, arguments in ((f, (DATA[0],)), (mixed, (DATA, DATA)), (spread, (DATA,))):
        expected = function(*arguments)
        result, compiled = client.submit(called, function, *arguments, pure=False).result()
        assert np.array_equal(result, expected)
        assert not compiled


def test_delayed_in_processes(client):
    f = closure(3.0)
    parts = [dask.delayed(f)(row) for row in DATA]
    assert np.isclose(dask.delayed(sum)(parts).compute(), 3 * DATA.sum())
