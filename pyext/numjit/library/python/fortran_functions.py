"""Fortran functions that f2py has wrapped: the interpreter executes them for compiled code.

Their documentation says the types of what they return, in one form for all of them.
"""

import functools
import re

from .compiled_elsewhere import calling

_LETTERS = {
    "b": "int8", "h": "int16", "i": "int32", "l": "int64", "q": "int64", "f": "float32",
    "d": "float64", "F": "complex64", "D": "complex128",
}  # fmt: skip


def _parameters(function):
    """The names of the positional parameters: of "lu,piv,info = dgetrf(a,[overwrite_a])"."""
    listed = re.search(r"\(([^()]*)\)", function.__doc__ or "")
    return re.findall(r"\w+", listed[1]) if listed else []


def _text_of(description, parameters, arguments):
    """The text of a type, as compiled_elsewhere.py has them; None for one that has no such text."""
    if description in ("int", "float", "complex", "bytes"):
        return description
    array = re.match(r"rank-(\d+) array\('(.)'\)", description)
    if not array or array[2] not in _LETTERS:
        return None
    ndim = int(array[1])
    same = re.search(r" and (\w+) storage$", description)  # an array that is passed, or its copy
    if same and same[1] in parameters[: len(arguments)]:
        ndim = getattr(arguments[parameters.index(same[1])], "ndim", ndim)
    return f"{_LETTERS[array[2]]}[{ndim}{'F' if ndim > 1 else ''}]"


def _returned(function, arguments):
    """The text of the type of what it returns; None if the documentation does not tell."""
    _, _, section = (function.__doc__ or "").partition("Returns\n-------\n")
    parameters = _parameters(function)
    texts = [
        _text_of(line.partition(" : ")[2].strip(), parameters, arguments)
        for line in section.split("\n\n")[0].splitlines()
        if " : " in line
    ]
    if None in texts:
        return None
    if not section:
        return "none"
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def name_of(function):
    return function.__name__.removeprefix("function ")


@functools.cache
def fortran_function(function):
    """The function in the subset that is called for it; None if its result has no known type."""
    if _returned(function, ()) is None:
        return None
    return calling(
        name_of(function), lambda: function, lambda *arguments: _returned(function, arguments)
    )
