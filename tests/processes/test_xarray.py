"""xarray's apply_ufunc, over NumPy and over Dask."""

import numpy as np
import pytest
from processes.functions import mixed, spread

xr = pytest.importorskip("xarray", reason="xarray is in the extra test-engines")

DATA = np.random.default_rng(1).normal(size=(8, 50))


@pytest.mark.parametrize("chunked", [False, True], ids=["numpy", "dask"])
def test_apply_ufunc(chunked):
    x = xr.DataArray(DATA, dims=("row", "time"))
    if chunked:
        pytest.importorskip("dask", reason="dask is in the extra test-engines")
        x = x.chunk(row=2)
    how = {"dask": "parallelized", "output_dtypes": [float]} if chunked else {}
    result = xr.apply_ufunc(spread, x, input_core_dims=[["time"]], **how)
    assert result.dims == ("row",)
    assert np.array_equal(result.values, DATA.max(axis=1) - DATA.min(axis=1))
    assert np.array_equal(xr.apply_ufunc(mixed, x, 1.0, **how).values, DATA * 2 + 1)
