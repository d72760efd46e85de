"""Generator and RandomState: random numbers on the device."""

from __future__ import annotations

import hashlib
import operator
import os
import threading

import numpy as np

from . import linalg
from .creation import array, asarray, empty
from .indexing import launch
from .manipulation import broadcast_to
from .ndarrays import as_shape, ndarray
from .random_checks import check, checked_population
from .random_more import MoreDistributions
from .random_text import random_kernel
from .scans import cumsum
from .sorting import argsort, searchsorted
from .ufuncs import call


def _seed_of(seed):
    """64 bits of a seed; arrays are hashed."""
    if seed is None:
        return int.from_bytes(os.urandom(8), "little")
    if isinstance(seed, ndarray):
        seed = seed.get()
    if isinstance(seed, (np.ndarray, list, tuple)):
        data = np.asarray(seed).tobytes()
        return int.from_bytes(hashlib.md5(data, usedforsecurity=False).digest()[:8], "little")
    if hasattr(seed, "_seed"):
        return seed._seed
    return operator.index(bool(seed) if isinstance(seed, np.bool_) else seed) & (2**64 - 1)


class BitGenerator:
    """A source of random words: Philox, whatever the class is called."""

    def __init__(self, seed=None):
        self._seed = _seed_of(seed)
        self._words = None

    def random_raw(self, size=None):
        """Random words of 32 bits."""
        if self._words is None:
            self._words = RandomState(self._seed)
        return self._words._integers(0, 1 << 32, size, np.uint32)


class XORWOW(BitGenerator):
    """cupy.random.XORWOW."""


class MRG32k3a(BitGenerator):
    """cupy.random.MRG32k3a."""


class Philox4x3210(BitGenerator):
    """cupy.random.Philox4x3210."""


_lock = threading.Lock()


