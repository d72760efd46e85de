"""``contextvars.ContextVar`` objects, whose values the interpreter keeps.

The compiler reads an object of a plain class for one. What its `get` returns has the type of the
variable's value when that is compiled; values that have no type are constants, and must not change.
"""

import numpy as np

from numjit import errors, types
from numjit.python_calls import PythonCall

_DATA = bool | int | float | complex | str | bytes | tuple | list | set | np.ndarray | np.generic
_NOTHING = object()


def stand_in(variable):
    """Called by the compiler (pyext/read/plain_objects.cpp)."""
    try:
        value = variable.get()
    except LookupError:
        get = _get_of_empty(variable)
    else:
        known = _type_of(value)
        get = _get_of_constant(variable, value) if known is None else _get_of(variable, known)
    members = {"__module__": "contextvars", "name": variable.name, "get": get}
    return type("ContextVar", (), members)()


def _type_of(value):
    try:
        return types.typeof(value) if isinstance(value, _DATA) else None
    except (errors.NumbaError, ValueError):
        return None


def _question(variable):
    """Whether a value was set."""
    return PythonCall(
        lambda: (variable.get(_NOTHING) is not _NOTHING,), lambda: types.Tuple((types.boolean,))
    )


def _check(variable, is_right):
    """Raises an error if the value is another one than when the program was compiled."""

    def check():
        if not is_right():
            raise TypeError(
                f"the value of the context variable {variable.name!r} is another one than when "
                "this was compiled"
            )
        return ()

    return PythonCall(check, lambda: types.Tuple(()))


def _get_of(variable, known):
    is_set = _question(variable)
    value = PythonCall(lambda: (variable.get(),), lambda: types.Tuple((known,)))

    def get(self, *default):
        if len(default) == 1 and not is_set()[0]:
            return default[0]
        return value()[0]

    return get


def _get_of_constant(variable, value):
    is_set = _question(variable)
    check = _check(variable, lambda: variable.get() is value)

    def get(self, *default):
        if len(default) == 1 and not is_set()[0]:
            return default[0]
        check()
        return value

    return get


def _get_of_empty(variable):
    def fail():
        variable.get()
        return False

    check = _check(variable, lambda: variable.get(_NOTHING) is _NOTHING)
    missing = _check(variable, fail)

    def get(self, *default):
        if len(default) == 1:
            check()
            return default[0]
        missing()
        raise LookupError

    return get
