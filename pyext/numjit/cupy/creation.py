"""Arrays from nothing, from the host and from other libraries."""

from __future__ import annotations

import math

import numpy as np

from numjit.cuda.cudadrv.devicearray import (
    from_cuda_array_interface,
    layout_like,
    strides_for,
)
from numjit.cuda.cudadrv.devices import get_context
from numjit.cuda.cudadrv.driver import get_driver

from . import current, pool, upcalls
from .current import _current
from .evaluate import _run, new_array, root_of, turn
from .kernel_text import is_bfloat16
from .ndarrays import as_shape, checked_dtype, fill_from_host, ndarray
from .nodes import OPERATION, Operation, Scalar
from .pending import Buffer
from .ufuncs import as_dtype, assign, cast, make


def as_order(order, allowed="CFAK"):
    """An order of memory as a capital letter."""
    found = order.upper() if isinstance(order, str) else order
    if found is not None and found not in tuple(allowed):
        names = ", ".join(repr(each) for each in allowed[:-1])
        raise ValueError(f"order must be one of {names} or {allowed[-1]!r} (got {order!r})")
    return found


def empty(shape, dtype=float, order="C", *, device=None, like=None):
    """An array without values."""
    shape, dtype = as_shape(shape), checked_dtype(dtype)
    if order == "C" and 0 <= min(shape, default=0):
        return ndarray._over(new_array(shape, dtype))
    if any(n < 0 for n in shape):
        raise ValueError("negative dimensions are not allowed")
    order = as_order(order, "CF")
    strides = strides_for(shape, dtype, "F") if order == "F" else None
    return ndarray._over(new_array(shape, dtype, strides))


