"""bfloat16 in kernels. Arrays of it are bits on the host: uint16, which kernels see as bfloat16."""

import math

import numpy as np
import pytest
from numjit import cuda, errors, float32, njit
from numjit.cuda import bf16
from numjit.cuda.bf16 import bfloat16

RNG = np.random.default_rng(5)
SPECIAL = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 3e38, 1e-40, 255.5, 0.5, 1.5, 2.5]


def to_bits(numbers, mode="rn"):
    """float32 as bfloat16, as IEEE 754 rounds."""
    numbers = np.asarray(numbers, np.float32)
    bits = numbers.view(np.uint32).astype(np.uint64)
    low, cut = bits & 0xFFFF, bits >> 16
    negative = numbers.view(np.int32) < 0
    if mode == "rn":
        more = (low > 0x8000) | ((low == 0x8000) & (cut & 1 == 1))
    else:
        more = (low > 0) & {"rz": negative & False, "rd": negative, "ru": ~negative}[mode]
    bits = np.where(np.isnan(numbers), cut | 0x40, cut + more)
    return bits.astype(np.uint16)


def to_floats(bits):
    return (np.asarray(bits, np.uint16).astype(np.uint32) << 16).view(np.float32)


def same_numbers(found, expected):
    np.testing.assert_array_equal(to_floats(found), to_floats(expected))


def random_bits(n):
    special = to_bits(SPECIAL)
    return np.concatenate([special, RNG.integers(0, 1 << 16, n - special.size).astype(np.uint16)])


def arithmetic(a_bits, b_bits, out_bits):
    a, b, out = a_bits.view(bfloat16), b_bits.view(bfloat16), out_bits.view(bfloat16)
    i = cuda.grid(1)
    if i < a.size:
        out[0, i] = a[i] + b[i]
        out[1, i] = a[i] - b[i]
        out[2, i] = a[i] * b[i]
        out[3, i] = a[i] / b[i]
        out[4, i] = bf16.hadd(a[i], b[i])
        out[5, i] = bf16.hmul_rn(a[i], b[i])
        out[6, i] = bf16.hdiv(a[i], b[i])
        out[7, i] = bf16.hfma(a[i], b[i], a[i])
        out[8, i] = bf16.hmax(a[i], b[i])
        out[9, i] = bf16.hmin_nan(a[i], b[i])
        out[10, i] = bf16.hadd_sat(a[i], b[i])
        out[11, i] = -a[i]
        out[12, i] = abs(a[i])
        out[13, i] = bf16.hfma_relu(a[i], b[i], a[i])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_arithmetic():
    a_bits, b_bits = random_bits(1500), RNG.permutation(random_bits(1500))
    out = np.zeros((14, a_bits.size), np.uint16)
    cuda.jit(arithmetic)[12, 128](a_bits, b_bits, out)
    a, b = to_floats(a_bits), to_floats(b_bits)
    fused = (a.astype("f8") * b.astype("f8") + a.astype("f8")).astype("f4")
    total = to_floats(to_bits(a + b))
    expected = [a + b, a - b, a * b, a / b, a + b, a * b, a / b, fused]
    expected += [np.fmax(a, b), np.minimum(a, b), np.clip(np.nan_to_num(total), 0, 1), -a, abs(a)]
    expected += [np.where(fused < 0, 0, fused)]
    for row, wanted in zip(out, expected):
        same_numbers(row, to_bits(wanted))


def test_comparisons():
    names = "heq hne hlt hle hgt hge hequ hneu hltu hleu hgtu hgeu".split()
    functions = tuple(getattr(bf16, name) for name in names)
    heq, hne, hlt, hle, hgt, hge, hequ, hneu, hltu, hleu, hgtu, hgeu = functions

    @cuda.jit
    def compare(a_bits, b_bits, out):
        i = cuda.grid(1)
        a, b = a_bits.view(bfloat16)[i], b_bits.view(bfloat16)[i]
        out[0, i], out[1, i], out[2, i] = heq(a, b), hne(a, b), hlt(a, b)
        out[3, i], out[4, i], out[5, i] = hle(a, b), hgt(a, b), hge(a, b)
        out[6, i], out[7, i], out[8, i] = hequ(a, b), hneu(a, b), hltu(a, b)
        out[9, i], out[10, i], out[11, i] = hleu(a, b), hgtu(a, b), hgeu(a, b)
        out[12, i], out[13, i], out[14, i] = a == b, a != b, a < b
        out[15, i] = bf16.hisnan(a)

    numbers = np.array(SPECIAL, np.float32)
    a, b = (each.ravel() for each in np.meshgrid(numbers, numbers))
    out = np.zeros((16, a.size), bool)
    compare[1, a.size](to_bits(a), to_bits(b), out)
    a, b = to_floats(to_bits(a)), to_floats(to_bits(b))
    unordered = np.isnan(a) | np.isnan(b)
    ordered = [a == b, (a != b) & ~unordered, a < b, a <= b, a > b, a >= b]
    expected = ordered + [each | unordered for each in ordered] + [a == b, a != b, a < b]
    np.testing.assert_array_equal(out, [*expected, np.isnan(a)])


