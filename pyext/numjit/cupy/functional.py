"""Functions of functions: fuse, memoize, apply_along_axis, piecewise."""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from .creation import array, asarray, zeros
from .devices import get_device_id
from .joining import stack
from .manipulation import where


def fuse(*args, **keywords):
    """Decorates a function of arrays. Expressions are one kernel anyway, so it stays what it is."""

    def decorate(function):
        @functools.wraps(function)
        def fused(*arguments, **more):
            return function(*arguments, **more)

        fused.clear_cache = lambda: None  # kernels are kept by what they compute
        return fused

    return decorate(args[0]) if args and callable(args[0]) else decorate


_memoized = []


def memoize(for_each_device=False):
    """Decorates a function whose results are kept."""

    def decorate(function):
        kept = {}
        _memoized.append(kept)

        @functools.wraps(function)
        def memoized(*args, **keywords):
            key = (args, tuple(sorted(keywords.items())), get_device_id() if for_each_device else 0)
            if key not in kept:
                kept[key] = function(*args, **keywords)
            return kept[key]

        return memoized

    return decorate


def clear_memo():
    """Forgets all results that were kept."""
    for kept in _memoized:
        kept.clear()


def apply_along_axis(func1d, axis, arr, *args, **keywords):
    """A function of each vector along an axis, in whose place its results are."""
    arr = asarray(arr)
    axis = normalize_axis_index(axis, arr.ndim)
    outer = [i for i in range(arr.ndim) if i != axis]
    moved = arr.transpose((*outer, axis))
    lines = moved.reshape(math.prod(moved.shape[:-1]), moved.shape[-1])
    if not lines.shape[0]:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    parts = [asarray(func1d(lines[i], *args, **keywords)) for i in range(lines.shape[0])]
    found = stack(parts).reshape(moved.shape[:-1] + parts[0].shape)
    order = list(range(found.ndim))
    order[axis:axis] = [order.pop() for _ in range(parts[0].ndim)][::-1]
    return found.transpose(order)


def _value(value, x, args, keywords):
    found = value(x, *args, **keywords) if callable(value) else array(value)
    return found.astype(x.dtype, copy=False)


def piecewise(x, condlist, funclist, *args, **keywords):
    """Values by the first condition that holds."""
    x = asarray(x)
    if np.isscalar(condlist) or (
        x.ndim and not isinstance(condlist[0], list) and not getattr(condlist[0], "ndim", 0)
    ):
        condlist = [condlist]
    conditions = [asarray(each) for each in condlist]
    if len(funclist) not in (len(conditions), len(conditions) + 1):
        raise ValueError(f"with {len(conditions)} condition(s), either {len(conditions)} or "
                         f"{len(conditions) + 1} functions are expected")  # fmt: skip
    found = zeros(x.shape, x.dtype)
    if len(funclist) > len(conditions):
        found[...] = _value(funclist[-1], x, args, keywords)
    for condition, value in zip(conditions, funclist):
        found = where(condition, _value(value, x, args, keywords), found)
    return found
