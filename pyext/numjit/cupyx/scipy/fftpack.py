"""cupyx.scipy.fftpack: the older names of transforms; those of real numbers are packed."""

from __future__ import annotations

import numjit.cupy as cp

from . import fft as _fft
from .fft import get_fft_plan  # noqa: F401


def _named(name):
    def transform(x, *args, overwrite_x=False, plan=None, **keywords):
        keywords = {{"shape": "s"}.get(key, key): each for key, each in keywords.items()}
        return getattr(_fft, name)(x, *args, plan=plan, **keywords)

    transform.__name__ = name
    return transform


fft, ifft, fft2, ifft2 = map(_named, ("fft", "ifft", "fft2", "ifft2"))
fftn, ifftn = map(_named, ("fftn", "ifftn"))


def rfft(x, n=None, axis=-1, overwrite_x=False, plan=None):
    """The transform of real numbers as real numbers: y(0), Re y(1), Im y(1), ..."""
    found = cp.moveaxis(_fft.rfft(x, n, axis), axis, -1)
    count = x.shape[axis] if n is None else n
    pairs = found.view(found.real.dtype) if found.flags.c_contiguous else (
        cp.ascontiguousarray(found).view(found.real.dtype)
    )  # fmt: skip
    packed = cp.concatenate([pairs[..., :1], pairs[..., 2:]], axis=-1)[..., :count]
    return cp.moveaxis(packed, -1, axis)


def irfft(x, n=None, axis=-1, overwrite_x=False):
    """What rfft packed."""
    x = cp.moveaxis(cp.asarray(x), axis, -1)
    count = x.shape[-1] if n is None else n
    x = x[..., :count] if x.shape[-1] >= count else cp.pad(
        x, [(0, 0)] * (x.ndim - 1) + [(0, count - x.shape[-1])]
    )  # fmt: skip
    real = cp.concatenate([x[..., :1], x[..., 1::2]], axis=-1)
    imaginary = cp.zeros(real.shape, real.dtype)
    imaginary[..., 1 : 1 + x[..., 2::2].shape[-1]] = x[..., 2::2]
    return cp.moveaxis(_fft.irfft(real + 1j * imaginary, count), -1, axis)
