"""Methods and operators of lists, over the runtime's list of items."""

import numpy as np

from ..core.intrinsics import (
    as_typed,
    call_runtime,
    is_scalar,
    is_text,
    is_typed,
    item_like,
    list_capacity,
    list_get,
    list_init,
    list_new,
    list_reserve,
    list_set,
    list_set_length,
    list_take,
    mixed_items,
    promote,
    same_items,
)
from ..core.registry import function
from .operator_functions import index as as_index

MOST_ITEMS = 2**62


@function("List.append")
def append(self, item):
    n = len(self)
    if n == list_capacity(self):
        list_reserve(self, n + (n >> 1) + 4)
    list_init(self, n, item_like(self, item))
    list_set_length(self, n + 1)


def append_part(self, other, start, count):
    """Appends items of a list of such items, which may be the same."""
    list_set_length(self, len(self))  # refuses a global list
    call_runtime("nj_list_append_part", self, other, start, count)


@function("operator.iadd", operands=("List", "List"))
@function("operator.iadd", operands=("List", "Tuple"))
@function("operator.iadd", operands=("List", "Array"))
@function("operator.iadd", operands=("List", "Range"))
@function("operator.iadd", operands=("List", "Set"))
@function("operator.iadd", operands=("List", "Dict"))
@function("operator.iadd", operands=("List", "DictKeys"))
@function("operator.iadd", operands=("List", "DictValues"))
@function("operator.iadd", operands=("List", "DictItems"))
@function("operator.iadd", operands=("List", "Object"))
def extend(self, items):
    if isinstance(items, list) and same_items(self, items):
        append_part(self, items, 0, len(items))
    elif isinstance(items, (list, np.ndarray)):
        for i in range(len(items)):
            append(self, items[i])
    else:
        for item in items:
            append(self, item)
    return self


@function("List.extend")
def extend_method(self, items):
    extend(self, items)


@function("List.insert")
def insert(self, index, item):
    index = as_index(index)
    n = len(self)
    if index < 0:
        index = max(index + n, 0)
    index = min(index, n)
    if n == list_capacity(self):
        list_reserve(self, n + (n >> 1) + 4)
    if index < n:
        call_runtime("nj_list_move", self, index + 1, index, n - index)
    list_init(self, index, item_like(self, item))
    list_set_length(self, n + 1)


@function("List.pop")
def pop(self, index=-1):
    index = as_index(index)
    n = len(self)
    if n == 0:
        raise IndexError("pop from empty list")
    if index < 0:
        index += n
    if index < 0 or index >= n:
        raise IndexError("pop index out of range")
    item = list_take(self, index)
    if index < n - 1:
        call_runtime("nj_list_move", self, index, index + 1, n - 1 - index)
    list_set_length(self, n - 1)
    return item


@function("List.__delitem__")
def delitem(self, index):
    if isinstance(index, slice):
        start, step, count = slice_bounds(index, len(self))
        if count < 2:
            step = 1
        elif step < 0:
            start, step = start + (count - 1) * step, -step
        kept = list_new(self, 0)
        for i in range(len(self)):
            if i < start or i >= start + count * step or (i - start) % step != 0:
                append(kept, self[i])
        clear(self)
        extend(self, kept)
    else:
        n = len(self)
        if index < 0:
            index += n
        if index < 0 or index >= n:
            raise IndexError("list assignment index out of range")
        pop(self, index)


@function("List.clear")
def clear(self):
    for i in range(len(self)):
        list_take(self, i)
    list_set_length(self, 0)


@function("List.remove")
def remove(self, value):
    for i in range(len(self)):
        if self[i] == value:
            pop(self, i)
            return
    raise ValueError("list.remove(x): x not in list")


@function("List.index")
def index(self, value, start=0, stop=9223372036854775807):
    n = len(self)
    if start < 0:
        start = max(start + n, 0)
    if stop < 0:
        stop = stop + n
    for i in range(start, min(stop, n)):
        if self[i] == value:
            return i
    not_in_list(value)
    return -1  # not reached: the call raises


@function("numjit.not_in_list", inline=False)
def not_in_list(value):
    if is_scalar(value) or is_text(value):
        raise ValueError(f"{value!r} is not in list")
    else:
        raise ValueError("value is not in list")


@function("List.count")
def count(self, value):
    n = 0
    for item in self:
        if item == value:
            n += 1
    return n


