"""Tuples, named tuples, optionals, lists, sets and dicts."""

from __future__ import annotations

from numjit.errors import TypingError

from . import rows
from .abstract import (
    ConstSized,
    Container,
    Hashable,
    IterableType,
    Literal,
    MutableSequence,
    Sequence,
    SimpleIterableType,
    SimpleIteratorType,
    Type,
)
from .scalars import NoneType, StringLiteral


def is_homogeneous(*types) -> bool:
    """Whether there are types and they are all the same."""
    return bool(types) and all(type_ is types[0] for type_ in types)


class _OfSeveralTypes(ConstSized, Hashable):
    """`types` holds those of the items, `count` their number."""

    types: tuple

    def __len__(self):
        return len(self.types)

    @property
    def count(self):
        return len(self.types)


class _Items(_OfSeveralTypes):
    """Types whose items are found by their number."""

    def __iter__(self):
        return iter(self.types)

    def __getitem__(self, index):
        return self.types[index]


class BaseTuple(_Items):
    """Tuples of any kind."""

    @classmethod
    def from_types(cls, types, pyclass=None):
        if pyclass is None or pyclass is tuple:
            return Tuple(types)
        if is_homogeneous(*types):
            return NamedUniTuple(types[0], len(types), pyclass)
        return NamedTuple(types, pyclass)


class BaseAnonymousTuple(BaseTuple):
    """Plain tuples."""

    def _make_row(self):
        return rows.tuple_of(self.types)


class _HomogeneousTuple(Sequence, BaseTuple):
    @property
    def iterator_type(self):
        return UniTupleIter(self)


class _HeterogeneousTuple(BaseTuple):
    pass


def _checked(types) -> tuple:
    if getattr(types, "__iter__", None) is None:
        raise TypingError(f"Argument 'types' is not iterable: {types!r}")
    types = tuple(types)
    for type_ in types:
        if not isinstance(type_, Type):
            raise TypeError(f"a tuple type is made of types, not of {type_!r}")
    return types


class UniTuple(BaseAnonymousTuple, _HomogeneousTuple):
    """A tuple of `count` items of type `dtype`."""

    def __init__(self, dtype, count):
        self.dtype = dtype
        self.types = _checked((dtype,) * count)
        super().__init__(f"UniTuple({dtype} x {count})")

    @property
    def key(self):
        return self.dtype, self.count

    @property
    def mangling_args(self):
        return type(self).__name__, (self.dtype, self.count)

    def __repr__(self):
        return f"UniTuple({self.dtype!r}, {self.count})"


@rows.of_kind("tuple")
class Tuple(BaseAnonymousTuple, _HeterogeneousTuple):
    """A tuple of items of any types; items of one type make it a UniTuple."""

    def __new__(cls, types):
        types = _checked(types)
        if cls is Tuple and is_homogeneous(*types):
            return UniTuple(types[0], len(types))
        return object.__new__(cls)

    def __init__(self, types):
        self.types = _checked(types)
        super().__init__(f"Tuple({', '.join(map(str, self.types))})")

    @property
    def key(self):
        return self.types

    @property
    def mangling_args(self):
        return type(self).__name__, self.types

    @property
    def dtype(self):
        """The items' types as a union, as far as one name goes."""
        raise AttributeError(f"{self} has items of several types")

    def __repr__(self):
        return f"Tuple({tuple(self.types)!r})"

    @classmethod
    def _of_row(cls, row):
        return cls(rows.wrap_all(row.params))


class _StarArg:
    """Numba's signatures have one type for the `*args` of a function. Ours have the types of the
    arguments one by one, so the compiler makes none; programs test for them and may make some."""

    def __init__(self, *args):
        super().__init__(*args)
        self.name = "StarArg" + self.name


class StarArgTuple(_StarArg, Tuple):
    def __new__(cls, types):
        types = _checked(types)
        if is_homogeneous(*types):
            return StarArgUniTuple(types[0], len(types))
        return super().__new__(cls, types)


class StarArgUniTuple(_StarArg, UniTuple):
    pass


class BaseNamedTuple(BaseTuple):
    """Tuples of a class made by collections.namedtuple: `instance_class` and `fields`."""

    def _set_class(self, cls):
        self.fields = tuple(cls._fields)
        self.instance_class = cls

    def _make_row(self):
        return rows.named_tuple(self.instance_class, self.types)


class NamedUniTuple(_HomogeneousTuple, BaseNamedTuple):
    """A named tuple whose items have one type."""

    def __init__(self, dtype, count, cls):
        self.dtype = dtype
        self.types = _checked((dtype,) * count)
        self._set_class(cls)
        super().__init__(f"{cls.__name__}({dtype} x {count})")

    @property
    def key(self):
        return self.instance_class, self.dtype, self.count


