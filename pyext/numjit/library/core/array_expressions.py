"""Evaluation of element-wise expressions: one loop, no temporaries."""

import numpy as np

from .intrinsics import (
    broadcast,
    broadcast_shape,
    cast,
    check_broadcast,
    contiguous_alike,
    copy_items,
    first_shape,
    get_flat,
    is_fortran,
    is_lazy,
    is_parallel,
    is_scalar,
    may_overlap,
    prange,
    same_shapes,
    set_flat,
    set_item,
    transposed,
    units_of,
    with_units,
)
from .registry import function

#: Elements from which on it pays to have several threads.
PARALLEL_FROM = 32768


@function("numjit.loop_nest", lazy=True)
def loop_nest(out, e):
    """Store every element of ``e`` to the array ``out`` of the same shape, axis by axis."""
    if out.ndim == 0:
        set_item(out, (), e[()])
    elif out.ndim == 1:
        for i in range(out.shape[0]):
            set_item(out, i, e[i])
    else:
        for i in range(out.shape[0]):
            loop_nest(out[i], e[i])


@function("numjit.store_all", lazy=True)
def store_all(out, e):
    """As loop_nest, over memory in one line where the layouts allow it."""
    if contiguous_alike(out, e):
        if not is_lazy(e) and e.dtype == out.dtype:
            copy_items(out, 0, e, 0, out.size)
        elif is_parallel() and out.size >= PARALLEL_FROM:
            store_in_parallel(out, e)
        else:
            for i in range(out.size):
                set_flat(out, i, get_flat(e, i))
    elif is_fortran(out):
        loop_nest(out.T, transposed(e))
    else:
        loop_nest(out, e)


@function("numjit.store_in_parallel", lazy=True, inline=False)
def store_in_parallel(out, e):
    """As store_all, for contiguous arrays, in several threads."""
    for i in prange(out.size):
        set_flat(out, i, get_flat(e, i))


@function("numjit.evaluate", lazy=True)
def evaluate(e):
    """The array that an expression (or a copy of the array that an array) stands for."""
    if same_shapes(e):
        if is_fortran(e):
            out = np.empty(first_shape(e), e.dtype, "F")
            store_all(out, e)
            return with_units(out, units_of(e))
        else:
            out = np.empty(first_shape(e), e.dtype)
            store_all(out, e)
            return with_units(out, units_of(e))
    else:
        return evaluate_broadcast(e)


@function("numjit.evaluate_broadcast", lazy=True, inline=False)
def evaluate_broadcast(e):
    """The array of an expression in which some array is repeated along some axis."""
    shape = broadcast_shape(e)
    out = np.empty(shape, e.dtype)
    loop_nest(out, broadcast(e, shape))
    return with_units(out, units_of(e))


@function("numjit.fill", lazy=True)
def fill(out, value):
    """Store one scalar everywhere."""
    if contiguous_alike(out):
        if is_parallel() and out.size >= PARALLEL_FROM:
            fill_in_parallel(out, value)
        else:
            for i in range(out.size):
                set_flat(out, i, value)
    elif out.ndim == 1:
        for i in range(out.shape[0]):
            set_item(out, i, value)
    else:
        for i in range(out.shape[0]):
            fill(out[i], value)


@function("numjit.fill_in_parallel", inline=False)
def fill_in_parallel(out, value):
    for i in prange(out.size):
        set_flat(out, i, value)


@function("numjit.store", lazy=True)
def store(out, e):
    """Store an expression to an array with broadcasting; they do not overlap."""
    if same_shapes(out, e):
        store_all(out, e)
    else:
        store_broadcast(out, e)


@function("numjit.store_broadcast", lazy=True, inline=False)
def store_broadcast(out, e):
    """As store, where some array is repeated along some axis."""
    check_broadcast(e, out.shape)
    loop_nest(out, broadcast(e, out.shape))


@function("numjit.assign", lazy=True)
def assign(out, e):
    """``out[...] = e`` as NumPy does it: as if the right side was evaluated first."""
    if is_scalar(e):
        fill(out, cast(e, out.dtype))
    elif may_overlap(out, e) or not same_shapes(out, e):
        assign_with_care(out, e)
    else:
        store_all(out, e)


@function("numjit.refuse_output", lazy=True, inline=False)
def refuse_output(out, e):
    """``out += e`` where the result has more axes than ``out``."""
    raise ValueError("non-broadcastable output operand has fewer axes than the broadcast shape")


@function("numjit.assign_with_care", lazy=True, inline=False)
def assign_with_care(out, e):
    """As assign, where memory overlaps or some array is repeated along some axis."""
    if may_overlap(out, e):
        store(out, evaluate(e))
    else:
        store(out, e)
