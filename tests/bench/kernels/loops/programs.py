"""Inner loops of programs as tutorials and collections of benchmarks have them."""

import math

import numpy as np
from kernel import Kernel
from numjit import njit, prange


@njit
def edit_distance(a, b):
    row = np.arange(len(b) + 1)
    for i in range(1, len(a) + 1):
        diagonal, row[0] = row[0], i
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            least = min(row[j] + 1, row[j - 1] + 1, diagonal + cost)
            diagonal, row[j] = row[j], least
    return row[len(b)]


@njit
def prefix_sums(a, queries):
    sums = np.zeros(len(a) + 1, a.dtype)
    for i in range(len(a)):
        sums[i + 1] = sums[i] + a[i]
    total = 0
    for k in range(len(queries)):
        low, high = queries[k, 0], queries[k, 1]
        total ^= sums[high] - sums[low]
    return total


@njit
def count_words(text):
    counts = np.zeros(26, np.int64)
    inside, words = False, 0
    for c in text:
        if 97 <= c <= 122:
            counts[c - 97] += 1
            if not inside:
                words += 1
            inside = True
        else:
            inside = False
    return words + counts.max()


@njit
def count_keys(keys):
    counts = {}
    for k in keys:
        if k in counts:
            counts[k] += 1
        else:
            counts[k] = 1
    return len(counts), counts[keys[0]]


@njit
def seen_twice(keys):
    seen, twice = set(), 0
    for k in keys:
        if k in seen:
            twice += 1
        else:
            seen.add(k)
    return twice


@njit
def torus_stencil(a, steps):
    h, w = a.shape
    now, after = a.copy(), np.empty_like(a)
    for _ in range(steps):
        for i in range(h):
            for j in range(w):
                after[i, j] = 0.25 * (
                    now[(i - 1) % h, j]
                    + now[(i + 1) % h, j]
                    + now[i, (j - 1) % w]
                    + now[i, (j + 1) % w]
                )
        now, after = after, now
    return now


@njit
def particles(x, v, dt, steps):
    for _ in range(steps):
        for i in range(x.shape[0]):
            for d in range(3):
                x[i, d] += v[i, d] * dt
                if x[i, d] < 0.0 or x[i, d] > 1.0:
                    v[i, d] = -v[i, d]
    return x.sum() + v.sum()


@njit
def records(table):
    total = 0.0
    for i in range(len(table)):
        if table[i].kind == 1:
            total += table[i].mass * table[i].speed
    return total


@njit
def heaviest_record(table):
    most, where = -1.0, -1
    for i in range(len(table)):
        if table[i].kind != 0 and table[i].mass > most:
            most, where = table[i].mass, i
    return where


@njit
def records_moved(table, dt):
    for i in range(len(table)):
        table[i].mass += dt * table[i].speed
    return table[0].mass


@njit
def solve_3x3(a, b):
    out = np.empty_like(b)
    for i in range(len(b)):
        m = a[i]
        x = m[0, 0] * (m[1, 1] * m[2, 2] - m[1, 2] * m[2, 1])
        y = m[0, 1] * (m[1, 0] * m[2, 2] - m[1, 2] * m[2, 0])
        z = m[0, 2] * (m[1, 0] * m[2, 1] - m[1, 1] * m[2, 0])
        out[i] = b[i] / (x - y + z)
    return out


@njit
def rolling_extrema(a, width):
    out = np.empty(len(a) - width + 1)
    for i in range(len(out)):
        high = a[i]
        for j in range(i + 1, i + width):
            high = max(high, a[j])
        out[i] = high
    return out


@njit
def exponential_average(a, alpha):
    out = np.empty_like(a)
    out[0] = a[0]
    for i in range(1, len(a)):
        out[i] = alpha * a[i] + (1.0 - alpha) * out[i - 1]
    return out


@njit
def julia(h, w, c, limit):
    out = np.zeros((h, w), np.uint16)
    for y in range(h):
        for x in range(w):
            z = complex(3.0 * x / w - 1.5, 2.0 * y / h - 1.0)
            n = 0
            while n < limit and z.real * z.real + z.imag * z.imag < 4.0:
                z = z * z + c
                n += 1
            out[y, x] = n
    return out


@njit(parallel=True)
def local_histograms(x, bins):
    rows = np.zeros(x.shape[0])
    for i in prange(x.shape[0]):
        counts = np.zeros(bins, np.int64)
        for j in range(x.shape[1]):
            counts[int(x[i, j] * bins)] += 1
        rows[i] = counts.max()
    return rows


@njit
def matrix_chain(p):
    n = len(p) - 1
    cost = np.zeros((n, n), np.int64)
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            cost[i, j] = 2**62
            for k in range(i, j):
                c = cost[i, k] + cost[k + 1, j] + p[i] * p[k + 1] * p[j + 1]
                if c < cost[i, j]:
                    cost[i, j] = c
    return cost[0, n - 1]


