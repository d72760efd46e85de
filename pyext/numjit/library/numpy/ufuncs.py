"""Element-wise functions that are more than one row of the table of scalar operations.

Most stay unevaluated, as the rows do: ``np.where(a > 0, np.round(a, 2), 0) + b`` is one loop.
"""

import numpy as np

from ..core.intrinsics import (
    angle,
    cast,
    frexp_exponent,
    frexp_mantissa,
    is_constant,
    is_scalar,
    modf_fraction,
    modf_integer,
    promote,
    refuse,
    same,
    select,
    set_item,
)
from ..core.intrinsics import complex as complex_of
from ..core.registry import callers_promotion, function
from .cumulative import axis_last
from .indexing import all_inside, inside
from .methods import index_of, normal_axis, ravel
from .reductions import put_in_place

# -- some elements in place -----------------------------------------------------------------------


@function("Function.at")
def ufunc_at(op, a, indices, b=None):
    """Element after element: one that occurs twice among the indices is changed twice."""
    if isinstance(indices, list):
        ufunc_at(op, a, np.asarray(indices), b)
    elif a.ndim == 0:
        ufunc_at(op, a.reshape(1), np.zeros(a[indices].size, np.intp), b)
    elif a.ndim == 1 and isinstance(indices, np.ndarray) and indices.dtype.kind != "b":
        change_at(op, a, indices, b)
    else:  # positions in a's own order, picked as the elements would be
        change_at(op, a, np.asarray(np.arange(a.size).reshape(a.shape)[indices]), b)


def change_at(op, a, positions, b):
    at = ravel(positions)
    all_inside(at, a.size)
    if b is None:
        for j in range(at.size):
            i = inside(at[j], a.size)
            set_item(a, index_of(i, a.shape), cast(op(a[index_of(i, a.shape)]), a.dtype))
    elif is_scalar(b):
        for j in range(at.size):
            i = inside(at[j], a.size)
            set_item(a, index_of(i, a.shape), cast(op(a[index_of(i, a.shape)], b), a.dtype))
    else:
        values = ravel(np.broadcast_to(b, positions.shape))
        for j in range(at.size):
            i = inside(at[j], a.size)
            x = op(a[index_of(i, a.shape)], values[j])
            set_item(a, index_of(i, a.shape), cast(x, a.dtype))


# -- choice ----------------------------------------------------------------------------------------


@function("numpy.where", lazy=True)
@callers_promotion
def where(condition, x=None, y=None):
    """Not evaluated before it is used: `np.where(c, x, y) + z` is one loop. Both x and y are
    computed for each element.
    """
    if x is None and y is None:
        return np.nonzero(condition)
    elif x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    else:
        return select(condition, x, y)


# -- two results -----------------------------------------------------------------------------------


def both_put(first, second, out, out2):
    """Stores two results: in a pair ``out``, or to two arguments."""
    if not isinstance(out, tuple):
        return both_put(first, second, (out, out2), None)
    elif out[0] is None and out[1] is None:
        return first, second
    else:  # both are computed before one is stored, for that may be an operand
        results = np.asarray(first), np.asarray(second)
        return put_in_place(results[0], out[0]), put_in_place(results[1], out[1])


@function("numpy.divmod")
@callers_promotion
def np_divmod(x1, x2, /, out: "skip" = (None, None), out2: "skip" = None):
    """floor_divide and remainder, each computed by itself."""
    return both_put(np.floor_divide(x1, x2), np.remainder(x1, x2), out, out2)


@function("numpy.modf")
def modf(x, /, out: "skip" = (None, None), out2: "skip" = None):
    """Fraction and whole part, both with the sign of x."""
    return both_put(modf_fraction(x), modf_integer(x), out, out2)


@function("numpy.frexp")
def frexp(x, /, out: "skip" = (None, None), out2: "skip" = None):
    """Mantissa in [0.5, 1) and an int32 exponent, from the bits of the float."""
    return both_put(frexp_mantissa(x), np.int32(frexp_exponent(x)), out, out2)


# -- rounding --------------------------------------------------------------------------------------


def power_of_ten(exponent):
    return 10.0 ** max(exponent, 0)


