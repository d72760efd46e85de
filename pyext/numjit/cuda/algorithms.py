"""Algorithms over arrays on the device: cuda.transform, scan, select, sort, sort_by_key, unique and
histogram, with operators given as Python functions.

A warp takes a segment of consecutive elements, 32 at a time, so loads are those of neighbours and
what a warp knows travels in registers. What segments need of each other is scanned between two
passes. Kernels are compiled once for an operator.
"""

from __future__ import annotations

import functools
import operator as operators

import numpy as np

from numjit.cuda import kernel_names as cuda
from numjit.types import from_dtype

from .api import device_array, to_device
from .cudadrv.devicearray import as_cuda_array, is_cuda_array
from .cudadrv.devices import get_current_device
from .decorators import for_kernels, jit

_THREADS, _WARPS = 128, 4
_SEGMENT = 512  # elements that a warp takes
_RADIX = 256


def _cached(maker):
    """Kernels by the functions that they are made for."""
    return functools.lru_cache(maxsize=256)(maker)


def _segments(n, size=_SEGMENT):
    return (n + size - 1) // size


def _blocks(segments):
    return (segments + _WARPS - 1) // _WARPS


def _new(n, dtype, stream):
    return device_array(n, dtype, stream=stream)


def _on_device(array, stream):
    array = as_cuda_array(array) if is_cuda_array(array) else to_device(array, stream=stream)
    if array.ndim != 1:
        raise TypeError(f"an array of one dimension is wanted, not of {array.ndim}")
    return array


def _result(out, n, dtype, stream):
    if out is None:
        return _new(n, dtype, stream)
    if out.ndim != 1 or out.size != n:
        raise ValueError(f"out has the shape {out.shape}, not ({n},)")
    return out


def _run(kernel, blocks, stream, *args):
    if blocks:
        kernel.launch_quietly((blocks, _THREADS, stream), *args)


# -- transform ------------------------------------------------------------------------------------


@_cached
def _transform_kernel(function, count):
    function = for_kernels(function)
    if count == 1:

        @jit
        def transform(out, a):
            i = cuda.grid(1)
            if i < out.size:
                out[i] = function(a[i])

    elif count == 2:

        @jit
        def transform(out, a, b):
            i = cuda.grid(1)
            if i < out.size:
                out[i] = function(a[i], b[i])

    else:

        @jit
        def transform(out, a, b, c):
            i = cuda.grid(1)
            if i < out.size:
                out[i] = function(a[i], b[i], c[i])

    return transform


def transform(function, *arrays, out=None, stream=0):
    """`function` of the elements of one to three arrays, in `out` or in a new array of the first
    one's type."""
    if not 1 <= len(arrays) <= 3:
        raise TypeError(f"transform takes one to three arrays, not {len(arrays)}")
    arrays = [_on_device(each, stream) for each in arrays]
    n = arrays[0].size
    if any(each.size != n for each in arrays):
        raise ValueError("the arrays have different lengths")
    out = _result(out, n, arrays[0].dtype, stream)
    kernel = _transform_kernel(function, len(arrays))
    _run(kernel, _segments(n, _THREADS), stream, out, *arrays)
    return out


# -- scan -----------------------------------------------------------------------------------------


@_cached
def _scan_kernels(function):
    function = for_kernels(function)

    @jit
    def totals_of(values, totals):
        segment = cuda.grid(1) // 32
        first, n = segment * _SEGMENT, values.size
        if first < n:
            lane = cuda.laneid
            # All lanes have an element; only the last segment, whose total nobody wants, may not.
            total = values[min(first + lane, n - 1)]
            total = cuda.warp.reduce(total, function)
            for k in range(32, _SEGMENT, 32):
                value = values[min(first + k + lane, n - 1)]
                total = function(total, cuda.warp.reduce(value, function))
            if lane == 0:
                totals[segment] = total

    @jit
    def scanned(values, before, out, initial, inclusive, starts):
        segment = cuda.grid(1) // 32
        first, n = segment * _SEGMENT, values.size
        if first < n:
            lane = cuda.laneid
            carry, has_carry = initial[0], starts
            if segment > 0:
                carry = before[segment - 1]
                if starts:
                    carry = out.dtype.type(function(initial[0], carry))
                has_carry = True
            for k in range(0, _SEGMENT, 32):
                i = first + k + lane
                value = cuda.warp.scan(values[min(i, n - 1)], function)
                if has_carry:
                    value = function(carry, value)
                value = out.dtype.type(value)
                shown = value
                if not inclusive:
                    shown = cuda.shfl_up_sync(0xFFFFFFFF, value, 1)
                    if lane == 0:
                        shown = carry
                if i < n:
                    out[i] = shown
                carry, has_carry = cuda.shfl_sync(0xFFFFFFFF, value, 31), True

    return totals_of, scanned


