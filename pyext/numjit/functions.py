"""What every module of the package needs of functions: `frameless`, `is_jitted`, `FunctionLike`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable

from numjit import _core
from numjit.upcalls import ask


def frameless(function):
    """A public function of ours: what it raises has no frames of ours, see pyext/call/frames.h."""
    return functools.update_wrapper(_core.frameless(function), function)


def is_jitted(function) -> bool:
    """Whether a function is what @jit returns; kernels are others."""
    return isinstance(function, _core.Dispatcher) and not isinstance(
        function, _core.KernelDispatcher
    )


def _of_function(name):
    return property(lambda self: getattr(self.__wrapped__, name))


class FunctionLike:
    """Base of what stands for a function of the user's, which functools.update_wrapper puts in
    `__wrapped__`: tools that look into functions and copy them find here what they look for."""

    __slots__ = ()

    __wrapped__: Callable
    __code__ = _of_function("__code__")
    __closure__ = _of_function("__closure__")
    __defaults__ = _of_function("__defaults__")
    __globals__ = _of_function("__globals__")
    __kwdefaults__ = _of_function("__kwdefaults__")

    @property
    def __signature__(self):
        return inspect.signature(self.__wrapped__)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def _pickled_with(self):
        """Dispatchers whose machine code belongs to a pickle of this object."""
        return ()

    def __dask_tokenize__(self):
        return ask("name for Dask")(self)
