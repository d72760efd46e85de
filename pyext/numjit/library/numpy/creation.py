"""Functions that make arrays."""

import numpy as np

from ..core.array_expressions import PARALLEL_FROM, evaluate, fill, store
from ..core.intrinsics import (
    cast,
    is_parallel,
    is_scalar,
    is_text,
    layout_is,
    nesting,
    prange,
    promote,
    refuse,
    set_flat,
    set_item,
    stored,
    units_of,
    with_units,
)
from ..core.registry import function
from .methods import at_least_one, product


@function("numpy.ones")
def ones(shape, dtype=None, order="C"):
    out = np.empty(shape, dtype, order)
    fill(out, cast(1, out.dtype))
    return out


@function("numpy.ndarray")
def ndarray(
    shape,
    dtype=None,
    buffer: "skip" = None,
    offset: "skip" = 0,
    strides: "skip" = None,
    order: "skip" = None,
):
    if strides is not None:
        return refuse("np.ndarray() with strides", "use np.lib.stride_tricks.as_strided")
    elif buffer is not None:
        size = product(shape if isinstance(shape, tuple) else (shape,))
        return np.frombuffer(buffer, dtype, size, offset).reshape(
            shape, order="C" if order is None else order
        )
    else:
        return np.empty(shape, dtype, order)


@function("numpy.full")
def full(shape, fill_value, dtype=None, order="C"):
    if isinstance(fill_value, (str, bytes)):
        out = np.empty(shape, promote((fill_value,)) if dtype is None else dtype, order)
        out[...] = fill_value
        return out
    elif not is_scalar(fill_value):
        return full_of_array(shape, fill_value, dtype, order)
    elif dtype is None:
        out = np.empty(shape, promote(fill_value), order)
        fill(out, fill_value)
        return out
    else:
        out = np.empty(shape, dtype, order)
        fill(out, filling(fill_value, out.dtype))
        return out


def filling(value, dtype):
    """NumPy refuses integers that do not fit, and casts floats."""
    if isinstance(value, float):
        return cast(value, dtype)
    else:
        return stored(value, dtype)


def full_of_array(shape, fill_value, dtype, order):
    items = asarray(fill_value)
    out = np.empty(shape, items.dtype if dtype is None else dtype, order)
    out[...] = items
    return out


def order_like(a, order):
    if order == "F" or (order != "C" and layout_is(a, "F") and not layout_is(a, "C")):
        return "F"
    else:
        return "C"


def made_like(make, prototype, dtype, order, shape):
    """An array of ``np.empty`` or ``np.zeros`` with what is not given taken from another one."""
    if is_scalar(prototype):
        kind = promote(prototype) if dtype is None else dtype
        return make(() if shape is None else shape, kind)
    elif not isinstance(prototype, np.ndarray):
        return made_like(make, asarray(prototype), dtype, order, shape)
    elif shape is None:
        made = made_like(make, prototype, dtype, order, prototype.shape)
        return with_units(made, units_of(prototype))
    else:
        kind = prototype.dtype if dtype is None else dtype
        return make(shape, kind, order_like(prototype, order))


@function("numpy.empty_like")
def empty_like(prototype: "a", /, dtype=None, order="K", subok=True, shape=None):
    return made_like(np.empty, prototype, dtype, order, shape)


@function("numpy.zeros_like")
def zeros_like(a, dtype=None, order="K", subok=True, shape=None):
    return made_like(np.zeros, a, dtype, order, shape)


@function("numpy.ones_like")
def ones_like(a, dtype=None, order="K", subok=True, shape=None):
    out = empty_like(a, dtype, order, subok, shape)
    fill(out, cast(1, out.dtype))
    return out


@function("numpy.full_like")
def full_like(a, fill_value: "scalar", dtype=None, order="K", subok=True, shape=None):
    out = empty_like(a, dtype, order, subok, shape)
    if is_scalar(fill_value):
        fill(out, filling(fill_value, out.dtype))
    else:
        out[...] = asarray(fill_value)
    return out


# --- sequences of numbers


@function("numpy.arange")
def arange(start: "int", stop: "skip" = None, step: "skip" = 1, dtype=None):
    if step is None:
        return arange(start, stop, 1, dtype)
    elif stop is None:
        return numbers(0, start, step, dtype)
    else:
        return numbers(start, stop, step, dtype)


