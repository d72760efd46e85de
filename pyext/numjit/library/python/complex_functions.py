"""Functions of complex numbers for kernels, made of functions of real ones, with the special values
of C's Annex G, as ``cmath`` has them.

Elsewhere they are functions of libm. The formulas are Kahan's ("Branch cuts for complex elementary
functions"): no intermediate result overflows or loses digits where the result does not.
"""

import numpy as np

from ..core.registry import function

inf, nan, pi, e = np.inf, np.nan, np.pi, np.e
#: Squares, sums and exponentials beyond these overflow; squares below the last one are denormal.
LARGE, SQRT_LARGE, LOG_LARGE, SQRT_TINY = 4.4e307, 6.7e153, 708.0, 1.5e-154
TINY, LN4 = 2.2250738585072014e-308, 1.3862943611198906


@function("numjit.complex.sqrt")
def sqrt(z):
    """The root of (|x| + hypot(x, y)) / 2, scaled where that is denormal or overflows; cut along
    the negative real axis.
    """
    x, y = float(z.real), float(z.imag)
    if np.isinf(y):
        return complex(inf, y)
    if np.isinf(x):
        rest = y if np.isnan(y) else 0.0
        if x > 0:
            return complex(x, np.copysign(rest, y))
        return complex(rest, np.copysign(inf, y))
    if np.isnan(x) or np.isnan(y):
        return complex(nan, nan)
    if x == 0 and y == 0:
        return complex(0.0, y)
    right, up = abs(x), abs(y)
    if right < TINY and up < TINY:
        right *= 2.0**53
        root = np.sqrt(right + np.hypot(right, up * 2.0**53)) * 2.0**-27
    else:
        right /= 8.0
        root = 2.0 * np.sqrt(right + np.hypot(right, up / 8.0))
    other = up / (2.0 * root)
    if x >= 0:
        return complex(root, np.copysign(other, y))
    return complex(other, np.copysign(root, y))


def directed(size, x, y):
    """A zero or an infinity in the direction of an angle y; x is its sign."""
    return complex(
        np.copysign(size, np.cos(y)) * np.copysign(1.0, x),
        y if y == 0 else np.copysign(size, np.sin(y)),
    )


def times_sine(size, y):
    """size * sin(y); an angle of 0 stays what it is, also beside infinity."""
    return y if y == 0 else size * np.sin(y)


@function("numjit.complex.exp")
def exp(z):
    """exp(x) (cos y + i sin y), in two factors where exp(x) alone overflows."""
    x, y = float(z.real), float(z.imag)
    if np.isnan(x):
        return complex(x, y if y == 0 else nan)
    if np.isinf(x):
        if np.isinf(y) or np.isnan(y):
            return complex(inf, nan) if x > 0 else complex(0.0, 0.0)
        return directed(inf if x > 0 else 0.0, 1.0, y)
    if x > LOG_LARGE:
        size = np.exp(x - 1.0)
        return complex(size * np.cos(y) * e, times_sine(size, y) * e)
    size = np.exp(x)
    return complex(size * np.cos(y), times_sine(size, y))


@function("numjit.complex.sinh")
def sinh(z):
    """cos y sinh x + i sin y cosh x, in two factors where sinh(x) alone overflows."""
    x, y = float(z.real), float(z.imag)
    if np.isnan(x):
        return complex(x, y if y == 0 else nan)
    if np.isinf(y) or np.isnan(y):
        return complex(inf if np.isinf(x) else 0.0 if x == 0 else nan, nan)
    if np.isinf(x):
        return directed(inf, x, y)
    if abs(x) > LOG_LARGE:
        less = x - np.copysign(1.0, x)
        return complex(np.cos(y) * np.sinh(less) * e, times_sine(np.cosh(less), y) * e)
    return complex(np.cos(y) * np.sinh(x), times_sine(np.cosh(x), y))


