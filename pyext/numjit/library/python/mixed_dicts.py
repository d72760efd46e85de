"""Global dicts whose keys are of several types: ``{"end": 0, 0: 0}``, ``{None: 0, "ortho": 1}``.

A key is compared with those of its type only, one after the other: such dicts are small.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class MixedDict:
    """What such a dict is to the compiler; nothing changes it."""

    names: tuple
    items_: tuple

    def __getitem__(self, key):
        return item_of(key, self.names, self.items_)

    def __contains__(self, key):
        for name in self.names:
            if key == name:
                return True
        return False

    def __len__(self):
        return len(self.names)

    def __iter__(self):
        return iter(self.names)

    def get(self, key, default=None):
        return item_or(key, default, self.names, self.items_)

    def keys(self):
        return self.names

    def values(self):
        return self.items_

    def items(self):
        return zip(self.names, self.items_)


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
