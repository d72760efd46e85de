"""What functions of libdevice compute in the simulator, where there is no libdevice.

A function of doubles is listed under its name. Its twin for floats has an f behind it, and a faster
and less exact one for floats "fast_" before it: they are the same here, rounded to float32.
"""

import math

import numpy as np

from .cuda import brev, clz, ffs, fma, popc

_LN10 = math.log(10.0)


def _rounded(x):
    """To the nearest integer, halves away from 0."""
    return np.copysign(np.floor(np.fabs(x) + 0.5), x)


def _ilogb(x):
    return math.frexp(x)[1] - 1


def _frexp(x):
    fraction, exponent = math.frexp(x)
    return fraction, np.int32(exponent)


def _modf(x):
    return math.modf(x)


def _sincos(x):
    return math.sin(x), math.cos(x)


def _sincospi(x):
    return math.sin(math.pi * x), math.cos(math.pi * x)


#: Functions of math by the same name.
_SAME = (
    "acos acosh asin asinh atan atanh cbrt cos cosh erf erfc exp exp2 expm1 lgamma log log10 log1p "
    "log2 sin sinh sqrt tan tanh atan2 hypot pow"
).split()

FUNCTIONS = {
    **{name: getattr(math, name) for name in _SAME},
    "tgamma": math.gamma,
    "fabs": np.fabs,
    "ceil": np.ceil,
    "floor": np.floor,
    "trunc": np.trunc,
    "rint": np.rint,
    "nearbyint": np.rint,
    "round": _rounded,
    "exp10": lambda x: math.exp(_LN10 * x),
    "cospi": lambda x: math.cos(math.pi * x),
    "sinpi": lambda x: math.sin(math.pi * x),
    "rsqrt": lambda x: 1.0 / math.sqrt(x),
    "rcbrt": lambda x: 1.0 / math.cbrt(x),
    "erfcx": lambda x: math.exp(x * x) * math.erfc(x),
    "normcdf": lambda x: 0.5 * math.erfc(-x * math.sqrt(0.5)),
    "logb": lambda x: np.float64(_ilogb(x)),
    "copysign": np.copysign,
    "fdim": lambda x, y: np.fmax(x - y, 0.0),
    "fmax": np.fmax,
    "fmin": np.fmin,
    "fmod": np.fmod,
    "fdivide": lambda x, y: x / y,
    "nextafter": np.nextafter,
    "remainder": lambda x, y: x - y * np.rint(x / y),
    "rhypot": lambda x, y: 1.0 / math.hypot(x, y),
    "fma": fma,
    "norm3d": lambda a, b, c: math.sqrt(a * a + b * b + c * c),
    "rnorm3d": lambda a, b, c: 1.0 / math.sqrt(a * a + b * b + c * c),
    "norm4d": lambda a, b, c, d: math.sqrt(a * a + b * b + c * c + d * d),
    "rnorm4d": lambda a, b, c, d: 1.0 / math.sqrt(a * a + b * b + c * c + d * d),
    "ldexp": math.ldexp,
    "scalbn": math.ldexp,
    "powi": lambda x, n: math.pow(x, n),
    # Rounded as the processor rounds; other directions are the GPU's alone.
    "dadd_rn": lambda x, y: x + y,
    "ddiv_rn": lambda x, y: x / y,
    "dmul_rn": lambda x, y: x * y,
    "dsub_rn": lambda x, y: x - y,
    "drcp_rn": lambda x: 1.0 / x,
    "dsqrt_rn": math.sqrt,
    "fadd_rn": lambda x, y: x + y,
    "fsub_rn": lambda x, y: x - y,
    "fdiv_rn": lambda x, y: x / y,
    "fmul_rn": lambda x, y: x * y,
    "frcp_rn": lambda x: 1.0 / x,
    "fsqrt_rn": math.sqrt,
    "frsqrt_rn": lambda x: 1.0 / math.sqrt(x),
    "fma_rn": fma,
    "fmaf_rn": fma,
    "fmaf_ieee_rn": fma,
    "saturatef": lambda x: np.fmin(np.fmax(x, 0.0), 1.0),
    "ilogb": _ilogb,
    "isinfd": lambda x: math.isinf(x),
    "isnand": lambda x: math.isnan(x),
    "isfinited": lambda x: math.isfinite(x),
    "isinff": lambda x: math.isinf(x),
    "isnanf": lambda x: math.isnan(x),
    "finitef": lambda x: math.isfinite(x),
    "signbitd": np.signbit,
    "signbitf": np.signbit,
    "llrint": np.rint,
    "llround": _rounded,
    **{
        f"{start}2{end}_{way}": rounding
        for start in ("double", "float")
        for end in ("int", "ll", "uint", "ull")
        for way, rounding in (
            ("rn", np.rint),
            ("rd", np.floor),
            ("ru", np.ceil),
            ("rz", np.trunc),
        )
    },
    **dict.fromkeys(
        ("int2float_rn", "int2double_rn", "ll2double_rn", "double2float_rn"), lambda x: x
    ),
    "abs": abs,
    "llabs": abs,
    "max": max,
    "min": min,
    "llmax": max,
    "llmin": min,
    "brev": brev,
    "brevll": brev,
    "clz": clz,
    "clzll": clz,
    "ffs": ffs,
    "ffsll": ffs,
    "popc": popc,
    "popcll": popc,
}
PAIRS = {
    "frexp": _frexp,
    "modf": _modf,
    "sincos": _sincos,
    "sincospi": _sincospi,
}


def found(table, name):
    """The function for a name of libdevice, or None."""
    plain = name.removeprefix("fast_")
    return table.get(name) or table.get(plain) or table.get(plain.removesuffix("f"))


def rounded(function, result):
    """A function whose result has a type of NumPy."""

    def converted(*arguments):
        return result(function(*arguments))

    return converted
