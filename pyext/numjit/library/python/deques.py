"""``collections.deque`` that leaves the function that makes it: a value of a list and of its length
at most. Where one stays in its function, frontend/collections.cpp makes a list of it instead.
"""

from collections import deque

from ..core.intrinsics import new_struct
from ..core.registry import function
from .collections import (
    append_to_deque,
    appendleft,
    extend_deque,
    extendleft,
    last_items,
    popleft,
    rotate,
)
from .collections import pop as pop_from_deque

_DEQUE = "collections.deque"


@function("numjit.deque_object")
def deque_object(items, most):
    return new_struct(deque, (items, most))


@function(_DEQUE)
def made_deque(iterable, maxlen=None):
    if maxlen is None:
        return deque_object([x for x in iterable], None)  # noqa: C416
    else:
        return deque_object(last_items(iterable, maxlen), maxlen)


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
