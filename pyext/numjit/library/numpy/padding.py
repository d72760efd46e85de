"""``np.pad``: one axis after the other, as NumPy does it, so that corners are padded twice."""

import numpy as np

from ..core.axes import as_array
from ..core.intrinsics import cast, is_constant, refuse
from ..core.registry import function

# -- arguments for each axis -----------------------------------------------------------------------


def both(x):
    """One number, or one before and one behind, as a pair."""
    if not isinstance(x, tuple):
        return (x, x)
    elif len(x) == 1:
        return (x[0], x[0])
    else:
        return (x[0], x[1])


def pairs(x, ndim):
    """A pair for each axis: ``x`` broadcast to (ndim, 2)."""
    if isinstance(x, np.ndarray):
        return pairs_of_array(x, ndim)
    elif not isinstance(x, tuple):
        return ((x, x),) * ndim
    elif len(x) == 0:
        return refuse("np.pad: a tuple of widths must not be empty")
    elif not isinstance(x[0], tuple):
        if len(x) > 2:
            return refuse("np.pad: a number, a pair, or a pair for each axis is wanted")
        else:
            return (both(x),) * ndim
    elif len(x) == 1:
        return (both(x[0]),) * ndim
    else:
        if len(x) != ndim:
            raise ValueError("operands could not be broadcast together: a pair for each axis")
        return each_pair(x, ndim)


def each_pair(x, ndim):
    if ndim == 0 or len(x) == 0:
        return ()
    else:
        return (both(x[0]),) + each_pair(x[1:], ndim - 1)


def pairs_of_array(x, ndim):
    rows = np.broadcast_to(x, (ndim, 2))
    return pairs_of_rows(rows, ndim)


def pairs_of_rows(rows, k):
    if k == 0:
        return ()
    else:
        return pairs_of_rows(rows, k - 1) + ((rows[k - 1, 0], rows[k - 1, 1]),)


def padded_shape(shape, widths):
    if len(shape) == 0:
        return ()
    else:
        return (shape[0] + widths[0][0] + widths[0][1],) + padded_shape(shape[1:], widths[1:])


def middle(shape, widths):
    """Where the array lies in its padded form."""
    if len(shape) == 0:
        return ()
    else:
        first = widths[0][0]
        return (slice(first, first + shape[0]),) + middle(shape[1:], widths[1:])


# -- what is put before and behind, along the first axis ------------------------------------------


def put_edge(x, left, n):
    for i in range(left):
        x[i] = x[left]
    for i in range(left + n, x.shape[0]):
        x[i] = x[left + n - 1]


def put_ramp(x, left, n, ends):
    right = x.shape[0] - left - n
    for i in range(left):
        x[i] = on_ramp(x[left], ends[0], i, left, x.dtype)
    for i in range(right):
        x[x.shape[0] - 1 - i] = on_ramp(x[left + n - 1], ends[1], i, right, x.dtype)


def on_ramp(edge, end, i, count, dtype):
    if dtype.kind == "f" or dtype.kind == "c":
        return end + i * ((edge - end) / count)
    else:
        return np.floor(end + i * ((edge * 1.0 - end) / count))


def statistic(part, mode, dtype):
    if mode == "maximum":
        return np.max(part, axis=0)
    elif mode == "minimum":
        return np.min(part, axis=0)
    elif dtype.kind == "f" or dtype.kind == "c":
        return np.mean(part, axis=0) if mode == "mean" else np.median(part, axis=0)
    else:
        return np.rint(np.mean(part, axis=0) if mode == "mean" else np.median(part, axis=0))


def put_statistic(x, left, n, mode, lengths):
    before = n if lengths[0] is None else min(lengths[0], n)
    behind = n if lengths[1] is None else min(lengths[1], n)
    if (before == 0 or behind == 0) and (mode == "maximum" or mode == "minimum"):
        raise ValueError("stat_length of 0 yields no value for padding")
    of_start = statistic(x[left : left + before], mode, x.dtype)
    of_end = statistic(x[left + n - behind : left + n], mode, x.dtype)
    x[:left] = of_start
    x[left + n :] = of_end


