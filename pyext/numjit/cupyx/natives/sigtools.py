"""scipy.signal's compiled functions over device arrays: sums over windows, and recursions of
filters, of which each line is one thread's."""

from __future__ import annotations

import numpy as np

import numjit.cupy as cp
from numjit.cupy.indexing import launch
from numjit.cupy.kernel_text import cached, type_name

from ..code import on_copies
from . import nd_image
from .windows import CONSTANT, REFLECT, WRAP, back, lines_first, run


def _sum_over_window(a, weights, out, shift, mode=CONSTANT, fill=0):
    """out[i] = sum of a[i + k - shift] * weights[k]."""
    name = type_name(out.dtype)
    weights = weights.astype(out.dtype)
    moving = tuple(range(a.ndim))
    offsets = np.stack(np.unravel_index(np.arange(weights.size), weights.shape), axis=-1)
    total = f"total = {name}(0)" if out.dtype.kind != "b" else "total = False"
    add = (
        "total + value * weights[k]" if out.dtype.kind != "b" else "total or (value and weights[k])"
    )
    run(a, out, offsets.reshape(-1, a.ndim) - np.array(shift), weights.ravel(), moving, mode,
        out.dtype.type(fill), total, f"total = {name}({add})", "", "{type}(total)",
        value=f"{name}({{0}})")  # fmt: skip


def _start(mode, size):
    """Where a result begins in the whole one: 0 valid, 1 same, 2 full."""
    return {0: size - 1, 1: (size - 1) // 2, 2: 0}[mode]


def _correlateND(a, kernel, out, mode):
    dtype = np.result_type(a.dtype, kernel.dtype)
    if dtype == np.float16:
        raise ValueError("Unsupported type")
    if out.dtype != dtype:  # SciPy gives an array like the first input
        out = cp.empty(out.shape, dtype)
    shift = [n - 1 - _start(mode, n) for n in kernel.shape]
    _sum_over_window(a.astype(dtype, copy=False), kernel.astype(dtype).conj(), out, shift)
    return out


def _convolve2d(in1, in2, flip, mode, boundary, fillvalue):
    if mode == 0 and any(n < k for n, k in zip(in1.shape, in2.shape)):
        in1, in2 = in2, in1
    weights = in2[::-1, ::-1] if flip else in2
    extra = {0: -1, 1: 0, 2: 1}[mode]
    dtype = np.result_type(in1.dtype, in2.dtype)
    if dtype.char in "e?":
        raise ValueError("convolve2d not available for this type.")
    if extra:
        shape = tuple(n + extra * (k - 1) for n, k in zip(in1.shape, in2.shape))
    else:
        shape = in1.shape
    out = cp.zeros(shape, dtype)
    edges = {0: CONSTANT, 1: REFLECT, 2: WRAP}[boundary >> 2 if boundary > 2 else boundary]
    centre = {0: lambda k: 0, 1: lambda k: k // 2 if flip else (k - 1) // 2, 2: lambda k: k - 1}
    shift = [centre[mode](k) for k in in2.shape]
    fill = cp.asnumpy(fillvalue).ravel()[0]
    _sum_over_window(in1.astype(dtype), weights, out, shift, edges, fill)
    return out


def _medfilt2d(data, size):
    rows, columns = (int(each) for each in cp.asnumpy(size).tolist())
    out = cp.empty_like(data)
    footprint = np.ones((rows, columns), bool)
    nd_image.rank_filter(data, rows * columns // 2, footprint, out, CONSTANT, 0, [0, 0])
    return out


_FILTER = """\
def kernel(b, a, x, y, z):
    i = cuda.grid(1)
    step = cuda.gridsize(1)
    order = z.shape[1]
    while i < x.shape[0]:
        for n in range(x.shape[1]):
            value = x[i, n]
            if order:
                result = {type}(z[i, 0] + b[0] * value)
                for k in range(order - 1):
                    z[i, k] = {type}(z[i, k + 1] + b[k + 1] * value - a[k + 1] * result)
                z[i, order - 1] = {type}(b[order] * value - a[order] * result)
            else:
                result = {type}(b[0] * value)
            y[i, n] = result
        i += step
"""


def _linear_filter(b, a, x, axis=-1, zi=None):
    given = [b, a, x] if zi is None else [b, a, x, zi]
    dtype = np.result_type(*(each.dtype for each in given))
    if dtype.char not in "fdFD":
        dtype = np.result_type(dtype, np.float64)
    b, a = (np.asarray(cp.asnumpy(each), dtype) for each in (b, a))
    if not a.size or a[0] == 0:
        raise ValueError("a[0] must be nonzero")
    count = max(len(a), len(b))
    b, a = (np.pad(each, (0, count - len(each))) / a[0] for each in (b, a))
    lines, shape = lines_first(x.astype(dtype, copy=False), axis)
    if zi is None:
        state = cp.zeros((lines.shape[0], count - 1), dtype)
    else:
        moved, state_shape = lines_first(zi.astype(dtype, copy=False), axis)
        state = cp.array(moved)
    out = cp.empty(lines.shape, dtype)
    if out.size:
        kernel = cached(_FILTER.format(type=type_name(dtype)))
        launch(kernel, lines.shape[0], cp.array(b)._force(), cp.array(a)._force(),
               lines._force(), out._for_writing(), state._for_writing())  # fmt: skip
    out = back(out, shape, axis)
    return out if zi is None else (out, back(state, state_shape, axis))


_SECTIONS = """\
def kernel(sos, x, zi):
    i = cuda.grid(1)
    step = cuda.gridsize(1)
    while i < x.shape[0]:
        for n in range(x.shape[1]):
            value = x[i, n]
            for s in range(sos.shape[0]):
                result = {type}(sos[s, 0] * value + zi[i, s, 0])
                zi[i, s, 0] = {type}(sos[s, 1] * value - sos[s, 4] * result + zi[i, s, 1])
                zi[i, s, 1] = {type}(sos[s, 2] * value - sos[s, 5] * result)
                value = result
            x[i, n] = value
        i += step
"""


def _sosfilt(sos, x, zi):
    if x.size:
        kernel = cached(_SECTIONS.format(type=type_name(x.dtype)))
        launch(kernel, x.shape[0], cp.asarray(sos, dtype=x.dtype)._force(), x._for_writing(),
               zi._for_writing())  # fmt: skip


_PHASES = """\
def kernel(x, h, out, up, down, taps):
    i = cuda.grid(1)
    step = cuda.gridsize(1)
    while i < out.size:
        line = i // out.shape[1]
        y = i % out.shape[1]
        phase = (y * down) % up
        last = (y * down) // up
        total = {type}(0)
        for k in range(taps):
            at = last - taps + 1 + k
            if at >= 0 and at < x.shape[1]:
                total = {type}(total + x[line, at] * h[phase * taps + k])
        out[line, y] = total
        i += step
"""


def _apply(x, h, out, up, down, axis, mode, cval):
    from scipy.signal import _upfirdn_apply

    if mode != _upfirdn_apply.mode_enum("constant") or cval:
        on_copies(_upfirdn_apply._apply)(x, h, out, up, down, axis, mode, cval)
        return
    lines, _ = lines_first(x, axis)
    found, shape = lines_first(cp.empty_like(out), axis)
    if found.size:
        kernel = cached(_PHASES.format(type=type_name(out.dtype)))
        found = cp.empty(found.shape, out.dtype)
        launch(kernel, found.size, lines._force(), h._force(), found._for_writing(), int(up),
               int(down), h.size // int(up))  # fmt: skip
        out[...] = back(found, shape, axis)
