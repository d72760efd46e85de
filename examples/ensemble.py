"""An ensemble of the two-scale model of Lorenz (1996) on a GPU: a kernel that computes with arrays,
one member a block, four stages of Runge and Kutta.

    python examples/ensemble.py         on a GPU
    NUMJIT_CUDA_SIMULATOR=1 python examples/ensemble.py
"""

import time

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


in_numpy = make_member(make_tendency(slow_tendency, fast_tendency))


def device_member():
    """The same as a function of kernels, which calls others."""
    device = cuda.jit(device=True)
    return device(make_member(device(make_tendency(device(slow_tendency), device(fast_tendency)))))


def make_kernel(member):
    def integrate(zens, steps, dt, slow_count, forcing, h, b, c):
        iens = cuda.blockIdx.x
        member(zens, iens, steps, dt, slow_count, forcing, h, b, c)

    return integrate


def initial(members=MEMBERS):
    return np.random.default_rng(0).normal(size=(members, SLOW * (1 + FAST)))


PARAMETERS = 0.001, SLOW, FORCING, COUPLING, SPACE, TIME


def main():
    integrate = cuda.jit(make_kernel(device_member()))
    steps = 100
    integrate[MEMBERS, 1](initial(), 1, *PARAMETERS)  # compiles
    start, zens = time.perf_counter(), initial()
    integrate[MEMBERS, 1](zens, steps, *PARAMETERS)
    seconds = time.perf_counter() - start
    print(f"{MEMBERS} members of {zens.shape[1]} variables, {steps} steps: {seconds * 1e3:.1f} ms")
    expected = initial(1)
    in_numpy(expected, 0, steps, *PARAMETERS)
    print(f"largest difference to NumPy: {np.abs(zens[0] - expected[0]).max():.1e}")


if __name__ == "__main__":
    main()
