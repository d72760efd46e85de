"""What numba-cuda's documentation says of the language of kernels, one program for each thing.

The docstrings are rows of docs/cuda-guide.md, as in test_guide_host.py.
"""

import cmath
import enum
import math
import operator
import os
import subprocess
import sys

import numjit
import numpy as np
import pytest
from numjit import cuda, float32, float64, guvectorize, vectorize, void


def results(function, *rows, dtype=np.float64):
    """What a function of scalars returns for each row of arguments, in a kernel."""
    device = cuda.jit(device=True)(function)

    if len(rows[0]) == 1:

        @cuda.jit
        def kernel(out, a):
            i = cuda.grid(1)
            if i < out.size:
                out[i] = device(a[i])
    else:

        @cuda.jit
        def kernel(out, a, b):
            i = cuda.grid(1)
            if i < out.size:
                out[i] = device(a[i], b[i])

    out = np.zeros(len(rows), dtype)
    kernel[1, 32](out, *(np.array(column) for column in zip(*rows)))
    return out


# -- language -----------------------------------------------------------------------------------


def test_division_by_zero():
    """Python features: division by zero gives `inf` or `nan`, and raises with `debug=True`"""

    def body(out, x):
        out[0] = 1 / x
        out[1] = x / x

    out = np.zeros(2)
    cuda.jit(body)[1, 1](out, 0.0)
    assert out[0] == np.inf and np.isnan(out[1])
    with pytest.raises(ZeroDivisionError):
        cuda.jit(body, debug=True, opt=False)[1, 1](out, 0.0)
        cuda.synchronize()


def test_raise_and_assert():
    """Python features: `raise` and `assert`, with an effect if `debug=True`"""

    # pytest rewrites assertions that it sees.
    text = """def body(x):
        assert x[0] > 0
        if x[0] > 5:
            raise ValueError("too large")"""
    exec(text, names := {})
    for value, error in ((-1.0, AssertionError), (9.0, ValueError), (1.0, None)):
        kernel = cuda.jit(names["body"], debug=True, opt=False)
        if error is None:
            kernel[1, 1](np.full(1, value))
        else:
            with pytest.raises(error):
                kernel[1, 1](np.full(1, value))
                cuda.synchronize()


def test_print():
    """Python features: `print` of strings, integers and floats, up to 32 arguments"""
    from numjit.cuda.testing import captured_cuda_stdout

    @cuda.jit
    def kernel(x):
        print("value", x[0], 1.5, True, -3)
        print(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20)

    with captured_cuda_stdout() as text:
        kernel[1, 1](np.arange(1))
        cuda.synchronize()
    first, second = text.getvalue().splitlines()
    assert first.startswith("value 0 1.5") and second == " ".join(map(str, range(1, 21)))


def test_device_functions():
    """Device functions: `@cuda.jit(device=True)`, with signatures, inlined, and `@njit`
    functions"""

    @cuda.jit("float64(float64, float64)", device=True, inline="always")
    def add(a, b):
        return a + b

    @numjit.njit
    def business_logic(x, y, z):
        return 4 * z * (2 * x - (4 * y) / 2 * math.pi)

    @cuda.jit
    def kernel(out, x):
        out[0] = add(x[0], x[1])
        out[1] = business_logic(x[0], x[1], x[2])

    x, out = np.array([1.0, 2.0, 3.0]), np.zeros(2)
    kernel[1, 1](out, x)
    assert out[0] == 3 and np.isclose(out[1], business_logic(*x))


@cuda.jit(device=True)
def is_even(n):
    return n == 0 or is_odd(n - 1)


@cuda.jit(device=True)
def is_odd(n):
    return n != 0 and is_even(n - 1)


def test_recursion():
    """Python features: recursion, of one function and of several"""

    @cuda.jit("int64(int64)", device=True)
    def fib(n):
        if n < 2:
            return n
        return fib(n - 1) + fib(n - 2)

    assert results(lambda n: fib(n), (10,), dtype=np.int64)[0] == 55
    assert results(lambda n: is_even(n), (7,), (4,)).tolist() == [0, 1]


