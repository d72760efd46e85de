"""Convolutions of higher order, filters and channels."""

from __future__ import annotations

import numpy as np

import numjit.cupy as cp
from numjit.cupyx.code import from_host, in_numpy_code, module
from numjit.cupyx.scipy import signal


def _windows(x, size):
    return cp.lib.stride_tricks.sliding_window_view(x, size)


def convolve1d2o(in1, in2, mode="valid", method="direct"):
    """y[n] = sum of in2[i, j] in1[n - i] in1[n - j]."""
    return _of_order(in1, in2, mode, 2)


def convolve1d3o(in1, in2, mode="valid", method="direct"):
    """y[n] = sum of in2[i, j, k] in1[n - i] in1[n - j] in1[n - k]."""
    return _of_order(in1, in2, mode, 3)


def _of_order(in1, in2, mode, order):
    if mode != "valid":
        raise NotImplementedError(f"mode must be 'valid', not {mode!r}")
    in1, in2 = cp.asarray(in1), cp.asarray(in2)
    count = in1.shape[0] - max(in2.shape) + 1
    first, *rest = (
        cp.ascontiguousarray(_windows(in1, size)[:count, ::-1]) for size in in2.shape[:order]
    )
    found = cp.tensordot(first, in2, 1)
    for windows in rest:
        shape = windows.shape + (1,) * (found.ndim - 2)
        found = (found * windows.reshape(shape)).sum(axis=1)
    return found


def channelize_poly(x, h, n_chans):
    """A polyphase channelizer: n_chans channels of a signal, by a prototype filter h."""
    x, h = cp.conj(cp.asarray(x)), cp.conj(cp.asarray(h))
    dtype = np.complex64 if cp.result_type(x.dtype, h.dtype).char in "fF" else np.complex128
    if len(h) > len(x):
        raise ValueError("Filter length must be less than signal length")
    taps = -(-len(h) // n_chans)
    phases = cp.zeros((taps * n_chans,), h.dtype)
    phases[: len(h)] = h
    phases = phases.reshape(taps, n_chans).T
    count = -(-len(x) // n_chans)
    padded = cp.zeros((count * n_chans,), x.dtype)
    padded[: len(x)] = x
    branches = padded.reshape(count, n_chans).T[::-1]
    found = cp.zeros((n_chans, count), dtype)
    for tap in range(taps):
        found[:, tap:] += phases[:, tap : tap + 1] * branches[:, : count - tap]
    return cp.conj(cp.fft.fft(found, axis=0))


def firfilter(b, x, axis=-1, zi=None):
    """A finite impulse response filter along an axis."""
    function = in_numpy_code(module("scipy.signal._signaltools").lfilter)  # with SciPy's states
    return function(b, cp.ones(1, cp.asarray(b).dtype), x, axis=axis, zi=zi)


def firfilter_zi(b):
    """The state of firfilter for the response to a step."""
    b = cp.asarray(b)
    found = from_host("scipy.signal", "lfilter_zi")(b, cp.ones(1))
    return found.astype(np.result_type(b.dtype, "f4"), copy=False)


def firfilter2(b, x, axis=-1, padtype="odd", padlen=None, method="pad", irlen=None):
    """firfilter forwards and backwards."""
    return signal.filtfilt(b, cp.ones(1), x, axis, padtype, padlen, method, irlen)
