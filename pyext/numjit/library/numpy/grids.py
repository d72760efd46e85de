"""Objects that make arrays from what is in brackets: ``np.mgrid``, ``np.ogrid``, ``np.r_``,
``np.c_``, ``np.s_``."""

import numpy as np

from ..core import compile_time
from ..core.intrinsics import is_scalar, promote, refuse, set_item
from ..core.registry import function
from .meshes import line_along

# -- grids -----------------------------------------------------------------------------------------


def number(x, default):
    return default if x is None else x


def is_complex(x):
    return is_scalar(x) and promote(x).kind == "c"


def dtype_of_slices(slices):
    """Integers, unless some part is a float or a count (a complex step)."""
    if len(slices) == 0:
        return np.dtype(np.int64)
    else:
        s = slices[0]
        rest = dtype_of_slices(slices[1:])
        if is_complex(s.step):
            return promote(rest, np.float64)
        else:
            return promote(rest, promote(number(s.start, 0), number(s.stop, 0), number(s.step, 1)))


def count_of(s):
    start = number(s.start, 0)
    if is_complex(s.step):
        return int(abs(s.step))
    elif s.step is None:
        return int(np.ceil((s.stop - start) / 1))
    else:
        if s.step == 0:
            raise ZeroDivisionError("division by zero")
        return int(np.ceil((s.stop - start) / s.step))


def step_of(s, n):
    if is_complex(s.step):
        return (s.stop - number(s.start, 0)) / (float(n) - 1.0) if n != 1 else 1.0
    else:
        return number(s.step, 1)


def line_of(s, n, dtype):
    out = np.empty(n, dtype)
    start, step = number(s.start, 0), step_of(s, n)
    for i in range(n):
        set_item(out, i, i * step + start)
    return out


def counts_of(slices):
    if len(slices) == 0:
        return ()
    else:
        return (count_of(slices[0]),) + counts_of(slices[1:])


def lines_of(slices, counts, dtype, k):
    """The numbers of each axis, along that axis."""
    if k == len(slices):
        return ()
    else:
        line = line_along(line_of(slices[k], counts[k], dtype), len(slices), k)
        return (line,) + lines_of(slices, counts, dtype, k + 1)


def fill_grids(out, lines, k):
    if k < len(lines):
        out[k, ...] = lines[k]
        fill_grids(out, lines, k + 1)


def line_of_one(s):
    """What a grid with one slice that is in no tuple is."""
    if is_complex(s.step):
        return line_of(s, count_of(s), promote(np.float64))
    elif s.stop is None:
        return refuse("a grid needs slices that end: np.mgrid[0:n]")
    else:
        return np.arange(number(s.start, 0), s.stop, number(s.step, 1))


def check_slices(key):
    if len(key) > 0:
        if not isinstance(key[0], slice) or key[0].stop is None:
            refuse("a grid needs slices that end: np.mgrid[0:n, 0:m]")
        check_slices(key[1:])


@function("numpy.mgrid.__getitem__")
def mgrid(key):
    if isinstance(key, tuple):
        check_slices(key)
        counts, dtype = counts_of(key), dtype_of_slices(key)
        out = np.empty((len(key),) + counts, dtype)
        fill_grids(out, lines_of(key, counts, dtype, 0), 0)
        return out
    else:
        return line_of_one(key)


@function("numpy.ogrid.__getitem__")
def ogrid(key):
    if isinstance(key, tuple):
        check_slices(key)
        return lines_of(key, counts_of(key), dtype_of_slices(key), 0)
    else:
        return line_of_one(key)


# -- arrays behind each other ----------------------------------------------------------------------


def moved_axes(ndmin, ndim, trans1d):
    """The order of axes of an item with new axes: ``trans1d`` says where its own ones begin."""
    new = ndmin - ndim
    first = trans1d + new + 1 if trans1d < 0 else trans1d
    return axes(0, first) + axes(new, ndmin) + axes(first, new)


def axes(first, end):
    if first >= end:
        return ()
    else:
        return (first,) + axes(first + 1, end)


def with_axes(x, ndmin, trans1d):
    new = x[(*((None,) * (ndmin - x.ndim)), ...)]
    if trans1d == -1:
        return new
    else:
        return np.transpose(new, moved_axes(ndmin, x.ndim, trans1d))


def item_array(x, ndmin, trans1d):
    if isinstance(x, slice):
        line = line_of_one(x)
    else:
        line = np.asarray(x)
    if line.ndim >= ndmin:
        return line
    else:
        return with_axes(line, ndmin, trans1d)


def item_arrays(items, ndmin, trans1d, dtype):
    """Numbers, which take part in the choice of the dtype as weak ones, have the chosen one."""
    if len(items) == 0:
        return ()
    elif is_scalar(items[0]):
        one = np.full((1,) * ndmin, items[0], dtype)
        return (one,) + item_arrays(items[1:], ndmin, trans1d, dtype)
    else:
        one = item_array(items[0], ndmin, trans1d)
        return (one,) + item_arrays(items[1:], ndmin, trans1d, dtype)


def dtype_of_items(items):
    if len(items) == 1:
        return item_dtype(items[0])
    else:
        return promote(item_dtype(items[0]), dtype_of_items(items[1:]))


def item_dtype(x):
    if isinstance(x, slice):
        return promote(np.float64) if is_complex(x.step) else dtype_of_slices((x,))
    elif is_scalar(x):
        return promote(x)
    else:
        return np.asarray(x).dtype


def arrays_only(items):
    if len(items) == 0:
        return ()
    elif is_scalar(items[0]):
        return arrays_only(items[1:])
    else:
        return (items[0],) + arrays_only(items[1:])


def numbers_only(items):
    if len(items) == 0:
        return ()
    elif is_scalar(items[0]):
        return (items[0],) + numbers_only(items[1:])
    else:
        return numbers_only(items[1:])


def weakly_promoted(dtype, numbers):
    if len(numbers) == 0:
        return dtype
    else:
        one = np.empty(1, dtype)
        return weakly_promoted(promote(one + numbers[0]), numbers[1:])


def dtype_of_all(items):
    arrays, numbers = arrays_only(items), numbers_only(items)
    if len(arrays) == 0:
        return dtype_of_items(numbers)
    else:
        return weakly_promoted(dtype_of_items(arrays), numbers)


def behind_each_other(items, axis, ndmin, trans1d):
    dtype = dtype_of_all(items)
    arrays = item_arrays(items, ndmin, trans1d, dtype)
    return np.concatenate(arrays, axis, dtype=dtype)


def as_items(key):
    return key if isinstance(key, tuple) else (key,)


@function("numpy.r_.__getitem__")
def r_(key):
    items = as_items(key)
    if isinstance(items[0], str):
        directive = getattr(compile_time.directives, items[0])
        if directive is None:
            return refuse(
                "np.r_ and np.c_: this string does not say an axis",
                "'axis', 'axis,ndim' and 'axis,ndim,place' are known; matrices are not",
            )
        else:
            return behind_each_other(items[1:], directive[0], directive[1], directive[2])
    else:
        return behind_each_other(items, 0, 1, -1)


@function("numpy.c_.__getitem__")
def c_(key):
    return behind_each_other(as_items(key), -1, 2, 0)


# -- indices as values -----------------------------------------------------------------------------


@function("numpy.s_.__getitem__")
def s_(key):
    return key


@function("numpy.index_exp.__getitem__")
def index_exp(key):
    return as_items(key)
