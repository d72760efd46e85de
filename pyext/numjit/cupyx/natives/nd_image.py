"""scipy.ndimage's compiled filters over device arrays. Modes are scipy.ndimage's numbers."""

from __future__ import annotations

import numpy as np

import numjit.cupy as cp
from numjit.cupy.kernel_text import type_name

from ..code import on_copies
from . import generic_filters
from .splines import geometric_transform, spline_filter1d, zoom_shift  # noqa: F401
from .windows import CONSTANT, back, lines_first, offsets_of, run

#: Larger windows are ranked on the host.
_MOST_RANKED = 1024


def _host(array):
    return cp.asnumpy(array)


def _along(size, origin, axis):
    """Offsets of a window of one axis."""
    return (np.arange(size) - size // 2 - int(origin))[:, None], (axis,)


def _number(cval):
    return float(cval)


# -- sums ------------------------------------------------------------------------------------------


def _correlated(input, output, offsets, weights, moving, mode, cval):
    run(input, output, offsets, weights, moving, mode, _number(cval),
        "total = np.float64(0)", "total += value * weights[k]", "", "{type}(total)")  # fmt: skip


def correlate1d(input, weights, axis, output, mode, cval, origin):
    offsets, moving = _along(weights.size, origin, axis)
    _correlated(input, output, offsets, weights, moving, mode, cval)


def correlate(input, weights, output, mode, cval, origins):
    weights = _host(weights)
    moving = tuple(range(input.ndim))
    offsets = offsets_of(weights != 0, origins, moving)
    _correlated(input, output, offsets, weights[weights != 0], moving, mode, cval)


def uniform_filter1d(input, size, axis, output, mode, cval, origin):
    offsets, moving = _along(size, origin, axis)
    run(input, output, offsets, np.zeros(1), moving, mode, _number(cval),
        "total = np.float64(0)", "total += value", "total = total / offsets.shape[0]",
        "{type}(total)")  # fmt: skip


# -- order -----------------------------------------------------------------------------------------


def _common(dtype, mode, cval):
    """The dtype that elements are compared in, with what lies beyond the edges."""
    dtype = np.dtype(np.uint8) if dtype.kind == "b" else dtype
    if mode != CONSTANT or dtype.kind == "f":
        return dtype
    bounds = np.iinfo(dtype)
    whole = bounds.min <= cval <= bounds.max and cval == int(cval)
    return dtype if whole else np.dtype(float)


def _as_element(cval, dtype):
    """What lies beyond the edges as an element: cut to an integer of 64 bits, which wraps."""
    dtype = np.dtype(np.uint8) if dtype.kind == "b" else dtype
    with np.errstate(invalid="ignore"):
        cval = np.asarray(_number(cval)).astype(np.int64 if dtype.kind in "iu" else dtype)
    return cval.astype(dtype)[()]


def _extreme(input, output, offsets, weights, moving, mode, cval, minimum):
    less = "value < best" if minimum else "value > best"
    dtype = _common(input.dtype, mode, cval)
    kind, cval = f"{type_name(dtype)}({{0}})", np.asarray(cval).astype(dtype)[()]
    run(input, output, offsets, weights, moving, mode, cval,
        "best = cval", f"if k == 0 or {less}:\n    best = value", "", "{type}(best)",
        value=kind)  # fmt: skip


def _extreme_sum(input, output, offsets, weights, moving, mode, cval, minimum):
    """As SciPy: the first sum is a float, each further one is converted to an element first."""
    dtype = np.dtype(np.uint8) if input.dtype.kind == "b" else input.dtype
    name, is_whole = type_name(dtype), dtype.kind in "iu"
    each = (
        f"total = np.float64(value) {'-' if minimum else '+'} weights[k]\n"
        f"if k > 0:\n    total = np.float64({name}({'np.int64(total)' if is_whole else 'total'}))\n"
        f"if k == 0 or total {'<' if minimum else '>'} best:\n    best = total"
    )
    result = "{type}(np.int64(best))" if output.dtype.kind in "iu" else "{type}(best)"
    run(input, output, offsets, weights, moving, mode, cval, "best = np.float64(0)", each, "",
        result, value=f"{name}({{0}})")  # fmt: skip


def min_or_max_filter1d(input, size, axis, output, mode, cval, origin, minimum):
    offsets, moving = _along(size, origin, axis)
    _extreme(input, output, offsets, np.zeros(1), moving, mode, cval, minimum)


def min_or_max_filter(input, footprint, structure, output, mode, cval, origins, minimum):
    footprint = _host(footprint)
    moving = tuple(range(input.ndim))
    offsets = offsets_of(footprint, origins, moving)
    weights = (
        np.zeros(1)
        if structure is None
        else _host(structure).reshape(footprint.shape)[footprint != 0].astype(float)
    )
    extreme = _extreme if structure is None else _extreme_sum
    cval = _as_element(cval, input.dtype)
    extreme(input, output, offsets, weights, moving, mode, cval, minimum)


#: Quickselect: the element of a rank is moved to its place.
_SELECT = """\
low = 0
high = {count} - 1
while low < high:
    pivot = kept[(low + high) // 2]
    left = low
    right = high
    while left <= right:
        while kept[left] < pivot:
            left += 1
        while kept[right] > pivot:
            right -= 1
        if left <= right:
            held = kept[left]
            kept[left] = kept[right]
            kept[right] = held
            left += 1
            right -= 1
    if {rank} <= right:
        high = right
    elif {rank} >= left:
        low = left
    else:
        low = high"""


def rank_filter(input, rank, footprint, output, mode, cval, origins):
    footprint = _host(footprint)
    moving = tuple(range(input.ndim))
    offsets = offsets_of(footprint, origins, moving)
    count = len(offsets)
    if count > _MOST_RANKED:
        from scipy.ndimage import _nd_image

        on_copies(_nd_image.rank_filter)(input, rank, footprint, output, mode, cval, origins)
        return
    rank = int(rank) + (count if rank < 0 else 0)
    dtype = np.dtype(np.uint8) if input.dtype.kind == "b" else input.dtype
    name = type_name(dtype)
    run(input, output, offsets, np.zeros(1), moving, mode, _as_element(cval, dtype),
        "", "kept[k] = value", _SELECT.format(count=count, rank=rank), f"{{type}}(kept[{rank}])",
        local=f"kept = cuda.local.array({count}, {name})", value=f"{name}({{0}})")  # fmt: skip


# -- shapes ----------------------------------------------------------------------------------------


def binary_erosion(
    input, structure, mask, output, border_value, origins, invert, center_is_true,
    store_coordinates,
):  # fmt: skip
    """One erosion; with `invert` a dilation. True if anything changed."""
    structure = _host(structure)
    moving = tuple(range(input.ndim))
    offsets = offsets_of(structure, origins, moving)
    flip = "(value == 0)" if invert else "(value != 0)"
    run(input, output, offsets, np.zeros(1), moving, 4, 1.0 if bool(border_value) else 0.0,
        "found = True",
        f"if not {flip}:\n    found = False", "",
        "{type}(not found)" if invert else "{type}(found)")  # fmt: skip
    if mask is not None:
        output[...] = cp.where(cp.asarray(mask) != 0, output != 0, input != 0)
    changed = bool(((output != 0) != (input != 0)).any())
    if store_coordinates:
        return changed, (structure, mask, border_value, list(origins), center_is_true)
    return changed


def binary_erosion2(output, structure, mask, niter, origins, invert, coordinates):
    """Further erosions, at most `niter`; until nothing changes if it is negative."""
    structure, mask, border_value, origins, center_is_true = coordinates
    before = cp.empty_like(output)
    while niter != 0:
        before[...] = output
        if not binary_erosion(before, structure, mask, output, border_value, origins, invert,
                              center_is_true, 0):  # fmt: skip
            break
        niter -= 1


# -- generic filters -------------------------------------------------------------------------------


def generic_filter(input, function, footprint, output, mode, cval, origins, args, keywords):
    """A function of the neighbours: one in C++ works on the device, others on the host."""
    if not generic_filters.takes(function):
        from scipy.ndimage import _nd_image

        on_copies(_nd_image.generic_filter)(input, function, footprint, output, mode, cval,
                                            origins, args, keywords)  # fmt: skip
        return
    moving = tuple(range(input.ndim))
    offsets = offsets_of(_host(footprint), origins, moving)
    neighbours = cp.empty((*input.shape, len(offsets)))
    for number, each in enumerate(offsets):
        run(input, neighbours[..., number], each[None], np.zeros(1), moving, mode, _number(cval),
            "found = np.float64(0)", "found = value", "", "{type}(found)")  # fmt: skip
    output[...] = generic_filters.call(function, neighbours).reshape(output.shape)


def generic_filter1d(
    input, function, filter_size, axis, output, mode, cval, origin, args, keywords
):  # fmt: skip
    """The same for a function of lines along an axis."""
    if not generic_filters.takes(function):
        from scipy.ndimage import _nd_image

        on_copies(_nd_image.generic_filter1d)(input, function, filter_size, axis, output, mode,
                                              cval, origin, args, keywords)  # fmt: skip
        return
    lines, shape = lines_first(input.astype(float), axis)
    before, after = filter_size // 2 + origin, (filter_size - 1) // 2 - origin
    lines = generic_filters.extended(lines, before, after, mode, _number(cval))
    found = generic_filters.call(function, lines, input.shape[axis])
    output[...] = back(found, shape, axis)


# -- products in the space of frequencies ----------------------------------------------------------


def _frequencies(shape, n, axis, number):
    """Frequencies of one axis, to be broadcast, and the length of its signal."""
    length = shape[number]
    k = cp.arange(length, dtype=float)
    if n >= 0 and number == axis:
        length = n
    else:
        k = cp.where(k < (length + 1) // 2, k, k - length)
    return k.reshape([-1 if i == number else 1 for i in range(len(shape))]), length


def fourier_filter(input, parameters, n, axis, output, kind):
    if kind == 2:
        from scipy.ndimage import _nd_image

        on_copies(_nd_image.fourier_filter)(input, parameters, n, axis, output, kind)
        return
    factor = 1.0
    for number, parameter in enumerate(cp.asnumpy(parameters).tolist()):
        k, length = _frequencies(input.shape, n, axis, number)
        if kind == 0:
            factor = factor * cp.exp(-2 * (np.pi * parameter / length) ** 2 * k * k)
        else:
            factor = factor * cp.sinc(k * parameter / length)
    output[...] = input * factor


def fourier_shift(input, shifts, n, axis, output):
    phase = 0.0
    for number, shift in enumerate(cp.asnumpy(shifts).tolist()):
        k, length = _frequencies(input.shape, n, axis, number)
        phase = phase - 2 * np.pi * shift / length * k
    output[...] = input * cp.exp(1j * phase)
