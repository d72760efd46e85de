"""Functions that choose among arrays by conditions and indices."""

import numpy as np

from numjit import types

from ..core.intrinsics import assign, broadcast, cast, is_scalar, promote, set_flat
from ..core.registry import function
from .indexing import joined_shape
from .manipulation import copyto, shapes_of
from .methods import index_of
from .picking import check_integers, positioned


def weakly_promoted(dtype, literals):
    """Literals are weak; `literals` has None for what else there is."""
    if len(literals) == 0:
        return dtype
    elif literals[0] is None:
        return weakly_promoted(dtype, literals[1:])
    else:
        return weakly_promoted(np.result_type(dtype, literals[0]), literals[1:])


def others_among(choices, literals):
    if len(choices) == 0:
        return ()
    elif literals[0] is None:
        return (choices[0],) + others_among(choices[1:], literals[1:])
    else:
        return others_among(choices[1:], literals[1:])


@function("numjit.select_weakly")
def select_weakly(condlist: "skip", choicelist: "skip", default=0, *, literals):
    if isinstance(choicelist, types.LiteralList):
        return select_weakly(condlist, tuple(choicelist), default, literals=literals)
    elif not is_scalar(default) and not isinstance(default, np.ndarray):
        return select_weakly(condlist, choicelist, np.asarray(default), literals=literals)
    else:
        check_cases(condlist, choicelist)
        dtype = dtype_of_others(choicelist, literals, default)
        return select_as(condlist, choicelist, default, weakly_promoted(dtype, literals))


def dtype_of_others(choices, literals, default):
    """A display of numbers alone is a list."""
    if None not in literals:
        return np.result_type(default)
    elif isinstance(choices, tuple):
        return np.result_type(promote(others_among(choices, literals)), default)
    else:
        return np.result_type(promote(choices), default)


@function("numpy.select")
def select(condlist: "skip", choicelist: "skip", default=0):
    check_cases(condlist, choicelist)
    if isinstance(choicelist, types.LiteralList):
        return select(condlist, tuple(choicelist), default)
    elif not is_scalar(default) and not isinstance(default, np.ndarray):
        return select(condlist, choicelist, np.asarray(default))
    else:
        dtype = np.result_type(promote(choicelist), default)
        return select_as(condlist, choicelist, default, dtype)


def check_cases(condlist, choicelist):
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")


def select_as(condlist, choicelist, default, dtype):
    if isinstance(condlist, types.LiteralList):
        return select_as(tuple(condlist), choicelist, default, dtype)
    elif isinstance(condlist, tuple) and isinstance(choicelist, tuple):
        return selected(condlist, choicelist, default, dtype)
    else:
        shape = joined_shape(np.shape(condlist[0]), np.shape(choicelist[0]), ValueError)
        out = np.full(shape, of_dtype(default, dtype), dtype)
        if isinstance(choicelist, tuple):
            put_choices(out, condlist, choicelist)
        else:
            for k in range(len(condlist) - 1, -1, -1):  # the first that holds wins
                copyto(out, choicelist[k], where=condlist[k])
        return out


def of_dtype(choice, dtype):
    """Literals that the dtype does not hold wrap here, as in NumPy."""
    return cast(choice, dtype) if is_scalar(choice) else choice


def selected(conditions, choices, default, dtype):
    """One expression: a condition inside of the other."""
    if len(conditions) == 0:
        return of_dtype(default, dtype)
    else:
        rest = selected(conditions[1:], choices[1:], default, dtype)
        return np.where(conditions[0], of_dtype(choices[0], dtype), rest)


def put_choices(out, conditions, choices):
    last = len(choices) - 1
    copyto(out, of_dtype(choices[last], out.dtype), where=conditions[last])
    if last > 0:
        put_choices(out, conditions, choices[:last])


@function("numjit.choose_weakly")
def choose_weakly(a: "skip", choices: "skip", out=None, mode="raise", *, literals):
    if isinstance(choices, types.LiteralList):
        return choose_weakly(a, tuple(choices), out, mode, literals=literals)
    elif isinstance(choices, tuple):
        dtype = weakly_promoted(promote(others_among(choices, literals)), literals)
        return choose_as(a, choices, out, mode, dtype)
    else:  # a display of numbers alone is a list
        return choose_as(a, choices, out, mode, promote(choices))


@function("numpy.choose")
def choose(a: "skip", choices: "skip", out=None, mode="raise"):
    if isinstance(choices, types.LiteralList):
        return choose(a, tuple(choices), out, mode)
    return choose_as(a, choices, out, mode, promote(choices))


def choose_as(a, choices, out, mode, dtype):
    check_integers(a)
    x = np.asarray(a)
    shape = x.shape
    if isinstance(choices, tuple):
        shape = joined_shape(x.shape, shapes_of(choices), ValueError)
    result = np.empty(shape, dtype)
    at = broadcast(positioned(x, len(choices), mode), shape)
    for i in range(result.size):
        index = index_of(i, shape)
        k = cast(at[index], np.int64)
        if k < 0 or k >= len(choices):
            raise ValueError("invalid entry in choice array")
        choose_item(result, i, choices, k, index, shape)
    if out is None:
        return result
    else:
        assign(out, result)
        return out


def choose_item(out, i, choices, k, index, shape):
    if not isinstance(choices, tuple):
        set_flat(out, i, cast(item_or_scalar(choices[k], index, shape), out.dtype))
    elif len(choices) == 1:
        set_flat(out, i, cast(item_or_scalar(choices[0], index, shape), out.dtype))
    elif k == 0:
        set_flat(out, i, cast(item_or_scalar(choices[0], index, shape), out.dtype))
    else:
        choose_item(out, i, choices[1:], k - 1, index, shape)


def item_or_scalar(choice, index, shape):
    if is_scalar(choice):
        return choice
    else:
        return broadcast(choice, shape)[index]
