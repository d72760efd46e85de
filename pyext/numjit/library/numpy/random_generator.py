"""Methods of ``numpy.random.Generator``, on NumPy's own C functions (``distributions.py``)."""

import numpy as np

from ..core.intrinsics import refuse
from ..core.registry import function
from . import distributions
from .random_arguments import are_scalars, draw_each, shape_of_size


def method(name):
    return function("numpy.random._generator.Generator." + name)


# -- drawing ---------------------------------------------------------------------------------------


def draw(rng, routine, size, dtype, *parameters):
    """A number of a distribution; an array of them for a size or if a parameter is an array."""
    if not are_scalars(parameters):
        return draw_each(rng, routine, size, dtype, parameters)
    elif size is None:
        return routine(rng, *parameters)
    else:
        out = np.empty(size, dtype)
        flat = out.ravel()
        for i in range(flat.size):
            flat[i] = routine(rng, *parameters)
        return out


def float_of(rng, routine, size, *parameters):
    return draw(rng, routine, size, np.float64, *parameters)


def integer_of(rng, routine, size, *parameters):
    return draw(rng, routine, size, np.int64, *parameters)


# -- what parameters must be -----------------------------------------------------------------------


def holds_for_any(condition):
    if isinstance(condition, np.ndarray):
        return np.any(condition)
    else:
        return condition


def number(x):
    """A parameter in which conditions can be asked."""
    if isinstance(x, (list, tuple)):
        return np.asarray(x)
    else:
        return x


def not_negative(x, message):
    if holds_for_any(number(x) < 0):
        raise ValueError(message)


def positive(x, message):
    if holds_for_any(number(x) <= 0):
        raise ValueError(message)


def within(x, low, high, message):
    """Not NaN either."""
    if not np.all(number(x) >= low) or not np.all(number(x) <= high):
        raise ValueError(message)


# -- the standard distributions --------------------------------------------------------------------


def filled(rng, routine, routine_f, size, dtype, out):
    """An array that one call of C fills."""
    if out is None:
        made = np.empty(size, dtype)
        return filled(rng, routine, routine_f, made.shape, dtype, made)
    elif not out.flags.c_contiguous or not out.flags.writeable:
        raise ValueError(
            "Supplied output array must be contiguous, writable, aligned, and in "
            "machine byte-order."
        )
    else:
        if out.dtype != np.dtype(dtype):
            refuse("Supplied output array has the wrong type")
        if size is not None and shape_of_size(size) != out.shape:
            raise ValueError("size must match out.shape when used together")
        if out.dtype == np.float32:
            routine_f(rng, out.size, out.ctypes)
        else:
            routine(rng, out.size, out.ctypes)
        return out


def is_single(dtype):
    kind = np.dtype(dtype)
    if kind != np.float32 and kind != np.float64:
        refuse("Unsupported dtype for random numbers: only float32 and float64 are drawn")
    return kind == np.float32


@method("random")
def random(self, size=None, dtype=np.float64, out=None):
    if size is not None or out is not None:
        return filled(
            self,
            distributions.standard_uniform_fill,
            distributions.standard_uniform_fill_f,
            size,
            dtype,
            out,
        )
    elif is_single(dtype):
        return distributions.standard_uniform_f(self)
    else:
        return distributions.standard_uniform(self)


@method("standard_normal")
def standard_normal(self, size=None, dtype=np.float64, out=None):
    if size is not None or out is not None:
        return filled(
            self,
            distributions.standard_normal_fill,
            distributions.standard_normal_fill_f,
            size,
            dtype,
            out,
        )
    elif is_single(dtype):
        return distributions.standard_normal_f(self)
    else:
        return distributions.standard_normal(self)


@method("standard_exponential")
def standard_exponential(self, size=None, dtype=np.float64, method="zig", out=None):
    if size is None and out is None and method == "inv":
        return standard_exponential(self, 1, dtype, method)[0]
    elif method == "inv":
        return filled(
            self,
            distributions.standard_exponential_inv_fill,
            distributions.standard_exponential_inv_fill_f,
            size,
            dtype,
            out,
        )
    elif size is not None or out is not None:
        return filled(
            self,
            distributions.standard_exponential_fill,
            distributions.standard_exponential_fill_f,
            size,
            dtype,
            out,
        )
    elif is_single(dtype):
        return distributions.standard_exponential_f(self)
    else:
        return distributions.standard_exponential(self)


