"""Kernels that are given as C++. Without a GPU they are compiled, if NVRTC is there."""

import io

import numjit.cupy as cp
import numpy as np
import pytest
from gpuarrays.arrays import check, sample
from numjit import cuda
from numjit.cuda.cudadrv import nvrtc
from numjit.cuda.cudadrv.error import NvrtcSupportError
from numjit.cupy.headers import with_operators
from numjit.cupy.text_compiler import CompileException, compiled


def _has_nvrtc():
    try:
        nvrtc.version()
    except NvrtcSupportError:
        return False
    return True


needs_nvrtc = pytest.mark.skipif(not _has_nvrtc(), reason="NVRTC is not installed")
needs_gpu = pytest.mark.skipif(cuda.is_simulated(), reason="the simulator does not run C++")

SQUARES = cp.ElementwiseKernel(
    "T x, raw T y", "T z", "z = (x - y[n - i - 1]) * (x - y[i])", "squares"
)
NORM = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
ADD = r"""
extern "C" __global__ void add(const float *x, const float *y, float *z, int n, float scale) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n)
    z[i] = scale * (x[i] + y[i]);
}
"""


@needs_nvrtc
@pytest.mark.parametrize("code", ["f4", "f8", "c8", "i4"])
def test_texts_compile(code):
    dtype = np.dtype(code)
    for forms in ([(1, True)] * 3, [(2, False), (3, False), (2, True)]):
        assert compiled(SQUARES.text((dtype,) * 3, tuple(forms), (("T", dtype),)), cc=(9, 0))[0]
    if dtype.kind == "f":
        for of_parts in (False, True):
            text = NORM.text((dtype,) * 2, ((2, False), (1, True)), (("T", dtype),), of_parts)
            assert compiled(text, cc=(9, 0))[0]


@needs_nvrtc
def test_errors_have_the_users_line():
    kernel = cp.ElementwiseKernel("T x", "T y", "T a = x;\ny = nothing(a)", "wrong")
    f4 = np.dtype("f4")
    with pytest.raises(CompileException, match=r"operation\(2\): error.*nothing"):
        compiled(kernel.text((f4, f4), ((1, True),) * 2, (("T", f4),)), cc=(9, 0))


STANDARD = r"""
#include <array>
#include <climits>
#include <complex>
#include <limits>
#include <tuple>
#include <type_traits>
template <typename T> __global__ void use(T *x) {
  static_assert(std::is_floating_point<T>::value, "");
  std::array<T, 2> pair{1, INT_MAX};
  x[0] = std::get<1>(std::make_tuple(pair[0], std::numeric_limits<T>::max()));
  x[1] = (std::complex<T>(1, 2) * std::complex<T>(1, 2)).real() + pair[1];
}
"""
OPERATORS = r"""
#include <cuComplex.h>
extern "C" __global__ void divide(const cuFloatComplex *x, cuDoubleComplex y, cuDoubleComplex *z) {
  int i = threadIdx.x;
  z[i] = cuCdiv(cuComplexFloatToDouble(x[i]), y) * y + cuConj(y) + cuCabs(y);
}
"""


@needs_nvrtc
def test_standard_headers():
    assert compiled(STANDARD, (), ("use<float>",), (9, 0))[1]


@needs_nvrtc
def test_complex_numbers_have_operators_if_asked():
    assert compiled(with_operators(OPERATORS), cc=(9, 0))[0]
    with pytest.raises(CompileException, match="operator"):
        compiled(OPERATORS, cc=(9, 0))


@needs_nvrtc
def test_warnings_are_written_every_time():
    source = 'extern "C" __global__ void f(int *x) { int unused; x[0] = 1; }'
    for _ in range(2):  # the second time it is kept on disk
        said = io.StringIO()
        compiled(source, cc=(9, 0), log_stream=said)
        assert "warning" in said.getvalue() and "unused" in said.getvalue()


@needs_gpu
def test_raw_modules_translate_complex_numbers():
    x = sample("c8", (40,))
    kernel = cp.RawKernel(OPERATORS, "divide", translate_cucomplex=True)
    z = cp.empty(40, complex)
    kernel((1,), (40,), (cp.array(x), 1.5 + 2j, z))
    np.testing.assert_allclose(z.get(), x + (1.5 - 2j) + 2.5, rtol=1e-13)


@needs_gpu
def test_functions_launch_by_size():
    module = cp.cuda.compiler._compile_module_with_cache(ADD)
    x, z = cp.arange(300, dtype="f4"), cp.zeros(300, "f4")
    module.get_function("add").linear_launch(300, (x, x, z, np.int32(300), np.float32(2)))
    assert (z.get() == 4 * np.arange(300)).all()


@needs_gpu
def test_arrays_of_the_host_are_no_arguments():
    kernel = cp.RawKernel(ADD, "add")
    x = cp.zeros(4, "f4")
    with pytest.raises(TypeError, match="copy it to the device"):
        kernel((1,), (4,), (np.ones(4, "f4"), x, x, 4, np.float32(1)))
    kernel((1,), (4,), (x, x, x, np.array([4], np.int32), np.array(1, np.float32)))


