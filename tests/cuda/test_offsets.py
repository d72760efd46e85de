"""Items of arrays whose offsets have 32 bits on a GPU, and of larger ones."""

import itertools
import re

import numpy as np
import pytest
from numjit import _core, cuda, types


@cuda.jit
def neighbours(x, y):
    j, i = cuda.grid(2)
    if 0 < i < x.shape[0] - 1 and 0 < j < x.shape[1]:
        y[i, j] = x[i + 1, j] - x[i - 1, j - 1]


@cuda.jit
def backwards(x, y, n):
    i = cuda.grid(1)
    if i < n:
        total = 0
        for k in range(n):
            total += x[i + n - 1 - k] * x[2 * i - k] if k <= i else x[-1 - k]
        y[i] = total


def expected_neighbours(x, y):
    want = y.copy()
    want[1:-1, 1:] = x[2:, 1:] - x[:-2, :-1]
    return want


VIEWS = [np.s_[:, :], np.s_[::-1, ::2], np.s_[:, ::-1], np.s_[3:, 1:9]]


@pytest.mark.parametrize("dtype", ["i1", "i2", "f4", "f8", "c16"])
@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_views(dtype, view):
    whole = np.arange(30 * 41).reshape(30, 41).astype(dtype)
    for whole in (whole, np.asfortranarray(whole)):
        x, on_device = whole[view], cuda.to_device(whole)[view]
        y = np.zeros_like(x, order="C")
        out = cuda.to_device(y)
        neighbours[(x.shape[1] // 8 + 1, x.shape[0] // 4 + 1), (8, 4)](on_device, out)
        np.testing.assert_array_equal(out.copy_to_host(), expected_neighbours(x, y))


def test_loops_that_go_backwards():
    n = 20
    x = np.arange(2 * n) ** 2
    y = np.zeros(n, int)
    backwards[1, 32](x, y, n)
    for i in range(n):
        want = sum(int(x[i + n - 1 - k] * x[2 * i - k] if k <= i else x[-1 - k]) for k in range(n))
        assert y[i] == want


@pytest.mark.skipif(cuda.is_simulated(), reason="arrays of 4 GB, and kernels over all of them")
@pytest.mark.parametrize("shape", [(1 << 17, 1 << 15), (3, (1 << 31) - 5), (33_000, 65_000)])
def test_large_arrays(shape):
    n, m = shape
    x, y = cuda.device_array(shape, np.int8), cuda.device_array(shape, np.int8)
    part = np.random.default_rng(n).integers(-60, 60, (3, m)).astype(np.int8)
    row = n - 3
    x[row : row + 3], y[row : row + 3] = part, np.zeros_like(part)
    neighbours[(m // 256 + 1, (n + 3) // 4), (256, 4)](x, y)
    got = y[row + 1].copy_to_host()
    np.testing.assert_array_equal(got, expected_neighbours(part, np.zeros_like(part))[1])


# -- places of threads and counters of loops -----------------------------------------------------


@cuda.jit
def inner(x, y):
    j, i = cuda.grid(2)
    if 0 < i < x.shape[0] - 1 and 0 < j < x.shape[1] - 1:
        y[i, j] = x[i, j - 1] + x[i, j + 1]


@cuda.jit
def rows(starts, values, y):
    row = cuda.grid(1)
    if row < y.size:
        total = 0.0
        for k in range(starts[row], starts[row + 1]):
            total += values[k]
        y[row] = total


@cuda.jit
def last_places(out, n):
    i = cuda.grid(1)
    if n - out.size <= i < n:
        out[i - (n - out.size)] = i


def ptx_of_launch(kernel, threads, *arrays):
    """PTX for a launch with so many threads along x, and a function that says what it fits."""

    def slots(threads):
        return [number for each in arrays for number in (0, 0, *each.shape)] + [threads]

    types = _core.kernel_types(arrays)
    options = kernel._options(major=9, minor=0, suffix="")
    made = _core.compile_kernel(kernel, types, {**options, "slots": slots(threads)}, None)
    return made.ptx, lambda threads: made.fits(slots(threads))


def test_tests_of_small_launches_have_32_bits():
    x = np.zeros((10, 20))
    ptx, fits = ptx_of_launch(inner, 1024, x, x)
    assert not re.search(r"setp\.\w+\.[su]64", ptx) and fits(2**31 - 2**24) and not fits(2**31)
    ptx, fits = ptx_of_launch(inner, 2**31, x, x)
    assert re.search(r"setp\.\w+\.s64", ptx) and fits(2**31) and fits(1)


def test_counters_between_short_numbers_have_32_bits():
    ptx, _ = ptx_of_launch(rows, 1024, np.zeros(5, np.int32), np.zeros(9), np.zeros(4))
    assert not re.search(r"setp\.\w+\.[su]64", ptx.split("ld.global")[-1])
    ptx, _ = ptx_of_launch(rows, 1024, np.zeros(5, np.int64), np.zeros(9), np.zeros(4))
    assert re.search(r"setp\.\w+\.[su]64", ptx)


def test_rows_of_32_bit_places():
    lengths = np.array([0, 3, 1, 9, 0, 8, 4])
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    values = np.random.default_rng(1).random(starts[-1])
    y = np.zeros(lengths.size)
    rows[2, 4](starts, values, y)
    np.testing.assert_allclose(y, [values[a:b].sum() for a, b in itertools.pairwise(starts)])
    edges = np.array([-3, 2, 2**31 - 3, 2**31 - 3, 5], np.int32)  # the end wraps round, or is empty
    y = np.zeros(4)
    rows[1, 4](edges[[0, 1, 1, 4, 4]], values, y)
    np.testing.assert_allclose(y[[0, 1]], [values[-3:].sum() + values[:2].sum(), 0])


@pytest.mark.skipif(cuda.is_simulated(), reason="2^31 threads")
def test_launches_of_more_threads_than_32_bits_count():
    for blocks in (4, 2**21 + 1, 3):
        n, out = blocks * 1024, cuda.to_device(np.zeros(7, int))
        last_places[blocks, 1024](out, n)
        assert out.copy_to_host().tolist() == list(range(n - 7, n))


# -- strides ---------------------------------------------------------------------------------------


@cuda.jit
def stride(x, out, start, stop):
    total = 0
    for i in range(cuda.grid(1) + start, stop, cuda.gridsize(1)):
        total += x[i % x.size] + 1
    out[cuda.grid(1)] = total


@cuda.jit
def stride_by_hand(x, out):
    total, i = 0, cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
    while i < x.size:
        total += x[i]
        i += cuda.blockDim.x * cuda.gridDim.x
    out[cuda.grid(1)] = total


@cuda.jit
def ends_early(out):
    count = 0
    for i in range(cuda.grid(1), 2**63 - 1, cuda.gridsize(1)):
        count += 1
        if i > 100:
            break
    out[cuda.grid(1)] = count


@pytest.mark.parametrize("start, stop", [(0, 0), (0, 5), (0, 31), (-9, 40), (5, -3), (40, 41)])
def test_strides_of_all_threads(start, stop):
    x, out = np.arange(13) ** 2, np.zeros(8, int)
    stride[2, 4](x, out, start, stop)
    want = [sum(int(x[i % 13]) + 1 for i in range(t + start, stop, 8)) for t in range(8)]
    assert out.tolist() == want


def test_strides_by_hand_and_without_end():
    x, out = np.arange(1000), np.zeros(8, int)
    stride_by_hand[2, 4](x, out)
    assert out.tolist() == [x[t::8].sum() for t in range(8)]
    ends_early[2, 4](out)
    assert out.tolist() == [sum(1 for i in range(t, 101 + 8, 8) if i - 8 <= 100) for t in range(8)]


@cuda.jit
def stride_near_the_end(out, low, high):
    count = 0
    for i in range(low + cuda.grid(1), high, cuda.gridsize(1)):
        count += i & 1 | 1
    out[cuda.grid(1)] = count


def test_strides_near_the_end_of_int64():
    out = np.zeros(8, int)
    low, high = 2**63 - 1000, 2**63 - 1
    stride_near_the_end[2, 4](out, low, high)
    assert out.tolist() == [len(range(low + t, high, 8)) for t in range(8)]


@cuda.jit
def until_zero(x, out):
    i, n = cuda.grid(1), 0
    while x[i] > 0:
        i += 1
        n += i
    out[cuda.grid(1)] = n


def test_loops_that_end_by_what_they_load():
    x, out = np.array([1, 1, 0, 3, 0]), np.zeros(3, int)
    until_zero[1, 3](x, out)
    assert out.tolist() == [3, 2, 0]
    assert "ld.global" in cuda.compile_ptx(until_zero, (types.int64[::1],) * 2, cc=(9, 0))[0]


def test_strides_take_no_division():
    array = types.int64[::1]
    for kernel, arguments in ((ends_early, (array,)), (stride_by_hand, (array, array))):
        assert "div." not in cuda.compile_ptx(kernel, arguments, cc=(9, 0))[0]
