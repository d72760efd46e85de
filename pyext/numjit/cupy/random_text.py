"""Random numbers in kernels: Philox 4x32-10, whose numbers are a function of a seed and a position,
so that each element has its own without a state in memory."""

from __future__ import annotations

import functools
import math

import numpy as np

from numjit.cuda.decorators import jit

from .kernel_text import compiled

_FUNCTIONS = '''
def words(seed, position, block):
    """Two words of 64 bits."""
    c0 = np.uint64(position) & MASK
    c1 = np.uint64(position) >> np.uint64(32)
    c2 = np.uint64(block) & MASK
    c3 = np.uint64(block) >> np.uint64(32)
    k0 = np.uint64(seed) & MASK
    k1 = np.uint64(seed) >> np.uint64(32)
    for _ in range(10):
        p0 = np.uint64(0xD2511F53) * c0
        p1 = np.uint64(0xCD9E8D57) * c2
        c0, c2 = ((p1 >> np.uint64(32)) ^ c1 ^ k0), ((p0 >> np.uint64(32)) ^ c3 ^ k1)
        c1, c3 = p1 & MASK, p0 & MASK
        k0 = (k0 + np.uint64(0x9E3779B9)) & MASK
        k1 = (k1 + np.uint64(0xBB67AE85)) & MASK
    return c0 | (c1 << np.uint64(32)), c2 | (c3 << np.uint64(32))


def unit(word):
    """A number in [0, 1)."""
    return np.float64(word >> np.uint64(11)) * 1.1102230246251565e-16


def uniform(seed, position, block, low, high):
    word, _ = words(seed, position, block)
    return low + (high - low) * unit(word)


def normal(seed, position, block, loc, scale):
    one, other = words(seed, position, block)
    radius = math.sqrt(-2.0 * math.log(1.0 - unit(one)))
    return loc + scale * (radius * math.cos(6.283185307179586 * unit(other)))


def lognormal(seed, position, block, mean, sigma):
    return math.exp(normal(seed, position, block, mean, sigma))


def exponential(seed, position, block, scale, unused):
    word, _ = words(seed, position, block)
    return -scale * math.log(1.0 - unit(word))


def integer(seed, position, block, low, count):
    word, _ = words(seed, position, block)
    if count == np.uint64(0):
        return np.int64(word)
    found = word % count
    again = np.int64(0)
    while word - found > ~count + np.uint64(1):  # of the last, incomplete turn of `count` words
        again += np.int64(1) << 48
        word, _ = words(seed, position, block + again)
        found = word % count
    return low + np.int64(found)


def gamma(seed, position, block, shape, scale):
    boost = 1.0
    counter = np.int64(block) * 65536
    if shape < 1.0:
        boost = uniform(seed, position, counter, 0.0, 1.0) ** (1.0 / shape)
        shape = shape + 1.0
        counter += 1
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = normal(seed, position, counter, 0.0, 1.0)
        u = uniform(seed, position, counter + 1, 0.0, 1.0)
        counter += 2
        v = 1.0 + c * x
        if v > 0.0:
            v = v * v * v
            if math.log(1.0 - u) < 0.5 * x * x + d - d * v + d * math.log(v):
                return boost * d * v * scale


def chisquare(seed, position, block, df, unused):
    return gamma(seed, position, block, df / 2.0, 2.0)


def beta(seed, position, block, a, b):
    x = gamma(seed, position, 2 * block, a, 1.0)
    y = gamma(seed, position, 2 * block + 1, b, 1.0)
    return x / (x + y)


def standard_t(seed, position, block, df, unused):
    x = normal(seed, position, 2 * block * 65536 + 131071, 0.0, 1.0)
    return x / math.sqrt(gamma(seed, position, 2 * block, df / 2.0, 2.0) / df)


def fdist(seed, position, block, dfnum, dfden):
    x = gamma(seed, position, 2 * block, dfnum / 2.0, 2.0) / dfnum
    return x / (gamma(seed, position, 2 * block + 1, dfden / 2.0, 2.0) / dfden)


def poisson(seed, position, block, lam, unused):
    """Arrivals in a unit of time, of large rates in pieces."""
    total = np.int64(0)
    counter = np.int64(block) * 1048576
    while lam > 0.0:
        part = min(lam, 500.0)
        lam -= part
        left = math.exp(-part)
        product = 1.0
        while True:
            product *= 1.0 - uniform(seed, position, counter, 0.0, 1.0)
            counter += 1
            if product <= left:
                break
            total += 1
    return total


def binomial(seed, position, block, n, p):
    total = np.int64(0)
    counter = np.int64(block) * 1048576
    for _ in range(np.int64(n)):
        if uniform(seed, position, counter, 0.0, 1.0) < p:
            total += 1
        counter += 1
    return total


def geometric(seed, position, block, p, unused):
    if p >= 1.0:
        return np.int64(1)
    u = uniform(seed, position, block, 0.0, 1.0)
    return np.int64(math.ceil(math.log(1.0 - u) / math.log(1.0 - p))) if u > 0.0 else np.int64(1)


def gumbel(seed, position, block, loc, scale):
    u = uniform(seed, position, block, 0.0, 1.0)
    return loc - scale * math.log(-math.log(1.0 - u) + 5e-324)


def laplace(seed, position, block, loc, scale):
    u = uniform(seed, position, block, 0.0, 1.0) - 0.5
    return loc - scale * math.copysign(math.log(1.0 - 2.0 * abs(u) + 5e-324), u)


def logistic(seed, position, block, loc, scale):
    u = uniform(seed, position, block, 0.0, 1.0)
    return loc + scale * (math.log(u + 5e-324) - math.log(1.0 - u))


def rayleigh(seed, position, block, scale, unused):
    u = uniform(seed, position, block, 0.0, 1.0)
    return scale * math.sqrt(-2.0 * math.log(1.0 - u))


def weibull(seed, position, block, a, unused):
    u = uniform(seed, position, block, 0.0, 1.0)
    return (-math.log(1.0 - u)) ** (1.0 / a)


def pareto(seed, position, block, a, unused):
    u = uniform(seed, position, block, 0.0, 1.0)
    return math.exp(-math.log(1.0 - u) / a) - 1.0


def power(seed, position, block, a, unused):
    u = uniform(seed, position, block, 0.0, 1.0)
    return u ** (1.0 / a)


def cauchy(seed, position, block, unused, other):
    u = uniform(seed, position, block, 0.0, 1.0)
    return math.tan(3.141592653589793 * (u - 0.5))


def vonmises(seed, position, block, mu, kappa):
    counter = np.int64(block) * 65536
    if kappa < 1e-8:
        return 6.283185307179586 * (uniform(seed, position, counter, 0.0, 1.0) - 0.5)
    tau = 1.0 + math.sqrt(1.0 + 4.0 * kappa * kappa)
    rho = (tau - math.sqrt(2.0 * tau)) / (2.0 * kappa)
    r = (1.0 + rho * rho) / (2.0 * rho)
    while True:
        z = math.cos(3.141592653589793 * uniform(seed, position, counter, 0.0, 1.0))
        w = (1.0 + r * z) / (r + z)
        y = kappa * (r - w)
        v = 1.0 - uniform(seed, position, counter + 1, 0.0, 1.0)
        counter += 2
        if y * (2.0 - y) - v >= 0.0 or math.log(y / v) + 1.0 - y >= 0.0:
            break
    angle = math.acos(min(max(w, -1.0), 1.0))
    if uniform(seed, position, counter, 0.0, 1.0) < 0.5:
        angle = -angle
    found = mu + angle
    return found - 6.283185307179586 * math.floor((found + 3.141592653589793) / 6.283185307179586)


def zipf(seed, position, block, a, unused):
    counter = np.int64(block) * 65536
    below = a - 1.0
    b = 2.0 ** below
    while True:
        u = 1.0 - uniform(seed, position, counter, 0.0, 1.0)
        v = uniform(seed, position, counter + 1, 0.0, 1.0)
        counter += 2
        x = math.floor(u ** (-1.0 / below))
        if x > 9.2e18 or x < 1.0:
            continue
        t = (1.0 + 1.0 / x) ** below
        if v * x * (t - 1.0) / (b - 1.0) <= t / b:
            return np.int64(x)


def logseries(seed, position, block, p, unused):
    counter = np.int64(block) * 65536
    r = math.log1p(-p)
    while True:
        v = uniform(seed, position, counter, 0.0, 1.0)
        if v >= p:
            return np.int64(1)
        u = uniform(seed, position, counter + 1, 0.0, 1.0)
        counter += 2
        q = -math.expm1(r * u)
        if v <= q * q:
            if v > 0.0 and q > 0.0:
                found = np.int64(math.floor(1.0 + math.log(v) / math.log(q)))
                if found >= 1:
                    return found
            continue
        return np.int64(1) if v >= q else np.int64(2)
'''

_KERNEL = """
def kernel(out, seed, block, first, second):
    i = cuda.grid(1)
    step = cuda.gridsize(1)
    while i < out.size:
        out[i] = NAME(seed, i, block, A, B)
        i += step
"""


@functools.cache
def _namespace():
    space = {"np": np, "math": math, "MASK": np.uint64(0xFFFFFFFF)}
    exec(compile(_FUNCTIONS, "<numjit.cupy.random>", "exec"), space)
    for name, value in list(space.items()):
        if (
            callable(value)
            and getattr(value, "__module__", None) is None
            or (hasattr(value, "__code__"))
        ):
            space[name] = jit(value, device=True)
    return space


@functools.cache
def random_kernel(name, first_is_array, second_is_array):
    """The kernel of a distribution, whose parameters are numbers or arrays like the result."""
    text = _KERNEL.replace("NAME", "function")
    text = text.replace("A, B", f"first{'[i]' * first_is_array}, second{'[i]' * second_is_array}")
    return compiled(text, function=_namespace()[name])