class NamedTuple(_HeterogeneousTuple, BaseNamedTuple):
    """A named tuple of items of any types."""

    def __init__(self, types, cls):
        self.types = _checked(types)
        self._set_class(cls)
        super().__init__(f"{cls.__name__}({', '.join(map(str, self.types))})")

    @property
    def key(self):
        return self.instance_class, self.types


def unliteral(type_: Type) -> Type:
    """The type without the value it may hold, at any depth of tuples."""
    if isinstance(type_, Literal):
        return type_.literal_type
    if isinstance(type_, BaseAnonymousTuple):
        return Tuple(tuple(unliteral(item) for item in type_.types))
    return type_


class UniTupleIter(SimpleIteratorType):
    """The iterator of a homogeneous tuple."""

    def __init__(self, container):
        self.container = container
        super().__init__(f"iter({container})", container.dtype)


@rows.of_kind("optional")
class Optional(Type):
    """A value of type `type`, or None."""

    def __init__(self, type):
        if isinstance(type, Optional | NoneType):
            raise TypeError(f"optional of {type}: there is only one None")
        self.type = type
        super().__init__(f"OptionalType({type})")

    def __str__(self):
        return self.name

    def _make_row(self):
        return None if self.type._handle is None else rows.optional(self.type)

    @classmethod
    def _of_row(cls, row):
        return cls(rows.wrap_param(row))


class InitialValue:
    """Mixin of the containers that may know what they were built with."""

    initial_value = None


class List(MutableSequence, InitialValue):
    """A Python list with items of one type; `reflected` lists come from, and go back to, Python."""

    def __init__(self, dtype, reflected=False, initial_value=None):
        self.dtype = dtype
        self.reflected = reflected
        self.initial_value = initial_value
        prefix = "reflected " if reflected else ""
        super().__init__(f"{prefix}list({dtype})<iv={initial_value}>")

    @property
    def key(self):
        return self.dtype, self.reflected, str(self.initial_value)

    @property
    def iterator_type(self):
        return ListIter(self)

    def __getitem__(self, index):
        return self.dtype

    def __repr__(self):
        return f"List({self.dtype!r}, {self.reflected})"

    def _make_row(self):
        return rows.list_of(self.dtype)


class ListIter(SimpleIteratorType):
    """The iterator of a list."""

    def __init__(self, container):
        self.container = container
        super().__init__(f"iter({container})", container.dtype)


class Set(Container):
    """A Python set with items of one type."""

    mutable = True

    def __init__(self, dtype, reflected=False):
        self.dtype = dtype
        self.reflected = reflected
        super().__init__(f"{'reflected ' if reflected else ''}set({dtype})")

    @property
    def key(self):
        return self.dtype, self.reflected

    @property
    def iterator_type(self):
        return SetIter(self)

    def __repr__(self):
        return f"Set({self.dtype!r}, {self.reflected})"

    def _make_row(self):
        return rows.set_of(self.dtype)


@rows.of_kind("frozenset")
class FrozenSet(Hashable, Container):
    """A Python frozenset with items of one type."""

    mutable = False

    def __init__(self, dtype):
        self.dtype = dtype
        super().__init__(f"frozenset({dtype})")

    @property
    def key(self):
        return self.dtype

    @property
    def iterator_type(self):
        return SetIter(self)

    def __repr__(self):
        return f"FrozenSet({self.dtype!r})"

    def _make_row(self):
        return None if self.dtype._handle is None else rows.parsed(self.name)

    @classmethod
    def _of_row(cls, row):
        return cls(rows.wrap_param(row))


class SetIter(SimpleIteratorType):
    """The iterator of a set."""

    def __init__(self, container):
        self.container = container
        super().__init__(f"iter({container})", container.dtype)


@rows.of_kind("literallist")
class LiteralList(_Items):
    """A list display whose items have several types."""

    mutable = False

    def __init__(self, literal_value):
        self.types = _checked(literal_value)
        self.literal_value = list(self.types)
        super().__init__(f"LiteralList(({', '.join(map(str, self.types))}))")

    @property
    def key(self):
        return self.types

    def _make_row(self):
        return rows.literal_list(self.types)

    @classmethod
    def _of_row(cls, row):
        return cls(rows.wrap_all(row.params))


@rows.of_kind("literaldict")
class LiteralStrKeyDict(_OfSeveralTypes):
    """A dict display with constant strings as keys, whose values have several types."""

    mutable = False

    def __init__(self, literal_value):
        self.literal_value = {
            StringLiteral(key) if isinstance(key, str) else key: value
            for key, value in literal_value.items()
        }
        self.types = tuple(self.literal_value.values())
        listed = ", ".join(f"{key.literal_value}: {value}" for key, value in self._pairs())
        super().__init__(f"LiteralStrKey[Dict]({{{listed}}})")

    def _pairs(self):
        return self.literal_value.items()

    @property
    def key(self):
        return tuple(self._pairs())

    def _make_row(self):
        return rows.literal_dict([key.literal_value for key in self.literal_value], self.types)

    @classmethod
    def _of_row(cls, row):
        return cls(dict(zip(row.names, rows.wrap_all(row.params))))


