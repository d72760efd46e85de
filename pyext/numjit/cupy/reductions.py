"""Reductions of expressions along axes."""

from __future__ import annotations

import functools
import operator

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from . import current, upcalls
from .creation import asarray, full
from .current import _current
from .kernel_text import is_bfloat16, type_name
from .nodes import Reduced, Scalar
from .reduction_plans import plan_for
from .reduction_text import Reduction
from .ufuncs import assign, broadcast, cast, check_is_array, choose, nodes_of, operand


def axes_of(axis, ndim):
    """The axes of a reduction, sorted."""
    if axis is None:
        return tuple(range(ndim))
    if isinstance(axis, tuple):
        return tuple(sorted(normalize_axis_tuple(axis, ndim)))
    if not ndim and axis in (0, -1):
        return ()
    return (normalize_axis_index(axis, ndim),)


def reduced_shape(shape, axes, keepdims):
    if keepdims:
        return tuple(1 if axis in axes else n for axis, n in enumerate(shape))
    return tuple(n for axis, n in enumerate(shape) if axis not in axes)


@functools.lru_cache(1024)
def result_dtype(function, have, wanted):
    """The dtype of a reduction, as NumPy has it."""
    one = np.ones(1, have)
    return function.reduce(one, dtype=wanted).dtype


@functools.lru_cache(1024)
def _of_ufunc(function, dtype):
    """The reduction for a ufunc of two values of a dtype."""
    is_wider = is_bfloat16(dtype) or dtype == "f2" and function in (np.add, np.multiply)
    state = np.dtype("f4") if is_wider else dtype
    text = f"A0 = {type_name(state)}(np.{function.__name__}(A0, B0))"
    first = None
    if function.identity is not None:
        first = [repr(np.array(function.identity).astype(state).item()).replace("inf", "np.inf")]
    return Reduction([state], first, ["X0"], [text])


#: What a call before found out: (function, dtype, shape, axis, dtype=, keepdims) -> the dtype to
#: reduce in, the plan and the shape of the result.
_known: dict = {}
_MOST_KNOWN = 4096


def known_key(name, node, axis, dtype, keepdims):
    """The key of a call in a table of those before; None where equal keys may mean other things."""
    if axis is not None and type(axis) is not int:
        return None
    if type(keepdims) is not bool or not (dtype is None or isinstance(dtype, (type, np.dtype))):
        return None
    return name, node.dtype.num, node.shape, axis, dtype, keepdims


def remember(table, key, value):
    if key is not None:
        if len(table) >= _MOST_KNOWN:
            table.clear()
        table[key] = value


