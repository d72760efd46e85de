"""numjit.ProgressBar: counts of compiled loops."""

import io
import threading

import numjit
import numpy as np
import pytest
from numjit import ProgressBar, njit, prange


@njit(nogil=True)
def counted(n, progress):
    for i in range(n):
        progress.update(1)
    return n


@njit(parallel=True)
def counted_in_parallel(n, progress):
    total = 0
    for i in prange(n):
        progress.update(2)
        total += i
    return total


@njit
def set_to(n, progress):
    progress.set(n)
    progress.update()


def quiet(**options):
    return ProgressBar(disable=True, **options)


@pytest.mark.parametrize("n", [0, 1, 1000, 10**6])
def test_counts_of_loops(n):
    with quiet(total=n) as progress:
        assert counted(n, progress) == n
        assert progress.n == n
        progress.update(5)
        assert progress.n == n + 5


def test_counts_of_parallel_loops():
    with quiet(total=100_000) as progress:
        assert counted_in_parallel(100_000, progress) == sum(range(100_000))
        assert progress.n == 200_000


def test_counts_of_threads():
    with quiet(total=10**6) as progress:
        threads = [threading.Thread(target=counted, args=(100_000, progress)) for _ in range(8)]
        for each in threads:
            each.start()
        for _ in range(1000):
            progress.update()
        for each in threads:
            each.join()
        assert progress.n == 801_000


def test_set():
    with quiet(total=10) as progress:
        progress.update(3)
        set_to(7, progress)
        assert progress.n == 8
        progress.set(2)
        assert progress.n == 2


@njit
def count_in_turns(n, one, other):
    for i in range(n):
        for j in range(i % 3):
            (one if j else other).update(i)
        if i % 5 == 0:
            other.update(1)
        else:
            one.update(-2)


def test_loops_in_loops_and_several_bars():
    expected = [0, 0]
    for i in range(100):
        for j in range(i % 3):
            expected[0 if j else 1] += i
        expected[1 if i % 5 == 0 else 0] += 1 if i % 5 == 0 else -2
    with quiet() as one, quiet() as other:
        count_in_turns(100, one, other)
        assert [one.n, other.n] == expected
    with quiet() as both:
        count_in_turns(100, both, both)
        assert both.n == sum(expected)


@njit
def stop_at(n, how, progress):
    for i in range(100):
        for _ in range(3):
            progress.update()
        if i == n:
            if how == "return":
                return i
            if how == "raise":
                raise ValueError("stop")
            break
    return -1


@pytest.mark.parametrize("how", ["return", "raise", "break"])
def test_loops_that_are_left(how):
    with quiet() as progress:
        if how == "raise":
            with pytest.raises(ValueError, match="stop"):
                stop_at(20, how, progress)
        else:
            stop_at(20, how, progress)
        assert progress.n == 63


def test_who_looks_from_within_a_loop_sees_every_step():
    seen = []

    def look(progress):
        seen.append(progress.n)

    @njit
    def inner(progress):
        with numjit.objmode():
            look(progress)

    @njit
    def outer(progress):
        own = []
        for i in range(5):
            progress.update(2)
            own.append(progress.n)
            inner(progress)
            if i == 2:
                progress.set(100)
                own.append(progress.n)
        return own

    with quiet() as progress:
        assert outer(progress) == [2, 4, 6, 100, 102, 104]
        assert seen == [2, 4, 6, 102, 104]
        assert progress.n == 104


def test_explicit_signature():
    @njit((numjit.ProgressBarType, numjit.int64))
    def f(progress, n):
        progress.update(n)

    with quiet(total=3) as progress:
        f(progress, 3)
        assert progress.n == 3


def test_inner_functions_and_disabled_jit():
    @njit
    def inner(progress):
        progress.update(4)

    @njit
    def outer(progress):
        for i in range(3):
            inner(progress)

    with quiet() as progress:
        outer(progress)
        assert progress.n == 12
        outer.py_func(progress)
        counted.py_func(5, progress)
        assert progress.n == 29


def drawn(**options):
    file = io.StringIO()
    with ProgressBar(file=file, ncols=70, **options) as progress:
        counted(50, progress)
    return file.getvalue()


def test_what_is_drawn():
    text = drawn(total=100, desc="half", unit="steps")
    assert text.endswith("\n")
    last = text.rstrip("\n").rpartition("\r")[2]
    assert last.startswith("half:  50%|█") and " 50/100 [00:0" in last and "steps/s]" in last
    assert len(last) <= 70


def test_what_is_drawn_at_the_ends():
    assert "100%|" in drawn(total=50) and "100%|" in drawn(total=20)
    assert " 50/20 " in drawn(total=20)
    assert "\r50it [" in drawn()
    assert "\r50it [" in drawn(total=0)
    assert drawn(disable=True) == ""


def test_a_bar_that_is_removed():
    text = drawn(total=50, leave=False)
    assert "\n" not in text and text.endswith("\r")


def test_it_moves_while_a_function_runs():
    file = io.StringIO()
    moved = threading.Event()

    @njit(nogil=True)
    def wait(flag, progress):
        while flag[0] == 0:
            progress.update(1)

    flag = np.zeros(1, np.int64)
    with ProgressBar(file=file, update_interval=0.01) as progress:
        thread = threading.Thread(target=wait, args=(flag, progress))
        thread.start()
        while file.getvalue().count("\r") < 3:
            moved.wait(0.01)
        flag[0] = 1
        thread.join()
    assert len(set(file.getvalue().split("\r"))) >= 3


def test_iterables():
    file = io.StringIO()
    assert list(ProgressBar(range(7), file=file)) == list(range(7))
    assert " 7/7 " in file.getvalue()
    assert list(ProgressBar(iter("ab"), file=file)) == ["a", "b"]
    with pytest.raises(TypeError), quiet() as progress:
        iter(progress).__next__()


def test_closing_twice_and_a_closed_file():
    file = io.StringIO()
    progress = ProgressBar(total=3, file=file)
    progress.close()
    text = file.getvalue()
    progress.close()
    assert file.getvalue() == text
    closed = io.StringIO()
    closed.close()
    with ProgressBar(total=3, file=closed) as progress:
        counted(3, progress)
        assert progress.n == 3


@pytest.mark.parametrize("wrong", [{"total": -1}, {"update_interval": 0}])
def test_wrong_arguments(wrong):
    with pytest.raises(ValueError):
        ProgressBar(**wrong)
