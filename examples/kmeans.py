"""k-means on scikit-learn's handwritten digits: ten mean digits out of 1797 pictures of 8x8."""

import numpy as np
from demo import Demo
from numjit import njit
from sklearn.datasets import load_digits


@njit
def nearest(point, centres):
    best, best_distance = 0, np.inf
    for c in range(centres.shape[0]):
        distance = 0.0
        for k in range(point.shape[0]):
            difference = point[k] - centres[c, k]
            distance += difference * difference
        if distance < best_distance:
            best, best_distance = c, distance
    return best


@njit
def kmeans(points, start, rounds):
    centres = start.copy()
    for _ in range(rounds):
        sums = np.zeros_like(centres)
        counts = np.zeros(len(centres), np.int64)
        for i in range(len(points)):
            c = nearest(points[i], centres)
            counts[c] += 1
            sums[c] += points[i]
        for c in range(len(centres)):
            centres[c] = sums[c] / max(counts[c], 1)
    return centres


def load():
    return (points := load_digits().data), points[:10].copy(), 10


def small():
    points, start, _ = load()
    return points[:300].copy(), start, 1


def with_numpy(points, start, rounds):
    centres = start.copy()
    for _ in range(rounds):
        labels = ((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
        for c in range(len(centres)):
            centres[c] = points[labels == c].sum(axis=0) / max((labels == c).sum(), 1)
    return centres


def digits(centres):
    return np.hstack(list(centres.reshape(10, 8, 8))).repeat(12, axis=0).repeat(12, axis=1)


DEMOS = [Demo("k-means digits", kmeans, load, small, 10 * 1797 / 300, with_numpy, digits)]
