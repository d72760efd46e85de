"""Sorting and searching. The runtime sorts (``runtime/sort.cpp``); always stable, NaN last."""

import numpy as np

from ..core.intrinsics import call_runtime, is_text, on_device, refuse, writable
from ..core.registry import function
from .in_threads import argsort_lines, sort_lines
from .manipulation import holds
from .methods import normal_axis, ravel


def check_order(order):
    if order is not None:
        refuse("partitioning by some fields (`order`) is not compiled: sort by them")


def holds_records(a, order):
    """Whether records are sorted; others have no fields."""
    if a.dtype.kind == "V":
        return True
    elif order is None:
        return False
    else:
        raise ValueError("Cannot specify order when the array has no fields.")


def names_but(names, others):
    if len(names) == 0:
        return ()
    elif holds(others, names[0]):
        return names_but(names[1:], others)
    else:
        return (names[0],) + names_but(names[1:], others)


def as_names(order):
    if order is None:
        return ()
    elif is_text(order):
        return (order,)
    else:
        return order


def keys_of(a, names):
    """The fields as np.lexsort takes them: what counts most is last."""
    if len(names) == 0:
        return ()
    else:
        return keys_of(a, names[1:]) + (a[names[0]],)


def order_of_records(a, axis, order):
    """By the named fields, then by the others as they lie."""
    if a.ndim != 1:
        return refuse("records are sorted in arrays of one dimension")
    else:
        normal_axis(axis, 1)
        first = as_names(order)
        return lexsort(keys_of(a, first + names_but(a.dtype.names, first)))


def check_kind(kind):
    """Sorting is stable, so that every kind will do."""
    if kind is not None and kind not in ("quicksort", "mergesort", "heapsort", "stable"):
        raise ValueError("sort kind must be one of 'quick', 'heap', or 'stable'")


def holds_texts(a):
    return a.dtype.kind == "U" or a.dtype.kind == "S"


def sort_texts(out, a):
    if a.ndim > 1:
        for i in range(a.shape[0]):
            sort_texts(out[i], a[i])
    else:
        for i, text in enumerate(sorted([x for x in a])):  # noqa: C416 - no list(a) of strings
            out[i] = text


def order_texts(out, a):
    if a.ndim > 1:
        for i in range(a.shape[0]):
            order_texts(out[i], a[i])
    else:
        for i, pair in enumerate(sorted([(x, k) for k, x in enumerate(a)])):
            out[i] = pair[1]


def sort_to(out, a, axis):
    axis = normal_axis(axis, a.ndim)
    if holds_texts(a):
        if axis != a.ndim - 1:
            refuse("np.sort() of strings is compiled for the last axis")
        return sort_texts(out, a)
    if on_device():
        sort_lines(out, a, axis)
    else:
        call_runtime("nj_sort", out, out.strides, a, a.strides, a.shape, a.ndim, axis, a.dtype)


@function("numpy.sort")
def sort(a, axis=-1, kind=None, order=None):
    """Always stable, whatever ``kind`` says; NaN last."""
    check_kind(kind)
    if not isinstance(a, np.ndarray):
        return sort(np.asarray(a), axis, kind, order)
    elif axis is None:
        return sort(ravel(a), 0, kind, order)
    elif holds_records(a, order):
        return a[order_of_records(a, axis, order)]
    else:
        out = np.empty_like(a)
        sort_to(out, a, axis)
        return out


@function("Array.sort")
def sort_method(self, axis=-1, kind=None, order=None):
    check_kind(kind)
    if holds_records(self, order):
        self[:] = self[order_of_records(self, axis, order)]
    else:
        sort_to(writable(self), self, axis)


@function("numpy.argsort")
@function("Array.argsort")
def argsort(a, axis=-1, kind=None, order=None, *, stable=None):
    """Always stable, whatever ``kind`` says: equal elements stay in order, which NumPy promises
    for ``kind="stable"`` alone.
    """
    check_kind(kind)
    if not isinstance(a, np.ndarray):
        return argsort(np.asarray(a), axis, kind, order)
    elif axis is None or a.ndim == 0:
        return argsort(ravel(a), 0, kind, order)
    elif holds_records(a, order):
        return order_of_records(a, axis, order)
    else:
        out = np.empty(a.shape, np.int64)
        axis = normal_axis(axis, a.ndim)
        if holds_texts(a):
            if axis != a.ndim - 1:
                refuse("np.argsort() of strings is compiled for the last axis")
            order_texts(out, a)
        else:
            argsort_to(out, a, axis)
        return out


