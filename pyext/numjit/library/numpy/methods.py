"""Methods and attributes of arrays that change shape, type or contents."""

import numpy as np

from ..core.array_expressions import fill
from ..core.axes import check_integer, replaced
from ..core.intrinsics import (
    array_of_flat,
    cast,
    contiguous,
    get_flat,
    layout_is,
    refuse,
    reinterpret,
    store,
    stored,
    strided,
    time_kind,
    units_of,
    with_units,
)
from ..core.registry import function
from ..python.tuples import RunTimeTuple, to_fixed_tuple


@function("Array.astype")
def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
    if not copy and self.dtype == dtype:
        return self
    elif casting != "unsafe" and not np.can_cast(self.dtype, dtype, casting):
        raise TypeError("Cannot cast array data to this dtype according to the rule of `casting`")
    elif time_kind(dtype) != "":
        return self.astype(np.int64).view(dtype)
    elif order == "F" or (order != "C" and layout_is(self, "F") and not layout_is(self, "C")):
        out = np.empty(self.shape, dtype, "F")
        store(out, self)
        return with_units(out, units_of(self))
    else:
        out = np.empty(self.shape, dtype)
        store(out, self)
        return with_units(out, units_of(self))


@function("numpy.astype")
def np_astype(x: "array", dtype, /, *, copy=True):
    return astype(x, dtype, copy=copy)


@function("Array.fill")
def fill_method(self, value):
    fill(self, stored(value, self.dtype))


@function("Array.item")
def item(self, *index):
    if len(index) == 0:
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return self[(0,) * self.ndim]
    elif len(index) == 1 and isinstance(index[0], tuple):
        return item_at(self, index[0])
    elif len(index) == 1:
        i, n = index[0], self.size
        check_integer(i, "index")
        if i < -n or i >= n:
            raise IndexError("index is out of bounds")
        k = i + n if i < 0 else i
        return get_flat(self, k) if layout_is(self, "C") else self[index_of(k, self.shape)]
    else:
        return item_at(self, index)


def item_at(a, index):
    if len(index) != a.ndim:
        refuse("incorrect number of indices for array")
    elif not within(index, a.shape):
        raise IndexError("index is out of bounds")
    else:
        return a[index]


def within(index, shape):
    for i, extent in zip(index, shape):
        if i < -extent or i >= extent:
            return False
    return True


@function("Array.itemset")
def itemset(self, *args):
    """NumPy before 2.0 has it."""
    index, value = args[: len(args) - 1], args[len(args) - 1]
    if len(args) == 1:
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        self[(0,) * self.ndim] = value
    elif len(args) == 2 and not isinstance(args[0], tuple):
        self.flat[args[0]] = value
    elif len(args) == 2:
        self[args[0]] = value
    else:
        self[index] = value


@function("Array.tolist")
def tolist(self):
    if self.ndim == 0:
        return self[()]
    elif self.ndim == 1:
        return list(self)
    else:
        return [tolist(row) for row in self]


@function("Array.view")
@function("Number.view")
def view(self, dtype):
    return reinterpret(self, dtype)


def lies_in_order(a):
    """Whether an array of any layout is contiguous in C order."""
    step = a.itemsize
    for i in range(a.ndim - 1, -1, -1):
        if a.shape[i] != 1 and a.strides[i] != step:
            return False
        step *= a.shape[i]
    return True


def by_steps(a):
    """A view whose axes are in the order of their steps in memory, the largest first."""
    if layout_is(a, "F"):
        return a.T
    else:
        shape, steps = a.shape, a.strides
        for i in range(1, a.ndim):
            to = i
            for j in range(i - 1, -1, -1):
                if steps[i] != 0 and steps[j] != 0:  # an axis without a step stays where it is
                    if abs(steps[i]) <= abs(steps[j]):
                        break
                    to = j
            for j in range(i, to, -1):
                shape, steps = with_swapped(shape, j), with_swapped(steps, j)
        return strided(a, 0, shape, steps)


def with_swapped(items, j):
    """A tuple of ints with items j - 1 and j the other way round."""
    return replaced(replaced(items, j, items[j - 1]), j - 1, items[j])


@function("numpy.ravel")
def ravel(a, order="C"):
    if not isinstance(a, np.ndarray):
        return ravel(np.asarray(a), order)
    elif order == "F":
        return ravel(a.T)
    elif order == "A" and layout_is(a, "F"):
        return ravel(a.T)
    elif order == "K" and not layout_is(a, "C"):
        return ravel(by_steps(a))
    elif layout_is(a, "C"):
        return contiguous(a, (a.size,))
    elif a.flags.writeable and lies_in_order(a):
        return contiguous(a, (a.size,))
    else:
        return flatten(a)


@function("Array.ravel")
def ravel_method(self, order="C"):
    return ravel(self, order)


@function("Array.flatten")
def flatten(self, order="C"):
    if order == "F" or (order == "A" and layout_is(self, "F")):
        return flatten(self.T)
    elif order == "K" and not layout_is(self, "C"):
        return flatten(by_steps(self))
    else:
        out = np.empty(self.shape, self.dtype)
        store(out, self)
        return contiguous(out, (self.size,))


