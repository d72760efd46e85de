"""Linear interpolation between samples."""

import numpy as np

from ..core.intrinsics import get_flat, is_scalar, promote, set_flat
from ..core.registry import function
from .histograms import BLOCK
from .methods import ravel
from .searching import converted, place_of, places
from .sorting import argsort


def between(x, k, xp, fp):
    """The line through points ``k`` and ``k + 1``; the parts of complex numbers are two lines."""
    if fp.dtype.kind == "c":
        first, last = fp[k], fp[k + 1]
        return complex(
            on_line(x, xp[k], xp[k + 1], first.real, last.real),
            on_line(x, xp[k], xp[k + 1], first.imag, last.imag),
        )
    else:
        return on_line(x, xp[k], xp[k + 1], fp[k], fp[k + 1])


def on_line(x, start, end, first, last):
    """The value at ``x``, from whichever end is finite."""
    slope = (last - first) / (end - start)
    y = slope * (x - start) + first
    if y != y:
        y = slope * (x - end) + last
        if y != y and first == last:
            y = first
    return y


def interpolated(x, place, xp, fp, left, right):
    """The value at ``x``, whose place from the right among ``xp`` is known."""
    n = xp.shape[0]
    if x != x and n > 1:
        return fp.dtype.type(x)
    elif x < xp[0]:
        return left
    elif x > xp[n - 1]:
        return right
    else:
        k = max(place - 1, 0)
        if k == n - 1 or xp[k] == x:  # where the slope may be infinite
            return fp[k]
        else:
            return between(x, k, xp, fp)


@function("numpy.interp")
def interp(x, xp, fp, left=None, right=None, period=None):
    """``xp`` has to increase, which is not tested, as in NumPy. Computed in float64, or
    complex128 for complex ``fp``.
    """
    if promote(x).kind == "c" or promote(xp).kind == "c":
        refuse("Cannot cast array data from complex128 to float64 according to the rule 'safe'")
    if np.ndim(xp) != 1 or np.ndim(fp) != 1:
        raise ValueError("the sample points must have one dimension")
    xs = converted(np.asarray(xp), np.float64)
    values = np.asarray(fp)
    if values.dtype.kind == "c":
        ys = converted(values, np.complex128)
    else:
        ys = converted(values, np.float64)
    if xs.shape[0] == 0:
        raise ValueError("array of sample points is empty")
    if xs.shape[0] != ys.shape[0]:
        raise ValueError("fp and xp are not of the same length.")
    if period is None:
        first = ys[0] if left is None else ys.dtype.type(left)
        last = ys[-1] if right is None else ys.dtype.type(right)
        return interpolate(x, xs, ys, first, last)
    else:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        return interp_periodic(x, xs, ys, abs(period))


@function("numjit.interp_periodic", inline=False)
def interp_periodic(x, xp, fp, period):
    n = xp.shape[0]
    inside = xp % period
    order = argsort(inside)
    xs = np.empty(n + 2)
    ys = np.empty(n + 2, fp.dtype)
    for i in range(n):
        xs[i + 1] = inside[order[i]]
        ys[i + 1] = fp[order[i]]
    xs[0] = xs[n] - period
    ys[0] = ys[n]
    xs[n + 1] = xs[1] + period
    ys[n + 1] = ys[1]
    return interpolate(x % period, xs, ys, ys[0], ys[n + 1])


def interpolate(x, xp, fp, left, right):
    if is_scalar(x):
        y = np.float64(x)
        return interpolated(y, place_of(xp, y, "right"), xp, fp, left, right)
    else:
        points = np.asarray(x)
        out = np.empty(points.shape, fp.dtype)
        flat = ravel(converted(points, np.float64))
        found = np.empty(BLOCK, np.int64)
        for start in range(0, flat.shape[0], BLOCK):
            block = min(BLOCK, flat.shape[0] - start)
            places(found, xp, flat, start, block, "right")
            for i in range(block):
                p = get_flat(flat, start + i)
                k = get_flat(found, i)
                set_flat(out, start + i, interpolated(p, k, xp, fp, left, right))
        return out
