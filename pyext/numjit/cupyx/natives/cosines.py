"""Cosine and sine transforms in place of scipy.fft's compiled ones, by Fourier transforms of twice
the length.

The sums are those of SciPy's documentation of `dct` and `dst`. A cosine transform of type II is
the real part of the first half of the transform of x and x backwards, turned by half an element;
type III is its transpose, type I the transform of the even extension, and type IV that of x turned
by half an element, turned again. Sine transforms of types II to IV are those of cosines of x with
other signs or backwards.
"""

from __future__ import annotations

import math

import numpy as np

import numjit.cupy as cp


def dct(x, type, axes, norm, out=None, workers=None, orthogonalize=None):
    """Cosine transforms along axes. `norm` 0: the sums; 1: times 1 / sqrt(N); 2: times 1 / N, where
    N is the length of the period."""
    return _along(_cosines, (_both_ends, _first), -1, x, type, axes, norm, out, orthogonalize)


def dst(x, type, axes, norm, out=None, workers=None, orthogonalize=None):
    """Sine transforms along axes."""
    return _along(_sines, (_none, _last), 1, x, type, axes, norm, out, orthogonalize)


def _along(transform, ends, beside, x, type, axes, norm, out, orthogonalize):
    if type not in (1, 2, 3, 4):
        raise ValueError(f"invalid DCT type: {type}")
    orthogonal = norm == 1 if orthogonalize is None else orthogonalize
    end = (*ends, ends[1], _none)[type - 1] if orthogonal else _none
    period, found = 1, x
    for axis in axes:
        lines = cp.moveaxis(found, axis, -1)
        period *= 2 * (lines.shape[-1] + (beside if type == 1 else 0))
        if period <= 0:
            raise RuntimeError("a cosine transform of type 1 needs two elements or more")
        if type != 2:
            lines = _scaled(lines, end(lines.shape[-1]), math.sqrt(2))
        lines = transform(lines, type)
        if type in (1, 2):
            lines = _scaled(lines, end(lines.shape[-1]), 1 / math.sqrt(2))
        found = cp.moveaxis(lines, -1, axis)
    found = found * found.dtype.type(period ** (-norm / 2))
    if out is None:
        return found
    out[...] = found
    return out


def _none(n):
    return ()


def _first(n):
    return (0,)


def _last(n):
    return (n - 1,)


def _both_ends(n):
    return (0, n - 1)


def _scaled(lines, places, factor):
    if not places:
        return lines
    lines = lines.copy()
    for place in places:
        lines[..., place] *= lines.dtype.type(factor)
    return lines


def _turns(count, step, start=0.0, dtype=np.float64):
    """exp(-i (start + k step)) for k from 0 on."""
    kind = np.complex64 if dtype == np.float32 else np.complex128
    return cp.exp(-1j * (start + step * cp.arange(count))).astype(kind)


def _cosines(x, type):
    n = x.shape[-1]
    quarter = math.pi / (2 * n)
    if type == 1:
        return cp.fft.rfft(cp.concatenate([x, x[..., -2:0:-1]], axis=-1)).real
    if type == 2:
        spectrum = cp.fft.rfft(cp.concatenate([x, x[..., ::-1]], axis=-1))[..., :n]
        return (spectrum * _turns(n, quarter, dtype=x.dtype)).real
    if type == 3:
        spectrum = x * _turns(n, quarter, dtype=x.dtype).conj()
        return cp.fft.irfft(spectrum, 2 * n, norm="forward")[..., :n]
    spectrum = cp.fft.fft(x * _turns(n, quarter, dtype=x.dtype), 2 * n)[..., :n]
    return (spectrum * (2 * _turns(n, quarter, quarter / 2, x.dtype))).real


def _sines(x, type):
    n = x.shape[-1]
    if type == 1:
        zero = cp.zeros((*x.shape[:-1], 1), x.dtype)
        extended = cp.concatenate([zero, x, zero, -x[..., ::-1]], axis=-1)
        return -cp.fft.rfft(extended).imag[..., 1 : n + 1]
    signs = (1 - 2 * (cp.arange(n) % 2)).astype(x.dtype)
    if type == 2:
        return _cosines(x * signs, 2)[..., ::-1]
    return _cosines(x[..., ::-1], type) * signs
