"""Records, datetime64 and timedelta64, members of enumerations, dataclasses, jitclasses."""

from __future__ import annotations

import numpy

from numjit import _core
from numjit.upcalls import ask as _ask

from . import rows
from .abstract import Callable, Hashable, Opaque, Type, _interned
from .arrays import Array
from .scalars import int64


class _RecordField(dict):
    """A field of a record: type, offset, alignment and title, as keys and as attributes."""

    def __init__(self, type, offset, alignment=None, title=None):
        super().__init__(type=type, offset=offset, alignment=alignment, title=title)

    def __getattr__(self, name):
        if name in self:
            return self[name]
        raise AttributeError(f"a field of a record has no attribute {name!r}")

    def __reduce__(self):
        return _RecordField, tuple(self.values())


class Record(Type):
    """A NumPy record: `fields` in order of their offsets, `size` in bytes.

    `fields` maps names to dicts with the keys type, offset, alignment, title; a list of pairs
    serves, too.
    """

    mutable = True

    def __init__(self, fields, size, aligned):
        fields = dict(fields)
        self.fields = {
            name: _RecordField(**field) if isinstance(field, dict) else _RecordField(*field)
            for name, field in fields.items()
        }
        self.size = size
        self.aligned = aligned
        listed = ",".join(
            f"{name}[type={field['type']};offset={field['offset']}]"
            for name, field in self.fields.items()
        )
        super().__init__(f"Record({listed};{size};{aligned})")

    @classmethod
    def make_c_struct(cls, name_types):
        """A record laid out as a C struct of (name, type) pairs."""
        offset, widest, fields = 0, 1, {}
        for name, type_ in name_types:
            dtype = _core.item_dtype(type_._handle)
            offset += -offset % dtype.alignment
            fields[name] = {
                "type": type_,
                "offset": offset,
                "alignment": dtype.alignment,
                "title": None,
            }
            offset += dtype.itemsize
            widest = max(widest, dtype.alignment)
        return cls(fields, offset + -offset % widest, True)

    @property
    def key(self):
        return self.name

    @property
    def members(self):
        """(name, type) in order of offsets."""
        return [(name, self.fields[name]["type"]) for name in self._sorted()]

    def _sorted(self):
        return sorted(self.fields, key=lambda name: self.fields[name]["offset"])

    def __len__(self):
        return len(self.fields)

    def offset(self, key):
        return self.fields[key]["offset"]

    def typeof(self, key):
        return self.fields[key]["type"]

    def alignof(self, key):
        return self.fields[key].get("alignment")

    def is_title(self, key):
        return self.fields[key].get("title") == key

    def has_titles(self):
        return any(field.get("title") is not None for field in self.fields.values())

    @property
    def bitwidth(self):
        return self.size * 8

    @property
    def dtype(self):
        return _core.item_dtype(self._handle)

    def __repr__(self):
        fields = ", ".join(
            f"({name!r}, {{"
            + ", ".join(
                f"{key!r}: {field.get(key)!r}" for key in ("type", "offset", "alignment", "title")
            )
            + ", })"
            for name, field in self.fields.items()
        )
        return f"Record([{fields}], {self.size}, {self.aligned})"

    def _make_row(self):
        handles = [field["type"]._handle for field in self.fields.values()]
        if None in handles:
            return None
        offsets = [field["offset"] for field in self.fields.values()]
        return _core.record(list(self.fields), handles, offsets, self.size, self.aligned)


class NestedArray(Array):
    """An array inside of a record."""

    def __init__(self, dtype, shape):
        self._shape = tuple(shape)
        if isinstance(dtype, NestedArray):
            self._shape += dtype.shape
            dtype = dtype.dtype
        super().__init__(dtype, len(self._shape), "C", name=f"nestedarray({dtype}, {self._shape})")

    @property
    def shape(self):
        return self._shape

    @property
    def nitems(self):
        total = 1
        for extent in self._shape:
            total *= extent
        return total

    @property
    def size(self):
        return _core.item_dtype(self._handle).itemsize

    @property
    def key(self):
        return self.dtype, self._shape

    def __repr__(self):
        return f"NestedArray({self.dtype!r}, {self._shape})"

    def _make_row(self):
        return None if self.dtype._handle is None else _core.nested(self.dtype._handle, self._shape)


