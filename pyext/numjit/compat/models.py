"""What values consist of in LLVM IR: data models, with Numba's names.

A model says what a value is while code works on it (its value type), what it is in memory (its data
type), and how it is made of the leaves in which numjit's own code hands values around. The classes
need llvmlite only when they are asked for one of these.
"""

from __future__ import annotations

import functools
import importlib.util
from typing import NamedTuple

from numjit import types
from numjit.errors import UnsupportedError

HAS_LLVMLITE = importlib.util.find_spec("llvmlite") is not None
#: Class of types -> class of models.
registered: dict = {}


@functools.cache
def llvm_ir():
    """llvmlite.ir, which writes LLVM IR."""
    from llvmlite import ir

    return ir


class Missing(UnsupportedError, AttributeError):
    """A name that numjit has nothing for: hasattr() is False."""


class Leaf(NamedTuple):
    """A scalar of those that a value consists of."""

    letter: str  # "b" a truth value, "f" and "d" floats, "p" a pointer, "o" one that is counted
    bits: int = 64
    is_signed: bool = False

    @property
    def type(self):
        ir = llvm_ir()
        if self.letter in "po":
            return ir.IntType(8).as_pointer()
        if self.letter in "fd":
            return ir.DoubleType() if self.letter == "d" else ir.FloatType()
        return ir.IntType(1 if self.letter == "b" else self.bits)


POINTER, OWNER, TRUTH, WORD = Leaf("p"), Leaf("o"), Leaf("b"), Leaf("i", 64, True)


def register_model(fe_type_cls):
    """Decorator of the model of a class of types."""

    def decorate(model):
        registered[fe_type_cls] = model
        default_manager.lookup.cache_clear()
        return model

    return decorate


register_default = register_model


class DataModel:
    """Base of models: made for one type."""

    members: tuple = ()  # (name, type) pairs
    #: Of a type that stands for several of numjit's: the type that its values cross to LLVM IR as,
    #: and compiled functions to that and back.
    crossing: tuple | None = None

    def __init__(self, dmm, fe_type):
        self._dmm = dmm
        self._fe_type = fe_type

    @property
    def fe_type(self):
        return self._fe_type

    # -- types of LLVM --------------------------------------------------------------------------

    def get_value_type(self):
        raise UnsupportedError(f"values of type {self._fe_type} have no form in LLVM IR")

    def get_data_type(self):
        return self.get_value_type()

    def get_argument_type(self):
        return self.get_value_type()

    def get_return_type(self):
        return self.get_value_type()

    # -- between them ---------------------------------------------------------------------------

    def as_data(self, builder, value):
        return value

    def from_data(self, builder, value):
        return value

    def as_argument(self, builder, value):
        return value

    from_argument = as_return = from_return = as_argument

    def load_from_data_pointer(self, builder, ptr, align=None):
        return self.from_data(builder, builder.load(ptr, align=align))

    # -- counted references ---------------------------------------------------------------------

    def owners(self, builder, value) -> list:
        """The counted references in a value."""
        return []

    def contains_nrt_meminfo(self) -> bool:
        return any(leaf.letter == "o" for leaf in self.leaves())

    def get_nrt_meminfo(self, builder, value):
        return next(iter(self.owners(builder, value)), None)

    has_nrt_meminfo = contains_nrt_meminfo

    # -- what numjit's own code makes of them ---------------------------------------------------

    def leaves(self) -> list[Leaf]:
        """In order."""
        raise UnsupportedError(f"values of type {self._fe_type} cannot go to LLVM IR and back")

    def from_leaves(self, builder, leaves):
        """The value of an iterator over leaves, of which it takes its own."""
        raise NotImplementedError

    def to_leaves(self, builder, value) -> list:
        raise NotImplementedError

    def parts(self) -> list:
        """For types of the user's own: (name, type) of what numjit makes values of."""
        raise NotImplementedError


