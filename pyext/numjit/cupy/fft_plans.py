"""cupy.fft._fft: names of its insides."""

from __future__ import annotations

import numpy as np

from . import fft
from .cufft import TYPES


def _convert_fft_type(dtype, value_type):
    """cuFFT's number of a transform of a dtype."""
    dtype = np.dtype(dtype)
    if dtype.char not in "fFdD":
        raise ValueError(f"transforms have no dtype {dtype}")
    return TYPES[value_type][dtype.char in "dD"]


def _size_last_transform_axis(shape, s, axes):
    """How many elements the last axis of a transform has."""
    if s is not None and s[-1] is not None:
        return s[-1]
    return shape[-1 if axes is None else axes[-1]]


def _fft(a, s, axes, norm, direction, value_type="C2C", **ignored):
    """A transform of several axes."""
    names = {"C2C": ("fftn", "ifftn"), "R2C": ("rfftn",), "C2R": ("irfftn",)}[value_type]
    return getattr(fft, names[value_type == "C2C" and direction > 0])(a, s, axes, norm)


def _fftn(*args, **keywords):
    raise NotImplementedError("which axes are transformed at once is not chosen by this function")


def _default_fft_func(a, s=None, axes=None, plan=None, value_type="C2C"):
    """The function above that computes a transform."""
    return _fft