def argsort_to(out, a, axis):
    if on_device():
        argsort_lines(out, a, axis)
    else:
        call_runtime("nj_argsort", out, out.strides, a, a.strides, a.shape, a.ndim, axis, a.dtype)


def check_partition(kind, order):
    check_order(order)
    if kind != "introselect":
        raise ValueError("sort kind must be 'introselect'")


def checked_positions(kth, n):
    """The wanted positions counted from the front."""
    if isinstance(kth, bool):
        refuse("Booleans unacceptable as partition index")
    elif isinstance(kth, int):
        return checked_positions((kth,), n)
    elif isinstance(kth, np.ndarray) and kth.ndim > 1:
        raise ValueError("object too deep for desired array")
    else:
        positions = np.empty(len(kth), np.int64)
        for i, k in enumerate(kth):
            if (k < -n or k >= n) and n > 0:
                raise ValueError("kth is out of bounds")
            positions[i] = k + n if k < 0 else k
        return positions


def partition_to(symbol, out, a, kth, axis):
    axis = normal_axis(axis, a.ndim)
    k = checked_positions(kth, a.shape[axis])
    if not on_device():
        call_runtime(
            symbol, out, out.strides, a, a.strides, a.shape, a.ndim, axis, a.dtype, k, k.size
        )
    elif symbol == "nj_partition":  # what is sorted is partitioned everywhere
        sort_lines(out, a, axis)
    else:
        argsort_lines(out, a, axis)


@function("numpy.partition")
def partition(a, kth, axis=-1, kind="introselect", order=None):
    """Introselect; the order within the parts is not NumPy's. NaN last."""
    check_partition(kind, order)
    if not isinstance(a, np.ndarray):
        return partition(np.asarray(a), kth, axis)
    elif axis is None:
        return partition(ravel(a), kth, 0)
    else:
        out = np.empty_like(a)
        partition_to("nj_partition", out, a, kth, axis)
        return out


@function("Array.partition")
def partition_method(self, kth, axis=-1, kind="introselect", order=None):
    check_partition(kind, order)
    partition_to("nj_partition", writable(self), self, kth, axis)


@function("numpy.argpartition")
@function("Array.argpartition")
def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    """As partition; which of equal elements come first is not NumPy's choice."""
    check_partition(kind, order)
    if not isinstance(a, np.ndarray):
        return argpartition(np.asarray(a), kth, axis)
    elif axis is None:
        return argpartition(ravel(a), kth, 0)
    else:
        out = np.empty(a.shape, np.int64)
        partition_to("nj_argpartition", out, a, kth, axis)
        return out


@function("numpy.lexsort")
def lexsort(keys, axis=-1):
    """Stable; keys of one dimension."""
    if keys[0].ndim != 1:
        return refuse("np.lexsort is compiled for keys of one dimension")
    else:
        normal_axis(axis, 1)
        return sorted_further(argsort(keys[0]), keys, 1)


def sorted_further(order, keys, k):
    """``order`` sorted by the keys from ``k`` on; equal ones keep their order."""
    if isinstance(keys, tuple):
        if k == len(keys):
            return order
        else:
            return sorted_further(sorted_by(order, keys[k]), keys, k + 1)
    else:
        for i in range(k, len(keys)):
            order = sorted_by(order, keys[i])
        return order


def sorted_by(order, key):
    n = order.shape[0]
    if key.shape != (n,):
        raise ValueError("all keys need to be the same shape")
    picked = np.empty(n, key.dtype)
    for i in range(n):
        picked[i] = key[order[i]]
    then = argsort(picked)
    out = np.empty(n, np.int64)
    for i in range(n):
        out[i] = order[then[i]]
    return out
