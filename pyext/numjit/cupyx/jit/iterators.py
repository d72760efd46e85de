"""Iterators of C++: a place in an array, or in a sequence that is computed."""

from __future__ import annotations

from dataclasses import dataclass

from numjit import types
from numjit.extending import overload_method


@dataclass(frozen=True)
class Iterator:
    """A place in an array of one dimension."""

    array: object
    at: int

    def __add__(self, count):
        return Iterator(self.array, self.at + count)

    def __sub__(self, other):
        if isinstance(other, Iterator):
            return self.at - other.at
        else:
            return Iterator(self.array, self.at - other)

    def __getitem__(self, i):
        return self.array[self.at + i]

    def zero(self):
        """0 of the type of the items, where there may be none."""
        return self.array.dtype.type(0)

    def __setitem__(self, i, value):
        self.array[self.at + i] = value


@dataclass(frozen=True)
class ConstantIterator:
    """The same value everywhere."""

    value: object
    at: int

    def __add__(self, count):
        return ConstantIterator(self.value, self.at + count)

    def __sub__(self, other):
        if isinstance(other, ConstantIterator):
            return self.at - other.at
        else:
            return ConstantIterator(self.value, self.at - other)

    def __getitem__(self, i):
        return self.value

    def zero(self):
        return type(self.value)(0)


@dataclass(frozen=True)
class CountingIterator:
    """A number, and those that follow."""

    value: object

    def __add__(self, count):
        return CountingIterator(self.value + count)

    def __sub__(self, other):
        if isinstance(other, CountingIterator):
            return self.value - other.value
        else:
            return CountingIterator(self.value - other)

    def __getitem__(self, i):
        return self.value + i

    def zero(self):
        return type(self.value)(0)


@overload_method(types.Array, "begin", target="cuda")
def _begin(array):
    return lambda array: Iterator(array, 0)


@overload_method(types.Array, "end", target="cuda")
def _end(array):
    return lambda array: Iterator(array, len(array))
