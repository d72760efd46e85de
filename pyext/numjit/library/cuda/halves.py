"""cuda.fp16 and cuda.bf16: numbers of 16 bits.

Arithmetic is that of float32, rounded to 16 bits after each operation, which is exact for sums,
differences, products, quotients and roots.
"""

import math

import numpy as np

from numjit.types import bfloat16

from ..core.intrinsics import Intrinsic, leading_zeros
from ..core.registry import function
from .half_names import INTEGERS

_fma = Intrinsic("math.fma")


def _of_halves(name, half, operation):
    """A function of one or two numbers that are made floats of 16 bits."""

    @function(f"numjit.cuda.{name}")
    def of_halves(*numbers):
        if len(numbers) == 1:
            return operation(half(numbers[0]))
        else:
            return operation(half(numbers[0]), half(numbers[1]))


def _fused(half):
    def fused(a, b, c):
        # Exact as a double, or nearly: it is rounded once.
        return half(_fma(np.float64(half(a)), np.float64(half(b)), np.float64(half(c))))

    return fused


def _both(module, half):
    """What both modules have."""
    for name, operation in {
        "hadd": lambda a, b: a + b,
        "hsub": lambda a, b: a - b,
        "hmul": lambda a, b: a * b,
        "hdiv": lambda a, b: a / b,
        "hneg": lambda a: -a,
        "habs": lambda a: abs(a),
        "heq": lambda a, b: a == b,
        "hne": lambda a, b: a < b or a > b,
        "hge": lambda a, b: a >= b,
        "hgt": lambda a, b: a > b,
        "hle": lambda a, b: a <= b,
        "hlt": lambda a, b: a < b,
        "hmax": np.fmax,
        "hmin": np.fmin,
        "hsin": np.sin,
        "hcos": np.cos,
        "hlog": np.log,
        "hlog2": np.log2,
        "hlog10": np.log10,
        "hexp": np.exp,
        "hexp2": np.exp2,
        "hexp10": lambda a: half(np.power(np.float32(10), np.float32(a))),
        "hsqrt": np.sqrt,
        "hrsqrt": lambda a: half(np.float32(1) / np.sqrt(np.float32(a))),
        "hrcp": lambda a: half(1) / a,
        "hceil": np.ceil,
        "hfloor": np.floor,
        "htrunc": np.trunc,
        "hrint": np.rint,
    }.items():
        _of_halves(f"{module}.{name}", half, operation)
    function(f"numjit.cuda.{module}.hfma")(_fused(half))


_both("fp16", np.float16)
_both("bf16", bfloat16)


# -- bfloat16 alone -------------------------------------------------------------------------------


def saturated(a):
    """Between 0 and 1; of NaN 0."""
    return bfloat16(np.fmin(np.fmax(np.float32(a), np.float32(0)), np.float32(1)))


for _name, _operation in {
    "hadd_rn": lambda a, b: a + b,
    "hsub_rn": lambda a, b: a - b,
    "hmul_rn": lambda a, b: a * b,
    "hadd_sat": lambda a, b: saturated(a + b),
    "hsub_sat": lambda a, b: saturated(a - b),
    "hmul_sat": lambda a, b: saturated(a * b),
    "hmax_nan": np.maximum,
    "hmin_nan": np.minimum,
    "hequ": lambda a, b: not (a < b or a > b),
    "hneu": lambda a, b: a != b,
    "hgeu": lambda a, b: not a < b,
    "hgtu": lambda a, b: not a <= b,
    "hleu": lambda a, b: not a > b,
    "hltu": lambda a, b: not a >= b,
    "hisnan": lambda a: a != a,
    "hisinf": lambda a: np.int32(np.float32(a) == np.inf) - np.int32(np.float32(a) == -np.inf),
    "htanh": np.tanh,
    "htanh_approx": np.tanh,
}.items():
    _of_halves(f"bf16.{_name}", bfloat16, _operation)

_exact_fma = _fused(bfloat16)


@function("numjit.cuda.bf16.hfma_sat")
def hfma_sat(a, b, c):
    return saturated(_exact_fma(a, b, c))


@function("numjit.cuda.bf16.hfma_relu")
def hfma_relu(a, b, c):
    result = _exact_fma(a, b, c)
    return bfloat16(0) if result < bfloat16(0) else result


