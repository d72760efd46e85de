"""Loops as collections have them: Rosetta Code, Project Euler, NPBench, PolyBench, tutorials."""

import math

import numpy as np
from kernel import Kernel
from numjit import njit


@njit
def sieve(n):
    prime = np.ones(n + 1, np.bool_)
    prime[:2] = False
    i = 2
    while i * i <= n:
        if prime[i]:
            for j in range(i * i, n + 1, i):
                prime[j] = False
        i += 1
    return prime.sum()


@njit
def smallest_factors(n):
    factor = np.zeros(n + 1, np.int64)
    primes = [2]
    primes.pop()
    for i in range(2, n + 1):
        if factor[i] == 0:
            factor[i] = i
            primes.append(i)
        for p in primes:
            if p > factor[i] or p * i > n:
                break
            factor[p * i] = p
    return factor.sum()


@njit
def greatest_divisors(n):
    total = 0
    for a in range(1, n):
        for b in range(a, n):
            x, y = a, b
            while y:
                x, y = y, x % y
            total += x
    return total


@njit
def divisor_sums(n):
    sums = np.zeros(n, np.int64)
    for d in range(1, n):
        for m in range(2 * d, n, d):
            sums[m] += d
    count = 0
    for i in range(1, n):
        if sums[i] == i:
            count += 1
    return count, sums.max()


@njit
def powers_modulo(n, exponent, modulus):
    total = 0
    for base in range(n):
        result, b, e = 1, base % modulus, exponent
        while e > 0:
            if e & 1:
                result = result * b % modulus
            b = b * b % modulus
            e >>= 1
        total += result
    return total


@njit
def residues(n, modulus):
    seen = np.zeros(modulus, np.int64)
    x = 1
    for _ in range(n):
        x = (x * x + 1) % modulus
        seen[x] += 1
    return seen


@njit
def floored(a, divisor):
    quotients = remainders = 0
    for x in a:
        quotients += x // divisor
        remainders ^= x % divisor
    return quotients, remainders


@njit
def euclid(a, b):
    total = 0
    for i in range(len(a)):
        x, y = a[i], b[i]
        while y:
            x, y = y, x % y
        total += x
    return total


@njit
def pascal(n, modulus):
    row = np.zeros(n + 1, np.int64)
    row[0] = 1
    for i in range(1, n + 1):
        for j in range(i, 0, -1):
            row[j] = (row[j] + row[j - 1]) % modulus
    return row


@njit
def digit_sums(n):
    best = 0
    for i in range(n):
        s, x = 0, i
        while x > 0:
            s += (x % 10) ** 2
            x //= 10
        best = max(best, s)
    return best


