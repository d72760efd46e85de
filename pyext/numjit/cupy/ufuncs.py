"""NumPy's ufuncs over device arrays. NumPy's own objects say which dtypes a call computes in; the
library compiles the functions by their names."""

from __future__ import annotations

import functools
import math
import threading
import warnings

import numpy as np

from . import current, upcalls
from .current import _current
from .evaluate import value_of
from .kernel_text import cast_text, is_bfloat16, type_name
from .nodes import Operation, Scalar, resolved

#: Operations in one expression; a larger one is computed in parts.
most_operations = 48

_PYTHON = {bool: np.dtype(bool), int: int, float: float, complex: complex}
_COMPARISONS = frozenset((np.less, np.less_equal, np.greater, np.greater_equal, np.equal,
                          np.not_equal))  # fmt: skip

#: Functions of several results: the text of each.
_PARTS = {
    "divmod": ("np.floor_divide({0}, {1})", "np.remainder({0}, {1})"),
    "modf": ("np.modf({0})[0]", "np.modf({0})[1]"),
    "frexp": ("np.frexp({0})[0]", "np.frexp({0})[1]"),
}

#: Texts of ufuncs that are not NumPy's.
more_texts: dict = {}


class _NumpyCalls(threading.local):
    """How many functions of NumPy's code a thread is inside of, where arrays of the host are
    operands, too: `with numpy_calls:`."""

    depth = 0

    def __enter__(self):
        self.depth += 1

    def __exit__(self, *exception):
        self.depth -= 1


numpy_calls = _NumpyCalls()


class NotAnOperand(TypeError):
    """Something that arrays do not compute with."""


def operand(value, target=None):
    """What stands for an operand in an expression, and what chooses the loop: a dtype, or the class
    of a Python number."""
    if isinstance(value, upcalls.ndarray):
        buffer = value._buffer
        if (buffer is None or buffer.write is None) and not _current.several:
            node = value._node
        else:
            node = value._operand(target)
        return node, node.dtype
    kind = _PYTHON.get(type(value))
    if kind is not None:
        return value, kind
    if isinstance(value, np.generic):
        return value, value.dtype
    if isinstance(value, np.ndarray) and not value.ndim and value.dtype.kind in "biufc":
        return value[()], value.dtype
    if (
        hasattr(value, "__cuda_array_interface__")
        or hasattr(value, "__cupy_get_ndarray__")
        or (numpy_calls.depth and isinstance(value, (np.ndarray, list, tuple)))
    ):
        node = upcalls.asarray(value)._operand()
        return node, node.dtype
    for kind in (int, float, complex):
        if isinstance(value, kind):
            return kind(value), kind
    raise NotAnOperand(f"Unsupported type {type(value)}")


@functools.lru_cache(4096)
def loop_of(function, kinds, signature, casting):
    """Dtypes of the inputs and results of a call."""
    results = (None,) * function.nout
    if any(isinstance(each, type) for each in kinds) and function.nin != len(kinds):
        raise TypeError(f"{function.__name__}() takes {function.nin} inputs")
    more = {} if signature is None else {"signature": signature}
    found = function.resolve_dtypes((*kinds, *results), casting=casting or "same_kind", **more)
    for dtype in found:
        if dtype.kind not in "biufc" or dtype.char in "gG":
            if is_bfloat16(dtype) and function not in (np.nextafter, np.spacing):
                continue
            raise TypeError(f"ufunc '{function.__name__}' has no loop on the device for {kinds}")
    return found[: function.nin], found[function.nin :]


@functools.lru_cache(4096)
def _texts(function, inputs, results):
    of_halves = function in (np.spacing, np.nextafter) and inputs[0] == "f2"
    if of_halves or (function is np.power and inputs[1].kind == "i"):
        slots = ", ".join(f"{{{i}}}" for i in range(len(inputs)))
        return (f"{type_name(results[0])}(kernel_numbers.{function.__name__}({slots}))",)
    parts = more_texts.get(function) or _PARTS.get(function.__name__)
    if parts is None:
        slots = ", ".join(f"{{{i}}}" for i in range(len(inputs)))
        parts = (f"np.{function.__name__}({slots})",)
    if any(map(is_bfloat16, inputs)):
        slots = [
            cast_text(each, _FLOAT).format(f"{{{i}}}") if is_bfloat16(each) else f"{{{i}}}"
            for i, each in enumerate(inputs)
        ]
        parts = [text.format(*slots) for text in parts]
    return tuple(f"{type_name(dtype)}({text})" for text, dtype in zip(parts, results))


_FLOAT = np.dtype(np.float32)


def _scalar(value, dtype):
    if is_bfloat16(dtype):  # rounded to it, and passed on as what kernels compute with
        return Scalar(_FLOAT.type(np.asarray(value).astype(dtype)), _FLOAT)
    if isinstance(value, np.generic):
        return Scalar(value.astype(dtype), dtype)
    if dtype.kind == "c":
        return Scalar(dtype.type(value), dtype)
    return Scalar(dtype.type(value), dtype)


