"""joblib, whose loky starts processes of its own."""

import numpy as np
import pytest
from processes.functions import called, closure

joblib = pytest.importorskip("joblib", reason="joblib comes with scikit-learn")

DATA = np.random.default_rng(1).normal(size=(6, 50))


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_parallel(backend):
    f = closure(2.0)
    with joblib.parallel_backend(backend, n_jobs=2):
        results = joblib.Parallel()(joblib.delayed(called)(f, row) for row in DATA)
    assert [result for result, _ in results] == [f(row) for row in DATA]
    assert not any(compiled for _, compiled in results)
