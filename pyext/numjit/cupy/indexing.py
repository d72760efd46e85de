"""Elements by index: views, and the arrays that index arrays choose.

An index with arrays is done in two steps. Slices, None and integers make a view whose indexed axes
come first; then one kernel gathers, or scatters. Indices beyond the end wrap.
"""

from __future__ import annotations

import functools
import math
import operator
from dataclasses import dataclass

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from . import current
from .creation import arange, array, asarray, empty, has_device_array, of_protocol, zeros
from .evaluate import _MOST_BLOCKS, part_of
from .kernel_text import cached, unravel
from .manipulation import as_operand, broadcast_to, fitted
from .ndarrays import ndarray
from .positions import flatnonzero
from .ufuncs import assign, call, check_is_array, choose, numpy_calls

_THREADS = 256


def _is_array(item):
    return isinstance(item, (ndarray, np.ndarray, list, np.bool_, bool))


def _names_fields(index):
    """Whether an index is the name of a field, or a list of names."""
    return isinstance(index, str) or (
        isinstance(index, list) and bool(index) and all(isinstance(each, str) for each in index)
    )


def _check_alignment(a, name):
    """Refuses a field that is not aligned: a GPU cannot read it, and stops for good."""
    dtype, offset = a.dtype.fields.get(name, (None, 0))[:2]
    if dtype is None or dtype.names or not a.size:
        return
    places = offset, *(stride for stride, n in zip(a.strides, a.shape) if n > 1)
    if any(place % dtype.alignment for place in places):
        raise ValueError(
            f"result array with dtype {dtype} of field {name!r} is not sufficiently aligned for "
            "GPU: cupy.make_aligned_dtype or np.dtype(..., align=True) gives an aligned dtype"
        )


def _is_integer(item):
    return isinstance(item, (int, np.integer))


def _parts(index):
    items = list(map(of_protocol, index)) if isinstance(index, tuple) else [of_protocol(index)]
    return [
        asarray(each) if isinstance(each, list) and has_device_array(each) else each
        for each in items
    ]


def get(a, index):
    """a[index]."""
    if type(index) is ndarray and index.dtype.kind in "iu" and index.ndim and a.ndim:
        return gather(a, [index], index.shape, 0)
    items = _parts(index)
    if any(
        isinstance(each, ndarray) and not each.ndim and each.dtype.kind in "iu" for each in items
    ):
        items = [
            int(each) if isinstance(each, ndarray) and not each.ndim and each.dtype.kind in "iu"
            else each for each in items
        ]  # fmt: skip
    if isinstance(index, str) and a.dtype.names:
        _check_alignment(a, index)
    if not any(map(_is_array, items)) or _names_fields(index):
        return _view(a, index if _names_fields(index) else tuple(items))
    indexed, arrays, shape, back = _prepared(a, items)
    return gather(indexed, arrays, shape, back)