def _loop(function, values, kinds, signature, casting):
    inputs, results = loop_of(function, kinds, signature, casting)
    if function in _COMPARISONS and int in kinds:
        # Python's integers compare by value, also with what cannot hold them.
        for i, kind in enumerate(kinds):
            if kind is int and inputs[i].kind in "iu":
                info = np.iinfo(inputs[i])
                if not info.min <= values[i] <= info.max:
                    kinds = (*kinds[:i], np.min_scalar_type(values[i]), *kinds[i + 1 :])
                    return loop_of(function, kinds, signature, casting)
    return inputs, results


def make(text, inputs, operands, dtype, shape=None):
    """An operation; operands of many operations are computed first."""
    if shape is None:
        shape = broadcast(operands)
    node = Operation(text, inputs, operands, shape, dtype, current.place())
    if node.count > most_operations:
        for each in operands:
            if resolved(each).count > most_operations // 4:
                value_of(each)
        node = Operation(text, inputs, operands, shape, dtype, current.place())
    size = math.prod(shape)
    for each in operands:
        found = resolved(each)
        if found.count > 4 and math.prod(found.shape) != size:
            value_of(found)
    return node


def broadcast(operands):
    """The shape of an expression."""
    shape = None
    for each in operands:
        if shape is None or each.shape == shape or not shape:
            shape = each.shape if shape is None or not shape else shape
        elif each.shape:
            shape = _broadcast(shape, each.shape)
    return shape


@functools.lru_cache(4096)
def _broadcast(one, other):
    try:
        return np.broadcast_shapes(one, other)
    except ValueError:
        raise ValueError(
            f"operands could not be broadcast together with shapes {_written(one)} "
            f"{_written(other)}"
        ) from None


def _written(shape):
    return "(" + ",".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


def cast(node, dtype):
    """A node with another dtype."""
    if node.dtype == dtype:
        return node
    if node.kind == 1:
        return _scalar(node.number, dtype)
    if node.dtype.kind == "c" and dtype.kind in "iuf":
        text = "Casting complex values to real discards the imaginary part"
        warnings.warn(text, np.exceptions.ComplexWarning, 3)
    text = cast_text(node.dtype, dtype)
    return make(text, (node.dtype,), (node,), dtype, node.shape)


def as_dtype(dtype):
    """A dtype, of what NumPy takes for one."""
    return dtype() if isinstance(dtype, type(np.dtype)) else np.dtype(dtype)


def nodes_of(function, args, dtype=None, casting=None, target=None):
    """The results of a call as nodes."""
    values, kinds, key = [], [], [function, casting]
    for each in args:
        value, kind = operand(each, target)
        values.append(value)
        kinds.append(kind)
        # Dtypes of numbers are known by their number, whose hash is cheap.
        key.append(kind if isinstance(kind, type) else kind.num)
    found = known_loops.get(tuple(key)) if dtype is None else None
    if found is None:
        found = _found_loop(function, values, tuple(kinds), dtype, casting, tuple(key))
    inputs, results, texts = found
    operands = tuple(
        [
            _scalar(value, want) if _is_number(value) else value
            for value, want in zip(values, inputs)
        ]
    )
    shape = broadcast(operands)
    return [make(text, inputs, operands, each, shape) for text, each in zip(texts, results)]


#: (function, casting, numbers of dtypes and classes of Python's numbers ...) -> what nodes need.
known_loops: dict = {}


def _is_number(value):
    return type(value) in _PYTHON or isinstance(value, np.generic)


def _found_loop(function, values, kinds, dtype, casting, key):
    """Dtypes of the inputs and the results of a call, and the texts of the results."""
    signature = None
    if dtype is not None:
        dtype = as_dtype(dtype)
        signature = (None,) * function.nin + (dtype,) * function.nout
    inputs, results = _loop(function, values, kinds, signature, casting)
    found = inputs, results, _texts(function, inputs, results)
    if dtype is None and not (function in _COMPARISONS and int in kinds):
        known_loops[key] = found
    return found


def result_of(args, node):
    """A result: of the class of the first operand that has one of its own."""
    base = upcalls.ndarray
    for each in args:
        if type(each) is not base and isinstance(each, base):
            made = type(each)._waiting(node)
            finalize(made, each)
            return made
    return base._waiting(node)


def finalize(made, source):
    """Lets an array of a class of the program's take over what it knows of another one."""
    method = getattr(made, "__array_finalize__", None)
    if method is not None:
        method(source)


def apply(function, args):
    """A ufunc of operands alone."""
    made = [result_of(args, node) for node in nodes_of(function, args)]
    return made[0] if len(made) == 1 else tuple(made)


def apply_in_place(function, out, other):
    return call(function, (out, other), out=out)


def check_is_array(out):
    """Raises TypeError unless results can be stored in what was given for them."""
    if not isinstance(out, upcalls.ndarray):
        raise TypeError("return arrays must be of ArrayType")


