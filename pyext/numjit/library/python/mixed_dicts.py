"""Dicts whose keys are classes, ``{np.int8: np.uint8}``, or None among others, ``{None: 0, "ortho":
1}``, and global dicts whose keys are of several types: ``{"end": 0, 0: 0}``.

A key is compared with those of its type only, one after the other: such dicts are small.
"""

import dataclasses

from ..core.registry import function


@dataclasses.dataclass(frozen=True)
class MixedDict:
    """What such a dict is to the compiler; nothing changes it."""

    names: tuple
    items_: tuple

    is_converted = True

    def _numjit_to_python_(self):
        return dict(zip(self.names, self.items_, strict=True))

    def __getitem__(self, key):
        return item_of(key, self.names, self.items_)

    def __contains__(self, key):
        for name in self.names:
            if key == name:
                return True
        return False

    def __eq__(self, other):
        return len(self.names) == len(other.names) and same_items(self.names, self.items_, other)

    def __len__(self):
        return len(self.names)

    def __iter__(self):
        return iter(self.names)

    def get(self, key, default=None):
        return item_or(key, default, self.names, self.items_)

    def copy(self):
        return self

    def keys(self):
        return self.names

    def values(self):
        return self.items_

    def items(self):
        return zip(self.names, self.items_)


@function("numjit.dict_of_classes")
def dict_of_classes(pairs):
    """Keys and items in turn, as a display has them: the last item of a key counts."""
    names, items = distinct(pairs)
    return MixedDict(names, items)


def distinct(pairs):
    if len(pairs) == 0:
        return (), ()
    names, items = distinct(pairs[:-2])
    return with_item(names, items, pairs[-2], pairs[-1])


def with_item(names, items, key, item):
    if len(names) == 0:
        return (key,), (item,)
    elif names[0] == key:
        return names, (item, *items[1:])
    else:
        later_names, later_items = with_item(names[1:], items[1:], key, item)
        return (names[0], *later_names), (items[0], *later_items)


def same_items(names, items, other):
    if len(names) == 0:
        return True
    elif names[0] in other and other[names[0]] == items[0]:
        return same_items(names[1:], items[1:], other)
    else:
        return False


def item_of(key, names, items):
    if len(names) == 0:
        raise KeyError(key)
    elif key == names[0]:
        return items[0]
    else:
        return item_of(key, names[1:], items[1:])


def item_or(key, default, names, items):
    if len(names) == 0:
        return default
    elif key == names[0]:
        return items[0]
    else:
        return item_or(key, default, names[1:], items[1:])