def scan(array, function=operators.add, initial=None, inclusive=True, out=None, stream=0):
    """out[i] = array[0] op ... op array[i], with `inclusive=False` up to array[i - 1]. The operator
    is associative; an `initial` value comes in front, and an exclusive scan needs one."""
    array = _on_device(array, stream)
    if not inclusive and initial is None:
        raise TypeError("an exclusive scan needs an initial value")
    out = _result(out, array.size, array.dtype, stream)
    if array.size:
        _scan(array, _scan_kernels(function), initial, inclusive, out, stream)
    return out


def _scan(array, kernels, initial, inclusive, out, stream):
    totals_of, scanned = kernels
    segments = _segments(array.size)
    before = out
    if segments > 1:
        before = _new(segments, out.dtype, stream)
        _run(totals_of, _blocks(segments), stream, array, before)
        _scan(before, kernels, None, True, before, stream)
    first = to_device(np.asarray([0 if initial is None else initial], out.dtype), stream=stream)
    _run(
        scanned,
        _blocks(segments),
        stream,
        array,
        before,
        out,
        first,
        inclusive,
        initial is not None,
    )


# -- select and unique ----------------------------------------------------------------------------


def _select_kernels(chosen):
    """Kernels that keep the elements with `chosen(values, flags, i)`."""
    chosen = for_kernels(chosen)

    @jit
    def count(values, flags, counts):
        segment = cuda.grid(1) // 32
        first, n = segment * _SEGMENT, values.size
        if first < n:
            total = 0
            for k in range(0, _SEGMENT, 32):
                i = first + k + cuda.laneid
                keep = i < n and chosen(values, flags, min(i, n - 1))
                total += cuda.popc(cuda.ballot_sync(0xFFFFFFFF, keep))
            if cuda.laneid == 0:
                counts[segment] = total

    @jit
    def move(values, flags, before, out):
        segment = cuda.grid(1) // 32
        first, n = segment * _SEGMENT, values.size
        if first < n:
            place = before[segment]
            for k in range(0, _SEGMENT, 32):
                i = first + k + cuda.laneid
                keep = i < n and chosen(values, flags, min(i, n - 1))
                lanes = cuda.ballot_sync(0xFFFFFFFF, keep)
                if keep:
                    out[place + cuda.popc(lanes & cuda.lanemask_lt())] = values[i]
                place += cuda.popc(lanes)

    return count, move


@_cached
def _select_by(predicate):
    predicate = for_kernels(predicate)
    return _select_kernels(lambda values, flags, i: bool(predicate(values[i])))


@_cached
def _select_flagged():
    return _select_kernels(lambda values, flags, i: bool(flags[i]))


@_cached
def _select_first_of_equals():
    return _select_kernels(lambda values, flags, i: i == 0 or values[i] != values[i - 1])


def _selected(array, flags, kernels, stream):
    count, move = kernels
    n = array.size
    segments = _segments(n)
    if n == 0:
        return _new(0, array.dtype, stream)
    counts, before = _new(segments, np.int64, stream), _new(segments, np.int64, stream)
    _run(count, _blocks(segments), stream, array, flags, counts)
    scan(counts, initial=0, inclusive=False, out=before, stream=stream)
    out = _new(n, array.dtype, stream)
    _run(move, _blocks(segments), stream, array, flags, before, out)
    last = slice(segments - 1, segments)
    ends = [each[last].copy_to_host(stream=stream) for each in (before, counts)]
    return out[: int(ends[0][0] + ends[1][0])]


def select(array, condition, stream=0):
    """The elements for which `condition` holds: a function of an element, or an array of flags."""
    array = _on_device(array, stream)
    if callable(condition):
        return _selected(array, array, _select_by(condition), stream)
    flags = _on_device(condition, stream)
    if flags.size != array.size:
        raise ValueError(f"{flags.size} flags for {array.size} elements")
    return _selected(array, flags, _select_flagged(), stream)