def empty_like(prototype, dtype=None, order="K", subok=None, shape=None):
    """An array without values, with the shape, dtype and layout of another one."""
    if subok not in (None, False):
        raise TypeError("subok is not supported")
    order = as_order(order)
    if not isinstance(prototype, (ndarray, np.ndarray)):
        prototype = asarray(prototype)
    dtype = prototype.dtype if dtype is None else dtype
    if shape is not None and as_shape(shape) != prototype.shape:
        if order == "A":
            flags = prototype.flags
            return empty(
                shape, dtype, "F" if flags.f_contiguous and not flags.c_contiguous else "C"
            )
        if order == "K" and len(as_shape(shape)) == prototype.ndim:
            return _empty_in_order_of(prototype, as_shape(shape), dtype, order)
        return empty(shape, dtype, "F" if order == "F" else "C")
    if order in ("C", "F"):
        return empty(prototype.shape, dtype, order)
    if isinstance(prototype, np.ndarray):
        return _empty_in_order(prototype.shape, dtype, np.empty_like(prototype, dtype).strides)
    array = prototype._force()
    if order == "A":
        fortran = array._f_contiguous and not array._c_contiguous
        return empty(prototype.shape, dtype, "F" if fortran else "C")
    shadow = array._at(array._pointer, array.shape, array.strides, array.dtype)
    strides = np.array(layout_like(_Layout(shadow)), dtype=np.int64)
    strides = tuple(int(n) for n in strides // array.dtype.itemsize * np.dtype(dtype).itemsize)
    return _empty_in_order(array.shape, dtype, strides)


def _empty_in_order_of(prototype, shape, dtype, order):
    """An array of another shape, whose axes lie in memory as those of the prototype."""
    small = np.lib.stride_tricks.as_strided(np.zeros((), prototype.dtype), prototype.shape,
                                            prototype.strides)  # fmt: skip
    return _empty_in_order(shape, dtype, np.empty_like(small, dtype, order, shape=shape).strides)


class _Layout:
    def __init__(self, array):
        self.shape, self.strides, self.dtype = array.shape, array.strides, array.dtype
        self.flags = array.flags


def _empty_in_order(shape, dtype, strides):
    return ndarray._over(new_array(shape, checked_dtype(dtype), tuple(strides)))


def full(shape, fill_value, dtype=None, order="C", *, device=None, like=None):
    """An array of one value."""
    if isinstance(fill_value, ndarray):
        dtype = fill_value.dtype if dtype is None else dtype
        made = empty(shape, dtype, order)
        assign(made, fill_value._operand())
        return made
    dtype = checked_dtype(np.asarray(fill_value).dtype if dtype is None else dtype)
    if isinstance(fill_value, np.ndarray):
        return full(shape, array(fill_value), dtype, order)
    shape, order = as_shape(shape), as_order(order, "CF")
    node = Scalar(np.array(fill_value).astype(dtype)[()], dtype)
    if order == "F" and len(shape) > 1:
        made = empty(shape, dtype, "F")
        assign(made, node)
        return made
    if any(n < 0 for n in shape):
        raise ValueError("negative dimensions are not allowed")
    made = make("{0}", (dtype,), (node,), dtype, shape)
    return _asked(made, math.prod(shape) * dtype.itemsize)


def _asked(node, size):
    """An array that is asked for by itself: it raises where it is made, though it waits for memory.
    What is computed from others may never need any."""
    if size < pool.checked_from:
        return ndarray._waiting(node)
    with turn:  # memory goes to one array after the other
        pool.check_room(size)
        return ndarray._waiting(node)


#: What calls before found out: (shape, dtype, value) -> the shape as a tuple, the dtype, and inputs
#: and operands of the node.
_filled: dict = {}
_MOST_FILLED = 1024


def _is_plain(shape):
    """Whether equal shapes mean the same: 3.0 equals 3, but is no extent."""
    return type(shape) is int or (
        type(shape) is tuple and len(shape) < 4 and all(type(n) is int for n in shape)
    )


def _full_of(value, shape, dtype, order):
    """An array of a number of Python's."""
    plain = order == "C" and _is_plain(shape) and isinstance(dtype, (type, np.dtype))
    row = _filled.get((shape, dtype, value)) if plain else None
    if row is None:
        made = full(shape, value, float if dtype is None else dtype, order)
        node = made._node
        if plain and node.kind == OPERATION:
            if len(_filled) >= _MOST_FILLED:
                _filled.clear()
            _filled[shape, dtype, value] = (
                made.shape, made.dtype, node.inputs, node.operands, made.nbytes
            )  # fmt: skip
        return made
    shape, dtype, inputs, operands, size = row
    return _asked(Operation("{0}", inputs, operands, shape, dtype, _current.place), size)


def zeros(shape, dtype=float, order="C", *, device=None, like=None):
    """An array of zeros."""
    return _full_of(0, shape, dtype, order)


def ones(shape, dtype=float, order="C", *, device=None, like=None):
    """An array of ones."""
    return _full_of(1, shape, dtype, order)


def full_like(a, fill_value, dtype=None, order="K", subok=None, shape=None):
    """An array of one value, with the shape, dtype and layout of another one."""
    if type(a) is ndarray and shape is None and not isinstance(fill_value, (ndarray, np.ndarray)):
        if order == "C" or (order in ("K", "A") and not subok and a._c_contiguous):
            return full(a.shape, fill_value, a.dtype if dtype is None else dtype)
    made = empty_like(a, dtype, order, subok, shape)
    if isinstance(fill_value, np.ndarray):
        fill_value = array(fill_value)
    made.fill(fill_value)
    return made


def zeros_like(a, dtype=None, order="K", subok=None, shape=None):
    """An array of zeros like another one."""
    return full_like(a, 0, dtype, order, subok, shape)


def ones_like(a, dtype=None, order="K", subok=None, shape=None):
    """An array of ones like another one."""
    return full_like(a, 1, dtype, order, subok, shape)


def array(obj, dtype=None, copy=True, order="K", subok=False, ndmin=0, *, blocking=False,
          like=None):  # fmt: skip
    """A copy of an array, or of nested lists, on the device."""
    if dtype is not None:
        dtype = checked_dtype(as_dtype(dtype))
    order = as_order(order)
    obj = of_protocol(obj)
    if isinstance(obj, ndarray):
        if _current.several and obj._context() is not get_context():
            if copy is False:
                raise ValueError(_NO_COPY)
            obj, copy = _of_this_device(obj), None
        found = _converted(obj, dtype, copy, order)
    elif isinstance(obj, (list, tuple)) and has_device_array(obj):
        parts = [array(each) for each in obj]
        found = _converted(upcalls.stack(parts), dtype, None, order)
    else:
        found = _from_host(obj, dtype, order)
    if found.ndim < ndmin:
        found = found.reshape((1,) * (ndmin - found.ndim) + found.shape)
    return found


def of_protocol(value):
    """The device array of a value that has one by a protocol; others stay as they are."""
    if isinstance(value, ndarray):
        return value
    if hasattr(value, "__cupy_get_ndarray__"):
        return value.__cupy_get_ndarray__()
    return _foreign(value) if hasattr(value, "__cuda_array_interface__") else value


_NO_COPY = "Unable to avoid copy while creating an array as requested."


#: Types of what is no device array, which need no look at each value.
_OF_THE_HOST = frozenset((int, float, bool, complex, str, bytes, type(None), slice, type(...)))
_OF_THE_HOST |= {np.ndarray, *np.sctypeDict.values()}


def has_device_array(items):
    """Whether a nested list has a device array in it, or a value that has one by a protocol."""
    if _OF_THE_HOST.issuperset(map(type, items)):
        return False
    return any(
        has_device_array(each) if isinstance(each, (list, tuple)) else _is_of_device(each)
        for each in items
    )


def _is_of_device(value):
    return type(value) not in _OF_THE_HOST and (
        isinstance(value, ndarray)
        or hasattr(value, "__cupy_get_ndarray__")
        or hasattr(value, "__cuda_array_interface__")
    )


def _foreign(obj):
    interface = obj.__cuda_array_interface__
    if interface.get("mask") is not None:
        raise ValueError("numjit does not support device arrays with a mask")
    if np.dtype(interface["typestr"]).byteorder == ">":
        raise ValueError("a device array has to have the byte-order of the machine")
    found = from_cuda_array_interface(interface, obj)
    return ndarray._over(found, Buffer(root_of(found), exposed=True))


def _from_host(obj, dtype, order):
    # NumPy reads lists in the dtype that is asked for: large integers are no floats on their way.
    wanted = None if isinstance(obj, (np.ndarray, np.generic)) else dtype
    source = np.asarray(obj, wanted, order=None if order == "K" else order)
    if dtype is not None and source.dtype != dtype:
        source = source.astype(dtype)
    dtype = checked_dtype(source.dtype.newbyteorder("="))
    if source.dtype != dtype:
        source = source.astype(dtype)
    fortran = source.flags.f_contiguous and not source.flags.c_contiguous
    made = empty(source.shape, dtype, "F" if fortran else "C")
    fill_from_host(made._force(), source, current.handle())
    return made


def _of_this_device(obj):
    """A copy of an array of another device."""
    order = "F" if obj._f_contiguous and not obj._c_contiguous else "C"
    made = empty(obj.shape, obj.dtype, order)
    target = made._force()._pointer
    with obj._context().entered():
        source = array(obj, copy=None, order=order)
        get_driver().copy("DtoD", target, source._force()._pointer, obj.nbytes, None)
    return made


def _converted(obj, dtype, copy, order):
    """A device array in a dtype and a layout."""
    dtype = obj.dtype if dtype is None else dtype
    right = (
        order in ("K", None)
        or (order == "A" and (copy is False or obj._c_contiguous or obj._f_contiguous))
        or (order == "C" and obj._c_contiguous)
        or (order == "F" and obj._f_contiguous)
    )
    if dtype == obj.dtype and not copy and right:
        return obj
    if copy is False:
        raise ValueError(_NO_COPY)
    if order in ("K", "C", None) and (obj._buffer is None or obj._c_contiguous):
        node = cast(obj._operand(), dtype)
        made = make("{0}", (dtype,), (node,), dtype) if node is obj._node else node
        return _asked(made, obj.size * dtype.itemsize)
    made = empty_like(obj, dtype, order or "K")
    assign(made, cast(obj._operand(), dtype))
    return made


def asarray(a, dtype=None, order=None, *, blocking=False, copy=None, device=None, like=None):
    """A device array; the same one where that is possible."""
    return array(a, dtype, copy=copy, order=order or "K")


asanyarray = asarray


def ascontiguousarray(a, dtype=None):
    """A device array in C's order, of at least one dimension."""
    return array(a, dtype, copy=None, order="C", ndmin=1)


def asfortranarray(a, dtype=None):
    """A device array in Fortran's order."""
    return array(a, dtype, copy=None, order="F", ndmin=1)


def copy(a, order="K"):
    """A copy."""
    return array(a, order=order)


def frombuffer(*args, **keywords):
    """An array of the bytes of a buffer."""
    return array(np.frombuffer(*args, **keywords))


def fromfile(*args, **keywords):
    return array(np.fromfile(*args, **keywords))


def fromiter(*args, **keywords):
    return array(np.fromiter(*args, **keywords))


def fromstring(*args, **keywords):
    return array(np.fromstring(*args, **keywords))


def loadtxt(*args, **keywords):
    return array(np.loadtxt(*args, **keywords))


def genfromtxt(*args, **keywords):
    return array(np.genfromtxt(*args, **keywords))


def arange(start, stop=None, step=1, dtype=None, *, device=None, like=None):
    """Numbers with a distance of `step`."""
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    start, stop, step = (
        each.item() if isinstance(each, ndarray) else each for each in (start, stop, step)
    )
    if dtype is None:
        dtype = np.result_type(*(np.asarray(each).dtype for each in (start, stop, step)))
    dtype = checked_dtype(dtype)
    if step == 0:
        raise ZeroDivisionError("division by zero")
    size = max(int(np.ceil((stop - start) / step)), 0)
    if dtype.kind == "b":
        if size > 2:
            raise TypeError("arange() is only supported for booleans when the result has at most "
                            "length 2.")  # fmt: skip
        return array(np.arange(start, stop, step, dtype))
    # As NumPy: the first two numbers in the dtype, and multiples of their difference.
    inside = np.dtype("f4") if dtype == "f2" or is_bfloat16(dtype) else dtype
    with np.errstate(all="ignore"):
        first = np.array(start).astype(dtype).astype(inside)
        delta = np.array(start + step).astype(dtype).astype(inside) - first
    text = "(np.{2}({0}) + np.{2}({1}) * np.{2}(i))".replace("{2}", inside.type.__name__)
    node = make(text, (inside, inside), (Scalar(first[()], inside), Scalar(delta[()], inside)),
                dtype, (size,))  # fmt: skip
    return ndarray._over(_stored(node))


def _stored(node):
    """The elements of a node that knows the number `i` of its element: computed at once, by a
    kernel over all of them in order."""
    made = new_array(node.shape, node.dtype)
    _run(node, made)
    return made
