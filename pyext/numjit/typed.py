"""numjit.typed: lists and dicts that compiled code and Python share, without copies.

Each is a Python object around memory that compiled functions work on. What must be fast from Python
(items, appending, iteration) is in `pyext/convert/typed_containers.cpp`.
"""

from __future__ import annotations

from collections.abc import ItemsView, MutableMapping, MutableSequence, MutableSet, ValuesView
from functools import partial
from types import GenericAlias

import numpy

from numjit import _core, config
from numjit.compat.numba_paths import part_of
from numjit.types import Type, rows, wrap

__path__: list[str] = []  # numba_paths.py has the modules in it
__getattr__ = partial(part_of, __name__)


_MOST_SHOWN = 1000  # of a list in IPython


def _row(*types):
    """The rows of types; TypeError for what is none."""
    for type_ in types:
        if not isinstance(type_, Type):
            raise TypeError(f"expected a numjit type, got {type_!r}")
    return [rows.handle_of(type_) for type_ in types]


def _wrap(row):
    return wrap.wrap(row)


class _Container:
    """What the containers share: they have a type from their first item on, or from the start."""

    __slots__ = ()

    def __new__(cls, iterable=(), **kwargs):
        """A plain one where DISABLE_JIT is set, as compiled code has no part in it then."""
        return cls._plain(iterable) if config.DISABLE_JIT else super().__new__(cls)

    @classmethod
    def _of_row(cls, row):
        """An empty one of a type, or of none."""
        made = cls()
        made._init(row)
        return made

    @property
    def _typed(self):
        return self._type is not None

    @property
    def _numba_type_(self):
        if self._type is None:
            raise TypeError(f"invalid operation on untyped {self._kind}")
        return _wrap(self._type)

    def _unchanged(self, items, message):
        """Iterates over items; RuntimeError when the container changes its size meanwhile."""
        size = len(self)
        for item in items:
            if len(self) != size:
                raise RuntimeError(message)
            yield item
        if len(self) != size:
            raise RuntimeError(message)


class List(_Container, _core.TypedList, MutableSequence):
    """A list whose items are of one type: that of the first one, or the one it is made with."""

    __slots__ = ()
    _kind, _plain = "list", list
    __class_getitem__ = classmethod(GenericAlias)

    def __init__(self, iterable=(), *, lsttype=None):
        self._init(None if lsttype is None else lsttype._handle)
        self._extend(iterable)

    @classmethod
    def empty_list(cls, item_type, allocated=0):
        """An empty list for items of a type. Room is made as it is needed, whatever `allocated`."""
        return cls() if config.DISABLE_JIT else cls._of_row(_core.list(*_row(item_type), True))

    @property
    def _list_type(self):
        return self._numba_type_

    @property
    def _dtype(self):
        return self._numba_type_.item_type

    def __setitem__(self, index, value):
        if isinstance(index, slice):
            items = self._items()
            items[index] = list(value)
            self._become(items)
        else:
            _core.TypedList.__setitem__(self, index, value)

    def __delitem__(self, index):
        if isinstance(index, slice):
            items = self._items()
            del items[index]
            self._become(items)
        else:
            _core.TypedList.__delitem__(self, index)

    def _become(self, items):
        made = self._empty()
        made._extend(items)  # may refuse an item, and then nothing has changed
        self.clear()
        self._extend(made._items())

    def _empty(self):
        return self._of_row(self._type)

    def insert(self, index, item):
        if self._type is None:
            self.append(item)
            return
        items = self._items()
        items.insert(index, item)
        self._become(items)

    def extend(self, iterable):
        self._extend(iterable)

    def pop(self, i=-1):
        if not len(self):
            raise IndexError("pop from empty list")
        item = self[i]
        _core.TypedList.__delitem__(self, i)
        return item

    def getitem_unchecked(self, index):
        return self[index]

    def remove(self, value):
        for i, item in enumerate(self._items()):
            if item == value:
                del self[i]
                return
        raise ValueError("list.remove(x): x not in list")

    def reverse(self):
        self._become(self._items()[::-1])

    def sort(self, key=None, reverse=False):
        self._become(sorted(self._items(), key=key, reverse=reverse))

    def index(self, value, start=0, stop=None):
        return self._items().index(value, start, len(self) if stop is None else stop)

    def count(self, value):
        return self._items().count(value)

    def copy(self):
        return self[:]

    def __copy__(self):
        return self[:]

    def __contains__(self, value):
        return value in self._items()

    def __iadd__(self, items):
        self._extend(items)
        return self

    def __add__(self, items):
        made = self.copy()
        made._extend(items)
        return made

    def __mul__(self, n):
        made = self._empty()
        for _ in range(n):
            made._extend(self)
        return made

    __rmul__ = __mul__

    def __imul__(self, n):
        self._become(self._items() * n)
        return self

    def _compare(self, other, operation):
        other = other._items() if isinstance(other, List) else other
        if not isinstance(other, (list, tuple)):
            return NotImplemented
        return operation(self._items(), list(other))

    def __eq__(self, other):
        return self._compare(other, lambda a, b: a == b)

    def __ne__(self, other):
        return self._compare(other, lambda a, b: a != b)

    def __lt__(self, other):
        return self._compare(other, lambda a, b: a < b)

    def __le__(self, other):
        return self._compare(other, lambda a, b: a <= b)

    def __gt__(self, other):
        return self._compare(other, lambda a, b: a > b)

    def __ge__(self, other):
        return self._compare(other, lambda a, b: a >= b)

    __hash__ = None

    def __str__(self):
        return str(self._items())

    def _repr_pretty_(self, printer, cycle):
        """What IPython shows."""
        items = self._items()
        shown = ", ".join(map(repr, items[:_MOST_SHOWN]))
        printer.text(f"[{shown}{', ...' if len(items) > _MOST_SHOWN else ''}]")

    def __repr__(self):
        type_ = "ListType[Undefined]" if self._type is None else str(self._numba_type_)
        return f"{type_}({self})"

    def __reduce__(self):
        return _rebuild_list, (type(self), self._dtype if self._typed else None, self._items())

    def __array__(self, dtype=None, copy=None):
        return numpy.array(self._items(), dtype=dtype)