@method("standard_gamma")
def standard_gamma(self, shape: "skip", size=None, dtype=np.float64, out=None):
    not_negative(shape, "shape < 0")
    if out is not None:
        out[...] = standard_gamma(self, shape, out.shape, out.dtype)
        return out
    elif is_single(dtype):
        return draw(self, distributions.standard_gamma_f, size, np.float32, shape)
    else:
        return float_of(self, distributions.standard_gamma, size, shape)


# -- integers and order ----------------------------------------------------------------------------


@method("integers")
def integers(self, low, high=None, size=None, dtype=np.int64, endpoint=False):
    if high is None:
        return integers(self, 0, low, size, dtype, endpoint)
    elif size is None:
        return bounded(self, low, high, 1, dtype, endpoint)[0]
    else:
        return bounded(self, low, high, size, dtype, endpoint)


def last_of(high, endpoint):
    if endpoint:
        return high
    elif isinstance(high, np.uint64):
        return high - np.uint64(1)
    else:
        return high - 1


def check_bounds(low, last, dtype, endpoint):
    least, most = limits(dtype)
    if low < least:
        raise ValueError("low is out of bounds for the dtype")
    if last > most:
        raise ValueError("high is out of bounds for the dtype")
    if low > last:
        raise ValueError("low > high" if endpoint else "low >= high")


def bounded(rng, low, high, size, dtype, endpoint):
    out = np.empty(size, dtype)
    if out.dtype.kind not in "iub":
        refuse("Unsupported dtype for integers: only integers and bool are drawn")
    first, last = np.int64(low), last_of(high, endpoint)
    check_bounds(low, last, out.dtype, endpoint)
    width = np.uint64(np.int64(last) - first)
    n = out.size
    # Lemire's method; integers of either sign are those of the unsigned type
    if out.dtype.kind == "b":
        distributions.bounded_bool_fill(rng, np.bool_(first), np.bool_(width), n, False, out.ctypes)
    elif out.dtype.itemsize == 1:
        distributions.bounded_uint8_fill(
            rng, np.uint8(first), np.uint8(width), n, False, out.ctypes
        )
    elif out.dtype.itemsize == 2:
        distributions.bounded_uint16_fill(
            rng, np.uint16(first), np.uint16(width), n, False, out.ctypes
        )
    elif out.dtype.itemsize == 4:
        distributions.bounded_uint32_fill(
            rng, np.uint32(first), np.uint32(width), n, False, out.ctypes
        )
    else:
        distributions.bounded_uint64_fill(rng, np.uint64(first), width, n, False, out.ctypes)
    return out


def limits(dtype):
    """The least and the largest integer of a dtype."""
    if dtype.kind == "b":
        return 0, 1
    else:
        return np.iinfo(dtype).min, np.iinfo(dtype).max


# -- continuous distributions ----------------------------------------------------------------------


@method("uniform")
def uniform(self, low=0.0, high=1.0, size=None):
    width = np.subtract(number(high), number(low))
    if not np.all(np.isfinite(width)):
        raise OverflowError("high - low range exceeds valid bounds")
    not_negative(width, "low > high")
    return float_of(self, distributions.uniform, size, low, width)


@method("normal")
def normal(self, loc=0.0, scale=1.0, size=None):
    not_negative(scale, "scale < 0")
    return float_of(self, distributions.normal, size, loc, scale)


@method("lognormal")
def lognormal(self, mean=0.0, sigma=1.0, size=None):
    not_negative(sigma, "sigma < 0")
    return float_of(self, distributions.lognormal, size, mean, sigma)


@method("exponential")
def exponential(self, scale=1.0, size=None):
    not_negative(scale, "scale < 0")
    return float_of(self, distributions.exponential, size, scale)


@method("gamma")
def gamma(self, shape: "skip", scale=1.0, size=None):
    not_negative(shape, "shape < 0")
    not_negative(scale, "scale < 0")
    return float_of(self, distributions.gamma, size, shape, scale)