class _Numbers(MoreDistributions):
    """What both kinds of generators have."""

    _no_parameter = TypeError

    def _start(self, seed):
        self._key, self._block = _seed_of(seed), 0

    def _draw(self, name, size, first=0.0, second=0.0, dtype=float, kind=np.float64):
        if first is None or second is None:
            raise self._no_parameter("None is no parameter of a distribution")
        first, second = _parameter(first), _parameter(second)
        check(name, first, second)
        shape = np.broadcast_shapes(*(e.shape for e in (first, second) if isinstance(e, ndarray)))
        size = shape if size is None else as_shape(size)
        np.broadcast_shapes(size, shape)
        out = empty(size, dtype)
        with _lock:  # threads that share a generator have numbers of their own
            self._block += 1
            block = self._block
        if not out.size:
            return out
        given = []
        for each in (first, second):
            if isinstance(each, ndarray):
                each = broadcast_to(each.astype(kind, copy=False), size).ravel()._force()
            else:
                each = kind(each)
            given.append(each)
        arrays = isinstance(first, ndarray), isinstance(second, ndarray)
        kernel = random_kernel(name, *arrays)
        line = out.reshape(-1)._force()
        launch(kernel, out.size, line, np.uint64(self._key), np.int64(block), *given)
        return out

    def _draw_into(self, out, name, size, first, second, dtype):
        if np.dtype(dtype).char not in "fd":
            raise TypeError(f"Unsupported dtype {np.dtype(dtype)!r} for the distribution {name}")
        if out is None:
            return self._draw(name, size, first, second, dtype)
        found = self._draw(name, out.shape if size is None else size, first, second, dtype)
        if out.shape != found.shape:
            raise ValueError(f"output array has the shape {out.shape}, not {found.shape}")
        if not out.flags.c_contiguous:
            raise ValueError("output array must be C-contiguous")
        if out.dtype != found.dtype:
            raise TypeError(f"output array has the type {out.dtype}, not {found.dtype}")
        out[...] = found
        return out

    def uniform(self, low=0.0, high=1.0, size=None, dtype=float):
        return self._draw("uniform", size, low, high, dtype)

    def normal(self, loc=0.0, scale=1.0, size=None, dtype=float):
        return self._draw("normal", size, loc, scale, dtype)

    def standard_normal(self, size=None, dtype=float, out=None):
        return self._draw_into(out, "normal", size, 0.0, 1.0, dtype)

    def lognormal(self, mean=0.0, sigma=1.0, size=None, dtype=float):
        return self._draw("lognormal", size, mean, sigma, dtype)

    def exponential(self, scale=1.0, size=None, dtype=float):
        return self._draw("exponential", size, scale, 0.0, dtype)

    def standard_exponential(self, size=None, dtype=float, method="inv", out=None):
        return self._draw_into(out, "exponential", size, 1.0, 0.0, dtype)

    def gamma(self, shape, scale=1.0, size=None, dtype=float):
        return self._draw("gamma", size, shape, scale, dtype)

    def standard_gamma(self, shape, size=None, dtype=float, out=None):
        return self._draw_into(out, "gamma", size, shape, 1.0, dtype)

    def chisquare(self, df, size=None, dtype=float):
        return self._draw("chisquare", size, df, 0.0, dtype)

    def beta(self, a, b, size=None, dtype=float):
        return self._draw("beta", size, a, b, dtype)

    def standard_t(self, df, size=None, dtype=float):
        return self._draw("standard_t", size, df, 0.0, dtype)

    def f(self, dfnum, dfden, size=None, dtype=float):
        return self._draw("fdist", size, dfnum, dfden, dtype)

    def poisson(self, lam=1.0, size=None, dtype=np.int64):
        return self._draw("poisson", size, lam, 0.0, dtype)

    def binomial(self, n, p, size=None, dtype=np.int64):
        return self._draw("binomial", size, n, p, dtype)

    def geometric(self, p, size=None, dtype=np.int64):
        return self._draw("geometric", size, p, 0.0, dtype)

    def gumbel(self, loc=0.0, scale=1.0, size=None, dtype=float):
        return self._draw("gumbel", size, loc, scale, dtype)

    def laplace(self, loc=0.0, scale=1.0, size=None, dtype=float):
        return self._draw("laplace", size, loc, scale, dtype)

    def logistic(self, loc=0.0, scale=1.0, size=None, dtype=float):
        return self._draw("logistic", size, loc, scale, dtype)

    def rayleigh(self, scale=1.0, size=None, dtype=float):
        return self._draw("rayleigh", size, scale, 0.0, dtype)

    def weibull(self, a, size=None, dtype=float):
        return self._draw("weibull", size, a, 0.0, dtype)

    def pareto(self, a, size=None, dtype=float):
        return self._draw("pareto", size, a, 0.0, dtype)

    def power(self, a, size=None, dtype=float):
        return self._draw("power", size, a, 0.0, dtype)

    def standard_cauchy(self, size=None, dtype=float):
        return self._draw("cauchy", size, 0.0, 0.0, dtype)

    def multivariate_normal(self, mean, cov, size=None, dtype=float, **ignored):
        mean, cov = asarray(mean), asarray(cov)
        shape = () if size is None else as_shape(size)
        drawn = self.normal(size=(*shape, mean.size))
        return (drawn @ linalg.cholesky(cov).T + mean).astype(dtype, copy=False)

    def _integers(self, low, high, size, dtype, endpoint=False):
        """Whole numbers of [low, high)."""
        if high is None:
            low, high = 0, low
        dtype = np.dtype(dtype)
        if not np.isscalar(low) or not np.isscalar(high):
            low, high = asarray(low).astype(np.int64), asarray(high).astype(np.int64)
            if bool((low >= high + int(endpoint)).any()):
                raise ValueError("low >= high")
            count = high - low + int(endpoint)
            size = np.broadcast_shapes(low.shape, high.shape) if size is None else size
            return (low + (self.uniform(size=size) * count).astype(np.int64)).astype(dtype)
        low, high = int(low), int(high) + bool(endpoint)
        if low >= high:
            raise ValueError("low >= high")
        info = np.iinfo(dtype) if dtype.kind in "iu" else None
        if info is not None and low < info.min:
            raise ValueError(f"low is out of bounds for {dtype}")
        if info is not None and high - 1 > info.max:
            raise ValueError(f"high is out of bounds for {dtype}")
        size = () if size is None else as_shape(size)
        wide = np.uint64 if dtype == np.uint64 else np.int64
        drawn = empty(size, wide)
        with _lock:
            self._block += 1
            block = self._block
        if drawn.size:
            kernel = random_kernel("integer", False, False)
            line = drawn.reshape(-1)._force()
            signed = np.array(low & (2**64 - 1), np.uint64).view(np.int64)[()]
            count = np.uint64((high - low) & (2**64 - 1))
            launch(kernel, drawn.size, line, np.uint64(self._key), np.int64(block), signed,
                   count)  # fmt: skip
        return drawn.astype(dtype, copy=False)

    def permutation(self, a):
        """A shuffled copy, or shuffled numbers."""
        count = a if isinstance(a, (int, np.integer)) else len(a)
        order = argsort(self.uniform(size=count))
        return order if isinstance(a, (int, np.integer)) else asarray(a)[order]

    def shuffle(self, a):
        """Shuffles along the first axis."""
        a[...] = self.permutation(a)

    def choice(self, a, size=None, replace=True, p=None):
        """Elements of a vector, or of range(a)."""
        count, p = checked_population(a, p)
        shape = () if size is None else as_shape(size)
        total = int(np.prod(shape))
        if not count and total:
            raise ValueError("a must be greater than 0")
        if not replace:
            if total > count:
                raise ValueError("Cannot take a larger sample than population when "
                                 "'replace=False'")  # fmt: skip
            keys = self.uniform(size=count)
            if p is not None:
                keys = -(call(np.log, (keys,)) / asarray(p))
            found = argsort(keys)[:total].reshape(shape)
        elif p is not None and total:
            ends = cumsum(asarray(p).astype(float))
            found = searchsorted(ends / ends[-1], self.uniform(size=shape), side="right")
            found = found.clip(0, count - 1)
        else:
            found = self._integers(0, count, shape, np.int64) if count else empty(shape, np.int64)
        return found if isinstance(a, (int, np.integer)) else asarray(a)[found]


