"""Arrays indexed by as many slices as a list has:

index = [slice(None)] * a.ndim
index[axis] = slice(1, None)
a[tuple(index)]
"""

from ..core.intrinsics import refuse, strided
from ..core.registry import function


def bound(given, default, length, least, most):
    """Where a slice starts or ends, as the interpreter's slice.indices says."""
    if given is None:
        return default
    if given < 0:
        return max(given + length, least)
    return min(given, most)


def extent(start, stop, step, length):
    """(first index, count) of the items along an axis."""
    if step > 0:
        first = bound(start, 0, length, 0, length)
        last = bound(stop, length, length, 0, length)
        return first, (last - first - 1) // step + 1 if first < last else 0
    first = bound(start, length - 1, length, -1, length - 1)
    last = bound(stop, -1, length, -1, length - 1)
    return first, (first - last - 1) // -max(step, -(2**63) + 1) + 1 if first > last else 0


def parts(a, items, axis):
    """Offset in bytes, shape and strides of the view, from an axis on."""
    if axis == a.ndim:
        return 0, (), ()
    offset, shape, strides = parts(a, items, axis + 1)
    if axis >= len(items):
        return offset, (a.shape[axis], *shape), (a.strides[axis], *strides)
    item = items[axis]
    step = 1 if item.step is None else item.step
    if step == 0:
        raise ValueError("slice step cannot be zero")
    first, count = extent(item.start, item.stop, step, a.shape[axis])
    if count > 0:
        offset += first * a.strides[axis]
    return offset, (count, *shape), (a.strides[axis] * step, *strides)


@function("numjit.sliced")
def sliced(a, index):
    """a[index], for a tuple of slices whose length is known at run time."""
    if not are_slices(index):
        return refuse(
            "an array can be indexed by a tuple of run-time length only if it holds slices alone"
        )
    if len(index) > a.ndim:
        raise IndexError("too many indices for array")
    offset, shape, strides = parts(a, index.items, 0)
    return strided(a, offset, shape, strides)


def are_slices(index):
    for item in index:
        return isinstance(item, slice)
    return True
