"""Cosine and sine transforms of ``scipy.fft``, types I to IV, each by one Fourier transform.

Type I is the transform of numbers and their mirror image. Type II of N numbers is one of N numbers,
the even places before the odd ones: J. Makhoul, "A fast cosine transform in one and two
dimensions", IEEE Trans. ASSP 28 (1980). Type III is its inverse, and sines are cosines of numbers
with other signs in other order. Type IV multiplies by ``exp(-i pi n / (2 N))`` first.
"""

import numpy as np

from ..core.array_expressions import evaluate
from ..core.axes import as_array, replaced
from ..core.intrinsics import promote
from ..core.registry import function
from ..numpy.cumulative import axis_last
from ..numpy.fourier import axes_for, factor, place_of, precision_of
from .fft_names import REAL


def turns(count, first, step, whole):
    """``exp(-i pi j / whole)`` for j = first, first + step, ..."""
    angle = (np.arange(count) * step + first) * (np.pi / whole)
    return np.cos(angle) - 1j * np.sin(angle)


def cosines_1(x):
    count = x.shape[x.ndim - 1]
    z = np.empty(replaced(x.shape, x.ndim - 1, 2 * (count - 1)), np.float64)
    z[..., :count] = x
    z[..., count:] = x[..., count - 2 : 0 : -1]
    return np.fft.rfft(z).real


def sines_1(x):
    count = x.shape[x.ndim - 1]
    z = np.zeros(replaced(x.shape, x.ndim - 1, 2 * (count + 1)), np.float64)
    z[..., 1 : count + 1] = x
    z[..., count + 2 :] = -x[..., ::-1]
    return -np.fft.rfft(z)[..., 1 : count + 1].imag


