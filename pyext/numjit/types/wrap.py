"""The types of Python values and of the items of dtypes, as type objects."""

from __future__ import annotations

import enum

import numpy

from numjit import _core
from numjit.errors import NumbaNotImplementedError
from numjit.functions import is_jitted

from . import misc, scalars
from .arrays import Array, MemoryView, NumberClass, PyArray
from .items import EnumClass, IntEnumClass
from .rows import wrap
from .rows import wrap_all as wrap_all


def typeof(value):
    """The type object of a Python value; ValueError as Numba raises it if there is none."""
    if is_jitted(value):
        return misc.Dispatcher(value)
    if type(value).__name__ == "CFunc":
        return value._numba_type_
    special = _SPECIAL.get(type(value))
    if special is not None:
        return special(value)
    if isinstance(value, type):
        return _typeof_class(value)
    if isinstance(value, misc.Type):
        return _typeof_type(value)
    if isinstance(value, _core.DeviceArray):
        return value._numba_type_
    made = wrap(_core.typeof(value))
    if isinstance(made, Array) and type(value).__name__ in _SHOWN:  # what shows memory is an array
        cls = _SHOWN[type(value).__name__]
        return cls(made.dtype, made.ndim, made.layout, not made.mutable)
    return made


_SHOWN = {"memoryview": MemoryView, "array": PyArray}


def from_dtype(dtype):
    """The type of the items of a NumPy dtype."""
    dtype = numpy.dtype(dtype)
    if dtype.isnative and dtype.kind in "biufc":
        found = getattr(scalars, "boolean" if dtype.kind == "b" else dtype.name, None)
        if found is not None:
            return found
    if dtype.kind == "O":
        return misc.pyobject
    if dtype.names is not None or dtype.subdtype is not None or dtype.kind in "mMSU":
        row = _core.item(dtype)
        if row is not None:
            return wrap(row)
    raise NumbaNotImplementedError(f"{dtype}: items of this dtype are not supported")


def _typeof_class(cls):
    if issubclass(cls, enum.Enum):
        kind = IntEnumClass if issubclass(cls, int) else EnumClass
        return kind(cls, scalars.int64)

    if issubclass(cls, BaseException):
        return misc.ExceptionClass(cls)
    if issubclass(cls, numpy.generic):
        return NumberClass(from_dtype(cls))
    raise ValueError(f"Cannot determine Numba type of {type(cls)}")


def _typeof_type(type_):
    if isinstance(type_, misc.Hashable) and type_ in scalars.number_domain | {scalars.boolean}:
        return NumberClass(type_)
    return misc.TypeRef(type_)


def _slice(value):
    return misc.slice2_type if value.step is None else misc.slice3_type


_SPECIAL = {
    str: lambda value: misc.unicode_type,
    slice: _slice,
    type(...): lambda value: misc.ellipsis,
}
