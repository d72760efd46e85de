"""The sum of a photograph's grey values, row by row and column by column."""

from data import grey_photograph
from demo import Demo
from numjit import njit


@njit
def matrix_sum(a):
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total += a[i, j]
    return total


def load():
    return (grey_photograph(),)


def small():
    return (grey_photograph()[:64].copy(),)


def with_numpy(a):
    return a.sum()


DEMOS = [Demo("matrix sum", matrix_sum, load, small, scale=427 / 64, numpy=with_numpy)]
