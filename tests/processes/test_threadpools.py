"""How many threads parallel loops have, by what surrounds a process."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from numjit import config, get_num_threads, njit, prange

HOW_MANY = "import numjit; print(numjit.get_num_threads())"


def threads_of_child(script=HOW_MANY, preexec_fn=None, **variables):
    """What a child prints. What other tests have set here is not for it."""
    inherited = {name: os.environ[name] for name in os.environ if "NUM_THREADS" not in name}
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**inherited, **variables},
        preexec_fn=preexec_fn,
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout)


def test_affinity():
    one = min(os.sched_getaffinity(0))
    assert threads_of_child(preexec_fn=lambda: os.sched_setaffinity(0, {one})) == 1


def test_variable():
    assert threads_of_child(NUMJIT_NUM_THREADS="3") == 3
    assert threads_of_child(NUMBA_NUM_THREADS="3") == 3


def test_loky_bounds_its_workers(monkeypatch):
    monkeypatch.delenv("NUMJIT_NUM_THREADS", raising=False)  # counts more than what loky sets
    joblib = pytest.importorskip("joblib", reason="joblib comes with scikit-learn")
    with joblib.parallel_config("loky", n_jobs=2, inner_max_num_threads=1):
        assert joblib.Parallel()(joblib.delayed(get_num_threads)() for _ in range(2)) == [1, 1]


THREADPOOLCTL = """
import threadpoolctl
from numjit import get_num_threads, njit

@njit(parallel=True)
def f(a):
    return a + 1

with threadpoolctl.threadpool_limits(1):
    print(get_num_threads())
"""


def test_threadpoolctl():
    threadpoolctl = pytest.importorskip("threadpoolctl", reason="it comes with scikit-learn")
    if config.NUMBA_NUM_THREADS < 2:
        pytest.skip("a limit of one thread changes nothing where there is one")
    assert threads_of_child(THREADPOOLCTL) == 1

    @njit(parallel=True)
    def used(numbers):
        for i in prange(len(numbers)):
            numbers[i] = get_num_threads()

    def most_used():
        numbers = np.zeros(100, np.int64)
        used(numbers)
        return numbers.max()

    before = most_used()
    (row,) = [each for each in threadpoolctl.threadpool_info() if each["user_api"] == "numjit"]
    assert row["num_threads"] == before
    with threadpoolctl.threadpool_limits(1, user_api="numjit"):
        assert most_used() == 1
        elsewhere = []
        thread = threading.Thread(target=lambda: elsewhere.append(get_num_threads()))
        thread.start()
        thread.join()
        assert elsewhere == [config.NUMBA_NUM_THREADS]
    with threadpoolctl.threadpool_limits(1000):
        assert most_used() == config.NUMBA_NUM_THREADS
    assert most_used() == before
