"""Random numbers: ``numpy.random`` (as RandomState returns them) and Python's ``random``.

The runtime has one state of each for every thread, and one function for each distribution
(``runtime/random.cpp``). They are apart from the states of the interpreter.
"""

import numpy as np

from ..core.intrinsics import call_runtime, distribution
from ..core.registry import function
from .random_arguments import are_scalars, draw_each, size_of

NUMPY = 0
PYTHON = 1
SYSTEM_SEED = np.uint64(2**64 - 1)  # NJ_RANDOM_SYSTEM_SEED


# -- drawing ------------------------------------------------------------------------------------


def draw_one(name, a, b, c):
    return sample(name, None, a, b, c)


def draw_one_integer(name, a, b, c):
    return sample_integers(name, None, a, b, c)


def sample(name, size, a=0.0, b=0.0, c=0.0):
    """One number of a distribution, or an array of them."""
    if not are_scalars((a, b, c)):
        return draw_each(name, draw_one, size, np.float64, (a, b, c))
    state = call_runtime("nj_random_state", NUMPY)
    if size is None:
        return call_runtime("nj_random_draw", state, distribution(name), a, b, c)
    else:
        out = np.empty(size)
        call_runtime("nj_random_fill", state, distribution(name), out, out.size, a, b, c)
        return out


def sample_integers(name, size, a=0.0, b=0.0, c=0.0):
    """As ``sample``, for distributions of integers."""
    if not are_scalars((a, b, c)):
        return draw_each(name, draw_one_integer, size, np.int64, (a, b, c))
    state = call_runtime("nj_random_state", NUMPY)
    if size is None:
        return call_runtime("nj_random_draw_int", state, distribution(name), a, b, c)
    else:
        out = np.empty(size, np.int64)
        call_runtime("nj_random_fill", state, distribution(name), out, out.size, a, b, c)
        return out


# -- the state ---------------------------------------------------------------------------------


@function("numpy.random.seed")
def seed(seed=None):
    """Seeds the Mersenne twister (MT19937) of this thread: the same seed gives the same numbers
    as NumPy's RandomState, bit for bit.
    """
    state = call_runtime("nj_random_state", NUMPY)
    if seed is None:
        call_runtime("nj_random_seed", state, SYSTEM_SEED)
    else:
        if seed < 0 or seed > 4294967295:
            raise ValueError("Seed must be between 0 and 2**32 - 1")
        call_runtime("nj_random_seed", state, seed)


# -- uniform and normal ------------------------------------------------------------------------


@function("numpy.random.random")
@function("numpy.random.random_sample")
@function("numpy.random.ranf")
@function("numpy.random.sample")
def random_sample(size=None):
    """53 bits of two words of the twister, in [0, 1)."""
    if size is None:
        return call_runtime("nj_random_double", call_runtime("nj_random_state", NUMPY))
    else:
        return sample("random", size)


@function("numpy.random.rand")
def rand(*args):
    """As random_sample, with the shape as arguments."""
    if len(args) == 0:
        return random_sample()
    else:
        return random_sample(args)


@function("numpy.random.uniform")
def uniform(low=0.0, high=1.0, size=None):
    """low + (high - low) * u of one u in [0, 1). OverflowError if high - low is not finite."""
    if not are_scalars((low, high)):
        if not np.all(np.isfinite(np.asarray(high) - np.asarray(low))):
            raise OverflowError("Range exceeds valid bounds")
        return sample("uniform", size, low, high)
    if not np.isfinite(high - low):
        raise OverflowError("Range exceeds valid bounds")
    if size is None:
        return low + (high - low) * random_sample()
    else:
        return sample("uniform", size, low, high)


@function("numpy.random.standard_normal")
def standard_normal(size=None):
    """Marsaglia's polar method, as RandomState."""
    return sample("standard_normal", size)


@function("numpy.random.randn")
def randn(*args):
    """As standard_normal, with the shape as arguments."""
    if len(args) == 0:
        return standard_normal()
    else:
        return standard_normal(args)


# -- integers, order and choice ----------------------------------------------------------------


def holds(dtype, x):
    """Whether an array of the dtype can hold the integer."""
    return np.int64(dtype.type(x)) == x and (dtype.kind != "u" or x >= 0)


