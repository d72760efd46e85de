"""``numpy.fft``, on NumPy's own transforms (``fft_loops.py``): numbers are those of the NumPy that
is installed, in the same time."""

import numpy as np

from ..core.axes import as_array, as_tuple, replaced
from ..core.intrinsics import promote, refuse
from ..core.registry import function
from . import fft_loops
from .cumulative import axis_last
from .manipulation import roll
from .methods import normal_axis

# -- one axis --------------------------------------------------------------------------------------


def precision_of(a):
    """The real type that a transform is computed in."""
    if a.dtype == np.float32 or a.dtype == np.complex64:
        return np.dtype(np.float32)
    else:
        return np.dtype(np.float64)


def factor(norm, n, forward, real):
    """What a transform of ``n`` numbers is multiplied by."""
    if norm is not None and norm != "backward" and norm != "ortho" and norm != "forward":
        raise ValueError('Invalid norm value; should be "backward", "ortho" or "forward".')
    if norm == "ortho":
        return np.reciprocal(np.sqrt(real.type(n)))
    elif (norm == "forward") == forward:
        return np.reciprocal(real.type(n))
    else:
        return real.type(1)


def run(loop, out, a, fct, lines, step, step_out):
    """``lines`` transforms, whose first elements are ``step`` bytes apart."""
    arguments = (a.ctypes.data, fct.ctypes.data, out.ctypes.data)
    dimensions = np.empty(3, np.int64)
    dimensions[0], dimensions[1], dimensions[2] = lines, a.shape[a.ndim - 1], out.shape[a.ndim - 1]
    steps = np.empty(5, np.int64)
    steps[0], steps[1], steps[2] = step, 0, step_out
    steps[3], steps[4] = a.strides[a.ndim - 1], out.strides[a.ndim - 1]
    pointers = np.empty(3, np.int64)
    pointers[0], pointers[1], pointers[2] = arguments
    loop(pointers.ctypes, dimensions.ctypes, steps.ctypes)


def run_all(loop, out, a, fct):
    """Along the last axis of arrays of any layout."""
    if a.ndim == 1:
        run(loop, out, a, fct, 1, 0, 0)
    elif a.ndim == 2:
        if a.shape[0] > 0:
            run(loop, out, a, fct, a.shape[0], a.strides[0], out.strides[0])
    else:
        for i in range(a.shape[0]):
            run_all(loop, out[i], a[i], fct)


def check_count(n):
    if n < 1:
        raise ValueError(f"Invalid number of FFT data points ({n}) specified.")


def transform(loop, a, kind, out_kind, n, n_out, axis, fct, out):
    """``loop`` along one axis: ``a`` as ``kind``, of which the first ``n`` numbers are taken."""
    source = a if a.dtype == kind else a.astype(kind)
    if out is None:
        made = np.empty(replaced(a.shape, axis, n_out), out_kind)
        along(loop, made, source, axis, fct)
        return made
    else:
        if out.shape != replaced(a.shape, axis, n_out):
            raise ValueError("output array has wrong shape.")
        if out.dtype != out_kind:
            refuse("np.fft: the output array must have the dtype of the result")
        made = np.empty(out.shape, out_kind)  # out may be the operand
        along(loop, made, source, axis, fct)
        out[...] = made
        return out


def along(loop, out, a, axis, fct):
    scale = np.full(1, fct)
    run_all(loop, axis_last(out, axis), axis_last(a, axis), scale)


def place_of(a, axis, n=None):
    """The axis, counted from the start; where NumPy asks for its extent first, so do we."""
    if n is None and (axis < -a.ndim or axis >= a.ndim):
        raise IndexError("tuple index out of range")
    return normal_axis(axis, a.ndim)


def complex_transform(a, n, axis, norm, forward, out):
    x = as_array(a)
    place = place_of(x, axis, n)
    count = x.shape[place] if n is None else n
    check_count(count)
    real = precision_of(x)
    kind = promote(real, np.complex64)
    fct = factor(norm, count, forward, real)
    if forward:
        loop = fft_loops.fft_f if real == np.float32 else fft_loops.fft_d
    else:
        loop = fft_loops.ifft_f if real == np.float32 else fft_loops.ifft_d
    return transform(loop, x, kind, kind, count, count, place, fct, out)


