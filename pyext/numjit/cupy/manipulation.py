"""Shapes, layouts and dtypes of arrays: what their methods do. NumPy's functions that only call
these are taken from NumPy (numpy_code.py)."""

from __future__ import annotations

import operator

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from numjit.cuda.cudadrv.layouts import complete

from . import reduction_names, upcalls
from .creation import array, as_order, asarray, empty, empty_like, of_protocol
from .ndarrays import as_shape, checked_dtype, ndarray
from .nodes import Scalar
from .ufuncs import assign, call, cast, choose, finalize, operand

_CLIP = np._core.umath.clip


def astype(a, dtype, order="K", casting="unsafe", subok=None, copy=True):
    """The elements in another dtype."""
    dtype = checked_dtype(dtype)
    if casting != "unsafe" and not np.can_cast(a.dtype, dtype, casting):
        raise TypeError(
            f"Cannot cast array data from {a.dtype!r} to {dtype!r} according to the rule "
            f"'{casting}'"
        )
    if a.dtype != dtype and dtype.names:
        found = empty(a.shape, dtype)
        found[...] = a
        return found
    return array(a, dtype, copy=bool(copy) or None, order=order)


def copy(a, order="C"):
    """A copy."""
    return array(a, order=order)


def _one_argument(shape):
    if len(shape) == 1 and (shape[0] is None or hasattr(shape[0], "__iter__")):
        return shape[0]
    return shape


def reshape(a, *shape, order="C", copy=None):
    """The same elements in another shape: a view where that is possible."""
    if order == "C" and copy is None:
        found = a._reshaped(shape)
        if found is not None:
            return found
    order = order.upper() if isinstance(order, str) else order
    if order not in ("C", "F", "A", None):
        raise ValueError(f"order {order!r} is not permitted for reshaping")
    if isinstance(copy, str):
        raise ValueError("strings are not allowed for 'copy' keyword. Use True/False/None instead.")
    shape = complete(as_shape(_one_argument(shape)), a.size)
    device = a._force()
    if order == "A":
        order = "F" if device._f_contiguous and not device._c_contiguous else "C"
    if not copy:
        try:
            return a._view(device.reshape(*shape, order=order or "C"))
        except NotImplementedError:
            if copy is False:
                raise ValueError("Unable to avoid creating a copy while reshaping.") from None
    new = array(a, order=order or "C")
    return ndarray._over(new._force().reshape(*shape, order=order or "C"), new._buffer)


def _order_in_memory(strides):
    """The axes by falling distances of their elements. Axes that repeat elements have no distance:
    they stay where they are."""
    axes = list(reversed(range(len(strides))))
    for i in range(1, len(axes)):
        at, step = i, abs(strides[axes[i]])
        for j in range(i - 1, -1, -1):
            other = abs(strides[axes[j]])
            if step and other:
                if other <= step:
                    break
                at = j
        axes.insert(at, axes.pop(i))
    return axes[::-1]


def ravel(a, order="C"):
    """A vector of the elements, one behind the other in memory: a view where that is possible."""
    order = as_order(order)
    if order == "K":  # as they lie in memory
        a, order = a._permuted((_order_in_memory(a.strides),)), "C"
    found = reshape(a, -1, order=order)
    return found if found._c_contiguous else array(found, order="C")


def flatten(a, order="C"):
    """A vector of the elements, copied."""
    return array(ravel(a, order))


def transpose(a, *axes):
    """A view with the axes in another order."""
    found = a._permuted(axes)
    if found is not None:
        return found
    axes = _one_argument(axes) if axes else None
    return _shaped(a, lambda shadow: shadow.transpose(axes))


def _shaped(a, change):
    device = a._force()
    return a._view(device._view(change(device._shadow())))


def squeeze(a, axis=None):
    """A view without axes of one element."""
    if axis is None:
        kept = [(n, step) for n, step in zip(a.shape, a.strides) if n != 1]
        return a._strided([n for n, _ in kept], [step for _, step in kept])
    return _shaped(a, lambda shadow: shadow.squeeze(axis))


def swapaxes(a, axis1, axis2):
    """A view with two axes exchanged."""
    ndim = a.ndim
    if type(axis1) is type(axis2) is int and -ndim <= axis1 < ndim and -ndim <= axis2 < ndim:
        order = list(range(ndim))
        order[axis1], order[axis2] = order[axis2], order[axis1]
        return a._permuted((order,))
    return _shaped(a, lambda shadow: shadow.swapaxes(axis1, axis2))


_type = type