def numbers(start, stop, step, dtype):
    kind = promote(start, stop, step)
    if dtype is not None:
        target = dtype
    elif kind.kind == "f":
        target = np.float64
    elif kind.kind == "c":
        target = np.complex128
    else:
        target = np.int64
    if kind.kind == "f":
        if step == 0:
            raise ZeroDivisionError("division by zero")
        length = int(np.ceil((stop - start) / step))
    elif kind.kind == "c":
        steps = (stop - start) / step  # in both directions
        length = min(int(np.ceil(steps.real)), int(np.ceil(steps.imag)))
    else:
        length = -((np.int64(start) - np.int64(stop)) // np.int64(step))
    out = np.empty(max(length, 0), target)
    if out.size > 0:  # NumPy stores the first two as they are
        stored(start, target)
    if out.size > 1:
        stored(start + step, target)
    if kind.kind == "f" and (out.dtype.kind == "i" or out.dtype.kind == "u"):
        # So that what counts is the step between the first two.
        number(out, int(start), int(start + step) - int(start))
    else:
        number(out, start, (start + step) - start)
    return out


def number(out, start, delta):
    """Writes start, start + delta, ..."""
    if is_parallel() and out.size >= PARALLEL_FROM:
        number_in_parallel(out, start, delta)
    else:
        for i in range(out.size):
            set_flat(out, i, start + i * delta)


@function("numjit.number_in_parallel", inline=False)
def number_in_parallel(out, start, delta):
    """What number() writes, in several threads."""
    for i in prange(out.size):
        set_flat(out, i, start + i * delta)


def floating(dtype):
    return dtype if dtype.kind == "f" or dtype.kind == "c" else promote(np.float64)


@function("numpy.linspace")
def linspace(
    start: "scalar",
    stop: "scalar",
    num: "size" = 50,
    endpoint=True,
    retstep: "skip" = False,
    dtype=None,
    axis: "skip" = 0,
):
    if num < 0:
        raise ValueError("Number of samples must be non-negative.")
    kind = floating(promote(start, stop))
    first, last = cast(start, kind), cast(stop, kind)
    parts = num - 1 if endpoint else num
    delta = last - first
    step = delta / parts if parts > 0 else delta * np.nan
    out = np.empty(num, kind if dtype is None else dtype)
    if parts > 0 and step != 0 and is_parallel() and num >= PARALLEL_FROM:
        sample_in_parallel(out, first, step)
    elif parts > 0 and step != 0:
        for i in range(num):
            set_flat(out, i, rounded_down(first + i * step, out.dtype))
    else:
        write_samples(out, first, delta, parts)
    if endpoint and num > 1:
        set_flat(out, num - 1, rounded_down(last, out.dtype))
    if retstep:
        return out, step
    else:
        return out


@function("numjit.sample_in_parallel", inline=False)
def sample_in_parallel(out, first, step):
    """What linspace writes, in several threads."""
    for i in prange(out.size):
        set_flat(out, i, rounded_down(first + i * step, out.dtype))


def rounded_down(x, dtype):
    return np.floor(x) if dtype.kind == "i" or dtype.kind == "u" else x


@function("numjit.write_samples", inline=False)
def write_samples(out, first, delta, parts):
    """linspace where the step is no number or so small that it is zero."""
    for i in range(out.size):
        x = first + (i / parts if parts > 0 else float(i)) * delta
        set_flat(out, i, rounded_down(x, out.dtype))


@function("numpy.logspace")
def logspace(
    start: "scalar",
    stop: "scalar",
    num: "size" = 50,
    endpoint=True,
    base: "skip" = 10.0,
    dtype=None,
    axis: "skip" = 0,
):
    exponents = linspace(start, stop, num, endpoint)
    out = np.empty(num, exponents.dtype if dtype is None else dtype)
    for i in range(num):
        set_flat(out, i, np.power(cast(base, exponents.dtype), exponents[i]))
    return out


@function("numpy.geomspace")
def geomspace(
    start: "scalar",
    stop: "scalar",
    num: "size" = 50,
    endpoint=True,
    dtype=None,
    axis: "skip" = 0,
):
    kind = floating(promote(start, stop, np.float64 if dtype is None else dtype))
    first, last = cast(start, kind), cast(stop, kind)
    if first == 0 or last == 0:
        raise ValueError("Geometric sequence cannot include zero")
    sign = np.sign(first)
    low, high = first / sign, last / sign
    samples = logspace(np.log10(low), np.log10(high), num, endpoint)
    if num > 0:
        samples[0] = low
        if num > 1 and endpoint:
            samples[num - 1] = high
    out = np.empty(num, kind if dtype is None else dtype)
    for i in range(num):
        set_flat(out, i, samples[i] * sign)
    return out


# --- copies and conversions


def converted(a, dtype, order):
    """A copy with a dtype and an order of memory."""
    out = np.empty(a.shape, dtype, order_like(a, order))
    store(out, a)
    return with_units(out, units_of(a))


def ordered(a, order):
    """A copy in an order of memory."""
    return converted(a, a.dtype, order)


@function("numpy.copy")
def copy(a, order="K", subok=False):
    if isinstance(a, np.ndarray):
        return ordered(a, order)
    else:
        return asarray(a)


@function("Array.copy")
def copy_method(self, order="C"):
    if order == "C" and not layout_is(self, "F"):
        return evaluate(self)
    else:
        return ordered(self, order)


def sizes(x):
    """Shape of nested sequences of numbers and arrays; the first item of each counts."""
    if is_scalar(x) or isinstance(x, (str, bytes)):
        return ()
    elif isinstance(x, np.ndarray):
        return x.shape
    elif isinstance(x, tuple):
        if len(x) == 0:
            return (0,)
        else:
            return (len(x),) + sizes(x[0])
    else:
        inner = (0,) * (nesting(x) - 1)
        if len(x) > 0:
            inner = sizes(x[0])
        return (len(x),) + inner


def fill_nested(out, items):
    if len(items) != out.shape[0]:
        raise ValueError("setting an array element with a sequence: the array has ragged rows")
    for i, x in enumerate(items):
        if out.ndim == 1:
            set_item(out, i, x)
        elif isinstance(x, np.ndarray):
            if x.shape != out.shape[1:]:
                raise ValueError("setting an array element with a sequence: shapes differ")
            store(out[i], x)
        else:
            fill_nested(out[i], x)


def is_record(x):
    """Whether a tuple has the fields of a record; displays of lists are tuples of tuples here."""
    return isinstance(x, tuple) and not isinstance(x[0], tuple)


def shape_of_records(x):
    """Shape of lists of records, each a tuple of its fields."""
    if is_record(x):
        return ()
    else:
        inner = (0,) * (nesting(x) - 2)
        if len(x) > 0:
            inner = shape_of_records(x[0])
        return (len(x),) + inner


def fill_records(out, items):
    if len(items) != out.shape[0]:
        raise ValueError("setting an array element with a sequence: the array has ragged rows")
    for i, x in enumerate(items):
        if out.ndim == 1:
            set_item(out, i, x)
        else:
            fill_records(out[i], x)


def records(a, dtype):
    """An array of records, of a tuple or of lists of tuples."""
    out = np.empty(shape_of_records(a), dtype)
    if is_record(a):
        out[()] = a
    else:
        fill_records(out, a)
    return out


def check_copy(copy=None):
    """For what only a copy can do."""
    if copy is not None and not copy:
        raise ValueError("Unable to avoid copy while creating an array as requested.")


@function("numpy.asarray")
@function("numpy.asanyarray")
def asarray(a, dtype=None, order=None, *, copy=None):
    if isinstance(a, np.ndarray):
        kind = a.dtype if dtype is None else promote(dtype)
        fits = kind == a.dtype
        if order == "C":
            fits = fits and layout_is(a, "C")
        elif order == "F":
            fits = fits and layout_is(a, "F")
        if fits and not copy:
            return a
        else:
            check_copy(copy)
            return converted(a, kind, "K" if order is None else order)
    elif is_scalar(a):
        check_copy(copy)
        out = np.empty((), promote(a) if dtype is None else dtype)
        out[()] = cast(a, out.dtype)
        return out
    elif is_text(a):
        check_copy(copy)
        return asarray((a,), dtype, order).reshape(())
    elif isinstance(a, range):
        check_copy(copy)
        return arange(a.start, a.stop, a.step, dtype)
    else:
        check_copy(copy)
        if dtype is not None and np.dtype(dtype).kind == "V":
            return records(a, dtype)
        elif dtype is not None and np.dtype(dtype).kind in "US":
            out = np.empty(sizes(a), dtype)
        else:
            out = np.empty(sizes(a), promote(a))
        fill_nested(out, a)
        if dtype is None or dtype == out.dtype:
            return out
        else:
            return out.astype(dtype)


@function("numpy.asarray_chkfinite")
def asarray_chkfinite(a, dtype=None, order=None):
    x = asarray(a, dtype, order)
    if not np.all(np.isfinite(x)):
        raise ValueError("array must not contain infs or NaNs")
    return x


@function("numpy.array")
def array(object: "array", dtype=None, *, copy=True, order="K", subok=False, ndmin: "skip" = 0):
    if isinstance(object, np.ndarray):
        if copy:
            made = converted(object, object.dtype if dtype is None else dtype, order)
        else:
            made = asarray(object, dtype, order, copy=copy)
        return with_dimensions(made, ndmin)
    else:
        check_copy(copy)
        return with_dimensions(asarray(object, dtype, order), ndmin)


def with_dimensions(a, ndmin):
    if a.ndim < ndmin:
        return with_dimensions(a[None], ndmin)
    else:
        return a


@function("numpy.ascontiguousarray")
def ascontiguousarray(a, dtype=None):
    return at_least_one(asarray(a, dtype, "C"))


@function("numpy.asfortranarray")
def asfortranarray(a, dtype=None):
    return at_least_one(asarray(a, dtype, "F"))