def _parameter(value):
    if isinstance(value, (list, tuple, np.ndarray)) and np.ndim(value):
        return array(value)
    if isinstance(value, np.ndarray):
        return value.item()
    return value


class Generator(_Numbers):
    """cupy.random.Generator."""

    def __init__(self, bit_generator):
        self.bit_generator = bit_generator

    @property
    def bit_generator(self):
        return self._bit_generator

    @bit_generator.setter
    def bit_generator(self, value):
        self._bit_generator = value
        self._start(value)

    def random(self, size=None, dtype=float, out=None):
        """Numbers of [0, 1)."""
        return self._draw_into(out, "uniform", size, 0.0, 1.0, dtype)

    def integers(self, low, high=None, size=None, dtype=np.int64, endpoint=False):
        """Whole numbers of [low, high)."""
        return self._integers(low, high, size, dtype, endpoint)


class RandomState(_Numbers):
    """cupy.random.RandomState."""

    def __init__(self, seed=None, method=None):
        self._start(seed)

    _no_parameter = ValueError

    def seed(self, seed=None):
        self._start(seed)

    def hypergeometric(self, ngood, nbad, nsample, size=None, dtype=np.int64):
        """As Generator's, without empty samples."""
        check("RandomState.hypergeometric", *map(asarray, (ngood, nbad, nsample)))
        return super().hypergeometric(ngood, nbad, nsample, size, dtype)

    def tomaxint(self, size=None):
        """Whole numbers from 0 to the largest one."""
        return self._integers(0, np.iinfo(np.int64).max, size, np.int64, endpoint=True)

    def _interval(self, mx, size):
        """Whole numbers from 0 to mx."""
        dtype = np.uint32 if mx < 1 << 32 else np.uint64
        return self._integers(0, mx, size, dtype, endpoint=True)

    def rand(self, *size, dtype=float):
        return self._draw("uniform", size, 0.0, 1.0, dtype)

    def randn(self, *size, dtype=float):
        return self._draw("normal", size, 0.0, 1.0, dtype)

    def random_sample(self, size=None, dtype=float):
        """Numbers of [0, 1)."""
        return self._draw("uniform", size, 0.0, 1.0, dtype)

    random = ranf = sample = random_sample

    def randint(self, low, high=None, size=None, dtype=np.int64):
        """Whole numbers of [low, high)."""
        return self._integers(low, high, size, dtype)

    def random_integers(self, low, high=None, size=None):
        low, high = (1, low) if high is None else (low, high)
        return self._integers(low, high, size, np.int64, endpoint=True)
