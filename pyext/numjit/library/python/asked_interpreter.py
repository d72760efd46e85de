"""Functions that the interpreter executes, for compiled code: what they return has one type.

A row for each. They are rare in loops: a call takes the GIL and makes Python objects of the
arguments. Exceptions are Python's.
"""

import importlib

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
        return (getattr(importlib.import_module(module), attribute)(*arguments, **keywords),)

    return PythonCall(called, lambda: types.Tuple((_TYPES[result](),)))


def _register(name, result):
    call = _caller(name, result)

    @function(name, inline=False, listed=False)
    def ask(*arguments, **keywords):
        return call(arguments, keywords)[0]


for _result, _names in ASKED.items():
    for _name in _names.split():
        _register(_name, _result)
