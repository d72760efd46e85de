"""NumPy's own checks of axes, which packages call."""

import operator

import numpy as np

from ..core.axes import as_tuple
from ..core.registry import function
from .methods import is_axis


@function("numpy.lib.array_utils.normalize_axis_index")
def normalize_axis_index(axis, ndim, msg_prefix=None):
    position = np.int64(operator.index(axis))
    if not is_axis(position, ndim):
        if msg_prefix is not None:
            text = f"{msg_prefix}: axis {position} is out of bounds for array of dimension {ndim}"
            raise np.exceptions.AxisError(text)
        raise np.exceptions.AxisError(position, ndim)
    return position + ndim if position < 0 else position


@function("numpy.lib.array_utils.normalize_axis_tuple")
def normalize_axis_tuple(axis, ndim, argname=None, allow_duplicate=False):
    if isinstance(axis, list):
        axes = tuple([normalize_axis_index(each, ndim, argname) for each in axis])
    else:
        axes = each_normalized(as_tuple(axis), ndim, argname)
    if not allow_duplicate:
        check_repeated(axes, argname)
    return axes


def check_repeated(axes, argname):
    for i in range(1, len(axes)):
        for k in range(i):
            if axes[i] == axes[k]:
                if argname is not None:
                    raise ValueError(f"repeated axis in `{argname}` argument")
                raise ValueError("repeated axis")


def each_normalized(axes, ndim, argname):
    if len(axes) == 0:
        return ()
    else:
        first = normalize_axis_index(axes[0], ndim, argname)
        return (first,) + each_normalized(axes[1:], ndim, argname)
