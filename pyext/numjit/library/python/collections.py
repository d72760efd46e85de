"""``collections``: methods of deques, Counters and OrderedDicts that lists and dicts lack.

frontend/collections.cpp makes lists and dicts of them and gives these names to their methods.
"""

from ..core.intrinsics import call_runtime, item_like, list_init, list_take
from ..core.registry import function
from .lists import append


@function("numjit.last_items")
def last_items(iterable, most):
    if most < 0:
        raise ValueError("maxlen must be non-negative")
    items = [x for x in iterable]  # noqa: C416
    return items[len(items) - most :] if len(items) > most else items


@function("List.deque_popleft")
def popleft(self):
    if len(self) == 0:
        raise IndexError("pop from an empty deque")
    item = list_take(self, 0)
    call_runtime("nj_list_drop_front", self)
    return item


@function("List.deque_pop")
def pop(self):
    if len(self) == 0:
        raise IndexError("pop from an empty deque")
    return self.pop()


@function("List.deque_append")
def append_to_deque(self, item, most):
    append(self, item)
    if len(self) > most:
        popleft(self)


@function("List.deque_appendleft")
def appendleft(self, item, most=None):
    item = item_like(self, item)
    call_runtime("nj_list_add_front", self)
    list_init(self, 0, item)
    if most is not None:
        if len(self) > most:
            self.pop()


@function("List.deque_insert")
def insert_into_deque(self, index, item, most):
    if len(self) >= most:
        raise IndexError("deque already at its maximum size")
    self.insert(index, item)


@function("List.deque_extend")
def extend_deque(self, items, most):
    for item in items:
        append_to_deque(self, item, most)


@function("List.deque_extendleft")
def extendleft(self, items, most=None):
    for item in items:
        appendleft(self, item, most)


@function("List.deque_rotate")
def rotate(self, n=1):
    size = len(self)
    if size > 1:
        steps = n % size
        if steps <= size // 2:
            for _ in range(steps):
                appendleft(self, self.pop())
        else:
            for _ in range(size - steps):
                append(self, popleft(self))


@function("numjit.counts_of")
def counts_of(iterable):
    if isinstance(iterable, dict):
        return dict(iterable)
    else:
        counts = {}
        for x in iterable:
            counts[x] = counts.get(x, 0) + 1
        return counts


@function("Dict.counter_update")
def counter_update(self, iterable, one):
    if isinstance(iterable, dict):
        for key, count in iterable.items():
            self[key] = self.get(key, 0) + count
    else:
        for key in iterable:
            self[key] = self.get(key, 0) + one


@function("Dict.counter_subtract")
def counter_subtract(self, iterable, one):
    if isinstance(iterable, dict):
        for key, count in iterable.items():
            self[key] = self.get(key, 0) - count
    else:
        for key in iterable:
            self[key] = self.get(key, 0) - one


@function("Dict.counter_total")
def counter_total(self):
    return sum(self.values())


@function("Dict.counter_elements")
def counter_elements(self):
    for key, count in self.items():
        for _ in range(count):
            yield key


@function("Dict.counter_most_common")
def counter_most_common(self, n=None):
    """Of those that are as common, what came first."""
    by_count = sorted(self.items(), key=lambda item: -item[1])
    if n is None:
        return by_count
    else:
        return by_count[: max(n, 0)]


@function("Dict.ordered_move_to_end")
def move_to_end(self, key, last=True):
    if not last:
        others = [(k, v) for k, v in self.items() if k != key]
        value = self[key]
        self.clear()
        self[key] = value
        for k, v in others:
            self[k] = v
    else:
        self[key] = self.pop(key)


@function("Dict.ordered_popitem")
def ordered_popitem(self, last=True):
    if last or len(self) == 0:
        return self.popitem()
    for key in self:
        break
    return key, self.pop(key)
