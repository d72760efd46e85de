"""The threads of parallel=True: how many, in chunks of what size, beside others, after forks."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from language.engine import ENGINE
from language.parallel_loops import parallel, values
from numjit import njit, prange
from numjit.errors import NumbaError

pytestmark = pytest.mark.skipif(ENGINE != "numjit", reason="compares with numjit's own rules")


def test_threads_share_the_work():
    import numjit

    def f(n, ids):
        for i in prange(n):
            x = 0.0
            for j in range(20_000):
                x += np.sin(x + j)
            ids[i] = numjit.get_thread_id() + x * 0
        return numjit.get_num_threads()

    ids = np.zeros(400)
    assert parallel(f)(400, ids) == numjit.get_num_threads()
    assert ids.min() >= 0
    assert ids.max() < numjit.get_num_threads()
    if numjit.get_num_threads() > 1:
        assert len(set(ids)) > 1


def test_number_of_threads():
    import numjit

    before = numjit.get_num_threads()
    assert before == numjit.config.NUMBA_NUM_THREADS

    @njit
    def inside(n):
        numjit.set_num_threads(n)
        return numjit.get_num_threads()

    assert inside(1) == 1
    assert numjit.get_num_threads() == 1
    numjit.set_num_threads(before)
    for bad in (0, before + 1):
        with pytest.raises(ValueError, match="number of threads must be between"):
            numjit.set_num_threads(bad)
        with pytest.raises(ValueError, match="number of threads must be between"):
            inside(bad)
    with pytest.raises(TypeError):
        numjit.set_num_threads("2")
    assert numjit.threading_layer() == "tbb"


def test_chunk_size():
    import numjit

    def f(a):
        s = 0.0
        for i in prange(a.size):
            s += a[i]
        return s

    a = values()
    assert numjit.get_parallel_chunksize() == 0
    with numjit.parallel_chunksize(3):
        assert numjit.get_parallel_chunksize() == 3
        np.testing.assert_allclose(parallel(f)(a), a.sum())
    assert numjit.get_parallel_chunksize() == 0
    with pytest.raises(ValueError, match="chunksize"):
        numjit.set_parallel_chunksize(-1)


def test_several_python_threads_at_once():
    def f(a):
        s = 0.0
        for i in prange(a.size):
            s += np.sqrt(a[i])
        return s

    f = parallel(f)
    a = np.abs(values(50_000))
    want = f(a)
    found = []

    def work():
        for _ in range(50):
            found.append(f(a))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [want] * 200


def run_program(text, **environment):
    program = "import numpy as np, os, sys, numjit\nfrom numjit import njit, prange\n" + text
    return subprocess.run(
        # CPython warns of forks beside threads.
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", program],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "NUMBA_NUM_THREADS": "4", **environment},
    )


FORK = """
@njit(parallel=True)
def f(a):
    s = 0.0
    for i in prange(a.size):
        s += a[i]
    return s

a = np.arange(100000.0)
want = f(a)
for k in range(3):
    pid = os.fork()
    if pid == 0:
        os._exit(0 if f(a) == want and f(a) == want else 1)
    assert f(a) == want
    assert os.waitpid(pid, 0)[1] == 0
assert f(a) == want
print("fine")
"""


def test_fork():
    done = run_program(FORK)
    assert (done.stdout, done.stderr) == ("fine\n", "")


def test_fork_before_the_first_loop():
    done = run_program(FORK.replace("want = f(a)", "want = a.sum()"))
    assert (done.stdout, done.stderr) == ("fine\n", "")


def test_multiprocessing():
    done = run_program(
        FORK + "import multiprocessing\n"
        "with multiprocessing.get_context('fork').Pool(3) as pool:\n"
        "    assert pool.map(f, [a] * 9) == [want] * 9\n"
    )
    assert (done.stdout, done.stderr) == ("fine\n", "")


def test_ctrl_c():
    program = (
        "import signal\nfrom numjit import njit, prange\n"
        # A shell's background jobs have it ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "@njit(parallel=True)\n"
        "def f(n):\n"
        "    s = 0\n"
        "    for i in prange(n):\n"
        "        for j in range(10**9):\n"
        "            s += i ^ j ^ (j >> 3)\n"
        "    return s\n"
        "f(0)\nprint('ready', flush=True)\n"
        "try:\n    f(10**9)\n"
        "except KeyboardInterrupt:\n    print('stopped', flush=True)\n"
        "assert f(0) == 0\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "NUMBA_NUM_THREADS": "4"},
    )
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        assert child.communicate(timeout=60)[0] == "stopped\n"
    finally:
        child.kill()
        child.wait()
    assert child.returncode == 0


def test_chunk_size_for_a_block():
    import numjit

    @njit(parallel=True)
    def total(n, chunk):
        before = numjit.get_parallel_chunksize()
        with numjit.parallel_chunksize(chunk):
            inside = numjit.get_parallel_chunksize()
            result = 0
            for i in prange(n):
                result += i
        return result, before, inside, numjit.get_parallel_chunksize()

    assert total(1000, 8) == (499500, 0, 8, 0)

    @njit(parallel=True)
    def leaves(n):
        with numjit.parallel_chunksize(8):
            return n

    with pytest.raises(NumbaError, match="control flow in a with parallel_chunksize block"):
        leaves(1)


def test_each_thread_runs_one_of_as_many_iterations():
    """PyMPDATA and PySDM see by this whether loops are parallel."""
    program = """
from numjit import get_num_threads, get_thread_id

@njit(parallel=True)
def note(ids):
    for i in prange(get_num_threads()):
        ids[i] = get_thread_id()

found = []
for _ in range(20):
    ids = np.full(get_num_threads(), -1)
    note(ids)
    found.append(sorted(ids))
assert list(range(4)) in found, found
"""
    done = run_program(program, NUMBA_THREADING_LAYER="workqueue")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("setting", ["set_parallel_chunksize", "set_num_threads"])
@pytest.mark.parametrize("wrong", ["2", 1.5, None])
def test_settings_are_integers(setting, wrong):
    import numjit

    change = getattr(numjit, setting)
    with pytest.raises(numjit.TypingError, match="integer"):
        numjit.njit(lambda n: change(n))(wrong)
