"""Dataclasses and the names around them; arrays of records."""

from .intrinsics import fields_as_tuple, map_elements
from .registry import function


@function("dataclasses.astuple")
def astuple(obj):
    return fields_as_tuple(obj)


def equal(x, y):
    return x == y


def unequal(x, y):
    return x != y


@function("numjit.equal_records", lazy=True)
def equal_records(x, y):
    return map_elements(equal, (), x, y)


@function("numjit.unequal_records", lazy=True)
def unequal_records(x, y):
    return map_elements(unequal, (), x, y)
