"""Distributions that are made of others, and those of whole numbers that are drawn one by one."""

from __future__ import annotations

import numpy as np

from .creation import asarray, empty, zeros
from .manipulation import where
from .ndarrays import as_shape
from .random_checks import check
from .ufuncs import wrapped


class MoreDistributions:
    """What a generator has beside what it draws directly."""

    def triangular(self, left, mode, right, size=None, dtype=float):
        """A triangle between left and right, highest at mode."""
        left, mode, right = (asarray(each).astype(float) for each in (left, mode, right))
        if bool((left > mode).any()) or bool((mode > right).any()) or bool((left == right).any()):
            raise ValueError("left <= mode <= right and left < right must hold")
        shape = np.broadcast_shapes(left.shape, mode.shape, right.shape)
        u = self.uniform(size=shape if size is None else size)
        peak = (mode - left) / (right - left)
        sqrt = wrapped(np.sqrt)
        rising = left + sqrt(u * (right - left) * (mode - left))
        falling = right - sqrt((1 - u) * (right - left) * (right - mode))
        return where(u < peak, rising, falling).astype(dtype, copy=False)

    def wald(self, mean, scale, size=None, dtype=float):
        """The inverse Gaussian (Michael, Schucany and Haas, 1976)."""
        mean, scale = asarray(mean).astype(float), asarray(scale).astype(float)
        shape = np.broadcast_shapes(mean.shape, scale.shape) if size is None else size
        y = mean * self.normal(size=shape) ** 2
        x = mean + mean / (2 * scale) * (y - wrapped(np.sqrt)(4 * scale * y + y * y))
        return where(self.uniform(size=shape) <= mean / (mean + x), x, mean * mean / x).astype(
            dtype, copy=False
        )

    def vonmises(self, mu, kappa, size=None, dtype=float):
        """The circular normal distribution (Best and Fisher, 1979)."""
        found = self._draw("vonmises", size, mu, kappa, dtype)
        return found

    def negative_binomial(self, n, p, size=None, dtype=np.int64):
        """Failures before n successes of probability p."""
        n, p = asarray(n).astype(float), asarray(p).astype(float)
        return self.poisson(self.gamma(n, (1 - p) / p, size), dtype=dtype)

    def noncentral_chisquare(self, df, nonc, size=None, dtype=float):
        """Chi-square around something else than 0."""
        df, nonc = asarray(df).astype(float), asarray(nonc).astype(float)
        check("noncentral_chisquare", df, nonc)
        shape = np.broadcast_shapes(df.shape, nonc.shape) if size is None else size
        extra = self.poisson(nonc / 2, size=shape)
        return self.chisquare(df + 2 * extra, dtype=dtype)

    def noncentral_f(self, dfnum, dfden, nonc, size=None, dtype=float):
        """The ratio of a noncentral chi-square and a chi-square, each by its degrees."""
        dfnum, dfden = asarray(dfnum).astype(float), asarray(dfden).astype(float)
        check("noncentral_f", dfnum, dfden, nonc)
        shape = np.broadcast_shapes(dfnum.shape, dfden.shape, np.shape(nonc))
        size = shape if size is None else size
        above = self.noncentral_chisquare(dfnum, nonc, size) / dfnum
        return (above / (self.chisquare(dfden, size) / dfden)).astype(dtype, copy=False)

    def dirichlet(self, alpha, size=None, dtype=float):
        """Vectors of positive numbers whose sum is 1."""
        alpha = asarray(alpha).astype(float)
        shape = () if size is None else as_shape(size)
        drawn = self.gamma(alpha, size=(*shape, *alpha.shape))
        return (drawn / drawn.sum(axis=-1, keepdims=True)).astype(dtype, copy=False)

    def multinomial(self, n, pvals, size=None):
        """How often each of several outcomes comes in n trials."""
        pvals = np.asarray(pvals.get() if hasattr(pvals, "get") else pvals, dtype=float)
        if pvals[:-1].sum() > 1 + 1e-12:
            raise ValueError("sum(pvals[:-1]) > 1.0")
        shape = () if size is None else as_shape(size)
        out = empty((*shape, len(pvals)), np.int64)
        left, rest = self.binomial(n, 0.0, shape) + n, 1.0
        for i, p in enumerate(pvals[:-1].tolist()):
            share = min(max(p / rest if rest > 0 else 0.0, 0.0), 1.0)
            drawn = self.binomial(left, share, shape)
            out[..., i] = drawn
            left, rest = left - drawn, rest - p
        out[..., -1] = left
        return out

    def zipf(self, a, size=None, dtype=np.int64):
        """Whole numbers k with probabilities as k ** -a (Devroye, 1986)."""
        return self._draw("zipf", size, a, 0.0, dtype)

    def logseries(self, p, size=None, dtype=np.int64):
        """The logarithmic series distribution (Kemp, 1981)."""
        return self._draw("logseries", size, p, 0.0, dtype)

    def hypergeometric(self, ngood, nbad, nsample, size=None, dtype=np.int64):
        """Good ones of a sample without replacement: each draw of a sample is a uniform number."""
        ngood, nbad, nsample = (asarray(each).astype(np.int64) for each in (ngood, nbad, nsample))
        check("hypergeometric", ngood, nbad, nsample)
        shape = np.broadcast_shapes(ngood.shape, nbad.shape, nsample.shape)
        shape = shape if size is None else as_shape(size)
        good = ngood + zeros(shape, np.int64)
        total, found = ngood + nbad, good * 0
        for i in range(int(nsample.max()) if nsample.size else 0):
            hit = (self.uniform(size=shape) * (total - i) < good) & (nsample > i)
            good, found = good - hit, found + hit
        return found.astype(dtype, copy=False)

    def bytes(self, length):
        """Random bytes, on the host."""
        return self._integers(0, 256, length, np.uint8).get().tobytes()
