"""Sums over windows of sequences."""

from __future__ import annotations

import numpy as np

from .creation import empty
from .indexing import launch
from .kernel_text import cached, type_name

_CORRELATE = """\
def kernel(a, v, out, first):
    i = cuda.grid(1)
    step = cuda.gridsize(1)
    while i < out.size:
        total = {type}(0)
        begin = i + first
        for j in range(max(0, -begin), min(v.size, a.size - begin)):
            total = {type}(total + a[begin + j] * {conjugate})
        out[i] = total
        i += step
"""


def correlate(a, v, mode):
    """np.correlate."""
    if a.ndim != 1 or v.ndim != 1:
        raise ValueError("object too deep for desired array")
    if not a.size or not v.size:
        raise ValueError("first array argument cannot be empty" if not a.size else
                         "second array argument cannot be empty")  # fmt: skip
    if v.size > a.size:
        return correlate(v, a, mode)[::-1].conj()
    dtype = np.result_type(a.dtype, v.dtype)
    n, m = a.size, v.size
    sizes = {"valid": (n - m + 1, 0), "same": (n, -(m // 2)), "full": (n + m - 1, 1 - m)}
    if mode not in sizes:
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")
    size, first = sizes[mode]
    inside = np.dtype("f4") if dtype == "f2" else dtype
    conjugate = "np.conj(v[j])" if dtype.kind == "c" else "v[j]"
    kernel = cached(_CORRELATE.format(type=type_name(inside), conjugate=conjugate))
    out = empty((size,), dtype)
    a, v = a.astype(dtype, copy=False), v.astype(dtype, copy=False)
    launch(kernel, size, a._force(), v._force(), out._force(), first)
    return out
