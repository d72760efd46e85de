"""cupyx.scipy.signal: SciPy's Python over device arrays.

What works on signals computes on the device (../natives/sigtools.py); the design of filters and
windows, and systems, on the host: they are small, and their results are device arrays.
"""

from __future__ import annotations

import importlib

import numpy as np

import numjit.cupy as cp
from numjit.cupyx import code

_ON_DEVICE = frozenset(
    "CZT ShortTimeFFT ZoomFFT argrelextrema argrelmax argrelmin chirp coherence convolve "
    "convolve2d correlate correlate2d csd czt decimate detrend envelope fftconvolve filtfilt "
    "gausspulse hilbert hilbert2 istft medfilt medfilt2d oaconvolve order_filter "
    "periodogram resample resample_poly savgol_filter sawtooth sosfiltfilt "
    "spectrogram square stft unit_impulse upfirdn vectorstrength welch wiener zoom_fft".split()
)
#: What goes on from earlier values of the signal: see ../../natives/recursions.py.
_RECURSIONS = frozenset("lfilter lfiltic lfilter_zi sosfilt sosfilt_zi".split())


def _convolve(*args, **keywords):
    return __getattr__("convolve")(*args, **keywords)


def ricker(points, a):
    """The second derivative of a Gaussian of width a."""
    t = (cp.arange(0, points) - (points - 1.0) / 2) ** 2
    return 2 / (a**0.5 * 3**0.5 * cp.pi**0.25) * (1 - t / a**2) * cp.exp(-t / (2 * a**2))


def morlet(M, w=5.0, s=1.0, complete=True):
    """The complex Morlet wavelet of M points and frequency w."""
    x = cp.linspace(-s * 2 * cp.pi, s * 2 * cp.pi, M)
    found = cp.exp(1j * w * x)
    if complete:
        found = found - cp.exp(-0.5 * w**2)
    return found * cp.exp(-0.5 * x**2) * cp.pi ** (-0.25)


def morlet2(M, s, w=5):
    """The Morlet wavelet of width s, normalised, for `cwt`."""
    x = (cp.arange(0, M) - (M - 1.0) / 2) / s
    return cp.exp(1j * w * x) * cp.exp(-0.5 * x**2) * cp.pi ** (-0.25) * (1 / s) ** 0.5


def qmf(hk):
    """The high-pass filter of a quadrature mirror pair."""
    hk = cp.asarray(hk)
    return hk[::-1] * cp.where(cp.arange(hk.size) % 2 == 0, 1, -1)


def cwt(data, wavelet, widths, dtype=None, **keywords):
    """The continuous wavelet transform: one row for each width."""
    data, widths = cp.asarray(data), cp.asnumpy(widths)
    if dtype is None:
        first = wavelet(1, widths[0], **keywords)
        dtype = np.complex128 if cp.asarray(first).dtype.kind == "c" else np.float64
    out = cp.empty((len(widths), len(data)), dtype)
    for row, width in enumerate(widths.tolist()):
        points = int(min(10 * width, len(data)))
        filter = cp.conj(cp.asarray(wavelet(points, width, **keywords))[::-1])
        out[row] = _convolve(data, filter, mode="same")
    return out


def __getattr__(name):
    if name == "windows":
        return importlib.import_module(f"{__name__}.windows")
    if name in _RECURSIONS:
        found = getattr(importlib.import_module("numjit.cupyx.natives.recursions"), name)
    elif name in _ON_DEVICE:
        found = getattr(code.module("scipy.signal._signal_api"), name)
        if not isinstance(found, type):
            found = code.in_numpy_code(found)
    else:
        found = code.from_host("scipy.signal", name)
    globals()[name] = found
    return found


def __dir__():
    import scipy.signal

    return sorted({*scipy.signal.__all__, "cwt", "morlet", "morlet2", "qmf", "ricker"})
