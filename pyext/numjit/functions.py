"""What every module of the package needs of functions: `frameless` and `is_jitted`."""

from __future__ import annotations

import functools

from numjit import _core


def frameless(function):
    """A public function of ours: what it raises has no frames of ours, see pyext/call/frames.h."""
    return functools.update_wrapper(_core.frameless(function), function)


def is_jitted(function) -> bool:
    """Whether a function is what @jit returns; kernels are others."""
    return isinstance(function, _core.Dispatcher) and not isinstance(
        function, _core.KernelDispatcher
    )
