"""Functions that make arrays."""

import numpy as np

from ..core.array_expressions import evaluate, fill, store
from ..core.intrinsics import (
    as_readonly,
    broadcast,
    cast,
    contiguous,
    copy_items,
    is_scalar,
    layout_is,
    nesting,
    promote,
    refuse,
    set_flat,
    set_item,
    stored,
    strided,
)
from ..core.registry import function
from .indexing import nonzero
from .methods import at_least_one, index_of, normal_axis, product, ravel


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
    if not is_scalar(fill_value):
        return full_of_array(shape, fill_value, dtype, order)
    elif dtype is None:
        out = np.empty(shape, promote(fill_value), order)
        fill(out, fill_value)
        return out
    else:
        out = np.empty(shape, dtype, order)
        fill(out, stored(fill_value, out.dtype))
        return out


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
    else:
        kind = prototype.dtype if dtype is None else dtype
        size = prototype.shape if shape is None else shape
        return make(size, kind, order_like(prototype, order))


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
        fill(out, stored(fill_value, out.dtype))
    else:
        out[...] = asarray(fill_value)
    return out


# --- sequences of numbers


@function("numpy.arange")
def arange(start: "int", stop: "skip" = None, step: "skip" = 1, dtype=None):
    if stop is None:
        return numbers(0, start, step, dtype)
    elif step is None:
        return numbers(start, stop, 1, dtype)
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
    delta = (start + step) - start
    for i in range(out.size):
        set_flat(out, i, start + i * delta)
    return out


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
    if parts > 0 and step != 0:
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
    kind = floating(promote(start, stop))
    if dtype is not None:
        if promote(dtype).kind == "c":
            kind = promote(kind, dtype)
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
    return out


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
    if is_scalar(x):
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


def check_copy(copy):
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
    elif isinstance(a, range):
        check_copy(copy)
        return arange(a.start, a.stop, a.step, dtype)
    else:
        check_copy(copy)
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


# --- diagonals and triangles


@function("numpy.eye")
def eye(N: "size", M: "size" = None, k: "int" = 0, dtype=float, order="C"):
    m = N if M is None else M
    out = np.zeros((N, m), dtype, order)
    for i in range(max(-k, 0), min(N, m - k)):
        out[i, i + k] = cast(1, out.dtype)
    return out


@function("numpy.identity")
def identity(n: "size", dtype=None):
    return eye(n, None, 0, float if dtype is None else dtype)


@function("numpy.diag")
def diag(v: "array", k: "int" = 0):
    a = asarray(v)
    if a.ndim == 1:
        n = a.shape[0] + abs(k)
        out = np.zeros((n, n), a.dtype)
        for i in range(a.shape[0]):
            out[i + max(-k, 0), i + max(k, 0)] = a[i]
        return out
    else:
        if a.ndim != 2:
            raise ValueError("Input must be 1- or 2-d.")
        return diagonal(a, k)


@function("numpy.diagflat")
def diagflat(v: "array", k: "int" = 0):
    return diag(ravel(asarray(v)), k)


def without_two(items, i, j, k=0):
    if k == len(items):
        return ()
    elif k == i or k == j:
        return without_two(items, i, j, k + 1)
    else:
        return (items[k],) + without_two(items, i, j, k + 1)


@function("numpy.diagonal")
@function("Array.diagonal")
def diagonal(a: "array2", offset: "int" = 0, axis1: "skip" = 0, axis2: "skip" = 1):
    if a.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    i, j = normal_axis(axis1, a.ndim), normal_axis(axis2, a.ndim)
    if i == j:
        raise ValueError("axis1 and axis2 cannot be the same")
    down, right = max(-offset, 0), max(offset, 0)
    n = max(min(a.shape[i] - down, a.shape[j] - right), 0)
    start = down * a.strides[i] + right * a.strides[j] if n > 0 else 0
    return as_readonly(
        strided(
            a,
            start,
            without_two(a.shape, i, j) + (n,),
            without_two(a.strides, i, j) + (a.strides[i] + a.strides[j],),
        )
    )


def clamped(i, n):
    return max(min(i, n), 0)


@function("numpy.tri")
def tri(N: "size", M: "size" = None, k: "int" = 0, dtype=float):
    out = np.zeros((max(N, 0), max(N if M is None else M, 0)), dtype)
    for i in range(out.shape[0]):
        fill(out[i, : clamped(i + k + 1, out.shape[1])], cast(1, out.dtype))
    return out


def square_of(m):
    """Triangles of a vector are those of the matrix with it in every row."""
    if m.ndim == 1:
        return ordered(broadcast(m, (m.shape[0], m.shape[0])), "C")
    elif layout_is(m, "C"):
        return m
    else:
        return ordered(m, "C")


def triangle(m, k, lower):
    a = square_of(asarray(m))
    out = np.zeros(a.shape, a.dtype)
    rows, columns = a.shape[a.ndim - 2], a.shape[a.ndim - 1]
    for o in range(product(a.shape[: a.ndim - 2])):
        for i in range(rows):
            at = (o * rows + i) * columns
            if lower:
                copy_items(out, at, a, at, clamped(i + k + 1, columns))
            else:
                c = clamped(i + k, columns)
                copy_items(out, at + c, a, at + c, columns - c)
    return out


@function("numpy.tril")
def tril(m: "array2", k: "int" = 0):
    return triangle(m, k, True)


@function("numpy.triu")
def triu(m: "array2", k: "int" = 0):
    return triangle(m, k, False)


@function("numpy.tril_indices")
def tril_indices(n: "size", k: "int" = 0, m: "size" = None):
    return nonzero(tri(n, m, k, np.bool_))


