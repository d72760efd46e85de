"""cupyx.scipy.stats: statistics; computed on the host but for `entropy`."""

from __future__ import annotations

import numpy as np

import numjit.cupy as cp
from numjit.cupyx.code import from_host

from .special import entr, rel_entr

__path__: list = []  # its private modules: compat/cupyx_paths.py


def _normalize(x, axis):
    """Probabilities whose sum along an axis is 1, as floats."""
    if x.dtype.kind == "c":
        raise TypeError("complex dtype not supported")
    x = x if x.dtype.kind == "f" else x.astype(float)
    return x / x.sum(axis=axis, keepdims=True)


def entropy(pk, qk=None, base=None, axis=0):
    """The entropy of probabilities, or relative to qk."""
    if base is not None and base <= 0:
        raise ValueError("`base` must be a positive number or `None`.")
    given = [cp.asarray(each) for each in (pk, qk) if each is not None]
    if axis is None:
        given, axis = [each.ravel() for each in given], 0
    given = [_normalize(each, axis) for each in given]
    if len({each.shape[axis] for each in given}) > 1:
        raise ValueError("qk and pk must have same shape.")
    found = (entr if qk is None else rel_entr)(*given).sum(axis=axis)
    return found if base is None else found / found.dtype.type(np.log(base))


def __getattr__(name):
    found = globals()[name] = from_host("scipy.stats", name)
    return found
