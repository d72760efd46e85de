"""What functions of libdevice compute in the simulator, where there is no libdevice.

A function of doubles is listed under its name. Its twin for floats has an f behind it, and a faster
and less exact one for floats "fast_" before it: they are the same here, rounded to float32.
"""

import ctypes
import math

import numpy as np

from .device import brev, clz, ffs, fma, popc

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


def _remquo(x, y):
    quotient = np.rint(x / y)
    return x - y * quotient, np.int32(np.int64(np.fabs(quotient)) & 7) * np.int32(
        np.copysign(1.0, x / y)
    )


# -- special functions ----------------------------------------------------------------------------


def _of_c(name, *types):
    """A function of the C library's mathematics."""
    function = getattr(ctypes.CDLL("libm.so.6"), name)
    function.restype, function.argtypes = ctypes.c_double, types
    return function


_BESSEL = {
    **{name: _of_c(name, ctypes.c_double) for name in ("j0", "j1", "y0", "y1")},
    **{name: _of_c(name, ctypes.c_int, ctypes.c_double) for name in ("jn", "yn")},
}


def _modified_bessel(x, order):
    """The power series of I0 and I1; its terms have one sign."""
    quarter = x * x / 4
    term = np.float64(x) / 2 if order == 1 else 1.0
    total = term
    k = 1
    while np.fabs(term) > 1e-17 * np.fabs(total):
        term *= quarter / (k * (k + order))
        total += term
        k += 1
    return total


def _erfcinv(y):
    """Halley's method from a rational approximation (Numerical Recipes, 6.2.2)."""
    y = np.float64(y)
    tail = y if y < 1.0 else 2.0 - y
    if not tail > 0.0:  # the ends, what lies beyond, and NaN
        return np.copysign(np.inf, 1.0 - y) if tail == 0.0 else np.nan
    t = math.sqrt(-2.0 * math.log(tail / 2.0))
    x = 0.70711 * (t - (2.30753 + t * 0.27061) / (1.0 + t * (0.99229 + t * 0.04481)))
    for _ in range(3):
        error = math.erfc(x) - tail
        x += error / (1.12837916709551257 * math.exp(-x * x) - x * error)
    return x if y < 1.0 else -x


def _erfinv(x):
    x = np.float64(x)
    if np.fabs(x) >= 0.5:
        return _erfcinv(1.0 - x)
    z = x * 0.886226925452758 * (1.0 + 0.2618 * x * x)
    for _ in range(4):  # 1 - x would lose the digits of a small x
        z -= (math.erf(z) - x) / (1.12837916709551257 * math.exp(-z * z))
    return z


def _erfcx(x):
    x = np.float64(x)
    if x < 5.0:
        return math.exp(x * x) * math.erfc(x)
    fraction = x  # Laplace's continued fraction
    for k in range(40, 0, -1):
        fraction = x + 0.5 * k / fraction
    return 0.5641895835477563 / fraction


# -- results that are not rounded to the nearest number -------------------------------------------


def _towards(way):
    """The neighbour of the nearest number that a way of rounding wants, by the sign of the rest."""

    def choose(nearest, rest):
        if way == "rd":
            return np.nextafter(nearest, type(nearest)(-np.inf)) if rest < 0 else nearest
        elif way == "ru":
            return np.nextafter(nearest, type(nearest)(np.inf)) if rest > 0 else nearest
        else:
            beyond = rest < 0 if nearest > 0 else rest > 0
            return np.nextafter(nearest, type(nearest)(0)) if beyond else nearest

    return choose


