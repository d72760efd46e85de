"""Loops over prange: what chunks start from, and how their results are combined.

The compiler calls these (``typeinfer/parallel.cpp``). ``kind`` is what a loop does to a variable:
an operator, with "=" behind it if it changes arrays in place; "and", "or"; or a function of two
values.
"""

import numpy as np

from .intrinsics import (
    as_partial,
    call_runtime,
    cast,
    chunk_count,
    is_assigned,
    is_constant,
    is_scalar,
    partial,
    promote,
    refuse,
)
from .registry import function

#: Chunks with results are no more than this (runtime/parallel.h); a short loop needs no interrupt
#: points.
MOST_RESULTS = 1024


@function("numjit.neutral")
def neutral(kind, start):
    """What a chunk starts a reduction from, instead of the value before the loop."""
    if isinstance(start, list):
        refuse(
            "a list cannot be a reduction of a loop over prange: write to an array, or use range"
        )
    elif kind == "+" or kind == "+=" or kind == "^" or kind == "^=":
        if not is_scalar(start):
            return np.zeros_like(start)
        elif promote(start).kind == "f":
            return cast(-0.0, promote(start))  # -0.0 + -0.0 is -0.0
        else:
            return cast(0, promote(start))
    elif kind == "*" or kind == "*=":
        if is_scalar(start):
            return cast(1, promote(start))
        else:
            return np.ones_like(start)
    elif is_scalar(start):
        return start  # min(x, x), x & x, ... are x
    else:
        return start.copy()


def combine(kind, a, b):
    if kind == "+":
        return a + b
    elif kind == "+=":
        a += b
        return a
    elif kind == "*":
        return a * b
    elif kind == "*=":
        a *= b
        return a
    elif kind == "&":
        return a & b
    elif kind == "&=":
        a &= b
        return a
    elif kind == "|":
        return a | b
    elif kind == "|=":
        a |= b
        return a
    elif kind == "^":
        return a ^ b
    elif kind == "^=":
        a ^= b
        return a
    elif kind == "and":
        return a and b
    elif kind == "or":
        return a or b
    elif kind == "min":
        return min(a, b)
    elif kind == "max":
        return max(a, b)
    elif kind == "minimum":
        return np.minimum(a, b)
    else:
        return np.maximum(a, b)


@function("numjit.combined")
def combined(loop, index, kind, start):
    """A reduction's value behind its loop: that before it, and the chunks' in their order."""
    total = as_partial(loop, index, start)
    for k in range(min(chunk_count(loop), MOST_RESULTS)):
        total = as_partial(loop, index, combine(kind, total, partial(loop, index, k)))
    return total


@function("numjit.last_assigned")
def last_assigned(loop, index):
    """The last chunk that has assigned a variable; -1 if none has."""
    if is_constant(is_assigned(loop, index, 0)):
        return chunk_count(loop) - 1
    else:
        last = -1
        for k in range(min(chunk_count(loop), MOST_RESULTS)):
            if is_assigned(loop, index, k):
                last = k
        return last


@function("numjit.get_num_threads")
def get_num_threads():
    return call_runtime("nj_get_num_threads")


@function("numjit.set_num_threads")
def set_num_threads(n):
    call_runtime("nj_set_num_threads", n)


@function("numjit.get_thread_id")
def get_thread_id():
    return call_runtime("nj_thread_id")


@function("numjit.get_parallel_chunksize")
def get_parallel_chunksize():
    return call_runtime("nj_get_chunk_size")


@function("numjit.set_parallel_chunksize")
def set_parallel_chunksize(n):
    return call_runtime("nj_set_chunk_size", n)