_UNITS = ("Y", "M", "W", None, "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "")


class _NPDatetimeBase(Hashable):
    type_name: str

    def __init__(self, unit):
        if unit == "generic":
            unit = ""
        if unit not in _UNITS or unit is None:
            raise ValueError(f"{unit!r} is no unit of {self.type_name}")
        self.unit = unit
        self.unit_code = _UNITS.index(unit)
        super().__init__(f"{self.type_name}[{unit}]")

    def cast_python_value(self, value):
        cls = getattr(numpy, self.type_name)
        return cls(value, self.unit) if self.unit else cls(value)

    def _make_row(self):
        return _core.parse(self.name)


class NPDatetime(_NPDatetimeBase):
    """numpy.datetime64 with a unit."""

    type_name = "datetime64"


class NPTimedelta(_NPDatetimeBase):
    """numpy.timedelta64 with a unit."""

    type_name = "timedelta64"


class _Enumeration(Type):
    """What types of enumerations have in common: the class, and the type of its values."""

    basename: str

    def __init__(self, cls, dtype):
        self.instance_class = cls
        self.dtype = dtype
        super().__init__(f"{self.basename}<{dtype}>({cls.__name__})")

    @property
    def key(self):
        return self.instance_class, self.dtype


class EnumMember(_Enumeration):
    """A member of an enum.Enum."""

    basename = "Enum"

    def _make_row(self):
        return _core.enumeration(self.instance_class)


class IntEnumMember(EnumMember):
    """A member of an enum.IntEnum: an integer, too."""

    basename = "IntEnum"


class EnumClass(_Enumeration):
    """An enumeration as a value."""

    basename = "Enum class"

    @property
    def member_type(self):
        return EnumMember(self.instance_class, self.dtype)


class IntEnumClass(EnumClass):
    """An enum.IntEnum as a value."""

    basename = "IntEnum class"

    @property
    def member_type(self):
        return IntEnumMember(self.instance_class, self.dtype)


class DataclassType(Type):
    """An instance of a dataclass, or of a class of a library that its fields stand for; `types` are
    those of the fields."""

    mutable = True

    def __init__(self, cls, types):
        self.instance_class = cls
        self.types = tuple(types)
        parameters = getattr(cls, "__dataclass_params__", None)
        self.mutable = parameters is not None and not parameters.frozen
        super().__init__(f"{cls.__name__}({', '.join(map(str, self.types))})")

    @property
    def key(self):
        return self.instance_class, self.types


class LinkedClassType(Type):
    """An instance of a plain class that refers to instances of the same class."""

    mutable = True

    def __init__(self, row):
        self.instance_class = row.cls
        self._row = row
        super().__init__(str(row))

    @property
    def key(self):
        return self._row


class StructRef(Type):
    """A reference to fields that compiled code shares: `fields` are pairs (name, type).

    Subclasses are registered with numjit.experimental.structref.
    """

    mutable = True
    _proxy = None  # the Python class of such values

    def __init__(self, fields):
        self.name = f"numba.{type(self).__name__}"  # preprocess_fields may say Optional(self)
        self._set_fields(self.preprocess_fields(tuple(fields)))

    def _set_fields(self, fields):
        self._fields = tuple(map(tuple, fields))
        for name, type_ in self._fields:
            if not isinstance(name, str) or not isinstance(type_, Type):
                raise TypeError("the fields of a StructRef are pairs of a name and a type")
        super().__init__(f"numba.{type(self).__name__}{self._fields}")

    @classmethod
    def _of_fields(cls, fields):
        """The type with just these fields, which preprocess_fields has seen."""
        made = cls.__new__(cls)
        made._set_fields(fields)
        made._made_of = ((made._fields,), {})
        return _interned.setdefault((cls, made.key), made)

    def preprocess_fields(self, fields):
        """The fields as the type has them: subclasses may replace types here."""
        return fields

    @property
    def field_dict(self):
        return dict(self._fields)

    _making = _refers_to_itself = False

    def _make_row(self):
        proxy = _ask("proxy of a StructRef")(type(self), tuple(name for name, _ in self._fields))
        if self._making:  # asked for by a field
            self._refers_to_itself = True
            return _core.instance(proxy)
        self._making = True
        try:
            handles = [rows.handle_of(type_) for _, type_ in self._fields]
        finally:
            self._making = False
        row = _ask("row of a StructRef")(proxy, handles, self._refers_to_itself)
        rows.note(row, self)
        return row


class ClassInstanceType(Type):
    """The type of a jitclass's instances."""

    mutable = True

    def __init__(self, class_type):
        self.class_type = class_type
        super().__init__(f"instance.{class_type.name}")

    @property
    def key(self):
        return self.class_type.key

    @property
    def classname(self):
        return self.class_type.class_name

    @property
    def struct(self):
        return self.class_type.struct

    @property
    def methods(self):
        return self.class_type.methods

    @property
    def jit_methods(self):
        return self.class_type.jit_methods

    @property
    def jit_props(self):
        return self.class_type.jit_props

    def _make_row(self):
        return _core.instance(self.class_type.cls)


class ClassType(Callable, Opaque):
    """The type of a jitclass itself."""

    def __init__(self, cls, class_name, struct):
        self.cls = cls
        self.class_name = class_name
        self.struct = struct
        text = ",".join(f"{name}:{type_}" for name, type_ in struct.items())
        super().__init__(f"jitclass.{class_name}#{id(cls):x}<{text}>")

    @property
    def key(self):
        return id(self.cls)

    @property
    def instance_type(self):
        return ClassInstanceType(self)

    @property
    def methods(self):
        return {
            name: getattr(value, "py_func", value)
            for name, value in self.cls._numjit_members_.items()
            if callable(value)
        }

    @property
    def jit_methods(self):
        members = self.cls._numjit_members_
        return {name: value for name, value in members.items() if hasattr(value, "py_func")}

    @property
    def jit_props(self):
        return {
            name: {
                part: function
                for part, function in (("get", value.fget), ("set", value.fset))
                if function
            }
            for name, value in self.cls._numjit_members_.items()
            if isinstance(value, property)
        }


@rows.of_kind("record")
def _record(row):
    size, aligned, *offsets = row.numbers
    fields = {
        name: {"type": type_, "offset": offset, "alignment": None, "title": None}
        for name, type_, offset in zip(row.names, rows.wrap_all(row.params), offsets)
    }
    return Record(fields, size, bool(aligned))


@rows.of_kind("nested")
def _nested(row):
    return NestedArray(rows.wrap_param(row), row.numbers)


@rows.of_kind("datetime")
def _datetime(row):
    return NPDatetime(_unit(row))


@rows.of_kind("timedelta")
def _timedelta(row):
    return NPTimedelta(_unit(row))


def _unit(row):
    return str(row)[str(row).index("[") + 1 : -1]


@rows.of_kind("enum")
def _enum(row):
    cls = IntEnumMember if issubclass(row.cls, int) else EnumMember
    return cls(row.cls, int64)


@rows.of_kind("instance")
def _instance(row):
    struct_type = getattr(row.cls, "_numjit_struct_type_", None)
    if struct_type is not None:
        return struct_type._of_fields(
            zip(row.cls._numjit_names_, rows.wrap_all(row.params[0].params))
        )
    if row.params:
        return DataclassType(row.cls, rows.wrap_all(row.params[0].params))
    class_type = getattr(row.cls, "class_type", None)  # of a jitclass
    return class_type.instance_type if class_type else LinkedClassType(row)