def into(node, out, casting="same_kind", function=None):
    """Assigns a node to an array that was given for the result."""
    check_is_array(out)
    if not np.can_cast(node.dtype, out.dtype, casting):
        name = getattr(function, "__name__", "copyto")
        raise TypeError(
            f"Cannot cast ufunc '{name}' output from {node.dtype!r} to {out.dtype!r} with casting "
            f"rule '{casting}'"
        )
    assign(out, node)
    return out


def assign(out, node):
    """Stores a node, cast and broadcast, in an array."""
    check_is_array(out)
    if node.shape != out.shape:
        if len(node.shape) > out.ndim or any(
            n not in (1, want) for n, want in zip(node.shape[::-1], out.shape[::-1])
        ):
            raise ValueError(
                f"non-broadcastable output operand with shape {_written(out.shape)} doesn't match "
                f"the broadcast shape {_written(node.shape)}"
            )
    node = cast(node, out.dtype)
    if node.shape != out.shape:
        node = make("{0}", (node.dtype,), (node,), node.dtype, out.shape)
    out._assign(node)


def call(function, args, out=None, where=True, dtype=None, casting="same_kind", **ignored):
    """function(*args, out=..., where=..., dtype=...)."""
    where = True if where is np._NoValue else where
    out = None if out is ... else out
    if len(args) > function.nin and out is None:
        args, out = args[: function.nin], args[function.nin :]
    if len(args) != function.nin:
        raise TypeError(f"{function.__name__}() takes {function.nin} arguments, got {len(args)}")
    outs = out if isinstance(out, tuple) else (out,)
    outs += (None,) * (function.nout - len(outs))
    first = outs[0]
    target = None
    if isinstance(first, upcalls.ndarray) and first._buffer is not None and function.nout == 1:
        target = first._node.array
    made = nodes_of(function, args, dtype, casting, target)
    if where is not True:
        made = [_masked(node, where, given) for node, given in zip(made, outs)]
    results = []
    for node, given in zip(made, outs):
        if given is None:
            results.append(result_of(args, node))
        else:
            check_is_array(given)
            shape = _broadcast(node.shape, given.shape) if node.shape != given.shape else None
            if shape is not None and shape != given.shape:
                raise ValueError(
                    f"non-broadcastable output operand with shape {_written(given.shape)} doesn't "
                    f"match the broadcast shape {_written(shape)}"
                )
            results.append(into(node, given, casting, function))
    return results[0] if len(results) == 1 else tuple(results)


def _masked(node, where, out):
    """The results where a mask is true; elsewhere what was there."""
    mask, _ = operand(where)
    if not hasattr(mask, "kind"):
        mask = Scalar(np.bool_(mask), np.dtype(bool))
    if out is None:
        out = upcalls.empty(_broadcast(node.shape, mask.shape), node.dtype)
    node = cast(node, out.dtype)
    return choose(mask, node, out._operand())


def choose(condition, yes, no):
    """condition ? yes : no, of nodes with one dtype."""
    condition = cast(condition, np.dtype(bool))
    return make(
        "({1} if {0} else {2})",
        (condition.dtype, yes.dtype, no.dtype),
        (condition, yes, no),
        yes.dtype,
    )


_NOT_ON_DEVICES = frozenset("gGOMm")


class ufunc:
    """A ufunc of NumPy over device arrays."""

    __module__ = "cupy"

    def __init__(self, function):
        self._function = function
        self.__name__ = self.name = function.__name__
        self.__doc__ = function.__doc__
        self.nin, self.nout, self.nargs = function.nin, function.nout, function.nargs
        self.types = [each for each in function.types if not set(each) & _NOT_ON_DEVICES]
        self.identity = function.identity

    def __call__(self, *args, out=None, where=True, dtype=None, casting="same_kind", **keywords):
        keywords.pop("order", None)
        keywords.pop("subok", None)
        if keywords:
            raise TypeError(f"{self.name}() got an unexpected keyword {next(iter(keywords))!r}")
        return call(self._function, args, out, where, dtype, casting)

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None,
               where=True):  # fmt: skip
        return upcalls.reduce(self._function, array, axis, dtype, out, keepdims, initial, where)

    def accumulate(self, array, axis=0, dtype=None, out=None):
        return upcalls.accumulate(self._function, array, axis, dtype, out)

    def outer(self, one, other, **keywords):
        if isinstance(one, upcalls.ndarray):
            one = one.reshape(one.shape + (1,) * getattr(other, "ndim", 0))
        return self(one, other, **keywords)

    def at(self, array, indices, value=None):
        upcalls.scatter(self._function, array, indices, value)

    def reduceat(self, array, indices, axis=0, dtype=None, out=None):
        return upcalls.reduceat(self._function, array, indices, axis, dtype, out)

    def __repr__(self):
        return f"<ufunc '{self.name}'>"


@functools.cache
def wrapped(function):
    return ufunc(function)
