"""Relatives of dict in ``collections`` that leave the function that makes them: values of a dict
and of what else their class knows. Deques are in deques.py.

Where one stays in its function, frontend/collections.cpp makes a dict of it instead.
"""

from collections import Counter, OrderedDict, defaultdict, deque
from itertools import islice

from ..core.intrinsics import new_struct, refuse
from ..core.registry import function
from .collections import (
    counter_elements,
    counter_most_common,
    counter_subtract,
    counter_total,
    counter_update,
    counts_of,
    move_to_end,
    ordered_popitem,
)
from .deques import deque_object

_DEFAULT = "collections.defaultdict"
_COUNTER = "collections.Counter"
_ORDERED = "collections.OrderedDict"


# -- making them ---------------------------------------------------------------------------------


@function("numjit.defaultdict_object")
def defaultdict_object(items, factory):
    return new_struct(defaultdict, (factory, items))


@function("numjit.counter_object")
def counter_object(items, nothing):
    return new_struct(Counter, (items,))


@function("numjit.ordered_object")
def ordered_object(items, nothing):
    return new_struct(OrderedDict, (items,))


@function(_COUNTER)
def made_counter(iterable):
    return counter_object(counts_of(iterable), None)


@function(_ORDERED)
def made_ordered(items):
    return ordered_object(dict(items), None)


@function(_DEFAULT)
def made_defaultdict(default_factory, items):
    return defaultdict_object(dict(items), default_factory)


# -- what the others share with dicts ------------------------------------------------------------


def is_dict_like(x):
    return isinstance(x, (defaultdict, Counter, OrderedDict))


def plain(x):
    if is_dict_like(x):
        return x._items
    else:
        return x


def for_dicts(name):
    def register(python_function):
        for cls in (_DEFAULT, _COUNTER, _ORDERED):
            function(f"{cls}.{name}")(python_function)
        return python_function

    return register


@for_dicts("__len__")
def dict_len(self):
    return len(self._items)


@for_dicts("__bool__")
def dict_bool(self):
    return len(self._items) > 0


@for_dicts("__iter__")
def dict_iter(self):
    return iter(self._items)


@for_dicts("__contains__")
def dict_contains(self, key):
    return key in self._items


@for_dicts("__setitem__")
def dict_setitem(self, key, value):
    self._items[key] = value


@for_dicts("__delitem__")
def dict_delitem(self, key):
    del self._items[key]


@for_dicts("__ne__")
def dict_ne(self, other):
    return not (self == other)


@for_dicts("get")
def dict_get(self, key, default=None):
    return self._items.get(key, default)


@for_dicts("setdefault")
def dict_setdefault(self, key, default):
    return self._items.setdefault(key, default)


@for_dicts("keys")
def dict_keys(self):
    return self._items.keys()


@for_dicts("values")
def dict_values(self):
    return self._items.values()


@for_dicts("items")
def dict_items(self):
    return self._items.items()


@for_dicts("pop")
def dict_pop(self, key, *default):
    return self._items.pop(key, *default)


@for_dicts("clear")
def dict_clear(self):
    self._items.clear()


# -- defaultdict ---------------------------------------------------------------------------------


@function(f"{_DEFAULT}.__getitem__")
def default_getitem(self, key):
    items, factory = self._items, self.default_factory
    if factory is None:
        return items[key]
    elif factory is list:  # an empty one of the type of the values
        if key not in items:
            items[key] = [x for value in islice(items.values(), 0) for x in value]
        return items[key]
    elif factory is dict:
        if key not in items:
            items[key] = {k: x for value in islice(items.values(), 0) for k, x in value.items()}
        return items[key]
    elif factory is set:
        if key not in items:
            items[key] = {x for value in islice(items.values(), 0) for x in value}
        return items[key]
    elif factory is deque:
        if key not in items:
            same = [x for value in islice(items.values(), 0) for x in value]
            items[key] = deque_object(same, None)
        return items[key]
    elif factory is Counter:
        if key not in items:
            same = {k: x for value in islice(items.values(), 0) for k, x in value.items()}
            items[key] = counter_object(same, None)
        return items[key]
    else:
        if key not in items:
            items[key] = factory()
        return items[key]


@function(f"{_DEFAULT}.__eq__")
@function(f"{_COUNTER}.__eq__")
def dict_eq(self, other):
    return self._items == plain(other)


@function(f"{_DEFAULT}.popitem")
@function(f"{_COUNTER}.popitem")
def dict_popitem(self):
    return self._items.popitem()


@function(f"{_DEFAULT}.update")
@function(f"{_ORDERED}.update")
def dict_update(self, other):
    self._items.update(plain(other))


@function(f"{_DEFAULT}.copy")
def default_copy(self):
    return defaultdict_object(self._items.copy(), self.default_factory)


@function(f"{_DEFAULT}.__or__")
def default_or(self, other):
    merged = self._items.copy()
    merged.update(plain(other))
    return defaultdict_object(merged, self.default_factory)


@function(f"{_ORDERED}.__or__")
def ordered_or(self, other):
    merged = self._items.copy()
    merged.update(plain(other))
    return ordered_object(merged, None)