def unique(array, stream=0):
    """The different elements in ascending order."""
    array = sort(array, stream=stream)
    return _selected(array, array, _select_first_of_equals(), stream)


# -- histogram ------------------------------------------------------------------------------------


@_cached
def _histogram_kernel(bins):
    @jit
    def histogram(values, low, high, counts):
        own = cuda.shared.array(bins, np.int32)
        thread = cuda.threadIdx.x
        for i in range(thread, bins, _THREADS):
            own[i] = 0
        cuda.syncthreads()
        width = (high - low) / bins
        for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
            value = values[i]
            if low <= value <= high:
                bin = min(int((value - low) / width), bins - 1)
                # As NumPy: an edge belongs to the bin that it begins.
                if value < low + bin * width:
                    bin -= 1
                elif bin < bins - 1 and value >= low + (bin + 1) * width:
                    bin += 1
                cuda.atomic.add(own, bin, 1)
        cuda.syncthreads()
        for i in range(thread, bins, _THREADS):
            if own[i]:
                cuda.atomic.add(counts, i, own[i])

    return histogram


def histogram(array, bins, range, stream=0):
    """Counts of the elements in `bins` bins of equal width between both ends of `range`."""
    array = _on_device(array, stream)
    low, high = map(float, range)
    if not 1 <= bins <= 8192:
        raise ValueError(f"1 to 8192 bins are counted, not {bins}")
    if not low < high:
        raise ValueError("the range must not be empty")
    counts = to_device(np.zeros(bins, np.int64), stream=stream)
    most = 16 * get_current_device().MULTIPROCESSOR_COUNT
    blocks = min(_segments(array.size, _THREADS), most)
    _run(_histogram_kernel(bins), blocks, stream, array, low, high, counts)
    return counts


# -- sort -----------------------------------------------------------------------------------------


def _ordered(kind, bits, descending):
    """A function that returns the bits of a key so that they compare as unsigned numbers do."""
    unsigned = np.dtype(f"u{bits // 8}").type
    top = unsigned(1 << (bits - 1))
    every = unsigned((1 << bits) - 1)
    turn = every if descending else unsigned(0)

    def ordered(key):
        if kind == "b":
            return unsigned(key) ^ turn
        elif kind == "u":
            return key ^ turn
        elif kind == "i":
            return (key.view(unsigned) ^ top) ^ turn
        else:
            raw = key.view(unsigned)
            if key != key:
                return every  # last, as NumPy has it
            flipped = ~raw if raw & top else raw ^ top
            return flipped ^ turn

    return for_kernels(ordered)


@_cached
def _sort_kernels(kind, bits, descending):
    """A pass of a radix sort: the keys of a segment are counted by their digit, the counts of all
    segments scanned with the digit first, and the keys moved. Lanes with the same digit find each
    other, so equal keys stay in order."""
    ordered = _ordered(kind, bits, descending)

    @jit
    def count(keys, shift, counts, segments):
        own = cuda.shared.array((_WARPS, _RADIX), np.int32)
        warp, lane = cuda.threadIdx.x // 32, cuda.laneid
        segment = cuda.grid(1) // 32
        first, n = segment * _SEGMENT, keys.size
        for i in range(lane, _RADIX, 32):
            own[warp, i] = 0
        cuda.syncwarp()
        for i in range(first + lane, min(first + _SEGMENT, n), 32):
            cuda.atomic.add(own, (warp, int(ordered(keys[i]) >> shift) & (_RADIX - 1)), 1)
        cuda.syncwarp()
        if segment < segments:
            for i in range(lane, _RADIX, 32):
                counts[i * segments + segment] = own[warp, i]

    @jit
    def move(keys, items, shift, before, segments, new_keys, new_items, has_items):
        places = cuda.shared.array((_WARPS, _RADIX), np.int64)
        warp, lane = cuda.threadIdx.x // 32, cuda.laneid
        segment = cuda.grid(1) // 32
        first, n = segment * _SEGMENT, keys.size
        if segment < segments:
            for i in range(lane, _RADIX, 32):
                places[warp, i] = before[i * segments + segment]
        cuda.syncwarp()
        if first < n:
            for k in range(0, _SEGMENT, 32):
                i = first + k + lane
                present = i < n
                key = keys[min(i, n - 1)]
                digit = int(ordered(key) >> shift) & (_RADIX - 1)
                same = cuda.match_any_sync(0xFFFFFFFF, digit if present else _RADIX)
                place = places[warp, digit] + cuda.popc(same & cuda.lanemask_lt())
                cuda.syncwarp()
                if present:
                    if same & cuda.lanemask_lt() == 0:
                        places[warp, digit] += cuda.popc(same)
                    new_keys[place] = key
                    if has_items:
                        new_items[place] = items[i]
                cuda.syncwarp()

    return count, move