class PrimitiveModel(DataModel):
    """Values of one type of LLVM, `be_type`."""

    def __init__(self, dmm, fe_type, be_type=None):
        super().__init__(dmm, fe_type)
        self.be_type = be_type
        if not HAS_LLVMLITE and not isinstance(self, OpaqueModel):
            raise UnsupportedError(
                f"the model of {fe_type} is a {type(self).__name__}, described by a type of LLVM",
                hint="install llvmlite, or derive it from models.StructModel, with a member of a "
                "numjit type",
            )

    def get_value_type(self):
        return self.be_type

    def leaf(self) -> Leaf:
        found = _LEAVES.get(str(self.be_type))
        if found is None and getattr(self.be_type, "is_pointer", False):
            return POINTER
        if found is None:
            raise UnsupportedError(f"values of type {self._fe_type} are {self.be_type} in LLVM IR")
        return found

    def leaves(self):
        return [self.leaf()]

    def from_leaves(self, builder, leaves):
        value = next(leaves)
        be_type = self.get_value_type()
        return builder.bitcast(value, be_type) if self.leaf() == POINTER else value

    def to_leaves(self, builder, value):
        return [builder.bitcast(value, POINTER.type) if self.leaf() == POINTER else value]

    def parts(self):
        return [("value", _TYPES[self.leaf()])]


_LEAVES = {
    "i1": TRUTH,
    "i8": Leaf("i", 8, True),
    "i16": Leaf("i", 16, True),
    "i32": Leaf("i", 32, True),
    "i64": WORD,
    "float": Leaf("f", 32),
    "double": Leaf("d"),
}
_TYPES = {
    _LEAVES[name]: type_
    for name, type_ in zip(
        _LEAVES,
        (
            types.boolean,
            types.int8,
            types.int16,
            types.int32,
            types.int64,
            types.float32,
            types.float64,
        ),
        strict=True,
    )
} | {POINTER: types.voidptr}


class OpaqueModel(PrimitiveModel):
    """Values of which code knows nothing but an address."""

    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type)

    def get_value_type(self):
        return POINTER.type

    def leaf(self):
        return POINTER

    def parts(self):
        return super().parts() if HAS_LLVMLITE else []


class PointerModel(PrimitiveModel):
    """An address of values of the type's `dtype`."""

    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type)

    def get_value_type(self):
        if self._fe_type.dtype is types.none:
            return POINTER.type
        pointee = self._dmm.lookup(self._fe_type.dtype).get_data_type()
        return pointee.as_pointer()

    def leaf(self):
        return POINTER


class BooleanModel(PrimitiveModel):
    """A truth value: a bit, and a byte in memory."""

    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type)

    def get_value_type(self):
        return TRUTH.type

    def get_data_type(self):
        return llvm_ir().IntType(8)

    get_argument_type = get_return_type = get_data_type

    def leaf(self):
        return TRUTH

    def as_data(self, builder, value):
        return builder.zext(value, self.get_data_type())

    def from_data(self, builder, value):
        return builder.icmp_unsigned("!=", value, value.type(0))

    as_argument = as_return = as_data
    from_argument = from_return = from_data


class CompositeModel(DataModel):
    """Values made of parts."""