def put_mirrored(x, left, n, edge_twice, odd):
    """Outwards, so that what is mirrored may be padding already."""
    skip = 0 if edge_twice else 1
    period = n if edge_twice else n - 1
    for d in range(1, left + 1):
        at = left - (d - 1) // period * period  # the edge that it is mirrored at
        source = 2 * at - (left - d) - 1 + skip
        x[left - d] = 2 * x[at] - x[source] if odd else x[source]
    last = left + n - 1
    for d in range(1, x.shape[0] - left - n + 1):
        at = last + (d - 1) // period * period
        source = 2 * at - (last + d) + 1 - skip
        x[last + d] = 2 * x[at] - x[source] if odd else x[source]


def put_wrapped(x, left, n):
    for i in range(left):
        x[i] = x[left + (i - left) % n]
    for i in range(left + n, x.shape[0]):
        x[i] = x[left + (i - left) % n]


def put(x, left, n, mode, values, ends, lengths, odd, axis):
    """Pads the first axis of ``x``, whose ``n`` rows from ``left`` on are there."""
    if mode == "constant":
        x[:left] = cast(values[0], x.dtype)
        x[left + n :] = cast(values[1], x.dtype)
    elif mode != "empty" and x.shape[0] > n:
        if n == 0:
            raise ValueError(
                f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
            )
        if mode == "edge":
            put_edge(x, left, n)
        elif mode == "linear_ramp":
            put_ramp(x, left, n, ends)
        elif mode == "wrap":
            put_wrapped(x, left, n)
        elif mode == "symmetric":
            put_mirrored(x, left, n, True, odd)
        elif mode == "reflect":
            if n == 1:
                put_edge(x, left, n)
            else:
                put_mirrored(x, left, n, False, odd)
        else:
            put_statistic(x, left, n, mode, lengths)


def put_axes(out, shape, widths, mode, values, ends, lengths, odd, axis):
    """From one axis on: those before it are padded, those behind it are not."""
    if axis < len(shape):
        whole = out[
            (*((slice(None),) * (axis + 1)), *middle(shape[axis + 1 :], widths[axis + 1 :]))
        ]
        rows = whole if axis == 0 else np.moveaxis(whole, axis, 0)
        put(
            rows, widths[axis][0], shape[axis], mode, values[axis], ends[axis], lengths[axis], odd,
            axis,
        )  # fmt: skip
        put_axes(out, shape, widths, mode, values, ends, lengths, odd, axis + 1)


_MODES = (
    "constant",
    "empty",
    "edge",
    "linear_ramp",
    "maximum",
    "mean",
    "median",
    "minimum",
    "reflect",
    "symmetric",
    "wrap",
)


_STATISTICS = ("maximum", "mean", "median", "minimum")


def check_keyword(given, is_used):
    if given is not None and not is_used:
        raise ValueError("unsupported keyword arguments for this mode of np.pad")


def check_widths(widths):
    for before, behind in widths:
        if before < 0 or behind < 0:
            raise ValueError("index can't contain negative values")


@function("numpy.pad")
def pad(
    array,
    pad_width,
    mode="constant",
    *,
    constant_values=None,
    end_values=None,
    stat_length=None,
    reflect_type=None,
):
    """The mode is a literal string; functions as modes are refused."""
    a = as_array(array)
    if not isinstance(mode, str):
        return refuse("np.pad: the mode is a literal string in compiled code, not a function")
    elif not is_constant(mode) or mode not in _MODES:
        raise ValueError("np.pad: this mode is not supported")
    else:
        check_keyword(constant_values, mode == "constant")
        check_keyword(end_values, mode == "linear_ramp")
        check_keyword(stat_length, mode in _STATISTICS)
        check_keyword(reflect_type, mode == "reflect" or mode == "symmetric")
        widths = pairs(pad_width, a.ndim)
        check_widths(widths)
        out = np.empty(padded_shape(a.shape, widths), a.dtype)
        out[middle(a.shape, widths)] = a
        values = pairs(0 if constant_values is None else constant_values, a.ndim)
        ends = pairs(0 if end_values is None else end_values, a.ndim)
        lengths = pairs(stat_length, a.ndim)
        put_axes(out, a.shape, widths, mode, values, ends, lengths, reflect_type == "odd", 0)
        return out
