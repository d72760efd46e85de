"""Cepstra and shifts of frequency."""

from __future__ import annotations

import numpy as np

import numjit.cupy as cp


def _log_spectrum(x, n, axis):
    spectrum = cp.fft.fft(cp.asarray(x), n=n, axis=axis)
    return spectrum, cp.log(abs(spectrum))


def real_cepstrum(x, n=None, axis=-1):
    """The inverse transform of the logarithm of the spectrum's size."""
    return cp.fft.ifft(_log_spectrum(x, n, axis)[1], n=n, axis=axis).real


def complex_cepstrum(x, n=None, axis=-1):
    """The inverse transform of the complex logarithm of the spectrum, and the delay in samples
    that was taken out."""
    spectrum, size = _log_spectrum(x, n, axis)
    phase = cp.unwrap(cp.angle(spectrum), axis=axis)
    count = phase.shape[axis]
    center = (count + 1) // 2
    middle = cp.take(phase, center if count > 1 else 0, axis)
    delay = cp.round(middle / np.pi)
    steps = np.pi * cp.expand_dims(delay, axis) * cp.arange(count).reshape(
        [-1 if i == axis % phase.ndim else 1 for i in range(phase.ndim)]
    ) / center  # fmt: skip
    return cp.fft.ifft(size + 1j * (phase - steps), axis=axis).real, delay


def inverse_complex_cepstrum(ceps, ndelay):
    """The signal of a complex cepstrum."""
    spectrum = cp.fft.fft(ceps)
    count = spectrum.shape[-1]
    center = (count + 1) // 2
    phase = spectrum.imag + np.pi * ndelay * cp.arange(count) / center
    return cp.fft.ifft(cp.exp(spectrum.real + 1j * phase)).real


def minimum_phase(x, n=None):
    """The signal of minimal phase with the same size of the spectrum."""
    ceps = real_cepstrum(x, n=n)
    n = ceps.shape[-1] if n is None else n
    odd = n % 2
    window = cp.concatenate([
        cp.array([1.0]), cp.full((n + odd) // 2 - 1, 2.0), cp.ones(1 - odd),
        cp.zeros((n + odd) // 2 - 1),
    ])  # fmt: skip
    return cp.fft.ifft(cp.exp(cp.fft.fft(window * ceps))).real


def freq_shift(x, freq, fs):
    """The signal with its frequencies shifted by `freq`."""
    x = cp.asarray(x)
    return x * cp.exp(-2j * np.pi * freq / fs * cp.arange(x.shape[-1] if x.ndim else 1))