def _rounded_doubles(choose):
    """Operations on doubles, by the names that libdevice ends with the way of rounding."""

    def add(x, y):
        x, y = np.float64(x), np.float64(y)
        total = x + y
        part = total - x
        return choose(total, (x - (total - part)) + (y - part))

    def subtract(x, y):
        return add(x, -y)

    def multiply(x, y):
        x, y = np.float64(x), np.float64(y)
        product = x * y
        return choose(product, fma(x, y, -product))

    def divide(x, y):
        x, y = np.float64(x), np.float64(y)
        quotient = x / y
        return choose(quotient, fma(-quotient, y, x) * np.copysign(1.0, y))

    def reciprocal(x):
        return divide(1.0, x)

    def multiply_add(x, y, z):
        x, y, z = np.float64(x), np.float64(y), np.float64(z)
        product = x * y
        low = fma(x, y, -product)
        total = product + z
        part = total - product
        rest = (product - (total - part)) + (z - part) + low
        nearest = fma(x, y, z)
        return choose(nearest, (total - nearest) + rest)

    def root(x):
        x = np.float64(x)
        nearest = math.sqrt(x)
        return choose(nearest, fma(-nearest, nearest, x))

    return {
        "dadd": add,
        "dsub": subtract,
        "dmul": multiply,
        "ddiv": divide,
        "fma": multiply_add,
        "drcp": reciprocal,
        "dsqrt": root,
    }


#: Operations on floats as doubles: exact, but for sums of numbers that differ much in size.
_OF_FLOATS = {
    "fadd": lambda x, y: np.float64(x) + np.float64(y),
    "fsub": lambda x, y: np.float64(x) - np.float64(y),
    "fmul": lambda x, y: np.float64(x) * np.float64(y),
    "fdiv": lambda x, y: np.float64(x) / np.float64(y),
    "frcp": lambda x: 1.0 / np.float64(x),
    "fsqrt": lambda x: math.sqrt(np.float64(x)),
    "fmaf": lambda x, y, z: np.float64(x) * np.float64(y) + np.float64(z),
    "fmaf_ieee": lambda x, y, z: np.float64(x) * np.float64(y) + np.float64(z),
}


def _rounded_conversions(choose):
    """Conversions, and operations on floats, which are rounded from doubles."""

    def of_integer(wide, real):
        """The integer nearest to a number is compared with what it was."""

        def convert(n):
            n = wide(n)
            nearest = real(n)
            if nearest >= real(np.iinfo(wide).max):
                rest = -1.0
            else:
                back = wide(nearest)
                rest = np.float64(n > back) - np.float64(n < back)
            return choose(nearest, rest)

        return convert

    def to_float(x):
        x = np.float64(x)
        nearest = np.float32(x)
        return choose(nearest, x - np.float64(nearest))

    def of_floats(function):
        def narrow(*arguments):
            return to_float(function(*arguments))

        return narrow

    return {
        **{name: of_floats(function) for name, function in _OF_FLOATS.items()},
        "double2float": to_float,
        "int2float": to_float,
        "uint2float": lambda x: to_float(np.uint32(x)),
        "ll2double": of_integer(np.int64, np.float64),
        "ll2float": of_integer(np.int64, np.float32),
        "ull2double": of_integer(np.uint64, np.float64),
        "ull2float": of_integer(np.uint64, np.float32),
    }


def _rounded_functions(way):
    choose = _towards(way)
    functions = {**_rounded_doubles(choose), **_rounded_conversions(choose)}
    return {f"{name}_{way}": function for name, function in functions.items()}


# -- bits and integers ----------------------------------------------------------------------------


def _hiloint2double(high, low):
    return (np.int64(high) << 32 | np.int64(np.uint32(low))).view(np.float64)


def _umul64hi(x, y):
    x, y = np.uint64(x), np.uint64(y)
    low = np.uint64(0xFFFFFFFF)
    first = (x >> np.uint64(32)) * (y & low) + ((x & low) * (y & low) >> np.uint64(32))
    second = (x & low) * (y >> np.uint64(32)) + (first & low)
    high = (x >> np.uint64(32)) * (y >> np.uint64(32))
    return high + (first >> np.uint64(32)) + (second >> np.uint64(32))


def _mul64hi(x, y):
    high = np.int64(_umul64hi(x, y))
    return high - (y if x < 0 else 0) - (x if y < 0 else 0)


def _byte_perm(x, y, selector):
    both = np.uint64(np.uint32(y)) << np.uint64(32) | np.uint64(np.uint32(x))
    result = np.uint64(0)
    for byte in range(4):
        which = np.uint64((selector >> 4 * byte) & 7)
        result |= (both >> np.uint64(8) * which & np.uint64(255)) << np.uint64(8 * byte)
    return np.uint32(result)