class Shade(enum.Enum):
    DARK = 1
    LIGHT = 2


class Level(enum.IntEnum):
    HIGH = 7


def test_types():
    """Python features: `int`, `float`, `complex`, `bool`, `None`, tuples, `Enum`, `IntEnum`,
    arrays of bytes and strings"""

    @cuda.jit
    def kernel(out, nothing, text, raw):
        z = complex(1, 2) * 1j
        pair = (z.real, True)
        out[0] = pair[0] + pair[1]
        out[1] = nothing is None
        out[2] = Shade.DARK != Shade.LIGHT
        out[3] = Level.HIGH + 1
        out[4] = text.size + raw.size

    out = np.zeros(5)
    kernel[1, 1](out, None, np.array(["ab"]), np.array([b"xy"]))
    assert out.tolist() == [-1, 1, 1, 8, 2]


def test_builtins():
    """Python features: `abs`, `bool`, `complex`, `enumerate`, `float`, `int`, `len`, `min`,
    `max`, `pow`, `range`, `round`, `zip`"""

    @cuda.jit
    def kernel(out, x):
        out[0] = abs(x[0]) + bool(x[0]) + complex(x[0]).real
        for i, value in enumerate(x):
            out[1] += i * value
        out[2] = float(3) + int(2.7) + len(x)
        out[3] = min(x[0], x[1], x[2]) + max(x[0], x[1])
        out[4] = pow(x[1], 2) + round(x[2]) + round(x[2], 1)
        for a, b in zip(x, (1, 2, 3)):
            out[5] += a * b

    out, x = np.zeros(6), np.array([-2.0, 3.0, 1.25])
    kernel[1, 1](out, x)
    assert np.allclose(out, [1, 5.5, 8, 1, 9 + 1 + round(1.25, 1), 7.75], atol=0.11)


MATH = {name: getattr(math, name) for name in (
    "asin acos atan acosh asinh atanh cos sin tan cosh sinh tanh erf erfc exp expm1 fabs gamma "
    "lgamma log log2 log10 log1p sqrt ceil floor isnan isinf isfinite"
).split()}  # fmt: skip
MATH_OF_TWO = "hypot atan2 remainder pow copysign fmod".split()


@pytest.mark.parametrize("name", [*MATH, *MATH_OF_TWO, "frexp", "modf", "ldexp"])
def test_math(name):
    """Python features: all functions of `math` that it lists"""
    function = getattr(math, name)
    if name in MATH_OF_TWO:
        assert np.isclose(
            results(lambda a, b: function(a, b), (2.5, -1.5))[0],
            function(2.5, -1.5) if name != "pow" else 2.5**-1.5,
        )
    elif name == "ldexp":
        assert results(lambda a, b: math.ldexp(a, b), (1.5, 3))[0] == 12
    elif name in ("frexp", "modf"):
        assert results(lambda a: function(a)[0], (2.75,))[0] == function(2.75)[0]
        assert results(lambda a: function(a)[1], (2.75,))[0] == function(2.75)[1]
    else:
        x = 1.25 if name == "acosh" else 0.25
        assert np.isclose(results(lambda a: function(a), (x,))[0], function(x))
        assert np.isclose(
            results(lambda a: function(a), (np.float32(x),))[0], function(x), rtol=1e-5
        )


CMATH = (
    "acos acosh asin asinh atan atanh cos cosh exp isfinite isinf isnan log log10 phase sin sinh "
    "sqrt tan tanh"
).split()


@pytest.mark.parametrize("name", CMATH)
def test_cmath(name):
    """Python features: all functions of `cmath` that it lists, with `polar` and `rect`"""
    function = getattr(cmath, name)
    got = results(lambda z: function(z), (0.5 + 0.25j,), dtype=np.complex128)[0]
    assert np.isclose(got, function(0.5 + 0.25j))