@method("beta")
def beta(self, a, b, size=None):
    positive(a, "a <= 0")
    positive(b, "b <= 0")
    return float_of(self, distributions.beta, size, a, b)


@method("f")
def f(self, dfnum, dfden, size=None):
    positive(dfnum, "dfnum <= 0")
    positive(dfden, "dfden <= 0")
    return float_of(self, distributions.f, size, dfnum, dfden)


@method("noncentral_f")
def noncentral_f(self, dfnum, dfden, nonc, size=None):
    positive(dfnum, "dfnum <= 0")
    positive(dfden, "dfden <= 0")
    not_negative(nonc, "nonc < 0")
    return float_of(self, distributions.noncentral_f, size, dfnum, dfden, nonc)


@method("chisquare")
def chisquare(self, df, size=None):
    positive(df, "df <= 0")
    return float_of(self, distributions.chisquare, size, df)


@method("noncentral_chisquare")
def noncentral_chisquare(self, df, nonc, size=None):
    positive(df, "df <= 0")
    not_negative(nonc, "nonc < 0")
    return float_of(self, distributions.noncentral_chisquare, size, df, nonc)


@method("standard_cauchy")
def standard_cauchy(self, size=None):
    return float_of(self, distributions.standard_cauchy, size)


@method("standard_t")
def standard_t(self, df, size=None):
    positive(df, "df <= 0")
    return float_of(self, distributions.standard_t, size, df)


@method("vonmises")
def vonmises(self, mu, kappa, size=None):
    not_negative(kappa, "kappa < 0")
    return float_of(self, distributions.vonmises, size, mu, kappa)


@method("pareto")
def pareto(self, a, size=None):
    positive(a, "a <= 0")
    return float_of(self, distributions.pareto, size, a)


@method("weibull")
def weibull(self, a, size=None):
    not_negative(a, "a < 0")
    return float_of(self, distributions.weibull, size, a)


@method("power")
def power(self, a, size=None):
    positive(a, "a <= 0")
    return float_of(self, distributions.power, size, a)


@method("laplace")
def laplace(self, loc=0.0, scale=1.0, size=None):
    not_negative(scale, "scale < 0")
    return float_of(self, distributions.laplace, size, loc, scale)


@method("gumbel")
def gumbel(self, loc=0.0, scale=1.0, size=None):
    not_negative(scale, "scale < 0")
    return float_of(self, distributions.gumbel, size, loc, scale)


@method("logistic")
def logistic(self, loc=0.0, scale=1.0, size=None):
    not_negative(scale, "scale < 0")
    return float_of(self, distributions.logistic, size, loc, scale)


@method("rayleigh")
def rayleigh(self, scale=1.0, size=None):
    not_negative(scale, "scale < 0")
    return float_of(self, distributions.rayleigh, size, scale)


@method("wald")
def wald(self, mean, scale, size=None):
    positive(mean, "mean <= 0")
    positive(scale, "scale <= 0")
    return float_of(self, distributions.wald, size, mean, scale)


@method("triangular")
def triangular(self, left, mode, right, size=None):
    if holds_for_any(number(left) > number(mode)):
        raise ValueError("left > mode")
    if holds_for_any(number(mode) > number(right)):
        raise ValueError("mode > right")
    if holds_for_any(number(left) == number(right)):
        raise ValueError("left == right")
    return float_of(self, distributions.triangular, size, left, mode, right)


# -- distributions of integers ---------------------------------------------------------------------


@method("poisson")
def poisson(self, lam=1.0, size=None):
    within(lam, 0, np.inf, "lam < 0 or lam is NaN")
    within(lam, 0, 9.223372006484771e18, "lam value too large")
    return integer_of(self, distributions.poisson, size, lam)


@method("geometric")
def geometric(self, p, size=None):
    within(p, np.nextafter(0, 1), 1, "p <= 0, p > 1 or p contains NaNs")
    return integer_of(self, distributions.geometric, size, p)


@method("logseries")
def logseries(self, p, size=None):
    within(p, 0, np.nextafter(1, 0), "p < 0, p >= 1 or p is NaN")
    return integer_of(self, distributions.logseries, size, p)


