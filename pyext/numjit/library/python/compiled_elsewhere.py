"""Functions of C, C++, Fortran and Cython that the interpreter executes, for compiled code.

What they return has a type that the types of the arguments decide; texts say which: see
library/scipy/compiled_names.py. Arrays are shared, so that what they write is there afterwards.
"""

import dataclasses
import functools
import importlib
import re

import numpy as np

from numjit import types
from numjit.errors import TypingError
from numjit.extending import overload
from numjit.np.numpy_support import as_dtype, from_dtype
from numjit.python_calls import PythonCall

from ..core.derived import made
from ..core.registry import function

_SCALARS = {
    "none": types.none,
    "int": types.int64,
    "float": types.float64,
    "complex": types.complex128,
    "bool": types.boolean,
    "str": types.unicode_type,
    "bytes": types.Bytes(types.uint8, 1, "C", readonly=True),
}


def result_type(text, arguments):
    """The type that a text means for arguments of these types."""
    if text.startswith("("):
        parts = re.findall(r"(?:\{[^}]*\}|[^,{}])+", text[1:-1])
        return types.Tuple(tuple(result_type(part.strip(), arguments) for part in parts))
    if text in _SCALARS:
        return _SCALARS[text]
    if text.startswith("list of "):
        return types.List(result_type(text[8:], arguments))
    form = r"(?:(real|complex) )?(\{.*\}|\w+)(?:\[(\d+)(F?)\])?"
    part, dtype, ndim, layout = re.fullmatch(form, text).groups()
    if dtype.startswith("{"):
        like = [_argument(arguments, int(place)) for place in dtype[1:-1].split(",")]
        ndim = ndim or getattr(like[0], "ndim", 0)
        common = np.result_type(*(as_dtype(getattr(x, "dtype", x)) for x in like))
        common = np.zeros(1, common).real.dtype if part == "real" else common
        dtype = from_dtype(np.result_type(common, np.complex64) if part == "complex" else common)
    else:
        dtype = getattr(types, {"bool": "boolean"}.get(dtype, dtype))
    return types.Array(dtype, int(ndim), layout or "C")


@dataclasses.dataclass(frozen=True)
class FailedSlice:
    """What SciPy's functions of stacks of matrices say, in a dict, of one that they failed for."""

    num: int
    structure: int
    is_singular: int
    is_ill_conditioned: int
    rcond: float
    lapack_info: int

    def __getitem__(self, name):
        return getattr(self, name)


_SCALARS["failure"] = types.typeof(FailedSlice(0, 0, 0, 0, 0.0, 0))


def _argument(arguments, place):
    if place >= len(arguments):
        raise TypingError(f"the type of the result depends on argument {place + 1}: pass it")
    return arguments[place]


def _in_layout(value, kind):
    """A result as its type says; an array is copied if it lies otherwise in memory."""
    if isinstance(kind, types.Array):
        return np.asarray(value, dtype=as_dtype(kind.dtype), order=kind.layout)
    if isinstance(kind, types.BaseTuple):
        return tuple(_in_layout(x, each) for x, each in zip(value, kind.types, strict=True))
    if isinstance(kind, types.List) and value and isinstance(value[0], dict):
        return [FailedSlice(**each) for each in value]
    return value


def calling(name, find, text_for, parameters="*arguments"):
    """The function in the subset that is called for one of another language, which `find` gives.

    `text_for`: the text of the type of the result for arguments of these types. They are literal
    types where the values are known, if the parameters have names.
    """

    def typed(keywords, *arguments):
        """A function of the same arguments; `overload` asks for it."""

    typed.__qualname__ = f"compiled.{name}"

    @overload(typed, prefer_literal=True)
    def implementation(keywords, *arguments):
        plain = [getattr(each, "literal_type", each) for each in arguments]
        return _with_result(find, result_type(text_for(*arguments), plain))

    source = f"def call({parameters}, **keywords):\n    return typed(keywords, {parameters})\n"
    return made(name, source, typed=typed)


@functools.cache
def _with_result(find, result):
    def called(arguments, keywords):
        return (_in_layout(find()(*arguments, **keywords), result),)

    call = PythonCall(called, types.Tuple((result,)))

    def implementation(keywords, *arguments):
        return call(arguments, keywords)[0]

    return implementation


def register(name, text_for, parameters="*arguments"):
    """Let a name mean the function of another language that is found under it: see calling()."""
    module, _, attribute = name.rpartition(".")

    def find():
        return getattr(importlib.import_module(module), attribute)

    called = calling(name, find, text_for, parameters)
    called.__module__ = text_for.__module__  # which registers it
    function(name, inline=False, listed=False)(called)
