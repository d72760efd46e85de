"""``np.moveaxis`` and ``np.rollaxis``: axes in another order."""

import numpy as np

from ..core.axes import as_tuple, inserted, without
from ..core.intrinsics import is_constant, strided
from ..core.registry import function
from ..python.tuples import RunTimeTuple
from .manipulation import holds
from .methods import normal_axes, normal_axis, permuted


@function("numpy.moveaxis")
def moveaxis(a, source: "axis", destination: "axis"):
    if has_run_time_length(source) or has_run_time_length(destination):
        return moved(a, axes_in(source, a.ndim), axes_in(destination, a.ndim))
    sources = normal_axes(as_tuple(source), a.ndim)
    targets = normal_axes(as_tuple(destination), a.ndim)
    if len(sources) != len(targets):
        raise ValueError("`source` and `destination` arguments must have the same number")
    for k in range(len(sources)):
        if sources.count(sources[k]) > 1 or targets.count(targets[k]) > 1:
            raise ValueError("repeated axis")
    if len(sources) == 1:
        s, t = sources[0], targets[0]
        return strided(
            a,
            0,
            inserted(without(a.shape, s), t, a.shape[s]),
            inserted(without(a.strides, s), t, a.strides[s]),
        )
    elif is_constant(sources[0]) and is_constant(targets[0]):
        return permuted(a, order_with(sources, targets, others(sources, a.ndim, 0), 0))
    else:
        return permuted(a, found_order(sources, targets, a.ndim))


def has_run_time_length(axes):
    return isinstance(axes, (list, range, np.ndarray, RunTimeTuple))


def axes_in(axes, ndim):
    if isinstance(axes, int):
        return [normal_axis(axes, ndim)]
    else:
        return [normal_axis(axis, ndim) for axis in axes]


def moved(a, sources, targets):
    """How many axes are moved does not matter to the type: the result has as many as `a`."""
    if len(sources) != len(targets):
        raise ValueError("`source` and `destination` arguments must have the same number")
    for k in range(len(sources)):
        if sources.count(sources[k]) > 1 or targets.count(targets[k]) > 1:
            raise ValueError("repeated axis")
    return permuted(a, found_order(sources, targets, a.ndim))


def found_order(sources, targets, ndim):
    """order_with for axes that are known at run time."""
    order = np.full(ndim, -1)
    for k in range(len(sources)):
        order[targets[k]] = sources[k]
    k = 0
    for axis in range(ndim):
        if not holds(sources, axis):
            while order[k] >= 0:
                k += 1
            order[k] = axis
    return items_from(order, 0, (0,) * ndim)


def items_from(a, k, like):
    if len(like) == k:
        return ()
    else:
        return (a[k],) + items_from(a, k + 1, like)


def others(axes, ndim, k):
    if k == ndim:
        return ()
    elif holds(axes, k):
        return others(axes, ndim, k + 1)
    else:
        return (k,) + others(axes, ndim, k + 1)


def order_with(sources, targets, rest, k):
    """For each axis of the result the one that it comes from."""
    if len(rest) == 0 and not holds(targets, k):
        return ()
    elif holds(targets, k):
        return (sources[targets.index(k)],) + order_with(sources, targets, rest, k + 1)
    else:
        return (rest[0],) + order_with(sources, targets, rest[1:], k + 1)


@function("numpy.rollaxis")
def rollaxis(a, axis: "axis", start: "skip" = 0):
    ax = normal_axis(axis, a.ndim)
    begin = start + a.ndim if start < 0 else start
    if begin < 0 or begin > a.ndim:
        raise np.exceptions.AxisError("start is out of bounds")
    return moveaxis(a, ax, begin - 1 if ax < begin else begin)
