"""Parallel loops, expressions and ufuncs: every engine beside NumPy, alternating in one process."""

import numpy as np
from compare import difference
from engines import find_engine
from steady import Contender

RNG = np.random.default_rng(17)


def reduction(engine):
    prange = engine.prange

    @engine.njit(parallel=True)
    def total(a):
        s = 0.0
        for i in prange(len(a)):
            s += a[i] * a[i]
        return s

    return total


def expression(engine):
    @engine.njit(parallel=True)
    def evaluate(a, b, c):
        return np.sqrt(a * a + b * b) * c - 2 * a / (b + 1)

    return evaluate


def pairwise(engine):
    prange = engine.prange

    @engine.njit(parallel=True)
    def distances(x):
        n, d = x.shape
        out = np.empty((n, n))
        for i in prange(n):
            for j in range(n):
                s = 0.0
                for k in range(d):
                    t = x[i, k] - x[j, k]
                    s += t * t
                out[i, j] = np.sqrt(s)
        return out

    return distances


def logistic(engine):
    @engine.njit(parallel=True)
    def regression(y, x, w, rounds):
        for _ in range(rounds):
            w = w - np.dot(((1.0 / (1.0 + np.exp(-y * np.dot(x, w))) - 1.0) * y), x)
        return w

    return regression


def start(engine):
    """A loop with next to no work: what a parallel region costs."""
    prange = engine.prange

    @engine.njit(parallel=True)
    def few(a):
        for i in prange(len(a)):
            a[i] += 1.0
        return a

    return few


def clip(engine):
    @engine.vectorize(["float32(float32, float32, float32)"])
    def between(x, low, high):
        return min(max(x, low), high)

    return between


def clip_parallel(engine):
    @engine.vectorize(["float32(float32, float32, float32)"], target="parallel")
    def between(x, low, high):
        return min(max(x, low), high)

    return between


def _sum_of_squares(a):
    return np.dot(a, a)


def _distances(x):
    return np.sqrt(((x[:, None] - x) ** 2).sum(2))


def _logistic(y, x, w, rounds):
    for _ in range(rounds):
        w = w - np.dot(((1.0 / (1.0 + np.exp(-y * np.dot(x, w))) - 1.0) * y), x)
    return w


_A, _B, _C = RNG.random((3, 1_000_000))
_FLOATS = (RNG.random(1_000_000).astype(np.float32), np.float32(0.25), np.float32(0.75))

#: name: (what makes it for an engine, arguments, NumPy's way)
ROWS = {
    "reduction, 10^7": (reduction, (RNG.random(10**7),), _sum_of_squares),
    "array expression, 10^6": (
        expression,
        (_A, _B, _C),
        lambda a, b, c: np.sqrt(a * a + b * b) * c - 2 * a / (b + 1),
    ),
    "pairwise distances, 1000 x 8": (pairwise, (RNG.random((1000, 8)),), _distances),
    "logistic regression, 20000 x 10": (
        logistic,
        (RNG.integers(0, 2, 20_000) * 2.0 - 1, RNG.random((20_000, 10)), np.zeros(10), 20),
        _logistic,
    ),
    "region start": (start, (np.zeros(2),), None),
    "clip, 10^6 float32": (clip, _FLOATS, np.clip),
    "clip, parallel, 10^6 float32": (clip_parallel, _FLOATS, np.clip),
}


def measure(engines, rounds):
    """{row: {engine or "numpy": ms}}"""
    found = {}
    for row, (make, arguments, numpy_way) in ROWS.items():
        contenders = {}
        if numpy_way:
            contenders["numpy"] = Contender(lambda f=numpy_way, a=arguments: f(*a))
        for name in engines.split(","):
            function = make(find_engine(name))
            result = function(*arguments)
            if numpy_way and difference(result, numpy_way(*arguments), 1e-6):
                raise AssertionError(f"MISMATCH: {row} by {name}")
            contenders[name] = Contender(lambda f=function, a=arguments: f(*a))
        for _ in range(int(rounds)):
            for contender in contenders.values():
                contender.play()
        found[row] = {name: contender.best * 1e3 for name, contender in contenders.items()}
    return found
