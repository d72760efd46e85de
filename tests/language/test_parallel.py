"""Loops over prange and array expressions with parallel=True: the values of the sequential program,
whatever the number of threads."""

import functools
import os
import re
import signal
import subprocess
import sys
import threading
import time
import traceback
import warnings

import numpy as np
import pytest
from language.engine import ENGINE, live_blocks
from numjit import get_num_threads, njit, prange, set_num_threads
from numjit.errors import NumbaError, NumbaPerformanceWarning

pytestmark = pytest.mark.skipif(ENGINE != "numjit", reason="compares with numjit's own rules")

# The processes of this suite have four threads, however many processors there are.
os.environ.setdefault("NUMBA_NUM_THREADS", "4")


@functools.cache
def parallel(f):
    return njit(parallel=True)(f)


def same(f, *args):
    """What f gives compiled is what the interpreter gives; its arguments change alike."""
    mine = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    theirs = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    got, want = parallel(f)(*mine), f(*theirs)
    got, want = (x if isinstance(x, tuple) else (x,) for x in (got, want))
    assert len(got) == len(want)
    for x, y in [*zip(got, want, strict=True), *zip(mine, theirs, strict=True)]:
        if isinstance(y, np.ndarray):
            assert (x.dtype, x.shape) == (y.dtype, y.shape)
        np.testing.assert_allclose(x, y, rtol=1e-12)


def values(n=1000, dtype=np.float64):
    random = np.random.default_rng(1)
    x = random.normal(size=n) * 5
    return (
        (x + 1j * random.normal(size=n)).astype(dtype)
        if dtype == np.complex128
        else x.astype(dtype)
    )


# -- reductions ----------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32, np.complex128])
def test_sums_and_products(dtype):
    def f(a):
        s = 0
        d = 1.5
        p = 1.0
        for i in prange(a.size):
            s += a[i]
            d -= a[i]
            p *= 1 + abs(a[i]) * 0.001
        return s, d, p

    if dtype == np.float32:
        a = values(dtype=dtype)
        got, want = parallel(f)(a), f(a.astype(np.float64))
        np.testing.assert_allclose(got, want, rtol=1e-3)
    else:
        same(f, values(dtype=dtype))


@pytest.mark.parametrize("n", [0, 1, 2, 127, 128, 129, 1000])
def test_lengths(n):
    def f(n):
        s = 10
        for i in prange(n):
            s += i
        return s

    assert parallel(f)(n) == 10 + sum(range(n))


@pytest.mark.parametrize("bounds", [(3, 50, 1), (-5, 5, 1), (0, 100, 7), (50, -50, -3), (5, 2, 1)])
def test_ranges(bounds):
    def f(start, stop, step):
        s = 0
        for i in prange(start, stop, step):
            s += i * i
        return s

    assert parallel(f)(*bounds) == f(*bounds)


def test_division_joins_products():
    def f(a):
        p = 1.0
        for i in prange(a.size):
            p *= 2.0
            p /= 1.5
        return p

    same(f, values(20))


def test_bits():
    def f(a):
        x = 0
        y = -1
        z = 0
        for i in prange(a.size):
            x |= a[i]
            y &= a[i] | 5
            z ^= a[i]
        return x, y, z

    same(f, np.arange(3, 400, 7))


def test_extremes():
    def f(a):
        lo = np.inf
        hi = -np.inf
        x = a[0]
        y = a[0]
        for i in prange(a.size):
            lo = min(lo, a[i])
            hi = max(a[i], hi)
            x = np.minimum(x, a[i])
            y = np.maximum(y, a[i])
        return lo, hi, x, y

    same(f, values())


def test_extremes_by_comparison():
    def f(a):
        lo = a[0]
        hi = a[0]
        for i in prange(a.size):
            x = a[i]
            if x < lo:
                lo = x
            if hi < a[i]:
                hi = a[i]
        return lo, hi

    same(f, values())


def test_nan_as_in_the_loop():
    def f(a):
        hi = 0.0
        for i in prange(a.size):
            if a[i] > hi:
                hi = a[i]
        return hi

    a = values()
    a[3] = a[500] = np.nan
    same(f, a)


