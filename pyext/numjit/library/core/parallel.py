"""Loops over prange: what chunks start from, and how their results are combined.

The compiler calls these (``typeinfer/rules/parallel.cpp``). ``kind`` is what a loop does to a
variable: an operator, with "=" behind it if it changes arrays in place; "and", "or"; or a function
of two values.
"""

import numpy as np

from .intrinsics import (
    as_partial,
    call_runtime,
    cast,
    chunk_count,
    device,
    float_bits,
    is_assigned,
    is_constant,
    is_scalar,
    item_pointer,
    layout_is,
    literal_unroll,
    partial,
    promote,
    refuse,
)
from .registry import function

#: Chunks with results are no more than this (runtime/parallel.h); a short loop needs no interrupt
#: points.
MOST_RESULTS = 1024


@function("numjit.neutral")
def neutral(kind, start, iterations):
    """What a chunk starts a reduction from, instead of the value before the loop."""
    if kind == "+[]":
        return own_array(start, len(iterations) // 4)
    elif kind == "+[:]":
        return own_array(start, max(len(iterations) // 4, MOST_ELEMENTS))
    elif isinstance(start, list):
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


#: Of an array that each iteration changes the same elements of, chunks have arrays of their own if
#: it has no more elements than this.
MOST_ELEMENTS = 65536


def own_array(array, most):
    """Zeros to add to, where they cost less than atomic operations."""
    if isinstance(array, np.ndarray):
        if is_number(array.dtype) and layout_is(array, "C") and array.size <= most:
            return np.zeros(array.shape, array.dtype)
    return array


def is_number(dtype):
    return dtype.kind == "i" or dtype.kind == "u" or dtype.kind == "f" or dtype.kind == "c"


def combine(kind, a, b):
    if kind == "+":
        return a + b
    elif kind == "+[]" or kind == "+[:]":
        if b is not a:
            a += b
        return a
    elif kind == "-":
        return a - b
    elif kind == "/":
        return a / b
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


# -- a[index] += x where several iterations may change one element --------------------------------


@function("numjit.update_element")
def update_element(kind, a, index, x, shared):
    """``kind`` is an operator or one of the functions that ``combine`` knows; ``shared`` the array
    of all chunks, which ``a`` may be."""
    if not isinstance(a, np.ndarray):
        refuse_update()
    elif not is_basic(index):
        refuse_update()
    elif a is not shared:
        a[index] = combine(kind, a[index], x)
    elif is_scalar(a[index]):
        update_at(kind, a, index if isinstance(index, tuple) else (index,), x)
    else:
        view = a[index]
        amounts = np.broadcast_to(np.asarray(x), view.shape)
        for at in np.ndindex(view.shape):
            update_at(kind, view, at, amounts[at])


def refuse_update():
    refuse(
        "loop over prange: several iterations may change the same elements, and only numbers in "
        "arrays can be changed by several threads at once",
        "use range, or write to an array of its own for each iteration",
    )


def is_basic(index):
    if isinstance(index, tuple):
        for each in literal_unroll(index):
            if not is_basic(each):
                return False
        return True
    else:
        return not isinstance(index, (list, np.ndarray))


def update_at(kind, a, index, x):
    if a.dtype.kind == "c":
        if kind == "+" or kind == "-":
            number = complex(x)
            update_at(kind, a.real, index, number.real)
            update_at(kind, a.imag, index, number.imag)
        else:
            refuse_update()
    elif a.dtype.kind == "b" and promote(x).kind == "b" and kind != "+" and kind != "*":
        update_at(kind, a.view(np.uint8), index, x)  # of 0 and 1
    elif not is_number(a.dtype):
        refuse_update()
    elif (kind == "+" or kind == "-") and promote(a, x) == a.dtype:
        place = item_pointer(a, index)
        device("atomic_add" if kind == "+" else "atomic_sub", place, x)
    else:
        place = item_pointer(a, index)
        seen = a[index]
        while True:
            old = seen
            new = cast(combine(kind, old, x), a.dtype)
            if is_same(new, old):
                break  # as most values are no new maximum
            seen = device("atomic_cas", place, old, new)
            if is_same(seen, old):
                break


def is_same(x, y):
    """Whether all bits are: -0.0 is not 0.0, a NaN is itself."""
    if isinstance(x, (float, np.float32)):
        return float_bits(x) == float_bits(y)
    else:
        return x == y


@function("numjit.get_num_threads")
def get_num_threads():
    return call_runtime("nj_get_num_threads")


@function("numjit.set_num_threads")
def set_num_threads(n):
    if isinstance(n, str):
        return refuse("The number of threads must be an integer")
    else:
        return call_runtime("nj_set_num_threads", n)


@function("numjit.get_thread_id")
def get_thread_id():
    return call_runtime("nj_thread_id")


@function("numjit.get_parallel_chunksize")
def get_parallel_chunksize():
    return call_runtime("nj_get_chunk_size")


@function("numjit.set_parallel_chunksize")
def set_parallel_chunksize(n):
    if isinstance(n, str):
        return refuse("The parallel chunksize must be an integer")
    else:
        return call_runtime("nj_set_chunk_size", n)