def integers(low, high, size, dtype):
    """Integers in [low, high]."""
    if low > high:
        raise ValueError("low >= high")
    width = np.uint64(np.int64(high) - np.int64(low))
    state = call_runtime("nj_random_state", NUMPY)
    out = np.empty(1 if size is None else size, dtype)
    if not holds(out.dtype, low) or not holds(out.dtype, high):
        raise ValueError("low or high is out of bounds for the dtype")
    if size is None:
        call_runtime("nj_random_integers", state, out, 1, low, width, out.dtype)
        return out[0]
    else:
        call_runtime("nj_random_integers", state, out, out.size, low, width, out.dtype)
        return out


@function("numpy.random.randint")
def randint(low, high=None, size=None, dtype=int):
    """Masked rejection, so that every integer is equally likely: numbers below the next power of
    two are drawn until one fits. Small dtypes take several from one word. ValueError if low >=
    high, or if the dtype does not hold the bounds.
    """
    if high is None:
        return randint(0, low, size, dtype)
    elif size is None and dtype is int:
        if low >= high:
            raise ValueError("low >= high")
        return low + np.int64(interval(high - 1 - low))
    else:
        return integers(low, high - 1, size, dtype)


@function("numpy.random.random_integers")
def random_integers(low, high=None, size=None):
    """As randint, up to and with high. NumPy has deprecated it; no warning is given here."""
    if high is None:
        return random_integers(1, low, size)
    else:
        return randint(low, high + 1, size)


def interval(most):
    """An integer in [0, most]."""
    state = call_runtime("nj_random_state", NUMPY)
    return call_runtime("nj_random_interval", state, np.uint64(most))


@function("numpy.random.shuffle")
def shuffle(x):
    """Fisher and Yates, from the last element to the first. Rows are swapped where there are
    several axes.
    """
    for i in range(len(x) - 1, 0, -1):
        j = np.int64(interval(i))
        if isinstance(x, np.ndarray) and x.ndim > 1:
            swap_rows(x[i], x[j])
        else:
            x[i], x[j] = x[j], x[i]


def swap_rows(a, b):
    if a.ndim == 1:
        for k in range(a.shape[0]):
            a[k], b[k] = b[k], a[k]
    else:
        for k in range(a.shape[0]):
            swap_rows(a[k], b[k])


@function("numpy.random.permutation")
def permutation(x):
    """A shuffled copy; of an integer, shuffled numbers below it. Of several axes the first one is
    permuted.
    """
    if isinstance(x, int):
        order = np.arange(x)
        shuffle(order)
        return order
    elif not isinstance(x, np.ndarray):
        return permutation(np.asarray(x))
    elif x.ndim == 1:
        out = x.copy()
        shuffle(out)
        return out
    else:
        order = permutation(x.shape[0])
        out = np.empty(x.shape, x.dtype)
        for i in range(x.shape[0]):
            out[i] = x[order[i]]
        return out


def cumulated(p):
    """The distribution function of probabilities."""
    cdf = np.empty(p.size)
    total = 0.0
    for i in range(p.size):
        if not p[i] >= 0:
            raise ValueError("probabilities are not non-negative")
        total += p[i]
        cdf[i] = total
    if not abs(total - 1.0) <= 1e-8:
        raise ValueError("probabilities do not sum to 1")
    for i in range(p.size):
        cdf[i] /= total
    return cdf


def place(cdf, x):
    """The first position whose value is larger than ``x``."""
    low = 0
    count = cdf.size
    while count > 0:
        half = count // 2
        if cdf[low + half] <= x:
            low += half + 1
            count -= half + 1
        else:
            count = half
    return low


@function("numpy.random.choice")
def choice(a, size=None, replace=True, p=None):
    """Without probabilities numbers below the length, or a permutation's first ones. With them the
    distribution function is searched; without replacement all are drawn at once, and what was drawn
    twice is drawn again with the probabilities that are left. ValueError if they do not sum to 1
    within 1e-8.
    """
    if isinstance(a, int):
        return chosen_positions(a, size, replace, p)
    elif not isinstance(a, np.ndarray):
        return choice(np.asarray(a), size, replace, p)
    else:
        if a.ndim != 1:
            raise ValueError("a must be 1-dimensional")
        if a.size == 0 and (size is None or size_of(size) > 0):
            raise ValueError("'a' cannot be empty unless no samples are taken")
        positions = chosen_positions(a.size, size, replace, p)
        if size is None:
            return a[positions]
        else:
            out = np.empty(size, a.dtype)
            for i in range(out.size):
                out.flat[i] = a[positions.flat[i]]
            return out


