"""pycuda.scan: running sums, products, largest and smallest elements."""

from __future__ import annotations

import numpy as np

from numjit.cupy.scans import accumulate

from .gpuarray import _wrap

_UFUNCS = {"a+b": np.add, "b+a": np.add, "a*b": np.multiply, "b*a": np.multiply,
           "max(a,b)": np.maximum, "min(a,b)": np.minimum}  # fmt: skip


class InclusiveScanKernel:
    """A scan by an expression of a and b."""

    def __init__(self, dtype, scan_expr, neutral=None, name_prefix="scan", options=(), preamble="",
                 devices=None):  # fmt: skip
        self.dtype, self.neutral = np.dtype(dtype), neutral
        self._function = _UFUNCS.get(scan_expr.replace(" ", ""))
        if self._function is None:
            raise NotImplementedError(
                f"scans are there for {', '.join(_UFUNCS)}, not for {scan_expr!r}"
            )

    def __call__(self, input_ary, output_ary=None, allocator=None, queue=None, stream=None):
        """The scan, in place without output_ary."""
        found = self._scanned(input_ary.astype(self.dtype))
        target = input_ary if output_ary is None else output_ary
        target[...] = found
        return target

    def _scanned(self, values):
        return _wrap(accumulate(self._function, values, 0, self.dtype))


class ExclusiveScanKernel(InclusiveScanKernel):
    """A scan of the elements before each."""

    def _scanned(self, values):
        found = super()._scanned(values)
        shifted = found.copy()
        shifted[1:] = found[:-1]
        shifted[:1] = self.dtype.type(self.neutral)
        return shifted