def test_truth():
    def f(a):
        every = True
        some = False
        both = True
        for i in prange(a.size):
            every = every and a[i] > -100
            some = some or a[i] > 100
            both &= a[i] > -100
        return every, some, both

    same(f, values())
    same(f, values() * 100)


def test_conditional_sums():
    def f(a):
        s = 0.0
        n = 0
        for i in prange(a.size):
            if a[i] > 0:
                s += a[i]
                n += 1
            elif a[i] < -3:
                s -= 1
            else:
                continue
        return s, n

    same(f, values())


def test_sums_in_inner_loops():
    def f(a):
        s = 0.0
        for i in prange(a.shape[0]):
            for j in range(a.shape[1]):
                s += a[i, j] * j
        return s

    same(f, values().reshape(50, 20))


def test_negative_zero():
    def f(a):
        s = -0.0
        for i in prange(a.size):
            s += a[i]
        return s

    assert np.signbit(parallel(f)(np.full(5, -0.0)))


def test_arrays_in_place():
    def f(a, total):
        for i in prange(a.shape[0]):
            total += a[i]
        return total

    same(f, values().reshape(50, 20), np.ones(20))


def test_arrays_in_place_change_the_argument():
    def f(a, total):
        acc = total
        for i in prange(a.shape[0]):
            acc += a[i]

    a, total = values().reshape(50, 20), np.zeros(20)
    parallel(f)(a, total)
    np.testing.assert_allclose(total, a.sum(0))


def test_arrays_not_in_place():
    def f(a, total):
        acc = total
        for i in prange(a.shape[0]):
            acc = acc + a[i]
        return acc

    same(f, values().reshape(50, 20), np.ones(20))


def test_histogram_by_rows():
    def f(a, n):
        counts = np.zeros(n, np.int64)
        for i in prange(a.size):
            one = np.zeros(n, np.int64)
            one[a[i]] += 1
            counts += one
        return counts

    same(f, np.arange(500) ** 2 % 7, 7)


def test_same_bits_for_every_number_of_threads():
    def f(a, n):
        from_n = n
        s = 0.0
        for i in prange(a.size):
            s += a[i] * from_n
        return s, np.sum(a * a)

    import numjit

    inner = parallel(f)
    a = values(100_003)
    found = set()
    before = numjit.get_num_threads()
    try:
        for n in range(1, before + 1):
            numjit.set_num_threads(n)
            found.add(inner(a, 1.1))
    finally:
        numjit.set_num_threads(before)
    assert len(found) == 1


# -- variables that are only assigned ------------------------------------------


def test_last_value():
    def f(n):
        x = -1
        for i in prange(n):
            x = i * 2
            y = x + 1
        return x, y

    same(f, 1)
    same(f, 500)


def test_last_value_of_no_iterations():
    def f(n):
        x = -1
        for i in prange(n):
            x = i
            y = i
        if n > 0:
            x += y
        return x

    same(f, 0)
    same(f, 10)

    def g(n):
        for i in prange(n):
            x = i
        return x

    with pytest.raises(UnboundLocalError, match="'x'"):
        parallel(g)(0)


def test_conditional_last_value():
    def f(a, limit):
        found = False
        where = -1
        for i in prange(a.size):
            if a[i] > limit:
                found = True
                where = i
        return found, where

    same(f, values(), 3.0)
    same(f, values(), 300.0)


def test_last_array():
    def f(n):
        x = np.zeros(3)
        for i in prange(n):
            x = np.full(3, float(i))
        return x[0]

    assert parallel(f)(100) == 99


# -- loops ---------------------------------------------------------------------


def test_stores():
    def f(a, out):
        for i in prange(1, a.size - 1):
            out[i] = a[i - 1] + 2 * a[i] + a[i + 1]
        return out

    same(f, values(), np.zeros(1000))


def test_nested():
    def f(a):
        out = np.empty(a.shape[0])
        total = 0.0
        for i in prange(a.shape[0]):
            s = 0.0
            for j in prange(a.shape[1]):
                s += a[i, j]
            out[i] = s
            total += s
        return out, total

    same(f, values(2000).reshape(40, 50))


