"""NumPy's functions that call a function of the user's."""

import numpy as np

from ..core.axes import as_array
from ..core.intrinsics import cast, is_scalar, is_text, map_elements, promote, refuse, set_item
from ..core.registry import function
from .creation import asarray
from .cumulative import axis_last
from .methods import index_of, normal_axis, permuted, product

# -- pieces ----------------------------------------------------------------------------------------


def none_of(conditions, x):
    if len(conditions) == 0:
        return np.ones(x.shape, np.bool_)
    else:
        return none_of(conditions[1:], x) & ~asarray(conditions[0], np.bool_)


def put_pieces(out, x, conditions, functions, args):
    if len(conditions) > 0:
        where = asarray(conditions[0], np.bool_)
        if is_scalar(functions[0]):
            out[where] = functions[0]
        else:
            out[where] = functions[0](x[where], *args)
        put_pieces(out, x, conditions[1:], functions[1:], args)


def pieces(x, conditions, functions, args):
    if len(functions) == len(conditions) + 1:
        return pieces(x, conditions + (none_of(conditions, x),), functions, args)
    else:
        if len(functions) != len(conditions):
            raise ValueError(
                f"with {len(conditions)} condition(s), either {len(conditions)} or "
                f"{len(conditions) + 1} functions are expected"
            )
        out = np.zeros(x.shape, x.dtype)
        put_pieces(out, x, conditions, functions, args)
        return out


@function("numpy.piecewise")
def piecewise(x, condlist, funclist, *args):
    if not isinstance(x, np.ndarray):
        return piecewise(asarray(x), condlist, funclist, *args)
    elif isinstance(condlist, np.ndarray) or is_scalar(condlist):
        return piecewise(x, (condlist,), funclist, *args)
    elif not isinstance(condlist, tuple) or not isinstance(funclist, tuple):
        return refuse(
            "np.piecewise: how many conditions and functions there are must be in the program",
            "write them in the call: np.piecewise(x, [x < 0, x >= 0], [f, g])",
        )
    elif len(condlist) > 0 and is_scalar(condlist[0]) and x.ndim > 0:
        return piecewise(x, (asarray(condlist),), funclist, *args)
    else:
        return pieces(x, condlist, funclist, args)


# -- along axes ------------------------------------------------------------------------------------


def number_results(func1d, rows, outer, first, args):
    out = np.empty(outer, promote(first))
    for k in range(product(outer)):
        i = index_of(k, outer)
        set_item(out, i, func1d(rows[i], *args) if k > 0 else first)
    return out


def array_results(func1d, rows, outer, first, args):
    """The results' own axes are the last ones."""
    out = np.empty(outer + first.shape, first.dtype)
    for k in range(product(outer)):
        i = index_of(k, outer)
        out[(*i, ...)] = as_array(func1d(rows[i], *args)) if k > 0 else first
    return out


def order_with(axis, ndim, inner, k):
    """The axes of array_results() with the ``inner`` last ones at ``axis``."""
    if k == ndim:
        return ()
    else:
        outer = ndim - inner
        here = k if k < axis else (outer + k - axis if k < axis + inner else k - inner)
        return (here,) + order_with(axis, ndim, inner, k + 1)


@function("numpy.apply_along_axis")
def apply_along_axis(func1d, axis, arr, *args):
    """The function is compiled for one-dimensional arrays; all its results have the first one's
    shape and dtype."""
    a = as_array(arr)
    along = normal_axis(axis, a.ndim)
    rows = axis_last(a, along)
    outer = rows.shape[: a.ndim - 1]
    if product(outer) == 0:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    result = func1d(rows[index_of(0, outer)], *args)
    if is_scalar(result):
        return number_results(func1d, rows, outer, result, args)
    else:
        first = as_array(result)
        out = array_results(func1d, rows, outer, first, args)
        if first.ndim == 0:
            return out
        else:
            return permuted(out, order_with(along, out.ndim, first.ndim, 0))


@function("numpy.apply_over_axes")
def apply_over_axes(func, a, axes):
    if not isinstance(axes, tuple):
        return apply_over_axes(func, a, (axes,))
    elif len(axes) == 0:
        return as_array(a)
    else:
        x = as_array(a)
        along = normal_axis(axes[0], x.ndim)
        result = as_array(func(x, along))
        if result.ndim == x.ndim:
            return apply_over_axes(func, result, axes[1:])
        elif result.ndim == x.ndim - 1:
            return apply_over_axes(func, np.expand_dims(result, along), axes[1:])
        else:
            return refuse("function is not returning an array of the correct shape")


# -- element by element ----------------------------------------------------------------------------


def arrays_of(args):
    if len(args) == 0:
        return ()
    elif is_scalar(args[0]):
        return (args[0],) + arrays_of(args[1:])
    else:
        return (as_array(args[0]),) + arrays_of(args[1:])


@function("numpy.vectorize")
def vectorize(pyfunc, otypes=None, doc: "skip" = None):
    """The result has the dtype that the function returns, unless otypes has one; there are no
    excluded arguments and no signatures of core dimensions."""

    def call(*args):
        if otypes is None:
            return map_elements(pyfunc, (), *arrays_of(args))
        else:
            return converted(map_elements(pyfunc, (), *arrays_of(args)), otypes)

    return call


def converted(result, otypes):
    if isinstance(result, tuple):
        return refuse("np.vectorize: otypes of functions with several results")
    elif is_scalar(result):
        return cast(result, np.dtype(otypes if is_text(otypes) else otypes[0]))
    elif is_text(otypes):
        return result.astype(otypes)
    else:
        return result.astype(otypes[0])
