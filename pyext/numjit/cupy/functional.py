"""Functions of functions: fuse, vectorize, memoize, apply_along_axis, piecewise."""

from __future__ import annotations

import functools
import math

import numpy as np

from numjit import _core, njit, typeof
from numjit.cuda.decorators import jit
from numjit.types.rows import handle_of
from numjit.types.wrap import wrap

from .creation import array, asarray, zeros
from .devices import get_device_id
from .indexing import launch
from .joining import stack
from .kernel_text import compiled
from .manipulation import broadcast_to, where
from .ndarrays import ndarray


def fuse(*args, **keywords):
    """Decorates a function of arrays. Expressions are one kernel anyway, so it stays what it is."""

    def decorate(function):
        @functools.wraps(function)
        def fused(*arguments, **more):
            return function(*arguments, **more)

        return fused

    return decorate(args[0]) if args and callable(args[0]) else decorate


class vectorize:
    """A function of scalars over arrays, compiled by numjit: anything that @njit takes."""

    def __init__(self, pyfunc, otypes=None, doc=None, excluded=None, cache=False, signature=None):
        if excluded or signature:
            raise NotImplementedError("vectorize takes neither excluded= nor signature=")
        functools.update_wrapper(self, pyfunc)
        self.pyfunc, self.otypes = pyfunc, otypes
        self._results, self._device = {}, None

    def __call__(self, *args):
        arrays = [asarray(each) for each in args]
        shape = np.broadcast_shapes(*(each.shape for each in arrays))
        dtypes = tuple(each.dtype for each in arrays)
        out = ndarray(shape, self._result(dtypes))
        if not out.size:
            return out
        kernel = self._results.get(("kernel", len(arrays)))
        if kernel is None:
            names = ", ".join(f"a{i}" for i in range(len(arrays)))
            values = ", ".join(f"a{i}[i]" for i in range(len(arrays)))
            text = (
                f"def kernel({names}, out):\n    i = cuda.grid(1)\n    step = cuda.gridsize(1)\n"
                f"    while i < out.size:\n        out[i] = function({values})\n        i += step\n"
            )
            kernel = compiled(text, function=self._device)
            self._results["kernel", len(arrays)] = kernel
        lines = [broadcast_to(each, shape).ravel()._force() for each in arrays]
        launch(kernel, out.size, *lines, out._force().reshape(-1))
        return out

    def _result(self, dtypes):
        """The dtype of a result."""
        found = self._results.get(dtypes)
        if found is None:
            if self._device is None:
                self._device = jit(self.pyfunc, device=True)
            rows = [handle_of(typeof(dtype.type(0))) for dtype in dtypes]
            found = np.dtype(str(wrap(_core.infer(njit(self.pyfunc), rows))))
            if self.otypes is not None:
                found = np.dtype(self.otypes[0])
            self._results[dtypes] = found
        return found


_memoized = []


def memoize(for_each_device=False):
    """Decorates a function whose results are kept."""

    def decorate(function):
        kept = {}
        _memoized.append(kept)

        @functools.wraps(function)
        def memoized(*args, **keywords):
            key = (args, tuple(sorted(keywords.items())), get_device_id() if for_each_device else 0)
            if key not in kept:
                kept[key] = function(*args, **keywords)
            return kept[key]

        return memoized

    return decorate


def clear_memo():
    """Forgets all results that were kept."""
    for kept in _memoized:
        kept.clear()


def apply_along_axis(func1d, axis, arr, *args, **keywords):
    """A function of each vector along an axis."""
    arr = asarray(arr)
    moved = arr.swapaxes(axis, -1)
    lines = moved.reshape(math.prod(moved.shape[:-1]), moved.shape[-1])
    if not lines.shape[0]:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    parts = [asarray(func1d(lines[i], *args, **keywords)) for i in range(lines.shape[0])]
    found = stack(parts).reshape(moved.shape[:-1] + parts[0].shape)
    if not parts[0].ndim:
        outer = list(range(arr.ndim))
        outer.pop(axis)
        others = [n for i, n in enumerate(arr.shape) if i != axis % arr.ndim]
        order = _order_without(arr.ndim, axis % arr.ndim)
        return found.transpose(order).reshape(tuple(others))
    return found.swapaxes(axis, -1) if parts[0].ndim == 1 else found


def _order_without(ndim, axis):
    """Where the axes of a moved array without its last one belong."""
    moved = list(range(ndim))
    moved[axis], moved[-1] = moved[-1], moved[axis]
    left = moved[:-1]
    return sorted(range(ndim - 1), key=lambda i: left[i])


def _value(value, x, args, keywords):
    found = value(x, *args, **keywords) if callable(value) else array(value)
    return found.astype(x.dtype, copy=False)


def piecewise(x, condlist, funclist, *args, **keywords):
    """Values by the first condition that holds."""
    x = asarray(x)
    if not isinstance(condlist, (list, tuple)):
        condlist = [condlist]
    conditions = [asarray(each) for each in condlist]
    if len(funclist) not in (len(conditions), len(conditions) + 1):
        raise ValueError(f"with {len(conditions)} condition(s), either {len(conditions)} or "
                         f"{len(conditions) + 1} functions are expected")  # fmt: skip
    found = zeros(x.shape, x.dtype)
    if len(funclist) > len(conditions):
        found[...] = _value(funclist[-1], x, args, keywords)
    for condition, value in zip(conditions, funclist):
        found = where(condition, _value(value, x, args, keywords), found)
    return found