def test_calls_inside():
    @njit
    def helper(x, y=2):
        return x * y

    def f(a):
        s = 0.0
        for i in prange(a.size):
            s += helper(a[i]) + helper(a[i], y=3)
        return s

    np.testing.assert_allclose(parallel(f)(values()), values().sum() * 5)


def test_inner_functions():
    def f(a, c):
        def g(x):
            return x * c

        s = 0.0
        for i in prange(a.size):
            s += g(a[i])
        return s

    same(f, values(), 3.0)


def test_mixed_tuples_are_unrolled():
    def f(n):
        pair = (1, 2.5)
        s = 0.0
        for i in prange(n):
            for x in pair:
                s += x * i
        return s

    same(f, 50)


def test_loops_behind_and_in_each_other():
    def f(a):
        s = 0.0
        for k in range(3):
            for i in prange(a.size):
                s += a[i]
            t = s
            for i in prange(a.size):
                t -= a[i]
            s = t + 1
        return s

    same(f, values(100))


def test_prange_without_parallel_is_range():
    def f(n):
        last = 0
        for i in prange(n):
            if i > 5:
                break
            last = last * 2 + i
        return last

    assert njit(f)(100) == f(100)
    assert list(prange(2, 6, 2)) == [2, 4]


# -- array expressions ---------------------------------------------------------


@pytest.mark.parametrize("n", [10, 200_000])
def test_array_expressions(n):
    def f(a, b):
        c = np.sqrt(a * a + b) * 2
        d = np.empty_like(c)
        d[:] = c - 1
        d += a
        e = np.full(a.size, 3.5)
        return c, d, e, np.sum(a * b), (a + b).min(), np.max(a), np.mean(c)

    random = np.random.default_rng(0)
    same(f, random.random(n), random.random(n))


def test_expressions_of_views_and_rows():
    def f(a, row):
        return a[::2] * 2 + row, (a + row).sum(), a.T + 1, a.sum(axis=0)

    same(f, values(120_000).reshape(400, 300), values(300))


def test_expressions_in_a_loop():
    def f(a):
        out = np.empty(a.shape[0])
        for i in prange(a.shape[0]):
            out[i] = np.sum(a[i] * 2 + 1)
        return out

    same(f, values(300_000).reshape(6, 50_000))


# -- errors --------------------------------------------------------------------


def break_out(a):
    for i in prange(a.size):
        if a[i] > 3:
            break


def return_early(a):
    for i in prange(a.size):
        if a[i] > 3:
            return i
    return -1


def scan(a):
    s = 0.0
    for i in prange(a.size):
        s += a[i]
        a[i] = s


def two_kinds(a):
    s = 1.0
    for i in prange(a.size):
        s += a[i]
        s *= 2
    return s


def previous(a):
    s = 0.0
    before = 0.0
    for i in prange(a.size):
        s += before
        before = a[i]
    return s


def position_of_maximum(a):
    hi = a[0]
    where = 0
    for i in prange(a.size):
        if a[i] > hi:
            hi = a[i]
            where = i
    return where


def neighbour(a):
    for i in prange(1, a.size):
        a[i] = a[i - 1] + 1


def one_element(a):
    out = np.ones(1)
    for i in prange(a.size):
        out[0] += a[i]
        out[0] *= 2
    return out


def one_element_again(a):
    out = np.ones(1)
    for i in prange(a.size):
        out[0] = a[i] - out[0]
    return out


def read_and_added_to(a):
    out = np.zeros(9)
    for i in prange(a.size):
        for j in range(9):
            out[j] += a[i]
        a[i] = out[0]
    return out


def appended(a):
    found = [0.0]
    for i in prange(a.size):
        found.append(a[i])
    return len(found)


def joined(a):
    found = [0.0]
    for i in prange(a.size):
        found += [a[i]]
    return len(found)


