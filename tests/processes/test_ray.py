"""Ray: tasks and actors."""

import os
import sys

import numpy as np
import pytest
from processes.functions import called, closure

ray = pytest.importorskip("ray", reason="ray is in the extra test-engines")

DATA = np.random.default_rng(1).normal(size=(4, 50))


@pytest.fixture(scope="module", autouse=True)
def cluster():
    paths = {"env_vars": {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=paths)
    yield
    ray.shutdown()


def test_tasks_compile_nothing():
    f = closure(2.0)

    @ray.remote
    def run(row):
        return called(f, row)

    results = ray.get([run.remote(row) for row in DATA])
    assert [result for result, _ in results] == [f(row) for row in DATA]
    assert not any(compiled for _, compiled in results)


def test_actors():
    f = closure(3.0)

    @ray.remote
    class Sum:
        def __init__(self):
            self.total = 0.0

        def add(self, row):
            self.total += f(row)
            return self.total

    actor = Sum.remote()
    totals = ray.get([actor.add.remote(row) for row in DATA])
    assert np.allclose(totals, np.cumsum([f(row) for row in DATA]))
