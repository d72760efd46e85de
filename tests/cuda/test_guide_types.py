"""What numba-cuda's documentation says of intrinsics and types, a program for each thing.

The docstrings are rows of docs/cuda-guide.md, as in test_guide_host.py.
"""

import math

import numpy as np
import pytest
from numjit import cuda, float16, float32, float64, int32, int64, types, uint32, void
from numjit.cuda import bf16, libdevice

# -- intrinsics ---------------------------------------------------------------------------------


def test_integer_intrinsics():
    """Kernel API: `popc`, `brev`, `clz`, `ffs`, of 32 and 64 bits; `selp`; `nanosleep`"""

    @cuda.jit
    def kernel(out, a, b):
        out[0], out[1], out[2], out[3] = cuda.popc(a), cuda.brev(a), cuda.clz(a), cuda.ffs(a)
        out[4], out[5], out[6], out[7] = cuda.popc(b), cuda.brev(b), cuda.clz(b), cuda.ffs(b)
        out[8] = cuda.selp(a > 1, 3, 5)
        cuda.nanosleep(uint32(20))

    out = np.zeros(9, np.uint64)
    kernel[1, 1](out, np.uint32(0b10110), np.uint64(0b10110))
    assert out.tolist() == [3, 0b01101 << 27, 27, 2, 3, 0b01101 << 59, 59, 2, 3]


def test_float_intrinsics():
    """Kernel API: `fma`, `cbrt`"""

    @cuda.jit
    def kernel(out, a, b):
        out[0], out[1] = cuda.fma(a, a, a), cuda.cbrt(a)
        out[2], out[3] = cuda.fma(b, b, b), cuda.cbrt(b)

    out = np.zeros(4)
    kernel[1, 1](out, np.float32(27), 27.0)
    assert np.allclose(out, [756, 3, 756, 3])


def test_half():
    """Kernel API: `fp16`: `hfma`, `hadd`, `hsub`, `hmul`, `hdiv`, `hneg`, `habs`, `hmax`, `hmin`,
    `heq` ... `hle`"""
    half, x, y = cuda.fp16, np.float16(6), np.float16(-2.5)

    @cuda.jit
    def kernel(out, a, b, truths):
        out[0], out[1], out[2] = half.hfma(a, b, a), half.hadd(a, b), half.hsub(a, b)
        out[3], out[4], out[5] = half.hmul(a, b), half.hdiv(a, b), half.hneg(a)
        out[6], out[7], out[8] = half.habs(b), half.hmax(a, b), half.hmin(a, b)
        truths[0], truths[1], truths[2] = half.heq(a, b), half.hne(a, b), half.hgt(a, b)
        truths[3], truths[4], truths[5] = half.hge(a, b), half.hlt(a, b), half.hle(a, b)

    out, truths = np.zeros(9, np.float16), np.zeros(6, np.bool_)
    kernel[1, 1](out, x, y, truths)
    wanted = [x * y + x, x + y, x - y, x * y, x / y, -x, -y, x, y]
    assert (out == np.array(wanted, np.float16)).all()
    assert truths.tolist() == [False, True, True, True, False, False]
    assert cuda.is_float16_supported() in (True, False)


HALF_FUNCTIONS = {
    "hsin": np.sin, "hcos": np.cos, "hlog": np.log, "hlog10": np.log10, "hlog2": np.log2,
    "hexp": np.exp, "hexp10": lambda x: 10**x, "hexp2": np.exp2, "hfloor": np.floor,
    "hceil": np.ceil, "hsqrt": np.sqrt, "hrsqrt": lambda x: 1 / np.sqrt(x),
    "hrcp": lambda x: 1 / x, "hrint": np.rint, "htrunc": np.trunc,
}  # fmt: skip


