"""Recursions of filters that continue from earlier values of the signal, as CuPy's do; SciPy's
continue from the state of the filter.

A start `zi` has along the axis of the signal the last values of the input of before, len(b) - 1 of
them, and then those of the output, len(a) - 1; the last value is the last one.
"""

from __future__ import annotations

import numpy as np

import numjit.cupy as cp

from ..code import in_numpy_code, module

_scipy = module("scipy.signal._signaltools")


def _coefficients(b, a):
    """Both lists on the host, divided by a[0]."""
    b, a = (np.atleast_1d(cp.asnumpy(each)) for each in (b, a))
    if not a[0]:
        raise ValueError("a[0] must be nonzero")
    return b / a[0], a / a[0]


def _state(b, a, before):
    """The state of SciPy's filter, of the values of before along the last axis."""
    count = len(b) - 1
    x, y = (cp.flip(each, -1) for each in (before[..., :count], before[..., count:]))
    state = []
    for m in range(max(len(a), len(b)) - 1):
        value = cp.zeros(before.shape[:-1], np.result_type(before.dtype, b.dtype, a.dtype))
        for k in range(m + 1, len(b)):
            value = value + b[k] * x[..., k - m - 1]
        for k in range(m + 1, len(a)):
            value = value - a[k] * y[..., k - m - 1]
        state.append(value)
    return cp.stack(state, -1) if state else cp.zeros((*before.shape[:-1], 0))


def _last(before, values, count):
    """The last values along the last axis."""
    joined = cp.concatenate([before, values], -1)
    return joined[..., joined.shape[-1] - count :]


@in_numpy_code
def lfilter(b, a, x, axis=-1, zi=None):
    """Filters along an axis; with zi the values to go on from are returned, too."""
    if zi is None:
        return _scipy.lfilter(b, a, x, axis)
    x, zi = (cp.moveaxis(cp.asarray(each), axis, -1) for each in (x, zi))
    over, under = _coefficients(b, a)
    count, shape = len(over) - 1, (*x.shape[:-1], len(over) + len(under) - 2)
    zi = cp.broadcast_to(zi, shape)
    dtype = np.result_type(*(cp.asarray(each).dtype for each in (b, a)), x.dtype, zi.dtype)
    state = _state(over, under, zi)
    y, _ = _scipy.lfilter(over, under, x, zi=state)
    y = y.astype(np.result_type(dtype, "f4"), copy=False)
    after = cp.concatenate(
        [_last(zi[..., :count], x, count), _last(zi[..., count:], y, len(under) - 1)], -1
    )
    return cp.moveaxis(y, -1, axis), cp.moveaxis(after, -1, axis)


def _padded(values, count):
    """The last values, of which the latest comes first, the other way round."""
    values = cp.asarray(values)[..., :count]
    missing = cp.zeros((*values.shape[:-1], count - values.shape[-1]), values.dtype)
    return cp.flip(cp.concatenate([values, missing], -1), -1)


@in_numpy_code
def lfiltic(b, a, y, x=None, axis=-1):
    """What lfilter goes on from after outputs y and inputs x, of which the latest come first."""
    over, under = _coefficients(b, a)
    y = cp.moveaxis(cp.asarray(y), axis, -1)
    x = cp.zeros((*y.shape[:-1], 0), y.dtype) if x is None else cp.moveaxis(cp.asarray(x), axis, -1)
    found = cp.concatenate([_padded(x, len(over) - 1), _padded(y, len(under) - 1)], -1)
    return cp.moveaxis(found, -1, axis)


@in_numpy_code
def lfilter_zi(b, a):
    """What lfilter goes on from after a constant input of 1."""
    over, under = _coefficients(b, a)
    gain = over.sum() / under.sum()
    return cp.asarray(np.append(np.ones(len(over) - 1), np.full(len(under) - 1, gain)))


@in_numpy_code
def sosfilt(sos, x, axis=-1, zi=None):
    """Filters by sections; zi has of each one two values of its input and two of its output."""
    if zi is None:
        return _scipy.sosfilt(sos, x, axis)
    sos, x, zi = cp.asarray(sos), cp.asarray(x), cp.asarray(zi)
    shape = list(x.shape)
    shape[axis] = 4
    if zi.shape != (len(sos), *shape):
        raise ValueError(f"Invalid zi shape {zi.shape}: it must be {(len(sos), *shape)}")
    dtype = np.result_type(sos.dtype, x.dtype, zi.dtype, "f4")
    after = []
    for section, before in zip(sos, zi):
        x, each = lfilter(section[:3], section[3:], x, axis, before)
        after.append(each.astype(dtype, copy=False))
    return x.astype(dtype, copy=False), cp.stack(after)


@in_numpy_code
def sosfilt_zi(sos):
    """What sosfilt goes on from after a constant input of 1."""
    sos = cp.asnumpy(sos)
    gains = np.cumprod(np.append(1, sos[:, :3].sum(1) / sos[:, 3:].sum(1)))
    return cp.asarray(np.repeat(np.stack([gains[:-1], gains[1:]], 1), 2, axis=1))


def apply_iir(x, a, axis=-1, zi=None, dtype=None, block_sz=1024):
    """y[n] = x[n] + a[0] y[n - 1] + a[1] y[n - 2] + ...; zi: the outputs of before."""
    x, a = cp.asarray(x), cp.asarray(a)
    dtype = np.result_type(x.dtype, a.dtype) if dtype is None else np.dtype(dtype)
    under = cp.concatenate([cp.ones(1, dtype), -a.astype(dtype)])
    found = lfilter(cp.ones(1, dtype), under, x.astype(dtype), axis, zi)
    return (found if zi is None else found[0]).astype(dtype, copy=False)


def apply_iir_sos(x, sos, axis=-1, zi=None, dtype=None, block_sz=1024):
    """The public sosfilt."""
    return sosfilt(sos, x, axis, zi)
