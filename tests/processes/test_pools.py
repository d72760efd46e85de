"""concurrent.futures and multiprocessing: processes that start anew, and forks."""

import multiprocessing
import pathlib
import random
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from numjit import njit, prange
from processes.functions import called, closure

DATA = np.random.default_rng(1).normal(size=(4, 50))


@njit(parallel=True)
def in_threads(a):
    total = 0.0
    for i in prange(a.size):
        total += a.flat[i]
    return total


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_pools(method):
    f = closure(2.0)
    pytest.importorskip("cloudpickle", reason="closures of a test module")
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        results = list(pool.map(called, [f] * 4, DATA))
    assert [result for result, _ in results] == [f(row) for row in DATA]
    assert not any(compiled for _, compiled in results)


def test_threads_of_parallel_loops_start_anew_in_forks():
    expected = in_threads(DATA)
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
        assert list(pool.map(in_threads, [DATA] * 4)) == [expected] * 4


@njit
def drawn(seed):
    if seed >= 0:
        np.random.seed(seed)
        random.seed(seed)
    return np.random.random(), random.random()


def test_forks_draw_numbers_of_their_own():
    drawn(7)  # a pool of processes would run the same simulation in each
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
        first = pool.submit(drawn, -1).result()
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
        second = pool.submit(drawn, -1).result()
        assert pool.submit(drawn, 7).result() == drawn(7)
    assert len({*first, *second, *drawn(-1)}) == 6


def test_programs_over_processes(tmp_path):
    program = pathlib.Path(__file__).parents[2] / "examples" / "many_processes.py"
    command = [sys.executable, program, "--small", "--out", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr  # it compares the results itself
    assert (tmp_path / "many_processes.png").exists()
