"""Pulses, thresholds and beams."""

from __future__ import annotations

import numpy as np

import numjit.cupy as cp
from numjit.cupyx.scipy.signal import get_window


def _window(name, size):
    """A symmetric window, or what a function makes of the frequencies of a transform."""
    if callable(name):
        return cp.asarray(name(cp.fft.fftfreq(size)))
    return cp.asarray(get_window(name, size, False))


def pulse_compression(x, template, normalize=False, window=None, nfft=None):
    """Pulses (rows) correlated with the transmitted one."""
    x, template = cp.asarray(x), cp.asarray(template)
    dtype = np.result_type(x.dtype, template.dtype, "f4")
    samples = x.shape[1]
    nfft = samples if nfft is None else nfft
    if window is not None:
        template = template * _window(window, len(template))
    if normalize:
        template = template / cp.linalg.norm(template)
    spectrum = cp.fft.fft(x, nfft) * cp.conj(cp.fft.fft(template, nfft))
    found = cp.fft.ifft(spectrum, nfft)
    return (found if dtype.kind == "c" else found.real).astype(dtype, copy=False)


def pulse_doppler(x, window=None, nfft=None):
    """The spectrum over the pulses (rows)."""
    x = cp.asarray(x)
    nfft = x.shape[0] if nfft is None else nfft
    dtype = np.result_type(x.dtype, "F")
    if window is not None:
        x = x * _window(window, x.shape[0])[:, None]
    return cp.fft.fft(x, nfft, axis=0).astype(dtype, copy=False)


def cfar_alpha(pfa, N):
    """The factor of a threshold for a rate of false alarms, with N cells of reference."""
    return N * (pfa ** (-1.0 / N) - 1)


def ca_cfar(array, guard_cells, reference_cells, pfa=1e-3):
    """Cell-averaging detection: the thresholds, and where the array exceeds them."""
    array = cp.asarray(array)
    one = np.isscalar(guard_cells)
    guard = np.atleast_1d(np.asarray(guard_cells))
    reference = np.atleast_1d(np.asarray(reference_cells))
    if one != (array.ndim == 1) or len(guard) != len(reference):
        raise TypeError("guard_cells and reference_cells must match the dimensions of the array")
    reach = guard + reference
    if any(n <= 2 * each for n, each in zip(array.shape, reach)):
        raise ValueError("the windows do not fit into the array")
    total = cp.pad(array.astype(float), [(1, 0)] * array.ndim)
    for axis in range(array.ndim):
        total = cp.cumsum(total, axis=axis)

    def sums(radius):
        """Sums over windows, where the outer ones fit."""
        found = total
        for axis, (n, most, r) in enumerate(zip(array.shape, reach, radius)):
            high = [slice(None)] * array.ndim
            low = list(high)
            high[axis] = slice(most + r + 1, n - most + r + 1)
            low[axis] = slice(most - r, n - most - r)
            found = found[tuple(high)] - found[tuple(low)]
        return found

    count = int(np.prod(2 * reach + 1) - np.prod(2 * guard + 1))
    inside = (sums(reach) - sums(guard)) / count * cfar_alpha(pfa, count)
    thresholds = cp.zeros(array.shape, inside.dtype)
    middle = tuple(slice(int(r), n - int(r)) for r, n in zip(reach, array.shape))
    thresholds[middle] = inside
    return thresholds, array - thresholds > 0


def mvdr(x, sv, calc_cov=True):
    """Weights of the beam of minimal variance, from snapshots (columns) and a steering vector."""
    x, sv = cp.asarray(x), cp.asarray(sv)
    if x.shape[0] > x.shape[1] and calc_cov:
        raise ValueError("x has more sensors than samples")
    if x.shape[0] != sv.shape[0]:
        raise ValueError("Steering Vector and input data do not align")
    covariance = cp.cov(x, dtype=np.result_type(x.dtype, "f4")) if calc_cov else x
    found = cp.linalg.solve(covariance, sv)
    return found / (sv.conj() @ found)
