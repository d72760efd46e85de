"""Loops whose body is copied: what the copies share, and that they compute what one would."""

import numpy as np
import pytest
from numjit import njit

pytestmark = pytest.mark.one_python


def code_of(function, *arguments):
    function(*arguments)
    return function.inspect_llvm(function.signatures[0])


@njit
def steps_to_one(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def test_copies_share_one_interrupt_point():
    text = code_of(steps_to_one, 27)
    assert text.count("load volatile i32, ptr @nj_poll_flag") == 1
    assert text.count("ashr") + text.count("lshr") + text.count("sdiv") >= 4
    for n in range(1, 200):
        assert steps_to_one(n) == steps_to_one.py_func(n)


@njit
def shifted(a, gap):
    for i in range(gap, len(a)):
        v, j = a[i], i
        while j >= gap and a[j - gap] > v:
            a[j] = a[j - gap]
            j -= gap
        a[j] = v
    return a


@pytest.mark.parametrize("gap", [1, 2, 3, 7, 40, 41])
def test_a_distance_behind_its_comparison_is_not_negative(gap):
    a = np.random.default_rng(gap).normal(size=40)
    assert np.array_equal(shifted(a.copy(), gap), shifted.py_func(a.copy(), gap))


@njit
def swept(a):
    swaps = 0
    for i in range(len(a) - 1):
        if a[i] > a[i + 1]:
            a[i], a[i + 1] = a[i + 1], a[i]
            swaps += 1
    return swaps


@pytest.mark.parametrize("n", range(0, 20))
def test_neighbours_that_are_compared_and_changed(n):
    for make in (np.arange, np.zeros, lambda n: -np.arange(n)):
        a, b = make(n).astype(float), make(n).astype(float)
        assert swept(a) == swept.py_func(b)
        assert np.array_equal(a, b)


@njit
def chosen(a, low, high, turned):
    total = 0
    for x in a:
        if low == 0:
            x += 1
        if turned:
            total -= x
        elif x > low and x < high:
            total += x
    return total


def test_choices_that_are_the_same_in_all_iterations():
    a = np.arange(-20, 20)
    for low in (-3, 0, 5):
        for turned in (False, True):
            assert chosen(a, low, 9, turned) == chosen.py_func(a, low, 9, turned)


@njit
def fields(table, kind):
    total = 0.0
    for i in range(len(table)):
        if table[i].kind == kind:
            total += table[i].mass * table[i].speed
            table[i].mass = total
    return total


@pytest.mark.parametrize("n", range(0, 12))
def test_fields_of_records_in_copies(n):
    dtype = [("kind", "i4"), ("mass", "f8"), ("speed", "f8")]
    rng = np.random.default_rng(n)
    table = np.rec.fromarrays(
        [rng.integers(0, 2, n), rng.normal(size=n), rng.normal(size=n)], dtype
    )
    plain = table.copy()
    assert fields(table, 1) == fields.py_func(plain, 1)
    assert np.array_equal(table, plain)


@njit
def slid(window, width, new, gone):
    j = 0
    while window[j] != gone:
        j += 1
    while j + 1 < width and window[j + 1] < new:
        window[j] = window[j + 1]
        j += 1
    while j > 0 and window[j - 1] > new:
        window[j] = window[j - 1]
        j -= 1
    window[j] = new


def test_counters_that_go_on_from_loop_to_loop():
    for gone in range(9):
        for new in (-1, 3.5, 20):
            window, plain = np.arange(9.0), np.arange(9.0)
            slid(window, 9, new, gone)
            slid.py_func(plain, 9, new, gone)
            assert np.array_equal(window, plain)


@njit
def counted(rounds, n, step):
    count = last = 0
    for _ in range(rounds):
        for k in range(7, n, step):
            count += 1
            last = k
    return count, last


CHUNK = 2**20


@pytest.mark.parametrize("step", [1, 3, -1, -5])
@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 1000, CHUNK, CHUNK + 7, CHUNK + 8, 3 * CHUNK + 20])
def test_the_same_short_or_long_loop_each_time(n, step):
    end = n if step > 0 else -n
    for rounds in range(4):
        numbers = range(7, end, step)
        expected = (rounds * len(numbers), numbers[-1] if rounds and numbers else 0)
        assert counted(rounds, end, step) == expected


@njit
def counted_by_one(rounds, n):
    total = 0
    for i in range(rounds):
        left = i
        for _ in range(n):
            left = left * 3 + 1
        total ^= left
    return total


@pytest.mark.parametrize("n", [-1, 0, 1, 7, 8, 9, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 3])
def test_a_loop_around_is_copied_for_whether_one_chunk_is_enough(n):
    power = pow(3, max(n, 0), 2**65)
    total = 0
    for i in range(4):
        left = (power * i + (power - 1) // 2 + 2**63) % 2**64 - 2**63
        total ^= left
    assert counted_by_one(4, n) == total


@njit
def runs(a):
    lengths, i = [], 0
    while i < len(a):
        j = i
        while j < len(a) and a[j] == a[i]:
            j += 1
        lengths.append(j - i)
        i = j
    return lengths


@njit
def runs_from_behind(a):
    lengths, i = [], len(a) - 1
    while i >= 0:
        j = i
        while j >= 0 and a[j] == a[i]:
            j -= 1
        lengths.append(i - j)
        i = j
    return lengths


@njit
def runs_that_may_leap(a, leap):
    lengths, i = [], 0
    while i < len(a):
        j = i + leap
        while j < len(a) and a[j] == a[i]:
            j += 1
        lengths.append(j - i)
        i = j
    return lengths


@pytest.mark.parametrize("n", [0, 1, 2, 3, 10, 100])
def test_a_test_that_holds_before_each_iteration(n):
    a = np.random.default_rng(n).integers(0, 2, n)
    for f in (runs, runs_from_behind):
        assert f(a) == f.py_func(a)
    for leap in (1, 2, 7):
        assert runs_that_may_leap(a, leap) == runs_that_may_leap.py_func(a, leap)
