"""Iterators of C++: a place in an array, or in a sequence that is computed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from numjit import types
from numjit.extending import overload_method


class _Place:
    """Arithmetic of iterators: `at` is a place."""

    def __add__(self, count):
        return replace(self, at=self.at + count)

    def __sub__(self, other):
        if hasattr(other, "at"):  # another place
            return self.at - other.at
        else:
            return replace(self, at=self.at - other)


@dataclass(frozen=True)
class Iterator(_Place):
    """A place in an array of one dimension."""

    array: object
    at: int

    def __getitem__(self, i):
        return self.array[self.at + i]

    def zero(self):
        """0 of the type of the items, where there may be none."""
        return self.array.dtype.type(0)

    def __setitem__(self, i, value):
        self.array[self.at + i] = value


@dataclass(frozen=True)
class ConstantIterator(_Place):
    """The same value everywhere."""

    value: object
    at: int

    def __getitem__(self, i):
        return self.value

    def zero(self):
        return type(self.value)(0)


@dataclass(frozen=True)
class CountingIterator(_Place):
    """A number, and those that follow."""

    at: object

    def __getitem__(self, i):
        return self.at + i

    def zero(self):
        return type(self.at)(0)


@overload_method(types.Array, "begin", target="cuda")
def _begin(array):
    return lambda array: Iterator(array, 0)


@overload_method(types.Array, "end", target="cuda")
def _end(array):
    return lambda array: Iterator(array, len(array))