@function("numjit.cuda.bf16.bfloat16_as_int16")
def bfloat16_as_int16(a):
    return bfloat16(a).view(np.int16)


@function("numjit.cuda.bf16.bfloat16_as_uint16")
def bfloat16_as_uint16(a):
    return bfloat16(a).view(np.uint16)


@function("numjit.cuda.bf16.int16_as_bfloat16")
def int16_as_bfloat16(a):
    return np.int16(a).view(bfloat16)


@function("numjit.cuda.bf16.uint16_as_bfloat16")
def uint16_as_bfloat16(a):
    return np.uint16(a).view(bfloat16)


# -- conversions ----------------------------------------------------------------------------------


@function("numjit.cuda.bf16.bfloat16_to_float32")
def bfloat16_to_float32(a):
    return np.float32(bfloat16(a))


def towards_zero(a):
    """A float32 without the bits that a bfloat16 has no place for."""
    if a != a:
        return a
    return np.uint32(a.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)


def away(a):
    """The next bfloat16 behind one, seen from zero."""
    return np.uint32(a.view(np.uint32) + np.uint32(0x10000)).view(np.float32)


def to_nearest(a):
    return bfloat16(a)


def down(a):
    cut = towards_zero(a)
    return bfloat16(away(cut) if cut > a else cut)


def up(a):
    cut = towards_zero(a)
    return bfloat16(away(cut) if cut < a else cut)


_FROM_FLOAT = {
    "rn": to_nearest,
    "rz": lambda a: bfloat16(towards_zero(a)),
    "rd": down,
    "ru": up,
}


def _from_float(name, number, rounding):
    @function(f"numjit.cuda.bf16.{name}")
    def converted(a):
        return rounding(number(a))


_from_float("float32_to_bfloat16", np.float32, to_nearest)
_from_float("float64_to_bfloat16", np.float64, to_nearest)
for _mode, _rounding in _FROM_FLOAT.items():
    _from_float(f"float32_to_bfloat16_{_mode}", np.float32, _rounding)


def scaled(digits, shift):
    """digits * 2**shift, digits of at most 9 bits."""
    return np.float32(digits) * np.ldexp(np.float32(1), shift)


def magnitude_as_float(size, mode, negative):
    """An unsigned integer as a float32 of 8 significant bits; `mode` is about the signed number."""
    shift = max(0, 56 - int(leading_zeros(size)))
    digits = size >> np.uint64(shift)
    rest = size - (digits << np.uint64(shift))
    if mode == "rn":
        half = np.uint64(1) << np.uint64(max(0, shift - 1))
        even = digits & np.uint64(1) == np.uint64(0)
        more = shift > 0 and (rest > half or (rest == half and not even))
    elif mode == "rz":
        more = False
    elif mode == "rd":
        more = negative and rest > np.uint64(0)
    else:
        more = not negative and rest > np.uint64(0)
    return scaled(digits + np.uint64(more), shift)


def _from_integer(integer, mode):
    signed = not integer.startswith("u")
    dtype = getattr(np, integer)

    @function(f"numjit.cuda.bf16.{integer}_to_bfloat16_{mode}")
    def converted(a):
        number = dtype(a)
        if signed and number < 0:
            size = np.uint64(-(np.int64(number) + 1)) + np.uint64(1)
            return bfloat16(-magnitude_as_float(size, mode, True))
        else:
            return bfloat16(magnitude_as_float(np.uint64(number), mode, False))


_TO_WHOLE = {"rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}


def _to_integer(integer, mode):
    """What does not fit becomes the nearest integer that does; NaN 0, of 64 bits the highest."""
    dtype, whole = getattr(np, integer), _TO_WHOLE[mode]
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    beyond = float(high) + 1 if high < 1 << 53 else float(high)
    of_nan = 0 if high < 1 << 32 else low or 1 << 63

    @function(f"numjit.cuda.bf16.bfloat16_to_{integer}_{mode}")
    def converted(a):
        number = np.float64(bfloat16(a))
        if math.isnan(number):
            return dtype(of_nan)
        rounded = whole(number)
        if rounded >= beyond:
            return dtype(high)
        elif rounded <= low:
            return dtype(low)
        else:
            return dtype(rounded)


for _mode in _TO_WHOLE:
    for _integer in INTEGERS:
        _from_integer(_integer, _mode)
        _to_integer(_integer, _mode)
_to_integer("int8", "rz")
_to_integer("uint8", "rz")
