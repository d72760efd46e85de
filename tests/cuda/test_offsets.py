"""Items of arrays whose offsets have 32 bits on a GPU, and of larger ones."""

import numpy as np
import pytest
from numjit import cuda


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
