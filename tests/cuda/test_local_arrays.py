"""cuda.local.array: right values, and no memory where all indices are known after unrolling."""

import numpy as np
import pytest
from numjit import cuda, float64, int32

N = 40


def ring(x, out):
    i = cuda.grid(1)
    z = cuda.local.array(N, float64)
    w = cuda.local.array(N, float64)
    for j in range(N):
        z[j] = x[i, j]
    for _ in range(3):
        for j in range(N):
            w[j] = z[(j + 1) % N] - z[j - 2]
        for j in range(N):
            z[j] += 0.5 * w[j]
    for j in range(N):
        out[i, j] = z[j]


def expected_ring(x):
    for _ in range(3):
        x = x + 0.5 * (np.roll(x, -1, 1) - np.roll(x, 2, 1))
    return x


def square(x, out):
    i = cuda.grid(1)
    a = cuda.local.array((6, 6), float64)
    for r in range(6):
        for c in range(6):
            a[r, c] = x[i, 6 * r + c]
    for r in range(6):  # the number of iterations depends on the counter of the loop around
        for c in range(r + 1, 6):
            a[r, c], a[c, r] = a[c, r], a[r, c]
    for r in range(6):
        for c in range(6):
            out[i, 6 * r + c] = a[r, c]


def expected_square(x):
    out = np.zeros_like(x)
    out[:, :36] = x[:, :36].reshape(-1, 6, 6).transpose(0, 2, 1).reshape(-1, 36)
    return out


def first_above(x, out):
    i = cuda.grid(1)
    v = cuda.local.array(20, float64)
    for j in range(20):
        v[j] = x[i, j] * x[i, j]
    for j in range(20):
        if v[j] > 0.9:
            break
        out[i, j] = v[j]


def expected_first_above(x):
    squares = x[:, :20] ** 2
    before = np.cumsum(squares > 0.9, axis=1) == 0
    out = np.zeros_like(x)
    out[:, :20] = np.where(before, squares, 0)
    return out


def sorted_by_networks(x, out):
    i = cuda.grid(1)
    v = cuda.local.array(12, float64)
    for j in range(12):
        v[j] = x[i, j]
    for turn in range(12):
        for j in range(turn % 2, 11, 2):
            if v[j] > v[j + 1]:
                v[j], v[j + 1] = v[j + 1], v[j]
    for j in range(12):
        out[i, j] = v[j]


def expected_sorted(x):
    out = np.zeros_like(x)
    out[:, :12] = np.sort(x[:, :12], axis=1)
    return out


def expressions(x, out):
    i = cuda.grid(1)
    z = np.empty(24)
    for j in range(24):
        z[j] = x[i, j]
    w = z * 2.0 + z[::-1]
    for j in range(24):
        out[i, j] = w[j] - z[j]


def expected_expressions(x):
    out = np.zeros_like(x)
    out[:, :24] = x[:, :24] + x[:, 23::-1]
    return out


KERNELS = [
    (ring, expected_ring),
    (square, expected_square),
    (first_above, expected_first_above),
    (sorted_by_networks, expected_sorted),
    (expressions, expected_expressions),
]


@pytest.mark.parametrize("kernel, expected", KERNELS, ids=[k.__name__ for k, _ in KERNELS])
def test_values(kernel, expected):
    x = np.random.default_rng(0).uniform(-1, 1, size=(64, N))
    out = np.zeros_like(x)
    cuda.jit(kernel)[2, 32](x, out)
    assert np.allclose(out, expected(x), rtol=1e-13)


@pytest.mark.parametrize("kernel", [kernel for kernel, _ in KERNELS], ids=lambda k: k.__name__)
def test_registers(kernel):
    ptx = cuda.compile_ptx(kernel, "void(f8[:, ::1], f8[:, ::1])", cc=(9, 0))[0]
    assert ".local" not in ptx and "numjit_scratch" not in ptx


def count_values(x, out):
    i = cuda.grid(1)
    counts = cuda.local.array(8, int32)
    for j in range(8):
        counts[j] = 0
    for j in range(x.shape[1]):
        counts[int(4 * x[i, j] + 4)] += 1
    for j in range(8):
        out[i, j] = counts[j]


def test_an_index_of_data_keeps_the_array_in_memory():
    x = np.random.default_rng(1).uniform(-1, 1, size=(8, N))
    out = np.zeros((8, 8))
    cuda.jit(count_values)[1, 8](x, out)
    assert np.array_equal(out, [np.histogram(row, 8, (-1, 1))[0] for row in x])
    ptx = cuda.compile_ptx(count_values, "void(f8[:, ::1], f8[:, ::1])", cc=(9, 0))[0]
    assert ".local" in ptx


def test_a_limit_of_unrolling():
    def k(out):
        i = cuda.grid(1)
        a = cuda.local.array((16, 16), float64)
        for _ in range(out.shape[0]):
            for r in range(16):
                for c in range(16):
                    for d in range(16):
                        for e in range(16):
                            a[r, c] += a[d, e] * r
        for r in range(16):
            for c in range(16):
                out[i] += a[r, c]

    assert len(cuda.compile_ptx(k, "void(f8[::1])", cc=(9, 0))[0]) < 1 << 16
