"""Walks over all elements of arrays: generators, so that loops over them become loop nests."""

from ..core.intrinsics import array_of_flat, layout_is, strided
from ..core.registry import function
from .methods import ravel, view_of_item


@function("numjit.ndindex")
def indices(shape):
    """The positions of all elements in C order."""
    if len(shape) == 0:
        yield ()
    elif len(shape) == 1:
        for i in range(shape[0]):
            yield (i,)
    else:
        for i in range(shape[0]):
            for rest in indices(shape[1:]):
                yield (i,) + rest


@function("numjit.ndenumerate")
def items_with_index(a):
    for index in indices(a.shape):
        yield index, a[index]


def items(a):
    for index in indices(a.shape):
        yield a[index]


@function("Flat.__iter__")
def flat_iter(self):
    a = array_of_flat(self)
    return ravel(a) if layout_is(a, "C") else items(a)


@function("numjit.nditer")
def views(arrays):
    """Each element of an array, or of several of one shape, as an array without dimensions."""
    if isinstance(arrays, tuple):
        for index in indices(arrays[0].shape):
            yield views_at(arrays, index)
    elif layout_is(arrays, "C"):
        for i in range(arrays.size):
            yield strided(arrays, i * arrays.itemsize, (), ())
    else:
        for index in indices(arrays.shape):
            yield view_of_item(arrays, index)


def views_at(arrays, index):
    if len(arrays) == 0:
        return ()
    else:
        return (view_of_item(arrays[0], index),) + views_at(arrays[1:], index)
