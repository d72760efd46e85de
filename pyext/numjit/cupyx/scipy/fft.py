"""cupyx.scipy.fft: transforms, which keep single precision.

The module is a backend of SciPy, too: with `scipy.fft.set_backend(cupyx.scipy.fft)` SciPy's
functions take device arrays.
"""

from __future__ import annotations

import contextlib
import functools
import sys

import numpy as np

from numjit.cupy import fft as _fft
from numjit.cupy.creation import asarray, has_device_array
from numjit.cupy.cufft_plans import (
    TYPES,
    Plan,
    batch_of,
    get_current_plan,
    is_single,
    plan_of,
)
from numjit.cupyx.code import from_host, module

_NAMES = frozenset(
    "fft ifft fft2 ifft2 fftn ifftn rfft irfft rfft2 irfft2 rfftn irfftn hfft ihfft fftshift "
    "ifftshift fftfreq rfftfreq".split()
)


def next_fast_len(target, real=False):
    """The next number without prime factors above 7."""
    while target > 0:
        rest = target
        for prime in (2, 3, 5, 7):
            while rest % prime == 0:
                rest //= prime
        if rest == 1:
            return target
        target += 1
    return target


__ua_domain__ = "numpy.scipy.fft"


def __ua_function__(method, args, keywords):
    """What SciPy's function does for device arrays; others are left to SciPy."""
    if not has_device_array((*args, *keywords.values())):
        return NotImplemented
    return getattr(sys.modules[__name__], method.__name__)(*args, **keywords)


def _of_scipy(name):
    """A function of SciPy over copies, which does not look for a backend again."""
    import scipy.fft

    function = from_host("scipy.fft", name)
    if not callable(function) or isinstance(function, type):
        return function

    @functools.wraps(function)
    def called(*args, **keywords):
        with scipy.fft.skip_backend(sys.modules[__name__]):
            return function(*args, **keywords)

    return called


def get_fft_plan(x, shape=None, axes=None, value_type="C2C"):
    """A plan for transforms of arrays like x; value_type is C2C, R2C or C2R."""
    if value_type not in ("C2C", "R2C", "C2R"):
        raise ValueError(f"value_type {value_type!r} is not recognized")
    axes = tuple(range(x.ndim)) if axes is None else axes
    axes = (axes,) if isinstance(axes, int) else tuple(axes)
    if any(not -x.ndim <= axis < x.ndim for axis in axes):
        raise ValueError("the specified axes must be of the array")
    if shape is None:
        shape = tuple(x.shape[axis] for axis in axes)
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if len(shape) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    axes = tuple(axis % x.ndim for axis in axes)
    fft_type = TYPES[value_type][not is_single(x.dtype)]
    plan = plan_of(shape, fft_type, batch_of(x.shape, axes))
    plan.axes = axes
    return plan


def _given(name, x, plan):
    """What a transform takes for its argument, after a look at its plan."""
    if plan is not None:
        if name in ("hfft", "ihfft"):
            raise NotImplementedError(f"{name} with a plan is not yet supported")
        if not isinstance(plan, Plan):
            raise TypeError(f"plan must be one of get_fft_plan, not {type(plan).__name__}")
        if get_current_plan() is not None:
            raise RuntimeError(
                "Use the cuFFT plan either as a context manager or as an argument, not as both"
            )
    x = asarray(x)
    return x.astype(np.float32) if x.dtype == np.float16 else x


def _of_one_axis(name, function):
    def transform(
        x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None
    ):  # fmt: skip
        x = _given(name, x, plan)
        with contextlib.nullcontext() if plan is None else plan:
            return function(x, n, axis, norm)

    return transform


def _of_axes(name, function):
    default = (-2, -1) if name[-1] == "2" else None

    def transform(
        x, s=None, axes=default, norm=None, overwrite_x=False, workers=None, *, plan=None
    ):  # fmt: skip
        s, axes = ((each,) if isinstance(each, int) else each for each in (s, axes))
        if s is not None and axes is None:
            axes = tuple(range(-len(s), 0))
        x = _given(name, x, plan)
        with contextlib.nullcontext() if plan is None else plan:
            return function(x, s, axes, norm)

    return transform


#: Transforms by cosines and sines: SciPy's Python over natives/cosines.py.
_COSINES = frozenset("dct idct dst idst dctn idctn dstn idstn".split())


def _of_cosines(name):
    import scipy.fft

    inside = "_duccfft" if hasattr(scipy.fft, "_duccfft") else "_pocketfft"
    function = getattr(module(f"scipy.fft.{inside}"), name)

    @functools.wraps(getattr(scipy.fft, name))
    def transform(x, *args, **keywords):
        return function(asarray(x), *args, **keywords)

    return transform


def __getattr__(name):
    if name in _COSINES:
        found = globals()[name] = _of_cosines(name)
        return found
    if name not in _NAMES:
        found = globals()[name] = _of_scipy(name)
        return found
    transform = function = getattr(_fft, name)
    if not name.endswith(("shift", "freq")):
        made = _of_axes if name[-1] in "2n" else _of_one_axis
        transform = functools.wraps(function)(made(name, function))
    globals()[name] = transform
    return transform