def test_polar():
    """Python features: all functions of `cmath` that it lists, with `polar` and `rect`"""
    r, angle = cmath.polar(1 + 2j)
    assert np.isclose(results(lambda z: cmath.polar(z)[0], (1 + 2j,))[0], r)
    assert np.isclose(results(lambda z: cmath.polar(z)[1], (1 + 2j,))[0], angle)
    assert np.isclose(results(lambda r, a: cmath.rect(r, a), (r, angle), dtype=complex)[0], 1 + 2j)


OPERATORS = (
    "add and_ eq floordiv ge gt iadd iand ifloordiv ilshift imod imul ior ipow irshift isub "
    "itruediv ixor le lshift lt mod mul ne or_ pow rshift sub truediv xor"
).split()


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name):
    """Python features: all functions of `operator` that it lists"""
    function = getattr(operator, name)
    assert results(lambda a, b: function(a, b), (13, 2))[0] == function(13, 2)


@pytest.mark.parametrize("name", ["invert", "neg", "not_", "pos"])
def test_unary_operators(name):
    """Python features: all functions of `operator` that it lists"""
    function = getattr(operator, name)
    assert results(lambda a: function(a), (13,))[0] == function(13)


UFUNCS = (
    "sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arctanh deg2rad radians rad2deg "
    "degrees log log2 log10 logical_not"
).split()
UFUNCS_OF_TWO = (
    "arctan2 hypot greater greater_equal less less_equal not_equal equal logical_and logical_or "
    "logical_xor maximum minimum fmax fmin bitwise_and bitwise_or bitwise_xor left_shift "
    "right_shift"
).split()


@pytest.mark.parametrize("name", [*UFUNCS, *UFUNCS_OF_TWO, "invert", "bitwise_not", "arccosh"])
def test_ufuncs(name):
    """Python features: all universal functions of NumPy that it lists, with the output as an
    argument"""
    function = getattr(np, name)
    whole = name.startswith(("bitwise", "left", "right", "invert"))
    x = np.array([1, 3, 5]) if whole else np.array([0.25, 0.5, 0.75])
    x = x + 1 if name == "arccosh" else x
    if name in UFUNCS_OF_TWO:
        y = np.array([2, 1, 5]) if whole else np.array([0.5, 0.5, 0.25])

        @cuda.jit
        def kernel(x, y, out):
            function(x, y, out)

        wanted = function(x, y)
        out = np.zeros_like(wanted)
        kernel[1, 1](x, y, out)
    else:

        @cuda.jit
        def kernel(x, out):
            function(x, out)

        wanted = function(x)
        out = np.zeros_like(wanted)
        kernel[1, 1](x, out)
    assert np.allclose(out, wanted)


def test_arrays():
    """Python features: `shape`, `strides`, `ndim`, `size`, indexing and slicing of arrays"""

    @cuda.jit
    def kernel(x, out):
        out[0], out[1], out[2], out[3] = x.shape[1], x.strides[0], x.ndim, x.size
        part = x[1:, ::2]
        out[4], out[5], out[6] = part[0, 1], part.shape[1], len(x)

    out = np.zeros(7, np.int64)
    kernel[1, 1](np.arange(12).reshape(3, 4), out)
    assert out.tolist() == [4, 32, 2, 12, 6, 2, 3]


# -- globals ------------------------------------------------------------------------------------

RATE = 0.5
PRICES = np.array([10.0, 25.0, 5.0])


def test_globals():
    """Globals: scalars and arrays of the host are constants of the kernel"""
    global RATE

    @cuda.jit
    def kernel(out):
        i = cuda.grid(1)
        out[i] = PRICES[i] * (1 + RATE)

    out = np.zeros(3)
    kernel[1, 3](out)
    before, RATE = RATE, 0.75
    kernel[1, 3](out)
    RATE = before
    assert out.tolist() == [15, 37.5, 7.5]
    if not cuda.is_simulated():  # which reads arrays in place
        PRICES[:] = 1
        kernel[1, 3](out)
        PRICES[:] = [10, 25, 5]
        assert out.tolist() == [15, 37.5, 7.5]


