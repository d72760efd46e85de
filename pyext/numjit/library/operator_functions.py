"""Functions of ``operator`` that are no operator row: items, sequences, matrix products."""

import operator

import numpy as np

from .intrinsics import promote
from .registry import function


@function("operator.inv")
def inv(a):
    return ~a


@function("operator.index")
def index(a):
    return a | 0  # refuses what is not an integer


@function("operator.getitem")
def getitem(a, b):
    return a[b]


@function("operator.setitem")
def setitem(a, b, c):
    a[b] = c


@function("operator.delitem")
def delitem(a, b):
    del a[b]


@function("operator.concat")
def concat(a, b):
    return a + b


@function("operator.iconcat")
def iconcat(a, b):
    a += b
    return a


@function("operator.countOf")
def count_of(a, b):
    n = 0
    for x in a:
        if x == b:
            n += 1
    return n


@function("operator.indexOf")
def index_of(a, b):
    i = 0
    for x in a:
        if x == b:
            return i
        i += 1
    raise ValueError("sequence.index(x): x not in sequence")


@function("operator.length_hint")
def length_hint(obj, default=0):
    return len(obj)


def product_of_vectors(a, b):
    if a.shape[0] != b.shape[0]:
        raise ValueError("matmul: the lengths of the operands do not match")
    total = promote(a, b).type(0)
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    return total


def product_of_matrices(a, b):
    if a.shape[1] != b.shape[0]:
        raise ValueError("matmul: the inner dimensions of the operands do not match")
    out = np.zeros((a.shape[0], b.shape[1]), promote(a, b))
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            x = a[i, k]
            for j in range(b.shape[1]):
                out[i, j] += x * b[k, j]
    return out


@function("numpy.matmul")
def matmul(x1, x2):
    if x1.ndim == 1 and x2.ndim == 1:
        return product_of_vectors(x1, x2)
    elif x2.ndim == 1:
        return product_of_matrices(x1, x2[:, None])[:, 0]
    elif x1.ndim == 1:
        return product_of_matrices(x1[None, :], x2)[0]
    else:
        return product_of_matrices(x1, x2)


@function("operator.matmul")
def operator_matmul(a, b):
    return a @ b


@function("operator.imatmul")
def operator_imatmul(a, b):
    return operator.matmul(a, b)