@function("List.reverse")
def reverse(self):
    list_set_length(self, len(self))  # refuses a global list
    call_runtime("nj_list_reverse", self)


@function("List.copy")
def copy(self):
    new = list_new(self, 0)
    extend(new, self)
    return new


@function("LiteralList.copy")
def copy_of_display(self):
    return self  # it does not change


@function("numjit.list_of")
def list_of(items):
    return [x for x in items]  # noqa: C416 - list(items) is what this defines


@function("numjit.typed_list_of")
def typed_list_of(items):
    return as_typed(list_of(items))


def as_sequence(items):
    """What can be indexed."""
    if isinstance(items, (list, tuple, np.ndarray)):
        return items
    else:
        return list_of(items)


@function("List.__contains__")
def contains(self, value):
    for item in self:
        if item == value:
            return True
    return False


@function("List.__bool__")
def truth(self):
    return len(self) > 0


def slice_bounds(part, n):
    """Start, step and count of a slice of ``n`` items."""
    step = 1 if part.step is None else part.step
    if step == 0:
        raise ValueError("slice step cannot be zero")
    low = 0 if step > 0 else -1
    high = n if step > 0 else n - 1
    if part.start is None:
        start = 0 if step > 0 else n - 1
    else:
        start = part.start
        if start < 0:
            start += n
        start = min(max(start, low), high)
    if part.stop is None:
        stop = n if step > 0 else -1
    else:
        stop = part.stop
        if stop < 0:
            stop += n
        stop = min(max(stop, low), high)
    # Written so that no huge step wraps.
    if step > 0:
        count = (stop - start - 1) // step + 1 if stop > start else 0
    else:
        count = (stop - start + 1) // step + 1 if start > stop else 0
    return start, step, count


@function("List.getitem_unchecked")
def getitem_unchecked(self, index):
    return list_get(self, index)


@function("List.__getitem__")
def getitem_slice(self, part):
    start, step, count = slice_bounds(part, len(self))
    if part.step is None:
        new = list_new(self, 0)
        append_part(new, self, start, count)
    else:
        new = list_new(self, count)
        for i in range(count):
            list_init(new, i, list_get(self, start + i * step))
    return new


@function("List.__setitem__")
def setitem_slice(self, part, items):
    values = as_sequence(items)
    start, step, count = slice_bounds(part, len(self))
    n = len(values)
    if step == 1:
        new = list_new(self, 0)
        append_part(new, self, 0, start)
        extend(new, values)
        append_part(new, self, start + count, len(self) - start - count)
        clear(self)
        extend(self, new)
    else:
        if n != count:
            raise ValueError("attempt to assign a sequence to an extended slice of another size")
        for i in range(count):
            list_set(self, start + i * step, item_like(self, values[i]))


@function("operator.add", operands=("List", "List"))
def add(a, b):
    if is_typed(a):
        return as_typed(joined(a, b))
    else:
        return joined(a, b)


def joined(a, b):
    if same_items(a, b):
        new = copy(a)
        extend(new, b)
        return new
    else:
        new = []
        for x in a:
            new.append(x)
        for x in b:
            new.append(x)
        return new


@function("operator.mul", operands=("List", "Integer"))
def mul(a, n):
    if len(a) == 1:
        new = list_new(a, max(n, 0))
        x = list_get(a, 0)
        for i in range(n):
            list_init(new, i, x)
    else:
        new = list_new(a, 0)
        append_times(new, a, n)
    return new


def append_times(self, other, n):
    size = len(other)
    if size > 0 and n > 0:
        if size > MOST_ITEMS // n:
            raise MemoryError
        list_reserve(self, len(self) + size * n)
        for _ in range(n):
            append_part(self, other, 0, size)


@function("operator.imul", operands=("List", "Integer"))
def repeat_in_place(self, n):
    if n <= 0:
        clear(self)
    else:
        append_times(self, self, n - 1)
    return self


@function("operator.mul", operands=("Integer", "List"))
def rmul(n, a):
    return mul(a, n)


@function("operator.eq", operands=("List", "List"))
def eq(a, b):
    if len(a) != len(b):
        return False
    for i in range(len(a)):
        if a[i] != b[i]:
            return False
    return True


@function("operator.ne", operands=("List", "List"))
def ne(a, b):
    return not eq(a, b)