def rounded(a, decimals):
    """As NumPy does it: scaled by a power of ten, rounded to even, scaled back.

    One of the powers is 1, which drops out where ``decimals`` is known.
    """
    dtype = promote(a)
    up, down = power_of_ten(decimals), power_of_ten(-decimals)
    if dtype.kind == "c":
        return complex_of(rounded(a.real, decimals), rounded(a.imag, decimals))
    elif dtype.kind == "f":
        return (
            np.rint(a * cast(up, dtype) / cast(down, dtype)) / cast(up, dtype) * cast(down, dtype)
        )
    elif dtype.kind == "b":
        if decimals != 0:
            raise TypeError("bools cannot be rounded to decimals")
        return np.rint(a)
    else:
        whole = np.positive(np.rint(a / down) * down, dtype=dtype, casting="unsafe")
        return select(decimals >= 0, a, whole)


@function("numpy.round", lazy=True)
@function("numpy.around", lazy=True)
@function("Array.round", lazy=True)
def np_round(a, decimals=0, out=None):
    """Scaled by a power of ten, rounded to even, scaled back, as NumPy: correct but for the
    rounding of the two products. Rounding bools to decimals raises TypeError.
    """
    if isinstance(a, (list, tuple)):
        return np_round(np.asarray(a), decimals, out)
    elif out is None and isinstance(a, np.ndarray) and a.ndim == 0:
        return rounded(a[()], decimals)
    elif out is None:
        return rounded(a, decimals)
    else:
        if out.shape != a.shape:
            raise ValueError("invalid output shape")
        out[...] = rounded(a, decimals)
        return out


# -- replacement of numbers ------------------------------------------------------------------------


def largest(dtype):
    if dtype == np.float32:
        return np.float32(3.4028234663852886e38)
    else:
        return 1.7976931348623157e308


def finite(x, nan, posinf, neginf):
    dtype = promote(x)
    high = largest(dtype) if posinf is None else cast(posinf, dtype)
    low = -largest(dtype) if neginf is None else cast(neginf, dtype)
    infinite = select(np.isposinf(x), high, select(np.isneginf(x), low, x))
    return select(np.isnan(x), cast(nan, dtype), infinite)


def numbers(x, nan, posinf, neginf):
    kind = promote(x).kind
    if kind == "c":
        real = finite(x.real, nan, posinf, neginf)
        return complex_of(real, finite(x.imag, nan, posinf, neginf))
    elif kind == "f":
        return finite(x, nan, posinf, neginf)
    else:
        return same(x)


@function("numpy.nan_to_num", lazy=True)
def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """Complex numbers part by part; integers stay as they are."""
    if is_constant(copy):
        if copy:
            return numbers(x, nan, posinf, neginf)
        else:
            x[...] = numbers(x, nan, posinf, neginf)
            return x
    else:  # known at run time, so both are arrays
        out = np.copy(x) if copy else np.asarray(x)
        out[...] = numbers(out, nan, posinf, neginf)
        return out


# -- angles ----------------------------------------------------------------------------------------


@function("numpy.angle", lazy=True)
def np_angle(z, deg=False):
    """arctan2 of the parts."""
    if promote(z).kind == "b":
        return np_angle(np.add(z, 0), deg)
    elif deg:
        return angle(z) * 57.29577951308232
    else:
        return angle(z)


def difference(x, y):
    """As np.diff: in the type of the elements, where unsigned ones wrap."""
    if promote(x).kind == "b":
        return np.not_equal(x, y)
    else:
        return np.subtract(x, y)


