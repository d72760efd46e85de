"""scipy.ndimage's generic filters of functions that are C++.

A RawKernel is a function that one thread calls for one element, or for one line:

    void function(double *buffer, int filter_size, double *return_value)
    void function(double *input_line, ptrdiff_t input_length,
                  double *output_line, ptrdiff_t output_length)

A ReductionKernel of one input and one output reduces the neighbours of each element.
"""

from __future__ import annotations

import functools
import math

import numpy as np

import numjit.cupy as cp
from numjit.cupy.text_arguments import c_name

_CALLS = """
extern "C" __global__ void numjit_calls(const double *buffer, long long size, double *out,
                                        long long length, long long count) {{
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  for (; i < count; i += (long long)gridDim.x * blockDim.x)
    {name}({buffer} + i * size, size, out + i * length{length});
}}
"""

_REDUCTION = """
{preamble}
struct _numjit_size {{ long long n; __device__ long long size() const {{ return n; }} }};
__device__ void numjit_reduced(const double *_raw_{x}, int _filter_size, double *_out) {{
  {letters}
  typedef {reduce_type} _type_reduce;
  const _numjit_size _in_ind = {{_filter_size}};
  bool _any = {has_identity};
  _type_reduce _s{start};
  for (int i = 0; i < _filter_size; ++i) {{
    const {in_type} {x} = _raw_{x}[i];
    const _type_reduce _value = {map};
    if (_any) {{ const _type_reduce a = _s, b = _value; _s = {reduce}; }} else {{ _s = _value; }}
    _any = true;
  }}
  const _type_reduce a = _s;
  {out_type} {y};
  {post};
  _out[0] = {y};
}}
"""

_THREADS = 128


def takes(function):
    """Whether a function is C++."""
    return isinstance(function, cp.RawKernel | cp.ReductionKernel)


def _of_reduction(kernel):
    """The text of a function that reduces as a ReductionKernel does."""
    if kernel.nin != 1 or kernel.nout != 1:
        raise TypeError("the ReductionKernel of a filter has one input and one output")
    names, letters = [], []
    for parameter in kernel.params:
        if parameter.dtype is None:
            names.append(parameter.letter)
            letters.append(f"typedef double {parameter.letter};")
        else:
            names.append(c_name(parameter.dtype))
    reduce_type = kernel.reduce_type or names[1]
    try:
        reduce_type = c_name(np.dtype(reduce_type))
    except TypeError:
        pass  # a name of C++
    identity = kernel.identity
    return _REDUCTION.format(
        preamble=kernel.preamble, x=kernel.in_params[0].name, y=kernel.out_params[0].name,
        letters=" ".join(dict.fromkeys(letters)), reduce_type=reduce_type,
        has_identity="false" if identity is None else "true",
        start="" if identity is None else f" = _type_reduce({identity})",
        in_type=names[0], out_type=names[1], map=kernel.map_expr, reduce=kernel.reduce_expr,
        post=kernel.post_map_expr,
    )  # fmt: skip


@functools.lru_cache(256)
def _compiled(function, with_length):
    """The kernel whose threads call a function."""
    if isinstance(function, cp.ReductionKernel):
        code, name = _of_reduction(function), "numjit_reduced"
    else:
        code, name = function.code, function.name
        if not isinstance(code, str):
            raise TypeError("the kernel of a filter needs its text")
        code = code.replace("__global__", "__device__")
    calls = _CALLS.format(
        name=name, buffer="(double *)buffer", length=", length" if with_length else ""
    )
    return cp.RawKernel(code + calls, "numjit_calls", function.options)


def call(function, buffer, length=None):
    """The results for each row of a buffer, `length` of each."""
    buffer = cp.ascontiguousarray(buffer)
    count, size = math.prod(buffer.shape[:-1]), buffer.shape[-1]
    out = cp.empty((count, 1 if length is None else length))
    if out.size:
        blocks = min((count + _THREADS - 1) // _THREADS, 65536)
        given = buffer, np.int64(size), out, np.int64(out.shape[1]), np.int64(count)
        _compiled(function, length is not None)((blocks,), (_THREADS,), given)
    return out


def extended(lines, before, after, mode, cval):
    """Lines with elements before and after them, by a mode of scipy.ndimage."""
    n = lines.shape[-1]
    at = np.arange(-before, n + after)
    inside = (at >= 0) & (at < n)
    if mode == 0:
        at = at.clip(0, n - 1)
    elif mode == 1:
        at = at % n
    elif mode == 2:
        at = at % (2 * n)
        at = np.minimum(at, 2 * n - 1 - at)
    elif mode == 3:
        at = at % max(2 * n - 2, 1)
        at = np.minimum(at, max(2 * n - 2, 0) - at)
    else:
        at = at.clip(0, n - 1)
    found = lines[..., cp.asarray(at)]
    return cp.where(cp.asarray(inside), found, cval) if mode == 4 else found
