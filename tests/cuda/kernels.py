"""Kernels that several tests use."""

import math

import numpy as np
from numjit import cuda

TILE = 16
TABLE = np.arange(7, dtype=np.float64) ** 2


def axpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]


def matmul(a, b, c):
    sa = cuda.shared.array((TILE, TILE), np.float32)
    sb = cuda.shared.array((TILE, TILE), np.float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = np.float32(0)
    for k in range((a.shape[1] + TILE - 1) // TILE):
        sa[ty, tx] = 0
        sb[ty, tx] = 0
        if y < a.shape[0] and tx + k * TILE < a.shape[1]:
            sa[ty, tx] = a[y, tx + k * TILE]
        if x < b.shape[1] and ty + k * TILE < b.shape[0]:
            sb[ty, tx] = b[ty + k * TILE, x]
        cuda.syncthreads()
        for j in range(TILE):
            total += sa[ty, j] * sb[j, tx]
        cuda.syncthreads()
    if y < c.shape[0] and x < c.shape[1]:
        c[y, x] = total


def rk4(y, dt, steps):
    i = cuda.grid(1)
    if i < y.size:
        v = y[i]
        t = 0.0
        for _ in range(steps):
            k1 = -v + math.sin(t)
            k2 = -(v + dt / 2 * k1) + math.sin(t + dt / 2)
            k3 = -(v + dt / 2 * k2) + math.sin(t + dt / 2)
            k4 = -(v + dt * k3) + math.sin(t + dt)
            v += dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            t += dt
        y[i] = v


def atomics(x, ints, floats):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(floats, 0, x[i])
        cuda.atomic.max(floats, 1, x[i])
        cuda.atomic.min(floats, (2,), x[i])
        cuda.atomic.add(ints, 0, 1)
        cuda.atomic.sub(ints, 1, 2)
        cuda.atomic.max(ints, 2, i)
        cuda.atomic.or_(ints, 3, 1 << (i % 8))
        cuda.atomic.and_(ints, 4, ~(1 << (i % 8)))
        cuda.atomic.xor(ints, 5, i)
        cuda.atomic.cas(ints, 6, 0, i + 1)
        cuda.atomic.exch(ints, 7, 5)


def warp(out):
    lane = cuda.laneid
    v = float(lane)
    for offset in (16, 8, 4, 2, 1):
        v += cuda.shfl_down_sync(0xFFFFFFFF, v, offset)
    if lane == 0:
        out[0] = v
        out[1] = cuda.popc(cuda.activemask())
    vote = cuda.ballot_sync(0xFFFFFFFF, lane % 2 == 0)
    if lane == 1:
        out[2] = vote


def dynamic_shared(x, out):
    s = cuda.shared.array(0, np.float64)
    i = cuda.threadIdx.x
    s[i] = x[i]
    cuda.syncthreads()
    out[i] = s[cuda.blockDim.x - 1 - i]


def constant_table(out):
    table = cuda.const.array_like(TABLE)
    i = cuda.grid(1)
    if i < out.size:
        out[i] = table[i % 7]


def local_sort(x):
    row = cuda.grid(1)
    mine = cuda.local.array(8, np.float64)
    if row < x.shape[0]:
        for i in range(8):
            mine[i] = x[row, i]
        for i in range(1, 8):
            v = mine[i]
            j = i
            while j > 0 and mine[j - 1] > v:
                mine[j] = mine[j - 1]
                j -= 1
            mine[j] = v
        for i in range(8):
            x[row, i] = mine[i]