@function("numpy.fft.fft")
def fft(a, n=None, axis=-1, norm=None, out=None):
    """NumPy's own transform: bit for bit what the installed NumPy returns. O(n log n) for any n."""
    return complex_transform(a, n, axis, norm, True, out)


@function("numpy.fft.ifft")
def ifft(a, n=None, axis=-1, norm=None, out=None):
    """As fft, backwards."""
    return complex_transform(a, n, axis, norm, False, out)


@function("numpy.fft.rfft")
def rfft(a, n=None, axis=-1, norm=None, out=None):
    """NumPy's own transform of real numbers: half the work of fft."""
    return real_transform(a, n, axis, norm, True, out)


def real_transform(a, n, axis, norm, forward, out):
    x = as_array(a)
    if x.dtype.kind == "c":
        return refuse("np.fft.rfft takes real numbers", "np.fft.fft takes complex ones")
    else:
        place = place_of(x, axis, n)
        count = x.shape[place] if n is None else n
        check_count(count)
        real = precision_of(x)
        kind = promote(real, np.complex64)
        fct = factor(norm, count, forward, real)
        half = count // 2 + 1
        if count % 2 == 0:
            loop = fft_loops.rfft_n_even_f if real == np.float32 else fft_loops.rfft_n_even_d
            return transform(loop, x, real, kind, count, half, place, fct, out)
        else:
            loop = fft_loops.rfft_n_odd_f if real == np.float32 else fft_loops.rfft_n_odd_d
            return transform(loop, x, real, kind, count, half, place, fct, out)


def inverse_real_transform(a, n, axis, norm, forward, out):
    x = as_array(a)
    place = place_of(x, axis, n)
    count = 2 * (x.shape[place] - 1) if n is None else n
    check_count(count)
    real = precision_of(x)
    kind = promote(real, np.complex64)
    fct = factor(norm, count, forward, real)
    loop = fft_loops.irfft_f if real == np.float32 else fft_loops.irfft_d
    if x.shape[place] == 0:  # NumPy's loop would read a first number
        x = np.zeros(replaced(x.shape, place, 1), x.dtype)
    return transform(loop, x, kind, real, count, count, place, fct, out)


@function("numpy.fft.irfft")
def irfft(a, n=None, axis=-1, norm=None, out=None):
    """NumPy's own inverse of rfft; ``n=None`` is an even length, ``2 * (m - 1)``."""
    return inverse_real_transform(a, n, axis, norm, False, out)


@function("numpy.fft.hfft")
def hfft(a, n=None, axis=-1, norm=None, out=None):
    """irfft of the conjugates, as NumPy defines it."""
    return inverse_real_transform(np.conj(as_array(a)), n, axis, norm, True, out)


@function("numpy.fft.ihfft")
def ihfft(a, n=None, axis=-1, norm=None, out=None):
    """The conjugates of rfft, as NumPy defines it."""
    result = real_transform(a, n, axis, norm, False, out)
    result[...] = np.conj(result)
    return result


# -- several axes ----------------------------------------------------------------------------------


def last_axes(ndim, count):
    if count == 0:
        return ()
    else:
        return (ndim - count,) + last_axes(ndim, count - 1)


def extents(a, axes):
    if len(axes) == 0:
        return ()
    else:
        return (a.shape[place_of(a, axes[0])],) + extents(a, axes[1:])


def axes_for(a, s, axes):
    """Which axes, and how many numbers along each: what is not said is the array's."""
    if s is None and axes is None:
        return a.shape, last_axes(a.ndim, a.ndim)
    elif s is None:
        return extents(a, as_tuple(axes)), as_tuple(axes)
    elif axes is None:
        return as_tuple(s), last_axes(a.ndim, len(as_tuple(s)))
    else:
        if len(as_tuple(s)) != len(as_tuple(axes)):
            raise ValueError("Shape and axes have different lengths.")
        return as_tuple(s), as_tuple(axes)


def each_axis(a, counts, axes, norm, forward, out):
    """The last axis first; the results of all but the first axis are arrays of our own."""
    if len(axes) == 0:
        return a
    else:
        last = len(axes) - 1
        n = a.shape[place_of(a, axes[last])] if counts[last] == -1 else counts[last]
        if last == 0:
            return complex_transform(a, n, axes[last], norm, forward, out)
        else:
            step = complex_transform(a, n, axes[last], norm, forward, None)
            return each_axis(step, counts[:last], axes[:last], norm, forward, out)