class ListType(IterableType):
    """numjit.typed.List."""

    mutable = True

    def __init__(self, itemty):
        self.dtype = self.item_type = itemty
        super().__init__(f"ListType[{itemty}]")

    @property
    def key(self):
        return self.item_type

    @property
    def iterator_type(self):
        return ListTypeIterableType(self).iterator_type

    def is_precise(self):
        return self.item_type.is_precise()

    def refine(self, itemty):
        """The type with its items' type, where it was not known."""
        return self if self.is_precise() else ListType(itemty)

    def __repr__(self):
        return f"ListType({self.item_type!r})"

    def _make_row(self):
        return rows.list_of(self.item_type, typed=True)


class ListTypeIterableType(SimpleIterableType):
    """What `iter` of a numjit.typed.List sees."""

    def __init__(self, parent):
        self.parent = parent
        self.yield_type = parent.item_type
        super().__init__(f"list[{parent}]")

    @property
    def iterator_type(self):
        return ListTypeIteratorType(self)


class ListTypeIteratorType(SimpleIteratorType):
    """The iterator of a numjit.typed.List."""

    def __init__(self, iterable):
        self.parent = iterable.parent
        self.iterable = iterable
        super().__init__(f"iter[{iterable.parent}->{iterable.yield_type}]", iterable.yield_type)


@rows.of_kind("dict")
class DictType(IterableType, InitialValue):
    """numjit.typed.Dict."""

    mutable = True

    def __init__(self, keyty, valty, initial_value=None):
        self.key_type, self.value_type = keyty, valty
        self.keyvalue_type = Tuple([keyty, valty])
        self.initial_value = initial_value
        super().__init__(f"DictType[{keyty},{valty}]<iv={initial_value}>")

    @property
    def key(self):
        return self.key_type, self.value_type, str(self.initial_value)

    @property
    def iterator_type(self):
        return DictKeysIterableType(self).iterator_type

    def is_precise(self):
        return self.key_type.is_precise() and self.value_type.is_precise()

    def refine(self, keyty, valty):
        """The type with its keys' and values' types, where they were not known."""
        return self if self.is_precise() else DictType(keyty, valty)

    def __repr__(self):
        return f"DictType({self.key_type!r}, {self.value_type!r})"

    def _make_row(self):
        return rows.dict_of(self.key_type, self.value_type)

    @classmethod
    def _of_row(cls, row):
        return cls(*rows.wrap_all(row.params))


class _DictView(SimpleIterableType):
    _what = ""

    def __init__(self, parent):
        self.parent = parent
        self.yield_type = {
            "keys": parent.key_type,
            "values": parent.value_type,
            "items": parent.keyvalue_type,
        }[self._what]
        super().__init__(f"{self._what}[{parent}]")

    @property
    def iterator_type(self):
        return DictIteratorType(self)


class DictKeysIterableType(_DictView):
    """What `d.keys()` is."""

    _what = "keys"


class DictValuesIterableType(_DictView):
    """What `d.values()` is."""

    _what = "values"


class DictItemsIterableType(_DictView):
    """What `d.items()` is."""

    _what = "items"


class DictIteratorType(SimpleIteratorType):
    """The iterator of a dict or of a view of it."""

    def __init__(self, iterable):
        self.parent = iterable.parent
        self.iterable = iterable
        super().__init__(
            f"iter[{iterable.parent}->{iterable.yield_type}],{iterable}", iterable.yield_type
        )


class SetType(IterableType, InitialValue):
    """numjit.typed.Set."""

    mutable = True

    def __init__(self, itemty, initial_value=None):
        self.key_type = self.item_type = self.dtype = itemty
        self.initial_value = initial_value
        super().__init__(f"SetType[{itemty}]<iv={initial_value}>")

    @property
    def key(self):
        return self.item_type, str(self.initial_value)

    @property
    def iterator_type(self):
        return SetTypeIteratorType(self)

    def __repr__(self):
        return f"SetType({self.item_type!r})"

    def _make_row(self):
        return rows.set_of(self.item_type, typed=True)


class SetTypeIteratorType(SimpleIteratorType):
    """The iterator of a numjit.typed.Set."""

    def __init__(self, container):
        self.container = container
        super().__init__(f"iter({container})", container.item_type)


@rows.of_kind("namedtuple")
def _named_tuple(row):
    return BaseTuple.from_types(rows.wrap_all(row.params), row.cls)


@rows.of_kind("list")
def _list(row):
    item = rows.wrap_param(row)
    return ListType(item) if row.typed else List(item, reflected=True)


@rows.of_kind("set")
def _set(row):
    item = rows.wrap_param(row)
    return SetType(item) if row.typed else Set(item, reflected=True)