@function(f"{_DEFAULT}.__ior__")
@function(f"{_ORDERED}.__ior__")
def dict_ior(self, other):
    self._items.update(plain(other))
    return self


# -- OrderedDict ---------------------------------------------------------------------------------


@function(f"{_ORDERED}.__getitem__")
def ordered_getitem(self, key):
    return self._items[key]


@function(f"{_ORDERED}.__eq__")
def ordered_eq(self, other):
    if isinstance(other, OrderedDict):
        return self._items == other._items and list(self._items) == list(other._items)
    else:
        return self._items == plain(other)


@function(f"{_ORDERED}.move_to_end")
def ordered_move_to_end(self, key, last=True):
    move_to_end(self._items, key, last)


@function(f"{_ORDERED}.popitem")
def ordered_pop(self, last=True):
    return ordered_popitem(self._items, last)


@function(f"{_ORDERED}.copy")
def ordered_copy(self):
    return ordered_object(self._items.copy(), None)


# -- Counter -------------------------------------------------------------------------------------


@function(f"{_COUNTER}.__getitem__")
def counter_getitem(self, key):
    return self._items.get(key, 0)


@function(f"{_COUNTER}.update")
def update_counter(self, iterable):
    counter_update(self._items, plain(iterable), 1)


@function(f"{_COUNTER}.subtract")
def subtract_counter(self, iterable):
    counter_subtract(self._items, plain(iterable), 1)


@function(f"{_COUNTER}.most_common")
def most_common(self, n=None):
    return counter_most_common(self._items, n)


@function(f"{_COUNTER}.elements")
def elements(self):
    return counter_elements(self._items)


@function(f"{_COUNTER}.total")
def total(self):
    return counter_total(self._items)


@function(f"{_COUNTER}.copy")
def counter_copy(self):
    return counter_object(self._items.copy(), None)


@function(f"{_COUNTER}.__repr__")
@function(f"{_COUNTER}.__str__")
def counter_repr(self):
    if len(self._items) == 0:
        return "Counter()"
    counts = {}
    for key, count in counter_most_common(self._items):
        counts[key] = count
    return "Counter(" + repr(counts) + ")"


def combined(one, other, count_of):
    """The Counter of what an operator makes of the counts of each key, where that is positive."""
    if not isinstance(other, Counter):
        refuse("operators of a Counter take another Counter", "make one: Counter(...)")
    counts = {}
    for key, count in one._items.items():
        made = count_of(count, other._items.get(key, 0))
        if made > 0:
            counts[key] = made
    for key, count in other._items.items():
        if key not in one._items:
            made = count_of(0, count)
            if made > 0:
                counts[key] = made
    return counter_object(counts, None)


@function(f"{_COUNTER}.__add__")
def counter_add(self, other):
    return combined(self, other, lambda a, b: a + b)


@function(f"{_COUNTER}.__sub__")
def counter_sub(self, other):
    return combined(self, other, lambda a, b: a - b)


@function(f"{_COUNTER}.__or__")
def counter_or(self, other):
    if isinstance(other, dict) and not isinstance(other, Counter):  # as those of any dict
        return self._items | other
    else:
        return combined(self, other, lambda a, b: max(a, b))


@function(f"{_COUNTER}.__ror__")
def counter_ror(self, other):
    return other | self._items


@function(f"{_DEFAULT}.__ror__")
def default_ror(self, other):
    return defaultdict_object(other | self._items, self.default_factory)


@function(f"{_ORDERED}.__ror__")
def ordered_ror(self, other):
    return ordered_object(other | self._items, None)


@function(f"{_COUNTER}.__and__")
def counter_and(self, other):
    return combined(self, other, lambda a, b: min(a, b))


def of_counter(other):
    """What is merged into a Counter in place: another one, or a dict of counts."""
    if not isinstance(other, (Counter, dict)):
        refuse("operators of a Counter take another Counter", "make one: Counter(...)")
    return plain(other)


def kept_positive(self):
    for key in [key for key, count in self._items.items() if not count > 0]:
        del self._items[key]
    return self


@function(f"{_COUNTER}.__iadd__")
def counter_iadd(self, other):
    for key, count in of_counter(other).items():
        self._items[key] = self._items.get(key, 0) + count
    return kept_positive(self)


@function(f"{_COUNTER}.__isub__")
def counter_isub(self, other):
    for key, count in of_counter(other).items():
        self._items[key] = self._items.get(key, 0) - count
    return kept_positive(self)


@function(f"{_COUNTER}.__ior__")
def counter_ior(self, other):
    for key, count in of_counter(other).items():
        if count > self._items.get(key, 0):
            self._items[key] = count
    return kept_positive(self)


@function(f"{_COUNTER}.__iand__")
def counter_iand(self, other):
    others = of_counter(other)
    for key, count in list(self._items.items()):
        if isinstance(other, Counter):
            most = others.get(key, 0)
        else:
            most = others[key]
        if most < count:
            self._items[key] = most
    return kept_positive(self)
