"""Loops over generators, iterators and walks over arrays."""

import numpy as np
from kernel import Kernel
from numjit import njit


@njit
def counter(n):
    i = 0
    while i < n:
        yield i
        i += 1


@njit
def generator(n):
    s = 0
    for v in counter(n):
        s ^= v * v
    return s


@njit
def halves(a):
    for i in range(len(a)):
        yield 0.5 * a[i]


@njit
def generator_of_items(a):
    s = 0.0
    for x in halves(a):
        s += x
    return s


@njit
def fibonacci(n):
    a, b = 0, 1
    for i in range(n):
        yield i, a
        a, b = b, (a + b) % 1000007


@njit
def generator_of_tuples(n):
    s = 0
    for i, f in fibonacci(n):
        s += i ^ f
    return s


@njit
def pairs(n):
    for i in range(n):
        for j in range(i):
            yield i, j


@njit
def generator_with_nest(n):
    s = 0
    for i, j in pairs(n):
        s += i * j
    return s


@njit
def several_yields(n):
    for i in range(n):
        if i % 3 == 0:
            yield i
        elif i % 5 == 0:
            yield -i
        else:
            yield 2 * i


@njit
def generator_with_yields(n):
    s = 0
    for v in several_yields(n):
        s += v
    return s


@njit
def squares(n):
    for v in counter(n):
        yield v * v


@njit
def generator_of_generator(n):
    s = 0
    for v in squares(n):
        s ^= v
    return s


@njit
def chained(n):
    yield from counter(n)
    yield from squares(n)


@njit
def generator_yield_from(n):
    s = 0
    for v in chained(n):
        s += v
    return s


@njit
def generator_enumerated(n):
    s = 0
    for i, v in enumerate(counter(n)):
        s += i ^ v
    return s


@njit
def generators_zipped(n):
    s = 0
    for u, v in zip(counter(n), squares(n)):
        s += u ^ v
    return s


@njit
def generator_left(n):
    s = 0
    for k in range(n):
        for v in counter(n):
            if v > 10:
                break
            s += v * k
    return s


@njit
def generator_handled(n):
    s = 0
    try:
        for v in counter(n):
            s += 100 // (v + 1)
    except ZeroDivisionError:
        return -1
    return s


@njit
def generator_next(n):
    s = 0
    g = counter(n)
    for _ in range(n):
        s ^= next(g)
    return s


@njit
def ndindex_1d(a):
    s = 0.0
    for (i,) in np.ndindex(a.shape):
        s += a[i]
    return s


@njit
def ndindex_2d(a):
    s = 0.0
    for i, j in np.ndindex(a.shape):
        s += a[i, j] * 2.0
    return s


@njit
def ndindex_3d(a):
    s = 0.0
    for index in np.ndindex(a.shape):
        s += a[index]
    return s


@njit
def ndindex_write(a):
    out = np.empty_like(a)
    for i, j in np.ndindex(a.shape):
        out[i, j] = a[i, j] * 2.0 + 1.0
    return out


@njit
def ndenumerate(a):
    s = 0.0
    for (i, j), x in np.ndenumerate(a):
        s += x * (i + j)
    return s


@njit
def ndenumerate_write(a):
    out = np.empty_like(a)
    for index, x in np.ndenumerate(a):
        out[index] = x * x
    return out


@njit
def nditer(a):
    s = 0.0
    for x in np.nditer(a):
        s += x.item()
    return s


@njit
def nditer_several(a, b):
    s = 0.0
    for x, y in np.nditer((a, b)):
        s += x.item() * y.item()
    return s


@njit
def nditer_strided(a):
    s = 0.0
    for x in np.nditer(a[:, ::2]):
        s += x.item()
    return s


@njit
def flat(a):
    s = 0.0
    for x in a.flat:
        s += x
    return s


@njit
def flat_strided(a):
    s = 0.0
    for x in a[:, ::2].flat:
        s += x
    return s


