"""Builtins of Python that are written in Python."""

import math
import sys

import numpy as np

from ..core.intrinsics import (
    frexp_exponent,
    frexp_mantissa,
    literal_unroll,
    modf_fraction,
    modf_integer,
)
from ..core.registry import function

_nothing = "iterable argument is empty"
if sys.version_info < (3, 12):
    _nothing = "arg is an empty sequence"
min_of_nothing, max_of_nothing = f"min() {_nothing}", f"max() {_nothing}"


@function("builtins.sum")
def sum(iterable, start=0):
    total = start
    for x in iterable:
        total = total + x
    return total


@function("numjit.min_of")
def min_of(iterable):
    return least(iterable, None, ...)


@function("numjit.max_of")
def max_of(iterable):
    return greatest(iterable, None, ...)


@function("builtins.min (keywords)")
def min_keywords(*items, key=None, default=...):
    if len(items) != 1:
        if default is not ...:
            raise TypeError("Cannot specify a default for min() with multiple positional arguments")
        return least(items, key, default)
    return least(items[0], key, default)


def least(iterable, key, default):
    first = True
    for x in iterable:
        value = x if key is None else key(x)
        if first or value < least_value:
            best, least_value = x, value  # noqa: F841 - the next round compares
        first = False
    if first:
        if default is ...:
            raise ValueError(min_of_nothing)
        return default
    return best


@function("builtins.max (keywords)")
def max_keywords(*items, key=None, default=...):
    if len(items) != 1:
        if default is not ...:
            raise TypeError("Cannot specify a default for max() with multiple positional arguments")
        return greatest(items, key, default)
    return greatest(items[0], key, default)


def greatest(iterable, key, default):
    first = True
    for x in iterable:
        value = x if key is None else key(x)
        if first or value > greatest_value:
            best, greatest_value = x, value  # noqa: F841 - the next round compares
        first = False
    if first:
        if default is ...:
            raise ValueError(max_of_nothing)
        return default
    return best


@function("builtins.any")
def any(iterable):
    for x in iterable:
        if x:
            return True
    return False


@function("builtins.all")
def all(iterable):
    for x in iterable:
        if not x:
            return False
    return True


@function("builtins.reversed")
def reversed(sequence):
    if isinstance(sequence, (list, tuple, np.ndarray)):
        return sequence[::-1]
    else:
        return [x for x in sequence][::-1]  # noqa: C416 - list() would be a call


@function("builtins.map")
def map(function, iterable, *others):
    if len(others) == 0:
        return [function(x) for x in iterable]
    else:
        return [function(*items) for items in zip(iterable, *others)]


@function("builtins.filter")
def filter(function, iterable):
    if function is None:
        return [x for x in iterable if x]
    else:
        return [x for x in iterable if function(x)]


@function("numjit.iterate")
def iterate(iterable):
    yield from iterable


# As iterators that remember where they are: what `it = zip(a, b)` becomes if more is done with
# it than one loop over it.


@function("builtins.enumerate (kept)")
def kept_enumerate(iterable, start=0):
    yield from enumerate(iterable, start)


@function("builtins.filter (kept)")
def kept_filter(function, iterable):
    for x in iterable:
        if x if function is None else function(x):
            yield x


@function("builtins.map (kept)")
def kept_map(function, iterable, *others):
    if len(others) == 0:
        for x in iterable:
            yield function(x)
    else:
        for items in zip(iterable, *others):
            yield function(*items)


@function("builtins.reversed (kept)")
def kept_reversed(sequence):
    yield from reversed(sequence)


@function("builtins.zip (kept)")
def kept_zip(*iterables):
    yield from zip(*iterables)


@function("functools.reduce")
def reduce(function, iterable, *initial):
    if len(initial) > 0:
        total = initial[0]
        for x in iterable:
            total = function(total, x)
        return total
    else:
        first = True
        for x in iterable:
            total = x if first else function(total, x)
            first = False
        if first:
            raise TypeError("reduce() of empty iterable with no initial value")
        return total