def _simple(device, index):
    """A view by slices and integers; None for what is left to NumPy."""
    pointer, shape, strides = device._pointer, [], []
    if len(index) > len(device.shape):
        return None
    for each, n, step in zip(index, device.shape, device.strides):
        if type(each) is slice:
            begin, end, by = each.indices(n)
            count = max(0, (end - begin + by - (1 if by > 0 else -1)) // by)
            pointer += begin * step if count else 0
            shape.append(count)
            strides.append(step * by)
        elif type(each) is int and -n <= each < n:
            pointer += (each + n if each < 0 else each) * step
        else:
            return None
    rest = len(index)
    return part_of(
        device, pointer, (*shape, *device.shape[rest:]), (*strides, *device.strides[rest:])
    )


def _view(a, index):
    device = a._force()
    if isinstance(index, tuple):
        found = _simple(device, index)
        if found is not None:
            return a._view(found)
        index = (*index, ...) if ... not in [i for i in index if i is ...] else index
    try:
        return a._view(device._view(device._shadow()[index]))
    except IndexError as error:
        raise IndexError(*error.args) from None


def set_(a, index, value):
    """a[index] = value."""
    if isinstance(value, (complex, np.complexfloating)) and a.dtype.kind in "iuf":
        raise TypeError(f"a {type(value).__name__} cannot be stored in an array of {a.dtype}")
    if a.dtype.names and isinstance(value, (tuple, list)):
        value = np.array(value, a[index].dtype)
    items = _parts(index)
    arrays = [] if _names_fields(index) else [each for each in items if _is_array(each)]
    if len(items) == 1 and arrays and _mask_alone(a, items[0]):
        mask = asarray(items[0])
        if isinstance(value, (bool, int, float, complex, np.generic)) or (
            isinstance(value, ndarray) and not value.ndim
        ):
            mask = mask.reshape(mask.shape + (1,) * (a.ndim - mask.ndim))
            node = choose(mask._operand(), as_operand(value, a.dtype), a._operand())
            assign(a, node)
            return
    if not arrays:
        target = a if index is Ellipsis else a[index]
        if target.dtype.names and getattr(value, "dtype", target.dtype) != target.dtype:
            _store_fields(target, asarray(value))
            return
        if isinstance(value, np.ndarray) and value.ndim:
            value = array(value)
        node = fitted(value, target)
        try:
            assign(target, node)
        except ValueError:
            raise ValueError(
                f"could not broadcast input array from shape {_text(node.shape)} into shape "
                f"{_text(target.shape)}"
            ) from None
        return
    indexed, arrays, shape, back = _prepared(a, items)
    result = _result_shape(indexed, arrays, shape, back)
    value = asarray(value)
    value = ndarray._waiting(as_operand(value, a.dtype)) if value.dtype != a.dtype else value
    while value.ndim > len(result) and value.shape[0] == 1:
        value = value[0]
    try:
        _scatter(indexed, arrays, shape, back, value, "set")
    except ValueError:
        raise ValueError(
            f"shape mismatch: value array of shape {_text(value.shape)} could not be broadcast to "
            f"indexing result of shape {_text(result)}"
        ) from None


def _store_fields(target, value):
    """Stores records of another dtype field by field, in their order; one value in all fields."""
    names = value.dtype.names
    if names and len(names) != len(target.dtype.names):
        raise TypeError(f"records of {value.dtype} cannot be stored as {target.dtype}")
    for i, name in enumerate(target.dtype.names):
        set_(target[name], Ellipsis, value[names[i]] if names else value)


def _text(shape):
    return "(" + ",".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


def _mask_alone(a, item):
    if isinstance(item, (list, np.ndarray)):
        item = np.asarray(item)
    if getattr(getattr(item, "dtype", None), "kind", "") != "b" or not isinstance(
        item, (ndarray, np.ndarray)
    ):
        return False
    return item.ndim <= a.ndim and item.shape == a.shape[: item.ndim] and item.ndim > 0


def _prepared(a, items):
    """For an index with arrays: a view of `a` whose indexed axes come first, the index arrays,
    their common shape, and where its axes belong in the result."""
    # What stands between them separates them, also an ellipsis that names no axis.
    advanced = [i for i, each in enumerate(items) if _is_array(each) or _is_integer(each)]
    together = advanced[-1] - advanced[0] == len(advanced) - 1
    items = _expanded(a, items)
    basic, arrays, places = [], [], []
    for each in items:
        if isinstance(each, _OfNewAxis):
            arrays.append(each.index)
            places.append(len(basic))
            basic.append(None)
        elif _is_array(each) or _is_integer(each):
            arrays.append(each)
            places.append(len(basic))
            basic.append(slice(None))
        else:
            basic.append(each)
    # Integers beside arrays are arrays, too, and count where they stand.
    view = a[tuple(basic)] if basic else a
    back = places[0] if together else 0
    order = [*places, *(axis for axis in range(view.ndim) if axis not in places)]
    if order != sorted(order):
        view = view._permuted((order,))
    found = []
    for each, n in zip(arrays, view.shape):
        found.append(_index_array(each, n))
    shape = np.broadcast_shapes(*(each.shape for each in found))
    return view, found, shape, back


@dataclass
class _OfNewAxis:
    """A mask without dimensions: no or one index of an axis that the array does not have."""

    index: ndarray


def _index_array(item, n):
    if _is_integer(item):
        if not -n <= item < n:
            raise IndexError(f"index {item} is out of bounds for axis with size {n}")
        return asarray(np.int64(item))
    found = item if isinstance(item, (ndarray, np.ndarray)) else asarray(item)
    if found.dtype.kind not in "iu":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    return asarray(found)


def _from_list(item):
    found = np.asarray(item)
    return found if found.size else found.astype(np.int64)


def _expanded(a, items):
    """An index with a slice for each axis that it does not name, and masks as integers."""
    items = [
        _from_list(each) if isinstance(each, (list, bool, np.bool_)) else each for each in items
    ]
    used = sum(
        each.ndim if _is_array(each) and each.dtype == bool
        else each is not None and each is not Ellipsis for each in items
    )  # fmt: skip
    if used > a.ndim:
        raise IndexError(
            f"too many indices for array: array is {a.ndim}-dimensional, but {used} were indexed"
        )
    missing = [slice(None)] * (a.ndim - used)
    at = [i for i, each in enumerate(items) if each is Ellipsis]
    if len(at) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    at = at[0] if at else len(items)
    items = items[:at] + missing + items[at + 1 :]
    made, axis = [], 0
    for each in items:
        if _is_array(each) and each.dtype == bool:
            for n, want in zip(each.shape, a.shape[axis:]):
                if n != want and each.size:  # empty masks choose nothing, as in NumPy
                    raise IndexError(
                        "boolean index did not match indexed array along axis "
                        f"{axis}; size of axis is {want} but size of corresponding boolean axis is "
                        f"{n}"
                    )
            if not each.ndim:
                made.append(_OfNewAxis(array(np.zeros(int(each), np.int64))))
                continue
            made += nonzero(asarray(each))
            axis += each.ndim
        else:
            made.append(each)
            axis += each is not None
    return made


def _result_shape(view, arrays, shape, back):
    rest = view.shape[len(arrays) :]
    return rest[:back] + shape + rest[back:]


@functools.cache
def _kernel(arrays, dims, rest, how):
    """A kernel over b, whose first `dims` axes are those of the index arrays and the others those
    that a keeps. `how`: "get", "set", or the name of an atomic operation."""
    lines = [
        f"def kernel(a, b, {', '.join(f'p{number}' for number in range(arrays))}):",
        "    i = cuda.grid(1)",
        "    step = cuda.gridsize(1)",
        "    while i < b.size:",
    ]
    indent = " " * 8
    if dims + rest:
        lines += unravel(dims + rest, "b", indent)
    chosen = []
    for number in range(arrays):
        at = ", ".join(f"i{axis}" for axis in range(dims)) or "()"
        lines.append(f"{indent}j{number} = np.int64(p{number}[{at}]) % a.shape[{number}]")
        chosen.append(f"j{number}")
    place = ", ".join([*chosen, *(f"i{axis}" for axis in range(dims, dims + rest))])
    here = ", ".join(f"i{axis}" for axis in range(dims + rest)) or "()"
    if how == "get":
        lines.append(f"{indent}b[{here}] = a[{place}]")
    elif how == "set":
        lines.append(f"{indent}a[{place}] = b[{here}]")
    else:
        place = f"({place})" if len(chosen) + rest > 1 else place
        lines.append(f"{indent}cuda.atomic.{how}(a, {place}, b[{here}])")
    lines.append(f"{indent}i += step")
    return cached("\n".join(lines) + "\n")


def launch(kernel, count, *arguments, most=_MOST_BLOCKS):
    """A kernel with a thread for each of `count` elements, or several for one."""
    blocks = min((count + _THREADS - 1) // _THREADS, most)
    kernel.launch_quietly((blocks, _THREADS, current.handle()), *arguments)


def _spread_indices(arrays, shape):
    return [
        (each if each.shape == shape else broadcast_to(each, shape))._force() for each in arrays
    ]


def gather(view, arrays, shape, back):
    """The elements that index arrays choose."""
    rest = view.shape[len(arrays) :]
    out = empty(shape + rest, view.dtype)
    if out.size:
        if 0 in view.shape[: len(arrays)]:
            raise IndexError("cannot index an axis with size 0")
        kernel = _kernel(len(arrays), len(shape), len(rest), "get")
        source = view._force()
        launch(kernel, out.size, source, out._force(), *_spread_indices(arrays, shape))
    return _moved(out, len(shape), back)


def _moved(out, dims, back):
    if not back:
        return out
    order = [*range(dims, dims + back), *range(dims), *range(dims + back, out.ndim)]
    return out.transpose(order)


def _scatter(view, arrays, shape, back, value, how):
    result, spread = _result_shape(view, arrays, shape, back), value.size > 1
    if value.shape != result:
        value = broadcast_to(value, result)
    if not value.size:
        return
    dims = len(shape)
    if back:
        order = [*range(back, back + dims), *range(back), *range(back + dims, len(result))]
        value = value.transpose(order)
    if how == "set" and numpy_calls.depth and spread:
        value = _last_values(view, arrays, shape, value)
    kernel = _kernel(len(arrays), dims, len(result) - dims, how)
    source = value._force()
    indices = _spread_indices(arrays, shape)
    target = view._for_writing()
    if value._buffer.root is view._buffer.root:
        source = value.copy()._force()
    launch(kernel, value.size, target, source, *indices)


def _last_values(view, arrays, shape, value):
    """Values of which those for the same place are the same: the last one, which stays in NumPy.
    NumPy's and SciPy's own code relies on that; elsewhere, any of them may stay."""
    order = arange(math.prod(shape)).reshape(shape)
    last = zeros(view.shape[: len(arrays)], np.int64)
    _scatter(last, arrays, shape, 0, order, "max")
    last = gather(last, arrays, shape, 0)
    return gather(value.reshape(order.size, *value.shape[len(shape) :]), [last], shape, 0)


_ATOMICS = {"add": "add", "subtract": "sub", "maximum": "max", "minimum": "min",
            "bitwise_and": "and_", "bitwise_or": "or_", "bitwise_xor": "xor"}  # fmt: skip


def scatter(function, a, indices, value):
    """ufunc.at: repeated indices accumulate."""
    how = _ATOMICS.get(function.__name__)
    if how is None:
        raise NotImplementedError(f"ufunc.at is not there for {function.__name__}")
    value = asarray(value)
    items = _parts(indices)
    if not any(map(_is_array, items)):
        part = a[indices]
        call(function, (part, value), out=part, casting="unsafe")
        return
    _scatter_atomically(function, how, a, items, value.astype(a.dtype, copy=False))


def _scatter_atomically(function, how, a, items, value):
    """The hardware's atomic operations take real numbers of 32 and 64 bits."""
    function.resolve_dtypes((a.dtype, a.dtype, None))  # raises what NumPy raises
    kind = a.dtype.kind
    if kind == "c":
        if how not in ("add", "sub"):
            raise TypeError(f"{function.__name__}.at does not take {a.dtype}")
        _scatter_atomically(function, how, a.real, items, value.real)
        _scatter_atomically(function, how, a.imag, items, value.imag)
        return
    if kind == "b" and how == "add":
        how = "max"
    if a.dtype.itemsize < 4:
        wide = np.dtype(np.float32 if kind == "f" else np.int32)
        result = a.astype(wide)
        _scatter(*_prepared(result, items), value.astype(wide), how)
        a[...] = result.astype(a.dtype)
        return
    _scatter(*_prepared(a, items), value, how)


def _as_whole_numbers(indices):
    """Indices as NumPy's take() converts them: arrays must have integers or truth values, while
    numbers and lists lose fractions."""
    is_array = isinstance(indices, (ndarray, np.ndarray))
    if not is_array and np.ndim(indices) == 0:
        return int(indices)
    is_array |= not isinstance(indices, (list, tuple))
    indices = asarray(indices)
    if is_array and indices.dtype.kind not in "biu":
        raise TypeError(f"Cannot cast array data from {indices.dtype!r} to dtype('int64') "
                        "according to the rule 'same_kind'")  # fmt: skip
    return indices if indices.dtype.kind in "iu" else indices.astype(np.int64)


def take(a, indices, axis=None, out=None, mode="wrap"):
    """Elements along an axis; indices beyond the end wrap, with mode="clip" they are the ends'."""
    a = asarray(a)
    if mode not in ("wrap", "clip", "raise"):
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    if out is not None:
        check_is_array(out)
        if out.dtype != a.dtype:
            raise TypeError(f"output dtype mismatch: {out.dtype}, not {a.dtype}")
    if axis is None or not a.ndim:
        a, axis = a.ravel(), 0 if axis is None else axis
    axis = normalize_axis_index(axis, a.ndim)
    indices = _as_whole_numbers(indices)
    if mode == "clip":
        indices = asarray(indices).clip(0, a.shape[axis] - 1)
    if np.ndim(indices) == 0 and a.shape[axis]:
        indices = int(indices) if mode == "raise" else int(indices) % a.shape[axis]
    if isinstance(indices, (int, np.integer)):
        found = a[(slice(None),) * axis + (indices,)]
    else:
        indices = asarray(indices)
        found = a[(slice(None),) * axis + (indices,) if axis else indices]
    if out is None:
        return found
    if out.shape != found.shape:
        raise ValueError("output array does not match result of ndarray.take")
    out[...] = found
    return out


# A warp takes a segment of elements, 32 at once.


def nonzero(a):
    """The indices of elements that are not 0, an array for each axis."""
    a = asarray(a)
    if not a.ndim:
        raise ValueError("Calling nonzero on 0d arrays is not allowed. Use atleast_1d(scalar)"
                         ".nonzero() instead.")  # fmt: skip
    return _unravelled(flatnonzero(a), a.shape, "C")


def _checked_order(order):
    if order not in ("C", "F", "c", "f", None):
        raise ValueError("order not understood")
    return "F" if order in ("F", "f") else "C"


def unravel_index(indices, dims, order="C"):
    """Indices of each axis, of flat ones."""
    order, indices = _checked_order(order), asarray(indices)
    dims = (dims,) if isinstance(dims, int) else tuple(dims)
    if indices.dtype.kind not in "biu":
        raise TypeError("Iterator operand 0 dtype could not be cast from "
                        f"{indices.dtype!r} to dtype('int64')")  # fmt: skip
    indices = indices.astype(np.int64, copy=False)
    if indices.size and bool(((indices < 0) | (indices >= math.prod(dims))).any()):
        raise ValueError(f"an index is out of bounds for an array of {math.prod(dims)} elements")
    return _unravelled(indices, dims, order)


def _unravelled(rest, dims, order):
    found = []
    for n in reversed(dims) if order == "C" else dims:
        if len(found) == len(dims) - 1:
            found.append(rest)
            break
        n = max(n, 1)
        found.append((rest % n).astype(np.int64, copy=False))
        rest = rest // n
    return tuple(reversed(found)) if order == "C" else tuple(found)


def ravel_multi_index(multi_index, dims, mode="wrap", order="C"):
    """Flat indices, of those of each axis."""
    order = _checked_order(order)
    dims = tuple(map(operator.index, dims))
    if len(multi_index) != len(dims):
        raise ValueError(f"parameter multi_index must be a sequence of length {len(dims)}")
    if math.prod(dims) > np.iinfo(np.int64).max:
        raise ValueError("invalid dims: array size defined by dims is larger than the maximum "
                         "possible size")  # fmt: skip
    modes = (mode,) * len(dims) if isinstance(mode, str) else mode
    total, stride = 0, 1
    axes = list(zip(multi_index, dims, modes))
    for index, n, how in reversed(axes) if order == "C" else axes:
        index = asarray(index)
        if index.dtype.kind not in "biu":
            raise TypeError("only int indices permitted")
        index = index.astype(np.int64, copy=False)
        if how == "wrap":
            index = index % n
        elif how == "clip":
            index = index.clip(0, n - 1)
        elif how != "raise":
            raise ValueError(f"unrecognized mode {how!r}: it is 'raise', 'wrap' or 'clip'")
        elif bool(((index < 0) | (index >= n)).any()):
            raise ValueError("invalid entry in coordinates array")
        total = index * stride + total
        stride *= n
    return total.astype(np.int64, copy=False)
