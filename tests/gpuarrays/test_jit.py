"""cupyx.jit: algorithms of threads, warps and blocks in kernels."""

import numjit.cupy as cp
import numpy as np
import pytest
from numjit import config
from numjit.cupyx import jit

KEYS, OTHERS = np.array([0, 1, 1, 3, 4, 6, 7]), np.array([1, 2, 3, 3, 8])


def run(kernel, *arrays, threads=1):
    given = [cp.asarray(each) for each in arrays]
    kernel[1, threads](*given)
    return [each.get() for each in given]


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.float32, np.float64, np.complex64])
@pytest.mark.parametrize("threads", [32, 128])
def test_reductions_of_warps_and_blocks(dtype, threads):
    @jit.rawkernel()
    def of_warps(x, y):
        Reduce = jit.cub.WarpReduce[dtype]
        storage = jit.shared_memory(dtype=Reduce.TempStorage, size=1)
        i, j = jit.blockIdx.x, jit.threadIdx.x
        total = Reduce(storage[0]).Sum(x[i, j])
        if j % 32 == 0:
            y[i, j // 32] = total

    @jit.rawkernel()
    def of_blocks(x, y):
        Reduce = jit.cub.BlockReduce[dtype, threads]
        storage = jit.shared_memory(dtype=Reduce.TempStorage, size=1)
        i, j = jit.blockIdx.x, jit.threadIdx.x
        reducer = Reduce(storage[0])
        total, low = reducer.Sum(x[i, j]), reducer.Reduce(x[i, j], jit.cub.Min())
        high = reducer.Reduce(x[i, j], jit.cub.Max())
        if j == 0:
            y[i, 0], y[i, 1], y[i, 2] = total, low, high

    x = (np.arange(3 * threads).reshape(3, threads) * 7 % 50).astype(dtype)
    sums, y = cp.zeros((3, threads // 32), dtype), cp.zeros((3, 3), dtype)
    of_warps[3, threads](cp.asarray(x), sums)
    of_blocks[3, threads](cp.asarray(x), y)
    np.testing.assert_array_equal(sums.get(), x.reshape(3, -1, 32).sum(2, dtype=dtype))
    expected = [x.sum(1, dtype=dtype), x.min(1), x.max(1)]
    np.testing.assert_array_equal(y.get(), np.stack(expected, 1))


@pytest.mark.parametrize("order", ["C", "F"])
def test_searches_of_threads(order):
    @jit.rawkernel()
    def kernel(x, values, counts, places, bounds, holds):
        i = jit.threadIdx.x
        row = x[i]
        first, last = row.begin(), row.end()
        counts[i] = jit.thrust.count(jit.thrust.seq, first, last, 3)
        places[i] = jit.thrust.find(jit.thrust.seq, first, last, 3) - first
        low, high = jit.thrust.equal_range(jit.thrust.seq, first, last, values[i])
        bounds[i, 0], bounds[i, 1] = low - first, high - first
        holds[i] = jit.thrust.binary_search(jit.thrust.seq, first, last, values[i])

    x = np.sort(np.arange(40).reshape(4, 10) * 7 % 6, axis=1)
    values = np.array([-1, 2, 3, 9])
    given = np.asarray(x, order=order), values, *(np.zeros(4, int) for _ in range(2))
    _, _, counts, places, bounds, holds = run(
        kernel, *given, np.zeros((4, 2), int), np.zeros(4, bool), threads=4
    )
    np.testing.assert_array_equal(counts, (x == 3).sum(1))
    np.testing.assert_array_equal(places, (x < 3).sum(1))
    sides = zip(x, values, strict=True)
    expected = [[r.searchsorted(v), r.searchsorted(v, "right")] for r, v in sides]
    np.testing.assert_array_equal(bounds, expected)
    np.testing.assert_array_equal(holds, (x == values[:, None]).any(1))


def test_scans_and_sums_of_threads():
    @jit.rawkernel()
    def kernel(keys, x, y, sums):
        first, last, out = x.begin(), x.end(), y.begin()
        jit.thrust.inclusive_scan(jit.thrust.device, first, last, out)
        out = jit.thrust.exclusive_scan(jit.thrust.device, first, last, out + 7, 0.5)
        jit.thrust.exclusive_scan_by_key(jit.thrust.device, keys.begin(), keys.end(), first, out)
        sums[0] = jit.thrust.reduce(jit.thrust.device, first, last)
        sums[1] = jit.thrust.inner_product(jit.thrust.device, first, last, first, 0.25)
        sums[2] = jit.thrust.make_counting_iterator(5)[2] + jit.thrust.make_constant_iterator(1)[3]

    x = np.arange(7, dtype=np.int32) - 2
    _, _, y, sums = run(kernel, KEYS, x, np.zeros(21), np.zeros(3))
    np.testing.assert_array_equal(y[:7], x.cumsum())
    np.testing.assert_array_equal(y[7:14], x.cumsum() - x + 0.5)
    np.testing.assert_array_equal(y[14:], [0, 0, -1, 0, 0, 0, 0])
    np.testing.assert_array_equal(sums, [x.sum(), 0.25 + x @ x, 8])


def test_algorithms_of_empty_ranges(monkeypatch):
    monkeypatch.setattr(config, "BOUNDSCHECK", 1)
    thrust = jit.thrust

    @jit.rawkernel()
    def kernel(x, y, ends):
        first, out, seq = x.begin(), y.begin(), thrust.seq
        ends[0] = thrust.inclusive_scan(seq, first, first, out) - out
        ends[1] = thrust.exclusive_scan(seq, first, first, out) - out
        ends[2] = thrust.inclusive_scan_by_key(seq, first, first, first, out) - out
        ends[3] = thrust.exclusive_scan_by_key(seq, first, first, first, out) - out
        ends[4] = thrust.adjacent_difference(seq, first, first, out) - out
        ends[5] = thrust.unique(seq, first, first) - first
        ends[6] = thrust.reduce(seq, first, first)
        thrust.sort(seq, first, first)
        thrust.sort_by_key(seq, first, first, first)
        thrust.reverse(seq, first, first)

    *_, ends = run(kernel, np.zeros(0), np.zeros(0), np.ones(7, int))
    np.testing.assert_array_equal(ends, np.zeros(7))


def test_orders_of_threads():
    @jit.rawkernel()
    def kernel(x, keys, values, runs, sizes):
        jit.thrust.sort(jit.thrust.device, x.begin() + 1, x.end() - 1)
        jit.thrust.stable_sort_by_key(jit.thrust.device, keys.begin(), keys.end(), values.begin())
        first = runs.begin()
        end, _ = jit.thrust.unique_by_key(jit.thrust.device, first, runs.end(), values.begin())
        sizes[0] = end - first
        sizes[1] = jit.thrust.remove(jit.thrust.device, first, end, 3) - first

    x = np.array([5, 4, 3, 2, 1, 0])
    keys, values = np.array([2, 1, 2, 1]), np.array([0, 1, 2, 3])
    runs = np.array([1, 1, 3, 2])
    x, keys, values, runs, sizes = run(kernel, x, keys, values, runs, np.zeros(2, int))
    np.testing.assert_array_equal(x, [5, 1, 2, 3, 4, 0])
    np.testing.assert_array_equal(keys, [1, 1, 2, 2])
    np.testing.assert_array_equal(values, [1, 0, 2, 2])  # of 1, 3, 0, 2
    np.testing.assert_array_equal(sizes, [3, 2])
    np.testing.assert_array_equal(runs[:2], [1, 2])


def test_equal_keys_of_threads_keep_their_order():
    @jit.rawkernel()
    def kernel(keys, values):
        jit.thrust.stable_sort_by_key(jit.thrust.seq, keys.begin(), keys.end(), values.begin())

    keys = np.arange(300) * 7919 % 1009 % 5
    found, values = run(kernel, keys, np.arange(300))
    np.testing.assert_array_equal(found, np.sort(keys))
    np.testing.assert_array_equal(values, np.argsort(keys, kind="stable"))


@pytest.mark.parametrize(
    "name, expected",
    [
        ("union", [0, 1, 1, 2, 3, 3, 4, 6, 7, 8]),
        ("intersection", [1, 3]),
        ("difference", [0, 1, 4, 6, 7]),
        ("symmetric_difference", [0, 1, 2, 3, 4, 6, 7, 8]),
    ],
)
def test_sets_of_threads(name, expected):
    function = getattr(jit.thrust, f"set_{name}")

    @jit.rawkernel()
    def kernel(a, b, out, size):
        end = function(jit.thrust.seq, a.begin(), a.end(), b.begin(), b.end(), out.begin())
        size[0] = end - out.begin()

    _, _, out, size = run(kernel, KEYS, OTHERS, np.zeros(12, int), np.zeros(1, int))
    np.testing.assert_array_equal(out[: size[0]], expected)


def test_groups():
    @jit.rawkernel()
    def kernel(x, y):
        block, grid = jit.cg.this_thread_block(), jit.cg.this_grid()
        shared = jit.shared_memory(np.int64, 64)
        jit.cg.memcpy_async(block, shared, 0, x, 0, 8 * 64)
        jit.cg.wait(block)
        y[grid.thread_rank()] = shared[63 - block.thread_rank()] + 1000 * grid.block_rank()
        jit.cg.sync(grid)
        if grid.thread_rank() == 0:
            y[0] = grid.size() + block.group_dim().y
        if grid.thread_rank() == 127:
            place, number = block.thread_index(), block.group_index()
            y[1] = 100 * place.x + 10 * place.y + number.x + grid.group_dim().x

    x, y = cp.arange(64), cp.zeros(128, int)
    kernel[2, (32, 2)](x, y)
    expected = np.concatenate([np.arange(63, -1, -1), 1000 + np.arange(63, -1, -1)])
    expected[:2] = 128 + 2, 3100 + 10 + 1 + 2
    np.testing.assert_array_equal(y.get(), expected)


def test_device_functions_made_in_kernels():
    def adder(number):
        @jit.rawkernel(device=True)
        def add(x):
            return x + number

        return add

    @jit.rawkernel()
    def kernel(x):
        x[0] = adder(10)(x[0]) + adder(20)(x[1])

    np.testing.assert_array_equal(run(kernel, np.array([1, 2]))[0], [33, 2])
