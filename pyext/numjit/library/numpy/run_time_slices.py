"""Arrays indexed by as many slices, or as many integers, as a list has:

index = [slice(None)] * a.ndim
index[axis] = slice(1, None)
a[tuple(index)], a[tuple(place)]
"""

from ..core.intrinsics import refuse, strided
from ..core.registry import function
from ..python.python_builtins import range_length, slice_indices
from ..python.tuples import to_fixed_tuple


def parts(a, items, axis):
    """Offset in bytes, shape and strides of the view, from an axis on."""
    if axis == a.ndim:
        return 0, (), ()
    offset, shape, strides = parts(a, items, axis + 1)
    if axis >= len(items):
        return offset, (a.shape[axis], *shape), (a.strides[axis], *strides)
    start, stop, step = slice_indices(items[axis], a.shape[axis])
    count = range_length(start, stop, step)
    if count > 0:
        offset += start * a.strides[axis]
    return offset, (count, *shape), (a.strides[axis] * step, *strides)


@function("numjit.sliced")
def sliced(a, index):
    """a[index], for a tuple of slices whose length is known at run time."""
    if not are_slices(index):
        return refuse(
            "an array can be indexed by a tuple of run-time length only if it holds slices or "
            "integers alone"
        )
    if len(index) > a.ndim:
        raise IndexError("too many indices for array")
    offset, shape, strides = parts(a, index.items, 0)
    return strided(a, offset, shape, strides)


def are_slices(index):
    for item in index:
        return isinstance(item, slice)
    return True


@function("numjit.index_of_item")
def index_of_item(a, index):
    """A tuple of integers whose length is known at run time, as the index of an item of `a`. With
    fewer of them, how many dimensions are left would not be known."""
    if len(index) > a.ndim:
        raise IndexError("too many indices for array")
    if len(index) < a.ndim:
        raise TypeError("a tuple of integers of run-time length indexes items, not parts of arrays")
    return to_fixed_tuple(index.items, a.ndim)