@needs_gpu
def test_files_that_are_not_there():
    with pytest.raises(cp.cuda.driver.CUDADriverError, match="FILE_NOT_FOUND"):
        cp.RawModule(path="nowhere.cubin").get_function("f")
    module = cp.RawModule(code=ADD, jitify=True)
    with pytest.raises(cp.cuda.driver.CUDADriverError, match="named symbol not found"):
        module.get_function("another")
    with pytest.raises(cp.cuda.compiler.JitifyException):
        cp.RawModule(code="wrong", jitify=True).get_function("f")


@needs_nvrtc
def test_templates():
    source = "template <typename T> __global__ void fill(T *x) { x[threadIdx.x] = 1; }"
    _, names = compiled(source, (), ("fill<float>", "fill<double>"), (9, 0))
    assert set(names) == {"fill<float>", "fill<double>"}


@pytest.mark.skipif(not cuda.is_simulated(), reason="only the simulator refuses C++")
def test_the_simulator_says_so():
    for launch in (
        lambda: SQUARES(cp.ones(3), cp.ones(3)),
        lambda: NORM(cp.ones(3)),
        lambda: cp.RawKernel(ADD, "add")((1,), (1,), ()),
    ):
        with pytest.raises(RuntimeError, match="need a GPU"):
            launch()


def test_parameters():
    with pytest.raises(TypeError, match="mismatched"):
        cp.ElementwiseKernel("T x, T y", "T z", "z = x")(cp.ones(3), cp.ones(3, "f4"))
    with pytest.raises(TypeError, match="Wrong number"):
        SQUARES(cp.ones(3))
    with pytest.raises(ValueError, match="reserved"):
        cp.ElementwiseKernel("T n", "T z", "z = n")


@needs_gpu
def test_elementwise():
    for code in ("f4", "f8", "i4", "c16"):
        x, y = sample(code, (500,)), sample(code, (500,), seed=1)
        check(SQUARES(cp.array(x), cp.array(y)), (x - y[::-1]) * (x - y))
    x = sample("f4", (30, 40))
    kernel = cp.ElementwiseKernel(
        "T x, T y, float64 s", "T z, int32 k", "z = x * y + s; k = i", "two"
    )
    z, k = kernel(cp.array(x).T, cp.array(x[0, :30]), 2.5)
    check(z, (x.T * x[0, :30] + 2.5).astype("f4"))
    check(k, np.arange(1200, dtype="i4").reshape(40, 30))
    out = cp.zeros(7, "f4")
    found = cp.ElementwiseKernel("", "raw T z", "z[i] = _ind.size() - i", "down")(out, size=7)
    check(out, np.arange(7, 0, -1).astype("f4"))


@needs_gpu
def test_reduction():
    for shape in ((7,), (100, 200), (3, 100000), (100000, 3)):
        x = sample("f8", shape)
        for axis in (None, 0, len(shape) - 1):
            want = np.sqrt((x * x).sum(axis=axis))
            check(NORM(cp.array(x), axis=axis), want, 1e-11)
        check(NORM(cp.array(x), keepdims=True), np.sqrt((x * x).sum(keepdims=True)), 1e-11)
    where = cp.ReductionKernel(
        "T x", "int64 y", "pair(x, _J)", "better(a, b) ? a : b", "y = a.at", "pair(-1e30, -1)",
        "where", reduce_type="pair", preamble="struct pair { double x; long long at; "
        "__device__ pair() {} __device__ pair(double x, long long at) : x(x), at(at) {} };"
        "__device__ bool better(pair a, pair b)"
        "{ return a.x > b.x || (a.x == b.x && a.at < b.at); }",
    )  # fmt: skip
    for axis in (None, 0, 1):
        check(where(cp.array(x), axis=axis), np.argmax(x, axis=axis))
    spread = cp.ReductionKernel(
        "T x", "T low, T high", "my(x, x)", "join(a, b)", "low = a.low; high = a.high", None,
        "spread", reduce_type="my",
        preamble="struct my { double low, high; __device__ my() {}"
        " __device__ my(double l, double h) : low(l), high(h) {} };"
        " __device__ my join(my a, my b) { return my(min(a.low, b.low),"
        " max(a.high, b.high)); }",
    )  # fmt: skip
    x = sample("f8", (4, 1000))
    low, high = spread(cp.array(x), axis=1)
    check(low, x.min(axis=1))
    check(high, x.max(axis=1))