def comprehension(a):
    return [a[i] for i in prange(a.size)]


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (break_out, "cannot be left early"),
        (return_early, "cannot be left early"),
        (scan, "variable 's' carries a value"),
        (two_kinds, "variable 's' carries a value"),
        (previous, "variable 'before' carries a value"),
        (position_of_maximum, "variable 'hi' carries a value"),
        (neighbour, "an element of array 'a' that another one writes"),
        (one_element, "the same element of array 'out'"),
        (one_element_again, "the same element of array 'out'"),
        (read_and_added_to, "the same element of array 'out'"),
        (appended, "change the length of list 'found'"),
        (comprehension, "change the length of a list"),
        (joined, "a list cannot be a reduction"),
    ],
)
def test_what_cannot_be_parallel(f, words):
    with pytest.raises(NumbaError) as error:
        njit(parallel=True)(f)(np.abs(values()))
    assert words in str(error.value)
    assert re.search(rf"test_parallel.py:\d+, in {f.__name__}\n", str(error.value))


def fail_at(a, n):
    for i in prange(a.size):
        if i % n == n - 1:
            raise ValueError("iteration", i)
        a[i] = 1
    return a.sum()


def test_the_first_exception_reaches_the_caller():
    f = parallel(fail_at)
    for _ in range(20):
        with pytest.raises(ValueError) as error:
            f(np.zeros(10_000), 700)
        assert error.value.args == ("iteration", 699)
    last = traceback.extract_tb(error.tb)[-1]
    assert (last.name, last.line) == ("fail_at", 'raise ValueError("iteration", i)')
    assert f(np.zeros(100), 700) == 100


def test_exceptions_of_nested_loops():
    def f(n):
        s = 0
        for i in prange(n):
            for j in prange(n):
                if i * n + j == 77:
                    raise IndexError("both", i, j)
                s += 1
        return s

    with pytest.raises(IndexError) as error:
        parallel(f)(30)
    assert error.value.args == ("both", 2, 17)
    assert parallel(f)(5) == 25


def test_results_are_released_when_an_iteration_fails():
    def f(a, n):
        acc = np.zeros(10)
        x = np.zeros(2)
        for i in prange(n):
            acc += a[i]
            x = np.full(2, float(i))
            if i == n - 2:
                raise ValueError
        return acc, x

    with pytest.raises(ValueError):
        parallel(f)(np.ones((200, 10)), 200)


# -- threads -------------------------------------------------------------------


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


def test_options():
    def f(n):
        s = 0
        for i in prange(n):
            s += i
        return s

    assert njit(parallel={"prange": True, "fusion": False})(f)(10) == 45
    with pytest.raises(NumbaError, match="Unrecognized parallel options"):
        njit(parallel={"loops": True})(f)


def test_diagnostics(capsys):
    def f(a, m):
        total = 0.0
        for i in prange(m.shape[0]):
            s = 0.0
            for j in prange(m.shape[1]):
                s += m[i, j]
            total += s
            last = s
        return total + last + np.sum(a * a)

    f = njit(parallel=True)(f)
    f(np.ones(10), np.ones((3, 4)))
    f.parallel_diagnostics()
    text = capsys.readouterr().out
    first = f.py_func.__code__.co_firstlineno
    for line, words in [
        (2, "runs in parallel"),
        (2, "total: the sum over all iterations"),
        (2, "last: what the last iteration that assigns it gives"),
        (4, "runs in parallel where the loop around it leaves threads idle"),
        (8, "an array expression, one loop without temporaries"),
    ]:
        part = text.split(f"line {first + line}: ")[1]
        assert words in part.split(" line ")[0]
    g = njit(lambda a: a)
    g(1)
    g.parallel_diagnostics()
    assert "without parallel=True" in capsys.readouterr().out


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


def test_nothing_to_run_in_parallel():
    def plus(x):
        return x + 1

    with pytest.warns(NumbaPerformanceWarning, match="no transformation for parallel execution"):
        njit(parallel=True)(plus)(1)

    def loop(n):
        total = 0
        for i in prange(n):
            total += i
        return total

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        njit(parallel=True)(loop)(10)
        njit(parallel=True)(lambda a: np.sqrt(a) + 1)(np.ones(10))
        njit(plus)(1)