@njit
def queens(n, row, columns, left, right):
    if row == n:
        return 1
    count, free = 0, ~(columns | left | right) & ((1 << n) - 1)
    while free:
        bit = free & -free
        free ^= bit
        count += queens(n, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1)
    return count


@njit
def great_circles(points):
    total = 0.0
    for i in range(1, len(points)):
        a, b = points[i - 1], points[i]
        h = math.sin((b[0] - a[0]) / 2) ** 2
        h += math.cos(a[0]) * math.cos(b[0]) * math.sin((b[1] - a[1]) / 2) ** 2
        total += 2 * math.asin(math.sqrt(h))
    return total


@njit
def find_pattern(text, pattern):
    found = 0
    for i in range(len(text) - len(pattern) + 1):
        j = 0
        while j < len(pattern) and text[i + j] == pattern[j]:
            j += 1
        found += j == len(pattern)
    return found


@njit
def bubble_sort(x):
    a = x.copy()
    n = len(a)
    for i in range(n):
        for j in range(n - i - 1):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
    return a


@njit
def breadth_first(indices, starts, root):
    distance = np.full(len(starts) - 1, -1)
    queue = np.empty(len(starts) - 1, np.int64)
    queue[0], head, tail = root, 0, 1
    distance[root] = 0
    while head < tail:
        v = queue[head]
        head += 1
        for k in range(starts[v], starts[v + 1]):
            u = indices[k]
            if distance[u] < 0:
                distance[u] = distance[v] + 1
                queue[tail] = u
                tail += 1
    return distance.sum()


@njit
def xorshift(n):
    state, total = np.uint64(88172645463325252), np.uint64(0)
    for _ in range(n):
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        total += state >> np.uint64(60)
    return total


def rng():
    return np.random.default_rng(1)


def letters(n, seed=1):
    return np.random.default_rng(seed).integers(97, 101, n, dtype=np.uint8)


def text(n):
    return rng().choice(np.frombuffer(b"abcdefgh  ", np.uint8), n)


def intervals(n):
    return rng().integers(0, 100, n), np.sort(rng().integers(0, n, (n, 2)), axis=1)


def table(n):
    made = np.zeros(n, np.dtype([("kind", "i4"), ("mass", "f8"), ("speed", "f8")]))
    made["kind"], made["mass"], made["speed"] = rng().integers(0, 3, n), 2.0, rng().random(n)
    return (made.view(np.recarray),)


def graph(n, per):
    return rng().integers(0, n, n * per), np.arange(0, n * per + 1, per), 0


def many(function, make, large, small, tolerance=1e-9):
    return Kernel(function, lambda: make(*large), lambda: make(*small), tolerance)


def random(*shape):
    return rng().random(shape)


KERNELS = {
    "edit_distance": many(edit_distance, lambda n: (letters(n), letters(n, 2)), (600,), (9,)),
    "prefix_sums": many(prefix_sums, intervals, (100_000,), (20,)),
    "count_words": many(count_words, lambda n: (text(n),), (200_000,), (40,)),
    "count_keys": many(count_keys, lambda n: (rng().integers(0, 500, n),), (200_000,), (40,)),
    "seen_twice": many(seen_twice, lambda n: (rng().integers(0, n, n),), (50_000,), (40,)),
    "torus_stencil": many(torus_stencil, lambda n: (random(n, n), 5), (200,), (7,)),
    "particles": many(
        particles, lambda n: (random(n, 3), random(n, 3) - 0.5, 1e-3, 10), (5000,), (5,)
    ),
    "records": many(records, table, (200_000,), (20,)),
    "heaviest_record": many(heaviest_record, table, (200_000,), (20,)),
    "records_moved": many(records_moved, lambda n: (*table(n), 1e-9), (200_000,), (20,)),
    "solve_3x3": many(solve_3x3, lambda n: (random(n, 3, 3), random(n, 3)), (20_000,), (5,)),
    "rolling_extrema": many(rolling_extrema, lambda n: (random(n), 10), (100_000,), (30,)),
    "exponential_average": many(exponential_average, lambda n: (random(n), 0.1), (200_000,), (9,)),
    "julia": many(julia, lambda n: (n, n, -0.8 + 0.156j, 100), (100,), (8,)),
    "local_histograms": many(local_histograms, lambda n: (random(n, 200), 16), (2000,), (4,)),
    "matrix_chain": many(matrix_chain, lambda n: (rng().integers(1, 50, n),), (120,), (8,)),
    "queens": many(queens, lambda n: (n, 0, 0, 0, 0), (8,), (5,)),
    "great_circles": many(great_circles, lambda n: (random(n, 2),), (20_000,), (9,)),
    "find_pattern": many(find_pattern, lambda n: (letters(n), letters(5, 3)), (200_000,), (40,)),
    "bubble_sort": many(bubble_sort, lambda n: (random(n),), (500,), (12,)),
    "breadth_first": many(breadth_first, graph, (20_000, 4), (20, 2)),
    "xorshift": many(xorshift, lambda n: (n,), (300_000,), (20,)),
}
