"""What dicts and sets are made of: a hash table that keeps the order of insertion.

Entries (hash, key, value) lie behind each other; an index of slots says which entry a hash leads to
(``nj_table``, ``runtime/runtime.h``). Removing marks an entry as dead and leaves its slot: a search
goes on over it. The runtime moves the living entries when room is needed.
"""

import numpy as np

from .intrinsics import (
    as_key,
    call_runtime,
    float_bits,
    hash_get,
    hash_init,
    key_get,
    key_init,
    key_take,
    slot_get,
    slot_put,
    table_get,
    table_put,
)
from .registry import function, short_loops

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
DEAD = -1


def key_hash(key):
    """Equal for equal keys of one type, never that of a dead entry. Of integers and floats the bits
    are enough; of others it is the interpreter's, with which Python looks into the same tables."""
    if isinstance(key, int):
        h = np.int64(key)
        return -2 if h == DEAD else h
    elif isinstance(key, (np.datetime64, np.timedelta64)):
        return key_hash(key.astype(np.int64))
    elif isinstance(key, float):
        h = spread(np.uint64(float_bits(key + 0.0)))  # both zeros are equal
        return -2 if h == DEAD else h
    else:
        return hash(key)


def spread(bits):
    """All bits of a number in the lower half."""
    bits = (bits ^ (bits >> _HALF)) * _FACTOR
    return np.int64(bits ^ (bits >> _HALF))


@short_loops
def probe(self, key, h):
    """Number of the key's entry, negative if there is none, and the slot where the search ended.

    ``runtime/table_search.h`` says which slots are visited, and why."""
    mask = table_get(self, "mask")
    slot, step = h & mask, spread(np.uint64(h)) | 1
    while True:
        entry = slot_get(self, slot)
        if entry < 0 or (hash_get(self, entry) == h and key_get(self, entry) == key):
            return entry, slot
        slot = (5 * slot + step) & mask


def find(self, key):
    """Number of the entry of a key, negative if there is none."""
    key = as_key(self, key)
    entry, _ = probe(self, key, key_hash(key))
    return entry


def insert(self, key, h, slot):
    """A new entry for a key that was searched for up to `slot`; a value must follow."""
    if table_get(self, "room") == 0:
        slot = call_runtime("nj_table_grow", self, h)
    entry = table_get(self, "end")
    slot_put(self, slot, entry)
    hash_init(self, entry, h)
    key_init(self, entry, key)
    table_put(self, "end", entry + 1)
    table_put(self, "used", table_get(self, "used") + 1)
    table_put(self, "room", table_get(self, "room") - 1)
    table_put(self, "dirty", 1)
    return entry


def reserve(self, count):
    call_runtime("nj_table_reserve", self, count)


def remove(self, entry):
    """Takes an entry out (of a dict: its value first); returns the key."""
    key = key_take(self, entry)
    hash_init(self, entry, DEAD)
    table_put(self, "used", table_get(self, "used") - 1)
    table_put(self, "dirty", 1)
    return key


def last_entry(self):
    """Number of the last entry that is alive; dead ones behind it are forgotten."""
    entry = table_get(self, "end") - 1
    while hash_get(self, entry) == DEAD:
        entry -= 1
    table_put(self, "end", entry + 1)
    return entry


def behind_dead(self, position):
    end = table_get(self, "end")
    while position < end and hash_get(self, position) == DEAD:
        position += 1
    return position


@function("numjit.skip_dead", inline=False)
def skip_dead(self, position):
    return behind_dead(self, position)


@function("numjit.next_entry")
def next_entry(self, position, used):
    """Number of the first living entry at `position` or behind it; the end if there is none."""
    if table_get(self, "used") != used:
        if isinstance(self, dict):
            raise RuntimeError("dictionary changed size during iteration")
        else:
            raise RuntimeError("Set changed size during iteration")
    if position < table_get(self, "end") and hash_get(self, position) == DEAD:
        position = skip_dead(self, position)
    return position


@function("Dict.__len__")
@function("Set.__len__")
@function("FrozenSet.__len__")
def length(self):
    return table_get(self, "used")


@function("Dict.__bool__")
@function("Set.__bool__")
@function("FrozenSet.__bool__")
def truth(self):
    return table_get(self, "used") > 0


@function("Dict.__contains__")
@function("Set.__contains__")
@function("FrozenSet.__contains__")
def contains(self, key):
    return find(self, key) >= 0


@function("Dict.clear")
@function("Set.clear")
def clear(self):
    table_put(self, "dirty", 1)
    call_runtime("nj_table_clear", self)
