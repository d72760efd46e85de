"""Methods and operators of dicts."""

from collections import Counter, OrderedDict, defaultdict

from ..core.intrinsics import (
    as_key,
    as_value,
    table_copy,
    table_put,
    value_get,
    value_init,
    value_set,
    value_take,
    viewed,
)
from ..core.registry import function
from ..core.tables import contains, find, insert, key_hash, last_entry, length, probe, remove


@function("LiteralDict.__contains__")
def has_literal_key(self, key):
    return key in self.keys()


@function("LiteralDict.copy")
def copy_of_literal(self):
    return self  # nothing changes it


@function("builtins.dict.fromkeys")
def fromkeys(iterable, value=None):
    d = {}
    for key in iterable:
        d[key] = value
    return d


@function("Dict.__setitem__")
def setitem(self, key, value):
    key = as_key(self, key)
    value = as_value(self, value)
    h = key_hash(key)
    entry, slot = probe(self, key, h)
    if entry >= 0:
        value_set(self, entry, value)
        table_put(self, "dirty", 1)
    else:
        value_init(self, insert(self, key, h, slot), value)


@function("Dict.__getitem__")
def getitem(self, key):
    entry = find(self, key)
    if entry < 0:
        raise KeyError(key)
    return value_get(self, entry)


@function("numjit.missing_key", inline=False)
def missing_key(key):
    raise KeyError(key)


@function("Dict.__delitem__")
def delitem(self, key):
    entry = find(self, key)
    if entry < 0:
        raise KeyError(key)
    value_take(self, entry)
    remove(self, entry)


@function("numjit.dict_get")
def get(self, key, default=None):
    entry = find(self, key)
    if entry < 0:
        return default
    return value_get(self, entry)


@function("Dict.setdefault")
def setdefault(self, key, default=None):
    key = as_key(self, key)
    h = key_hash(key)
    entry, slot = probe(self, key, h)
    if entry < 0:
        entry = insert(self, key, h, slot)
        value_init(self, entry, as_value(self, default))
    return value_get(self, entry)


@function("Dict.default_of")
def default_of(self, key, factory):
    """An item of a defaultdict."""
    key = as_key(self, key)
    entry = find(self, key)
    if entry < 0:
        self[key] = factory()  # which may change the dict
        entry = find(self, key)
    return value_get(self, entry)


@function("Dict.pop")
def pop(self, key, *default):
    entry = find(self, key)
    if entry < 0:
        if len(default) == 0:
            raise KeyError(key)
        else:
            return default[0]
    value = value_take(self, entry)
    remove(self, entry)
    return value


@function("Dict.popitem")
def popitem(self):
    if length(self) == 0:
        raise KeyError("popitem(): dictionary is empty")
    entry = last_entry(self)
    value = value_take(self, entry)
    return remove(self, entry), value


@function("Dict.update")
def update(self, items=(), /, **more):
    if isinstance(items, dict):
        for key, value in items.items():
            setitem(self, key, value)
    else:
        for key, value in items:
            setitem(self, key, value)
    for key, value in more.items():
        setitem(self, key, value)


@function("Dict.copy")
def copy(self):
    return table_copy(self)


@function("numjit.dict_of")
def dict_of(items):
    if isinstance(items, (Counter, OrderedDict, defaultdict)):
        return copy(items._items)
    elif isinstance(items, dict):
        return copy(items)
    else:
        new = {}
        for key, value in items:
            new[key] = value
        return new


@function("operator.or_", operands=("Dict", "Dict"))
def union(a, b):
    new = copy(a)
    update(new, b)
    return new


@function("operator.ior_", operands=("Dict", "Dict"))
def update_in_place(a, b):
    update(a, b)
    return a


@function("operator.eq", operands=("Dict", "Dict"))
def eq(a, b):
    if length(a) != length(b):
        return False
    for key, value in a.items():
        entry = find(b, key)
        if entry < 0 or value_get(b, entry) != value:
            return False
    return True


@function("operator.ne", operands=("Dict", "Dict"))
def ne(a, b):
    return not eq(a, b)


# -- keys(), values(), items() -------------------------------------------------------------------


@function("DictKeys.__len__")
@function("DictValues.__len__")
@function("DictItems.__len__")
def view_length(self):
    return length(viewed(self))


@function("DictKeys.__bool__")
@function("DictValues.__bool__")
@function("DictItems.__bool__")
def view_truth(self):
    return length(viewed(self)) > 0


@function("DictKeys.__contains__")
def keys_contain(self, key):
    return contains(viewed(self), key)


@function("DictValues.__contains__")
def values_contain(self, value):
    for each in self:
        if each == value:
            return True
    return False


@function("DictItems.__contains__")
def items_contain(self, item):
    entry = find(viewed(self), item[0])
    return entry >= 0 and value_get(viewed(self), entry) == item[1]
