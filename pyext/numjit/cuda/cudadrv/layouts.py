"""Shapes, strides and indices of device arrays, computed without their elements."""

from __future__ import annotations

import math
import operator

import numpy as np


def as_shape(shape):
    """A shape as a tuple; TypeError for what is no integer."""
    return tuple(map(operator.index, shape if hasattr(shape, "__iter__") else (shape,)))


def layout_like(array):
    """Strides of a new array with the axes in the order of another one, as np.empty_like has them
    (order="K"): contiguous, and axes of equal strides as in C."""
    shape, itemsize = array.shape, array.dtype.itemsize
    if is_contiguous(array, "F") and not is_contiguous(array, "C"):
        return strides_for(shape, array.dtype, "F")
    axes = sorted(range(len(shape)), key=lambda axis: (-abs(array.strides[axis]), axis))
    if is_contiguous(array, "C"):
        axes.sort()
    strides, step = [0] * len(shape), itemsize
    for axis in reversed(axes):
        strides[axis] = step
        step *= shape[axis]
    return tuple(strides)


def is_contiguous(array, order):
    return bool(array.flags[f"{order}_CONTIGUOUS"])


def strides_for(shape, dtype, order="C"):
    strides, step = [], dtype.itemsize
    for n in shape if order == "F" else reversed(shape):
        strides.append(step)
        step *= n
    return tuple(strides if order == "F" else reversed(strides))


def complete(shape, size):
    """A shape without -1."""
    unknown = [axis for axis, n in enumerate(shape) if n == -1]
    known = math.prod(n for n in shape if n != -1)
    if len(unknown) > 1:
        raise ValueError("can only specify one unknown dimension")
    if unknown and known and size % known == 0:
        axis = unknown[0]
        shape = (*shape[:axis], size // known, *shape[axis + 1 :])
    if math.prod(shape) != size or any(n < 0 for n in shape):
        raise ValueError(f"cannot reshape array of size {size} into shape {shape}")
    return shape


def reshaped(shape, strides, newshape, itemsize):
    """Strides of the same elements in another shape; None if they would have to be copied."""
    if 0 in shape:
        return strides_for(newshape, np.dtype(f"V{itemsize}"))
    old = [(n, step) for n, step in zip(shape, strides) if n != 1]
    newstrides, i = [0] * len(newshape), 0
    axes = [axis for axis, n in enumerate(newshape) if n != 1]
    while i < len(old):
        # Some old axes and some new ones have the same number of elements.
        j, have, group = i, 1, []
        want = 1
        while True:
            if have <= want and j < len(old):
                have *= old[j][0]
                j += 1
            else:
                want *= newshape[axes[0]]
                group.append(axes.pop(0))
            if have == want:
                break
        for (_, step), (n, inner) in zip(old[i:j], old[i + 1 : j]):
            if step != n * inner:
                return None
        step = old[j - 1][1]
        for axis in reversed(group):
            newstrides[axis] = step
            step *= newshape[axis]
        i = j
    # Axes of one element may have any stride; these keep a contiguous array one.
    step = itemsize
    for axis in reversed(range(len(newshape))):
        if newshape[axis] == 1:
            newstrides[axis] = step
        step = newstrides[axis] * newshape[axis]
    return tuple(newstrides)


def runs(shape, itemsize, to, from_):
    """(offset, offset, bytes) of the longest pieces that are contiguous on both sides."""
    inner, count = len(shape), itemsize
    while inner and (
        shape[inner - 1] == 1 or (to[inner - 1] == count and from_[inner - 1] == count)
    ):
        inner -= 1
        count *= shape[inner]
    for index in np.ndindex(*shape[:inner]):
        yield (
            sum(i * step for i, step in zip(index, to)),
            sum(i * step for i, step in zip(index, from_)),
            count,
        )


def view_index(item):
    """An index that returns a view, and whether it may stand for one element."""
    if isinstance(item, str):
        return item, False
    items = item if isinstance(item, tuple) else (item,)
    for each in items:
        if each is None or each is Ellipsis or isinstance(each, slice):
            continue
        if isinstance(each, (bool, np.ndarray, list)) or not hasattr(each, "__index__"):
            raise NotImplementedError(
                f"device arrays take integers and slices as indices, not {type(each).__name__}"
            )
    if any(each is Ellipsis for each in items):
        return items, False
    return (*items, Ellipsis), True


def description(dtype):
    """The description of a dtype for other libraries; where fields overlap or are out of order,
    that of bytes, as NumPy gives it."""
    try:
        return dtype.descr
    except ValueError:
        return [("", f"|V{dtype.itemsize}")]
