"""Methods and operators of sets."""

from ..core.intrinsics import as_key, as_typed, hash_get, key_get, table_copy, table_get
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
)


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


@function("numjit.set_of")
def set_of(items):
    return {item for item in items}  # noqa: C416 - set(items) is what this defines


@function("numjit.typed_set_of")
def typed_set_of(items):
    return as_typed(set_of(items))


def as_set(items):
    """What items are looked for in."""
    if isinstance(items, (set, dict)):
        return items
    else:
        return set_of(items)


def add_all(self, items):
    if isinstance(items, set):
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


@function("Set.union")
def union(self, *others):
    new = copy(self)
    for items in others:
        add_all(new, items)
    return new


def selected(self, items, wanted):
    """The items of `self` that are among `items`, or those that are not."""
    among = as_set(items)
    new = table_copy(self)
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


@function("Set.intersection")
def intersection(self, *others):
    new = copy(self)
    for items in others:
        new = common(new, items)
    return new


@function("Set.difference")
def difference(self, *others):
    new = copy(self)
    for items in others:
        new = rest(new, items)
    return new


@function("Set.symmetric_difference")
def symmetric_difference(self, other):
    among = as_set(other)
    new = rest(self, among)
    for item in among:
        if not contains(self, item):
            add(new, item)
    return new


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


@function("Set.isdisjoint")
def isdisjoint(self, other):
    for item in other:
        if contains(self, item):
            return False
    return True


@function("Set.issubset")
def issubset(self, other):
    among = as_set(other)
    if length(self) > length(among):
        return False
    for item in self:
        if not contains(among, item):
            return False
    return True


@function("Set.issuperset")
def issuperset(self, other):
    for item in other:
        if not contains(self, item):
            return False
    return True


# -- operators -----------------------------------------------------------------------------------


@function("operator.or_", operands=("Set", "Set"))
def or_(a, b):
    new = copy(a)
    add_all(new, b)
    return new


@function("operator.and_", operands=("Set", "Set"))
def and_(a, b):
    return common(a, b)


@function("operator.sub", operands=("Set", "Set"))
def sub(a, b):
    return rest(a, b)


@function("operator.xor", operands=("Set", "Set"))
def xor(a, b):
    return symmetric_difference(a, b)


@function("operator.ior_", operands=("Set", "Set"))
def ior(a, b):
    add_all(a, b)
    return a


@function("operator.iand_", operands=("Set", "Set"))
def iand(a, b):
    become(a, common(a, b))
    return a


@function("operator.isub", operands=("Set", "Set"))
def isub(a, b):
    become(a, rest(a, b))
    return a


@function("operator.ixor", operands=("Set", "Set"))
def ixor(a, b):
    become(a, symmetric_difference(a, b))
    return a


@function("operator.le", operands=("Set", "Set"))
def le(a, b):
    return issubset(a, b)


@function("operator.ge", operands=("Set", "Set"))
def ge(a, b):
    return issubset(b, a)


@function("operator.lt", operands=("Set", "Set"))
def lt(a, b):
    return length(a) < length(b) and issubset(a, b)


@function("operator.gt", operands=("Set", "Set"))
def gt(a, b):
    return lt(b, a)


@function("operator.eq", operands=("Set", "Set"))
def eq(a, b):
    return length(a) == length(b) and issubset(a, b)


@function("operator.ne", operands=("Set", "Set"))
def ne(a, b):
    return not eq(a, b)
