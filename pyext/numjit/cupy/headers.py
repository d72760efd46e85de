"""Headers that programs and generated kernels include, which the compiler gets from memory."""

from __future__ import annotations

import re

_COMPLEX = """\
#pragma once
#include <cuda/std/complex>
using cuda::std::complex;
using cuda::std::arg;
using cuda::std::conj;
using cuda::std::imag;
using cuda::std::norm;
using cuda::std::polar;
using cuda::std::real;
"""

# The view of an array that a kernel has: elements by one number, in C's order, or by a number for
# each axis.
_ARRAY = """\
#pragma once
typedef long long _numjit_index;

template <typename T, int N, bool Contiguous> struct _numjit_array {
  T *data;
  _numjit_index size_;
  _numjit_index shape_[N > 0 ? N : 1];
  _numjit_index strides_[N > 0 ? N : 1];

  static const int ndim = N;
  typedef T type;
  __device__ _numjit_index size() const { return size_; }
  __device__ const _numjit_index *shape() const { return shape_; }
  __device__ const _numjit_index *strides() const { return strides_; }
  __device__ T &operator[](_numjit_index i) const {
    if (Contiguous)
      return data[i];
    char *place = (char *)data;
#pragma unroll
    for (int axis = N - 1; axis > 0; --axis) {
      place += strides_[axis] * (i % shape_[axis]);
      i /= shape_[axis];
    }
    if (N > 0)
      place += strides_[0] * i;
    return *reinterpret_cast<T *>(place);
  }
  template <typename I> __device__ T &operator[](const I *index) const {
    char *place = (char *)data;
#pragma unroll
    for (int axis = 0; axis < N; ++axis)
      place += strides_[axis] * index[axis];
    return *reinterpret_cast<T *>(place);
  }
};

struct _numjit_range {
  _numjit_index size_;
  __device__ _numjit_index size() const { return size_; }
};
"""

_INTEGERS = """\
#pragma once
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
"""

# What texts of callbacks of cuFFT name. The older kind has offsets of another type.
_FFT = """\
#pragma once
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
#define NUMJIT_CALLBACKS(kind, offset, letter, type) \\
  typedef type (*cufft##kind##Load##letter)(void *, offset, void *, void *); \\
  typedef void (*cufft##kind##Store##letter)(void *, offset, type, void *, void *);
#define NUMJIT_CALLBACKS_OF(kind, offset) \\
  NUMJIT_CALLBACKS(kind, offset, C, cufftComplex) \\
  NUMJIT_CALLBACKS(kind, offset, Z, cufftDoubleComplex) \\
  NUMJIT_CALLBACKS(kind, offset, R, cufftReal) \\
  NUMJIT_CALLBACKS(kind, offset, D, cufftDoubleReal)
NUMJIT_CALLBACKS_OF(Callback, size_t)
NUMJIT_CALLBACKS_OF(JITCallback, unsigned long long)
#undef NUMJIT_CALLBACKS_OF
#undef NUMJIT_CALLBACKS
"""

# cuComplex.h with complex numbers that have operators: what translate_cucomplex asks for.
_CUCOMPLEX = """\
#pragma once
extern "C++" {
#include "cupy/complex.cuh"
typedef complex<float> cuFloatComplex;
typedef complex<float> cuComplex;
typedef complex<double> cuDoubleComplex;
#define NUMJIT_COMPLEX(suffix) \\
  template <typename T> T cuCreal##suffix(complex<T> x) { return x.real(); } \\
  template <typename T> T cuCimag##suffix(complex<T> x) { return x.imag(); } \\
  template <typename T> T cuCabs##suffix(complex<T> x) { return abs(x); } \\
  template <typename T> complex<T> cuConj##suffix(complex<T> x) { return conj(x); } \\
  NUMJIT_COMPLEX_2(cuCadd##suffix, x + y) \\
  NUMJIT_COMPLEX_2(cuCsub##suffix, x - y) \\
  NUMJIT_COMPLEX_2(cuCmul##suffix, x *y) \\
  NUMJIT_COMPLEX_2(cuCdiv##suffix, x / y) \\
  template <typename T> complex<T> cuCfma##suffix(complex<T> x, complex<T> y, complex<T> z) { \\
    return x * y + z; \\
  }
#define NUMJIT_COMPLEX_2(name, value) \\
  template <typename T> complex<T> name(complex<T> x, complex<T> y) { return value; }
NUMJIT_COMPLEX()
NUMJIT_COMPLEX(f)
#undef NUMJIT_COMPLEX
#undef NUMJIT_COMPLEX_2
inline cuFloatComplex make_cuFloatComplex(float x, float y) { return cuFloatComplex(x, y); }
inline cuComplex make_cuComplex(float x, float y) { return cuComplex(x, y); }
inline cuDoubleComplex make_cuDoubleComplex(double x, double y) { return cuDoubleComplex(x, y); }
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) {
  return cuFloatComplex((float)x.real(), (float)x.imag());
}
inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) {
  return cuDoubleComplex(x.real(), x.imag());
}
}
"""

#: Headers of C++'s library that the toolkit has for the device, in another namespace.
_STANDARD = (
    "array bit cassert cfloat climits complex concepts cstddef functional initializer_list "
    "iterator limits numeric optional ratio span tuple type_traits utility variant"
).split()

#: Headers of the host whose functions the compiler knows without them.
_EMPTY = (
    "stdio.h stdlib.h math.h string.h cuda.h cuda_runtime.h cuda_runtime_api.h "
    "cstdio cstdlib cmath cstring"
).split()

HEADERS = {
    **dict.fromkeys(_EMPTY, "#pragma once\n"),
    "stdint.h": _INTEGERS,
    "cstdint": _INTEGERS,
    **{
        name: f'#pragma once\nextern "C++" {{\n#include <cuda/std/{name}>\n'
        "namespace cuda { namespace std {} }\nnamespace std { using namespace cuda::std; }\n}\n"
        for name in _STANDARD
    },
    "cupy/complex.cuh": _COMPLEX,
    "cupy/cucomplex.cuh": _CUCOMPLEX,
    "cupy/float16.cuh": "#pragma once\n#include <cuda_fp16.h>\ntypedef __half float16;\n",
    "cufft.h": _FFT,
    "cufftXt.h": '#pragma once\n#include "cufft.h"\n',
    "numjit/array.cuh": _ARRAY,
    "pycuda-complex.hpp": (
        '#pragma once\nextern "C++" {\n#include "cupy/complex.cuh"\n'
        "namespace pycuda { using cuda::std::complex; }\n}\n"
    ),
}


def with_operators(source):
    """A program whose complex numbers of cuComplex.h have operators."""
    return re.sub(r'(#\s*include\s*)[<"]cuComplex\.h[>"]', r"\1<cupy/cucomplex.cuh>", source)