@function("numpy.triu_indices")
def triu_indices(n: "size", k: "int" = 0, m: "size" = None):
    return nonzero(evaluate(~tri(n, m, k - 1, np.bool_)))


@function("numpy.tril_indices_from")
def tril_indices_from(arr: "array2", k: "int" = 0):
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return tril_indices(arr.shape[0], k, arr.shape[1])


@function("numpy.triu_indices_from")
def triu_indices_from(arr: "array2", k: "int" = 0):
    if arr.ndim != 2:
        raise ValueError("input array must be 2-d")
    return triu_indices(arr.shape[0], k, arr.shape[1])


@function("numpy.diag_indices")
def diag_indices(n: "size", ndim: "skip" = 2):
    return (arange(n),) * ndim


@function("numpy.diag_indices_from")
def diag_indices_from(arr: "square"):
    if arr.ndim < 2:
        raise ValueError("input array must be at least 2-d")
    check_equal_lengths(arr)
    return diag_indices(arr.shape[0], arr.ndim)


def check_equal_lengths(a):
    for n in a.shape:
        if n != a.shape[0]:
            raise ValueError("All dimensions of input must be of equal length")


@function("numpy.fill_diagonal")
def fill_diagonal(a: "square", val: "scalar", wrap: "skip" = False):
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim > 2:
        check_equal_lengths(a)
    items = asarray(val)
    flat = ravel(items)
    n = a.shape[0]
    for extent in a.shape:
        n = min(n, extent)
    if wrap and a.ndim == 2:
        step = a.shape[1] + 1
        n = (a.size + step - 1) // step
    for i in range(n):
        item = flat[i % flat.size]
        if items.dtype.kind == "f" and (a.dtype.kind == "i" or a.dtype.kind == "u"):
            if not np.isfinite(item):
                raise ValueError("cannot convert float NaN or infinity to integer")
        x = cast(item, a.dtype)
        if wrap and a.ndim == 2:
            a[index_of(i * (a.shape[1] + 1), a.shape)] = x
        else:
            a[(i,) * a.ndim] = x


@function("numpy.vander")
def vander(x: "array1", N: "size" = None, increasing=False):
    a = asarray(x)
    if a.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    n = a.shape[0] if N is None else N
    out = np.empty((a.shape[0], n), promote(a, 1))
    for i in range(a.shape[0]):
        power = cast(1, out.dtype)
        for j in range(n):
            out[i, j if increasing else n - 1 - j] = power
            power = cast(power * a[i], out.dtype)
    return out


# --- grids


def along_axis(n, ndim, axis, k=0):
    """Shape of a vector of length ``n`` that lies along one axis."""
    if k == ndim:
        return ()
    else:
        return (n if k == axis else 1,) + along_axis(n, ndim, axis, k + 1)


def line_along(x, ndim, axis):
    """A vector as a view that lies along one of several axes."""
    if layout_is(x, "C"):
        return contiguous(x, along_axis(x.size, ndim, axis))
    else:
        shape = along_axis(x.size, ndim, axis)
        return strided(x, 0, shape, along_axis(x.strides[0], ndim, axis))


def lengths(arrays):
    if len(arrays) == 0:
        return ()
    else:
        return (asarray(arrays[0]).size,) + lengths(arrays[1:])


@function("numpy.meshgrid")
def meshgrid(*xi: "arrays", copy=True, sparse=False, indexing="xy"):
    if indexing == "xy" and len(xi) > 1:
        n = lengths(xi)
        return grids(xi, 0, (n[1], n[0]) + n[2:], True, sparse, copy)
    else:
        return grids(xi, 0, lengths(xi), False, sparse, copy)


def grids(xi, k, shape, swap, sparse, copy):
    if k == len(xi):
        return ()
    else:
        given = asarray(xi[k])
        x = given if given.ndim == 1 else ravel(given)
        axis = 1 - k if swap and k < 2 else k
        line = line_along(x, len(shape), axis)
        rest = grids(xi, k + 1, shape, swap, sparse, copy)
        if sparse:
            return (ordered(line, "C") if copy else line,) + rest
        elif copy:
            return (ordered(broadcast(line, shape), "C"),) + rest
        else:
            return (broadcast(line, shape),) + rest


@function("numpy.indices")
def indices(dimensions: "shape", dtype=int, sparse=False):
    if sparse:
        return sparse_indices(dimensions, dtype, 0)
    else:
        out = np.empty((len(dimensions),) + dimensions, dtype)
        write_indices(out, dimensions)
        return out


def line_of(n, dtype, ndim, axis):
    return line_along(arange(n, dtype=dtype), ndim, axis)


def sparse_indices(dimensions, dtype, k):
    if k == len(dimensions):
        return ()
    else:
        line = line_of(dimensions[k], dtype, len(dimensions), k)
        return (line,) + sparse_indices(dimensions, dtype, k + 1)


def write_indices(out, dimensions):
    at = 0
    inner = product(dimensions)
    outer = 1
    for n in dimensions:
        inner = inner // max(n, 1)
        for o in range(outer):
            for i in range(n):
                for j in range(inner):
                    set_flat(out, at, i)
                    at += 1
        outer *= n


@function("numpy.ix_")
def ix_(*args: "indices1"):
    return open_mesh(args, 0)


def open_mesh(args, k):
    if k == len(args):
        return ()
    else:
        x = asarray(args[k])
        if x.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        i = nonzero(x)[0] if x.dtype == np.bool_ else x
        line = line_along(i, len(args), k)
        return (line,) + open_mesh(args, k + 1)
