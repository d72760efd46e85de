"""Elements of arrays that several iterations of a loop over prange change."""

import numpy as np
import pytest
from language.engine import ENGINE
from language.parallel_loops import parallel, same
from numjit import get_num_threads, njit, prange, set_num_threads

pytestmark = [
    pytest.mark.one_python,
    pytest.mark.skipif(ENGINE != "numjit", reason="compares with numjit's own rules"),
]


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
