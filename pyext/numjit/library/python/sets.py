"""Methods and operators of sets and frozensets.

What both have is written once: results are made as sets, and become frozensets where the one that
the method is called on, or the left operand, is one.
"""

import numpy as np

from ..core.intrinsics import (
    as_changeable,
    as_frozen,
    as_key,
    as_typed,
    hash_get,
    key_get,
    table_copy,
    table_get,
)
from ..core.registry import function
from ..core.tables import (
    DEAD,
    clear,
    contains,
    find,
    insert,
    key_hash,
    last_entry,
    length,
    probe,
    remove,
    reserve,
)


def method(name):
    """Register what is a method of sets and of frozensets."""

    def register(python_function):
        for kind in _KINDS:
            function(f"{kind}.{name}")(python_function)
        return python_function

    return register


def operator(name):
    """Register an operator between sets and frozensets."""

    def register(python_function):
        for left in _KINDS:
            for right in _KINDS:
                function(f"operator.{name}", operands=(left, right))(python_function)
        return python_function

    return register


_KINDS = ("Set", "FrozenSet")


def changeable_copy(self):
    if isinstance(self, frozenset):
        return as_changeable(table_copy(self))
    else:
        return table_copy(self)


def like(self, new):
    """A new set as what `self` is."""
    if isinstance(self, frozenset):
        return as_frozen(new)
    else:
        return new


@function("numjit.fill_table")
def fill(self, items):
    if isinstance(self, dict):
        for key, value in items:
            self[key] = value
    else:
        for item in items:
            add(self, item)


@function("Set.add")
def add(self, item):
    item = as_key(self, item)
    h = key_hash(item)
    entry, slot = probe(self, item, h)
    if entry < 0:
        insert(self, item, h, slot)


@function("Set.discard")
def discard(self, item):
    entry = find(self, item)
    if entry >= 0:
        remove(self, entry)


@function("Set.remove")
def remove_item(self, item):
    entry = find(self, item)
    if entry < 0:
        raise KeyError(item)
    remove(self, entry)


@function("Set.pop")
def pop(self):
    if length(self) == 0:
        raise KeyError("pop from an empty set")
    return remove(self, last_entry(self))


@function("Set.copy")
def copy(self):
    return table_copy(self)


#: So much room is made at first for items of which some may be equal.
_FEW = 1 << 12


@function("numjit.set_of")
def set_of(items):
    new = set()
    if isinstance(items, (range, set, frozenset, dict)):
        reserve(new, len(items))
    elif isinstance(items, (list, np.ndarray)):
        reserve(new, min(len(items), _FEW))
    for item in items:
        new.add(item)
    return new


@function("FrozenSet.copy")
def copy_of_frozen(self):
    return self


@function("numjit.frozen_set_of")
def frozen_set_of(items):
    if isinstance(items, frozenset):
        return items
    elif isinstance(items, set):
        return as_frozen(as_changeable(table_copy(items)))
    else:
        return as_frozen(set_of(items))


@function("numjit.typed_set_of")
def typed_set_of(items):
    return as_typed(set_of(items))


def as_set(items):
    """What items are looked for in."""
    if isinstance(items, (set, frozenset, dict)):
        return items
    else:
        return set_of(items)


def add_all(self, items):
    if isinstance(items, (set, frozenset)):
        entry = 0
        while entry < table_get(items, "end"):  # it may be the same set
            if hash_get(items, entry) != DEAD:
                add(self, key_get(items, entry))
            entry += 1
    else:
        for item in items:
            add(self, item)


@function("Set.update")
def update(self, *others):
    for items in others:
        add_all(self, items)


@method("union")
def union(self, *others):
    new = changeable_copy(self)
    for items in others:
        add_all(new, items)
    return like(self, new)


def selected(self, items, wanted):
    """The items of `self` that are among `items`, or those that are not, as a set."""
    among = as_set(items)
    new = changeable_copy(self)
    for entry in range(table_get(new, "end")):  # all are alive in a copy
        if contains(among, key_get(new, entry)) != wanted:
            remove(new, entry)
    return new


