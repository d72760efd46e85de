"""What the examples of numba-cuda's documentation do, in programs of our own.

The docstrings are rows of docs/cuda-guide.md, as in test_guide_host.py.
"""

import numpy as np
from numjit import cuda, float32, njit
from numjit.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float64


def test_vector_addition():
    """Examples: vector addition, with `forall` and with a configuration"""

    @cuda.jit
    def add(a, b, c):
        i = cuda.grid(1)
        if i < len(c):
            c[i] = a[i] + b[i]

    a, b = (cuda.to_device(np.random.default_rng(n).random(1000)) for n in range(2))
    for launch in (add.forall(1000), add[4, 256], add[(2, 1), (512, 1, 1)]):
        c = cuda.device_array_like(a)
        launch(a, b, c)
        assert (c.copy_to_host() == a.copy_to_host() + b.copy_to_host()).all()


def test_heat_equation():
    """Examples: the heat equation, all steps in a cooperative kernel with two buffers"""

    @cuda.jit
    def solve(first, second, steps, k):
        i = cuda.grid(1)
        grid = cuda.cg.this_grid()
        for step in range(steps):
            if step % 2 == 0:
                old, new = first, second
            else:
                old, new = second, first
            if 0 < i < old.size - 1:
                new[i] = old[i] + k * (old[i - 1] - 2 * old[i] + old[i + 1])
            grid.sync()

    start = np.zeros(101)
    start[50] = 10000.0
    first, second = cuda.to_device(start), cuda.to_device(start)
    solve[4, 32](first, second, 100, 0.25)
    expected = start.copy()
    for _ in range(100):
        expected[1:-1] += 0.25 * (expected[:-2] - 2 * expected[1:-1] + expected[2:])
    assert np.allclose(first.copy_to_host(), expected)


def test_shared_memory_reduction():
    """Examples: a sum in shared memory, in which ever fewer threads take part"""

    @cuda.jit
    def total(values):
        i, n = cuda.threadIdx.x, values.size
        kept = cuda.shared.array(256, values.dtype)
        kept[i] = values[i] if i < n else 0
        half = cuda.blockDim.x // 2
        while half:
            cuda.syncthreads()
            if i < half:
                kept[i] += kept[i + half]
            half //= 2
        if i == 0:
            values[0] = kept[0]

    for dtype in (np.int64, np.float32):
        values = cuda.to_device(np.arange(250).astype(dtype))
        total[1, 256](values)
        assert values.copy_to_host()[0] == 250 * 249 // 2


def test_sessions():
    """Examples: clicks divided into sessions, of `datetime64`, with a barrier of the grid"""
    hour = np.timedelta64(3600, "s")

    @cuda.jit
    def sessions(users, times, out, most):
        i = cuda.grid(1)
        begins = i == 0 or (i < users.size and users[i] != users[i - 1])
        if 0 < i < users.size and not begins:
            begins = times[i] - times[i - 1] > most[0]
        if i < users.size:
            out[i] = i if begins else -1
        cuda.cg.this_grid().sync()
        if i < users.size and begins:
            k = i + 1
            while k < users.size and out[k] == -1:
                out[k] = i
                k += 1

    users = np.array([1, 1, 1, 1, 2, 2, 2, 3])
    seconds = np.array([0, 60, 7200, 7260, 0, 3600, 7201, 5])
    times = np.datetime64("2026-01-01T00:00:00") + seconds.astype("timedelta64[s]")
    out = np.zeros(8, np.int64)
    sessions[2, 4](users, times, out, np.array([hour]))
    assert out.tolist() == [0, 0, 2, 2, 4, 4, 6, 7]


def test_functions_of_both():
    """Examples: a function compiled for the processor that kernels call, too"""

    @njit
    def logic(x, y, z):
        return 4 * z * (2 * x - (4 * y) / 2 * np.pi)

    @cuda.jit
    def kernel(out, x, y, z):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = logic(x[i], y[i], z[i])

    x, y, z = np.random.default_rng(0).random((3, 20))
    out = np.zeros(20)
    kernel[1, 32](out, x, y, z)
    assert np.allclose(out, [logic(*row) for row in zip(x, y, z, strict=True)])


def test_monte_carlo():
    """Examples: Monte Carlo integration, with random numbers and `cuda.reduce`"""

    @cuda.jit
    def sample(out, states, low, high):
        i = cuda.grid(1)
        if i < out.size:
            x = low + (high - low) * xoroshiro128p_uniform_float64(states, i)
            out[i] = 1 / (1 + x**2)

    @cuda.reduce
    def add(a, b):
        return a + b

    n = 1 << 14
    out, states = cuda.device_array(n), create_xoroshiro128p_states(n, seed=42)
    sample[n // 128, 128](out, states, 0.0, 1.0)
    assert abs(add(out) / n - np.pi / 4) < 0.01


def test_matrix_product():
    """Examples: a matrix product, by elements and by tiles in shared memory, of any shapes"""
    n = 8

    @cuda.jit
    def by_elements(a, b, c):
        i, j = cuda.grid(2)
        if i < c.shape[0] and j < c.shape[1]:
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total

    @cuda.jit
    def by_tiles(a, b, c):
        left, right = cuda.shared.array((n, n), float32), cuda.shared.array((n, n), float32)
        j, i = cuda.grid(2)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        total = float32(0)
        for tile in range(cuda.gridDim.x):
            left[ty, tx] = right[ty, tx] = 0
            if i < a.shape[0] and tx + tile * n < a.shape[1]:
                left[ty, tx] = a[i, tx + tile * n]
            if j < b.shape[1] and ty + tile * n < b.shape[0]:
                right[ty, tx] = b[ty + tile * n, j]
            cuda.syncthreads()
            for k in range(n):
                total += left[ty, k] * right[k, tx]
            cuda.syncthreads()
        if i < c.shape[0] and j < c.shape[1]:
            c[i, j] = total

    a = np.arange(5 * 23, dtype=np.float32).reshape(5, 23)
    b = np.ones((23, 7), np.float32)
    for kernel in (by_elements, by_tiles):
        c = np.zeros((5, 7), np.float32)
        kernel[(3, 3), (n, n)](a, b, c)
        assert (c == a @ b).all()


def test_ufunc_in_a_kernel():
    """Examples: a universal function of NumPy over an array in a kernel"""

    @cuda.jit
    def kernel(out, x):
        np.sin(x, out)

    x, out = np.linspace(0, 3, 10, dtype=np.float32), np.zeros(10, np.float32)
    kernel[1, 1](out, x)
    assert np.allclose(out, np.sin(x))