@njit
def flat_index(a):
    s = 0.0
    for i in range(a.size):
        s += a.flat[i]
    return s


@njit
def rows(a):
    s = 0.0
    for row in a:
        for x in row:
            s += x * x
    return s


@njit
def rows_enumerated(a):
    s = 0.0
    for i, row in enumerate(a):
        s += row[0] * i
        row[1] = s
    return s


@njit
def items_zipped(a, b, c):
    s = 0.0
    for x, y, z in zip(a, b, c):
        s += x * y + z
    return s


@njit
def items_zipped_write(a, b, c):
    for i, (x, y) in enumerate(zip(a, b)):
        c[i] = x * y
    return c[3]


@njit
def items_reversed(a):
    s = 0.0
    for x in a[::-1]:
        s = s * 0.5 + x
    return s


@njit
def range_reversed(n):
    s = 0
    for i in reversed(range(n)):
        s = (s * 3 ^ i) & 0xFFFF
    return s


@njit
def list_items(n):
    values = [i * 0.5 for i in range(n)]
    s = 0.0
    for _ in range(20):
        for x in values:
            s += x
    return s


@njit
def list_enumerated(n):
    values = [i for i in range(n)]
    s = 0
    for _ in range(20):
        for i, x in enumerate(values):
            s += i ^ x
    return s


@njit
def dict_items(n):
    d = {}
    for i in range(n):
        d[i] = i * 0.5
    s = 0.0
    for _ in range(10):
        for k, v in d.items():
            s += k * v
    return s


@njit
def dict_keys(n):
    d = {}
    for i in range(n):
        d[i] = i * 0.5
    s = 0
    for _ in range(10):
        for k in d:
            s += k
    return s


@njit
def set_items(n):
    values = set(range(n))
    s = 0
    for _ in range(10):
        for k in values:
            s += k
    return s


@njit
def mapped(a):
    s = 0.0
    for x in map(lambda x: x * x, a):
        s += x
    return s


@njit
def filtered(a):
    s = 0.0
    for x in filter(lambda x: x > 0.5, a):
        s += x
    return s


@njit
def sorted_by_key(n):
    values = [(i * 7919) % 1009 for i in range(n)]
    return sorted(values, key=lambda v: -v)[:3]


@njit
def tuple_items(n):
    s = 0
    for i in range(n):
        for k in (1, 5, 7):
            s ^= i * k
    return s


@njit
def primes_below(n):
    sieve = np.ones(n, np.bool_)
    for i in range(2, n):
        if sieve[i]:
            yield i
            for k in range(i * i, n, i):
                sieve[k] = False


@njit
def primes(n):
    s = 0
    for p in primes_below(n):
        s += p
    return s


@njit
def permutations(n):
    """Heap's algorithm."""
    order = np.arange(n)
    counts = np.zeros(n, np.int64)
    yield order
    i = 0
    while i < n:
        if counts[i] < i:
            k = 0 if i % 2 == 0 else counts[i]
            order[k], order[i] = order[i], order[k]
            yield order
            counts[i] += 1
            i = 0
        else:
            counts[i] = 0
            i += 1


@njit
def fixed_points(n):
    s = 0
    for order in permutations(n):
        for i in range(n):
            if order[i] == i:
                s += 1
    return s


@njit
def neighbours(i, j, shape):
    if i > 0:
        yield i - 1, j
    if j > 0:
        yield i, j - 1
    if i + 1 < shape[0]:
        yield i + 1, j
    if j + 1 < shape[1]:
        yield i, j + 1


@njit
def components(image):
    label = np.zeros(image.shape, np.int64)
    todo = np.empty((image.size, 2), np.int64)
    count = 0
    for i, j in np.ndindex(image.shape):
        if image[i, j] < 0.6 and label[i, j] == 0:
            count += 1
            label[i, j] = count
            todo[0, 0], todo[0, 1], size = i, j, 1
            while size > 0:
                size -= 1
                for u, v in neighbours(todo[size, 0], todo[size, 1], image.shape):
                    if image[u, v] < 0.6 and label[u, v] == 0:
                        label[u, v] = count
                        todo[size, 0], todo[size, 1] = u, v
                        size += 1
    return count