def at_least_one(a):
    """np.atleast_1d of an array."""
    return a[None] if a.ndim == 0 else a


def known_size(shape):
    """Product of the extents that are not left open."""
    n = 1
    for extent in shape:
        if extent >= 0:
            n *= extent
    return n


def resolved_shape(shape, size):
    known = known_size(shape)
    unknown = 0
    for n in shape:
        if n < 0:
            unknown += 1
    if unknown > 1:
        raise ValueError("can only specify one unknown dimension")
    if unknown > 0 and (known == 0 or size % known != 0):
        raise ValueError("total size of new array must be unchanged")
    missing = size // max(known, 1)
    return with_missing(shape, missing)


def with_missing(shape, missing):
    if len(shape) == 0:
        return ()
    else:
        first = shape[0]
        if first < 0:
            first = missing
        return (first,) + with_missing(shape[1:], missing)


@function("numjit.product")
def product(shape):
    n = 1
    for extent in shape:
        n *= extent
    return n


def is_boundary(shape, n):
    """Whether the last axes of a shape hold ``n`` elements."""
    count = 1
    for extent in shape[::-1]:
        count *= extent
        if count == n:
            return True
    return False


def steps_evenly(a, shape):
    """Whether the elements of an array lie so that one of another shape can look at them: axes
    that the shape takes apart otherwise have to follow on each other."""
    inside = 1
    span = 0
    for i in range(a.ndim - 1, -1, -1):
        n = a.shape[i]
        if n != 1:
            if inside > 1 and a.strides[i] != span and not is_boundary(shape, inside):
                return False
            span = a.strides[i] * n
            inside *= n
    return True


def steps(a, shape):
    """The strides of a view of another shape."""
    if len(shape) == 0:
        return ()
    else:
        return (offset_of(a, index_of(product(shape[1:]), a.shape)),) + steps(a, shape[1:])


def reshape_to(a, shape, order):
    if order == "F" or (order == "A" and layout_is(a, "F")):
        return reshape_to(a.T, shape[::-1], "C").T
    else:
        full = resolved_shape(shape, a.size)
        if product(full) != a.size:
            raise ValueError("total size of new array must be unchanged")
        if layout_is(a, "C"):
            return contiguous(a, full)
        elif not a.flags.writeable:
            return contiguous(flatten(a), full)
        elif a.size > 0 and steps_evenly(a, full):
            return strided(a, 0, full, steps(a, full))
        else:
            copy = contiguous(flatten(a), full)
            return strided(copy, 0, full, copy.strides)


@function("Array.reshape")
def reshape(self, *shape, order="C", copy=None):
    if len(shape) == 1:
        return np_reshape(self, shape[0], order, copy=copy)
    else:
        return np_reshape(self, shape, order, copy=copy)


@function("numpy.reshape")
def np_reshape(a, /, shape: "shape", order="C", *, copy=None):
    source = np.asarray(a)
    if copy:
        return np_reshape(flatten_as(source, order), shape, order)
    elif isinstance(shape, tuple):
        return reshape_to(source, shape, order)
    else:
        return reshape_to(source, (shape,), order)


def flatten_as(a, order):
    out = np.empty(a.shape, a.dtype, "F" if order == "F" else "C")
    store(out, a)
    return out


def picked(items, positions):
    """The items at some positions, as a tuple."""
    if len(positions) == 0:
        return ()
    else:
        return (items[positions[0]],) + picked(items, positions[1:])


def is_axis(axis, ndim):
    return axis >= -ndim and axis < ndim


def normal_axis(axis, ndim):
    """``axis`` counted from the front; it may be known at run time only."""
    check_integer(axis, "axis")
    if not is_axis(axis, ndim):
        raise np.exceptions.AxisError(axis, ndim)
    return axis + ndim if axis < 0 else axis


def normal_axes(axes, ndim):
    if len(axes) == 0:
        return ()
    else:
        return (normal_axis(axes[0], ndim),) + normal_axes(axes[1:], ndim)


def axes_behind(a, axes):
    """The view with some axes, which are known at run time only, behind the others."""
    last = normal_axes(axes, a.ndim)
    if len(axes) > a.ndim:
        raise ValueError("duplicate value in 'axis'")
    else:
        for k in range(len(last)):
            if last.index(last[k]) != k:
                raise ValueError("duplicate value in 'axis'")
        order = axes_but(last, a.ndim - len(last)) + last
        return strided(a, 0, picked(a.shape, order), picked(a.strides, order))


def axes_but(axes, n, k=0):
    """The first ``n`` axes that are not among ``axes``."""
    if k == n:
        return ()
    else:
        return (nth_but(axes, k),) + axes_but(axes, n, k + 1)


def nth_but(axes, n):
    axis = 0
    while axis in axes or n > 0:
        if axis not in axes:
            n -= 1
        axis += 1
    return axis


