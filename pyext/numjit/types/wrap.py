"""From rows of the compiler's type table to type objects, one object for each row."""

from __future__ import annotations

import enum

import numpy

from numjit import _core
from numjit.errors import NumbaNotImplementedError
from numjit.functions import is_jitted

from . import misc, scalars
from .arrays import Array, ByteArray, Bytes, DType, MemoryView, NumberClass, PyArray
from .containers import (
    BaseTuple,
    DictType,
    FrozenSet,
    List,
    ListType,
    LiteralList,
    LiteralStrKeyDict,
    Optional,
    Set,
    SetType,
    Tuple,
)
from .items import (
    DataclassType,
    EnumClass,
    EnumMember,
    IntEnumClass,
    IntEnumMember,
    NestedArray,
    NPDatetime,
    NPTimedelta,
    Record,
)
from .rows import _wrapped
from .scalars import StringLiteral


def wrap(row):
    """The type object of a row; pyobject for None, which stands for what has no row."""
    if row is None:
        return misc.pyobject
    found = _wrapped.get(row)
    if found is None:
        maker = _MAKERS.get(str(row.kind).rpartition(".")[2].lower(), misc.Row)
        found = _wrapped[row] = maker(row)
        if found._row is None and not isinstance(found, misc.SliceType) and not _tells_rows(row):
            found._row = row
    return found


def _tells_rows(row) -> bool:
    """Whether arrays are known to have contiguous rows in it, of which type objects say nothing:
    they are equal to those of arrays with any strides, and mean these in signatures."""
    return row is not None and (row.layout == "I" or any(map(_tells_rows, row.params)))


def wrap_all(rows) -> tuple:
    return tuple(wrap(row) for row in rows)


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


def _scalar(row):
    return getattr(scalars, "boolean" if str(row) == "bool" else str(row))


def _array(row):
    layout = "A" if row.layout == "I" else row.layout
    return Array(wrap(row.params[0]), row.ndim, layout, row.readonly, aligned=not row.unaligned)


def _record(row):
    size, aligned, *offsets = row.numbers
    fields = {
        name: {"type": type_, "offset": offset, "alignment": None, "title": None}
        for name, type_, offset in zip(row.names, wrap_all(row.params), offsets)
    }
    return Record(fields, size, bool(aligned))


def _enum(row):
    cls = IntEnumMember if issubclass(row.cls, int) else EnumMember
    return cls(row.cls, scalars.int64)


def _dataclass(row):
    if hasattr(row.cls, "_numjit_type_"):
        return row.cls._numjit_type_
    if hasattr(row.cls, "_numjit_signature_"):
        return misc.FunctionType(row.cls._numjit_signature_)
    make = misc.OF_CLASS.get(f"{row.cls.__module__}.{row.cls.__qualname__}")
    if make is not None:
        return make(*wrap_all(row.params))
    return DataclassType(row.cls, wrap_all(row.params))


def _instance(row):
    struct_type = getattr(row.cls, "_numjit_struct_type_", None)
    if struct_type is not None:
        return struct_type._of_fields(zip(row.cls._numjit_names_, wrap_all(row.params[0].params)))
    if row.params:
        return DataclassType(row.cls, wrap_all(row.params[0].params))
    return row.cls.class_type.instance_type


def _named_tuple(row):
    return BaseTuple.from_types(wrap_all(row.params), row.cls)


def _unit(row):
    return str(row)[str(row).index("[") + 1 : -1]


def _slice_row(row):
    return misc.slice2_type if str(row) == misc.slice2_type.name else misc.slice3_type


def _char_seq(row):
    """[char x 3] or [unichr x 3]"""
    kind, _, count = str(row).strip("[]").split()
    return (misc.CharSeq if kind == "char" else misc.UnicodeCharSeq)(int(count))


# By name of the row's kind; kinds that are not here are only named (misc.Row).
_MAKERS = {
    "scalar": _scalar,
    "none": lambda row: misc.none,
    "ellipsis": lambda row: misc.ellipsis,
    "string": lambda row: StringLiteral(row.text),
    "unicode": lambda row: misc.unicode_type,
    "bytes": lambda row: (Bytes if row.readonly else ByteArray)(scalars.uint8, 1, "C"),
    "charseq": _char_seq,
    "optional": lambda row: Optional(wrap(row.params[0])),
    "tuple": lambda row: Tuple(wrap_all(row.params)),
    "namedtuple": _named_tuple,
    "literallist": lambda row: LiteralList(wrap_all(row.params)),
    "literaldict": lambda row: LiteralStrKeyDict(dict(zip(row.names, wrap_all(row.params)))),
    "array": _array,
    "lazy": _array,
    "list": lambda row: (
        ListType(wrap(row.params[0])) if row.typed else List(wrap(row.params[0]), reflected=True)
    ),
    "dict": lambda row: DictType(*wrap_all(row.params)),
    "set": lambda row: (
        SetType(wrap(row.params[0])) if row.typed else Set(wrap(row.params[0]), reflected=True)
    ),
    "frozenset": lambda row: FrozenSet(wrap(row.params[0])),
    "range": lambda row: misc.RangeType(wrap(row.params[0])),
    "slice": _slice_row,
    "record": _record,
    "nested": lambda row: NestedArray(wrap(row.params[0]), row.numbers),
    "datetime": lambda row: NPDatetime(_unit(row)),
    "timedelta": lambda row: NPTimedelta(_unit(row)),
    "enum": _enum,
    "struct": _dataclass,
    "instance": _instance,
    "generator": lambda row: misc.Generator(row, wrap_all(row.params)),
    "dtype": lambda row: DType(wrap(row.params[0])),
    "pointer": lambda row: misc.CPointer(wrap(row.params[0])),
}
