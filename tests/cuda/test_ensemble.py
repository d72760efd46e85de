"""An ensemble integrator whose kernel computes with arrays: one member a block, the two-scale model
of Lorenz (1996), four stages of Runge and Kutta."""

import numpy as np
from numjit import cuda

MEMBERS, SLOW, FAST = 40, 96, 9  # 96 slow variables with 9 fast ones each: 960
FORCING, COUPLING, SPACE, TIME = 8.0, 1.0, 10.0, 10.0


def slow_tendency(x, coupled, forcing):
    n = x.size
    dx = np.empty(n)
    for i in range(n):
        dx[i] = (x[(i + 1) % n] - x[i - 2]) * x[i - 1] - x[i] + forcing - coupled[i]
    return dx


def fast_tendency(y, x, h, b, c):
    n, per = y.size, y.size // x.size
    dy = np.empty(n)
    for j in range(n):
        advection = -c * b * y[(j + 1) % n] * (y[(j + 2) % n] - y[j - 1])
        dy[j] = advection - c * y[j] + h * c / b * x[j // per]
    return dy


def make_tendency(slow, fast):
    def tendency(z, slow_count, forcing, h, b, c):
        x = z[:slow_count]
        y = z[slow_count:]
        per = y.size // slow_count
        coupled = np.empty(slow_count)
        for i in range(slow_count):
            coupled[i] = h * c / b * np.sum(y[i * per : (i + 1) * per])
        dz = np.empty(z.size)
        dz[:slow_count] = slow(x, coupled, forcing)
        dz[slow_count:] = fast(y, x, h, b, c)
        return dz

    return tendency


def make_member(tendency):
    def member(zens, iens, steps, dt, slow_count, forcing, h, b, c):
        z = zens[iens, :].T
        for _ in range(steps):
            z_save = z
            dz = tendency(z, slow_count, forcing, h, b, c)
            z1 = np.multiply(dt, dz)
            z = z_save + z1 / 2.0
            dz = tendency(z, slow_count, forcing, h, b, c)
            z2 = np.multiply(dt, dz)
            z = z_save + z2 / 2.0
            dz = tendency(z, slow_count, forcing, h, b, c)
            z3 = np.multiply(dt, dz)
            z = z_save + z3
            dz = tendency(z, slow_count, forcing, h, b, c)
            z4 = np.multiply(dt, dz)
            z = z_save + z1 / 6.0 + z2 / 3.0 + z3 / 3.0 + z4 / 6.0
        zens[iens, :] = z.T

    return member


def test_ensemble_agrees_with_numpy():
    device = cuda.jit(device=True)
    member = device(
        make_member(device(make_tendency(device(slow_tendency), device(fast_tendency))))
    )

    @cuda.jit
    def integrate(zens, steps, dt, slow_count, forcing, h, b, c):
        iens = cuda.blockIdx.x
        member(zens, iens, steps, dt, slow_count, forcing, h, b, c)

    rng = np.random.default_rng(0)
    zens = rng.normal(size=(MEMBERS, SLOW * (1 + FAST)))
    expected = zens.copy()
    arguments = 3, 0.001, SLOW, FORCING, COUPLING, SPACE, TIME
    integrate[MEMBERS, 1](zens, *arguments)
    in_numpy = make_member(make_tendency(slow_tendency, fast_tendency))
    for iens in range(0, MEMBERS, 13):
        in_numpy(expected, iens, *arguments)
        assert np.abs(zens[iens] - expected[iens]).max() < 1e-12
