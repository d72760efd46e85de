"""Short products, and loops over matrices."""

import math

import numpy as np
from kernel import Kernel
from numjit import njit


@njit
def dot_of_three(points, v):
    total = 0.0
    for i in range(len(points)):
        total += np.dot(points[i], v)
    return total


@njit
def triangular_short(lower, b, times):
    n = len(b)
    x = np.zeros(n)
    for _ in range(times):
        for i in range(n):
            x[i] = (b[i] - np.dot(lower[i, :i], x[:i])) / lower[i, i]
    return x


@njit
def rotate(m, points):
    out = np.empty_like(points)
    for i in range(len(points)):
        out[i] = m @ points[i]
    return out


@njit
def gauss_seidel(a, b, steps):
    n = len(b)
    x = np.zeros(n)
    for _ in range(steps):
        for i in range(n):
            s = b[i]
            for j in range(n):
                if j != i:
                    s -= a[i, j] * x[j]
            x[i] = s / a[i, i]
    return x


@njit
def cholesky(a):
    n = len(a)
    lower = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= lower[i, k] * lower[j, k]
            if i == j:
                lower[i, j] = math.sqrt(s)
            else:
                lower[i, j] = s / lower[j, j]
    return lower


@njit
def sparse_matvec(data, indices, starts, x):
    out = np.zeros(len(starts) - 1)
    for i in range(len(out)):
        total = 0.0
        for k in range(starts[i], starts[i + 1]):
            total += data[k] * x[indices[k]]
        out[i] = total
    return out


@njit
def columns_times_rest(d):
    out = np.zeros((d.shape[1], d.shape[1]))
    for i in range(d.shape[1]):
        out[i, i:] = np.ascontiguousarray(d[:, i]) @ d[:, i:]
    return out


@njit
def blocks(a, b, size):
    out = np.zeros((len(a), b.shape[1]))
    for i in range(0, len(a), size):
        for j in range(0, b.shape[1], size):
            out[i : i + size, j : j + size] = a[i : i + size, :] @ b[:, j : j + size]
    return out


@njit
def covariances(d):
    return np.cov(d)


def rng():
    return np.random.default_rng(1)


def triangle(n):
    return np.tril(rng().random((n, n))) + n * np.eye(n)


def sparse(n, per):
    r = rng()
    return r.random(n * per), r.integers(0, n, n * per), np.arange(0, n * per + 1, per), r.random(n)


def spd(n):
    m = rng().random((n, n))
    return m @ m.T + n * np.eye(n)


KERNELS = {
    "dot_of_three": Kernel(
        dot_of_three,
        lambda: (rng().random((100_000, 3)), rng().random(3)),
        lambda: (rng().random((10, 3)), rng().random(3)),
        1e-9,
    ),
    "triangular_short": Kernel(
        triangular_short,
        lambda: (triangle(12), rng().random(12), 1000),
        lambda: (triangle(8), rng().random(8), 3),
        1e-9,
    ),
    "rotate": Kernel(
        rotate,
        lambda: (rng().random((3, 3)), rng().random((20_000, 3))),
        lambda: (rng().random((3, 3)), rng().random((5, 3))),
        1e-9,
    ),
    "gauss_seidel": Kernel(
        gauss_seidel,
        lambda: (spd(150), rng().random(150), 10),
        lambda: (spd(6), rng().random(6), 3),
        1e-9,
    ),
    "columns_times_rest": Kernel(
        columns_times_rest,
        lambda: (rng().random((300, 120)),),
        lambda: (rng().random((9, 5)),),
        1e-9,
    ),
    "blocks": Kernel(
        blocks,
        lambda: (rng().random((256, 256)), rng().random((256, 256)), 64),
        lambda: (rng().random((8, 8)), rng().random((8, 8)), 4),
        1e-9,
    ),
    "covariances": Kernel(
        covariances,
        lambda: (rng().random((120, 300)),),
        lambda: (rng().random((5, 9)),),
        1e-9,
    ),
    "cholesky": Kernel(cholesky, lambda: (spd(120),), lambda: (spd(6),), 1e-9),
    "sparse_matvec": Kernel(sparse_matvec, lambda: sparse(20_000, 9), lambda: sparse(20, 3), 1e-9),
}
