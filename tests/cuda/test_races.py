"""The race check of the simulator."""

import numpy as np
import pytest
from cuda.simulated import simulated_only
from numjit import cuda, float64

pytestmark = simulated_only


def line(kernel, offset):
    return kernel.py_func.__code__.co_firstlineno + offset


def naive():
    @cuda.jit(racecheck=True)
    def accumulate(x, v):
        i = 0
        x[i] = x[i] + v[cuda.grid(1)]

    return accumulate


@pytest.mark.parametrize("grid, block", [(1, 8), (8, 1)])
def test_naive_accumulation(grid, block):
    kernel = naive()
    with pytest.raises(cuda.RaceError) as error:
        kernel[grid, block](np.zeros(3), np.ones(8))
    text = str(error.value)
    here = f"test_races.py:{line(kernel, 3)}"
    assert text.count(here) >= 2 and "x[0]" in text and "accumulate" in text
    assert "write" in text and "read" in text
    assert "cuda.atomic" in text


def test_both_lines_are_named():
    @cuda.jit(racecheck=True)
    def k(x, out):
        i = cuda.threadIdx.x
        x[i] = i
        out[i] = x[(i + 1) % 32]

    with pytest.raises(cuda.RaceError) as error:
        k[1, 32](np.zeros(32), np.zeros(32))
    text = str(error.value)
    assert f"test_races.py:{line(k, 3)}" in text and f"test_races.py:{line(k, 4)}" in text
    assert "cuda.syncthreads()" in text


def test_atomics_are_clean():
    @cuda.jit(racecheck=True)
    def k(x, v):
        cuda.atomic.add(x, 0, v[cuda.grid(1)])

    x = np.zeros(1)
    k[4, 8](x, np.ones(32))
    assert x[0] == 32


def test_an_atomic_beside_a_plain_access_is_a_race():
    @cuda.jit(racecheck=True)
    def k(x):
        if cuda.threadIdx.x == 0:
            x[0] = 1.0
        else:
            cuda.atomic.add(x, 0, 1.0)

    with pytest.raises(cuda.RaceError, match="atomic"):
        k[1, 2](np.zeros(1))


def shared(synchronise):
    @cuda.jit(racecheck=True)
    def k(out):
        s = cuda.shared.array(32, float64)
        i = cuda.threadIdx.x
        s[i] = i
        if synchronise:
            cuda.syncthreads()
        out[cuda.grid(1)] = s[31 - i]

    return k


def test_shared_memory_with_a_barrier_between_is_clean():
    out = np.zeros(64)
    shared(True)[2, 32](out)
    assert np.array_equal(out, np.tile(np.arange(31.0, -1, -1), 2))


def test_shared_memory_without_a_barrier_is_a_race():
    kernel = shared(False)
    with pytest.raises(cuda.RaceError, match="shared memory") as error:
        kernel[2, 32](np.zeros(64))
    assert str(line(kernel, 4)) in str(error.value) and str(line(kernel, 7)) in str(error.value)


def test_a_barrier_does_not_order_blocks():
    @cuda.jit(racecheck=True)
    def k(x):
        x[cuda.blockIdx.x] = 1
        cuda.syncthreads()
        x[1 - cuda.blockIdx.x] += 1

    with pytest.raises(cuda.RaceError):
        k[2, 1](np.zeros(2))


def test_a_barrier_of_the_grid_orders_blocks():
    @cuda.jit(racecheck=True)
    def k(x):
        x[cuda.blockIdx.x] = 1
        cuda.cg.this_grid().sync()
        x[1 - cuda.blockIdx.x] += 1

    x = np.zeros(2)
    k[2, 1](x)
    assert x.tolist() == [2, 2]


def test_syncwarp_orders_a_warp():
    @cuda.jit(racecheck=True)
    def k(x):
        s = cuda.shared.array(32, float64)
        i = cuda.laneid
        s[i] = i
        cuda.syncwarp()
        x[i] = s[31 - i]

    x = np.zeros(32)
    k[1, 32](x)
    assert np.array_equal(x, np.arange(31.0, -1, -1))


def test_places_of_library_functions_are_those_of_their_calls():
    @cuda.jit(racecheck=True)
    def k(x, y):
        i = cuda.threadIdx.x
        x[:] = y[i]

    with pytest.raises(cuda.RaceError) as error:
        k[1, 4](np.zeros(5), np.ones((4, 5)))
    assert f"test_races.py:{line(k, 3)}" in str(error.value)


def test_memory_of_a_thread_is_its_own():
    @cuda.jit(racecheck=True)
    def k(x):
        own = cuda.local.array(4, float64)
        made = np.zeros(x.shape[1])
        for j in range(4):
            own[j] = j
        made[:] = own[1]
        x[cuda.grid(1), 0] = made.sum()

    x = np.zeros((64, 4))
    k[2, 32](x)
    assert (x[:, 0] == 4).all()


def test_elements_beside_each_other_are_not_one():
    @cuda.jit(racecheck=True)
    def k(x):
        x[cuda.grid(1)] += 1

    x = np.zeros(64, np.int8)
    k[2, 32](x)
    assert (x == 1).all()


def test_without_the_check_nothing_is_reported():
    @cuda.jit
    def k(x):
        x[0] = x[0] + 1

    x = np.zeros(1)
    k[1, 1](x)
    k[1, 8](x)
