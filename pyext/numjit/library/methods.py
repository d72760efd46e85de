"""Methods and attributes of arrays that change shape, type or contents."""

import numpy as np

from .array_expressions import fill
from .intrinsics import array_of_flat, cast, contiguous, layout_is, reinterpret, store, strided
from .registry import function


@function("Array.astype")
def astype(self, dtype):
    order = "F" if self.flags.f_contiguous and not self.flags.c_contiguous else "C"
    out = np.empty(self.shape, dtype, order)
    store(out, self)
    return out


@function("Array.fill")
def fill_method(self, value):
    fill(self, cast(value, self.dtype))


@function("Array.item")
def item(self, *index):
    if len(index) == 0:
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return self[(0,) * self.ndim]
    elif len(index) == 1 and self.ndim != 1:
        return self.ravel()[index[0]]
    else:
        return self[index]


@function("Array.view")
def view(self, dtype):
    return reinterpret(self, dtype)


@function("Array.ravel")
@function("numpy.ravel")
def ravel(self):
    if layout_is(self, "C"):
        return contiguous(self, (self.size,))
    else:
        return flatten(self)


@function("Array.flatten")
def flatten(self):
    out = np.empty(self.shape, self.dtype)
    store(out, self)
    return contiguous(out, (self.size,))


def known_size(shape):
    """Product of the extents that are not -1."""
    n = 1
    for extent in shape:
        if extent != -1:
            n *= extent
    return n


def resolved_shape(shape, size):
    known = known_size(shape)
    unknown = shape.count(-1)
    if unknown > 1:
        raise ValueError("can only specify one unknown dimension")
    if unknown > 0 and (known == 0 or size % known != 0):
        raise ValueError("cannot reshape array: the number of elements differs")
    missing = size // max(known, 1)
    return with_missing(shape, missing)


def with_missing(shape, missing):
    if len(shape) == 0:
        return ()
    else:
        first = shape[0]
        if first == -1:
            first = missing
        return (first,) + with_missing(shape[1:], missing)


def product(shape):
    n = 1
    for extent in shape:
        n *= extent
    return n


def reshape_to(a, shape):
    full = resolved_shape(shape, a.size)
    if product(full) != a.size:
        raise ValueError("cannot reshape array: the number of elements differs")
    if layout_is(a, "C"):
        return contiguous(a, full)
    else:
        return contiguous(flatten(a), full)


@function("Array.reshape")
def reshape(self, *shape):
    if len(shape) == 1:
        if isinstance(shape[0], tuple):
            return reshape_to(self, shape[0])
        else:
            return reshape_to(self, (shape[0],))
    else:
        return reshape_to(self, shape)


@function("numpy.reshape")
def np_reshape(a, shape):
    if isinstance(shape, tuple):
        return reshape_to(a, shape)
    else:
        return reshape_to(a, (shape,))


def picked(items, positions):
    """The items at some positions, as a tuple."""
    if len(positions) == 0:
        return ()
    else:
        return (items[positions[0]],) + picked(items, positions[1:])


def permuted(a, axes):
    if len(axes) != a.ndim:
        raise ValueError("axes don't match array")
    return strided(a, 0, picked(a.shape, axes), picked(a.strides, axes))


@function("Array.transpose")
def transpose(self, *axes):
    if len(axes) == 0:
        return self.T
    elif len(axes) == 1 and isinstance(axes[0], tuple):
        return permuted(self, axes[0])
    else:
        return permuted(self, axes)


@function("numpy.transpose")
def np_transpose(a, axes=None):
    if axes is None:
        return a.T
    else:
        return permuted(a, axes)


@function("Array.conj")
@function("Array.conjugate")
def conjugate(self):
    return np.conj(self)


def index_of(i, shape):
    """Position of element ``i`` in C order, as a tuple."""
    if len(shape) == 0:
        return ()
    else:
        inner = product(shape[1:])
        return (i // inner,) + index_of(i % inner, shape[1:])


def flat_position(a, i):
    if i < 0:
        i += a.size
    if i < 0 or i >= a.size:
        raise IndexError("index is out of bounds")
    return index_of(i, a.shape)


@function("Flat.__getitem__")
def flat_getitem(self, index):
    a = array_of_flat(self)
    if isinstance(index, slice):
        return flatten(a)[index]
    else:
        return a[flat_position(a, index)]


@function("Flat.__setitem__")
def flat_setitem(self, index, value):
    a = array_of_flat(self)
    a[flat_position(a, index)] = value


@function("Flat.__len__")
@function("Flat.size (attribute)")
def flat_len(self):
    return array_of_flat(self).size


@function("Flat.__iter__")
def flat_iter(self):
    return ravel(array_of_flat(self))


@function("Array.__contains__")
def contains(self, value):
    if self.ndim == 1:
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
    if self.size != 1:
        raise ValueError("The truth value of an array with more than one element is ambiguous")
    return self[(0,) * self.ndim] != 0