def unwrap_line(out, p, discont, period):
    dtype = out.dtype
    full = cast(period, dtype)
    high = cast(period // 2 if dtype.kind == "i" else period / 2, dtype)
    low = np.negative(high)
    shift = cast(0, dtype)
    for i in range(p.shape[0]):
        step = difference(p[i], p[max(i - 1, 0)])
        if not np.abs(step) < discont:
            d = cast(step, dtype)
            wrapped = np.add(np.remainder(np.subtract(d, low), full), low)
            if wrapped == low and step > 0 and high * 2 == full:
                wrapped = high
            shift = np.add(shift, np.subtract(wrapped, d))
        set_item(out, i, np.add(cast(p[i], dtype), shift))


def unwrap_lines(out, p, discont, period):
    if p.ndim == 1:
        unwrap_line(out, p, discont, period)
    else:
        for i in range(p.shape[0]):
            unwrap_lines(out[i], p[i], discont, period)


@function("numpy.unwrap")
def unwrap(p, discont=None, axis=-1, *, period=6.283185307179586):
    """One pass along the axis, in the type that the elements and the period have. Unsigned integers
    raise OverflowError, as NumPy.
    """
    a = np.asarray(p)
    out = np.empty(a.shape, promote(a + period))
    if a.ndim == 0:
        refuse("unwrap() requires input that is at least one dimensional")
    elif axis is None or isinstance(axis, tuple):
        refuse("unwrap() needs one axis, an integer")
    elif out.dtype.kind == "u":
        raise OverflowError("half a period below zero is out of bounds for unsigned integers")
    else:
        along = normal_axis(axis, a.ndim)
        limit = period / 2 if discont is None else discont
        unwrap_lines(axis_last(out, along), axis_last(a, along), limit, period)
    return out


# -- special functions -----------------------------------------------------------------------------

# Chebyshev coefficients of exp(-x) I0(x) on [0, 8] and exp(-x) sqrt(x) I0(x) beyond (Cephes).
_I0_NEAR = (
    -4.41534164647933937950e-18, 3.33079451882223809783e-17, -2.43127984654795469359e-16,
    1.71539128555513303061e-15, -1.16853328779934516808e-14, 7.67618549860493561688e-14,
    -4.85644678311192946090e-13, 2.95505266312963983461e-12, -1.72682629144155570723e-11,
    9.67580903537323691224e-11, -5.18979560163526290666e-10, 2.65982372468238665035e-9,
    -1.30002500998624804212e-8, 6.04699502254191894932e-8, -2.67079385394061173391e-7,
    1.11738753912010371815e-6, -4.41673835845875056359e-6, 1.64484480707288970893e-5,
    -5.75419501008210370398e-5, 1.88502885095841655729e-4, -5.76375574538582365885e-4,
    1.63947561694133579842e-3, -4.32430999505057594430e-3, 1.05464603945949983183e-2,
    -2.37374148058994688156e-2, 4.93052842396707084878e-2, -9.49010970480476444210e-2,
    1.71620901522208775349e-1, -3.04682672343198398683e-1, 6.76795274409476084995e-1,
)  # fmt: skip
_I0_FAR = (
    -7.23318048787475395456e-18, -4.83050448594418207126e-18, 4.46562142029675999901e-17,
    3.46122286769746109310e-17, -2.82762398051658348494e-16, -3.42548561967721913462e-16,
    1.77256013305652638360e-15, 3.81168066935262242075e-15, -9.55484669882830764870e-15,
    -4.15056934728722208663e-14, 1.54008621752140982691e-14, 3.85277838274214270114e-13,
    7.18012445138366623367e-13, -1.79417853150680611778e-12, -1.32158118404477131188e-11,
    -3.14991652796324136454e-11, 1.18891471078464383424e-11, 4.94060238822496958910e-10,
    3.39623202570838634515e-9, 2.26666899049817806459e-8, 2.04891858946906374183e-7,
    2.89137052083475648297e-6, 6.88975834691682398426e-5, 3.36911647825569408990e-3,
    8.04490411014108831608e-1,
)  # fmt: skip


def chebyshev(x, coefficients):
    b0 = b1 = b2 = 0.0
    for c in coefficients:
        b2 = b1
        b1 = b0
        b0 = x * b1 - b2 + c
    return 0.5 * (b0 - b2)


def i0_of(number):
    x = abs(float(number))
    if x <= 8.0:
        return np.exp(x) * chebyshev(x / 2.0 - 2.0, _I0_NEAR)
    else:
        return np.exp(x) * chebyshev(32.0 / x - 2.0, _I0_FAR) / np.sqrt(x)


@function("numpy.i0")
def i0(x):
    """Chebyshev series of Cephes on [0, 8] and beyond, computed in float64: within some 1e-15 of
    the value.
    """
    if is_scalar(x):
        return i0_of(x)
    else:
        out = np.empty(x.shape, promote(x, np.float32) if promote(x).kind == "f" else np.float64)
        numbers = np.ravel(x)
        results = np.ravel(out)
        for i in range(x.size):
            results[i] = i0_of(numbers[i])
        return out
