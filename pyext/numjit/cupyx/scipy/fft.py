"""cupyx.scipy.fft: transforms, which keep single precision.

The module is a backend of SciPy, too: with `scipy.fft.set_backend(cupyx.scipy.fft)` SciPy's
functions take device arrays.
"""

from __future__ import annotations

import functools
import sys

from numjit.cupy import fft as _fft
from numjit.cupy.creation import has_device_array
from numjit.cupyx.code import from_host

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


class Plan:
    """A plan of transforms. cuFFT's plans are kept by themselves, by shape and dtype: this one
    names what it is for, and is a context in which transforms find them."""

    def __init__(self, shape, axes, value_type):
        self.shape, self.axes, self.value_type = shape, axes, value_type

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None


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
    return Plan(shape, axes, value_type)


def __getattr__(name):
    if name not in _NAMES:
        found = globals()[name] = _of_scipy(name)
        return found
    function = getattr(_fft, name)
    if name.endswith(("shift", "freq")):
        return function

    def transform(x, *args, overwrite_x=False, plan=None, workers=None, **keywords):
        if plan is not None and not isinstance(plan, Plan):
            raise TypeError(f"plan must be one of get_fft_plan, not {type(plan).__name__}")
        return function(x, *args, **keywords)

    transform.__name__ = name
    globals()[name] = transform
    return transform