def cosines_2(x):
    count = x.shape[x.ndim - 1]
    z = np.empty(x.shape, np.float64)
    z[..., : (count + 1) // 2] = x[..., ::2]
    z[..., (count + 1) // 2 :] = x[..., 1::2][..., ::-1]
    half = count // 2 + 1
    f = evaluate(np.fft.rfft(z) * turns(half, 0, 1, 2 * count))
    out = np.empty(x.shape, np.float64)
    out[..., :half] = 2 * f.real
    out[..., half:] = -2 * f.imag[..., 1 : (count + 1) // 2][..., ::-1]
    return out


def cosines_3(x):
    count = x.shape[x.ndim - 1]
    half = count // 2 + 1
    f = np.zeros(replaced(x.shape, x.ndim - 1, half), np.complex128)
    f.real[...] = x[..., :half]
    f.imag[..., 1:] = -x[..., : count - half : -1]
    z = np.fft.irfft(f * np.conj(turns(half, 0, 1, 2 * count)), count)
    out = np.empty(x.shape, np.float64)
    out[..., ::2] = count * z[..., : (count + 1) // 2]
    out[..., 1::2] = count * z[..., : (count + 1) // 2 - 1 : -1]
    return out


def both_4(x):
    """Cosines are the real part, sines the negative imaginary one."""
    last = x.ndim - 1
    count = x.shape[last]
    z = np.zeros(replaced(x.shape, last, 2 * count), np.complex128)
    z[..., :count] = x * turns(count, 0, 1, 2 * count)
    return np.fft.fft(z)[..., :count] * turns(count, 1, 2, 4 * count)


def with_signs(x):
    """Each second number negative."""
    out = x.copy()
    out[..., 1::2] *= -1
    return out


def cosines(x, kind):
    """Along the last axis; numbers of float64."""
    if kind == 1:
        return cosines_1(x)
    elif kind == 2:
        return cosines_2(x)
    elif kind == 3:
        return cosines_3(x)
    else:
        return 2 * both_4(x).real


def sines(x, kind):
    """Along the last axis; numbers of float64."""
    if kind == 1:
        return sines_1(x)
    elif kind == 2:
        return cosines_2(with_signs(x))[..., ::-1]
    elif kind == 3:
        return with_signs(cosines_3(x[..., ::-1]))
    else:
        return -2 * both_4(x).imag


def orthogonal(x, kind, sine, before):
    """Changes what keeps a transform from being orthogonal, in its numbers or its results."""
    last = x.shape[x.ndim - 1] - 1
    root = np.sqrt(2.0) if before else np.sqrt(0.5)
    if not sine and (kind == 1 or kind == (3 if before else 2)):
        x[..., 0] *= root
        if kind == 1:
            x[..., last] *= root
    elif sine and kind == (3 if before else 2):
        x[..., last] *= root


def scale_of(count, kind, norm, sine, inverse):
    total = 2 * (count + (0 if kind != 1 else 1 if sine else -1))
    return factor(norm, total, not inverse, np.dtype(np.float64))


def real_numbers(x, kind, norm, orthogonalize, sine, inverse):
    """Of real numbers, along the last axis."""
    ortho = norm == "ortho" if orthogonalize is None else orthogonalize
    numbers = x.astype(np.float64)
    if ortho:
        orthogonal(numbers, kind, sine, True)
    sums = sines(numbers, kind) if sine else cosines(numbers, kind)
    made = evaluate(sums * scale_of(x.shape[x.ndim - 1], kind, norm, sine, inverse))
    if ortho:
        orthogonal(made, kind, sine, False)
    return made


def kind_of(type, inverse):
    if type < 1 or type > 4:
        raise ValueError("invalid type; must be one of (1, 2, 3, 4)")
    return 5 - type if inverse and (type == 2 or type == 3) else type


def with_length(a, n, axis):
    """Cut off, or followed by zeros."""
    if n is None or n == a.shape[axis]:
        return a
    else:
        out = np.zeros(replaced(a.shape, axis, n), a.dtype)
        kept = min(n, a.shape[axis])
        axis_last(out, axis)[..., :kept] = axis_last(a, axis)[..., :kept]
        return out


def result_kind(a):
    real = np.dtype(np.float32) if a.dtype == np.float16 else precision_of(a)
    return promote(real, np.complex64) if a.dtype.kind == "c" else real


def along(a, type, n, axis, norm, orthogonalize, sine, inverse):
    place = place_of(a, axis, n)
    kind = kind_of(type, inverse)
    source = axis_last(with_length(a, n, place), place)
    count = source.shape[source.ndim - 1]
    if count < 1:
        raise ValueError(f"Invalid number of data points ({count}) specified along axis {axis}.")
    if kind == 1 and not sine and count < 2:
        raise RuntimeError("zero-length FFT requested")
    out = np.empty(replaced(a.shape, place, count), result_kind(a))
    if a.dtype.kind == "c":  # SciPy does not look at orthogonalize then
        real = real_numbers(source.real, kind, norm, None, sine, inverse)
        imag = real_numbers(source.imag, kind, norm, None, sine, inverse)
        axis_last(out, place)[...] = real + 1j * imag
    else:
        axis_last(out, place)[...] = real_numbers(source, kind, norm, orthogonalize, sine, inverse)
    return out


def each_axis(a, type, counts, axes, norm, orthogonalize, sine, inverse):
    if len(axes) == 0:
        return a
    else:
        count = a.shape[place_of(a, axes[0])] if counts[0] == -1 else counts[0]
        step = along(a, type, count, axes[0], norm, orthogonalize, sine, inverse)
        return each_axis(step, type, counts[1:], axes[1:], norm, orthogonalize, sine, inverse)


def of_one_axis(name, sine, inverse):
    @function(f"{REAL}.{name}")
    def transformed(
        x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None
    ):
        return along(as_array(x), type, n, axis, norm, orthogonalize, sine, inverse)


def of_all_axes(name, sine, inverse):
    @function(f"{REAL}.{name}")
    def transformed(
        x,
        type=2,
        s=None,
        axes=None,
        norm=None,
        overwrite_x=False,
        workers=None,
        *,
        orthogonalize=None,
    ):
        a = as_array(x)
        counts, places = axes_for(a, s, axes)
        return each_axis(a, type, counts, places, norm, orthogonalize, sine, inverse)


for _name, _sine, _inverse in (
    ("dct", False, False),
    ("idct", False, True),
    ("dst", True, False),
    ("idst", True, True),
):
    of_one_axis(_name, _sine, _inverse)
    of_all_axes(_name + "n", _sine, _inverse)
