"""``collections`` that leave the function that makes them: values of a list or a dict and of what
else their class knows.

Where one stays in its function, frontend/collections.cpp makes a list or a dict of it instead.
"""

from collections import Counter, OrderedDict, defaultdict, deque
from itertools import islice

from ..core.intrinsics import new_struct, refuse
from ..core.registry import function
from .collections import (
    append_to_deque,
    appendleft,
    counter_elements,
    counter_most_common,
    counter_subtract,
    counter_total,
    counter_update,
    counts_of,
    extend_deque,
    extendleft,
    last_items,
    move_to_end,
    ordered_popitem,
    popleft,
    rotate,
)
from .collections import pop as pop_from_deque

_DEQUE = "collections.deque"
_DEFAULT = "collections.defaultdict"
_COUNTER = "collections.Counter"
_ORDERED = "collections.OrderedDict"


# -- making them ---------------------------------------------------------------------------------


@function("numjit.deque_object")
def deque_object(items, most):
    return new_struct(deque, (items, most))


@function("numjit.defaultdict_object")
def defaultdict_object(items, factory):
    return new_struct(defaultdict, (factory, items))


@function("numjit.counter_object")
def counter_object(items, nothing):
    return new_struct(Counter, (items,))


@function("numjit.ordered_object")
def ordered_object(items, nothing):
    return new_struct(OrderedDict, (items,))


@function(_DEQUE)
def made_deque(iterable, maxlen=None):
    if maxlen is None:
        return deque_object([x for x in iterable], None)  # noqa: C416
    else:
        return deque_object(last_items(iterable, maxlen), maxlen)


@function(_COUNTER)
def made_counter(iterable):
    return counter_object(counts_of(iterable), None)


@function(_ORDERED)
def made_ordered(items):
    return ordered_object(dict(items), None)


@function(_DEFAULT)
def made_defaultdict(default_factory, items):
    return defaultdict_object(dict(items), default_factory)


# -- what deques share with lists ----------------------------------------------------------------


def deque_method(name):
    return function(f"{_DEQUE}.{name}")


@deque_method("__len__")
def deque_len(self):
    return len(self._items)


@deque_method("__bool__")
def deque_bool(self):
    return len(self._items) > 0


@deque_method("__iter__")
def deque_iter(self):
    return iter(self._items)


@deque_method("__reversed__")
def deque_reversed(self):
    return reversed(self._items)


@deque_method("__contains__")
def deque_contains(self, item):
    return item in self._items


@deque_method("__getitem__")
def deque_getitem(self, index):
    return self._items[index]


@deque_method("__setitem__")
def deque_setitem(self, index, item):
    self._items[index] = item


@deque_method("__delitem__")
def deque_delitem(self, index):
    del self._items[index]


@deque_method("__eq__")
def deque_eq(self, other):
    if isinstance(other, deque):
        return self._items == other._items
    else:
        return False


@deque_method("__ne__")
def deque_ne(self, other):
    if isinstance(other, deque):
        return self._items != other._items
    else:
        return True


@deque_method("__lt__")
def deque_lt(self, other):
    return self._items < other._items


@deque_method("__le__")
def deque_le(self, other):
    return self._items <= other._items


@deque_method("__gt__")
def deque_gt(self, other):
    return self._items > other._items


@deque_method("__ge__")
def deque_ge(self, other):
    return self._items >= other._items


@deque_method("append")
def deque_append(self, x):
    if self.maxlen is None:
        self._items.append(x)
    else:
        append_to_deque(self._items, x, self.maxlen)


@deque_method("appendleft")
def deque_appendleft(self, x):
    appendleft(self._items, x, self.maxlen)


@deque_method("extend")
def deque_extend(self, iterable):
    if self.maxlen is None:
        self._items.extend(iterable)
    else:
        extend_deque(self._items, iterable, self.maxlen)


@deque_method("extendleft")
def deque_extendleft(self, iterable):
    extendleft(self._items, iterable, self.maxlen)


@deque_method("pop")
def deque_pop(self):
    return pop_from_deque(self._items)


@deque_method("popleft")
def deque_popleft(self):
    return popleft(self._items)


@deque_method("insert")
def deque_insert(self, i, x):
    if self.maxlen is not None:
        if len(self._items) >= self.maxlen:
            raise IndexError("deque already at its maximum size")
    self._items.insert(i, x)


@deque_method("remove")
def deque_remove(self, value):
    self._items.remove(value)


@deque_method("reverse")
def deque_reverse(self):
    self._items.reverse()


@deque_method("rotate")
def deque_rotate(self, n=1):
    rotate(self._items, n)


@deque_method("clear")
def deque_clear(self):
    self._items.clear()


@deque_method("count")
def deque_count(self, value):
    return self._items.count(value)


@deque_method("index")
def deque_index(self, value):
    return self._items.index(value)


@deque_method("copy")
def deque_copy(self):
    return deque_object(self._items.copy(), self.maxlen)


@deque_method("__repr__")
@deque_method("__str__")
def deque_repr(self):
    if self.maxlen is None:
        return "deque(" + repr(self._items) + ")"
    else:
        return "deque(" + repr(self._items) + ", maxlen=" + str(self.maxlen) + ")"


@deque_method("__add__")
def deque_add(self, other):
    result = deque_copy(self)
    deque_extend(result, other._items)
    return result


@deque_method("__iadd__")
def deque_iadd(self, other):
    deque_extend(self, other)
    return self


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
    return combined(self, other, lambda a, b: max(a, b))


@function(f"{_COUNTER}.__and__")
def counter_and(self, other):
    return combined(self, other, lambda a, b: min(a, b))
