"""Rings, tables and sequences in which one step needs the last."""

import math

import numpy as np
from kernel import Kernel
from numjit import njit


@njit
def rule_table(cells, rule, steps):
    w = cells.shape[0]
    now, after = cells.copy(), np.empty_like(cells)
    for _ in range(steps):
        for i in range(w):
            pattern = 4 * now[(i - 1) % w] + 2 * now[i] + now[(i + 1) % w]
            after[i] = (rule >> pattern) & 1
        now, after = after, now
    return now


@njit
def game_of_life(board, steps):
    h, w = board.shape
    now, after = board.copy(), np.empty_like(board)
    for _ in range(steps):
        for i in range(h):
            for j in range(w):
                n = 0
                for di in range(-1, 2):
                    for dj in range(-1, 2):
                        if di != 0 or dj != 0:
                            n += now[(i + di) % h, (j + dj) % w]
                after[i, j] = 1 if n == 3 or (n == 2 and now[i, j]) else 0
        now, after = after, now
    return now


@njit
def knapsack(weights, values, capacity):
    best = np.zeros(capacity + 1, np.int64)
    for i in range(len(weights)):
        for c in range(capacity, weights[i] - 1, -1):
            best[c] = max(best[c], best[c - weights[i]] + values[i])
    return best[capacity]


@njit
def floyd_warshall(d):
    n = len(d)
    out = d.copy()
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if out[i, k] + out[k, j] < out[i, j]:
                    out[i, j] = out[i, k] + out[k, j]
    return out


@njit
def viterbi(log_trans, log_emit):
    steps, states = log_emit.shape
    score = log_emit[0].copy()
    after = np.empty_like(score)
    for t in range(1, steps):
        for j in range(states):
            best = -math.inf
            for i in range(states):
                s = score[i] + log_trans[i, j]
                if s > best:
                    best = s
            after[j] = best + log_emit[t, j]
        score, after = after, score
    return score.max()


@njit
def fibonacci_mod(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, (a + b) % 1000000007
    return a


@njit
def longest_common(a, b):
    table = np.zeros((len(a) + 1, len(b) + 1), np.int32)
    for i in range(len(a)):
        for j in range(len(b)):
            if a[i] == b[j]:
                table[i + 1, j + 1] = table[i, j] + 1
            else:
                table[i + 1, j + 1] = max(table[i, j + 1], table[i + 1, j])
    return table[len(a), len(b)]


@njit
def coin_change(coins, amount):
    ways = np.zeros(amount + 1, np.int64)
    ways[0] = 1
    for c in coins:
        for a in range(c, amount + 1):
            ways[a] += ways[a - c]
    return ways[amount]


def rng():
    return np.random.default_rng(1)


def ints(n, high=4):
    return rng().integers(0, high, n)


KERNELS = {
    "rule_table": Kernel(
        rule_table, lambda: (ints(2000, 2), 110, 50), lambda: (ints(20, 2), 110, 5)
    ),
    "game_of_life": Kernel(
        game_of_life, lambda: (ints((100, 100), 2), 5), lambda: (ints((8, 8), 2), 2)
    ),
    "knapsack": Kernel(
        knapsack,
        lambda: (ints(60, 50) + 1, ints(60, 90), 5000),
        lambda: (ints(6, 5) + 1, ints(6, 9), 30),
    ),
    "floyd_warshall": Kernel(
        floyd_warshall, lambda: (rng().random((120, 120)),), lambda: (rng().random((6, 6)),)
    ),
    "viterbi": Kernel(
        viterbi,
        lambda: (rng().random((32, 32)), rng().random((300, 32))),
        lambda: (rng().random((4, 4)), rng().random((5, 4))),
    ),
    "fibonacci_mod": Kernel(fibonacci_mod, lambda: (300_000,), lambda: (20,)),
    "longest_common": Kernel(
        longest_common, lambda: (ints(600), ints(601)), lambda: (ints(10), ints(12))
    ),
    "coin_change": Kernel(
        coin_change,
        lambda: (np.array([1, 2, 5, 10, 25, 50]), 50_000),
        lambda: (np.array([1, 2, 5]), 20),
    ),
}