def test_inner_loops_whose_iterations_need_each_other():
    def product(a, b):
        c = np.zeros((a.shape[0], b.shape[1]))
        last = 0
        for i in prange(a.shape[0]):
            for j in prange(b.shape[1]):
                for k in prange(a.shape[1]):
                    c[i, j] += a[i, k] * b[k, j]
            for k in prange(3):
                if k == 2:
                    break
                last = i
        return c, last

    a = np.arange(12.0).reshape(3, 4)
    c, last = parallel(product)(a, a.T.copy())
    np.testing.assert_array_equal(c, a @ a.T)
    assert last == 2
    with pytest.raises(NumbaError, match="several iterations may change the same element"):
        parallel(outer_loop_with_a_conflict)(np.zeros(3))


def outer_loop_with_a_conflict(a):
    for i in prange(9):
        a[0] = i - a[0]


def test_diagnostics_in_the_metadata(capsys):
    def total(n):
        s = 0
        for i in prange(n):
            s += i
        return s

    f = njit(parallel=True)(total)
    f(10)
    f.get_metadata(f.signatures[0])["parfor_diagnostics"].dump(1)
    dumped = capsys.readouterr().out
    f.parallel_diagnostics(level=1)
    assert dumped == capsys.readouterr().out and "the sum over all iterations" in dumped
    assert "parfor_diagnostics" not in njit(lambda x: x).get_metadata()


# --- elements at which iterations meet ---


def adds(out, at, x):
    for i in prange(len(x)):
        out[at[i]] += x[i]
    return out


def adds_behind(out, at, x):
    for i in prange(len(x)):
        k = at[i]
        out[k] = x[i] + out[k]
    return out


def subtracts_and_counts(out, at, x):
    counts = np.zeros(len(out), np.int64)
    total = 0
    for i in prange(len(x)):
        out[at[i]] -= x[i]
        counts[at[i]] += 1
        total += 1
    return out, counts, total


def adds_where_a_condition_says(out, at, x):
    for i in prange(len(x)):
        k = 1 if x[i] > 2 else -1
        out[k] += x[i]
    return out


def multiplies(out, at, x):
    for i in prange(len(x)):
        out[at[i]] *= 3
    return out


def keeps_the_greatest(out, at, x):
    for i in prange(len(x)):
        out[at[i] - len(out)] = max(x[i], out[at[i] - len(out)])
    return out


def counts_in_a_place_computed_twice(out, at, x):
    for i in prange(len(x)):
        out[min(abs(int(at[i])), len(out) - 1)] = out[min(abs(int(at[i])), len(out) - 1)] + x[i]
    return out


def reads_beside(out, at, x):
    n = 0
    for i in prange(len(x)):
        out[at[i]] += x[i]
        n = len(out)
    return out, n


def adds_beside(out, at, x):
    for i in prange(len(x)):
        out[at[i]] += x[i]
        if i < len(out):
            out[i] += 1
    return out


def in_an_inner_loop(out, at, x):
    for i in prange(3):
        for j in range(len(x)):
            out[at[j]] += x[j]
    return out


MEETINGS = [
    adds,
    adds_behind,
    subtracts_and_counts,
    adds_where_a_condition_says,
    multiplies,
    keeps_the_greatest,
    counts_in_a_place_computed_twice,
    reads_beside,
    adds_beside,
]


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u4", "i2", "u1"])
@pytest.mark.parametrize("size", [5, 3000])  # with arrays of the chunks' own, and without
@pytest.mark.parametrize("f", MEETINGS, ids=lambda f: f.__name__)
def test_elements_at_which_iterations_meet(f, size, dtype):
    rng = np.random.default_rng(7)
    at = rng.integers(0, size, 5000)
    x = rng.integers(0, 9, 5000).astype(dtype)
    out = rng.integers(0, 9, size).astype(dtype)
    with np.errstate(over="ignore"):
        same(f, out, at, x)  # sums of small integers are exact in any order


