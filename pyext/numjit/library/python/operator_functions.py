"""Functions of ``operator`` that are no operator row: items and sequences."""

import numpy as np

from ..core.intrinsics import refuse
from ..core.registry import function


@function("operator.inv")
def inv(a):
    return ~a


@function("operator.index")
def index(a):
    if isinstance(a, (float, complex, str, bytes, tuple, list)):
        refuse("an integer is wanted here, not ", "int(...) makes one", "TypingError", a)
    elif isinstance(a, np.ndarray):
        if a.ndim > 0:
            refuse("an integer is wanted here, not ", "a[i] is one", "TypingError", a)
        return index(a[()])
    else:
        return a if isinstance(a, np.uint64) else a | 0


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
