"""Options of parallel=True, and what it says of the loops that it found."""

import warnings

import numpy as np
import pytest
from language.engine import ENGINE
from language.parallel_loops import parallel
from numjit import njit, prange
from numjit.errors import NumbaError, NumbaParallelSafetyWarning, NumbaPerformanceWarning

pytestmark = pytest.mark.skipif(ENGINE != "numjit", reason="compares with numjit's own rules")


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
    with pytest.warns(NumbaParallelSafetyWarning, match="may change the same element"):
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