def reduce(function, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """function.reduce over one axis, several, or all of them (None)."""
    key = None
    if out is None and initial is None and where is True and isinstance(array, upcalls.ndarray):
        node = array._operand()
        key = known_key(function, node, axis, dtype, keepdims)
        row = _known.get(key)
        if row is not None:
            result, plan, shape = row
            if node.dtype is not result:
                node = cast(node, result)
            made = Reduced(plan, (node,), shape, result, _current.place)
            return upcalls.ndarray._waiting(made)
    return _reduce(function, array, axis, dtype, out, keepdims, initial, where, key)


def _reduce(function, array, axis, dtype, out, keepdims, initial, where, key):
    node = as_node(array)
    initial, where = given(initial, None), given(where, True)
    out = None if out is ... else out
    keepdims = given(keepdims, False)
    axes = axes_of(axis, len(node.shape))
    if function.nin != 2 or function.nout != 1:
        raise ValueError(f"{function.__name__} does not support reduction")
    wanted = None if dtype is None else np.dtype(dtype)
    have = node.dtype
    result = result_dtype(function, have, wanted)
    if result.kind not in "biufc" and not is_bfloat16(result):
        raise TypeError(f"{function.__name__} does not reduce {have} on the device")
    node = cast(node, result)
    if where is not True:
        if function.identity is None and initial is None:
            raise ValueError(
                f"reduction operation '{function.__name__}' does not have an identity, so to use a "
                "where mask one has to specify 'initial'"
            )
        other = function.identity if function.identity is not None else initial
        mask, _ = operand(where)
        if not hasattr(mask, "kind"):
            mask = Scalar(np.bool_(mask), np.dtype(bool))
        other = Scalar(result.type(other), result)
        node = choose(mask, node, other)
    shape = node.shape
    if 0 in [shape[axis] for axis in axes] and function.identity is None and initial is None:
        raise ValueError(
            f"zero-size array to reduction operation {function.__name__} which has no identity"
        )
    if 0 in shape:
        start = initial if initial is not None else function.identity
        return _filled(reduced_shape(shape, axes, keepdims), result, start, out)
    made = make_reduced(_of_ufunc(function, result), (node,), axes, result, keepdims)
    remember(_known, key, (result, made.plan, made.shape))
    if initial is not None:
        (made,) = nodes_of(function, (upcalls.ndarray._waiting(made), result.type(initial)))
    return finished(made, out)


def given(value, default):
    """An argument, where NumPy's code may have passed that there is none."""
    return default if value is np._NoValue else value


def as_node(array):
    if isinstance(array, upcalls.ndarray):
        return array._operand()
    return asarray(array)._operand()


def make_reduced(reduction, operands, axes, dtype, keepdims=False):
    """The node of a reduction."""
    shape = broadcast(operands)
    result = reduced_shape(shape, axes, keepdims)
    plan = plan_for(reduction, axes, shape)
    return Reduced(plan, operands, result, dtype, current.place())


def finished(node, out=None):
    """The array for a node, or `out` with its elements."""
    if out is None:
        return upcalls.ndarray._waiting(node)
    check_out(out, node.shape)
    assign(out, node)
    return out


def check_out(out, shape):
    """Raises if an array is not as a reduction's out= has to be."""
    check_is_array(out)
    if out.shape != shape:
        raise ValueError(
            f"output parameter for reduction operation has the wrong shape {out.shape}, not {shape}"
        )


def _filled(shape, dtype, value, out):
    made = full(shape, 0 if value is None else value, dtype)  # None: there are no elements
    if out is not None:
        check_out(out, shape)
        out[...] = made
        return out
    return made


# -- argmax and argmin ----------------------------------------------------------------------------


@functools.lru_cache(256)
def _of_position(name, dtype):
    sign = ">" if name == "argmax" else "<"
    better = f"(B0 {sign} A0)"
    nan_a = nan_b = None
    if dtype.kind in "fc":
        nan_a, nan_b = "(A0 != A0)", "(B0 != B0)"
    if dtype.kind == "c":
        better = f"((B0.real {sign} A0.real) or (B0.real == A0.real and B0.imag {sign} A0.imag))"
    take = f"{better} or (B0 == A0 and B1 < A1)"
    if nan_a:
        take = (
            f"({nan_b} and (not {nan_a} or B1 < A1)) or (not {nan_a} and not {nan_b} and ({take}))"
        )
    lines = [f"taken = {take}", "A1 = B1 if taken else A1", "A0 = B0 if taken else A0"]
    return Reduction([dtype, np.dtype(np.int64)], None, ["X0", "R"], lines, "A1")


def position(name, array, axis=None, out=None, keepdims=False, dtype=None):
    """argmax and argmin."""
    keepdims = given(keepdims, False)
    node = as_node(array)
    key = known_key(name, node, axis, dtype, keepdims) if out is None else None
    if key in _known:
        result, plan, shape = _known[key]
        return finished(Reduced(plan, (node,), shape, result, _current.place))
    axes = axes_of(None if axis is None else operator.index(axis), len(node.shape))
    if 0 in [node.shape[axis] for axis in axes]:
        raise ValueError(f"attempt to get {name} of an empty sequence")
    result = np.dtype(np.int64)
    wanted = np.dtype(dtype or result)
    if 0 in node.shape:
        return _filled(reduced_shape(node.shape, axes, keepdims), wanted, 0, out)
    if not axes:
        return _filled((), wanted, 0, out)
    made = make_reduced(_of_position(name, node.dtype), (node,), axes, result, keepdims)
    if dtype is None:
        remember(_known, key, (result, made.plan, made.shape))
    return finished(cast(made, wanted), out)


def count_nonzero(a, axis=None, *, keepdims=False):
    """The number of elements that are not 0."""
    return reduce(np.add, as_array(a) != 0, axis, np.dtype(np.int64), None, keepdims)


def as_array(a):
    return a if isinstance(a, upcalls.ndarray) else asarray(a)


def ptp(a, axis=None, out=None, keepdims=False):
    """The difference of the largest and the smallest element."""
    found = reduce(np.maximum, a, axis, None, None, keepdims)
    found = found - reduce(np.minimum, a, axis, None, None, keepdims)
    if out is None:
        return found
    check_out(out, found.shape)
    out[...] = found
    return out
