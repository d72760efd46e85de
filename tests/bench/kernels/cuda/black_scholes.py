"""Prices of European options by Black and Scholes, in float32 and in float64."""

import functools
import math

import numpy as np
from gpu_kernel import GpuKernel, Problem, blocks

THREADS = 256

SOURCE = r"""
__device__ real normal(real x) {
  return (real)0.5 * (1 + erf(x * (real)0.7071067811865476));
}

extern "C" __global__ void prices(const real *price, const real *strike, const real *years,
                                  real rate, real volatility, real *call, real *put, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    real s = price[i], k = strike[i], t = years[i];
    real spread = volatility * sqrt(t);
    real d1 = (log(s / k) + (rate + (real)0.5 * volatility * volatility) * t) / spread;
    real d2 = d1 - spread;
    real discounted = k * exp(-rate * t);
    call[i] = s * normal(d1) - discounted * normal(d2);
    put[i] = discounted * normal(-d2) - s * normal(-d1);
  }
}
"""


def kernels(real, cuda):
    half, one, root = real(0.5), real(1), real(math.sqrt(0.5))

    @cuda.jit(device=True)
    def normal(x):
        return half * (one + math.erf(x * root))

    @cuda.jit
    def prices(price, strike, years, rate, volatility, call, put):
        i = cuda.grid(1)
        if i < price.size:
            s, k, t = price[i], strike[i], years[i]
            spread = volatility * math.sqrt(t)
            d1 = (math.log(s / k) + (rate + half * volatility * volatility) * t) / spread
            d2 = d1 - spread
            discounted = k * math.exp(-rate * t)
            call[i] = s * normal(d1) - discounted * normal(d2)
            put[i] = discounted * normal(-d2) - s * normal(-d1)

    return (prices,)


def prices_of(s, k, t, rate, volatility):
    normal = np.vectorize(lambda x: 0.5 * math.erfc(-x * math.sqrt(0.5)))
    spread = volatility * np.sqrt(t)
    d1 = (np.log(s / k) + (rate + volatility**2 / 2) * t) / spread
    d2 = d1 - spread
    discounted = k * np.exp(-rate * t)
    call = s * normal(d1) - discounted * normal(d2)
    return call, discounted * normal(-d2) - s * normal(-d1)


def problem(real, tolerance, full):
    n = 1 << 25 if full else 3000
    random = np.random.default_rng(13)
    ranges = {"price": (5, 30), "strike": (1, 100), "years": (0.25, 10)}
    arrays = {
        name: (low + (high - low) * random.random(n, dtype=real)).astype(real)
        for name, (low, high) in ranges.items()
    }
    arrays |= {name: np.zeros(n, real) for name in ("call", "put")}
    rate, volatility = real(0.02), real(0.3)

    def run(launch, price, strike, years, call, put):
        arguments = price, strike, years, rate, volatility, call, put
        launch("prices", (blocks(n, THREADS),), (THREADS,), *arguments, sizes=(n,))

    def expected():
        """Of every 1000th option in full size."""
        some = slice(None, None, 1000 if full else 1)
        given = (arrays[name][some].astype("f8") for name in ranges)
        values = prices_of(*given, float(rate), float(volatility))
        return {name: (some, each) for name, each in zip(("call", "put"), values)}

    return Problem(arrays, run, expected, tolerance)


def of_type(real, name, tolerance):
    return GpuKernel(
        functools.partial(kernels, real),
        f"typedef {name} real;\n{SOURCE}",
        functools.partial(problem, real, tolerance),
    )


KERNELS = {
    "Black-Scholes, float32": of_type(np.float32, "float", 1e-4),
    "Black-Scholes, float64": of_type(np.float64, "double", 1e-12),
}