@njit
def palindromes(n):
    best = 0
    for a in range(n, n // 2, -1):
        for b in range(a, n // 2, -1):
            product = a * b
            if product <= best:
                break
            reverse, x = 0, product
            while x:
                reverse = 10 * reverse + x % 10
                x //= 10
            if reverse == product:
                best = product
    return best


@njit
def josephus(n, k):
    alive = np.ones(n, np.bool_)
    position, left = 0, n
    while left > 1:
        steps = (k - 1) % left + 1
        while True:
            if alive[position]:
                steps -= 1
                if steps == 0:
                    break
            position = position + 1 if position + 1 < n else 0
        alive[position] = False
        left -= 1
    for i in range(n):
        if alive[i]:
            return i
    return -1


@njit
def langtons_ant(size, steps):
    grid = np.zeros((size, size), np.uint8)
    x = y = size // 2
    dx, dy = 0, -1
    for _ in range(steps):
        if grid[y, x]:
            dx, dy = dy, -dx
        else:
            dx, dy = -dy, dx
        grid[y, x] ^= 1
        x = (x + dx) % size
        y = (y + dy) % size
    return grid


@njit
def heap_sort(a):
    a = a.copy()
    n = len(a)
    for start in range(n // 2 - 1, -1, -1):
        root = start
        while 2 * root + 1 < n:
            child = 2 * root + 1
            if child + 1 < n and a[child] < a[child + 1]:
                child += 1
            if a[root] >= a[child]:
                break
            a[root], a[child] = a[child], a[root]
            root = child
    for end in range(n - 1, 0, -1):
        a[0], a[end] = a[end], a[0]
        root = 0
        while 2 * root + 1 < end:
            child = 2 * root + 1
            if child + 1 < end and a[child] < a[child + 1]:
                child += 1
            if a[root] >= a[child]:
                break
            a[root], a[child] = a[child], a[root]
            root = child
    return a


@njit
def shell_sort(a):
    a = a.copy()
    gap = len(a) // 2
    while gap > 0:
        for i in range(gap, len(a)):
            v, j = a[i], i
            while j >= gap and a[j - gap] > v:
                a[j] = a[j - gap]
                j -= gap
            a[j] = v
        gap //= 2
    return a


@njit
def merge_sort(a):
    a = a.copy()
    b = np.empty_like(a)
    n, width = len(a), 1
    while width < n:
        for low in range(0, n, 2 * width):
            middle, high = min(low + width, n), min(low + 2 * width, n)
            i, j = low, middle
            for k in range(low, high):
                if i < middle and (j >= high or a[i] <= a[j]):
                    b[k] = a[i]
                    i += 1
                else:
                    b[k] = a[j]
                    j += 1
        a, b = b, a
        width *= 2
    return a


@njit
def radix_sort(a):
    a = a.copy()
    b = np.empty_like(a)
    for shift in range(0, 32, 8):
        count = np.zeros(257, np.int64)
        for x in a:
            count[((x >> shift) & 255) + 1] += 1
        for i in range(256):
            count[i + 1] += count[i]
        for x in a:
            digit = (x >> shift) & 255
            b[count[digit]] = x
            count[digit] += 1
        a, b = b, a
    return a


@njit
def quick_select(a, k):
    a = a.copy()
    low, high = 0, len(a) - 1
    while low < high:
        pivot = a[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while a[i] < pivot:
                i += 1
            while a[j] > pivot:
                j -= 1
            if i <= j:
                a[i], a[j] = a[j], a[i]
                i += 1
                j -= 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            break
    return a[k]


@njit
def lu(a):
    a = a.copy()
    n = len(a)
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    return a


@njit
def gram_schmidt(a):
    q = a.copy()
    m, n = q.shape
    for k in range(n):
        norm = 0.0
        for i in range(m):
            norm += q[i, k] * q[i, k]
        norm = math.sqrt(norm)
        for i in range(m):
            q[i, k] /= norm
        for j in range(k + 1, n):
            dot = 0.0
            for i in range(m):
                dot += q[i, k] * q[i, j]
            for i in range(m):
                q[i, j] -= dot * q[i, k]
    return q


@njit
def jacobi_2d(a, steps):
    now, after = a.copy(), a.copy()
    n, m = a.shape
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                after[i, j] = 0.2 * (
                    now[i, j] + now[i, j - 1] + now[i, j + 1] + now[i - 1, j] + now[i + 1, j]
                )
        now, after = after, now
    return now


@njit
def seidel_2d(a, steps):
    a = a.copy()
    n, m = a.shape
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                a[i, j] = (
                    a[i - 1, j - 1]
                    + a[i - 1, j]
                    + a[i - 1, j + 1]
                    + a[i, j - 1]
                    + a[i, j]
                    + a[i, j + 1]
                    + a[i + 1, j - 1]
                    + a[i + 1, j]
                    + a[i + 1, j + 1]
                ) / 9.0
    return a


@njit
def nussinov(sequence):
    n = len(sequence)
    table = np.zeros((n, n), np.int64)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            best = max(table[i, j - 1], table[i + 1, j] if i + 1 < n else 0)
            if i + 1 < n:
                pair = 1 if sequence[i] + sequence[j] == 3 and i < j - 1 else 0
                best = max(best, table[i + 1, j - 1] + pair)
            for k in range(i + 1, j):
                best = max(best, table[i, k] + table[k + 1, j])
            table[i, j] = best
    return table[0, n - 1]


@njit
def durbin(r):
    n = len(r)
    y, z = np.zeros(n), np.zeros(n)
    y[0] = -r[0]
    alpha, beta = -r[0], 1.0
    for k in range(1, n):
        beta *= 1.0 - alpha * alpha
        s = 0.0
        for i in range(k):
            s += r[k - i - 1] * y[i]
        alpha = -(r[k] + s) / beta
        for i in range(k):
            z[i] = y[i] + alpha * y[k - i - 1]
        for i in range(k):
            y[i] = z[i]
        y[k] = alpha
    return y


@njit
def needleman_wunsch(a, b, gap):
    n, m = len(a), len(b)
    score = np.zeros((n + 1, m + 1), np.int32)
    for i in range(n + 1):
        score[i, 0] = -gap * i
    for j in range(m + 1):
        score[0, j] = -gap * j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            match = score[i - 1, j - 1] + (1 if a[i - 1] == b[j - 1] else -1)
            score[i, j] = max(match, score[i - 1, j] - gap, score[i, j - 1] - gap)
    return score[n, m]


@njit
def time_warp(a, b):
    n, m = len(a), len(b)
    cost = np.full((n + 1, m + 1), np.inf)
    cost[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            distance = abs(a[i - 1] - b[j - 1])
            cost[i, j] = distance + min(cost[i - 1, j], cost[i, j - 1], cost[i - 1, j - 1])
    return cost[n, m]


@njit
def dijkstra(weights):
    n = len(weights)
    distance = np.full(n, np.inf)
    done = np.zeros(n, np.bool_)
    distance[0] = 0.0
    for _ in range(n):
        u, least = -1, np.inf
        for v in range(n):
            if not done[v] and distance[v] < least:
                u, least = v, distance[v]
        if u < 0:
            break
        done[u] = True
        for v in range(n):
            w = weights[u, v]
            if w > 0 and least + w < distance[v]:
                distance[v] = least + w
    return distance


@njit
def bellman_ford(source, target, weight, n):
    distance = np.full(n, 1e30)
    distance[0] = 0.0
    for _ in range(n - 1):
        changed = False
        for e in range(len(source)):
            d = distance[source[e]] + weight[e]
            if d < distance[target[e]]:
                distance[target[e]] = d
                changed = True
        if not changed:
            break
    return distance


@njit
def flood_fill(image, new):
    image = image.copy()
    h, w = image.shape
    old = image[0, 0]
    todo = [(0, 0)]
    image[0, 0] = new
    filled = 1
    while todo:
        y, x = todo.pop()
        for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            v, u = y + dy, x + dx
            if 0 <= v < h and 0 <= u < w and image[v, u] == old:
                image[v, u] = new
                filled += 1
                todo.append((v, u))
    return filled


@njit
def spectral_norm(n, steps):
    u, v, t = np.ones(n), np.zeros(n), np.zeros(n)
    for _ in range(steps):
        for source, target in ((u, t), (v, v)):
            for i in range(n):
                s = 0.0
                for j in range(n):
                    s += source[j] / ((i + j) * (i + j + 1) // 2 + i + 1)
                target[i] = s
        for i in range(n):
            s = 0.0
            for j in range(n):
                s += t[j] / ((i + j) * (i + j + 1) // 2 + j + 1)
            v[i] = s
        u, v = v, u
    return math.sqrt(abs(u.sum() / v.sum()))


@njit
def fannkuch(n):
    p, q, s = np.arange(n), np.arange(n), np.arange(n)
    sign, most, total = 1, 0, 0
    while True:
        if p[0] != 0:
            for i in range(1, n):
                q[i] = p[i]
            flips, first = 1, p[0]
            while True:
                last = q[first]
                if last == 0:
                    break
                q[first] = first
                if first >= 3:
                    i, j = 1, first - 1
                    while i < j:
                        q[i], q[j] = q[j], q[i]
                        i += 1
                        j -= 1
                first = last
                flips += 1
            most = max(most, flips)
            total += sign * flips
        if sign == 1:
            p[0], p[1] = p[1], p[0]
            sign = -1
        else:
            p[1], p[2] = p[2], p[1]
            sign = 1
            for i in range(2, n):
                if s[i] != 0:
                    s[i] -= 1
                    break
                if i == n - 1:
                    return total, most
                s[i] = i
                first = p[0]
                for j in range(i + 1):
                    p[j] = p[j + 1]
                p[i + 1] = first


@njit
def lorenz(n, dt):
    x, y, z = 1.0, 1.0, 1.0
    path = np.empty((n, 3))
    for i in range(n):
        dx, dy, dz = 10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z
        x, y, z = x + dt * dx, y + dt * dy, z + dt * dz
        path[i, 0], path[i, 1], path[i, 2] = x, y, z
    return path


@njit
def nearest_centres(points, centres):
    labels = np.empty(len(points), np.int64)
    for i in range(len(points)):
        best, least = -1, np.inf
        for k in range(len(centres)):
            d = 0.0
            for c in range(points.shape[1]):
                d += (points[i, c] - centres[k, c]) ** 2
            if d < least:
                best, least = k, d
        labels[i] = best
    return labels


@njit
def adler32(data):
    a, b = 1, 0
    for x in data:
        a = (a + int(x)) % 65521
        b = (b + a) % 65521
    return (b << 16) | a


@njit
def fnv1a(data):
    h = 2166136261
    for x in data:
        h = ((h ^ int(x)) * 16777619) & 0xFFFFFFFF
    return h


@njit
def caesar(data, shift):
    out = np.empty_like(data)
    for i in range(len(data)):
        c = data[i]
        if 97 <= c <= 122:
            out[i] = (c - 97 + shift) % 26 + 97
        elif 65 <= c <= 90:
            out[i] = (c - 65 + shift) % 26 + 65
        else:
            out[i] = c
    return out


@njit
def convolve(signal, taps):
    out = np.zeros(len(signal) - len(taps) + 1)
    for i in range(len(out)):
        s = 0.0
        for k in range(len(taps)):
            s += signal[i + k] * taps[k]
        out[i] = s
    return out


@njit
def median_of_window(a, width):
    out = np.empty(len(a) - width + 1)
    window = np.sort(a[:width])
    out[0] = window[width // 2]
    for i in range(1, len(out)):
        gone, new = a[i - 1], a[i + width - 1]
        j = 0
        while window[j] != gone:
            j += 1
        while j + 1 < width and window[j + 1] < new:
            window[j] = window[j + 1]
            j += 1
        while j > 0 and window[j - 1] > new:
            window[j] = window[j - 1]
            j -= 1
        window[j] = new
        out[i] = window[width // 2]
    return out


@njit
def error_diffusion(image):
    image = image.copy()
    h, w = image.shape
    for y in range(h - 1):
        for x in range(1, w - 1):
            old = image[y, x]
            new = 1.0 if old > 0.5 else 0.0
            image[y, x] = new
            error = old - new
            image[y, x + 1] += error * 7 / 16
            image[y + 1, x - 1] += error * 3 / 16
            image[y + 1, x] += error * 5 / 16
            image[y + 1, x + 1] += error * 1 / 16
    return image


def rng():
    return np.random.default_rng(5)


def floats(*shape):
    return rng().random(shape)


def ints(n, high):
    return rng().integers(0, high, n)


def bytes_of(n):
    return rng().integers(0, 256, n, dtype=np.uint8)


def edges(n, m):
    return ints(m, n), rng().integers(0, n, m)[::-1].copy(), floats(m), n


def sized(function, large, small, make=lambda n: (n,), tolerance=None):
    more = {} if tolerance is None else {"tolerance": tolerance}
    return Kernel(function, lambda: make(large), lambda: make(small), **more)


def pair(n):
    return floats(n), floats(n + 1)[1:].copy()


KERNELS = {
    "sieve": sized(sieve, 300_000, 50),
    "smallest_factors": sized(smallest_factors, 100_000, 60),
    "greatest_divisors": sized(greatest_divisors, 300, 12),
    "divisor_sums": sized(divisor_sums, 50_000, 50),
    "powers_modulo": sized(powers_modulo, 5_000, 20, lambda n: (n, 65537, 1_000_003)),
    "residues": sized(residues, 20_000, 30, lambda n: (n, 1_000_003 if n > 99 else 97)),
    "floored": sized(floored, 50_000, 30, lambda n: (ints(n, 1 << 40) - (1 << 39), 10_007)),
    "euclid": sized(euclid, 5_000, 20, lambda n: (ints(n, 1 << 31), ints(n, 1 << 31))),
    "pascal": sized(pascal, 700, 12, lambda n: (n, 1_000_007)),
    "digit_sums": sized(digit_sums, 50_000, 200),
    "palindromes": sized(palindromes, 999, 30),
    "josephus": sized(josephus, 2_000, 11, lambda n: (n, 7)),
    "langtons_ant": sized(langtons_ant, 50_000, 300, lambda n: (100, n)),
    "heap_sort": sized(heap_sort, 10_000, 30, lambda n: (floats(n),)),
    "shell_sort": sized(shell_sort, 10_000, 30, lambda n: (floats(n),)),
    "merge_sort": sized(merge_sort, 10_000, 30, lambda n: (floats(n),)),
    "radix_sort": sized(radix_sort, 20_000, 30, lambda n: (ints(n, 1 << 31),)),
    "quick_select": sized(quick_select, 50_000, 31, lambda n: (floats(n), n // 3)),
    "lu": sized(lu, 100, 6, lambda n: (floats(n, n) + n * np.eye(n),), 1e-9),
    "gram_schmidt": sized(gram_schmidt, 80, 5, lambda n: (floats(n, n),), 1e-6),
    "jacobi_2d": sized(jacobi_2d, 150, 7, lambda n: (floats(n, n), 10)),
    "seidel_2d": sized(seidel_2d, 100, 7, lambda n: (floats(n, n), 3)),
    "nussinov": sized(nussinov, 150, 12, lambda n: (ints(n, 4),)),
    "durbin": sized(durbin, 400, 8, lambda n: (floats(n) / n,), 1e-9),
    "needleman_wunsch": sized(needleman_wunsch, 400, 9, lambda n: (ints(n, 4), ints(n + 3, 4), 1)),
    "time_warp": sized(time_warp, 400, 9, pair),
    "dijkstra": sized(dijkstra, 300, 9, lambda n: (floats(n, n),)),
    "bellman_ford": sized(bellman_ford, 1_000, 9, lambda n: edges(n, 5 * n)),
    "flood_fill": sized(flood_fill, 200, 7, lambda n: (np.zeros((n, n), np.int64), 3)),
    "spectral_norm": sized(spectral_norm, 150, 8, lambda n: (n, 3), 1e-9),
    "fannkuch": sized(fannkuch, 8, 5),
    "lorenz": sized(lorenz, 100_000, 20, lambda n: (n, 1e-3)),
    "nearest_centres": sized(nearest_centres, 5_000, 20, lambda n: (floats(n, 3), floats(8, 3))),
    "adler32": sized(adler32, 100_000, 40, lambda n: (bytes_of(n),)),
    "fnv1a": sized(fnv1a, 100_000, 40, lambda n: (bytes_of(n),)),
    "caesar": sized(caesar, 100_000, 40, lambda n: (bytes_of(n), 3)),
    "convolve": sized(convolve, 20_000, 40, lambda n: (floats(n), floats(15)), 1e-12),
    "median_of_window": sized(median_of_window, 10_000, 40, lambda n: (floats(n), 21)),
    "error_diffusion": sized(error_diffusion, 150, 7, lambda n: (floats(n, n),)),
}