@function("numjit.complex.cosh")
def cosh(z):
    """cos y cosh x + i sin y sinh x, in two factors where cosh(x) alone overflows."""
    x, y = float(z.real), float(z.imag)
    if np.isnan(x):
        return complex(x, 0.0 if y == 0 else nan)
    if np.isinf(y) or np.isnan(y):
        return complex(inf if np.isinf(x) else nan, 0.0 if x == 0 else nan)
    if np.isinf(x):
        towards = directed(inf, 1.0, y)
        return complex(towards.real, towards.imag * np.copysign(1.0, x))
    if abs(x) > LOG_LARGE:
        less = x - np.copysign(1.0, x)
        return complex(np.cos(y) * np.cosh(less) * e, np.sin(y) * np.sinh(less) * e)
    return complex(np.cos(y) * np.cosh(x), np.sin(y) * np.sinh(x))


@function("numjit.complex.tanh")
def tanh(z):
    """From tanh x, tan y and 1 / cosh x; beyond 708 from exp(-2 |x|), as cosh(x) overflows."""
    x, y = float(z.real), float(z.imag)
    if np.isnan(x):
        return complex(x, y if y == 0 else nan)
    if np.isinf(x):
        turning = 0.0 if np.isinf(y) or np.isnan(y) else 2.0 * np.sin(y) * np.cos(y)
        return complex(np.copysign(1.0, x), np.copysign(0.0, turning))
    if np.isinf(y) or np.isnan(y):
        return complex(nan, nan)
    if abs(x) > LOG_LARGE:
        return complex(np.copysign(1.0, x), 4.0 * np.sin(y) * np.cos(y) * np.exp(-2.0 * abs(x)))
    tx, ty, cx = np.tanh(x), np.tan(y), 1.0 / np.cosh(x)
    below = 1.0 + (tx * ty) * (tx * ty)
    return complex(tx * (1.0 + ty * ty) / below, ((ty / below) * cx) * cx)


def angle_at_infinity(x, y):
    """Of a number with an infinite part, not negative."""
    if np.isinf(x):
        between = pi / 4 if np.isinf(y) else 0.0
        return between if x > 0 else pi - between
    return pi / 2


@function("numjit.complex.asinh")
def asinh(z):
    """Kahan's formula over two roots; the logarithm of the size where squares overflow. Cut along
    the imaginary axis beyond +-i.
    """
    x, y = float(z.real), float(z.imag)
    if np.isinf(x):
        if np.isnan(y):
            return complex(x, y)
        return complex(x, np.copysign(pi / 4 if np.isinf(y) else 0.0, y))
    if np.isnan(x):
        return complex(inf if np.isinf(y) else nan, y if y == 0 else nan)
    if np.isinf(y):
        return complex(np.copysign(inf, x), np.copysign(pi / 2, y))
    if np.isnan(y):
        return complex(nan, nan)
    if abs(x) > LARGE or abs(y) > LARGE:
        size = np.log(np.hypot(x / 2.0, y / 2.0)) + LN4
        return complex(np.copysign(size, x), np.arctan2(y, abs(x)))
    a, b = sqrt(complex(1.0 + y, -x)), sqrt(complex(1.0 - y, x))
    return complex(
        np.arcsinh(a.real * b.imag - b.real * a.imag),
        np.arctan2(y, a.real * b.real - a.imag * b.imag),
    )


@function("numjit.complex.acos")
def acos(z):
    """Kahan's formula over two roots; the logarithm of the size where squares overflow. Cut along
    the real axis beyond +-1.
    """
    x, y = float(z.real), float(z.imag)
    if np.isnan(x):
        return complex(x, -y if np.isinf(y) else nan)
    if np.isnan(y):
        return complex(pi / 2 if x == 0 else nan, inf if np.isinf(x) else nan)
    if np.isinf(x) or np.isinf(y):
        return complex(angle_at_infinity(x, y), np.copysign(inf, -y))
    if abs(x) > LARGE or abs(y) > LARGE:
        size = np.log(np.hypot(x / 2.0, y / 2.0)) + LN4
        return complex(np.arctan2(abs(y), x), np.copysign(size, -y))
    a, b = sqrt(complex(1.0 - x, -y)), sqrt(complex(1.0 + x, y))
    return complex(2.0 * np.arctan2(a.real, b.real), np.arcsinh(b.real * a.imag - b.imag * a.real))


