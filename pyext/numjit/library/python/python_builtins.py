"""Builtins of Python that are written in Python."""

import math
import sys

import numpy as np

from ..core.intrinsics import (
    frexp_exponent,
    frexp_mantissa,
    gives_arrays,
    is_scalar,
    literal_unroll,
    modf_fraction,
    modf_integer,
)
from ..core.registry import function
from .math_functions import power_modulo
from .operator_functions import index as as_index
from .tuples import is_short_tuple

_nothing = "iterable argument is empty"
if sys.version_info < (3, 12):
    _nothing = "arg is an empty sequence"
min_of_nothing, max_of_nothing = f"min() {_nothing}", f"max() {_nothing}"


@function("builtins.sum")
def sum(iterable, start=0):
    """From left to right in the type that start and items have. Floats are added without the
    correction that CPython has since 3.12.
    """
    if gives_arrays(iterable) and is_scalar(start):
        return sum_of_arrays(iterable, start)
    else:
        total = start
        for x in iterable:
            total = total + x
        return total


def sum_of_arrays(iterable, start):
    """The sum of none has no dimensions, and so another type."""
    none = True
    for x in iterable:
        if none:
            total = np.asarray(start + x)
        else:
            total = np.asarray(total + x)
        none = False
    if none:
        raise ValueError("sum() of no arrays: give it an array to start with")
    return total


@function("numjit.min_of")
def min_of(iterable):
    return least(iterable, None, ...)


@function("numjit.max_of")
def max_of(iterable):
    return greatest(iterable, None, ...)


@function("builtins.min", when="keywords")
def min_keywords(*items, key=None, default=...):
    """The first of equal items. ValueError of no items without default."""
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


@function("builtins.max", when="keywords")
def max_keywords(*items, key=None, default=...):
    """The first of equal items. ValueError of no items without default."""
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


@function("builtins.pow", when="keywords")
def pow_keywords(base, exp, mod=None):
    return base**exp if mod is None else power_modulo(base, exp, mod)


@function("builtins.zip", when="keywords")
def zip_keywords(*iterables, strict=False):
    if strict and len(iterables) > 1:
        return strict_tuples(lists_of(iterables))
    else:
        return plain_zip(*iterables)


def lists_of(iterables):
    """A tuple with a list of the items of each iterable."""
    if len(iterables) == 0:
        return ()
    else:
        return ([x for x in iterables[0]],) + lists_of(iterables[1:])  # noqa: C416


def strict_tuples(lists):
    """What has another length is found when the items that all have were given."""
    n = len(lists[0])
    for items in lists:
        n = min(n, len(items))
    for i in range(n):
        yield items_at(lists, i)
    first_ends = len(lists[0]) == n
    k = 0
    for items in lists:
        if k > 0 and (len(items) > n) == first_ends:
            word = "longer" if first_ends else "shorter"
            others = "argument 1" if k == 1 else f"arguments 1-{k}"
            raise ValueError(f"zip() argument {k + 1} is {word} than {others}")
        k += 1


def items_at(lists, i):
    if len(lists) == 0:
        return ()
    else:
        return (lists[0][i],) + items_at(lists[1:], i)


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
    elif isinstance(sequence, range):
        start, step = sequence.start, sequence.step
        return range(start + (len(sequence) - 1) * step, start - step, -step)
    else:
        return [x for x in sequence][::-1]  # noqa: C416 - list() would be a call


def mapped(function, items):
    return () if len(items) == 0 else (function(items[0]),) + mapped(function, items[1:])


@function("builtins.map")
def map(function, iterable, *others):
    if len(others) == 0:
        if is_short_tuple(iterable):
            return mapped(function, iterable)
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


@function("numjit.kept.enumerate")
def kept_enumerate(iterable, start=0):
    yield from enumerate(iterable, start)


@function("numjit.kept.filter")
def kept_filter(function, iterable):
    for x in iterable:
        if x if function is None else function(x):
            yield x


@function("numjit.kept.map")
def kept_map(function, iterable, *others):
    if len(others) == 0:
        for x in iterable:
            yield function(x)
    else:
        for items in zip(iterable, *others):
            yield function(*items)


@function("numjit.kept.reversed")
def kept_reversed(sequence):
    yield from reversed(sequence)


@function("numjit.kept.zip")
def kept_zip(*iterables, strict=False):
    if strict and len(iterables) > 1:
        return strict_tuples(lists_of(iterables))
    else:
        return plain_zip(*iterables)


def plain_zip(*iterables):
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
def range_len(self):
    n = range_length(self.start, self.stop, self.step)
    if n < 0:
        raise OverflowError("Python int too large to convert to C ssize_t")
    return n


@function("numjit.len_beyond")
def range_len_beyond(self):
    """Of a range whose end may have been beyond int64, and is the last of these then."""
    n = range_len(self)
    if n > 0 and (self.stop == 9223372036854775807 or self.stop == -9223372036854775807 - 1):
        raise OverflowError("Python int too large to convert to C ssize_t")
    return n