@pytest.mark.parametrize("name", HALF_FUNCTIONS)
def test_functions_of_half(name):
    """Kernel API: `fp16`: `hsin`, `hcos`, `hlog`, `hlog10`, `hlog2`, `hexp`, `hexp10`, `hexp2`,
    `hfloor`, `hceil`, `hsqrt`, `hrsqrt`, `hrcp`, `hrint`, `htrunc`"""
    function = getattr(cuda.fp16, name)

    @cuda.jit
    def kernel(out, x):
        out[0] = function(x)

    out = np.zeros(1, np.float16)
    kernel[1, 1](out, np.float16(2.5))
    assert np.isclose(out[0], HALF_FUNCTIONS[name](np.float64(2.5)), rtol=2e-3)


@pytest.mark.parametrize("name", [*HALF_FUNCTIONS, "htanh", "htanh_approx"])
def test_functions_of_bfloat16(name):
    """Types: `bf16`: `htrunc`, `hceil`, `hfloor`, `hrint`, `hsqrt`, `hrsqrt`, `hrcp`, `hlog`,
    `hlog2`, `hlog10`, `hcos`, `hsin`, `htanh`, `htanh_approx`, `hexp`, `hexp2`, `hexp10`"""
    function = getattr(bf16, name)

    @cuda.jit
    def kernel(out, x):
        out[0] = float32(function(bf16.bfloat16(x)))

    out = np.zeros(1, np.float32)
    kernel[1, 1](out, 2.5)
    wanted = HALF_FUNCTIONS.get(name, np.tanh)(2.5)
    assert np.isclose(out[0], wanted, rtol=1e-2)


def test_bfloat16():
    """Types: `bfloat16` of numbers and back, its operators; `is_bfloat16_supported`"""

    @cuda.jit
    def kernel(out, a, n):
        x, y = bf16.bfloat16(a), bf16.bfloat16(n)
        out[0], out[1], out[2], out[3] = (
            float32(x + y),
            float32(x - y),
            float64(x * y),
            int32(x / y),
        )
        x += y
        x -= bf16.bfloat16(float16(1))
        x *= y
        x /= y
        out[4], out[5], out[6] = float32(x), float32(-x), float32(+x)
        out[7] = (x == y) + 2 * (x != y) + 4 * (x > y) + 8 * (x < y) + 16 * (x >= y) + 32 * (x <= y)
        out[8] = int64(bf16.bfloat16(uint32(3)))

    out = np.zeros(9)
    kernel[1, 1](out, 1.5, np.int64(2))
    assert out.tolist() == [3.5, -0.5, 3, 0, 2.5, -2.5, 2.5, 2 + 4 + 16, 3]
    assert cuda.is_bfloat16_supported() in (True, False)


def test_arithmetic_of_bfloat16():
    """Types: `bf16`: `habs`, `hneg`, `hadd`, `hadd_rn`, `hadd_sat`, `hsub`, `hmul`, `hdiv` and
    theirs, `hfma`, `hfma_sat`, `hfma_relu`"""

    @cuda.jit
    def kernel(out, a, b):
        x, y = bf16.bfloat16(a), bf16.bfloat16(b)
        out[0], out[1], out[2] = (
            float32(bf16.habs(y)),
            float32(bf16.hneg(x)),
            float32(bf16.hadd(x, y)),
        )
        out[3], out[4] = float32(bf16.hadd_rn(x, y)), float32(bf16.hadd_sat(x, x))
        out[5], out[6] = float32(bf16.hsub(x, y)), float32(bf16.hsub_rn(x, y))
        out[7], out[8] = float32(bf16.hsub_sat(x, y)), float32(bf16.hmul(x, y))
        out[9], out[10] = float32(bf16.hmul_rn(x, y)), float32(bf16.hmul_sat(x, y))
        out[11], out[12] = float32(bf16.hdiv(x, y)), float32(bf16.hfma(x, y, x))
        out[13], out[14] = float32(bf16.hfma_sat(x, x, x)), float32(bf16.hfma_relu(x, y, y))

    out = np.zeros(15)
    kernel[1, 1](out, 1.5, -0.5)
    wanted = [0.5, -1.5, 1, 1, 1, 2, 2, 1, -0.75, -0.75, 0, -3, 0.75, 1, 0]
    assert out.tolist() == wanted


