"""What the threads of a warp and of a block compute together."""

import numpy as np
import pytest
from numjit import cuda

RNG = np.random.default_rng(11)
BLOCKS = [1, 7, 32, 33, 100, 256, (8, 9, 3)]


def threads_of(block):
    return int(np.prod(block))


@cuda.jit(device=True)
def number():
    row = cuda.threadIdx.y + cuda.blockDim.y * cuda.threadIdx.z
    return cuda.threadIdx.x + cuda.blockDim.x * row


def after(a, b):
    """An operator that is associative and not commutative: composition of a * x + b."""
    return b[0] * a[0], b[0] * a[1] + b[1]


def add(a, b):
    return a + b


@cuda.jit
def sums_of_block(x, out):
    i = number()
    out[0, i] = cuda.block.reduce(x[i], add)
    out[1, i] = cuda.block.scan(x[i], add)
    out[2, i] = cuda.block.exclusive_scan(x[i], add, x.dtype.type(5))


@pytest.mark.parametrize("dtype", ["i4", "u8", "f4", "f8", "c8", "i1", "f2"])
@pytest.mark.parametrize("block", BLOCKS)
def test_reduce_and_scan(block, dtype):
    n = threads_of(block)
    x = RNG.integers(0, 3, n).astype(dtype)
    out = np.zeros((3, n), "c16")
    sums_of_block[1, block](x, out)
    sums = np.cumsum(x.astype("c16"))
    assert (out[0] == sums[-1]).all() and (out[1] == sums).all()
    assert (out[2] == np.r_[0, sums[:-1]] + 5).all()


@cuda.jit
def composed(x, out):
    i = number()
    mine = (x[i], 1.0)
    whole = cuda.block.reduce(mine, after)
    until = cuda.block.scan(mine, after)
    before = cuda.block.exclusive_scan(mine, after, (1.0, 0.0))
    out[i, 0], out[i, 1] = whole
    out[i, 2], out[i, 3] = until
    out[i, 4], out[i, 5] = before


@pytest.mark.parametrize("block", BLOCKS)
def test_order_of_tuples(block):
    n = threads_of(block)
    x = RNG.integers(1, 3, n) / 2.0
    out = np.zeros((n, 6))
    composed[1, block](x, out)
    state, expected = (1.0, 0.0), []
    for each in x:
        before, state = state, after(state, (each, 1.0))
        expected.append((*state, *before))
    np.testing.assert_allclose(out[:, 2:], expected, rtol=1e-12)
    np.testing.assert_allclose(out[:, :2], [state] * n, rtol=1e-12)


@cuda.jit
def maxima_of_warps(x, out):
    i = cuda.threadIdx.x
    out[0, i] = cuda.warp.reduce(x[i], max)
    out[1, i] = cuda.warp.scan(x[i], max)
    out[2, i] = cuda.warp.exclusive_scan(x[i], max, -1)
    out[3, i] = cuda.warp.broadcast(x[i])


@pytest.mark.parametrize("threads", [1, 20, 32, 75])
def test_warps(threads):
    x = RNG.integers(0, 1000, threads)
    out = np.zeros((4, threads), np.int64)
    maxima_of_warps[1, threads](x, out)
    for first in range(0, threads, 32):
        part, found = x[first : first + 32], out[:, first : first + 32]
        running = np.maximum.accumulate(part)
        assert (found[0] == part.max()).all() and (found[1] == running).all()
        assert (found[2] == np.r_[-1, running[:-1]]).all() and (found[3] == part[0]).all()


@cuda.jit
def sorted_in_block(keys, out):
    i = number()
    place = cuda.block.rank(keys[i])
    out[0, i] = cuda.block.sort(keys[i])
    out[1, i] = cuda.block.exchange(i, place)
    out[2, i] = cuda.block.sort(keys[i], lambda a, b: a > b)
    out[3, i] = cuda.block.broadcast(keys[i], 0)


@pytest.mark.parametrize("block", BLOCKS)
def test_sort_and_exchange(block):
    keys = RNG.integers(0, 20, threads_of(block))
    out = np.zeros((4, keys.size), np.int64)
    sorted_in_block[1, block](keys, out)
    assert (out[0] == np.sort(keys)).all() and (out[2] == np.sort(keys)[::-1]).all()
    assert (out[1] == np.argsort(keys, kind="stable")).all() and (out[3] == keys[0]).all()


def test_histogram_in_a_loop():
    @cuda.jit
    def k(x, out):
        for row in range(x.shape[0]):
            counts = cuda.block.histogram(x[row, cuda.threadIdx.x], 10)
            if cuda.threadIdx.x < 10:
                out[row, cuda.threadIdx.x] = counts[cuda.threadIdx.x]
            cuda.syncthreads()

    x = RNG.integers(-2, 12, (3, 70))
    out = np.zeros((3, 10), np.int64)
    k[1, 70](x, out)
    for row, found in zip(x, out):
        inside = row[(row >= 0) & (row < 10)]
        assert found.tolist() == np.bincount(inside, minlength=10).tolist()


def test_several_blocks_and_calls():
    @cuda.jit
    def k(x, out):
        i = cuda.grid(1)
        total = 0
        for _ in range(3):
            total += cuda.block.reduce(x[i], lambda a, b: a + b)
        out[i] = total

    x = np.arange(300)
    out = np.zeros_like(x)
    k[3, 100](x, out)
    assert out.tolist() == np.repeat(3 * x.reshape(3, 100).sum(axis=1), 100).tolist()