def view(a, dtype=None, type=None):
    """A view of the same bytes in another dtype."""
    if isinstance(dtype, _type) and issubclass(dtype, ndarray):
        if type is not None:
            raise TypeError("cannot specify a type twice")
        dtype, type = None, dtype
    if type is not None:
        if not (isinstance(type, _type) and issubclass(type, ndarray)):
            raise ValueError("type has to be a class of device arrays")
        found = a if dtype is None else view(a, dtype)
        made = type._over(found._force(), found._buffer, a if a.base is None else a.base)
        finalize(made, a)
        return made
    if dtype is None:
        return a._view(a._force())
    wanted, device = np.dtype(dtype), a._force()
    if wanted.itemsize == a.dtype.itemsize and wanted.kind in "biufc":
        return a._view(device._at(device._pointer, device.shape, device.strides, wanted))
    return _shaped(a, lambda shadow: shadow.view(checked_dtype(dtype)))


def broadcast_to(a, shape, subok=False):
    """A view in a larger shape."""
    a = asarray(a)
    if a.shape == shape:
        return a._view(a._force())
    return _shaped(a, lambda shadow: np.broadcast_to(shadow, as_shape(shape)))


def diagonal(a, offset=0, axis1=0, axis2=1):
    """A view of a diagonal."""
    return _shaped(a, lambda shadow: shadow.diagonal(offset, axis1, axis2))


def as_strided(x, shape=None, strides=None, **ignored):
    """A view with any shape and strides."""
    device = x._force()
    shape = device.shape if shape is None else as_shape(shape)
    strides = device.strides if strides is None else as_shape(strides)
    return x._view(device._at(device._pointer, shape, strides, device.dtype))