_CHANGED = "dictionary changed size during iteration"


class _Values(ValuesView):
    """Not by way of the keys: NaN is found by none."""

    __slots__ = ()

    def __iter__(self):
        return self._mapping._unchanged(self._mapping._values(), _CHANGED)

    def __contains__(self, value):
        return value in self._mapping._values()


class _Items(ItemsView):
    __slots__ = ()

    def __iter__(self):
        return self._mapping._unchanged(self._mapping._items(), _CHANGED)


class Dict(_Container, _core.TypedDict, MutableMapping):
    """A dict whose keys are of one type and whose values are of one type: those of the first item,
    or those it is made with."""

    __slots__ = ()
    _kind, _plain = "dictionary", dict
    __class_getitem__ = classmethod(GenericAlias)

    def __init__(self, iterable=(), *, dcttype=None, n_keys=0):
        self._init(None if dcttype is None else dcttype._handle)
        self.update(iterable)

    @classmethod
    def empty(cls, key_type, value_type, n_keys=0):
        """An empty dict for keys and values of these types."""
        return cls() if config.DISABLE_JIT else cls._of_row(_core.dict(*_row(key_type, value_type)))

    @property
    def _dict_type(self):
        return self._numba_type_

    def __iter__(self):
        return self._unchanged(self._keys(), _CHANGED)

    def values(self):
        return _Values(self)

    def items(self):
        return _Items(self)

    def __reversed__(self):
        return reversed(self._keys())

    def get(self, key, default=None):
        return self[key] if self._type is not None and key in self else default

    def setdefault(self, key, default=None):
        if self._type is None or key not in self:
            if default is None:  # there is no value to return for the type
                raise TypeError("setdefault() of a typed Dict needs a default")
            self[key] = default
        return self[key]

    def copy(self):
        made = self._of_row(self._type)
        for key, value in self._items():
            made[key] = value
        return made

    __copy__ = copy

    def __or__(self, other):
        made = self.copy()
        made.update(other)
        return made

    def __ior__(self, other):
        self.update(other)
        return self

    def __eq__(self, other):
        if isinstance(other, Dict):
            other = dict(other._items())
        if not isinstance(other, dict):
            return NotImplemented
        return dict(self._items()) == other

    __hash__ = None

    def __str__(self):
        return "{" + ", ".join(f"{key!r}: {value!r}" for key, value in self._items()) + "}"

    def __repr__(self):
        if self._type is None:
            return "DictType[Undefined,Undefined]({})"
        return f"{self._numba_type_}({self})"

    def __reduce__(self):
        types = (None, None)
        if self._type is not None:
            types = self._numba_type_.key_type, self._numba_type_.value_type
        return _rebuild_dict, (type(self), types, self._items())


class Set(_Container, _core.TypedSet, MutableSet):
    """A set whose items are of one type: that of the first one, or the one it is made with."""

    __slots__ = ()
    _kind, _plain = "set", set
    __class_getitem__ = classmethod(GenericAlias)

    def __init__(self, iterable=(), *, settype=None):
        self._init(None if settype is None else settype._handle)
        for item in iterable:
            self.add(item)

    @classmethod
    def empty(cls, item_type, n_items=0):
        """An empty set for items of a type."""
        return cls() if config.DISABLE_JIT else cls._of_row(_core.set(*_row(item_type), True))

    def __iter__(self):
        return self._unchanged(self._items(), "Set changed size during iteration")

    def discard(self, item):
        self._discard(item)

    def remove(self, item):
        if not self._discard(item):
            raise KeyError(item)

    def pop(self):
        if not len(self):
            raise KeyError("pop from an empty set")
        item = self._items()[-1]
        self._discard(item)
        return item

    def update(self, *others):
        for items in others:
            for item in items:
                self.add(item)

    def copy(self):
        made = self._of_row(self._type)
        made.update(self._items())
        return made

    __copy__ = copy
    __hash__ = None

    def __str__(self):
        return "{" + ", ".join(map(repr, self._items())) + "}"

    def __repr__(self):
        type_ = "SetType[Undefined]" if self._type is None else str(self._numba_type_)
        return f"{type_}({self})"

    def __reduce__(self):
        type_ = None if self._type is None else self._numba_type_.item_type
        return _rebuild_set, (type(self), type_, self._items())


def _rebuild_set(cls, item_type, items):
    made = cls() if item_type is None else cls.empty(item_type)
    made.update(items)
    return made


def _rebuild_list(cls, item_type, items):
    made = cls() if item_type is None else cls.empty_list(item_type)
    made._extend(items)
    return made


def _rebuild_dict(cls, types, items):
    made = cls() if types[0] is None else cls.empty(*types)
    made.update(items)
    return made
