"""Loops that cannot be parallel, and exceptions in the bodies of those that are."""

import re
import traceback
import warnings

import numpy as np
import pytest
from language.engine import ENGINE, live_blocks
from language.parallel_loops import parallel, same, values
from numjit import njit, objmode, prange
from numjit.errors import NumbaError, NumbaParallelSafetyWarning

pytestmark = pytest.mark.skipif(ENGINE != "numjit", reason="compares with numjit's own rules")


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


def deleted(a):
    left = {0: 1.0, 3: 2.0}
    for i in prange(a.size):
        if i in left:
            del left[i]
    return len(left)


def last_known(a):
    """`last` has no value in front of the loop."""
    for i in prange(a.size):
        if i % 4 == 0:
            last = a[i]
        else:
            a[i] = last


@pytest.mark.parametrize(
    ("f", "words"),
    [
        (break_out, "leave it early"),
        (return_early, "leave it early"),
        (scan, "variable 's' carries a value"),
        (two_kinds, "variable 's' carries a value"),
        (previous, "variable 'before' carries a value"),
        (position_of_maximum, "variable 'hi' carries a value"),
        (neighbour, "an element of array 'a' that another one writes"),
        (one_element, "the same element of array 'out'"),
        (one_element_again, "the same element of array 'out'"),
        (read_and_added_to, "the same element of array 'out'"),
        (appended, "change the length of 'found'"),
        (comprehension, "change the length of a container"),
        (deleted, "change the length of"),
        (last_known, "variable 'last' carries a value"),
    ],
)
def test_what_cannot_be_parallel_runs_in_one_thread(f, words):
    """As the interpreter runs it, with a warning at its line."""
    with pytest.warns(NumbaParallelSafetyWarning) as warned:
        same(f, np.abs(values()))
    assert len(warned) == 1
    assert str(warned[0].message).startswith("loop over prange runs in one thread: ")
    assert words in str(warned[0].message)
    assert warned[0].filename == __file__
    first = f.__code__.co_firstlineno
    assert first < warned[0].lineno < first + 10


def test_loops_inside_of_one_that_runs_in_one_thread_are_parallel(capsys):
    def rows(a):
        carried = 0.0
        for i in prange(len(a)):
            for j in prange(a.shape[1]):
                a[i, j] += carried
            carried = a[i, 0]

    with pytest.warns(NumbaParallelSafetyWarning, match="'carried' carries a value"):
        same(rows, np.ones((5, 40)))
    parallel(rows).parallel_diagnostics()
    assert "for j in prange(a.shape[1]):\n    runs in parallel\n" in capsys.readouterr().out


def test_the_warning_may_be_an_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(NumbaParallelSafetyWarning, match="carries a value"):
            njit(parallel=True)(scan)(np.ones(3))


def test_a_list_that_cannot_be_a_reduction():
    with pytest.raises(NumbaError, match="a list cannot be a reduction") as error:
        njit(parallel=True)(joined)(np.abs(values()))
    assert re.search(r"test_parallel_errors.py:\d+, in joined\n", str(error.value))


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


@njit(parallel=True)
def caught_in_threads(n, pattern):
    failed = 0
    for _ in prange(n):
        try:
            failed += len(re.findall(pattern, pattern)) - 1
        except re.error:
            failed += 1
    return failed


@njit(parallel=True)
def raised_again_in_threads(n, pattern):
    failed = 0
    for _ in prange(n):
        try:
            try:
                failed += len(re.findall(pattern, pattern)) - 1
            except re.error:
                raise
        except re.error:
            failed += 2
    return failed


@njit(parallel=True)
def raised_in_threads(n, pattern):
    found = 0
    for _ in prange(n):
        found += len(re.findall(pattern, pattern))
    return found


@njit(parallel=True)
def raised_in_object_mode(n, at):
    total = 0
    for i in prange(n):
        with objmode(x="int64"):
            x = 1 // (i != at)
        total += x
    return total


def test_exceptions_of_the_interpreter_in_threads():
    assert caught_in_threads(200, "(") == 200 and caught_in_threads(200, "a") == 0
    assert raised_again_in_threads(200, "(") == 400
    for _ in range(20):
        with pytest.raises(re.error, match="missing"):
            raised_in_threads(200, "(")
        with pytest.raises(ZeroDivisionError, match="division"):
            raised_in_object_mode(200, 150)
    assert raised_in_threads(200, "a") == raised_in_object_mode(200, -1) == 200