def test_device_globals():
    """Globals: device arrays are used in place, also those of other libraries"""
    device = cuda.to_device(np.arange(3.0))

    @cuda.jit
    def kernel(out):
        out[cuda.grid(1)] = device[cuda.grid(1)]

    out = np.zeros(3)
    kernel[1, 3](out)
    device.copy_to_device(np.full(3, 7.0))
    kernel[1, 3](out)
    assert (out == 7).all()


# -- foreign functions --------------------------------------------------------------------------

FUNCTIONS = r"""
extern "C" __device__ int mul_f32_f32(float *result, float x, float y) {
  *result = x * y;
  return 0;
}
extern "C" __device__ int sum_reduce(float *result, float *array, int n) {
  *result = 0;
  for (int i = 0; i < n; ++i) *result += array[i];
  return 0;
}
"""


def test_foreign_functions():
    """Foreign functions: `declare_device`, `link=`, `CUSource`, pointers by
    `cffi.FFI().from_buffer`, both conventions"""
    cffi = pytest.importorskip("cffi", reason="the pointers come from it")
    ffi = cffi.FFI()
    source = cuda.CUSource(FUNCTIONS)
    mul = cuda.declare_device("mul_f32_f32", "float32(float32, float32)", link=source)
    signature = "float32(CPointer(float32), int32)"
    sum_reduce = cuda.declare_device("sum_reduce", signature, link=source)

    def kernel(result, array):
        pointer = ffi.from_buffer(array)
        result[0] = sum_reduce(pointer, len(array)) + mul(array[0], array[1])

    ptx, _ = cuda.compile_ptx(kernel, void(float32[::1], float32[::1]))
    assert "mul_f32_f32" in ptx and "sum_reduce" in ptx
    if not cuda.is_simulated():
        result, array = np.zeros(1, np.float32), np.arange(10, dtype=np.float32)
        cuda.jit(kernel)[1, 1](result, array)
        assert result[0] == array.sum()


def test_nested_conventions():
    """Calling conventions: functions of one convention call those of the other"""
    inner = cuda.declare_device("inner", "float64(float64)", abi="c")
    outer = cuda.declare_device("outer", "float64(float64)", abi="numba")

    @cuda.jit(device=True)
    def middle(x):
        return inner(x) + outer(x)

    ptx, _ = cuda.compile(
        lambda x: middle(x), float64(float64), abi="c", abi_info={"abi_name": "f"}
    )
    assert "inner" in ptx and "outer" in ptx and " f(" in ptx


@pytest.mark.parametrize("name", "cos sin tan exp log2 log10 log pow".split())
def test_fast_math(name):
    """Fast math: denormals, division, square roots, `cos`, `sin`, `tan`, `exp`, `log2`, `log10`,
    `log`, `pow` of float32"""
    function = getattr(math, name)
    if name == "pow":
        code = cuda.compile(lambda x, y: x**y, float32(float32, float32), fastmath=True)[0]
    else:
        code = cuda.compile(lambda x: function(x), float32(float32), fastmath=True)[0]
    assert "approx.ftz" in code
    code, _ = cuda.compile(lambda x, y: math.sqrt(x) / y, float32(float32, float32), fastmath=True)
    assert "sqrt.approx.ftz" in code and "div.approx.ftz" in code


# -- random numbers, reductions, ufuncs ---------------------------------------------------------


def test_random_numbers():
    """Random numbers: `create_xoroshiro128p_states`, `init_xoroshiro128p_states`,
    `xoroshiro128p_uniform_*`, `xoroshiro128p_normal_*`"""
    from numjit.cuda import random

    @cuda.jit
    def compute_pi(states, iterations, out):
        i = cuda.grid(1)
        inside = 0
        for _ in range(iterations):
            x = random.xoroshiro128p_uniform_float32(states, i)
            y = random.xoroshiro128p_uniform_float64(states, i)
            if x**2 + y**2 <= 1.0:
                inside += 1
        out[i, 0] = 4.0 * inside / iterations
        out[i, 1] = random.xoroshiro128p_normal_float32(states, i)
        out[i, 2] = random.xoroshiro128p_normal_float64(states, i)

    states = random.create_xoroshiro128p_states(128, seed=1, subsequence_start=0, stream=0)
    random.init_xoroshiro128p_states(states, 2)
    out = np.zeros((128, 3))
    compute_pi[4, 32](states, 200, out)
    assert abs(out[:, 0].mean() - math.pi) < 0.05 and np.abs(out[:, 1:].mean()) < 0.3


