"""Numbers of 8 bits in kernels, compared with the nearest of all numbers of their kind."""

import importlib
import math

import numpy as np
import pytest
from numjit import cuda, errors, float16, int32
from numjit.cuda import fp8
from numjit.cuda.bf16 import bfloat16
from numjit.cuda.fp8 import fp8_interpretation_t, saturation_t

TO_ZERO, UP = 1, 2  # cudaRoundMode
SPECIAL = [0.0, -0.0, math.inf, -math.inf, 448, 464, 464.1, 57344, 61439, 61440, 3e38, -1e20]
SPECIAL += [2.0**-9, 2.0**-10, 1.01 * 2.0**-10, 2.0**-16, 2.0**-17, -1.1 * 2.0**-17, 1e-45]


def numbers():
    rng = np.random.default_rng(7)
    any_bits = rng.integers(0, 1 << 32, 2000, dtype=np.uint32).view(np.float32)
    near = (rng.normal(size=2000) * 2.0 ** rng.integers(-18, 17, 2000)).astype(np.float32)
    made = np.concatenate([np.float32(SPECIAL), any_bits, near])
    return made[~np.isnan(made)]


def values(fraction, bias):
    """The finite numbers of a kind that have no sign, by their bits."""
    bits = np.arange(0x7F if fraction == 3 else 0x7C)
    exponents, rest = bits >> fraction, bits & ((1 << fraction) - 1)
    normal = exponents > 0
    steps = rest + (normal << fraction)
    return steps * 2.0 ** (np.maximum(exponents, 1) - bias - fraction)


def nearest(x, table, beyond):
    """The bits of the nearest number, of two those that are even; `beyond` for what is larger than
    the middle between the last one and the one that would follow."""
    size = np.abs(x.astype(np.float64))
    low = np.searchsorted(table, size, "right") - 1
    following = np.append(table, 2 * table[-1] - table[-2])
    middle = (following[low] + following[low + 1]) / 2
    bits = np.where((size > middle) | ((size == middle) & (low % 2 == 1)), low + 1, low)
    bits = np.where(bits >= table.size, beyond, bits)
    return (bits | np.where(np.signbit(x), 0x80, 0)).astype(np.uint8)


KINDS = {
    "E4M3": (3, 7, 0x7F, fp8_interpretation_t.E4M3, fp8.fp8_e4m3),
    "E5M2": (2, 15, 0x7C, fp8_interpretation_t.E5M2, fp8.fp8_e5m2),
}


@pytest.mark.parametrize("kind", KINDS)
def test_conversions_to_the_nearest(kind):
    fraction, bias, beyond, interpretation, constructor = KINDS[kind]
    free, saturated = saturation_t.NOSAT, saturation_t.SATFINITE

    @cuda.jit
    def convert(x, bits, floats, ints):
        i = cuda.grid(1)
        if i < x.size:
            bits[0, i] = fp8.cvt_float_to_fp8(x[i], free, interpretation)
            bits[1, i] = fp8.cvt_float_to_fp8(x[i], saturated, interpretation)
            bits[2, i] = fp8.cvt_double_to_fp8(float(x[i]), free, interpretation)
            number = constructor(x[i])
            bits[3, i] = number.x
            floats[i] = float(number)
            ints[i] = int(number)

    x = numbers()
    bits, ints = np.zeros((4, x.size), np.uint8), np.zeros(x.size, np.int64)
    floats = np.zeros(x.size)
    convert.forall(x.size)(x, bits, floats, ints)
    table = values(fraction, bias)
    last = table.size - 1
    assert (bits[0] == nearest(x, table, beyond)).all() and (bits[2] == bits[0]).all()
    assert (bits[1] == nearest(x, table, last)).all() and (bits[3] == bits[1]).all()
    expected = np.copysign(table[bits[3] & 0x7F], x)
    assert (floats == expected).all() and (ints == expected.astype(np.int64)).all()


def test_powers_of_two():
    @cuda.jit
    def convert(x, bits, floats):
        i = cuda.grid(1)
        if i < x.size:
            bits[0, i] = fp8.cvt_float_to_e8m0(x[i], saturation_t.NOSAT, TO_ZERO)
            bits[1, i] = fp8.cvt_double_to_e8m0(x[i], saturation_t.SATFINITE, UP)
            bits[2, i] = fp8.cvt_float_to_e8m0(x[i], saturation_t.NOSAT, UP)
            floats[i] = float(fp8.fp8_e8m0(x[i]))

    x = numbers()
    bits, floats = np.zeros((3, x.size), np.uint8), np.zeros(x.size)
    convert.forall(x.size)(x, bits, floats)
    powers = 2.0 ** np.arange(-127, 128)
    size = np.abs(x.astype(np.float64))
    below = np.clip(np.searchsorted(powers, size, "right") - 1, 0, 254)
    above = np.searchsorted(powers, size, "left")
    infinite = np.isinf(x)
    assert (bits[0] == np.where(infinite, 255, below)).all()
    assert (bits[1] == np.minimum(above, 254)).all()
    assert (bits[2] == np.where(above > 254, 255, above)).all()
    assert (floats == powers[bits[1]]).all()
    with pytest.raises(errors.TypingError, match="rounded towards zero or up"):
        cuda.jit(lambda out: fp8.cvt_float_to_e8m0(out[0], saturation_t.NOSAT, 0))[1, 1](floats)


def test_not_a_number_and_other_classes():
    e4m3, e5m2 = fp8_interpretation_t.E4M3, fp8_interpretation_t.E5M2

    @cuda.jit
    def convert(out):
        nan = float("nan")
        out[0] = float(fp8.fp8_e4m3(nan))
        out[1] = float(fp8.fp8_e5m2(nan))
        out[2] = float(fp8.fp8_e8m0(nan))
        out[3] = float(fp8.fp8_e4m3(float16(1.5)))
        out[4] = float(fp8.fp8_e5m2(bfloat16(-3.0)))
        out[5] = float(fp8.fp8_e8m0(int32(5)))
        half = fp8.cvt_fp8_to_halfraw(0x7C, e5m2)
        out[6] = half.x
        out[7] = fp8.cvt_halfraw_to_fp8(half, saturation_t.SATFINITE, e4m3)
        raw = fp8.cvt_e8m0_to_bf16raw(126)
        out[8] = raw.x
        out[9] = fp8.cvt_bfloat16raw_to_fp8(raw, saturation_t.NOSAT, e4m3)
        out[10] = fp8.cvt_bfloat16raw_to_e8m0(raw, saturation_t.NOSAT, UP)

    out = np.zeros(11)
    convert[1, 1](out)
    assert np.isnan(out[:3]).all()
    assert out[3:].tolist() == [1.5, -3, 8, 0x7C00, 0x7E, 0x3F00, 0x30, 126]


def test_names():
    assert importlib.import_module("numjit.cuda._internal.cuda_fp8") is fp8 is cuda.fp8
    with pytest.raises(NotImplementedError, match="cannot be called from host code"):
        fp8.fp8_e4m3(1.0)
