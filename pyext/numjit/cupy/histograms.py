"""Counts: bincount and histogram."""

from __future__ import annotations

import functools

import numpy as np

from .creation import array, asarray, zeros
from .indexing import launch
from .joining import stack
from .kernel_text import cached, type_name
from .reduction_text import Reduction
from .reductions import make_reduced
from .sorting import searchsorted

_COUNT = """\
def kernel(x, out):
    i = cuda.grid(1)
    step = cuda.gridsize(1)
    while i < x.size:
        cuda.atomic.add(out, x[i], 1)
        i += step
"""
# Blocks count in memory of their own first: many elements are of few bins.
_MOST_SHARED = 4096
_COUNT_SHARED = """\
def kernel(x, out):
    own = cuda.shared.array({size}, np.int32)
    bins = out.size
    for j in range(cuda.threadIdx.x, bins, cuda.blockDim.x):
        own[j] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    step = cuda.gridsize(1)
    while i < x.size:
        cuda.atomic.add(own, np.uint64(x[i]), 1)
        i += step
    cuda.syncthreads()
    for j in range(cuda.threadIdx.x, bins, cuda.blockDim.x):
        if own[j] > 0:
            cuda.atomic.add(out, j, np.int64(own[j]))
"""
# Bins of one width are guessed and then corrected by their edges; NaN is in none.
_BINS = """\
def kernel(x, edges, out):
    own = cuda.shared.array({size}, np.int32)
    bins = out.size
    for j in range(cuda.threadIdx.x, bins, cuda.blockDim.x):
        own[j] = 0
    cuda.syncthreads()
    first = {type}(edges[0])
    last = {type}(edges[bins])
    scale = np.float64(bins) / (np.float64(last) - np.float64(first))
    i = cuda.grid(1)
    step = cuda.gridsize(1)
    while i < x.size:
        value = {type}(x[i])
        if value >= first and value <= last:
            at = min(np.int64((np.float64(value) - np.float64(first)) * scale), bins - 1)
            while at > 0 and value < {type}(edges[at]):
                at -= 1
            while at < bins - 1 and value >= {type}(edges[at + 1]):
                at += 1
            cuda.atomic.add(own, at, 1)
        i += step
    cuda.syncthreads()
    for j in range(cuda.threadIdx.x, bins, cuda.blockDim.x):
        if own[j] > 0:
            cuda.atomic.add(out, j, np.int64(own[j]))
"""
_MOST_BLOCKS = 1024
_WEIGH = """\
def kernel(x, weights, out):
    i = cuda.grid(1)
    step = cuda.gridsize(1)
    while i < x.size:
        cuda.atomic.add(out, x[i], weights[i])
        i += step
"""


def bincount(x, weights=None, minlength=None):
    """How often each number occurs, or the sums of weights."""
    x = asarray(x)
    minlength = 0 if minlength is None else minlength
    if x.ndim != 1:
        raise ValueError("object too deep for desired array" if x.ndim else
                         "object of too small depth for desired array")  # fmt: skip
    if x.dtype.kind == "b":
        x = x.astype(np.int64)
    if x.dtype.kind not in "iu":
        raise TypeError(f"Cannot cast array data from {x.dtype!r} to dtype('int64') according to "
                        "the rule 'safe'")  # fmt: skip
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    size = minlength
    if x.size:
        # Negative numbers are the largest without a sign: one look at the device is enough.
        line = x if x._c_contiguous else x.copy()
        high = int(line.view(f"u{x.dtype.itemsize}").max())
        if x.dtype.kind == "i" and high > np.iinfo(x.dtype).max:
            raise ValueError("'list' argument must have no negative elements")
        size = max(size, high + 1)
    if weights is None:
        out = zeros(size, np.int64)
        if x.size:
            _count(x, out)
        return out
    weights = asarray(weights)
    if weights.shape != x.shape:
        raise ValueError("The weights and list don't have the same length.")
    if not x.size:
        return zeros(size, np.int64)  # as NumPy does
    return _weighed(x, weights.astype(np.float64), size)


def _weighed(x, weights, size):
    """The sums of weights, which are floats."""
    out = zeros(size, np.float64)
    launch(cached(_WEIGH), x.size, x._force(), weights._force(), out._for_writing())
    return out


def _count(x, out):
    """Counts numbers, of which each is in the range."""
    if out.size > _MOST_SHARED:
        launch(cached(_COUNT), x.size, x._force(), out._for_writing())
        return
    kernel = cached(_COUNT_SHARED.format(size=_room(out.size)))
    launch(kernel, x.size, x._force(), out._for_writing(), most=_MOST_BLOCKS)


def _room(bins):
    """Extents of shared memory are few, so that kernels are."""
    return 256 if bins <= 256 else 1024 if bins <= 1024 else _MOST_SHARED


@functools.lru_cache(64)
def _extent_of(dtype):
    """The reduction to the least and the largest element, as the parts of a complex number."""
    lines = [f"A0 = {type_name(dtype)}(np.minimum(A0, B0))",
             f"A1 = {type_name(dtype)}(np.maximum(A1, B1))"]  # fmt: skip
    return Reduction(
        [dtype, dtype], None, ["X0", "X0"], lines, "complex(np.float64(A0), np.float64(A1))"
    )


