"""Arrays on a GPU: numjit.cupy beside CuPy, in one process on one device.

    python tests/bench/gpu_arrays.py              all tables
    python tests/bench/gpu_arrays.py small sum    rows of one table whose names contain a word
    python tests/bench/gpu_arrays.py first        first calls, in processes of their own

Both libraries take turns; each time is the least of several rounds. Large rows are milliseconds
until the device is done; small ones microseconds of a call in a series that nobody waits for.
"""

import os
import subprocess
import sys
import tempfile
import time

import numpy as np

ROUNDS, CALLS = 9, 71


def computed(x):
    """Makes numjit compute what it would leave for later."""
    for each in x if isinstance(x, tuple) else (x,):
        if hasattr(each, "_force"):
            each._force()


def elementwise(cp):
    return cp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_difference")


def norm_kernel(cp):
    return cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")


def raw(cp):
    return cp.RawKernel(
        'extern "C" __global__ void touch(float *x) { if (threadIdx.x == 0) x[0] = 1; }', "touch"
    )


def large_rows(cp, rng):
    """(name, function); arrays are made when a row begins."""

    def chain():
        z = cp.ones(10**9)

        def run():
            nonlocal z
            z *= 5
            z *= z
            z += z
            computed(z)

        return run

    def ones_then():
        def run():
            x = cp.ones((1000,) * 3)
            x *= 5
            computed(x)

        return run

    def over(n, dtype, function):
        def make():
            x = cp.asarray(rng.random(n).astype(dtype))
            return lambda: computed(function(x))

        return make

    def total(axis, shape):
        def make():
            x = cp.ones(shape)
            return lambda: computed(x.sum(axis=axis))

        return make

    def bincount():
        x = cp.asarray(rng.integers(0, 1000, 1 << 24))
        return lambda: computed(cp.bincount(x))

    def product():
        a = cp.asarray(rng.random((4096, 4096), dtype=np.float32))
        return lambda: computed(a @ a)

    return {
        "z *= 5; z *= z; z += z, 10^9": chain,
        "ones(10^9), then *= 5": ones_then,
        "sum of 10^9": total(None, (10**9,)),
        "sum(axis=0) 10^5 x 10^4": total(0, (10**5, 10**4)),
        "sum(axis=1) 10^5 x 10^4": total(1, (10**5, 10**4)),
        "std of 2^26": over(1 << 26, "f8", lambda x: x.std()),
        "sort 2^26 float64": over(1 << 26, "f8", cp.sort),
        "sort 2^26 float32": over(1 << 26, "f4", cp.sort),
        "argsort 2^26 float64": over(1 << 26, "f8", cp.argsort),
        "sort 2^24 float64": over(1 << 24, "f8", cp.sort),
        "cumsum 2^26": over(1 << 26, "f8", cp.cumsum),
        "histogram 2^24, 100 bins": over(1 << 24, "f8", lambda x: cp.histogram(x, 100)),
        "bincount 2^24": bincount,
        "matmul 4096 float32": product,
    }


def small_rows(cp, rng):
    a = cp.asarray(rng.random(1000, dtype=np.float32))
    b = cp.asarray(rng.random(1000, dtype=np.float32))
    m = cp.asarray(rng.random((1000, 1000), dtype=np.float32))
    s = cp.asarray(rng.random((64, 64), dtype=np.float32))
    million = cp.asarray(rng.random(10**6, dtype=np.float32))
    other = cp.asarray(rng.random(10**6, dtype=np.float32))
    mask, index = a > 0.5, cp.asarray(rng.integers(0, 1000, 1000))
    computed(mask)
    squared, norm, touch = elementwise(cp), norm_kernel(cp), raw(cp)
    return {
        "a + b": lambda: a + b,
        "(a - b) * (a - b) + 1": lambda: (a - b) * (a - b) + 1,
        "a[10:500]": lambda: a[10:500],
        "copy": lambda: a.copy(),
        "zeros": lambda: cp.zeros(1000),
        "zeros (100, 100) float32": lambda: cp.zeros((100, 100), np.float32),
        "empty": lambda: cp.empty(1000),
        "arange": lambda: cp.arange(1000),
        "sum": lambda: a.sum(),
        "sum(axis=0) 64 x 64": lambda: s.sum(axis=0),
        "sum(axis=0) 1000 x 1000": lambda: m.sum(axis=0),
        "sum(axis=1) 1000 x 1000": lambda: m.sum(axis=1),
        "mean": lambda: a.mean(),
        "mean(axis=0) 64 x 64": lambda: s.mean(axis=0),
        "std": lambda: a.std(),
        "argmax": lambda: a.argmax(),
        "linalg.norm": lambda: cp.linalg.norm(a),
        "linalg.norm(axis=1)": lambda: cp.linalg.norm(s, axis=1),
        "dot": lambda: a.dot(b),
        "matmul 64 x 64": lambda: s @ s,
        "histogram": lambda: cp.histogram(a, 10),
        "histogram, range": lambda: cp.histogram(a, 10, (0, 1)),
        "bincount": lambda: cp.bincount(index),
        "sort": lambda: cp.sort(a),
        "argsort": lambda: cp.argsort(a),
        "a[mask]": lambda: a[mask],
        "a[index]": lambda: a[index],
        "where": lambda: cp.where(mask, a, b),
        "cumsum": lambda: cp.cumsum(a),
        "concatenate": lambda: cp.concatenate([a, b]),
        "percentile": lambda: cp.percentile(a, 30),
        "median": lambda: cp.median(a),
        "fft": lambda: cp.fft.fft(a),
        "random.rand": lambda: cp.random.rand(1000),
        "ElementwiseKernel": lambda: squared(a, b),
        "ElementwiseKernel, 10^6": lambda: squared(million, other),
        "ReductionKernel": lambda: norm(a),
        "ReductionKernel, 10^6": lambda: norm(million),
        "RawKernel": lambda: touch((1,), (32,), (a,)),
    }