def test_reductions():
    """Reductions: `cuda.reduce`, `Reduce`, with lambdas, `size=`, `res=`, `init=`, `stream=`"""

    @cuda.reduce
    def sum_reduce(a, b):
        return a + b

    values = np.arange(1234.0) + 1
    assert sum_reduce(values) == values.sum()
    largest = cuda.Reduce(lambda a, b: max(a, b))
    assert largest(cuda.to_device(values)) == 1234
    result = cuda.device_array(1, np.float64)
    assert sum_reduce(values, size=10, res=result, init=5.0, stream=cuda.stream()) is None
    cuda.synchronize()
    assert result.copy_to_host()[0] == 60


def test_vectorize():
    """Ufuncs: `@vectorize(target="cuda")`, device arrays, `out=`, `stream=`, device functions"""

    @cuda.jit("float32(float32, float32, float32)", device=True, inline="always")
    def device_fn(x, y, z):
        return x**y / z

    @vectorize(["float32(float32, float32, float32)"], target="cuda")
    def ufunc(x, y, z):
        return device_fn(x, y, z)

    x = np.arange(1, 5, dtype=np.float32)
    assert np.allclose(ufunc(x, x, x), x**x / x)
    stream = cuda.stream()
    device, out = cuda.to_device(x, stream), cuda.device_array(4, np.float32)
    assert ufunc(device, device, device, out=out, stream=stream) is out
    stream.synchronize()
    assert np.allclose(out.copy_to_host(), x**x / x)


def test_guvectorize():
    """Ufuncs: `@guvectorize(target="cuda")`"""

    @guvectorize(
        ["void(float32[:,:], float32[:,:], float32[:,:])"], "(m,n),(n,p)->(m,p)", target="cuda"
    )
    def matmul(a, b, c):
        for i in range(c.shape[0]):
            for j in range(c.shape[1]):
                total = 0
                for k in range(a.shape[1]):
                    total += a[i, k] * b[k, j]
                c[i, j] = total

    a = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    b = np.arange(40, dtype=np.float32).reshape(2, 4, 5)
    assert np.allclose(matmul(a, b), a @ b)


# -- simulator, caching -------------------------------------------------------------------------


def test_simulator():
    """Simulator: `NUMBA_ENABLE_CUDASIM=1`: kernels, barriers, atomics, warps, streams, events,
    device lists, cooperative grids"""
    text = """
from numjit import cuda
import numpy as np
@cuda.jit
def kernel(x):
    i = cuda.grid(1)
    cuda.syncthreads()
    cuda.atomic.add(x, 0, 1)
kernel[2, 4](x := np.zeros(1))
assert cuda.is_simulated()
assert cuda.detect() and len(cuda.gpus) == 1
print(x[0])
"""
    variables = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    variables.pop("NUMJIT_CUDA_SIMULATOR", None)
    done = subprocess.run(
        [sys.executable, "-c", text], env=variables, capture_output=True, text=True, check=True
    )
    assert done.stdout.endswith("8.0\n")


def test_cache():
    """Caching: `@cuda.jit(cache=True)`, `stats`"""

    @cuda.jit(cache=True)
    def kernel(x):
        x[0] = 1

    kernel[1, 1](np.zeros(1))
    assert hasattr(kernel.stats, "cache_hits") and hasattr(kernel.stats, "cache_misses")


def test_breakpoints():
    """Debugging: `debug=True, opt=False` for `cuda-gdb`, `lineinfo=True` for profilers,
    `breakpoint()`"""

    def kernel(x):
        breakpoint()
        x[0] = 1

    ptx, _ = cuda.compile_ptx(kernel, (float32[:],), debug=True, opt=False)
    assert ".debug_info" in ptx and "brkpt" in ptx