@needs_gpu
def test_raw_kernels():
    x, y = sample("f4", (1000,)), sample("f4", (1000,), seed=1)
    z = cp.zeros(1000, "f4")
    kernel = cp.RawKernel(ADD, "add")
    kernel((4,), (256,), (cp.array(x), cp.array(y), z, np.int32(1000), np.float32(2)))
    check(z, 2 * (x + y))
    device = [cuda.to_device(each) for each in (x, y, np.zeros(1000, "f4"))]
    kernel((4,), (256,), (*device, np.int32(1000), np.float32(3)))
    np.testing.assert_allclose(device[2].copy_to_host(), 3 * (x + y), rtol=1e-6)
    assert kernel.num_regs > 0 and kernel.max_threads_per_block >= 256
    source = """
    __constant__ float factor;
    template <typename T> __global__ void scale(T *x, long long n) {
      extern __shared__ char memory[];
      T *mine = (T *)memory;
      for (long long i = threadIdx.x; i < n; i += blockDim.x) {
        mine[threadIdx.x] = x[i] * T(factor);
        x[i] = mine[threadIdx.x];
      }
    }"""
    module = cp.RawModule(code=source, name_expressions=["scale<double>", "&factor"])
    place = module.get_global("&factor")
    cp.ndarray((1,), "f4", place)[...] = 3
    a = cp.arange(100.0)
    module.get_function("scale<double>")((1,), (32,), (a, 100), shared_mem=32 * 8)
    check(a, 3 * np.arange(100.0))


@needs_gpu
def test_pycuda():
    import numjit.pycuda.autoinit  # noqa: F401
    import numjit.pycuda.driver as drv
    from numjit.pycuda import gpuarray
    from numjit.pycuda.compiler import SourceModule
    from numjit.pycuda.elementwise import ElementwiseKernel
    from numjit.pycuda.reduction import ReductionKernel

    module = SourceModule("""
    #include <stdio.h>
    __constant__ float factor[2];
    __global__ void twice(float *to, const float *from, int n) {
      int i = threadIdx.x + blockIdx.x * blockDim.x;
      if (i < n) to[i] = 2 * from[i];
    }""")
    assert module.get_global("factor")[1] == 8
    twice = module.get_function("twice")
    a, out = sample("f4", (100,)), np.zeros(100, "f4")
    twice(drv.Out(out), drv.In(a), np.int32(100), block=(64, 1, 1), grid=(2, 1))
    assert (out == 2 * a).all()
    with pytest.raises(TypeError):
        twice(drv.Out(out), drv.In(a), 100, block=(64, 1, 1))
    x = gpuarray.to_gpu(a)
    y = gpuarray.empty_like(x)
    twice.prepare("PPi").prepared_call((2, 1), (64, 1, 1), y.gpudata, x.gpudata, 100)
    assert (y.get() == 2 * a).all()
    kernel = ElementwiseKernel("float *z, float *x, float b", "z[i] = x[i] + b * i", "plus")
    kernel(y, x, 3)
    assert (y.get() == a + np.float32(3) * np.arange(100)).all()
    total = ReductionKernel(np.float32, "0", "a+b", "x[i]*y[i]", "float *x, float *y")
    assert abs(total(x, y).get() - (a * y.get()).sum()) < 1e-2 * abs(a * y.get()).sum()
    start, end = drv.Event(), drv.Event()
    start.record()
    twice(y, x, np.int32(100), block=(64, 1, 1), grid=(2, 1))
    end.record().synchronize()
    assert end.time_since(start) > 0 and start.time_till(end) > 0


# -- cuda::std::mdspan -----------------------------------------------------------------------------

SPANS = r"""
#include <cuda/std/mdspan>
template <typename I> __global__ void twice(
    cuda::std::mdspan<double, cuda::std::dextents<I, 2>, cuda::std::layout_stride> in,
    cuda::std::mdspan<double, cuda::std::dextents<I, 2>, cuda::std::layout_right> out) {
  for (I i = 0; i < in.extent(0); ++i)
    for (I j = 0; j < in.extent(1); ++j)
      out(i, j) = 2 * in(i, j);
}"""


@needs_gpu
@pytest.mark.parametrize("dtype, name", [(np.int32, "int"), (np.int64, "long long")])
def test_mdspan(dtype, name):
    kernels = cp.RawModule(
        code=SPANS, options=("--std=c++17",), name_expressions=[f"twice<{name}>"]
    )
    x, out = cp.arange(24.0).reshape(4, 6).T[::2], cp.zeros((3, 4))
    spans = x.mdspan(index_type=dtype), out.mdspan(index_type=dtype)
    kernels.get_function(f"twice<{name}>")((1,), (1,), spans)
    np.testing.assert_array_equal(out.get(), 2 * x.get())


def test_what_mdspan_holds_and_refuses():
    x = cp.arange(24, dtype=np.int16).reshape(4, 6).T[::2]
    assert x.mdspan().numbers == (3, 4, 2, 6) and x.mdspan().form == "Q4q"
    assert x.mdspan(index_type=np.int32).form == "Q4i" and cp.array(1.0).mdspan().form == "Q0q"
    with pytest.raises(RuntimeError, match="1-th dimension has size zero"):
        cp.zeros((2, 0)).mdspan()
    for wrong in (cp.arange(4)[::-1], cp.broadcast_to(cp.ones(1), (4,))):
        with pytest.raises(RuntimeError, match="0-th dimension has non-positive stride"):
            wrong.mdspan()
        assert wrong.mdspan(allow_unsafe=True).numbers[1] == wrong.strides[0] // 8
    with pytest.raises(ValueError, match="int32 or int64"):
        x.mdspan(index_type=np.int16)