def last_axes(n):
    if n == 0:
        return ()
    else:
        return (-n,) + last_axes(n - 1)


def with_ones(shape, axes, k=0):
    """The shape with extents of 1 at some axes, known at run time only."""
    if k == len(shape):
        return ()
    else:
        n = 1 if k in axes or k - len(shape) in axes else shape[k]
        return (n,) + with_ones(shape, axes, k + 1)


def each_once(axes):
    seen = 0
    for axis in axes:
        if seen & (1 << axis):
            raise ValueError("repeated axis in transpose")
        seen |= 1 << axis


def tuple_of(items, length):
    """Integers in a sequence as a tuple whose length is known."""
    if isinstance(items, (list, np.ndarray)):
        return to_fixed_tuple(items, length)
    elif isinstance(items, RunTimeTuple):
        return to_fixed_tuple(items.items, length)
    else:
        return items


def permuted(a, axes):
    if len(axes) != a.ndim:
        raise ValueError("axes don't match array")
    order = normal_axes(tuple_of(axes, a.ndim), a.ndim)
    each_once(order)
    return strided(a, 0, picked(a.shape, order), picked(a.strides, order))


@function("Array.transpose")
def transpose(self, *axes):
    if len(axes) == 0:
        return self.T
    elif len(axes) == 1 and axes[0] is None:
        return self.T
    elif len(axes) == 1 and isinstance(axes[0], (tuple, list, np.ndarray)):
        return permuted(self, axes[0])
    else:
        return permuted(self, axes)


@function("numpy.transpose")
@function("numpy.permute_dims")
def np_transpose(a, axes: "skip" = None):
    x = np.asarray(a)
    if axes is None:
        return x.T
    else:
        return permuted(x, axes)


@function("Array.conj")
@function("Array.conjugate")
def conjugate(self):
    if self.dtype.kind == "c":
        return np.conj(self)
    else:
        return self


@function("Array.real", when="assignment")
def assign_real(self, value):
    self.real[...] = value


@function("Array.imag", when="assignment")
def assign_imag(self, value):
    if self.dtype.kind != "c":
        raise TypeError("array does not have imaginary part to set")
    self.imag[...] = value


def offset_of(a, index):
    """Bytes from the first element to another."""
    offset = 0
    for k in range(a.ndim):
        offset += index[k] * a.strides[k]
    return offset


@function("numjit.view_of_item")
def view_of_item(a, index):
    """One element as an array of no dimensions."""
    return strided(a, offset_of(a, index), (), ())


@function("numjit.index_of")
def index_of(i, shape):
    """Position of element ``i`` in C order, as a tuple."""
    if len(shape) == 0:
        return ()
    else:
        inner = product(shape[1:])
        return (i // inner,) + index_of(i % inner, shape[1:])


def flat_number(a, i):
    if i < 0:
        i += a.size
    if i < 0 or i >= a.size:
        raise IndexError("index is out of bounds")
    return i


@function("Flat.__getitem__")
def flat_getitem(self, index):
    a = array_of_flat(self)
    if isinstance(index, int):
        i = flat_number(a, index)
        return get_flat(a, i) if layout_is(a, "C") else a[index_of(i, a.shape)]
    else:
        return flatten(a)[index]


@function("Flat.__setitem__")
def flat_setitem(self, index, value):
    a = array_of_flat(self)
    if isinstance(index, int):
        i = flat_number(a, index)
        if layout_is(a, "C"):
            ravel(a)[i] = value
        else:
            a[index_of(i, a.shape)] = value
    else:
        at = np.arange(a.size)[index]
        items = np.asarray(value).ravel()
        if items.size == 0 and at.size > 0:
            raise ValueError("Cannot set items from an empty value")
        for k in range(at.size):
            a[index_of(at[k], a.shape)] = cast(items[k % items.size], a.dtype)


@function("Array.flat", when="assignment")
def flat_assign(self, value):
    flat_setitem(self.flat, slice(None), value)


@function("Flat.__len__")
@function("Flat.size", when="attribute")
def flat_len(self):
    return array_of_flat(self).size


@function("Flat.copy")
def flat_copy(self):
    return flatten(array_of_flat(self))


@function("Array.__contains__")
def contains(self, value):
    if self.ndim == 0:
        return self[()] == value
    elif self.ndim == 1:
        for i in range(self.shape[0]):
            if self[i] == value:
                return True
        return False
    else:
        for i in range(self.shape[0]):
            if contains(self[i], value):
                return True
        return False


@function("Array.__bool__")
def truth(self):
    if self.size == 0:
        raise ValueError(
            "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an "
            "array is not empty."
        )
    elif self.size > 1:
        raise ValueError(
            "The truth value of an array with more than one element is ambiguous. "
            "Use a.any() or a.all()"
        )
    return self[(0,) * self.ndim] != 0


@function("cffi.from_buffer")
def from_buffer(array):
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        raise ValueError("from_buffer() of an array whose elements lie apart")
    return array.ctypes
