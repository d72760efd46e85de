"""cupy.vectorize: a function of numbers over arrays."""

from __future__ import annotations

import contextlib
import functools
import inspect
from types import CellType, FunctionType, ModuleType

import numpy as np

from numjit import _core, njit, typeof, types
from numjit.cuda.decorators import jit
from numjit.errors import NumbaError
from numjit.types.rows import handle_of
from numjit.types.wrap import wrap

from .creation import asarray
from .indexing import launch
from .kernel_text import compiled
from .manipulation import broadcast_to
from .ndarrays import ndarray
from .ufuncs import ufunc

_PYTHON_KINDS = {"b": bool, "i": 0, "f": 0.0, "c": 0j}


def _dtype(row):
    """The dtype of what a function of arrays without dimensions returns. Beside such an array a
    number of Python's type only tells its kind."""
    if row.kind != "union":
        found = wrap(row)
        return np.dtype(str(getattr(found, "dtype", found)))
    found = [wrap(each) for each in row.params]
    known = [np.dtype(str(each.dtype)) for each in found if hasattr(each, "dtype")]
    others = [np.dtype(str(each)) for each in found if not hasattr(each, "dtype")]
    if known:
        python = {np.dtype(each) for each in (bool, np.int64, float, complex)}
        others = [_PYTHON_KINDS[each.kind] if each in python else each for each in others]
    return np.result_type(*known, *others)


def _dtypes(row):
    """The dtypes of a result, which may be a tuple."""
    if row.kind == "tuple":
        return tuple(map(_dtype, row.params))
    return (_dtype(row),)


#: What functions of numbers are for arrays.
_OF_ARRAYS = {"min": np.minimum, "max": np.maximum}


def _with_numpy(function, for_arrays=False):
    """The function with NumPy's module and ufuncs in place of this package's, which compiled code
    does not know; or as it is for arrays without dimensions."""
    if not isinstance(function, FunctionType):
        return function
    free = inspect.getclosurevars(function)
    known = free.globals | free.nonlocals
    found = {name: _of_numpy(value) for name, value in known.items()}
    others = {name: _OF_ARRAYS[name] for name in free.builtins if for_arrays and name in _OF_ARRAYS}
    if all(found[name] is value for name, value in known.items()) and not others:
        return function
    names = function.__code__.co_freevars
    cells = tuple(CellType(found[name]) for name in names) if names else None
    made = FunctionType(
        function.__code__, function.__globals__ | {n: found[n] for n in free.globals} | others,
        function.__name__, function.__defaults__, cells,
    )  # fmt: skip
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _of_numpy(value):
    if isinstance(value, ModuleType) and value.__name__ == __package__:
        return np
    return value._function if isinstance(value, ufunc) else value


class vectorize:
    """A function of numbers over arrays, compiled by numjit: anything that @njit takes. The dtype
    of a result is that of the same operators over arrays, so that int8 + int8 is int8."""

    def __init__(self, pyfunc, otypes=None, doc=None, excluded=None, cache=False, signature=None):
        if excluded or signature:
            raise NotImplementedError("vectorize takes neither excluded= nor signature=")
        functools.update_wrapper(self, pyfunc)
        self.pyfunc, self.otypes = pyfunc, otypes
        self._results, self._kernels = {}, {}

    @functools.cached_property
    def _function(self):
        return _with_numpy(self.pyfunc)

    def __call__(self, *args):
        arrays = [asarray(each) for each in args]
        shape = np.broadcast_shapes(*(each.shape for each in arrays))
        dtypes = tuple(each.dtype for each in arrays)
        if dtypes not in self._results:
            self._results[dtypes] = self._result(dtypes)
        is_tuple, results = self._results[dtypes]
        outs = [ndarray(shape, each) for each in results]
        if outs[0].size:
            lines = [broadcast_to(each, shape).ravel()._force() for each in arrays]
            kernel = self._kernel(len(arrays), len(outs) if is_tuple else 0)
            launch(kernel, outs[0].size, *lines, *(out._force().reshape(-1) for out in outs))
        return tuple(outs) if is_tuple else outs[0]

    def _kernel(self, count, results):
        """The kernel for so many arrays, and results of a tuple; 0: no tuple."""
        kernel = self._kernels.get((count, results))
        if kernel is None:
            names = [f"a{i}" for i in range(count)]
            outs = [f"o{i}" for i in range(results or 1)]
            found = ", ".join(f"{out}[i]" for out in outs) + "," * (results == 1)
            text = (
                f"def kernel({', '.join(names + outs)}):\n"
                f"    i = cuda.grid(1)\n    step = cuda.gridsize(1)\n    while i < o0.size:\n"
                f"        {found} = function({', '.join(f'{name}[i]' for name in names)})\n"
                f"        i += step\n"
            )
            kernel = self._kernels[count, results] = compiled(
                text, function=jit(self._function, device=True)
            )
        return kernel

    def _result(self, dtypes):
        """Whether the result is a tuple, and its dtypes."""
        numbers = [typeof(dtype.type(0)) for dtype in dtypes]
        row = _core.infer(njit(self._function), [handle_of(each) for each in numbers])
        like = njit(_with_numpy(self.pyfunc, for_arrays=True))
        # Of arrays without dimensions results are numbers, whose further results are wider; but
        # only these have a truth value. What has no meaning for arrays is inferred of numbers.
        for ndim in (1, 0):
            arrays = [handle_of(types.Array(each, ndim, "C")) for each in numbers]
            with contextlib.suppress(NumbaError, TypeError):
                found = _dtypes(_core.infer(like, arrays))
                break
        else:
            found = _dtypes(row)
        if self.otypes is not None:
            found = tuple(np.dtype(self.otypes[i]) for i in range(len(found)))
        return row.kind == "tuple", found