def common(self, items):
    return selected(self, items, True)


def rest(self, items):
    return selected(self, items, False)


def become(self, other):
    clear(self)
    add_all(self, other)


@method("intersection")
def intersection(self, *others):
    new = changeable_copy(self)
    for items in others:
        new = common(new, items)
    return like(self, new)


@method("difference")
def difference(self, *others):
    new = changeable_copy(self)
    for items in others:
        new = rest(new, items)
    return like(self, new)


@method("symmetric_difference")
def symmetric_difference(self, other):
    among = as_set(other)
    new = rest(self, among)
    for item in among:
        if not contains(self, item):
            add(new, item)
    return like(self, new)


@function("Set.intersection_update")
def intersection_update(self, *others):
    for items in others:
        become(self, common(self, items))


@function("Set.difference_update")
def difference_update(self, *others):
    for items in others:
        become(self, rest(self, items))


@function("Set.symmetric_difference_update")
def symmetric_difference_update(self, other):
    become(self, symmetric_difference(self, other))


@method("isdisjoint")
def isdisjoint(self, other):
    for item in other:
        if contains(self, item):
            return False
    return True


@method("issubset")
def issubset(self, other):
    among = as_set(other)
    if length(self) > length(among):
        return False
    for item in self:
        if not contains(among, item):
            return False
    return True


@method("issuperset")
def issuperset(self, other):
    for item in other:
        if not contains(self, item):
            return False
    return True


# -- operators -----------------------------------------------------------------------------------


@operator("or_")
def or_(a, b):
    new = changeable_copy(a)
    add_all(new, b)
    return like(a, new)


@operator("and_")
def and_(a, b):
    return like(a, common(a, b))


@operator("sub")
def sub(a, b):
    return like(a, rest(a, b))


@operator("xor")
def xor(a, b):
    return symmetric_difference(a, b)


@function("operator.ior_", operands=("Set", "Set"))
@function("operator.ior_", operands=("Set", "FrozenSet"))
def ior(a, b):
    add_all(a, b)
    return a


@function("operator.iand_", operands=("Set", "Set"))
@function("operator.iand_", operands=("Set", "FrozenSet"))
def iand(a, b):
    become(a, common(a, b))
    return a


@function("operator.isub", operands=("Set", "Set"))
@function("operator.isub", operands=("Set", "FrozenSet"))
def isub(a, b):
    become(a, rest(a, b))
    return a


@function("operator.ixor", operands=("Set", "Set"))
@function("operator.ixor", operands=("Set", "FrozenSet"))
def ixor(a, b):
    become(a, symmetric_difference(a, b))
    return a


@operator("le")
def le(a, b):
    return issubset(a, b)


@operator("ge")
def ge(a, b):
    return issubset(b, a)


@operator("lt")
def lt(a, b):
    return length(a) < length(b) and issubset(a, b)


@operator("gt")
def gt(a, b):
    return lt(b, a)


@operator("eq")
def eq(a, b):
    return length(a) == length(b) and issubset(a, b)


@operator("ne")
def ne(a, b):
    return not eq(a, b)


# -- hash ----------------------------------------------------------------------------------------


@function("FrozenSet.__hash__")
def hash_of_frozen(self):
    """As CPython's, whatever the order of the items is."""
    h = np.uint64(0)
    for item in self:
        bits = np.uint64(hash(item))
        h ^= ((bits ^ np.uint64(89869747)) ^ (bits << np.uint64(16))) * np.uint64(3644798167)
    h ^= (np.uint64(length(self)) + np.uint64(1)) * np.uint64(1927868237)
    h ^= (h >> np.uint64(11)) ^ (h >> np.uint64(25))
    h = h * np.uint64(69069) + np.uint64(907133923)
    made = np.int64(h)
    return 590923713 if made == -1 else made