@function("numjit.complex.acosh")
def acosh(z):
    """Kahan's formula over two roots; the logarithm of the size where squares overflow. Cut along
    the real axis below 1.
    """
    x, y = float(z.real), float(z.imag)
    if np.isnan(x):
        return complex(inf if np.isinf(y) else nan, nan)
    if np.isnan(y):
        return complex(inf if np.isinf(x) else nan, nan)
    if np.isinf(x) or np.isinf(y):
        return complex(inf, np.copysign(angle_at_infinity(x, y), y))
    if abs(x) > LARGE or abs(y) > LARGE:
        return complex(np.log(np.hypot(x / 2.0, y / 2.0)) + LN4, np.arctan2(y, x))
    a, b = sqrt(complex(x - 1.0, y)), sqrt(complex(x + 1.0, y))
    return complex(np.arcsinh(a.real * b.real + a.imag * b.imag), 2.0 * np.arctan2(a.imag, b.real))


@function("numjit.complex.atanh")
def atanh(z):
    """Kahan's formula with log1p; near +-1 and where squares overflow by limits. Cut along the real
    axis beyond +-1.
    """
    x, y = float(z.real), float(z.imag)
    if np.isnan(x):
        if np.isinf(y):
            return complex(0.0, np.copysign(pi / 2, y))
        return complex(nan, nan)
    if np.isinf(x) or np.isinf(y):
        return complex(np.copysign(0.0, x), y if np.isnan(y) else np.copysign(pi / 2, y))
    if np.isnan(y):
        return complex(x if x == 0 else nan, nan)
    right, up = abs(x), abs(y)
    if right > SQRT_LARGE or up > SQRT_LARGE:
        half = np.hypot(right / 2.0, up / 2.0)
        real, imag = right / 4.0 / half / half, pi / 2
    elif right == 1 and up < SQRT_TINY:
        if up == 0:
            real, imag = inf, 0.0
        else:
            real = -np.log(np.sqrt(up) / np.sqrt(np.hypot(up, 2.0)))
            imag = np.arctan2(2.0, -up) / 2.0
    else:
        real = np.log1p(4.0 * right / ((1.0 - right) * (1.0 - right) + up * up)) / 4.0
        imag = np.arctan2(2.0 * up, (1.0 - right) * (1.0 + right) - up * up) / 2.0
    return complex(np.copysign(real, x), np.copysign(imag, y))


@function("numjit.complex.sin")
def sin(z):
    """By sinh(iz) = i sin z."""
    turned = sinh(complex(-z.imag, z.real))
    return complex(turned.imag, -turned.real)


@function("numjit.complex.cos")
def cos(z):
    """By cosh(iz) = cos z."""
    return cosh(complex(-z.imag, z.real))


@function("numjit.complex.tan")
def tan(z):
    """By tanh(iz) = i tan z."""
    turned = tanh(complex(-z.imag, z.real))
    return complex(turned.imag, -turned.real)


@function("numjit.complex.asin")
def asin(z):
    """By asinh(iz) = i asin z."""
    turned = asinh(complex(-z.imag, z.real))
    return complex(turned.imag, -turned.real)


@function("numjit.complex.atan")
def atan(z):
    """By atanh(iz) = i atan z."""
    turned = atanh(complex(-z.imag, z.real))
    return complex(turned.imag, -turned.real)


@function("cmath.rect")
def rect(r, phi):
    """r (cos phi + i sin phi), with cmath's special values."""
    if np.isinf(phi) or np.isnan(phi):
        if r == 0:
            return complex(0.0, 0.0)
        return complex(inf if np.isinf(r) else nan, nan)
    if phi == 0:
        return complex(r, 0.0 if np.isnan(r) else np.copysign(0.0, phi) * np.copysign(1.0, r))
    if np.isinf(r):
        towards = directed(inf, r, phi)
        return complex(towards.real, towards.imag * np.copysign(1.0, r))
    return complex(r * np.cos(phi), r * np.sin(phi))