def _unsigned(function):
    """A function of int32s that takes them for unsigned."""

    def converted(*arguments):
        if len(arguments) == 3:
            x, y, z = arguments
            return function(np.int64(np.uint32(x)), np.int64(np.uint32(y)), np.int64(np.uint32(z)))
        else:
            x, y = arguments
            return function(np.int64(np.uint32(x)), np.int64(np.uint32(y)))

    return converted


def _mulhi(x, y):
    return np.int64(x) * np.int64(y) >> 32


def _mean(x, y):
    return (np.int64(x) + np.int64(y)) >> 1


def _mean_up(x, y):
    return (np.int64(x) + np.int64(y) + 1) >> 1


def _distance(x, y, z):
    return abs(np.int64(x) - np.int64(y)) + z


def _low24(x):
    return (np.int64(x) << 40) >> 40


_BITS = {
    "float_as_int": lambda x: np.float32(x).view(np.int32),
    "float_as_uint": lambda x: np.float32(x).view(np.int32),
    "int_as_float": lambda x: np.int32(x).view(np.float32),
    "uint_as_float": lambda x: np.int32(x).view(np.float32),
    "float2half_rn": lambda x: np.float16(x).view(np.int16),
    "half2float": lambda x: np.int16(x).view(np.float16),
    "double_as_longlong": lambda x: np.float64(x).view(np.int64),
    "longlong_as_double": lambda x: np.int64(x).view(np.float64),
    "double2hiint": lambda x: np.float64(x).view(np.int64) >> 32,
    "double2loint": lambda x: np.float64(x).view(np.int64) & 0xFFFFFFFF,
    "hiloint2double": _hiloint2double,
    "nan": lambda x: np.nan,
    "nanf": lambda x: np.float32(np.nan),
    "mulhi": _mulhi,
    "umulhi": _unsigned(lambda x, y: np.uint64(x) * np.uint64(y) >> np.uint64(32)),
    "mul64hi": _mul64hi,
    "umul64hi": _umul64hi,
    "mul24": lambda x, y: _low24(x) * _low24(y),
    "umul24": lambda x, y: (np.int64(x) & 0xFFFFFF) * (np.int64(y) & 0xFFFFFF),
    "hadd": _mean,
    "rhadd": _mean_up,
    "uhadd": _unsigned(_mean),
    "urhadd": _unsigned(_mean_up),
    "umax": _unsigned(max),
    "umin": _unsigned(min),
    "ullmax": lambda x, y: max(np.uint64(x), np.uint64(y)),
    "ullmin": lambda x, y: min(np.uint64(x), np.uint64(y)),
    "sad": _distance,
    "usad": _unsigned(_distance),
    "byte_perm": _byte_perm,
    "uint2double_rn": lambda x: np.float64(np.uint32(x)),
    "uint2float_rn": lambda x: np.float32(np.uint32(x)),
    "ull2double_rn": lambda x: np.float64(np.uint64(x)),
    "ull2float_rn": lambda x: np.float32(np.uint64(x)),
    "ll2float_rn": lambda x: np.float32(np.int64(x)),
}

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
    "erfcx": _erfcx,
    "erfinv": _erfinv,
    "erfcinv": _erfcinv,
    "normcdf": lambda x: 0.5 * math.erfc(-x * math.sqrt(0.5)),
    "normcdfinv": lambda x: -math.sqrt(2.0) * _erfcinv(2.0 * x),
    "cyl_bessel_i0": lambda x: _modified_bessel(x, 0),
    "cyl_bessel_i1": lambda x: _modified_bessel(x, 1),
    **_BESSEL,
    # The upper half of the reciprocal's bits.
    "rcp64h": lambda x: ((1.0 / x).view(np.int64) & -0x100000000).view(np.float64),
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
    **_BITS,
    **{name: f for way in ("rd", "ru", "rz") for name, f in _rounded_functions(way).items()},
}
PAIRS = {
    "frexp": _frexp,
    "modf": _modf,
    "remquo": _remquo,
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
