"""Python's ``random``: its own state of the twister, and its own ways from words to numbers."""

import bisect
import itertools
import math

import numpy as np

from ..core.intrinsics import call_runtime, distribution
from ..core.registry import function
from ..numpy.random import PYTHON, SYSTEM_SEED


def draw(name, a=0.0, b=0.0, c=0.0):
    state = call_runtime("nj_random_state", PYTHON)
    return call_runtime("nj_random_draw", state, distribution(name), a, b, c)


@function("random.seed")
def py_seed(a=None):
    """Seeds the Mersenne twister (MT19937) of this thread as CPython seeds its own with an integer;
    None takes a seed from the system.
    """
    state = call_runtime("nj_random_state", PYTHON)
    if a is None:
        call_runtime("nj_random_seed", state, SYSTEM_SEED)
    else:
        call_runtime("nj_random_seed", state, abs(a))


@function("random.random")
def py_random():
    """53 bits of two words of the twister, in [0, 1)."""
    return call_runtime("nj_random_double", call_runtime("nj_random_state", PYTHON))


@function("random.uniform")
def py_uniform(a, b):
    """a + (b - a) * random(), which may round to b."""
    return a + (b - a) * py_random()


@function("random.getrandbits")
def py_getrandbits(k):
    """An unsigned integer. More than 64 bits raise OverflowError."""
    if k < 0:
        raise ValueError("number of bits must be non-negative")
    if k > 64:
        raise OverflowError("compiled code has integers of at most 64 bits")
    return call_runtime("nj_random_bits", call_runtime("nj_random_state", PYTHON), k)


def below(n):
    state = call_runtime("nj_random_state", PYTHON)
    return np.int64(call_runtime("nj_random_below", state, np.uint64(n)))


@function("random.randrange")
def py_randrange(start, stop=None, step=1):
    """Rejection over the next power of two, as CPython: every integer is equally likely. ValueError
    for a step of 0 and an empty range.
    """
    if stop is None:
        return py_randrange(0, start, step)
    else:
        width = stop - start
        if step == 1:
            count = width
        elif step > 0:
            count = (width + step - 1) // step
        elif step < 0:
            count = (width + step + 1) // step
        else:
            raise ValueError("zero step for randrange()")
        if count <= 0:
            raise ValueError("empty range in randrange()")
        return start + step * below(count)


@function("random.randint")
def py_randint(a, b):
    """randrange(a, b + 1)."""
    return py_randrange(a, b + 1)


@function("random.choice")
def py_choice(seq):
    """The item at randrange(len(seq)). IndexError if there is none."""
    if len(seq) == 0:
        raise IndexError("Cannot choose from an empty sequence")
    return seq[below(len(seq))]


@function("random.shuffle")
def py_shuffle(x):
    """Fisher and Yates, from the last item to the first."""
    for i in range(len(x) - 1, 0, -1):
        j = below(i + 1)
        x[i], x[j] = x[j], x[i]


@function("random.sample")
def py_sample(population, k):
    """Few of many are drawn again where they were drawn before; else what is left is kept."""
    n = len(population)
    if k < 0 or k > n:
        raise ValueError("Sample larger than population or is negative")
    few = 21  # a set of so many indices is as large as a list of as many items
    if k > 5:
        few += 4 ** math.ceil(math.log(k * 3, 4))
    if n <= few:
        left = list(population)
        drawn = []
        for i in range(n, n - k, -1):
            j = below(i)
            drawn.append(left[j])
            left[j] = left[i - 1]
        return drawn
    else:
        seen = set()
        drawn = []
        for _ in range(k):
            j = below(n)
            while j in seen:
                j = below(n)
            seen.add(j)
            drawn.append(population[j])
        return drawn


@function("random.choices")
def py_choices(population, weights=None, *, cum_weights=None, k=1):
    n = len(population)
    if weights is None and cum_weights is None:
        return [population[int(py_random() * float(n))] for _ in range(k)]
    elif cum_weights is None:
        return weighted_choices(population, list(itertools.accumulate(weights)), k)
    elif weights is None:
        return weighted_choices(population, list(cum_weights), k)
    else:
        raise TypeError("Cannot specify both weights and cumulative weights")


def weighted_choices(population, sums, k):
    n = len(population)
    if len(sums) != n:
        raise ValueError("The number of weights does not match the population")
    total = float(sums[n - 1])
    if total <= 0:
        raise ValueError("Total of weights must be greater than zero")
    if not math.isfinite(total):
        raise ValueError("Total of weights must be finite")
    return [population[bisect.bisect_right(sums, py_random() * total, 0, n - 1)] for _ in range(k)]


@function("random.gauss")
def py_gauss(mu=0.0, sigma=1.0):
    """Box and Muller: of each pair of numbers the second one is kept for the next call."""
    return draw("random.gauss", mu, sigma)


@function("random.normalvariate")
def py_normalvariate(mu=0.0, sigma=1.0):
    """The ratio of uniforms of Kinderman and Monahan (1977)."""
    return draw("random.normalvariate", mu, sigma)


@function("random.lognormvariate")
def py_lognormvariate(mu, sigma):
    """exp(normalvariate(mu, sigma))."""
    return draw("random.lognormvariate", mu, sigma)


@function("random.expovariate")
def py_expovariate(lambd=1.0):
    """-log(1 - u) / lambd. ZeroDivisionError if lambd is 0."""
    if lambd == 0:
        raise ZeroDivisionError("float division by zero")
    return draw("random.expovariate", lambd)


@function("random.gammavariate")
def py_gammavariate(alpha, beta):
    """Cheng (1977) above alpha 1, Ahrens and Dieter (1974) below. Parameters that are not positive
    raise ValueError.
    """
    return draw("random.gammavariate", alpha, beta)


@function("random.betavariate")
def py_betavariate(alpha, beta):
    """From two gamma numbers. Parameters that are not positive raise ValueError."""
    return draw("random.betavariate", alpha, beta)


@function("random.paretovariate")
def py_paretovariate(alpha):
    """(1 - u) ** (-1 / alpha). ZeroDivisionError if alpha is 0."""
    if alpha == 0:
        raise ZeroDivisionError("float division by zero")
    return draw("random.paretovariate", alpha)


@function("random.weibullvariate")
def py_weibullvariate(alpha, beta):
    """alpha * (-log(1 - u)) ** (1 / beta). ZeroDivisionError if beta is 0."""
    if beta == 0:
        raise ZeroDivisionError("float division by zero")
    return draw("random.weibullvariate", alpha, beta)


@function("random.vonmisesvariate")
def py_vonmisesvariate(mu, kappa):
    """Best and Fisher (1979), as CPython writes it: an angle in [0, 2 pi)."""
    return draw("random.vonmisesvariate", mu, kappa)


@function("random.triangular")
def py_triangular(low=0.0, high=1.0, mode=None):
    """The inverse of the distribution function; low where low and high are equal."""
    if mode is None:
        return draw("random.triangular", low, high, low + (high - low) * 0.5)
    else:
        return draw("random.triangular", low, high, mode)
