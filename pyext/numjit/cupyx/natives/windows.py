"""Kernels over the neighbours of each element, with scipy.ndimage's modes beyond the edges."""

from __future__ import annotations

import math

import numpy as np

import numjit.cupy as cp
from numjit.cupy.indexing import launch
from numjit.cupy.kernel_text import cached, type_name, unravel

NEAREST, WRAP, REFLECT, MIRROR, CONSTANT = range(5)

#: Lines that bring an index `p` into an axis of `n` elements, for each mode.
_INSIDE = {
    NEAREST: "p = min(max(p, 0), n - 1)",
    WRAP: "p = p % n",
    REFLECT: "p = p % (2 * n)\nif p >= n:\n    p = 2 * n - 1 - p",
    MIRROR: "if n == 1:\n    p = 0\nelse:\n    p = p % (2 * n - 2)\n"
            "    if p >= n:\n        p = 2 * n - 2 - p",
    CONSTANT: "if p < 0 or p >= n:\n    inside = False\n    p = 0",
}  # fmt: skip

_KERNEL = """\
def kernel(a, offsets, weights, out, cval):
    i = cuda.grid(1)
    step = cuda.gridsize(1)
{local}
    while i < out.size:
{unraveled}
{begin}
        for k in range(offsets.shape[0]):
            inside = True
{moves}
            value = {load}
            if not inside:
                value = cval
{each}
{end}
        out[{index}] = {result}
        i += step
"""


def indented(text, by):
    return "\n".join(" " * by + line for line in text.split("\n"))


def offsets_of(footprint, origins, moving):
    """Offsets of the neighbours that a footprint has, along the axes that it extends over."""
    shape = footprint.shape
    if not footprint.size:
        return np.zeros((0, len(moving)), np.int64)
    places = np.stack(np.nonzero(footprint), axis=-1).reshape(-1, len(shape))
    shift = [n // 2 + int(origin) for n, origin in zip(shape, origins)]
    return (places - np.array(shift))[:, moving].astype(np.int64)


def run(a, out, offsets, weights, moving, mode, cval, begin, each, end, result, local="",
        value="np.float64({0})", more=()):  # fmt: skip
    """One kernel: `begin`, then `each` with the value of each neighbour k, then `end`."""
    if not out.size:
        return
    if cp.may_share_memory(a, out):
        a = a.copy()
    moves = []
    at = [f"i{axis}" for axis in range(a.ndim)]
    for number, axis in enumerate(moving):
        text = f"p = i{axis} + offsets[k, {number}]\nn = a.shape[{axis}]\n{_INSIDE[mode]}"
        moves.append(indented(f"{text}\np{axis} = p", 12))
        at[axis] = f"p{axis}"
    text = _KERNEL.format(
        local=indented(local, 4),
        unraveled="\n".join(unravel(a.ndim, "out", " " * 8)),
        begin=indented(begin, 8), moves="\n".join(moves), each=indented(each, 12),
        end=indented(end, 8), load=value.format(f"a[{', '.join(at)}]"),
        index=", ".join(f"i{axis}" for axis in range(a.ndim)),
        result=result.format(type=type_name(out.dtype)),
    )  # fmt: skip
    launch(cached(text), out.size, a._force(), cp.asarray(offsets)._force(),
           cp.asarray(weights)._force(), out._for_writing(), cval, *more)  # fmt: skip


def lines_first(a, axis):
    """The array as lines: (number of lines, length), a view or a copy."""
    moved = cp.moveaxis(a, axis, -1)
    return moved.reshape(math.prod(moved.shape[:-1]), a.shape[axis]), moved.shape


def back(lines, shape, axis):
    """Lines as an array of the shape that `lines_first` gave."""
    return cp.moveaxis(lines.reshape(shape), -1, axis)
