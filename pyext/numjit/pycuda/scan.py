"""pycuda.scan: what an expression of a and b makes of the elements up to each."""

from __future__ import annotations

import numpy as np

from numjit.cupy.creation import ascontiguousarray
from numjit.cupy.elementwise import _marked
from numjit.cupy.scans import accumulate
from numjit.cupy.text_arguments import Arguments
from numjit.cupy.text_compiler import compiled
from numjit.cupy.text_kernels import LoadedModule, check_device

from .cparse import c_type, head
from .gpuarray import GPUArray, _wrap

_UFUNCS = {"a+b": np.add, "b+a": np.add, "a*b": np.multiply, "b*a": np.multiply,
           "max(a,b)": np.maximum, "min(a,b)": np.minimum}  # fmt: skip

_THREADS, _ITEMS = 256, 8

# A block scans a tile: each thread its own elements, then the totals of the threads by doubling
# distances (Hillis and Steele 1986). The totals of the tiles are scanned in the same way, and
# combined with the elements of the tiles behind.
_TEXT = """\
{head}
{preamble}
typedef {kind} _item;
__device__ _item _combine(_item a, _item b) {{ return {expression}; }}
extern "C" __global__ void numjit_tiles(const _item *_values, _item *_results, _item *_totals,
                                        long long n) {{
  __shared__ __align__(16) char _memory[sizeof(_item) * {threads}];
  _item *_shared = reinterpret_cast<_item *>(_memory);
  const long long _first = (blockIdx.x * (long long){threads} + threadIdx.x) * {items};
  const int _count = _first >= n ? 0 : n - _first < {items} ? (int)(n - _first) : {items};
  _item _mine[{items}];
  for (int i = 0; i < _count; ++i)
    _mine[i] = i ? _combine(_mine[i - 1], _values[_first + i]) : _values[_first];
  if (_count)
    _shared[threadIdx.x] = _mine[_count - 1];
  for (int _distance = 1; _distance < {threads}; _distance *= 2) {{
    __syncthreads();
    const bool _takes = _count && threadIdx.x >= _distance;
    _item _sum;
    if (_takes)
      _sum = _combine(_shared[threadIdx.x - _distance], _shared[threadIdx.x]);
    __syncthreads();
    if (_takes)
      _shared[threadIdx.x] = _sum;
  }}
  __syncthreads();
  for (int i = 0; i < _count; ++i)
    _results[_first + i] = threadIdx.x ? _combine(_shared[threadIdx.x - 1], _mine[i]) : _mine[i];
  if (_count && (threadIdx.x == {threads} - 1 || _first + {items} >= n))
    _totals[blockIdx.x] = _shared[threadIdx.x];
}}
extern "C" __global__ void numjit_carry(_item *_results, const _item *_totals, long long n) {{
  const long long _first = (blockIdx.x + 1LL) * ({threads} * {items});
  for (int i = threadIdx.x; i < {threads} * {items} && _first + i < n; i += {threads})
    _results[_first + i] = _combine(_totals[blockIdx.x], _results[_first + i]);
}}
"""


class InclusiveScanKernel:
    """A scan by an expression of a and b, which has to be associative."""

    def __init__(self, dtype, scan_expr, neutral=None, name_prefix="scan", options=(), preamble="",
                 devices=None):  # fmt: skip
        self.dtype, self.neutral, self.options = np.dtype(dtype), neutral, tuple(options or ())
        self._function = None if preamble else _UFUNCS.get(scan_expr.replace(" ", ""))
        self._text = _TEXT.format(
            head=head(c_type(dtype) + preamble), kind=c_type(dtype), expression=scan_expr,
            preamble=_marked(preamble, "preamble"), threads=_THREADS, items=_ITEMS,
        )  # fmt: skip
        self._kernels = None

    def __call__(self, input_ary, output_ary=None, allocator=None, queue=None, stream=None):
        """The scan, in place without output_ary."""
        found = self._scanned(ascontiguousarray(input_ary, self.dtype), stream)
        target = input_ary if output_ary is None else output_ary
        target[...] = found
        return target

    def _scanned(self, values, stream):
        if self._function is not None:
            return _wrap(accumulate(self._function, values, 0, self.dtype))
        check_device()
        if self._kernels is None:
            module = LoadedModule(compiled(self._text, (*self.options, "-w"))[0])
            self._kernels = module.function("numjit_tiles"), module.function("numjit_carry")
        return self._by_tiles(values, stream)

    def _by_tiles(self, values, stream):
        size, tile = values.size, _THREADS * _ITEMS
        tiles = -(-size // tile)
        results, totals = (GPUArray((n,), self.dtype) for n in (size, tiles))
        if size:
            self._launch(0, tiles, stream, values, results, totals, size)
        if tiles > 1:
            totals = self._by_tiles(totals, stream)
            self._launch(1, tiles - 1, stream, results, totals, size)
        return results

    def _launch(self, number, blocks, stream, *values):
        arguments = Arguments()
        for each in values:
            arguments.add(each)
        self._kernels[number].launch((blocks,), (_THREADS,), arguments, 0, stream)


class ExclusiveScanKernel(InclusiveScanKernel):
    """A scan of the elements before each; the first is `neutral`."""

    def _scanned(self, values, stream):
        found = super()._scanned(values, stream)
        shifted = found.copy()
        shifted[1:] = found[:-1]
        shifted[:1] = self.dtype.type(self.neutral)
        return shifted
