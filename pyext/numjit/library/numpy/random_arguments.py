"""Sizes and parameters of distributions: scalars, arrays that broadcast, and what they draw."""

import numpy as np

from .methods import index_of


def size_of(shape):
    if isinstance(shape, tuple):
        n = 1
        for extent in shape:
            n *= extent
        return n
    else:
        return shape


def are_scalars(values):
    if len(values) == 0:
        return True
    elif isinstance(values[0], (np.ndarray, list, tuple)):
        return False
    else:
        return are_scalars(values[1:])


def common_shape(values):
    if len(values) == 0:
        return ()
    else:
        return np.broadcast_shapes(np.shape(values[0]), common_shape(values[1:]))


def spread(values, shape):
    if len(values) == 0:
        return ()
    else:
        return (np.broadcast_to(values[0], shape),) + spread(values[1:], shape)


def items_at(arrays, index):
    if len(arrays) == 0:
        return ()
    else:
        return (arrays[0][index],) + items_at(arrays[1:], index)


def shape_of_size(size):
    if isinstance(size, tuple):
        return size
    else:
        return (size,)


def draw_each(source, routine, size, dtype, parameters):
    """One number for each item of the parameters, which are broadcast: routine(source, ...)."""
    common = common_shape(parameters)
    if size is None:
        shape = common
    else:
        shape = shape_of_size(size)
        if np.broadcast_shapes(common, shape) != shape:
            raise ValueError("Output size is not compatible with broadcast dimensions of inputs.")
    arrays = spread(parameters, shape)
    out = np.empty(shape, dtype)
    flat = out.ravel()
    for i in range(flat.size):
        flat[i] = routine(source, *items_at(arrays, index_of(i, shape)))
    return out