def _radix_sorted(keys, items, descending, out, out_items, stream):
    kind, bits = keys.dtype.kind, 8 * keys.dtype.itemsize
    if kind in "mM":
        kind, bits = "i", 64
        keys, out = keys.view(np.int64), out.view(np.int64)
    if kind not in "buif" or keys.dtype == np.float16:
        raise TypeError(f"keys are integers, float32, float64 or times, not {keys.dtype}")
    count, move = _sort_kernels(kind, bits, descending)
    n, has_items = keys.size, items is not None
    segments = _segments(n)
    counts = _new(segments * _RADIX, np.int64, stream)
    passes = bits // 8
    spare = _new(n, keys.dtype, stream) if passes > 1 else None
    spare_items = _new(n, items.dtype, stream) if passes > 1 and has_items else None
    for number in range(passes):
        # The last pass writes to `out`.
        to_out = (passes - number) % 2 == 1
        to, to_items = (out, out_items) if to_out else (spare, spare_items)
        shift = 8 * number
        _run(count, _blocks(segments), stream, keys, shift, counts, segments)
        scan(counts, initial=0, inclusive=False, out=counts, stream=stream)
        given = (items, to_items) if has_items else (keys, to)
        _run(
            move,
            _blocks(segments),
            stream,
            keys,
            given[0],
            shift,
            counts,
            segments,
            to,
            given[1],
            has_items,
        )
        keys, items = to, to_items


def sort(array, descending=False, out=None, stream=0):
    """The elements in order, equal ones as they were; NaN is last."""
    array = _on_device(array, stream)
    out = _result(out, array.size, array.dtype, stream)
    if array.size:
        _radix_sorted(array, None, descending, out, None, stream)
    return out


def sort_by_key(keys, items, descending=False, stream=0):
    """(keys in order, the items that belong to them)."""
    keys, items = _on_device(keys, stream), _on_device(items, stream)
    if keys.size != items.size:
        raise ValueError(f"{keys.size} keys for {items.size} items")
    out = _new(keys.size, keys.dtype, stream)
    out_items = _new(items.size, items.dtype, stream)
    if keys.size:
        _radix_sorted(keys, items, descending, out, out_items, stream)
    return out, out_items


# -- transpose ------------------------------------------------------------------------------------

_ROWS = 8  # threads of a block in the second direction


@_cached
def _transpose_kernel(dtype, tile):
    item, shape = from_dtype(dtype), (tile, tile + 1)  # a column more: no two banks meet

    @jit
    def kernel(source, target):
        block = cuda.shared.array(shape, item)
        rows, columns = source.shape
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        first_column, first_row = cuda.blockIdx.x * tile, cuda.blockIdx.y * tile
        for i in range(y, tile, _ROWS):
            if first_row + i < rows and first_column + x < columns:
                block[i, x] = source[first_row + i, first_column + x]
        cuda.syncthreads()
        for i in range(y, tile, _ROWS):
            if first_column + i < columns and first_row + x < rows:
                target[first_column + i, first_row + x] = block[x, i]

    return kernel


def transpose(a, b=None):
    """Writes the transposed elements of an array of two dimensions to `b`, by default a new array
    in C order, and gives it back. Both are on the device and share no memory; for a view without a
    copy there is `a.T`."""
    a = as_cuda_array(a)
    if a.ndim != 2:
        raise ValueError(f"an array of two dimensions is wanted, not of {a.ndim}")
    rows, columns = a.shape
    if b is None:
        b = device_array((columns, rows), a.dtype, stream=a.stream)
    target = as_cuda_array(b)
    if target.shape != (columns, rows) or target.dtype != a.dtype:
        raise ValueError(
            f"the result of {a.shape} {a.dtype} does not fit into {target.shape} {target.dtype}"
        )
    if a.size:
        tile = 32 if a.dtype.itemsize <= 32 else 16
        grid = (columns + tile - 1) // tile, (rows + tile - 1) // tile
        kernel = _transpose_kernel(a.dtype, tile)
        kernel.launch_quietly((grid, (tile, _ROWS), a.stream), a, target)
    return b