@pytest.mark.parametrize("size", [5, 3000])
def test_rows_complex_numbers_and_booleans_at_which_iterations_meet(size):
    def rows(out, at, x):
        for i in prange(len(x)):
            out[at[i]] += x[i]
            out[at[i], 1] -= 1
        return out

    def crosses_out(out, at, x):
        for i in prange(len(x)):
            out[at[i]] |= x[i] > 4
        return out

    rng = np.random.default_rng(8)
    at, x = rng.integers(0, size, 5000), rng.integers(0, 9, (5000, 3)).astype(float)
    for first in (np.zeros((size, 3)), np.zeros((3, size)).T, np.zeros((2 * size, 3))[::2]):
        same(rows, first, at, x)
    for first, amounts in (
        (np.zeros(size, complex), x[:, 0] * 1j + 1),
        (np.zeros(size, np.complex64), x[:, 0]),
        (np.zeros(size, np.int32), x[:, 0] + 0.75),
        (np.zeros((size, 4))[:, 2], x[:, 0]),
    ):
        same(adds, first, at, amounts)
    same(crosses_out, np.zeros(size, bool), at, x[:, 0])


def test_every_bit_counts_where_elements_are_changed():
    """-0.0 is not 0.0, and NaN is itself: no update may be lost, or repeated for ever."""

    def scale(out, at, x):
        for i in prange(len(x)):
            out[at[i]] /= x[i]
        return out

    out = np.array([0.0, -0.0, np.nan, np.inf])
    at = np.arange(400) % 4
    x = np.where(np.arange(400) % 3, -1.0, 1.0)
    result, expected = parallel(scale)(out.copy(), at, x), scale(out.copy(), at, x)
    np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(np.signbit(result[:2]), np.signbit(expected[:2]))


@pytest.mark.parametrize("shape", [(40, 3), (3, 70000), (1, 1), (0, 2)])
def test_elements_at_which_all_iterations_meet(shape):
    def columns(x):
        total, count, least = np.zeros(x.shape[1]), np.zeros(1, np.int64), np.ones(1)
        for i in prange(x.shape[0]):
            for j in range(x.shape[1]):
                total[j] += x[i, j]
            count[0] -= 1
            least[0] = min(least[0], x[i, 0])
        return total, count, least

    def strided_columns(x):
        total = np.zeros((x.shape[1], 2))[:, 1]
        for i in prange(x.shape[0]):
            for j in range(x.shape[1]):
                total[j] = x[i, j] + total[j]
        return total

    x = np.arange(shape[0] * shape[1], dtype=float).reshape(shape) % 10
    same(columns, x)
    same(strided_columns, x)
    same(in_an_inner_loop, np.zeros(7), np.arange(50) % 7, np.arange(50.0))


def test_checked_indices_where_iterations_meet():
    f = njit(parallel=True, boundscheck=True)(adds)
    with pytest.raises(IndexError, match="index 9 is out of bounds for axis 0 with size 5"):
        f(np.zeros(5), np.array([1, 9]), np.ones(2))


def test_sums_of_floats_in_arrays_of_the_chunks_have_the_same_bits():
    rng = np.random.default_rng(9)
    at, x = rng.integers(0, 10, 10000), rng.random(10000)
    results = set()
    for threads in (1, 2, 3, 4, 4):
        before = get_num_threads()
        set_num_threads(threads)
        try:
            results.add(parallel(adds)(np.zeros(10), at, x).tobytes())
        finally:
            set_num_threads(before)
    assert len(results) == 1


def test_diagnostics_name_atomic_operations(capsys):
    f = parallel(reads_beside)
    f(np.zeros(3), np.zeros(3, np.int64), np.ones(3))
    f.parallel_diagnostics()
    assert "atomic where iterations share the array" in capsys.readouterr().out
    f = parallel(adds)
    f(np.zeros(3), np.zeros(3, np.int64), np.ones(3))
    f.parallel_diagnostics()
    assert "out: what all iterations add to its elements" in capsys.readouterr().out


# --- errors in the body ---


