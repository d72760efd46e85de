"""An ensemble of the two-scale model of Lorenz (1996) on a GPU: a kernel that computes with
arrays, one member a block, four stages of Runge and Kutta. Beside it the same kernel by hand, with
loops and with buffers that the host provides.

    python examples/cuda/ensemble.py         on a GPU
    NUMJIT_CUDA_SIMULATOR=1 python examples/cuda/ensemble.py
"""

import time

import numpy as np
from numjit import cuda

MEMBERS, SLOW, FAST = 40, 96, 9  # 96 slow variables with 9 fast ones each: 960
SIZES = (8, 4), (36, 10), (SLOW, FAST)
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


@cuda.jit(device=True)
def tendency_by_hand(z, dz, slow_count, forcing, h, b, c):
    fast_count = z.size - slow_count
    per = fast_count // slow_count
    for i in range(slow_count):
        coupled = 0.0
        for j in range(slow_count + i * per, slow_count + (i + 1) * per):
            coupled += z[j]
        before, before_that = (i - 1) % slow_count, (i - 2) % slow_count
        after = (i + 1) % slow_count
        dz[i] = (z[after] - z[before_that]) * z[before] - z[i] + forcing - h * c / b * coupled
    y, dy = z[slow_count:], dz[slow_count:]
    for j in range(fast_count):
        after, after_that = (j + 1) % fast_count, (j + 2) % fast_count
        advection = -c * b * y[after] * (y[after_that] - y[(j - 1) % fast_count])
        dy[j] = advection - c * y[j] + h * c / b * z[j // per]


@cuda.jit
def integrate_by_hand(zens, buffers, steps, dt, slow_count, forcing, h, b, c):
    """`buffers[member]`: the state of a stage, its tendency, and the sum of what the stages add."""
    z = zens[cuda.blockIdx.x]
    stage, dz, total = buffers[cuda.blockIdx.x]
    for _ in range(steps):
        tendency_by_hand(z, dz, slow_count, forcing, h, b, c)
        for i in range(z.size):
            total[i] = dt * dz[i] / 6.0
            stage[i] = z[i] + dt * dz[i] / 2.0
        tendency_by_hand(stage, dz, slow_count, forcing, h, b, c)
        for i in range(z.size):
            total[i] += dt * dz[i] / 3.0
            stage[i] = z[i] + dt * dz[i] / 2.0
        tendency_by_hand(stage, dz, slow_count, forcing, h, b, c)
        for i in range(z.size):
            total[i] += dt * dz[i] / 3.0
            stage[i] = z[i] + dt * dz[i]
        tendency_by_hand(stage, dz, slow_count, forcing, h, b, c)
        for i in range(z.size):
            z[i] += total[i] + dt * dz[i] / 6.0


def initial(members=MEMBERS, slow=SLOW, fast=FAST):
    return np.random.default_rng(0).normal(size=(members, slow * (1 + fast)))


PARAMETERS = 0.001, SLOW, FORCING, COUPLING, SPACE, TIME


def timed(kernel, start, *arguments):
    """The least time of a launch in milliseconds, and the members after one."""
    times = []
    for _ in range(3):
        zens = cuda.to_device(start)
        cuda.synchronize()
        begin = time.perf_counter()
        kernel[len(start), 1](zens, *arguments)
        cuda.synchronize()
        times.append(1e3 * (time.perf_counter() - begin))
    return min(times), zens.copy_to_host()


def main():
    integrate = cuda.jit(make_kernel(device_member()))
    steps = 100
    print(f"{MEMBERS} members, {steps} steps        arrays      by hand   difference to NumPy")
    for slow, fast in SIZES:
        start, expected = (initial(slow=slow, fast=fast) for _ in range(2))
        parameters = steps, 0.001, slow, FORCING, COUPLING, SPACE, TIME
        for iens in (0, MEMBERS - 1):
            in_numpy(expected, iens, *parameters)
        arrays, first = timed(integrate, start, *parameters)
        buffers = cuda.device_array((MEMBERS, 3, start.shape[1]))
        by_hand, second = timed(integrate_by_hand, start, buffers, *parameters)
        differences = [np.abs(z - expected)[[0, -1]].max() for z in (first, second)]
        size = f"{start.shape[1]} variables"
        print(f"{size:>20} {arrays:10.2f} ms {by_hand:9.2f} ms   {max(differences):.1e}")
        assert max(differences) < 1e-9


if __name__ == "__main__":
    main()
