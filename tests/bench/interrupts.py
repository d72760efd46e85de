"""Ctrl-C: how soon loops of several shapes end, and what their interrupt points cost."""

import os
import signal
import time

import catalogue
import numpy as np
from engines import find_engine
from steady import Contender

DELAY = 0.2  # seconds from the start of a loop to its signal
KERNELS = (
    "matrix_sum",
    "max_pool",
    "laplace",
    "nbody",
    "collatz",
    "fib",
    "levenshtein",
    "mandelbrot",
)


def bits(n):
    t = 0
    for i in range(n * 10**15):
        t ^= i + (t >> 3)
    return t


def rows(n):
    a = np.ones((1000, 1000))
    t = 0.0
    while n > 0:
        for i in range(1000):
            for j in range(1000):
                t += a[i, j]
    return t


def expressions(n):
    a = np.ones(1_000_000)
    while n > 0:
        a = np.sqrt(a * a + 1.0) - 0.5
    return a[0]


def calls(n):
    if n > 60:
        return 1
    return calls(n + 1) + calls(n + 1) + calls(n + 1)


LOOPS = (bits, rows, expressions, calls)


def latency(function, repeats):
    """The longest time from the signal to the KeyboardInterrupt, ms."""
    # A timer of the kernel's: no thread of ours would run while the loop holds the GIL.
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    worst = 0.0
    for _ in range(repeats):
        signal.setitimer(signal.ITIMER_REAL, DELAY)
        start = time.perf_counter()
        try:
            function(1)
        except KeyboardInterrupt:
            worst = max(worst, (time.perf_counter() - start - DELAY) * 1e3)
    return worst


def cost(name, rounds):
    """Run time with interrupt points over run time without."""
    kinds = {}
    for polls in ("1", "0"):
        os.environ["NUMJIT_POLLS"] = polls
        kernel = catalogue.load(name, "numjit")
        arguments = kernel.arguments()
        kernel.function(*arguments)
        kinds[polls] = Contender(lambda f=kernel.function, a=arguments: f(*a))
    for _ in range(rounds):
        for contender in kinds.values():
            contender.play()
    return kinds["1"].best / kinds["0"].best


def measure(engine, repeats):
    global calls
    if engine != "numjit":
        return {}  # Numba's loops do not answer
    njit = find_engine(engine).njit
    calls = njit(calls)
    shapes = {f.__name__: calls if f.__name__ == "calls" else njit(f) for f in LOOPS}
    return {
        "latency_ms": {name: latency(f, int(repeats)) for name, f in shapes.items()},
        "cost": {name: cost(name, 3 * int(repeats)) for name in KERNELS},
    }