@method("zipf")
def zipf(self, a, size=None):
    within(a, np.nextafter(1, 2), np.inf, "a <= 1 or a is NaN")
    return integer_of(self, distributions.zipf, size, a)


@method("negative_binomial")
def negative_binomial(self, n, p, size=None):
    positive(n, "n <= 0")
    within(p, np.nextafter(0, 1), 1, "p <= 0, p > 1 or p contains NaNs")
    return integer_of(self, distributions.negative_binomial, size, n, p)


@method("binomial")
def binomial(self, n, p, size=None):
    not_negative(n, "n < 0")
    within(p, 0, 1, "p < 0, p > 1 or p is NaN")
    memory = np.zeros(32)  # what the C function keeps from one call to the next: its binomial_t

    def one(rng, p, n):
        return distributions.binomial(rng, p, n, memory.ctypes)

    return integer_of(self, one, size, p, n)


@method("hypergeometric")
def hypergeometric(self, ngood, nbad, nsample, size=None):
    not_negative(ngood, "ngood < 0")
    not_negative(nbad, "nbad < 0")
    not_negative(nsample, "nsample < 0")
    if holds_for_any(np.add(number(ngood), number(nbad)) < number(nsample)):
        raise ValueError("ngood + nbad < nsample")
    return integer_of(self, distributions.hypergeometric, size, ngood, nbad, nsample)


@method("multinomial")
def multinomial(self, n, pvals, size=None):
    chances = np.asarray(pvals).astype(np.float64)
    if chances.ndim != 1 or isinstance(n, np.ndarray):
        refuse("multinomial() takes a single n and a vector of probabilities in compiled code")
    if n < 0:
        raise ValueError("n < 0")
    within(chances, 0, 1, "pvals < 0, pvals > 1 or pvals contains NaNs")
    if exact_sum(chances[:-1]) > 1.0 + 1e-12:
        raise ValueError("sum(pvals[:-1]) > 1.0")
    k = chances.size
    out = np.zeros(shape_of_rows(size, k), np.int64)
    rows = out.reshape((-1, k))
    memory = np.zeros(32)  # its binomial_t
    for i in range(rows.shape[0]):
        distributions.multinomial(
            self, np.int64(n), rows[i].ctypes, chances.ctypes, k, memory.ctypes
        )
    return out


def shape_of_rows(size, k):
    if size is None:
        return (k,)
    else:
        return shape_of_size(size) + (k,)


def exact_sum(values):
    """Kahan's sum."""
    total = 0.0
    lost = 0.0
    for x in values:
        added = x - lost
        grown = total + added
        lost = grown - total - added
        total = grown
    return total


@method("dirichlet")
def dirichlet(self, alpha, size=None):
    weights = np.asarray(alpha).astype(np.float64)
    not_negative(weights, "alpha < 0")
    k = weights.size
    out = np.zeros(shape_of_rows(size, k))
    rows = out.reshape((-1, k))
    if k > 0 and weights.max() < 0.1:
        break_stick(self, weights, rows)
    else:
        for i in range(rows.shape[0]):
            total = 0.0
            for j in range(k):
                rows[i, j] = distributions.standard_gamma(self, weights[j])
                total += rows[i, j]
            inverse = 1.0 / total
            for j in range(k):
                rows[i, j] *= inverse
    return out


def break_stick(rng, weights, rows):
    """For small weights, whose gamma variates would all be zero."""
    k = weights.size
    above = np.cumsum(weights[::-1])[::-1]
    if above[0] > 0:
        for i in range(rows.shape[0]):
            rest = 1.0
            for j in range(k - 1):
                part = distributions.beta(rng, weights[j], above[j + 1])
                rows[i, j] = rest * part
                rest *= 1.0 - part
                if above[j + 1] == 0:
                    break
            rows[i, k - 1] = rest


# -- samples ---------------------------------------------------------------------------------------


@method("bytes")
def bytes(self, length):
    words = bounded(self, 0, 4294967296, (length - 1) // 4 + 1, np.uint32, False)
    return words.tobytes()[:length]