def chosen_positions(n, size, replace, p):
    if n <= 0 and (size is None or size_of(size) > 0):
        raise ValueError("a must be greater than 0 unless no samples are taken")
    if size is None and not replace:
        return chosen_positions(n, 1, False, p)[0]
    elif p is None:
        if size is None:
            return randint(0, n)
        elif replace:
            return randint(0, n, size)
        else:
            if size_of(size) > n:
                raise ValueError("Cannot take a larger sample than population when 'replace=False'")
            return permutation(n)[: size_of(size)].copy().reshape(size)
    else:
        if p.size != n:
            raise ValueError("'a' and 'p' must have same size")
        cdf = cumulated(p)
        if size is None:
            return place(cdf, random_sample())
        elif replace:
            out = np.empty(size, np.int64)
            for i in range(out.size):
                out.flat[i] = place(cdf, random_sample())
            return out
        else:
            return choice_without_return(p, size).reshape(size)


def choice_without_return(p, size):
    """Draw for all places at once, keep what is new, and draw again without it."""
    n = size_of(size)
    if n > p.size:
        raise ValueError("Cannot take a larger sample than population when 'replace=False'")
    rest = p.copy()
    possible = 0
    for x in p:
        if x > 0:
            possible += 1
    if possible < n:
        raise ValueError("Fewer non-zero entries in p than size")
    cumulated(p)
    out = np.empty(n, np.int64)
    found = 0
    cdf = np.empty(p.size)
    while found < n:
        x = random_sample(n - found)
        for i in range(found):
            rest[out[i]] = 0
        total = 0.0
        for i in range(p.size):
            total += rest[i]
            cdf[i] = total
        for i in range(p.size):
            cdf[i] /= cdf[p.size - 1] if i < p.size - 1 else 1.0
        cdf[p.size - 1] = 1.0
        start = found
        for i in range(x.size):
            k = place(cdf, x[i])
            is_new = True
            for j in range(start, found):
                if out[j] == k:
                    is_new = False
            if is_new:
                out[found] = k
                found += 1
    return out


# -- other distributions -----------------------------------------------------------------------


@function("numpy.random.normal")
def normal(loc=0.0, scale=1.0, size=None):
    """loc + scale * standard_normal(). A negative scale raises ValueError."""
    return sample("normal", size, loc, scale)


@function("numpy.random.lognormal")
def lognormal(mean=0.0, sigma=1.0, size=None):
    """exp() of a normal number. A negative sigma raises ValueError."""
    return sample("lognormal", size, mean, sigma)


@function("numpy.random.exponential")
def exponential(scale=1.0, size=None):
    """The inverse of the distribution function, as RandomState."""
    return sample("exponential", size, scale)


@function("numpy.random.standard_exponential")
def standard_exponential(size=None):
    """-log(1 - u): the inverse of the distribution function."""
    return sample("standard_exponential", size)


@function("numpy.random.gamma")
def gamma(shape, scale=1.0, size=None):
    """Marsaglia and Tsang (2000); below shape 1 by rejection from two pieces. A negative
    parameter raises ValueError.
    """
    return sample("gamma", size, shape, scale)


@function("numpy.random.standard_gamma")
def standard_gamma(shape, size=None):
    """As gamma, with scale 1."""
    return sample("standard_gamma", size, shape)


@function("numpy.random.beta")
def beta(a, b, size=None):
    """Jöhnk's method if a and b are at most 1, else from two gamma numbers. Parameters that are not
    positive raise ValueError.
    """
    return sample("beta", size, a, b)


@function("numpy.random.chisquare")
def chisquare(df, size=None):
    """Twice a gamma number of shape df / 2. df <= 0 raises ValueError."""
    return sample("chisquare", size, df)


@function("numpy.random.noncentral_chisquare")
def noncentral_chisquare(df, nonc, size=None):
    """Above df 1 from a chisquare and a normal number, else from a chisquare number whose degrees a
    Poisson number adds to. df <= 0 and nonc < 0 raise ValueError.
    """
    return sample("noncentral_chisquare", size, df, nonc)


@function("numpy.random.f")
def f(dfnum, dfden, size=None):
    """The ratio of two chisquare numbers over their degrees. Degrees that are not positive raise
    ValueError.
    """
    return sample("f", size, dfnum, dfden)


@function("numpy.random.noncentral_f")
def noncentral_f(dfnum, dfden, nonc, size=None):
    """As f, with a noncentral_chisquare number above. dfnum or dfden <= 0 and nonc < 0 raise
    ValueError.
    """
    return sample("noncentral_f", size, dfnum, dfden, nonc)