@njit
def collatz_steps(n):
    while n != 1:
        yield n
        n = n // 2 if n % 2 == 0 else 3 * n + 1


@njit
def collatz(n):
    longest = 0
    for i in range(1, n):
        steps = 0
        for _ in collatz_steps(i):
            steps += 1
        longest = max(longest, steps)
    return longest


@njit
def windows(a, n):
    total = a[:n].sum()
    yield total / n
    for i in range(n, len(a)):
        total += a[i] - a[i - n]
        yield total / n


@njit
def moving_average(a):
    out = np.empty(len(a) - 9)
    for i, x in enumerate(windows(a, 10)):
        out[i] = x
    return out


def line(n):
    return (np.random.default_rng(6).random(n),)


def plane(*shape):
    return (np.random.default_rng(7).random(shape),)


def lines(n):
    return tuple(np.random.default_rng(8).random((3, n)))


def numbers(function, large=1_000_000, small=40):
    return Kernel(function, lambda: (large,), lambda: (small,), tolerance=1e-9)


def items(function, make=plane, large=(1000, 1000), small=(5, 7)):
    return Kernel(function, lambda: make(*large), lambda: make(*small), tolerance=1e-9)


KERNELS = {
    "generator": numbers(generator),
    "generator_of_items": items(generator_of_items, line, (1_000_000,), (40,)),
    "generator_of_tuples": numbers(generator_of_tuples),
    "generator_with_nest": numbers(generator_with_nest, 1500),
    "generator_with_yields": numbers(generator_with_yields),
    "generator_of_generator": numbers(generator_of_generator),
    "generator_yield_from": numbers(generator_yield_from),
    "generator_enumerated": numbers(generator_enumerated),
    "generators_zipped": numbers(generators_zipped),
    "generator_left": numbers(generator_left, 100_000),
    "generator_handled": numbers(generator_handled),
    "generator_next": numbers(generator_next),
    "ndindex_1d": items(ndindex_1d, line, (1_000_000,), (40,)),
    "ndindex_2d": items(ndindex_2d),
    "ndindex_3d": items(ndindex_3d, plane, (100, 100, 100), (3, 4, 5)),
    "ndindex_write": items(ndindex_write),
    "ndenumerate": items(ndenumerate),
    "ndenumerate_write": items(ndenumerate_write),
    "nditer": items(nditer),
    "nditer_several": items(nditer_several, lambda *shape: 2 * plane(*shape)),
    "nditer_strided": items(nditer_strided),
    "flat": items(flat),
    "flat_strided": items(flat_strided),
    "flat_index": items(flat_index),
    "rows": items(rows),
    "rows_enumerated": items(rows_enumerated),
    "items_zipped": items(items_zipped, lines, (1_000_000,), (40,)),
    "items_zipped_write": items(items_zipped_write, lines, (1_000_000,), (40,)),
    "items_reversed": items(items_reversed, line, (1_000_000,), (40,)),
    "range_reversed": numbers(range_reversed),
    "list_items": numbers(list_items, 100_000),
    "list_enumerated": numbers(list_enumerated, 100_000),
    "dict_items": numbers(dict_items, 100_000),
    "dict_keys": numbers(dict_keys, 100_000),
    "set_items": numbers(set_items, 100_000),
    "mapped": items(mapped, line, (1_000_000,), (40,)),
    "filtered": items(filtered, line, (1_000_000,), (40,)),
    "sorted_by_key": numbers(sorted_by_key, 100_000),
    "tuple_items": numbers(tuple_items),
    "primes": numbers(primes),
    "fixed_points": numbers(fixed_points, 9, 5),
    "components": items(components, plane, (500, 500), (9, 8)),
    "collatz": numbers(collatz, 20_000),
    "moving_average": items(moving_average, line, (1_000_000,), (40,)),
}
