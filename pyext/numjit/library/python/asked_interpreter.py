"""Functions that the interpreter executes, for compiled code: what they return has one type.

A row for each. They are rare in loops: a call takes the GIL and makes Python objects of the
arguments. Exceptions are Python's.
"""

import importlib

import numpy as np

from numjit import types
from numjit.python_calls import PythonCall

from ..core.registry import function
from .asked_names import ASKED

_TYPES = {
    "none": lambda: types.none,
    "bytes": lambda: types.Bytes(types.uint8, 1, "C", readonly=True),
    "bool": lambda: types.boolean,
    "int": lambda: types.int64,
    "str": lambda: types.unicode_type,
    "str or None": lambda: types.Optional(types.unicode_type),
}


def _caller(name, result):
    module, _, attribute = name.rpartition(".")

    def called(arguments, keywords):
        if module[:5] == "numpy":
            arguments = [each[()] if _is_number(each) else each for each in arguments]
        return (getattr(importlib.import_module(module), attribute)(*arguments, **keywords),)

    return PythonCall(called, lambda: types.Tuple((_TYPES[result](),)))


def _is_number(value):
    return isinstance(value, np.ndarray) and value.ndim == 0


def with_dtypes(arguments):
    """Numbers whose types are not Python's as arrays, which keep them."""
    if len(arguments) == 0:
        return ()
    else:
        return (with_dtype(arguments[0]), *with_dtypes(arguments[1:]))


def with_dtype(x):
    if isinstance(x, (np.float16, np.float32, np.complex64, np.int8, np.int16, np.int32, np.uint8,
                      np.uint16, np.uint32, np.uint64)):  # fmt: skip
        return np.asarray(x)
    else:
        return x


def _register(name, result):
    call = _caller(name, result)

    @function(name, inline=False, listed=False)
    def ask(*arguments, **keywords):
        return call(with_dtypes(arguments), keywords)[0]


for _result, _names in ASKED.items():
    for _name in _names.split():
        _register(_name, _result)
