"""``f(*items)`` where how many items there are is known at run time only."""

import numpy as np

from ..core.axes import as_tuple
from ..core.intrinsics import mixed_items, refuse
from ..core.registry import function
from ..python.python_builtins import greatest, least
from .dtypes import common_type
from .indexing import joined_shape
from .manipulation import at_least_1d, at_least_2d, at_least_3d


@function("builtins.min", when="star")
def min_of_items(items, key=None):
    check_several(items)
    return least(items, key, ...)


@function("builtins.max", when="star")
def max_of_items(items, key=None):
    check_several(items)
    return greatest(items, key, ...)


def check_several(items):
    if len(items) < 2:
        raise TypeError("min() and max() of *items take at least 2 items")


@function("math.gcd", when="star")
def gcd_of_items(items):
    result = 0
    for x in items:
        result = np.gcd(result, int(x))
    return result


@function("math.lcm", when="star")
def lcm_of_items(items):
    result = 1
    for x in items:
        result = np.lcm(result, int(x))
    return result


@function("numpy.broadcast_shapes", when="star")
def broadcast_shapes_of(shapes):
    if len(shapes) == 0:
        raise ValueError("of no shapes, how many dimensions there are is not known")
    result = as_tuple(shapes[0])
    for shape in shapes:
        for n in as_tuple(shape):
            if n < 0:
                raise ValueError("negative dimensions are not allowed")
        result = joined_shape(result, as_tuple(shape), ValueError)
    return result


def refuse_mixed(items):
    """A dtype is part of a type."""
    if mixed_items(items):
        refuse(
            "Cannot unify the items of a list whose dtype is asked for: they are of several types"
        )


@function("numpy.result_type", when="star")
def result_type_of(items):
    refuse_mixed(items)
    if len(items) == 0:
        raise ValueError("at least one array or dtype is required")
    else:
        return np.result_type(items[0])


@function("numpy.common_type", when="star")
def common_type_of(arrays):
    refuse_mixed(arrays)
    if len(arrays) == 0:
        raise ValueError("at least one array is required")
    else:
        return common_type(arrays[0])


@function("numpy.broadcast_arrays", when="star")
def broadcast_arrays_of(arrays, subok=False):
    if len(arrays) == 0:
        return tuple([np.broadcast_to(a, np.shape(a)) for a in arrays])
    shape = broadcast_shapes_of([np.asarray(a).shape for a in arrays])
    return tuple([np.broadcast_to(a, shape) for a in arrays])


@function("numpy.atleast_1d", when="star")
def atleast_1d_of(arrays):
    """The compiler takes the only one of one array (typeinfer/infer/star_calls.cpp)."""
    return tuple([at_least_1d(a) for a in arrays])


@function("numpy.atleast_2d", when="star")
def atleast_2d_of(arrays):
    return tuple([at_least_2d(a) for a in arrays])


@function("numpy.atleast_3d", when="star")
def atleast_3d_of(arrays):
    return tuple([at_least_3d(a) for a in arrays])
