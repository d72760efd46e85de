"""Parameters of ElementwiseKernel and ReductionKernel: "raw T x, float32 y"."""

from __future__ import annotations

import re

import numpy as np

from .creation import of_protocol
from .ndarrays import ndarray

NAME_OF_KERNEL = re.compile("[a-zA-Z_][a-zA-Z_0-9]*")
_RESERVED = ("n", "i")


class Parameter:
    """One parameter: a dtype or a letter for one, and a name."""

    __slots__ = ("name", "dtype", "letter", "raw", "const")

    def __init__(self, text, const):
        words = text.split()
        self.raw = "raw" in words[:-1]
        self.const = const or "const" in words[:-1]
        words = [word for word in words if word not in ("raw", "const", "_non_const")]
        if len(words) != 2:
            raise ValueError(f"the parameter {text.strip()!r} is not a type and a name")
        kind, self.name = words
        if self.name in _RESERVED or (self.name.startswith("_") and self.name != "_"):
            raise ValueError(f"the name {self.name!r} of a parameter is reserved")
        self.letter = kind if len(kind) == 1 else None
        try:
            self.dtype = None if self.letter else np.dtype(kind)
        except TypeError:
            raise TypeError(f"{kind!r} in {text.strip()!r} is no dtype") from None


def parsed(text, const):
    """The parameters of a text."""
    return tuple(Parameter(each, const) for each in text.split(",") if each.strip())


def checked_name(name):
    """The name of a kernel; ValueError for what is none in C++."""
    if not NAME_OF_KERNEL.fullmatch(name):
        raise ValueError(f'Invalid kernel name: "{name}"')
    return name


def bound(parameters, values, types):
    """Adds the dtypes of values to those that letters stand for."""
    weak = []
    for parameter, value in zip(parameters, values):
        if parameter.letter is None:
            continue
        value = of_protocol(value)
        if isinstance(value, (ndarray, np.generic)):
            have = types.setdefault(parameter.letter, value.dtype)
            if have != value.dtype and isinstance(value, ndarray):
                raise TypeError(f"Type is mismatched. {parameter.letter} {value.dtype} {have}")
        else:
            weak.append((parameter, value))
    for parameter, value in weak:
        types.setdefault(parameter.letter, np.asarray(value).dtype)
    return types


def dtype_of(parameter, types):
    found = parameter.dtype if parameter.letter is None else types.get(parameter.letter)
    if found is None:
        raise TypeError(f"the type {parameter.letter} of {parameter.name!r} is not known: give an "
                        "output, or an input of the type")  # fmt: skip
    return found


def taken(parameter, value, dtype):
    """A value as a kernel takes it: a device array of the dtype, or a scalar."""
    value = of_protocol(value)
    if isinstance(value, ndarray):
        array = value
        if array.dtype == dtype:
            return array
        if parameter.raw or not parameter.const:
            raise TypeError(f"{parameter.name!r} is an array of {array.dtype}, not of {dtype}")
        return array.astype(dtype)
    if parameter.raw:
        raise TypeError(f"the raw argument {parameter.name!r} must be an array")
    if not isinstance(value, (bool, int, float, complex, np.generic)):
        raise TypeError(f"Unsupported type {type(value)}")
    return np.array(value).astype(dtype)[()]
