"""Sorting, searching, gaps in times, graphs."""

import numpy as np
from kernel import Kernel
from numjit import njit


@njit
def binary_searches(a, keys):
    total = 0
    for key in keys:
        low, high = 0, len(a)
        while low < high:
            mid = (low + high) // 2
            if a[mid] < key:
                low = mid + 1
            else:
                high = mid
        total += low
    return total


@njit
def heap_sort(x):
    a = x.copy()
    n = len(a)
    for start in range(n // 2 - 1, -1, -1):
        i = start
        while 2 * i + 1 < n:
            c = 2 * i + 1
            if c + 1 < n and a[c + 1] > a[c]:
                c += 1
            if a[i] >= a[c]:
                break
            a[i], a[c] = a[c], a[i]
            i = c
    for end in range(n - 1, 0, -1):
        a[0], a[end] = a[end], a[0]
        i = 0
        while 2 * i + 1 < end:
            c = 2 * i + 1
            if c + 1 < end and a[c + 1] > a[c]:
                c += 1
            if a[i] >= a[c]:
                break
            a[i], a[c] = a[c], a[i]
            i = c
    return a


@njit
def insertion_sort(x):
    a = x.copy()
    for i in range(1, len(a)):
        v, j = a[i], i - 1
        while j >= 0 and a[j] > v:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = v
    return a


@njit
def sorted_pairs(x, y):
    pairs = [(x[i], y[i]) for i in range(len(x))]
    total = 0.0
    for k, (a, b) in enumerate(sorted(pairs)):
        total += k * (a - b)
    return total


@njit
def largest_gap(times):
    worst, where = times[1] - times[0], 1
    for i in range(2, len(times)):
        gap = times[i] - times[i - 1]
        if gap > worst:
            worst, where = gap, i
    return where


@njit
def first_peak(signal):
    best, where = signal[0], 0
    for i in range(1, len(signal)):
        if signal[i] > best:
            best, where = signal[i], i
    return where


@njit
def nearest_free(distance, taken):
    found, least = -1, np.inf
    for i in range(len(distance)):
        if not taken[i] and distance[i] < least:
            found, least = i, distance[i]
    return found


@njit
def selection_sort(x):
    a = x.copy()
    for i in range(len(a)):
        least = i
        for j in range(i + 1, len(a)):
            if a[j] < a[least]:
                least = j
        a[i], a[least] = a[least], a[i]
    return a


@njit
def longest_streak(a):
    best = best_end = length = 0
    for i in range(1, len(a)):
        length = length + 1 if a[i] > a[i - 1] else 0
        if length > best:
            best, best_end = length, i
    return best, best_end


@njit
def best_trade(prices):
    low, bought, sold, gain = 0, 0, 0, 0.0
    for i in range(len(prices)):
        if prices[i] < prices[low]:
            low = i
        if prices[i] - prices[low] > gain:
            gain, bought, sold = prices[i] - prices[low], low, i
    return bought, sold, gain


@njit
def page_rank(indices, starts, steps):
    n = len(starts) - 1
    rank = np.full(n, 1.0 / n)
    for _ in range(steps):
        after = np.full(n, 0.15 / n)
        for v in range(n):
            share = 0.85 * rank[v] / (starts[v + 1] - starts[v])
            for k in range(starts[v], starts[v + 1]):
                after[indices[k]] += share
        rank = after
    return rank


@njit
def two_pointers(a, target):
    count, i, j = 0, 0, len(a) - 1
    while i < j:
        s = a[i] + a[j]
        if s == target:
            count += 1
            i += 1
        elif s < target:
            i += 1
        else:
            j -= 1
    return count


def rng():
    return np.random.default_rng(1)


def times(n):
    return np.datetime64("2024-01-01", "s") + np.cumsum(rng().integers(1, 100, n)).astype(
        "timedelta64[s]"
    )


def graph(n, per):
    return rng().integers(0, n, n * per), np.arange(0, n * per + 1, per)


KERNELS = {
    "binary_searches": Kernel(
        binary_searches,
        lambda: (np.sort(rng().random(10_000)), rng().random(20_000)),
        lambda: (np.sort(rng().random(20)), rng().random(9)),
    ),
    "heap_sort": Kernel(heap_sort, lambda: (rng().random(10_000),), lambda: (rng().random(20),)),
    "insertion_sort": Kernel(
        insertion_sort, lambda: (rng().random(1000),), lambda: (rng().random(20),)
    ),
    "sorted_pairs": Kernel(
        sorted_pairs,
        lambda: (rng().random(20_000), rng().random(20_000)),
        lambda: (rng().random(20), rng().random(20)),
        1e-9,
    ),
    "largest_gap": Kernel(largest_gap, lambda: (times(300_000),), lambda: (times(30),)),
    "first_peak": Kernel(first_peak, lambda: (rng().random(300_000),), lambda: (rng().random(40),)),
    "nearest_free": Kernel(
        nearest_free,
        lambda: (rng().random(100_000), rng().random(100_000) < 0.3),
        lambda: (rng().random(40), rng().random(40) < 0.3),
    ),
    "selection_sort": Kernel(
        selection_sort, lambda: (rng().random(600),), lambda: (rng().random(20),)
    ),
    "longest_streak": Kernel(
        longest_streak, lambda: (rng().random(200_000),), lambda: (rng().random(60),)
    ),
    "best_trade": Kernel(
        best_trade,
        lambda: (100 + np.cumsum(rng().normal(size=200_000)),),
        lambda: (100 + np.cumsum(rng().normal(size=30)),),
    ),
    "page_rank": Kernel(page_rank, lambda: (*graph(5000, 5), 10), lambda: (*graph(20, 2), 2)),
    "two_pointers": Kernel(
        two_pointers,
        lambda: (np.sort(rng().integers(0, 10**6, 200_000)), 10**6),
        lambda: (np.arange(20), 20),
    ),
}
