"""Barriers, shared memory, and threads that do not meet."""

import numpy as np
import pytest
from cuda.simulated import simulated_only
from numjit import cuda, float64, int32

THREADS = 64


def test_sum_of_a_block():
    @cuda.jit
    def block_sums(x, out):
        cache = cuda.shared.array(THREADS, float64)
        i = cuda.grid(1)
        t = cuda.threadIdx.x
        cache[t] = x[i] if i < x.size else 0.0
        cuda.syncthreads()
        step = THREADS // 2
        while step > 0:
            if t < step:
                cache[t] += cache[t + step]
            cuda.syncthreads()
            step //= 2
        if t == 0:
            out[cuda.blockIdx.x] = cache[0]

    x = np.arange(1000.0)
    out = np.zeros(16)
    block_sums[16, THREADS](x, out)
    padded = np.zeros(16 * THREADS)
    padded[:1000] = x
    assert np.array_equal(out, padded.reshape(16, -1).sum(1))


def test_two_shared_arrays_of_one_kind_are_two():
    @cuda.jit
    def swap(x, y):
        a = cuda.shared.array(32, float64)
        b = cuda.shared.array(32, float64)
        t = cuda.threadIdx.x
        a[t] = x[t]
        b[t] = y[t]
        cuda.syncthreads()
        x[t] = b[31 - t]
        y[t] = a[31 - t]

    x, y = np.arange(32.0), np.arange(32.0) * 10
    swap[1, 32](x, y)
    assert np.array_equal(x, np.arange(32.0)[::-1] * 10) and np.array_equal(
        y, np.arange(32.0)[::-1]
    )


def test_dynamic_shared_memory_begins_behind_the_static_one():
    @cuda.jit
    def k(out):
        fixed = cuda.shared.array(3, int32)
        dynamic = cuda.shared.array(0, float64)
        t = cuda.threadIdx.x
        if t < 3:
            fixed[t] = t + 100
        if t < dynamic.size:
            dynamic[t] = t
        cuda.syncthreads()
        if t == 0:
            out[0] = dynamic.size
            out[1] = fixed[2]
            out[2] = dynamic[4]

    out = np.zeros(3)
    k[1, 32, 0, 5 * 8](out)
    assert out.tolist() == [5, 102, 4]


def test_transpose_in_two_dimensions():
    @cuda.jit
    def transpose(a, b):
        tile = cuda.shared.array((8, 8), float64)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        x, y = cuda.grid(2)
        tile[ty, tx] = a[y, x]
        cuda.syncthreads()
        b[cuda.blockIdx.x * 8 + ty, cuda.blockIdx.y * 8 + tx] = tile[tx, ty]

    a = np.random.default_rng(0).normal(size=(16, 24))
    b = np.zeros((24, 16))
    transpose[(3, 2), (8, 8)](a, b)
    assert np.array_equal(b, a.T)


def test_results_of_barriers():
    @cuda.jit
    def k(x, out):
        t = cuda.threadIdx.x
        out[0, t] = cuda.syncthreads_count(x[t])
        out[1, t] = cuda.syncthreads_and(x[t])
        out[2, t] = cuda.syncthreads_or(x[t])

    for x in (np.zeros(40, np.int32), np.ones(40, np.int32), np.arange(40, dtype=np.int32) % 3):
        out = np.zeros((3, 40), np.int32)
        k[1, 40](x, out)
        assert (out[0] == np.count_nonzero(x)).all()
        assert (out[1] != 0).tolist() == [bool(x.all())] * 40
        assert (out[2] != 0).tolist() == [bool(x.any())] * 40


def test_threads_that_have_ended_are_not_waited_for():
    @cuda.jit
    def k(x):
        t = cuda.threadIdx.x
        if t >= 10:
            return
        cuda.syncthreads()
        x[t] = 1

    x = np.zeros(32)
    k[1, 32](x)
    assert x.sum() == 10


@simulated_only
def test_different_barriers_are_an_error_with_both_lines():
    @cuda.jit
    def k(x):
        if cuda.threadIdx.x < 16:
            cuda.syncthreads()
            x[0] = 1
        else:
            cuda.syncthreads()
            x[1] = 1

    first = k.py_func.__code__.co_firstlineno + 3
    with pytest.raises(RuntimeError, match="different barriers") as error:
        k[1, 32](np.zeros(2))
    assert f"thread (0, 0, 0) waits at syncthreads() in line {first}" in str(error.value)
    assert f"thread (16, 0, 0) waits at syncthreads() in line {first + 3}" in str(error.value)


@simulated_only
def test_a_barrier_of_the_grid_that_a_block_does_not_reach_is_an_error():
    @cuda.jit
    def k(x):
        if cuda.threadIdx.x < 16:
            cuda.syncwarp(0xFFFFFFFF)
        else:
            cuda.syncthreads()
        x[0] = 1

    with pytest.raises(RuntimeError, match="a GPU would hang") as error:
        k[1, 32](np.zeros(2))
    assert "waits at syncwarp()" in str(error.value) and "syncthreads()" in str(error.value)


def test_blocks_wait_for_each_other():
    @cuda.jit
    def k(a):
        grid = cuda.cg.this_grid()
        n = a.shape[0]
        i = cuda.grid(1)
        for row in range(1, n):
            a[row, i] = a[row - 1, (i + 1) % a.shape[1]] + 1
            grid.sync()

    a = np.zeros((20, 64))
    a[0] = np.arange(64)
    expected = a.copy()
    for row in range(1, 20):
        expected[row] = np.roll(expected[row - 1], -1) + 1
    k[4, 16](a)
    assert np.array_equal(a, expected)


def test_memory_of_a_block_is_its_own():
    @cuda.jit
    def k(out):
        s = cuda.shared.array(1, int32)
        if cuda.threadIdx.x == 0:
            s[0] = cuda.blockIdx.x
        cuda.syncthreads()
        out[cuda.grid(1)] = s[0]

    out = np.zeros(50 * 8, np.int32)
    k[50, 8](out)
    assert np.array_equal(out.reshape(50, 8), np.arange(50)[:, None] + np.zeros(8, int))