def once(cp, function, calls):
    cp.cuda.runtime.deviceSynchronize()
    start = time.perf_counter()
    for _ in range(calls):
        computed(function())
    if calls == 1:
        cp.cuda.runtime.deviceSynchronize()
    elapsed = time.perf_counter() - start
    cp.cuda.runtime.deviceSynchronize()
    return elapsed / calls


def table(title, rows_of, libraries, words, calls, scale, made):
    print(f"{title:32}{'CuPy':>10}{'numjit':>10}{'ratio':>8}", flush=True)
    rows = {name: rows_of(cp, np.random.default_rng(0)) for name, cp in libraries.items()}
    ratios = []
    for row in next(iter(rows.values())):
        if words and not any(word in row for word in words):
            continue
        times = {}
        for name, cp in libraries.items():
            times[name] = float("inf")
        try:
            if made:
                for name, cp in libraries.items():
                    function = rows[name][row]()
                    once(cp, function, 1)
                    times[name] = min(once(cp, function, 1) for _ in range(ROUNDS))
                    del function
                    cp.get_default_memory_pool().free_all_blocks()
            else:
                for _ in range(ROUNDS):
                    for name, cp in libraries.items():
                        times[name] = min(times[name], once(cp, rows[name][row], calls))
        except Exception as error:
            print(f"{row:32}{type(error).__name__}: {error}"[:110], flush=True)
            continue
        peer, own = (scale * times.get(name, float("nan")) for name in ("cupy", "numjit"))
        ratios.append(own / peer)
        print(f"{row:32}{peer:10.2f}{own:10.2f}{own / peer:8.2f}", flush=True)
    if ratios:
        print(f"{'geometric mean':52}{np.exp(np.mean(np.log(ratios))):8.2f}")


_FIRST = """
import sys, time
start = time.perf_counter()
import numpy as np
numpy = time.perf_counter()
if sys.argv[1] == "numjit":
    import numjit.cupy as cp
else:
    import cupy as cp
imported = time.perf_counter()
x = cp.zeros(1000, np.float32)
getattr(x, "_force", int)()
cp.cuda.runtime.deviceSynchronize()
begin = time.perf_counter()
k = cp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_difference")
k(x, x)
cp.cuda.runtime.deviceSynchronize()
end = time.perf_counter()
print(f"{1e3 * (imported - numpy):.0f} {1e3 * (begin - imported):.0f} {1e3 * (end - begin):.2f}")
"""


def first():
    """Import, first array (with the context), first ElementwiseKernel; without and with caches."""
    print(f"{'first calls, ms':32}{'import':>10}{'array':>10}{'kernel':>10}")
    for name in ("cupy", "numjit"):
        with tempfile.TemporaryDirectory() as folder:
            variables = {**os.environ, "CUPY_CACHE_DIR": folder, "NUMJIT_CACHE_DIR": folder}
            for what in ("nothing cached", "from disk", "from disk"):
                done = subprocess.run(
                    [sys.executable, "-c", _FIRST, name], env=variables, text=True, check=True,
                    stdout=subprocess.PIPE,
                )  # fmt: skip
                print(f"{name + ', ' + what:32}" + "".join(f"{n:>10}" for n in done.stdout.split()))


def main():
    which, words = (sys.argv[1:2] or ["all"])[0], sys.argv[2:]
    if which in ("all", "first"):
        first()
    if which == "first":
        return
    import cupy
    import numjit.cupy

    libraries = {"cupy": cupy, "numjit": numjit.cupy}
    if which in ("all", "small"):
        table("microseconds of a call", small_rows, libraries, words, CALLS, 1e6, False)
    if which in ("all", "large"):
        table("milliseconds", large_rows, libraries, words, 1, 1e3, True)


if __name__ == "__main__":
    main()