def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sum of a diagonal."""
    return reduction_names.sum(diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype, out=out)


def fill(a, value):
    """Sets all elements to one value."""
    value = of_protocol(value)
    if getattr(value, "ndim", 0):
        raise ValueError("non-scalar arrays cannot be used for fill")
    if isinstance(value, ndarray):
        assign(a, as_operand(value, a.dtype))
    elif a.dtype.names:
        a[...] = value
    else:
        assign(a, Scalar(np.array(value).astype(a.dtype)[()], a.dtype))


def copyto(dst, src, casting="same_kind", where=None):
    """Copies elements, broadcast and cast."""
    if not isinstance(dst, ndarray):
        raise TypeError(f"copyto() writes to device arrays, not to {type(dst).__name__}")
    if isinstance(src, np.ndarray) and src.size == 1:
        src = array(src)
    node, kind = operand(src)
    have = kind if isinstance(kind, np.dtype) else np.asarray(src).dtype
    if not isinstance(kind, np.dtype):
        np.copyto(np.empty((), dst.dtype), src, casting)  # raises for what does not fit
    elif not np.can_cast(have, dst.dtype, casting):
        raise TypeError(
            f"Cannot cast array data from {have!r} to {dst.dtype!r} according to the rule "
            f"'{casting}'"
        )
    node = fitted(src, dst)
    if where is not None and where is not True:
        where = asarray(bool(where) if np.isscalar(where) else where)
        if where.dtype != bool:
            raise TypeError(f"Cannot cast array data from {where.dtype!r} to dtype('bool') "
                            "according to the rule 'safe'")  # fmt: skip
        node = choose(where._operand(), node, dst._operand())
    assign(dst, node)


def as_operand(value, dtype):
    """A node of a value in a dtype."""
    if isinstance(value, ndarray):
        return cast(value._operand(), dtype)
    if isinstance(value, (bool, int, float, complex, np.generic)):
        return Scalar(np.array(value).astype(dtype)[()], dtype)
    return cast(asarray(value)._operand(), dtype)


def byteswap(a, inplace=False):
    """Elements with their bytes in the opposite order; each part of a complex number by itself."""
    swapped, width = a.ravel(), a.dtype.itemsize // (2 if a.dtype.kind == "c" else 1)
    if width > 1 and a.size:
        data = array(swapped, order="C").view(np.uint8).reshape(-1, width)[:, ::-1]
        swapped = array(data, order="C").reshape(-1).view(a.dtype)
    made = a if inplace else empty_like(a)
    made[...] = swapped.reshape(a.shape)
    return made


def fitted(value, target):
    """A node of a value that is to be stored in an array: in its dtype, without leading axes of
    length one that it lacks."""
    node = as_operand(value, target.dtype)
    more = len(node.shape) - target.ndim
    if more > 0 and set(node.shape[:more]) == {1}:
        node = as_operand(asarray(value).reshape(node.shape[more:]), target.dtype)
    return node


def repeat(a, repeats, axis=None):
    """Each element several times."""
    if axis is None:
        a, axis = ravel(a), 0
    axis = normalize_axis_index(axis, a.ndim)
    n = a.shape[axis]
    if type(repeats) is int and repeats >= 0:
        shape, strides = [*a.shape], [*a.strides]
        shape.insert(axis + 1, repeats)
        strides.insert(axis + 1, 0)
        return array(a._strided(shape, strides), order="C").reshape(
            a.shape[:axis] + (n * repeats,) + a.shape[axis + 1 :]
        )
    if isinstance(repeats, np.ndarray):
        raise TypeError("repeats has to be a number, a list or a device array, not numpy.ndarray")
    repeats = repeats.get() if isinstance(repeats, ndarray) else np.asarray(repeats)
    if repeats.ndim > 1:
        raise ValueError("object too deep for desired array")
    if repeats.size not in (1, n):
        raise ValueError(f"repeats has to be one number, or {n} of the same length as the axis")
    counts = np.broadcast_to(repeats, (n,))
    index = array(np.repeat(np.arange(n), counts))
    return upcalls.take(a, index, axis)


def clip(a, a_min=None, a_max=None, out=None, **keywords):
    """Elements inside of limits."""
    a_min = keywords.pop("min", a_min)
    a_max = keywords.pop("max", a_max)
    dtype = getattr(a, "dtype", None)
    if dtype is not None and dtype.kind in "iu":  # limits that no element can be beyond
        bounds = np.iinfo(dtype)
        a_min = None if type(a_min) is int and a_min <= bounds.min else a_min
        a_max = None if type(a_max) is int and a_max >= bounds.max else a_max
    if a_min is None and a_max is None:
        return call(np.positive, (a,), out=out)
    if a_min is None:
        return call(np.minimum, (a, a_max), out=out)
    if a_max is None:
        return call(np.maximum, (a, a_min), out=out)
    return call(_CLIP, (a, a_min, a_max), out=out, **keywords)


def round(a, decimals=0, out=None):
    """Elements rounded to decimals, half to even."""
    decimals = operator.index(decimals)
    if a.dtype.kind == "b":
        if decimals:
            raise TypeError("an array of bool is not rounded to decimals")
        return call(np.rint, (a,), out=out)
    if a.dtype.kind in "iu":
        if decimals >= 0:
            return copy(a) if out is None else call(np.positive, (a,), out=out)
    if a.dtype.kind == "c":
        found = empty(a.shape, a.dtype)
        found.real = round(a.real, decimals)
        found.imag = round(a.imag, decimals)
    elif decimals == 0:
        return call(np.rint, (a,), out=out)
    else:
        factor = a.dtype.type(10.0 ** abs(decimals)) if a.dtype.kind == "f" else 10.0**-decimals
        scaled = a * factor if decimals > 0 else a / factor
        whole = call(np.rint, (scaled,))
        found = whole / factor if decimals > 0 else whole * factor
        found = astype(found, a.dtype, copy=False)
    if out is None:
        return found
    assign(out, found._operand())
    return out


def conj(a, out=None):
    """The complex conjugate; of real numbers the same."""
    if a.dtype.kind != "c" and out is None:
        return a
    return call(np.conjugate, (a,), out=out)


conjugate = conj


def where(condition, x=None, y=None):
    """Elements of x where a condition holds, else of y; without them the indices of true ones."""
    condition = asarray(condition)
    if x is None and y is None:
        return upcalls.nonzero(condition)
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    kinds = [each.dtype if isinstance(each, ndarray) else each for each in (x, y)]
    kinds = [asarray(k).dtype if isinstance(k, (list, tuple)) else k for k in kinds]
    dtype = checked_dtype(np.result_type(*kinds))
    node = choose(condition._operand(), as_operand(x, dtype), as_operand(y, dtype))
    return ndarray._waiting(node)


def shape(a):
    return a.shape if hasattr(a, "shape") else np.shape(a)


def ndim(a):
    return a.ndim if hasattr(a, "ndim") else np.ndim(a)


def size(a, axis=None):
    if axis is None:
        return a.size
    return a.shape[axis]


def real(val):
    """The real part."""
    return asarray(val).real


def imag(val):
    """The imaginary part."""
    return asarray(val).imag


def isscalar(element):
    """Whether NumPy takes something for a scalar."""
    return np.isscalar(element)