VECTORS = [
    f"{kind}x{n}"
    for kind in "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64".split()
    for n in (1, 2, 3, 4)
]


@pytest.mark.parametrize("name", [*VECTORS, "float3", "uchar4", "long3", "ulonglong2", "double4"])
def test_vectors(name):
    """Types: vectors `int8x1` ... `float64x4` and CUDA's names, of scalars and shorter vectors;
    `x`, `y`, `z`, `w`"""
    vector, n = getattr(cuda, name), int(name[-1])

    if n == 1:

        @cuda.jit
        def kernel(out):
            out[0] = vector(3).x
    elif n == 2:

        @cuda.jit
        def kernel(out):
            v = vector(vector(1, 2))
            out[0] = v.x + v.y
    elif n == 3:
        pair = getattr(cuda, name[:-1] + "2")

        @cuda.jit
        def kernel(out):
            v = vector(0, pair(1, 2))
            out[0] = v.x + v.y + v.z
    else:
        pair = getattr(cuda, name[:-1] + "2")

        @cuda.jit
        def kernel(out):
            v = vector(pair(0, 1), pair(0, 2))
            out[0] = v.x + v.y + v.z + v.w

    out = np.zeros(1)
    kernel[1, 1](out)
    assert out[0] == 3


def test_cache_hints():
    """Cache hints: `ldca`, `ldcg`, `ldcs`, `ldlu`, `ldcv`, `stcg`, `stcs`, `stwb`, `stwt`, of
    arrays of any number of dimensions and pointers"""

    @cuda.jit
    def kernel(x, square, out):
        out[0], out[1], out[2] = cuda.ldca(x, 0), cuda.ldcg(x, 1), cuda.ldcs(x, 2)
        out[3], out[4] = cuda.ldlu(x, 3), cuda.ldcv(square, (1, 0))
        cuda.stcg(out, 5, x[0])
        cuda.stcs(out, 6, x[1])
        cuda.stwb(out, 7, x[2])
        cuda.stwt(out, 8, x[3])

    for dtype in (np.int8, np.int16, np.uint32, np.int64, np.float16, np.float32, np.float64):
        x, out = np.arange(4).astype(dtype), np.zeros(9, dtype)
        kernel[1, 1](x, x.reshape(2, 2), out)
        assert out.tolist() == [0, 1, 2, 3, 2, 0, 1, 2, 3]

    @cuda.jit(void(types.CPointer(float32), types.CPointer(float32)))
    def with_pointers(x, out):
        cuda.stcg(out, 1, cuda.ldca(x, 2))

    x, out = cuda.to_device(np.arange(4, dtype=np.float32)), cuda.to_device(np.zeros(2, np.float32))
    addresses = [each.__cuda_array_interface__["data"][0] for each in (x, out)]
    with_pointers[1, 1](*addresses)
    assert out.copy_to_host().tolist() == [0, 2]


def test_libdevice():
    """Libdevice: its functions under `cuda.libdevice`, also those with several results"""

    @cuda.jit
    def kernel(out, x):
        out[0], out[1] = libdevice.sqrt(x), libdevice.fast_sinf(float32(x))
        out[2], out[3] = libdevice.sincos(x)
        out[4] = libdevice.brev(int32(1))
        fraction, exponent = libdevice.frexp(x)
        out[5], out[6] = fraction, exponent

    out = np.zeros(7)
    kernel[1, 1](out, 4.0)
    assert np.allclose(out[:4], [2, math.sin(4), math.sin(4), math.cos(4)], atol=1e-5)
    assert out[5:].tolist() == [0.5, 3]

    @cuda.jit
    def halves(out, x):
        out[0] = libdevice.float2half_rn(x)
        out[1] = libdevice.half2float(libdevice.float2half_rn(x))

    halves[1, 1](out, np.float32(1.5))
    assert out[:2].tolist() == [0x3E00, 1.5]
    text = "abs acosf dadd_rn fast_cosf fmaf_rn hadd isfinited j0 jn mul24 nextafter tgamma ynf"
    for name in text.split():
        assert hasattr(libdevice, name), name
