"""Launches and kernels on a GPU: numjit beside numba-cuda and CuPy, in one process.

    python tests/bench/cuda_kernels.py            the table
    python tests/bench/cuda_kernels.py first NAME milliseconds to the first kernel of this process

Launch times are those of the host, without waiting: the best of many rounds of 100 launches. Kernel
times are medians of events.
"""

import math
import statistics
import subprocess
import sys
import time
import warnings

import numpy as np

warnings.simplefilter("ignore")


def engine(name):
    if name == "numjit":
        from numjit import cuda
    else:
        np.row_stack = np.vstack  # numba-cuda under NumPy 2.5
        from numba import cuda
    return cuda


def axpy(cuda):
    def axpy(a, x, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i] += a * x[i]

    return axpy


def rk4(cuda):
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

    return rk4


def matmul(cuda):
    TILE = 16
    f4 = np.float32

    def matmul(a, b, c):
        sa = cuda.shared.array((TILE, TILE), f4)
        sb = cuda.shared.array((TILE, TILE), f4)
        x, y = cuda.grid(2)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        total = f4(0)
        for k in range(a.shape[1] // TILE):
            sa[ty, tx] = a[y, tx + k * TILE]
            sb[ty, tx] = b[ty + k * TILE, x]
            cuda.syncthreads()
            for j in range(TILE):
                total += sa[ty, j] * sb[j, tx]
            cuda.syncthreads()
        c[y, x] = total

    return matmul


def launch_time(cuda, kernel, arguments, rounds=200, launches=100):
    """Microseconds of one asynchronous launch."""
    kernel[1, 32](*arguments)
    best = math.inf
    for _ in range(rounds):
        cuda.synchronize()
        start = time.perf_counter()
        for _ in range(launches):
            kernel[1, 32](*arguments)
        best = min(best, time.perf_counter() - start)
    cuda.synchronize()
    return 1e6 * best / launches


def kernel_time(cuda, launch, repeats=20):
    """Milliseconds of the device."""
    launch()
    times = []
    for _ in range(repeats):
        start, end = cuda.event(), cuda.event()
        start.record()
        launch()
        end.record()
        end.synchronize()
        times.append(cuda.event_elapsed_time(start, end))
    return statistics.median(times)


def compile_time(cuda, kernel, configuration, arguments):
    """Milliseconds of the first launch of a kernel, up to its end."""
    start = time.perf_counter()
    cuda.jit(kernel)[configuration](*arguments)
    cuda.synchronize()
    return 1e3 * (time.perf_counter() - start)


def measure(name):
    cuda = engine(name)
    cuda.current_context()

    @cuda.jit
    def nothing():
        pass

    @cuda.jit
    def one(x):
        pass

    @cuda.jit
    def four(a, b, c, d):
        pass

    small = [cuda.to_device(np.zeros(32)) for _ in range(4)]
    rows = {
        "launch, 0 arrays (us)": launch_time(cuda, nothing, ()),
        "launch, 1 array (us)": launch_time(cuda, one, small[:1]),
        "launch, 4 arrays (us)": launch_time(cuda, four, small),
    }
    host = np.random.default_rng(0)
    n = 1 << 26
    x = cuda.to_device(host.random(n, dtype=np.float32))
    y = cuda.to_device(host.random(n, dtype=np.float32))
    states = cuda.to_device(host.random(1 << 20))
    a, b = (cuda.to_device(host.random((2048, 2048), dtype=np.float32)) for _ in "ab")
    c = cuda.device_array((2048, 2048), np.float32)
    programs = [
        ("axpy", axpy(cuda), (n // 256, 256), (np.float32(2), x, y)),
        ("rk4", rk4(cuda), ((1 << 20) // 256, 256), (states, 0.001, 100)),
        ("matmul", matmul(cuda), ((128, 128), (16, 16)), (a, b, c)),
    ]
    for label, kernel, configuration, arguments in programs:
        rows[f"compile {label} (ms)"] = compile_time(cuda, kernel, configuration, arguments)
    for label, kernel, configuration, arguments in programs:
        launcher = cuda.jit(kernel)[configuration]
        rows[f"kernel {label} (ms)"] = kernel_time(cuda, lambda: launcher(*arguments))
    expected = a.copy_to_host() @ b.copy_to_host()
    assert np.allclose(c.copy_to_host(), expected, rtol=1e-3)
    return rows


def measure_cupy():
    import cupy

    source = 'extern "C" __global__ void k(double *x) {}'
    kernel = cupy.RawKernel(source, "k")
    x = cupy.zeros(32)
    cupy.cuda.runtime.deviceSynchronize()
    best = math.inf
    kernel((1,), (32,), (x,))
    for _ in range(200):
        cupy.cuda.runtime.deviceSynchronize()
        start = time.perf_counter()
        for _ in range(100):
            kernel((1,), (32,), (x,))
        best = min(best, time.perf_counter() - start)
    a, b = (cupy.random.random((2048, 2048), dtype=cupy.float32) for _ in "ab")
    return {"launch, 1 array (us)": 1e4 * best}


def first(name):
    """Milliseconds from the context to the end of the first kernel."""
    cuda = engine(name)
    cuda.current_context()
    x = cuda.to_device(np.zeros(32))
    cuda.synchronize()
    start = time.perf_counter()

    @cuda.jit
    def k(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] += 1

    k[1, 32](x)
    cuda.synchronize()
    print(1e3 * (time.perf_counter() - start))


def main():
    if sys.argv[1:2] == ["first"]:
        return first(sys.argv[2])
    tables = {}
    for name in ("numjit", "numba"):
        try:
            tables[name] = measure(name)
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {error}")
            tables[name] = {}
        command = [sys.executable, __file__, "first", name]
        done = [subprocess.run(command, capture_output=True, text=True) for _ in range(3)]
        times = [float(each.stdout) for each in done if each.returncode == 0]
        tables[name]["first kernel (ms)"] = min(times) if times else math.nan
    try:
        tables["cupy"] = measure_cupy()
    except Exception as error:
        print(f"cupy: {type(error).__name__}: {error}")
        tables["cupy"] = {}
    print(f"{'':26}{'numjit':>10}{'numba':>10}{'cupy':>10}{'ratio':>8}")
    for label in tables["numjit"]:
        values = [tables[name].get(label, math.nan) for name in ("numjit", "numba", "cupy")]
        print(f"{label:26}" + "".join(f"{v:10.3f}" for v in values) + f"{values[0] / values[1]:8.2f}")


if __name__ == "__main__":
    main()