@function("Range.__len__")
def range_len(start, stop, step):
    # Distances of int64 fit uint64.
    if step > 0:
        return np.int64(np.uint64(stop - start - 1) // np.uint64(step)) + 1 if stop > start else 0
    return np.int64(np.uint64(start - stop - 1) // np.uint64(-step)) + 1 if start > stop else 0


@function("numjit.range_trips")
def range_trips(start, stop, step):
    """How many numbers a loop goes through; of more than int64 holds, nobody sees the end."""
    n = range_len(start, stop, step)
    return n if n >= 0 else np.int64(9223372036854775807)


@function("Range.__contains__")
def range_contains(self, x):
    if self.step > 0:
        return self.start <= x and x < self.stop and (x - self.start) % self.step == 0
    return self.stop < x and x <= self.start and (self.start - x) % -self.step == 0


@function("Range.__getitem__")
def range_getitem(self, index):
    if isinstance(index, slice):
        start, stop, step = slice_indices(index, len(self))
        first, by = self.start, self.step
        return range(first + start * by, first + stop * by, step * by)
    else:
        n = len(self)
        if index < 0:
            index += n
        if index < 0 or index >= n:
            raise IndexError("range object index out of range")
        return self.start + index * self.step


@function("Range.index")
def range_index(self, value):
    if value not in self:
        raise ValueError("value is not in range")
    return (value - self.start) // self.step


@function("Range.count")
def range_count(self, value):
    return 1 if value in self else 0


@function("operator.eq(Range,Range)")
def ranges_equal(a, b):
    n = len(a)
    if n != len(b):
        return False
    return n == 0 or (a.start == b.start and (n == 1 or a.step == b.step))


@function("operator.ne(Range,Range)")
def ranges_differ(a, b):
    return not ranges_equal(a, b)


@function("operator.eq(Slice,Slice)")
def slices_equal(a, b):
    return (a.start, a.stop, a.step) == (b.start, b.stop, b.step)


@function("operator.ne(Slice,Slice)")
def slices_differ(a, b):
    return not slices_equal(a, b)


@function("Slice.indices")
def slice_indices(self, length):
    if length < 0:
        raise ValueError("length should not be negative")
    step = 1 if self.step is None else self.step
    if step == 0:
        raise ValueError("slice step cannot be zero")
    lower, upper = (0, length) if step > 0 else (-1, length - 1)
    if self.start is None:
        start = lower if step > 0 else upper
    else:
        start = slice_bound(self.start, length, lower, upper)
    if self.stop is None:
        stop = upper if step > 0 else lower
    else:
        stop = slice_bound(self.stop, length, lower, upper)
    return start, stop, step


def slice_bound(at, length, lower, upper):
    return max(at + length, lower) if at < 0 else min(at, upper)


@function("Tuple.index")
def tuple_index(self, value):
    i = 0
    for x in literal_unroll(self):
        if x == value:
            return i
        i += 1
    raise ValueError("tuple.index(x): x not in tuple")


@function("Tuple.count")
def tuple_count(self, value):
    n = 0
    for x in literal_unroll(self):
        if x == value:
            n += 1
    return n


@function("numjit.to_fixed_tuple")
def to_fixed_tuple(obj, length):
    """The first items of an array or a list, as many as a constant says, as a tuple."""
    if length == 0:
        return ()
    else:
        return to_fixed_tuple(obj, length - 1) + (obj[length - 1],)


@function("numjit.tuple_setitem")
def tuple_setitem(tup, idx, val):
    """The tuple with another item at an index."""
    return replaced(tup, idx, val, 0)


def replaced(tup, idx, val, first):
    """The items from `first` on, `val` in the place of item `idx`."""
    if first == len(tup):
        return ()
    else:
        item = val if idx == first else tup[first]
        return (item,) + replaced(tup, idx, val, first + 1)


@function("math.frexp")
def frexp(x):
    return frexp_mantissa(x), frexp_exponent(x)


@function("math.modf")
def modf(x):
    return modf_fraction(x), modf_integer(x)


@function("Number.conjugate")
def conjugate(self):
    return self


@function("Complex.conjugate")
def complex_conjugate(self):
    return complex(self.real, -self.imag)


@function("Number.item")
def item(self):
    return self


@function("Integer.bit_length")
def bit_length(self):
    rest, one = np.uint64(abs(self)), np.uint64(1)
    n = 0
    while rest != 0:
        rest = rest >> one
        n += 1
    return n


@function("Integer.bit_count")
def bit_count(self):
    rest, one = np.uint64(abs(self)), np.uint64(1)
    n = 0
    while rest != 0:
        rest = rest & (rest - one)
        n += 1
    return n


@function("Integer.is_integer")
def integer_is_integer(self):
    return True


@function("Float.is_integer")
def float_is_integer(self):
    return math.isfinite(self) and self == np.floor(self)


@function("builtins.bin")
def bin(number):
    return format(number, "#b")


@function("builtins.oct")
def oct(number):
    return format(number, "#o")


@function("builtins.hex")
def hex(number):
    return format(number, "#x")
