"""``np.squeeze``: axes of length one are left out."""

import numpy as np

from ..core.axes import as_tuple, without
from ..core.intrinsics import contiguous, is_scalar, layout_is, refuse, strided, units_of
from ..core.registry import function
from .methods import normal_axes


@function("numpy.squeeze")
@function("Array.squeeze")
def squeeze(a, axis=None):
    if axis is None and is_scalar(a):
        return a
    elif not isinstance(a, np.ndarray):
        return squeeze(np.asarray(a), axis)
    elif axis is None and a.ndim == 0:
        return a
    elif axis is None:
        return squeezed(a, unit_axes(units_of(a), 0))
    else:
        return squeezed(a, normal_axes(as_tuple(axis), a.ndim))


def unit_axes(units, first):
    """The axes in a bit set, which are those of length one."""
    if units < 0:
        refuse(
            "squeeze() without axis of an array whose extents are not known at compile time",
            "name the axes: np.squeeze(a, axis=0). Known are those of arguments, and of what "
            "is computed from them element by element, transposed, or by sums over axes",
            "LiteralTypingError",
        )
    elif units == 0:
        return ()
    elif units % 2 == 1:
        return (first,) + unit_axes(units // 2, first + 1)
    else:
        return unit_axes(units // 2, first + 1)


def squeezed(a, axes):
    if len(axes) == 0:
        return a
    else:
        axis = axes[0]
        if a.shape[axis] != 1:
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
        return squeezed(without_axis(a, axis), behind_removed(axes[1:], axis))


def without_axis(a, axis):
    if layout_is(a, "C"):
        return contiguous(a, without(a.shape, axis))
    else:
        return strided(a, 0, without(a.shape, axis), without(a.strides, axis))


def behind_removed(axes, axis):
    if len(axes) == 0:
        return ()
    else:
        return (axes[0] - 1 if axes[0] > axis else axes[0],) + behind_removed(axes[1:], axis)