@pytest.mark.parametrize("mode", ["rn", "rz", "rd", "ru"])
def test_from_float(mode):
    converted = getattr(bf16, f"float32_to_bfloat16_{mode}")

    @cuda.jit
    def convert(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out.view(bfloat16)[i] = converted(x[i])

    x = np.concatenate([RNG.integers(0, 1 << 32, 500).astype(np.uint32).view("f4"), SPECIAL])
    x = x.astype(np.float32)
    out = np.zeros(x.size, np.uint16)
    convert[8, 128](x, out)
    same_numbers(out, to_bits(x, mode))


INTEGERS = ["int16", "uint16", "int32", "uint32", "int64", "uint64"]


def as_bfloat(number, mode):
    """A Python int as a bfloat16, exactly rounded."""
    size, sign = abs(number), -1.0 if number < 0 else 1.0
    shift = max(0, size.bit_length() - 8)
    digits, rest = size >> shift, size & ((1 << shift) - 1)
    half = 1 << max(0, shift - 1)
    more = {
        "rn": shift and (rest > half or (rest == half and digits & 1)),
        "rz": False,
        "rd": rest and sign < 0,
        "ru": rest and sign > 0,
    }[mode]
    return sign * math.ldexp(digits + bool(more), shift)


@pytest.mark.parametrize("integer", INTEGERS)
@pytest.mark.parametrize("mode", ["rn", "rz", "rd", "ru"])
def test_integers(integer, mode):
    to = getattr(bf16, f"{integer}_to_bfloat16_{mode}")
    back = getattr(bf16, f"bfloat16_to_{integer}_{mode}")

    @cuda.jit
    def convert(x, floats, bits, integers):
        i = cuda.grid(1)
        if i < x.size:
            floats[i] = float32(to(x[i]))
        if i < bits.size:
            integers[i] = back(bits.view(bfloat16)[i])

    info = np.iinfo(integer)
    x = [info.min, info.max, 0, 1, 255, 256, 257, 259, info.max // 2, info.max // 3]
    x = np.array(x + ([-257, -1, -259] if info.min else []), integer)
    bits = to_bits([0.5, 1.5, 2.5, -0.5, -1.5, 100.25, 3e38, -3e38, math.inf, -math.inf, 7.75])
    floats, integers = np.zeros(x.size, np.float32), np.zeros(bits.size, integer)
    convert[1, 32](x, floats, bits, integers)
    assert floats.tolist() == [as_bfloat(int(each), mode) for each in x]
    whole = {"rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}[mode]
    wanted = [min(max(each, info.min), info.max) for each in whole(to_floats(bits).astype("f8"))]
    wanted = [info.max if each >= info.max else int(each) for each in wanted]
    assert integers.tolist() == wanted


def test_math_and_bits():
    @cuda.jit
    def compute(out, bits):
        x = bfloat16(0.75)
        out[0], out[1], out[2] = float32(math.sin(x)), float32(bf16.hexp(x)), float32(x**x)
        out[3], out[4] = float32(bf16.hrsqrt(x)), float32(bf16.htanh(x))
        out[5], out[6] = float32(np.sqrt(x)), float32(bf16.hfloor(-x))
        out[7] = float32(bf16.int16_as_bfloat16(bf16.bfloat16_as_int16(x)))
        bits[0] = bf16.bfloat16_as_uint16(x)
        bits[1] = bf16.hisinf(bfloat16(-np.inf)) + 2

    out, bits = np.zeros(8, np.float32), np.zeros(2, np.uint16)
    compute[1, 1](out, bits)
    x = 0.75
    expected = [math.sin(x), math.exp(x), x**x, x**-0.5, math.tanh(x), math.sqrt(x), -1, x]
    same_numbers(to_bits(out), to_bits(expected))
    assert bits.tolist() == [0x3F40, 1] and (out == to_floats(to_bits(out))).all()


def test_memory_and_atomics():
    @cuda.jit
    def sums(bits, out):
        shared = cuda.shared.array(32, bfloat16)
        own = cuda.local.array(2, bfloat16)
        i = cuda.threadIdx.x
        own[1] = bits.view(bfloat16)[i] * bfloat16(2)
        shared[31 - i] = own[1]
        cuda.syncthreads()
        cuda.atomic.add(out.view(bfloat16), 0, shared[i])
        cuda.atomic.max(out.view(bfloat16), 1, shared[i])

    out = np.zeros(2, np.uint16)
    sums[1, 32](to_bits(np.arange(32) % 4), out)
    assert to_floats(out).tolist() == [96.0, 6.0]


def test_mixed_types():
    @cuda.jit
    def mixed(out):
        x = bfloat16(1.5)
        out[0], out[1] = x + np.float32(0.001), x + np.float64(0.001)
        out[2], out[3] = x + np.float16(0.001), x + True
        out[4] = x + np.int8(2)

    out = np.zeros(5)
    mixed[1, 1](out)
    single = np.float32(1.5)
    third = single + np.float32(np.float16(0.001))
    assert out.tolist() == [single + np.float32(0.001), 1.501, third, 2.5, 3.5]


def test_arguments_of_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="NumPy has no bfloat16 without ml_dtypes")

    @cuda.jit
    def double(x, y, factor):
        i = cuda.grid(1)
        y[i] = x[i] * factor + ml_dtypes.bfloat16(1)

    x = np.arange(8).astype(ml_dtypes.bfloat16)
    y = np.zeros_like(x)
    double[1, 8](x, y, ml_dtypes.bfloat16(2.5))
    assert y.dtype == x.dtype and y.tolist() == (x * ml_dtypes.bfloat16(2.5) + 1).tolist()
    device = cuda.to_device(x)
    double[1, 8](device, device, ml_dtypes.bfloat16(0))
    assert (device.copy_to_host() == 1).all()


def test_refused_on_the_processor():
    with pytest.raises(errors.TypingError, match="bfloat16 exists in kernels"):
        njit(lambda: float(bfloat16(1)))()


def test_names():
    import numjit

    assert numjit.bfloat16 is cuda.bfloat16 is bfloat16 and bfloat16.bitwidth == 16
    assert cuda.bf16.hadd is bf16.hadd
    assert isinstance(cuda.is_bfloat16_supported(), bool)
    with pytest.raises(NotImplementedError, match="host"):
        bf16.hadd(1, 2)
