"""Orders and choices of ``numpy.random.Generator``: shuffle, permutation, permuted, choice."""

import numpy as np

from ..core.intrinsics import layout_is, refuse
from . import distributions
from .random_arguments import shape_of_size
from .random_generator import exact_sum, integers, method, random


def swap_items(x, i, j):
    if isinstance(x, np.ndarray) and x.ndim > 1:
        row = x[i].copy()
        x[i] = x[j]
        x[j] = row
    else:
        x[i], x[j] = x[j], x[i]


@method("shuffle")
def shuffle(self, x, axis=0):
    if isinstance(x, np.ndarray) and x.ndim > 1 and axis != 0:
        shuffle(self, np.swapaxes(x, 0, axis))
    else:
        for i in range(len(x) - 1, 0, -1):
            j = np.int64(distributions.interval(self, i))
            if i != j:
                swap_items(x, i, j)


@method("permutation")
def permutation(self, x, axis=0):
    if isinstance(x, int):
        order = np.arange(x)
        shuffle(self, order)
        return order
    elif not isinstance(x, np.ndarray):
        return permutation(self, np.asarray(x), axis)
    elif x.ndim == 1:
        out = x.copy()
        shuffle(self, out)
        return out
    else:
        return np.take(x, permutation(self, x.shape[axis]), axis)


@method("permuted")
def permuted(self, x, *, axis=None, out=None):
    if out is not None:
        out[...] = x
        shuffle_lines(self, out, axis)
        return out
    elif not isinstance(x, np.ndarray):
        return permuted(self, np.asarray(x), axis=axis)
    elif axis is None and x.ndim > 1 and layout_is(x, "F") and not layout_is(x, "C"):
        return permuted(self, x.T).T  # in the order of the memory
    else:
        made = x.copy()
        shuffle_lines(self, made, axis)
        return made


def shuffle_lines(rng, x, axis):
    if x.ndim == 1:
        shuffle(rng, x)
    elif axis is None:
        flat = x.ravel()
        shuffle(rng, flat)
        x[...] = flat.reshape(x.shape)
    else:
        shuffle_each(rng, np.moveaxis(x, axis, -1))


def shuffle_each(rng, lines):
    if lines.ndim == 1:
        shuffle(rng, lines)
    else:
        for i in range(len(lines)):
            shuffle_each(rng, lines[i])


@method("choice")
def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
    if isinstance(a, int):
        population = np.int64(a)
        if population <= 0 and not (size is not None and np.prod(shape_of_size(size)) == 0):
            raise ValueError("a must be a positive integer unless no samples are taken")
    elif isinstance(a, np.ndarray):
        population = np.int64(a.shape[axis])
        if population == 0 and not (size is not None and np.prod(shape_of_size(size)) == 0):
            raise ValueError("a cannot be empty unless no samples are taken")
    else:
        return choice(self, np.asarray(a), size, replace, p, axis, shuffle)
    if p is not None:
        chances = np.asarray(p).astype(np.float64)
        check_chances(chances, population)
        if replace:
            picked = pick_by_chance(self, chances, size)
        else:
            picked = pick_once_by_chance(self, chances, size)
    elif replace:
        picked = integers(self, 0, population, size)
    else:
        picked = pick_once(self, population, size, shuffle)
    if isinstance(a, int):
        return picked
    elif size is None and axis == 0:
        return a[picked]
    else:
        return np.take(a, picked, axis)


def check_chances(chances, population):
    if chances.ndim != 1:
        refuse("p must be 1-dimensional")
    if chances.size != population:
        raise ValueError("a and p must have same size")
    total = exact_sum(chances)
    if np.isnan(total):
        raise ValueError("Probabilities contain NaN")
    if np.any(chances < 0):
        raise ValueError("Probabilities are not non-negative")
    if abs(total - 1.0) > 1.4901161193847656e-08:
        raise ValueError("Probabilities do not sum to 1.")


def cumulated(chances):
    sums = np.cumsum(chances)
    sums /= sums[-1]
    return sums


def pick_by_chance(rng, chances, size):
    return np.searchsorted(cumulated(chances), random(rng, size), side="right")


def number_of(size):
    return 1 if size is None else np.prod(shape_of_size(size))


def shaped(picked, size):
    if size is None:
        return picked[0]
    else:
        return picked.reshape(shape_of_size(size))


def pick_once_by_chance(rng, chances, size):
    n = number_of(size)
    if n > chances.size:
        raise ValueError("Cannot take a larger sample than population when replace is False")
    if np.count_nonzero(chances > 0) < n:
        raise ValueError("Fewer non-zero entries in p than size")
    left = chances.copy()
    picked = np.zeros(n, np.int64)
    done = 0
    while done < n:
        drawn = random(rng, n - done)
        for i in range(done):
            left[picked[i]] = 0
        sums = cumulated(left)
        first = done
        for x in drawn:
            new = np.searchsorted(sums, x, side="right")
            if new not in picked[first:done]:
                picked[done] = new
                done += 1
    return shaped(picked, size)


def pick_once(rng, population, size, mixed):
    n = number_of(size)
    if n > population:
        raise ValueError("Cannot take a larger sample than population when replace is False")
    if population > 10000 and n > population // (50 if mixed else 20):
        every = np.arange(population)
        mix(rng, every, max(population - n, 1))
        return shaped(every[population - n :].copy(), size)
    return shaped(floyd(rng, population, n, mixed), size)


def mix(rng, x, first):
    for i in range(len(x) - 1, first - 1, -1):
        j = np.int64(distributions.bounded_uint64(rng, 0, i, 0, False))
        x[i], x[j] = x[j], x[i]


def floyd(rng, population, n, mixed):
    """Floyd's algorithm, with a table of what was picked."""
    mask = np.int64(1.2 * n)
    for shift in (1, 2, 4, 8, 16, 32):
        mask |= mask >> shift
    table = np.full(mask + 1, -1)
    picked = np.empty(n, np.int64)
    for j in range(population - n, population):
        value = np.int64(distributions.bounded_uint64(rng, 0, j, 0, False))
        at = value & mask
        while table[at] != -1 and table[at] != value:
            at = (at + 1) & mask
        if table[at] == value:  # j was no candidate before
            value = j
            at = j & mask
            while table[at] != -1:
                at = (at + 1) & mask
        table[at] = value
        picked[j - population + n] = value
    if mixed:
        mix(rng, picked, 1)
    return picked