class StructModel(CompositeModel):
    """Values made of named parts."""

    def __init__(self, dmm, fe_type, members):
        super().__init__(dmm, fe_type)
        self.members = tuple((str(name), type_) for name, type_ in members)
        self._fields = tuple(name for name, _ in self.members)
        self._members = tuple(type_.as_part for _, type_ in self.members)

    @property
    def field_count(self) -> int:
        return len(self.members)

    @property
    def fields(self):
        return self._fields

    def get_field_position(self, field) -> int:
        try:
            return self._fields.index(field)
        except ValueError:
            raise KeyError(f"{type(self).__name__} does not have a field named {field!r}") from None

    def get_member_fe_type(self, name):
        return self._members[self.get_field_position(name)]

    def get_type(self, pos):
        return self._members[pos if isinstance(pos, int) else self.get_field_position(pos)]

    def get_model(self, pos):
        return self._dmm.lookup(self.get_type(pos))

    def _models(self):
        return [self._dmm.lookup(type_) for type_ in self._members]

    def _of_parts(self, of):
        return llvm_ir().LiteralStructType([of(model) for model in self._models()])

    def get_value_type(self):
        return self._of_parts(lambda model: model.get_value_type())

    def get_data_type(self):
        return self._of_parts(lambda model: model.get_data_type())

    def _converted(self, builder, value, type_, convert):
        made = type_(llvm_ir().Undefined)
        for i, model in enumerate(self._models()):
            part = convert(model)(builder, builder.extract_value(value, i))
            made = builder.insert_value(made, part, i)
        return made

    def as_data(self, builder, value):
        return self._converted(builder, value, self.get_data_type(), lambda model: model.as_data)

    def from_data(self, builder, value):
        return self._converted(builder, value, self.get_value_type(), lambda model: model.from_data)

    def load_from_data_pointer(self, builder, ptr, align=None):
        made = self.get_value_type()(llvm_ir().Undefined)
        for i, model in enumerate(self._models()):
            place = builder.gep(ptr, [_number(0), _number(i)], inbounds=True)
            part = model.load_from_data_pointer(builder, place, align)
            made = builder.insert_value(made, part, i)
        return made

    def get(self, builder, value, pos):
        return builder.extract_value(value, self._position(pos))

    def set(self, builder, struct, value, pos):
        return builder.insert_value(struct, value, self._position(pos))

    def _position(self, pos):
        return pos if isinstance(pos, int) else self.get_field_position(pos)

    def get_field_pointer(self, builder, ptr, pos):
        return builder.gep(ptr, [_number(0), _number(self._position(pos))], inbounds=True)

    def owners(self, builder, value):
        return [
            owner
            for i, model in enumerate(self._models())
            if model.contains_nrt_meminfo()
            for owner in model.owners(builder, builder.extract_value(value, i))
        ]

    def leaves(self):
        return [leaf for model in self._models() for leaf in model.leaves()]

    def from_leaves(self, builder, leaves):
        made = self.get_value_type()(llvm_ir().Undefined)
        for i, model in enumerate(self._models()):
            made = builder.insert_value(made, model.from_leaves(builder, leaves), i)
        return made

    def to_leaves(self, builder, value):
        return [
            leaf
            for i, model in enumerate(self._models())
            for leaf in model.to_leaves(builder, builder.extract_value(value, i))
        ]

    def parts(self):
        return [(name, represented(type_)) for name, type_ in self.members]


def _number(value):
    return llvm_ir().IntType(32)(value)


def represented(type_):
    """The type by which numjit knows the values of a type: the same number and kinds of leaves."""
    if type_._handle is not None and not isinstance(type_, types.Phantom):
        return type_
    if crossing := default_manager.lookup(type_).crossing:
        return crossing[0]
    leaves = default_manager.lookup(type_).leaves()
    if not leaves:
        return types.none
    if len(leaves) > 1:
        raise UnsupportedError(f"values of type {type_} are not supported in compiled functions")
    return MemInfoPointer(types.voidptr) if leaves == [OWNER] else _TYPES[leaves[0]]


class DataModelManager:
    """Finds the model of a type."""

    def __init__(self):
        self.lookup = functools.cache(self._find)

    def register(self, fetypecls, handler):
        register_model(fetypecls)(handler)

    def _find(self, fe_type) -> DataModel:
        """The model of a type."""
        for cls in type(fe_type).__mro__:
            if cls is types.Opaque and not type(fe_type).__module__.startswith("numjit."):
                return OpaqueModel(self, fe_type)  # of the user's, who has not said more
            if cls in registered:
                return registered[cls](self, fe_type)
        raise NotImplementedError(f"no model is registered for {fe_type}")

    def __getitem__(self, fe_type):
        return self.lookup(fe_type)

    def __contains__(self, fe_type) -> bool:
        return any(cls in registered for cls in type(fe_type).__mro__)

    def has_own_model(self, fe_type) -> bool:
        """Whether a model was registered for a type by users."""
        for cls in type(fe_type).__mro__:
            if cls is types.Opaque:
                return not type(fe_type).__module__.startswith("numjit.")
            if cls in registered:
                return registered[cls] not in BUILTIN_MODELS
        return False


default_manager = DataModelManager()
#: Models of types that numjit has without them.
BUILTIN_MODELS: set = set()
MemInfoPointer = types.MemInfoPointer
