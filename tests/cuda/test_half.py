"""float16 in kernels: arithmetic is rounded as NumPy rounds it."""

import numpy as np
import pytest
from numjit import cuda, float16, njit

HALVES = np.array([0.1, -2.5, 3.14, 1000, 6e-8, 0.3333, -0.0, 65000], np.float16)
RNG = np.random.default_rng(3)


def arithmetic(a, b, out):
    i = cuda.grid(1)
    if i < a.size:
        out[0, i] = a[i] + b[i]
        out[1, i] = a[i] - b[i]
        out[2, i] = a[i] * b[i]
        out[3, i] = a[i] / b[i]
        out[4, i] = cuda.fp16.hadd(a[i], b[i])
        out[5, i] = cuda.fp16.hsub(a[i], b[i])
        out[6, i] = cuda.fp16.hmul(a[i], b[i])
        out[7, i] = cuda.fp16.hdiv(a[i], b[i])
        out[8, i] = cuda.fp16.hfma(a[i], b[i], a[i])
        out[9, i] = -a[i]
        out[10, i] = abs(a[i])
        out[11, i] = cuda.fp16.hmax(a[i], b[i])
        out[12, i] = cuda.fp16.hmin(a[i], b[i])


def functions(a, out):
    i = cuda.grid(1)
    x = a[i]
    out[0, i] = cuda.fp16.hsin(x)
    out[1, i] = cuda.fp16.hcos(x)
    out[2, i] = cuda.fp16.hlog(x)
    out[3, i] = cuda.fp16.hlog2(x)
    out[4, i] = cuda.fp16.hlog10(x)
    out[5, i] = cuda.fp16.hexp(x)
    out[6, i] = cuda.fp16.hexp2(x)
    out[7, i] = cuda.fp16.hsqrt(x)
    out[8, i] = cuda.fp16.hrsqrt(x)
    out[9, i] = cuda.fp16.hrcp(x)
    out[10, i] = cuda.fp16.hceil(x)
    out[11, i] = cuda.fp16.hfloor(x)
    out[12, i] = cuda.fp16.htrunc(x)
    out[13, i] = cuda.fp16.hrint(x)
    out[14, i] = cuda.fp16.hexp10(x)


def random_halves(n):
    return RNG.integers(0, 1 << 16, n).astype(np.uint16).view(np.float16)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_arithmetic():
    a, b = random_halves(2000), random_halves(2000)
    out = np.zeros((13, a.size), np.float16)
    cuda.jit(arithmetic)[16, 128](a, b, out)
    fma = (a.astype("f8") * b.astype("f8") + a.astype("f8")).astype(np.float16)
    expected = [a + b, a - b, a * b, a / b] * 2
    expected += [fma, -a, abs(a), np.fmax(a, b), np.fmin(a, b)]
    for row, wanted in zip(out, expected):
        np.testing.assert_array_equal(row, wanted)


def test_functions():
    a = np.linspace(0.1, 4, 64).astype(np.float16)
    out = np.zeros((15, a.size), np.float16)
    cuda.jit(functions)[1, 64](a, out)
    x = a.astype(np.float64)
    names = "sin cos log log2 log10 exp exp2 sqrt".split()
    expected = [getattr(np, name)(x) for name in names] + [1 / np.sqrt(x), 1 / x]
    expected += [np.ceil(x), np.floor(x), np.trunc(x), np.rint(x), 10**x]
    for row, wanted in zip(out, expected):
        np.testing.assert_allclose(row.astype("f8"), wanted, rtol=1e-3, atol=1e-4)


def test_conversions_and_comparisons():
    @cuda.jit
    def k(x, h, out, truths):
        i = cuda.grid(1)
        out[i] = np.float16(x[i])
        h[i] = x[i]
        truths[0, i] = h[i] == out[i]
        truths[1, i] = cuda.fp16.hlt(h[i], 1.0) and h[i] < 1
        truths[2, i] = bool(h[i])
        truths[3, i] = cuda.fp16.hge(h[i], out[i])

    # Numbers halfway between two float16s, and just beside.
    x = np.concatenate([1 + np.arange(40) * 2.0**-12, 1 + 2.0**-11 + np.array([-1, 1]) * 2.0**-40])
    h, out = np.zeros((2, x.size), np.float16)
    truths = np.zeros((4, x.size), bool)
    k[1, x.size](x, h, out, truths)
    np.testing.assert_array_equal(h, x.astype(np.float16))
    np.testing.assert_array_equal(out, h)
    assert truths[0].all() and truths[2].all() and truths[3].all()
    np.testing.assert_array_equal(truths[1], h < 1)


def test_types():
    @cuda.jit
    def k(h, out):
        local = cuda.local.array(2, float16)
        shared = cuda.shared.array(2, np.float16)
        local[1] = h
        shared[0] = h + local[1]
        out[0] = shared[0]  # float16
        out[1] = h + np.float32(0.1)  # float32
        out[2] = h + 0.1  # float64
        out[3] = h + np.int8(1)  # float16
        out[4] = h**2

    out = np.zeros(5)
    h = np.float16(0.1)
    k[1, 1](h, out)
    expected = [h + h, h + np.float32(0.1), np.float64(h) + 0.1, h + np.int8(1), h * h]
    assert out.tolist() == [float(x) for x in expected]

    @cuda.jit("void(float16[::1], float16)")
    def declared(a, x):
        a[0] = x

    a = np.zeros(1, np.float16)
    declared[1, 1](a, 0.1)
    assert a[0] == np.float16(0.1)


def test_records_and_device_arrays():
    d = cuda.to_device(np.zeros(3, [("flag", "i1"), ("h", "f2")]))

    @cuda.jit
    def k(a):
        i = cuda.grid(1)
        a[i].h = i / 3

    k[1, 3](d)
    expected = (np.arange(3) / 3).astype(np.float16)
    np.testing.assert_array_equal(d.copy_to_host()["h"], expected)


def test_functions_of_small_integers_are_float32():
    assert njit(lambda x: np.sin(x))(np.ones(2, np.int8)).dtype == np.float32