def range_length(start, stop, step):
    """How many numbers there are; negative where int64 doesn't hold it."""
    # Distances of int64 fit uint64.
    if step > 0:
        return np.int64(np.uint64(stop - start - 1) // np.uint64(step)) + 1 if stop > start else 0
    return np.int64(np.uint64(start - stop - 1) // np.uint64(-step)) + 1 if start > stop else 0


@function("numjit.range_trips")
def range_trips(start, stop, step):
    """How many numbers a loop goes through; of more than int64 holds, the end is never reached."""
    n = range_length(start, stop, step)
    return n if n >= 0 else np.int64(9223372036854775807)


@function("Range.__contains__")
def range_contains(self, x):
    if isinstance(x, (complex, np.complex64)):
        return x.imag == 0 and range_contains(self, x.real)
    elif not is_scalar(x):
        return False
    elif self.step > 0:
        return self.start <= x and x < self.stop and (x - self.start) % self.step == 0
    return self.stop < x and x <= self.start and (self.start - x) % -self.step == 0


@function("Range.__getitem__")
def range_getitem(self, index):
    if isinstance(index, slice):
        start, stop, step = slice_indices(index, range_trips(self.start, self.stop, self.step))
        first, by = self.start, self.step
        return range(first + start * by, first + stop * by, step * by)
    else:
        n = range_trips(self.start, self.stop, self.step)
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


@function("operator.eq", operands=("Range", "Range"))
def ranges_equal(a, b):
    n = len(a)
    if n != len(b):
        return False
    return n == 0 or (a.start == b.start and (n == 1 or a.step == b.step))


@function("operator.ne", operands=("Range", "Range"))
def ranges_differ(a, b):
    return not ranges_equal(a, b)


@function("operator.eq", operands=("Slice", "Slice"))
def slices_equal(a, b):
    return (a.start, a.stop, a.step) == (b.start, b.stop, b.step)


@function("operator.ne", operands=("Slice", "Slice"))
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


def magnitude(x):
    """abs(x), which the type of x need not hold."""
    return np.uint64(x) if x >= 0 else np.uint64(0) - np.uint64(x)


@function("Integer.bit_length")
def bit_length(self):
    rest, one = magnitude(self), np.uint64(1)
    n = 0
    while rest != 0:
        rest = rest >> one
        n += 1
    return n


@function("Integer.bit_count")
def bit_count(self):
    rest, one = magnitude(self), np.uint64(1)
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


@function("Integer.numerator", when="attribute")
@function("Boolean.numerator", when="attribute")
def numerator(self):
    return int(self)


@function("Integer.denominator", when="attribute")
@function("Boolean.denominator", when="attribute")
def denominator(self):
    return 1


@function("Integer.as_integer_ratio")
def integer_as_ratio(self):
    return self, 1


@function("Float.as_integer_ratio")
def float_as_ratio(self):
    if math.isnan(self):
        raise ValueError("cannot convert NaN to integer ratio")
    if math.isinf(self):
        raise OverflowError("cannot convert Infinity to integer ratio")
    part, exponent = math.frexp(self)
    while part != np.floor(part) and exponent > -62:
        part *= 2.0
        exponent -= 1
    if part != np.floor(part) or exponent > 62 or abs(part) >= 2.0 ** (63 - max(exponent, 0)):
        raise OverflowError("as_integer_ratio() does not fit an int64")
    if exponent >= 0:
        return int(part) << exponent, 1
    return int(part), 1 << -exponent


@function("Float.hex")
def float_hex(self):
    if math.isnan(self):
        return "nan"
    sign = "-" if math.copysign(1.0, self) < 0 else ""
    size = abs(self)
    if math.isinf(size):
        return sign + "inf"
    if size == 0.0:
        return sign + "0x0.0p+0"
    part, exponent = math.frexp(size)
    part *= 2.0
    exponent -= 1
    while exponent < -1022:
        part *= 0.5
        exponent += 1
    lead = int(part)
    digits = int((part - lead) * 4503599627370496.0)
    plus = "+" if exponent >= 0 else ""
    return f"{sign}0x{lead}.{digits:013x}p{plus}{exponent}"


@function("Integer.to_bytes")
def to_bytes(self, length=1, byteorder="big", *, signed=False):
    if length < 0:
        raise ValueError("length argument must be non-negative")
    little = is_little(byteorder)
    if self < 0 and not signed:
        raise OverflowError("can't convert negative int to unsigned")
    rest = self
    result = bytearray(length)
    for i in range(length):
        at = i if little else length - 1 - i
        result[at] = rest & 255
        rest = rest >> 8 if i < 8 else (-1 if self < 0 else 0)
    if length < 8:
        if signed:
            bound = 1 << max(8 * length - 1, 0)
            fits = (-bound <= self and self < bound) if length > 0 else self == 0
        else:
            fits = self >> (8 * length) == 0
        if not fits:
            raise OverflowError("int too big to convert")
    return bytes(result)


@function("builtins.int.from_bytes")
def from_bytes(bytes, byteorder="big", *, signed=False):
    little = is_little(byteorder)
    n = len(bytes)
    total = 0
    first = bytes[n - 1 if little else 0] if n > 0 else 0
    filling = 255 if signed and first > 127 else 0
    for i in range(n):
        value = bytes[n - 1 - i] if little else bytes[i]
        if i < n - 8 and value != filling:
            raise OverflowError("from_bytes() does not fit an int64")
        total = total << 8 | value
    if n > 8 and (total < 0) != (filling == 255):
        raise OverflowError("from_bytes() does not fit an int64")
    if n == 8 and not signed and total < 0:
        raise OverflowError("from_bytes() does not fit an int64")
    if signed and 0 < n and n < 8 and filling == 255:
        total -= 1 << (8 * n)
    return total


def is_little(byteorder):
    if byteorder != "little" and byteorder != "big":
        raise ValueError("byteorder must be either 'little' or 'big'")
    return byteorder == "little"


@function("builtins.bin")
def bin(number):
    return format(as_index(number), "#b")


@function("builtins.oct")
def oct(number):
    return format(as_index(number), "#o")


@function("builtins.hex")
def hex(number):
    return format(as_index(number), "#x")


def sentinel_of(place):
    """What object() returns at a place of a program, which is called once for each
    (typeinfer/infer/emitter_constants.cpp)."""
    return object()
