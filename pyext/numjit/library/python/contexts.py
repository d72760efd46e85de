"""Context managers of the standard library and NumPy."""

import contextlib
import sys
import threading
import warnings

import numpy as np

from numjit import types
from numjit.python_calls import PythonCall

from ..core.intrinsics import new_struct, refuse, throw_into
from ..core.registry import function

# -- contextlib --------------------------------------------------------------------------------

_MANAGER = "contextlib._GeneratorContextManager"


@function(_MANAGER)
def generator_context(func, args, kwds):
    return new_struct(contextlib._GeneratorContextManager, (func(*args, **kwds),))


@function(_MANAGER + ".__enter__")
def enter_generator(self):
    for item in self.gen:
        return item
    raise RuntimeError("generator didn't yield")


@function(_MANAGER + ".__exit__")
def exit_generator(self, kind, value, traceback):
    if value is None:
        for _ in self.gen:
            raise RuntimeError("generator didn't stop")
        return False
    else:
        if throw_into(self.gen, value)[0]:
            raise RuntimeError("generator didn't stop after throw()")
        return True


@function("contextlib.nullcontext")
def null_context(enter_result=None):
    return new_struct(contextlib.nullcontext, (enter_result,))


@function("contextlib.nullcontext.__enter__")
def enter_null(self):
    return self.enter_result


@function("contextlib.nullcontext.__exit__")
def exit_null(self, kind, value, traceback):
    return False


@function("contextlib.suppress")
def suppress(*exceptions):
    return new_struct(contextlib.suppress, (exceptions,))


@function("contextlib.suppress.__enter__")
def enter_suppress(self):
    return None


@function("contextlib.suppress.__exit__")
def exit_suppress(self, kind, value, traceback):
    if value is None:
        return False
    else:
        return isinstance(value, self._exceptions)


# -- floating-point errors, which compiled code neither warns of nor raises ---------------------


@function("numpy.errstate")
def errstate(*, all=None, divide=None, over=None, under=None, invalid=None, call=None):
    for mode in (all, divide, over, under, invalid):
        if mode == "raise" or mode == "call" or mode == "log":
            refuse(
                "np.errstate: compiled code does not look for floating-point errors; test values"
            )
    return new_struct(np.errstate, ())


@function("numpy.errstate.__enter__")
def enter_errstate(self):
    return None


@function("numpy.errstate.__exit__")
def exit_errstate(self, kind, value, traceback):
    return False


# -- warnings: the interpreter keeps the filters -------------------------------------------------

_caught = threading.local()


def _enter_warnings():
    managers = vars(_caught).setdefault("managers", [])
    managers.append(warnings.catch_warnings())
    managers[-1].__enter__()
    return ()


def _exit_warnings():
    _caught.managers.pop().__exit__(None, None, None)
    return ()


def _add_filter(action, message, category, module, lineno, append):
    cls = vars(sys.modules[category[0]])[category[1]]
    warnings.filterwarnings(action, message, cls, module, lineno, append)
    return ()


_nothing = types.Tuple(())
_enter = PythonCall(_enter_warnings, _nothing)
_exit = PythonCall(_exit_warnings, _nothing)
_filter = PythonCall(_add_filter, _nothing)


@function("warnings.catch_warnings")
def catch_warnings(*, record=False, module=None, action=None):
    if record or module is not None or action is not None:
        refuse("warnings.catch_warnings() takes no arguments in compiled code")
    return new_struct(warnings.catch_warnings, ())


@function("warnings.catch_warnings.__enter__")
def enter_warnings(self):
    _enter()


@function("warnings.catch_warnings.__exit__")
def exit_warnings(self, kind, value, traceback):
    _exit()
    return False


@function("warnings.simplefilter", inline=False)
def simplefilter(action, category=Warning, lineno=0, append=False):
    _filter(action, "", (category.__module__, category.__name__), "", lineno, append)


@function("warnings.filterwarnings", inline=False)
def filterwarnings(action, message="", category=Warning, module="", lineno=0, append=False):
    _filter(action, message, (category.__module__, category.__name__), module, lineno, append)