def _extent(x):
    """The least and the largest element, as scalars; read at once where that is exact."""
    number = x.dtype.type
    if x.dtype.itemsize == 8 and x.dtype.kind in "iu":
        return number(x.min().item()), number(x.max().item())
    made = make_reduced(_extent_of(x.dtype), (x._operand(),), (0,), np.dtype(complex))
    both = x._waiting(made).item()
    return number(both.real), number(both.imag)


def _equal_bins(x, bins, range):
    """Counts and edges for a number of bins of one width."""
    if range is None and x.size:
        range = _extent(x)
    edges = np.histogram_bin_edges(np.zeros(0, x.dtype), bins, range)
    on_device, out = array(edges), zeros(edges.size - 1, np.int64)
    if x.size:
        dtype = np.result_type(x.dtype, edges.dtype)
        kernel = cached(_BINS.format(size=_room(out.size), type=type_name(dtype)))
        launch(kernel, x.size, x._force(), on_device._force(), out._for_writing(),
               most=_MOST_BLOCKS)  # fmt: skip
    return out, on_device


def _in_bins(x, edges, weights):
    """Counts, or sums of weights, between edges."""
    at = searchsorted(edges, x, side="right")
    at = at - (x == edges[-1])
    inside = (at > 0) & (at < edges.size)
    given = None if weights is None else weights.ravel()[inside]
    if given is not None and given.dtype.kind == "c" and given.size:
        place = at[inside] - 1
        real, imag = (
            _weighed(place, part.astype(np.float64), edges.size - 1)
            for part in (given.real, given.imag)
        )
        return (real + 1j * imag).astype(given.dtype)
    counts = bincount(at[inside] - 1, given, edges.size - 1)
    if weights is not None and given.dtype != counts.dtype:
        counts = counts.astype(given.dtype)
    return counts


def histogram(x, bins=10, range=None, weights=None, density=None):
    """Counts of values between edges."""
    x = asarray(x)
    shape, x = x.shape, x.ravel()
    if x.dtype.kind == "b":
        x = x.astype(np.uint8)
    if weights is not None:
        weights = asarray(weights)
        if weights.shape != shape:
            raise ValueError("weights should have the same shape as a.")
    if isinstance(bins, str):
        raise NotImplementedError("numbers of bins by name are not there")
    counts = None
    if not hasattr(bins, "__len__") and weights is None and _are_few(bins) and x.dtype.kind != "c":
        counts, edges = _equal_bins(x, bins, range)
    elif not hasattr(bins, "__len__"):
        if range is None and x.size:
            range = _extent(x)
        edges = np.histogram_bin_edges(np.zeros(0, x.dtype), bins, range)
        edges = array(edges)
    else:
        edges = asarray(bins)
        if edges.ndim != 1:
            raise ValueError("`bins` must be 1d, when an array")
        if bool((edges[:-1] > edges[1:]).any()):
            raise ValueError("`bins` must increase monotonically, when an array")
    if counts is None:
        counts = _in_bins(x, edges, weights)
    if density:
        return counts / (edges[1:] - edges[:-1]).astype(float) / counts.sum(), edges
    return counts, edges


def _are_few(bins):
    return type(bins) is int and 1 <= bins <= _MOST_SHARED


def _is_number(bins):
    """Whether bins are so many, not edges."""
    return not hasattr(bins, "__len__") or getattr(bins, "ndim", 1) == 0


def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """Counts of points in boxes."""
    points = stack(list(sample), 1) if isinstance(sample, (list, tuple)) else asarray(sample)
    points = points[:, None] if points.ndim == 1 else points
    count = points.shape[1]
    bins = [bins] * count if _is_number(bins) else list(bins)
    if len(bins) != count:
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    if range is not None and len(range) != count:
        raise ValueError("range argument must have one entry per dimension")
    number, inside, edges = 0, True, []
    for axis, each in enumerate(bins):
        x = points[:, axis]
        if _is_number(each):
            given = None if range is None else range[axis]
            if given is None and x.size:
                given = _extent(x)
            nothing = np.zeros((0, 1), x.dtype)
            each = array(np.histogramdd(nothing, [int(each)], [given])[1][0])
        else:
            each = asarray(each)
            if each.ndim != 1 or bool((each[:-1] > each[1:]).any()):
                raise ValueError(f"`bins[{axis}]` must be 1d, and increase monotonically")
        at = searchsorted(each, x, side="right") - (x == each[-1])
        inside = inside & (at > 0) & (at < each.size)
        number = number * (each.size - 1) + (at - 1)
        edges.append(each)
    shape = tuple(each.size - 1 for each in edges)
    given = None if weights is None else asarray(weights)[inside]
    found = bincount(number[inside], given, int(np.prod(shape))).astype(float).reshape(shape)
    if density:
        total = found.sum()
        for axis, each in enumerate(edges):
            width = [1] * count
            width[axis] = -1
            found = found / (each[1:] - each[:-1]).reshape(width)
        found = found / total
    return found, edges


def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """Counts of points of a plane in boxes."""
    if hasattr(bins, "__len__") and len(bins) not in (1, 2):
        bins = [bins, bins]
    found, edges = histogramdd([asarray(x), asarray(y)], bins, range, density, weights)
    return found, edges[0], edges[1]