def all_axes(a, s, axes, norm, forward, out):
    x = as_array(a)
    counts, places = axes_for(x, s, axes)
    return each_axis(x, counts, places, norm, forward, out)


@function("numpy.fft.fftn")
def fftn(a, s=None, axes=None, norm=None, out=None):
    """fft along one axis after the other, the last one first."""
    return all_axes(a, s, axes, norm, True, out)


@function("numpy.fft.ifftn")
def ifftn(a, s=None, axes=None, norm=None, out=None):
    """ifft along one axis after the other, the last one first."""
    return all_axes(a, s, axes, norm, False, out)


@function("numpy.fft.fft2")
def fft2(a: "array2", s=None, axes=(-2, -1), norm=None, out=None):
    return all_axes(a, s, axes, norm, True, out)


@function("numpy.fft.ifft2")
def ifft2(a: "array2", s=None, axes=(-2, -1), norm=None, out=None):
    return all_axes(a, s, axes, norm, False, out)


@function("numpy.fft.rfftn")
def rfftn(a, s=None, axes=None, norm=None, out=None):
    """rfft along the last axis, then fft along the others."""
    x = as_array(a)
    counts, places = axes_for(x, s, axes)
    last = len(places) - 1
    n = x.shape[place_of(x, places[last])] if counts[last] == -1 else counts[last]
    half = real_transform(x, n, places[last], norm, True, out if last == 0 else None)
    return each_axis(half, counts[:last], places[:last], norm, True, out)


@function("numpy.fft.rfft2")
def rfft2(a: "array2", s=None, axes=(-2, -1), norm=None, out=None):
    return rfftn(a, s, axes, norm, out)


@function("numpy.fft.irfftn")
def irfftn(a, s=None, axes=None, norm=None, out=None):
    """ifft along all axes but the last one, then irfft along that."""
    x = as_array(a)
    counts, places = axes_for(x, s, axes)
    last = len(places) - 1
    half = x.shape[place_of(x, places[last])]
    n = counts[last]
    if s is None or n == -1:
        n = 2 * (half - 1)
    front = each_axis(x, counts[:last], places[:last], norm, False, None)
    return inverse_real_transform(front, n, places[last], norm, False, out)


@function("numpy.fft.irfft2")
def irfft2(a: "array2", s=None, axes=(-2, -1), norm=None, out=None):
    return irfftn(a, s, axes, norm, out)


# -- frequencies and their order -------------------------------------------------------------------


@function("numpy.fft.fftfreq")
def fftfreq(n: "positive int", d: "positive scalar" = 1.0, device: "skip" = None):
    out = np.empty(n, np.float64)
    unit = 1.0 / (n * d)
    positive = (n - 1) // 2 + 1
    for i in range(n):
        out[i] = (i if i < positive else i - n) * unit
    return out


@function("numpy.fft.rfftfreq")
def rfftfreq(n: "positive int", d: "positive scalar" = 1.0, device: "skip" = None):
    out = np.empty(n // 2 + 1, np.float64)
    unit = 1.0 / (n * d)
    for i in range(out.shape[0]):
        out[i] = i * unit
    return out


def halves(a, axes, back):
    """How far each axis is rolled."""
    if len(axes) == 0:
        return ()
    else:
        half = a.shape[place_of(a, axes[0])] // 2
        return (-half if back else half,) + halves(a, axes[1:], back)


def shifted(x, axes, back):
    a = as_array(x)
    if a.ndim == 0 and axes is None:
        raise ValueError("not enough values to unpack: the array has no axes")
    elif axes is None:
        return shifted(a, last_axes(a.ndim, a.ndim), back)
    elif isinstance(axes, tuple) and len(axes) == 0:
        return a.copy()
    else:
        places = as_tuple(axes)
        return roll(a, halves(a, places, back), places)


@function("numpy.fft.fftshift")
def fftshift(x, axes: "axis" = None):
    return shifted(x, axes, False)


@function("numpy.fft.ifftshift")
def ifftshift(x, axes: "axis" = None):
    return shifted(x, axes, True)