@function("numpy.random.standard_t")
def standard_t(df, size=None):
    """A normal number over the root of a gamma number. df <= 0 raises ValueError."""
    return sample("standard_t", size, df)


@function("numpy.random.standard_cauchy")
def standard_cauchy(size=None):
    """The ratio of two normal numbers."""
    return sample("standard_cauchy", size)


@function("numpy.random.laplace")
def laplace(loc=0.0, scale=1.0, size=None):
    """The inverse of the distribution function; 0 is drawn again. A negative scale raises
    ValueError.
    """
    return sample("laplace", size, loc, scale)


@function("numpy.random.logistic")
def logistic(loc=0.0, scale=1.0, size=None):
    """The inverse of the distribution function; 0 is drawn again. A negative scale raises
    ValueError.
    """
    return sample("logistic", size, loc, scale)


@function("numpy.random.gumbel")
def gumbel(loc=0.0, scale=1.0, size=None):
    """The inverse of the distribution function. A negative scale raises ValueError."""
    return sample("gumbel", size, loc, scale)


@function("numpy.random.pareto")
def pareto(a, size=None):
    """exp(standard_exponential() / a) - 1: Lomax's distribution, as NumPy. a <= 0 raises
    ValueError.
    """
    return sample("pareto", size, a)


@function("numpy.random.power")
def power(a, size=None):
    """The inverse of the distribution function, from an exponential number. a <= 0 raises
    ValueError.
    """
    return sample("power", size, a)


@function("numpy.random.rayleigh")
def rayleigh(scale=1.0, size=None):
    """The inverse of the distribution function. A negative scale raises ValueError."""
    return sample("rayleigh", size, scale)


@function("numpy.random.weibull")
def weibull(a, size=None):
    """A power of an exponential number; 0 where a is 0. A negative a raises ValueError."""
    return sample("weibull", size, a)


@function("numpy.random.triangular")
def triangular(left, mode, right, size=None):
    """The inverse of the distribution function. ValueError unless left <= mode <= right and left <
    right.
    """
    if left > mode:
        raise ValueError("left > mode")
    if mode > right:
        raise ValueError("mode > right")
    if left == right:
        raise ValueError("left == right")
    return sample("triangular", size, left, mode, right)


@function("numpy.random.vonmises")
def vonmises(mu, kappa, size=None):
    """Best and Fisher (1979)."""
    return sample("vonmises", size, mu, kappa)


@function("numpy.random.wald")
def wald(mean, scale, size=None):
    """The method of Michael, Schucany and Haas (1976): one of the two roots of a quadratic
    equation. Parameters that are not positive raise ValueError.
    """
    return sample("wald", size, mean, scale)


@function("numpy.random.binomial")
def binomial(n, p, size=None):
    """Up the distribution function for few successes, else rejection (Kachitvichyanukul and
    Schmeiser 1988).
    """
    return sample_integers("binomial", size, n, p)


@function("numpy.random.geometric")
def geometric(p, size=None):
    """The inverse of the distribution function below p = 1/3, else a search up it. ValueError
    unless 0 < p <= 1.
    """
    return sample_integers("geometric", size, p)


@function("numpy.random.hypergeometric")
def hypergeometric(ngood, nbad, nsample, size=None):
    """Small samples one by one, else rejection from a ratio of uniforms (Stadlober 1989)."""
    if ngood + nbad < nsample:
        raise ValueError("ngood + nbad < nsample")
    return sample_integers("hypergeometric", size, ngood, nbad, nsample)


@function("numpy.random.logseries")
def logseries(p, size=None):
    """Kemp (1981)."""
    return sample_integers("logseries", size, p)


@function("numpy.random.negative_binomial")
def negative_binomial(n, p, size=None):
    """A Poisson number whose rate is a gamma number. ValueError unless n > 0 and 0 <= p <= 1."""
    return sample_integers("negative_binomial", size, n, p)


@function("numpy.random.poisson")
def poisson(lam=1.0, size=None):
    """Products of uniform numbers below 10, else transformed rejection (Hörmann 1993). A negative
    or too large ``lam`` raises ValueError.
    """
    return sample_integers("poisson", size, lam)


@function("numpy.random.zipf")
def zipf(a, size=None):
    """Rejection (Devroye 1986)."""
    return sample_integers("zipf", size, a)