def test_division_by_zero_in_the_body_does_not_raise():
    def divide(x, y, out):
        total = 0.0
        for i in prange(len(x)):
            out[i] = x[i] / y[i] + x[i] // y[i]
            total += x[i] / y[i]
        return out, total

    def behind(x, y):
        total = 0.0
        for i in prange(len(x)):
            total += x[i]
        return total / y[0]

    x = np.array([1.0, -1.0, 0.0])
    with np.errstate(all="ignore"):
        same(divide, x, np.zeros(3), np.zeros(3))
    assert np.isnan(parallel(divide)(np.arange(3), np.arange(3), np.zeros(3))[0][0])
    with pytest.raises(ZeroDivisionError):
        parallel(behind)(x, np.zeros(3))


@pytest.mark.parametrize("step", [0, 1, 2])
def test_accesses_that_a_condition_of_the_whole_loop_keeps_apart(step):
    def alternate(even, odd, step):
        for back in prange(1, len(even)):
            j = len(even) - back
            if step % 2 == 0:
                even[j] = odd[j - 1] + 1
            else:
                odd[j] = even[j - 1] - 1
        return even, odd

    same(alternate, np.arange(50.0), np.arange(50.0) * 3, step)

    def not_apart(even, odd, step):
        for j in prange(1, len(even)):
            if j % 2 == 0:
                even[j] = odd[j - 1] + 1
            else:
                odd[j] = even[j - 1] - 1

    with pytest.raises(NumbaError, match="an element of array"):
        parallel(not_apart)(np.arange(5.0), np.arange(5.0), step)


@pytest.mark.parametrize("own", [False, True])
def test_variables_that_a_condition_of_the_whole_loop_decides_about(own):
    def bounds(n, own):
        out = np.zeros((n, n))
        if not own:
            m = np.arange(3.0)
        for i in prange(n):
            for j in range(i + 1, n):
                if own:
                    m = np.full(i + 1, 2.0 * j)
                out[i, j] = m.sum()
                out[j, i] = out[i, j] + len(m)
        return out

    def two_conditions(n, own, b):
        x = 1.0
        out = np.zeros(n)
        for i in prange(n):
            if own:
                x = i * 2.0
            elif b > 3:
                x = i * 3.0
            if not own and b <= 3:
                out[i] = x
            out[i] += x
        return out

    same(bounds, 9, own)
    for b in (1, 5):
        same(two_conditions, 9, own, b)


def test_variables_that_a_condition_of_the_iteration_decides_about():
    def twice(x):
        out = np.zeros(len(x))
        for i in prange(len(x)):
            norm = x[i] > 3
            if norm:
                m = x[i] * 2
                s = x[i] + 1
            else:
                v = x[i]
            if norm:
                v = m - s
            out[i] = v
            if norm:
                out[i] += m
        return out

    def in_an_inner_loop(x):
        out = np.zeros((2, len(x)))
        for i in prange(len(x)):
            for j in range(3):
                norm = int(x[(i + j) % len(x)]) % 2
                if norm:
                    m, s = x[i] * 2, 3.0
                else:
                    v = x[i]
                if norm:
                    v = m - s
                out[norm, i] += v
        return out

    def leaves(x):
        m = 0.0
        out = np.zeros(len(x))
        for i in prange(len(x)):
            norm = x[i] > 3
            if not norm:
                m = x[i] * 2
            if norm:
                continue
            out[i] = m
        return out

    for f in (twice, in_an_inner_loop, leaves):
        same(f, np.arange(20.0))


def test_conditions_that_change_between_assignment_and_use():
    def another(x, out):
        m = 0.0
        for i in prange(len(x)):
            norm = x[i] > 3
            if norm:
                m = x[i] * 2
            norm = x[i] > 2
            if norm:
                out[i] = m

    def not_always(x, out):
        m = 0.0
        for i in prange(len(x)):
            for j in range(3):
                norm = x[(i + j) % len(x)] > 3
                if j == 1 and norm:
                    m = x[i] * 2
                if norm:
                    out[i] = m

    def of_the_turn_before(x, out):
        m = 0.0
        for i in prange(len(x)):
            norm = False
            for j in range(3):
                if norm:
                    out[i] = m
                norm = x[i] > j
                if norm and j > 1:
                    m = x[i]

    def a_list(x, out):
        m = 0.0
        for i in prange(len(x)):
            norm = [i][:0]
            if norm:
                m = x[i]
            norm.append(i)
            if norm:
                out[i] = m

    for f in (another, not_always, of_the_turn_before, a_list):
        with pytest.raises(NumbaError, match="carries a value from one iteration"):
            parallel(f)(np.arange(9.0), np.zeros(9))


