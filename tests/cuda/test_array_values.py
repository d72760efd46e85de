"""Arrays as values in kernels: expressions, slices, new arrays, results of device functions."""

import weakref

import numpy as np
import pytest
from numjit import cuda


def test_a_reduction_of_an_expression():
    @cuda.jit
    def k(x, w, y):
        i = cuda.grid(1)
        if i < x.shape[0]:
            y[i] = np.sum(x[i] * w)

    rng = np.random.default_rng(0)
    x, w, y = rng.normal(size=(50, 7)), rng.normal(size=7), np.zeros(50)
    k[2, 32](x, w, y)
    assert np.allclose(y, (x * w).sum(1), rtol=1e-14)


def test_device_functions_give_new_arrays():
    @cuda.jit(device=True)
    def scaled(v, factor):
        out = np.empty(v.size)
        for i in range(v.size):
            out[i] = v[i] * factor
        return out

    @cuda.jit(device=True)
    def twice(v):
        return scaled(v, 2.0) + scaled(v, 0.0)

    @cuda.jit
    def k(x, y):
        i = cuda.grid(1)
        y[i, :] = twice(x[i]) + 1

    x = np.arange(40.0).reshape(8, 5)
    y = np.zeros((8, 5))
    k[2, 4](x, y)
    assert np.array_equal(y, 2 * x + 1)


def test_transposed_slices_and_ufuncs():
    @cuda.jit
    def k(z, dt, out):
        i = cuda.blockIdx.x
        a = z[i, 1:, :].T
        b = np.multiply(dt, a)
        c = a + b / 2.0
        out[i, :, :] = c.T

    z = np.random.default_rng(1).normal(size=(6, 5, 4))
    out = np.zeros((6, 4, 4))
    k[6, 1](z, 0.25, out)
    assert np.allclose(out, z[:, 1:, :] * (1 + 0.25 / 2), rtol=1e-15)


def test_small_arrays_of_known_size():
    @cuda.jit
    def k(x, out):
        i = cuda.grid(1)
        rotation = np.zeros((2, 2))
        rotation[0, 0] = rotation[1, 1] = np.cos(x[i])
        rotation[0, 1] = -np.sin(x[i])
        rotation[1, 0] = np.sin(x[i])
        v = np.ones(2)
        w = np.empty(2)
        for r in range(2):
            w[r] = np.sum(rotation[r] * v)
        out[i, 0], out[i, 1] = w[0], w[1]

    x = np.linspace(0, 3, 64)
    out = np.zeros((64, 2))
    k[2, 32](x, out)
    assert np.allclose(out, np.stack([np.cos(x) - np.sin(x), np.sin(x) + np.cos(x)], 1))


def test_a_value_that_goes_round_a_loop():
    @cuda.jit(device=True)
    def step(v):
        return v * 0.5 + v[::-1]

    @cuda.jit
    def k(x, n, out):
        i = cuda.grid(1)
        v = x[i] + 0.0
        before = v
        for _ in range(n):
            before = v
            v = step(v)
        out[i, :] = v - before

    x = np.random.default_rng(2).normal(size=(8, 6))
    out = np.zeros_like(x)
    k[1, 8](x, 30, out)
    v = x
    for _ in range(30):
        before, v = v, v * 0.5 + v[:, ::-1]
    assert np.allclose(out, v - before, rtol=1e-13)


def test_arrays_between_barriers():
    @cuda.jit
    def k(x, out):
        i = cuda.threadIdx.x
        v = x[i] * 2.0 + 0.0
        shared = cuda.shared.array((32, 3), np.float64)
        shared[i, :] = v
        cuda.syncthreads()
        out[i, :] = shared[31 - i] + v

    x = np.random.default_rng(3).normal(size=(32, 3))
    out = np.zeros_like(x)
    k[1, 32](x, out)
    assert np.allclose(out, 2 * x[::-1] + 2 * x, rtol=1e-15)


def test_scratch_memory_that_suffices():
    @cuda.jit(scratch=4096)
    def k(x, n, out):
        i = cuda.grid(1)
        for j in range(n):  # each array is given back before the next
            v = x[i] + j
            out[i] += v.sum()

    x = np.ones((4, 20))
    out = np.zeros(4)
    k[1, 4](x, 1000, out)
    assert np.allclose(out, 20 * sum(1 + j for j in range(1000)))


def test_scratch_memory_that_does_not_suffice_is_one_exception():
    @cuda.jit(scratch=1024)
    def k(x, out):
        i = cuda.grid(1)
        v = x[i] + 1.0
        out[i] = v[0]

    out = np.zeros(4)
    k[1, 4](np.ones((4, 50)), out)
    assert (out == 2).all()
    with pytest.raises(MemoryError, match="scratch"):
        k[1, 4](np.ones((4, 500)), out)
    k[1, 4](np.ones((4, 50)) * 2, out)
    assert (out == 3).all()


def test_small_arrays_are_registers_in_ptx():
    def k(x, out):
        i = cuda.grid(1)
        v = np.zeros(3)
        v[0] = x[i]
        v[2] = 2.0
        w = np.empty(3)
        for j in range(3):
            w[j] = v[j] * v[2 - j]
        out[i] = w[0] + w[1] + w[2]

    ptx = cuda.compile_ptx(k, "void(f8[::1], f8[::1])", cc=(8, 0))[0]
    assert "numjit_scratch" not in ptx and ".local" not in ptx


def test_words_of_a_kernel_that_is_gone_are_not_read():
    """They went with it; another thread's garbage collection may be what it was gone by."""
    from numjit.cuda.scratch import Scratch

    class Kernel:
        pass

    class Freed(Scratch):
        _words = property(lambda self: pytest.fail("freed memory is read"))

    kernel = Kernel()
    scratch = object.__new__(Freed)
    scratch._compiled = weakref.ref(kernel)
    del kernel
    scratch.look()