@function("operator.lt", operands=("List", "List"))
def lt(a, b):
    for i in range(min(len(a), len(b))):
        if a[i] != b[i]:
            return a[i] < b[i]
    return len(a) < len(b)


@function("operator.gt", operands=("List", "List"))
def gt(a, b):
    return lt(b, a)


@function("operator.le", operands=("List", "List"))
def le(a, b):
    return not lt(b, a)


@function("operator.ge", operands=("List", "List"))
def ge(a, b):
    return not lt(a, b)


def backwards(self):
    reverse(self)


def is_real(x):
    if isinstance(x, (np.datetime64, np.timedelta64)):  # the runtime sorts numbers
        return False
    else:
        return is_scalar(x) and promote(x).kind != "c"


@function("List.sort")
def sort(self, key=None, reverse=False):
    """Stable; reverse keeps the order of equal items, as Python's does. NaN is last."""
    if key is not None:
        keys = [key(item) for item in self]
        if len(self) > 1:
            arrange(self, order_of(keys, reverse))
    elif len(self) > 1:
        if mixed_items(self):
            put_sorted(self, reverse)
        elif is_real(list_get(self, 0)):
            if reverse:
                backwards(self)
            dtype = promote(list_get(self, 0))
            step = (dtype.itemsize,)
            call_runtime("nj_sort", self, step, self, step, (len(self),), 1, 0, dtype)
            list_set(self, 0, list_get(self, 0))  # marks it as changed
            if reverse:
                backwards(self)
        elif is_text(list_get(self, 0)):
            call_runtime("nj_str_sort", self, len(self), reverse)
            list_set(self, 0, list_get(self, 0))  # marks it as changed
        else:
            put_sorted(self, reverse)


def put_sorted(self, reverse):
    ordered = merge_sorted(copy(self), None, reverse)
    for i in range(len(self)):
        list_set(self, i, list_get(ordered, i))


def arrange(self, order):
    """Puts the items in an order."""
    old = copy(self)
    for i in range(len(order)):
        list_set(self, i, list_get(old, order[i]))


def order_of(keys, reverse):
    """Positions of the keys in ascending or descending order."""
    if mixed_items(keys):
        return merge_sorted([i for i in range(len(keys))], keys, reverse)  # noqa: C416 - see below
    elif is_real(list_get(keys, 0)):
        n = len(keys)
        if reverse:
            backwards(keys)
        order = list_new(0, n)
        dtype = promote(list_get(keys, 0))
        step = (dtype.itemsize,)
        call_runtime("nj_argsort", order, (8,), keys, step, (n,), 1, 0, dtype)
        if reverse:
            backwards(order)
            for i in range(n):
                order[i] = n - 1 - order[i]
        return order
    else:
        return merge_sorted([i for i in range(len(keys))], keys, reverse)  # noqa: C416 - list() is a call


def in_front(a, b, keys, reverse):
    """Whether an item that stands behind another one belongs in front of it."""
    if keys is not None:
        return in_front(list_get(keys, a), list_get(keys, b), None, reverse)
    elif reverse:
        return b < a
    else:
        return a < b


@function("numjit.merge_sorted", inline=False)
def merge_sorted(items, keys, reverse):
    """The items in order, which are positions in `keys` if that is not None. Stable."""
    n = len(items)
    source, buffer = items, copy(items)
    for left in range(0, n, 8):
        for k in range(left + 1, min(left + 8, n)):
            item, i = list_get(source, k), k
            while i > left and in_front(item, list_get(source, i - 1), keys, reverse):
                list_set(source, i, list_get(source, i - 1))
                i -= 1
            list_set(source, i, item)
    width = 8
    while width < n:
        for left in range(0, n, 2 * width):
            middle = min(left + width, n)
            right = min(left + 2 * width, n)
            i, j = left, middle
            for k in range(left, right):
                take_right = i >= middle
                if not take_right and j < right:
                    take_right = in_front(list_get(source, j), list_get(source, i), keys, reverse)
                list_set(buffer, k, list_get(source, j if take_right else i))
                step = 1 if take_right else 0
                j += step
                i += 1 - step
        source, buffer = buffer, source
        width *= 2
    return source


@function("builtins.sorted")
def sorted(iterable, key=None, reverse=False):
    new = [x for x in iterable]  # noqa: C416 - in the subset only the display has a type
    sort(new, key, reverse)
    return new
