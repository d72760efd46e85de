"""cuda.fp8: numbers of 8 bits, as CUDA's header cuda_fp8.h converts them.

A number is a value with its bits, `x`; there is no arithmetic. E4M3 has no infinities: the bits
0x7F are NaN. E8M0 is a power of two without a sign; 0xFF is NaN.
"""

import math
from dataclasses import dataclass

import numpy as np

from numjit.types import bfloat16, uint8

from ..core.intrinsics import refuse
from ..core.registry import function

#: Bits of the fraction, the lowest exponent, the bits of the largest number, and those of what is
#: too large.
_E4M3, _E5M2 = (3, -6, 0x7E, 0x7F), (2, -14, 0x7B, 0x7C)
_TOWARDS_ZERO, _UP = 1, 2  # cudaRoundMode


def encoded(number, saturate, layout):
    """The bits of a float64, rounded to the nearest; `saturate`: what is too large is the largest
    number."""
    fraction, lowest, largest, beyond = layout
    negative = np.uint8(0x80) if math.copysign(1.0, number) < 0 else np.uint8(0)
    size = abs(number)
    if size != size:
        return np.uint8(negative | np.uint8(0x7F))
    bits = beyond
    if size < 1e9:
        exponent = max(math.frexp(size)[1] - 1, lowest) if size > 0 else lowest
        steps = np.rint(math.ldexp(size, fraction - exponent))
        bits = ((exponent - lowest) << fraction) + int(steps)
    if bits > largest:
        bits = largest if saturate else beyond
    return np.uint8(negative | np.uint8(bits))


def decoded(bits, layout):
    """The float32 that the bits stand for."""
    fraction, lowest, largest, beyond = layout
    size = int(bits & np.uint8(0x7F))
    if size > largest:
        number = np.inf if size == beyond and fraction == 2 else np.nan
    else:
        exponent = max((size >> fraction) - 1, 0)
        steps = size - (exponent << fraction)
        number = math.ldexp(float(steps), lowest - fraction + exponent)
    return np.float32(-number if bits & np.uint8(0x80) else number)


def encoded_power(number, saturate, rounding):
    """The bits of the power of two at the size of a float64."""
    size = abs(number)
    if size != size:
        return np.uint8(0xFF)
    bits = 255
    if size < 1e300:
        digits, exponent = math.frexp(size)
        more = rounding == _UP and digits > 0.5
        bits = max(exponent + 126 + int(more), 0) if digits > 0 else 0
    if bits > 254:
        bits = 254 if saturate else 255
    return np.uint8(bits)


def decoded_power(bits):
    return np.float32(np.nan) if bits == 255 else np.ldexp(np.float32(1), int(bits) - 127)


def as_float(number):
    """The float64 of any number; integers beyond 2**53 are rounded first, as by CUDA."""
    return np.float64(number)


# -- the types ------------------------------------------------------------------------------------


class _Number:
    def __int__(self):
        return int(float(self))


@dataclass(frozen=True)
class E4M3(_Number):
    x: uint8

    def __float__(self):
        return float(decoded(self.x, _E4M3))


@dataclass(frozen=True)
class E5M2(_Number):
    x: uint8

    def __float__(self):
        return float(decoded(self.x, _E5M2))


@dataclass(frozen=True)
class E8M0(_Number):
    x: uint8

    def __float__(self):
        return float(decoded_power(self.x))


@dataclass(frozen=True)
class Raw:
    """The bits of a number of 16 bits."""

    x: np.uint16


@function("numjit.cuda.fp8.fp8_e4m3")
def fp8_e4m3(number):
    return E4M3(encoded(as_float(number), True, _E4M3))


@function("numjit.cuda.fp8.fp8_e5m2")
def fp8_e5m2(number):
    return E5M2(encoded(as_float(number), True, _E5M2))


@function("numjit.cuda.fp8.fp8_e8m0")
def fp8_e8m0(number):
    return E8M0(encoded_power(as_float(number), True, _UP))


# -- conversions of bits --------------------------------------------------------------------------


def encoded_as(number, saturate, interpretation):
    if int(interpretation) == 0:
        return encoded(number, int(saturate) == 1, _E4M3)
    else:
        return encoded(number, int(saturate) == 1, _E5M2)


def power_of(number, saturate, rounding):
    if int(rounding) != _TOWARDS_ZERO and int(rounding) != _UP:
        refuse("E8M0 is rounded towards zero or up", "pass cudaRoundZero or cudaRoundPosInf")
    return encoded_power(number, int(saturate) == 1, int(rounding))


def of_bfloat16(raw):
    return np.float64(np.uint16(raw.x).view(bfloat16))


_NUMBERS = {
    "float": np.float64,
    "double": np.float64,
    "halfraw": lambda raw: np.float64(np.uint16(raw.x).view(np.float16)),
    "bfloat16raw": of_bfloat16,
}


def _from(name, number):
    @function(f"numjit.cuda.fp8.cvt_{name}_to_fp8")
    def to_fp8(x, saturate, fp8_interpretation):
        return encoded_as(number(x), saturate, fp8_interpretation)

    if name != "halfraw":

        @function(f"numjit.cuda.fp8.cvt_{name}_to_e8m0")
        def to_e8m0(x, saturate, rounding):
            return power_of(number(x), saturate, rounding)


for _name, _number in _NUMBERS.items():
    _from(_name, _number)


@function("numjit.cuda.fp8.cvt_fp8_to_halfraw")
def cvt_fp8_to_halfraw(x, fp8_interpretation):
    bits = np.uint8(x)
    if int(fp8_interpretation) == 0:
        return Raw(np.float16(decoded(bits, _E4M3)).view(np.uint16))
    else:
        return Raw(np.float16(decoded(bits, _E5M2)).view(np.uint16))


@function("numjit.cuda.fp8.cvt_e8m0_to_bf16raw")
def cvt_e8m0_to_bf16raw(x):
    return Raw(bfloat16(decoded_power(np.uint8(x))).view(np.uint16))