def test_variables_that_no_condition_of_the_whole_loop_decides_about():
    def carries(x, own):
        m = 1.0
        for i in prange(len(x)):
            if own:
                m = m * 2
            x[i] = m

    def reads_first(x, own):
        m = 1.0
        for i in prange(len(x)):
            x[i] = m
            if own:
                m = i * 2.0

    def condition_changes(x, own):
        m = 1.0
        for i in prange(len(x)):
            if i > 3:
                own = not own
            if own:
                m = i * 2.0
            x[i] = m

    def condition_is_read(x, own):
        m = 1.0
        flags = np.array([own])
        for i in prange(len(x)):
            if flags[0]:
                m = i * 2.0
            x[i] = m

    for f in (carries, reads_first, condition_changes, condition_is_read):
        with pytest.raises(NumbaError, match="carries a value from one iteration"):
            parallel(f)(np.zeros(9), True)


def test_errors_of_other_chunks_hold_nothing():
    """Two chunks fail at once; the caller sees one of the errors, whose texts are counted."""

    def places(n, items):
        out = np.zeros(n, np.int64)
        for i in prange(n):
            out[i] += items.index(i)
        return out

    compiled = parallel(places)
    before = live_blocks()
    for n in (2, 3, 9, 100) * 10:
        with pytest.raises(ValueError, match="is not in list"):
            compiled(n, [-1])
    assert live_blocks() == before


def scaled(a, out):
    for i in prange(len(a)):
        out[i] = a[i] * 2


@pytest.mark.parametrize("inline", ["always", "never"])
def test_loops_of_callees_are_parallel_as_part_of_the_caller(inline):
    callee = njit(inline=inline)(scaled)

    @njit(parallel=True)
    def f(a):
        out = np.zeros_like(a)
        callee(a, out)
        return out

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(f(np.arange(1000.0)), np.arange(1000.0) * 2)
    assert "nj_parallel" in f.inspect_llvm(f.signatures[0])
    out = np.zeros(5)
    callee(np.arange(5.0), out)  # by itself it runs in one thread
    assert out.tolist() == [0, 2, 4, 6, 8]
    assert "nj_parallel" not in callee.inspect_llvm(callee.signatures[0])


@pytest.mark.parametrize("n", [10, 300_001])
@pytest.mark.parametrize(
    "f",
    [
        lambda n: np.zeros(n),
        lambda n: np.ones(n, np.float32),
        lambda n: np.arange(n),
        lambda n: np.arange(0.5, n, 0.75),
        lambda n: np.linspace(-1.0, 2.5, n),
        lambda n: np.linspace(0, n, n, endpoint=False),
        lambda n: np.full(n, 7),
    ],
)
def test_arrays_are_made_without_a_warning(f, n):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        actual = njit(parallel=True)(f)(n)
    expected = njit(f)(n)
    assert actual.dtype == expected.dtype and np.array_equal(actual, expected)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
@pytest.mark.parametrize("n", [1, 300, 300_001])
def test_places_of_extremes(n, dtype):
    @njit(parallel=True)
    def f(a):
        return np.argmin(a), a.argmax()

    a = (np.random.default_rng(1).random(n) * 1000).astype(dtype)
    assert f(a) == (np.argmin(a), np.argmax(a))
    a[n // 2 :] = a[n // 2]
    assert f(a) == (np.argmin(a), np.argmax(a))
    if dtype is not np.int16:
        a[n // 3 :: 1000] = np.nan
        assert f(a) == (np.argmin(a), np.argmax(a))
    with pytest.raises(ValueError, match="empty sequence"):
        f(a[:0])
