"""pycuda.reduction: ReductionKernel."""

from __future__ import annotations

import numpy as np

from numjit.cupy.elementwise import _marked
from numjit.cupy.text_arguments import Arguments
from numjit.cupy.text_compiler import compiled
from numjit.cupy.text_kernels import LoadedModule, check_device

from .cparse import added, c_type, head, parsed
from .gpuarray import GPUArray

_THREADS, _BLOCKS = 256, 512

_TEXT = """\
{head}
{preamble}
typedef {out} _out;
#define _combine(a, b) ({reduce})
__device__ void _reduce(_out _mine, _out *_results) {{
  __shared__ __align__(16) char _memory[sizeof(_out) * {threads}];
  _out *_shared = reinterpret_cast<_out *>(_memory);
  _shared[threadIdx.x] = _mine;
  __syncthreads();
  for (int _half = {threads} / 2; _half > 0; _half /= 2) {{
    if (threadIdx.x < _half) {{
      _out a = _shared[threadIdx.x], b = _shared[threadIdx.x + _half];
      _shared[threadIdx.x] = _combine(a, b);
    }}
    __syncthreads();
  }}
  if (threadIdx.x == 0)
    _results[blockIdx.x] = _shared[0];
}}
extern "C" __global__ void numjit_{name}({declared}, long long n, _out *_results) {{
  _out a = {neutral};
  for (long long i = blockIdx.x * (long long){threads} + threadIdx.x; i < n;
       i += (long long)gridDim.x * {threads}) {{
    _out b = {map};
    a = _combine(a, b);
  }}
  _reduce(a, _results);
}}
extern "C" __global__ void numjit_{name}_parts(_out *_values, long long n, _out *_results) {{
  _out a = {neutral};
  for (long long i = threadIdx.x; i < n; i += {threads}) {{
    _out b = _values[i];
    a = _combine(a, b);
  }}
  _reduce(a, _results);
}}
"""


class ReductionKernel:
    """Expressions of C that map elements and combine two, a and b."""

    def __init__(
        self, dtype_out, neutral, reduce_expr, map_expr=None, arguments=None, name="reduce_kernel",
        keep=False, options=(), preamble="", allocator=None,
    ):  # fmt: skip
        self.dtype_out, self.options, self.name = np.dtype(dtype_out), tuple(options or ()), name
        self.arguments = parsed(arguments or f"{c_type(dtype_out)} *in")
        declared = ", ".join(map(str, self.arguments))
        self.text = _TEXT.format(
            head=head(declared + preamble), out=c_type(dtype_out), declared=declared, name=name,
            preamble=_marked(preamble, "preamble"), reduce=reduce_expr, neutral=neutral,
            map=map_expr or "in[i]", threads=_THREADS,
        )  # fmt: skip
        self._functions = None

    def __call__(self, *args, stream=None, allocator=None, out=None, **ignored):
        check_device()
        if self._functions is None:
            module = LoadedModule(compiled(self.text, (*self.options, "-w"))[0])
            self._functions = (
                module.function(f"numjit_{self.name}"),
                module.function(f"numjit_{self.name}_parts"),
            )
        size = next(v.size for each, v in zip(self.arguments, args) if each.is_vector)
        blocks = max(1, min(_BLOCKS, -(-size // _THREADS)))
        parts = GPUArray((blocks,), self.dtype_out)
        result = GPUArray((), self.dtype_out) if out is None else out
        arguments = Arguments()
        added(arguments, self.arguments, args)
        arguments.add(size)
        arguments.add(parts)
        self._functions[0].launch((blocks,), (_THREADS,), arguments, 0, stream)
        arguments = Arguments()
        arguments.add(parts)
        arguments.add(blocks)
        arguments.add(result)
        self._functions[1].launch((1,), (_THREADS,), arguments, 0, stream)
        return result
