"""Tuples whose length is known at run time only: `t[i:]`, `tuple(l)`.

They hold a list that nothing changes. Python gets tuples of them.
"""

import dataclasses

import numpy as np

from ..core.hashing import _LENGTH_MIX, _PRIME_1, _PRIME_2, _PRIME_5
from ..core.registry import function


def items_of(iterable):
    if isinstance(iterable, RunTimeTuple):
        return iterable.items
    else:
        return [x for x in iterable]  # noqa: C416


@dataclasses.dataclass(frozen=True)
class RunTimeTuple:
    """What compiled code knows of such a tuple; `isinstance(x, tuple)` holds."""

    items: list
    is_converted = True

    def _numjit_to_python_(self):
        return tuple(self.items)

    @classmethod
    def _numjit_of_python_(cls, value):
        if not isinstance(value, tuple):
            raise TypeError(f"can't unbox {type(value).__name__} as a tuple")
        return cls(list(value))

    def __len__(self):
        return len(self.items)

    def __bool__(self):
        return len(self.items) != 0

    def __iter__(self):
        return iter(self.items)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return RunTimeTuple(self.items[index])
        else:
            if index >= len(self.items) or index < -len(self.items):
                raise IndexError("tuple index out of range")
            return self.items[index]

    def __contains__(self, item):
        return item in self.items

    def __eq__(self, other):
        return self.items == items_of(other)

    def __ne__(self, other):
        return self.items != items_of(other)

    def __lt__(self, other):
        return self.items < items_of(other)

    def __le__(self, other):
        return self.items <= items_of(other)

    def __gt__(self, other):
        return self.items > items_of(other)

    def __ge__(self, other):
        return self.items >= items_of(other)

    def __add__(self, other):
        return RunTimeTuple(self.items + items_of(other))

    def __radd__(self, other):
        return RunTimeTuple(items_of(other) + self.items)

    def __mul__(self, count):
        return RunTimeTuple(self.items * count)

    def __rmul__(self, count):
        return RunTimeTuple(self.items * count)

    def __hash__(self):
        h = _PRIME_5
        for item in self.items:
            h += np.uint64(hash(item)) * _PRIME_2
            h = ((h << np.uint64(31)) | (h >> np.uint64(33))) * _PRIME_1
        h += np.uint64(len(self.items)) ^ _LENGTH_MIX
        return 1546275796 if h == np.uint64(2**64 - 1) else np.int64(h)

    def __repr__(self):
        inside = ", ".join([repr(x) for x in self.items])
        return f"({inside},)" if len(self.items) == 1 else f"({inside})"

    def __str__(self):
        return repr(self)

    def index(self, value):
        for i in range(len(self.items)):
            if self.items[i] == value:
                return i
        raise ValueError("tuple.index(x): x not in tuple")

    def count(self, value):
        return self.items.count(value)


def is_short_tuple(x):
    """Whether compilation knows how long a tuple is, and work for each item is no burden."""
    return isinstance(x, tuple) and not isinstance(x, RunTimeTuple) and len(x) <= 16


@function("numjit.tuple_of")
def tuple_of(iterable):
    return RunTimeTuple([x for x in iterable])  # noqa: C416


@function("numjit.sum_of_tuples")
def sum_of_tuples(a, b):
    return RunTimeTuple(a.items + b.items)


@function("numjit.items_from")
def items_from(items, first):
    return RunTimeTuple([items[i] for i in range(first, len(items))])


@function("numjit.tuple_part")
def tuple_part(items, part):
    return RunTimeTuple(items_of(items)[part])


# -- zip(*rows) of rows whose number is known at run time -----------------------------------------


@function("numjit.columns", inline=False)
def columns(rows):
    found = []
    if len(rows) > 0:
        for i in range(min([len(row) for row in rows])):
            found.append(tuple([row[i] for row in rows]))
    return found


@function("numjit.tuple_columns", inline=False)
def tuple_columns(rows, width):
    """Of rows with items of several types: Python returns none if there are no rows."""
    if len(rows) == 0:
        raise ValueError("not enough values to unpack: there are no rows")
    return columns_from(rows, 0, width)


def columns_from(rows, i, width):
    if i == width:
        return ()
    return (tuple([row[i] for row in rows]), *columns_from(rows, i + 1, width))


@function("numjit.repeated_tuple")
def repeated_tuple(items, count):
    return RunTimeTuple(items_of(items) * count)


@function("numjit.to_fixed_tuple")
def to_fixed_tuple(obj, length):
    """The first items of an array or a list, as many as a constant says, as a tuple."""
    if length == 0:
        return ()
    else:
        return to_fixed_tuple(obj, length - 1) + (obj[length - 1],)


@function("numjit.tuple_setitem")
def tuple_setitem(tup, idx, val):
    """The tuple with another item at an index."""
    return replaced(tup, idx, val, 0)


@function("numjit.with_any_item")
def with_any_item(items, index, value):
    """The tuple after ``items[index] = value`` of a list whose items have one type."""
    place = index + len(items) if index < 0 else index
    if place < 0 or place >= len(items):
        raise IndexError("list assignment index out of range")
    return replaced(items, place, value, 0)


def replaced(tup, idx, val, first):
    """The items from `first` on, `val` in the place of item `idx`."""
    if first == len(tup):
        return ()
    else:
        item = val if idx == first else tup[first]
        return (item,) + replaced(tup, idx, val, first + 1)
