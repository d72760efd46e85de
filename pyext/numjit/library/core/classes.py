"""Dataclasses and the names around them; arrays of records."""

from .intrinsics import fields_as_tuple, map_elements, repr_of_fields
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


# -- instances of dataclasses that hold instances of the same class: each function may call itself


@function("numjit.linked_eq", inline=False)
def linked_eq(x, y):
    return True if x is y else fields_as_tuple(x) == fields_as_tuple(y)


@function("numjit.linked_ne", inline=False)
def linked_ne(x, y):
    return False if x is y else fields_as_tuple(x) != fields_as_tuple(y)


@function("numjit.linked_lt", inline=False)
def linked_lt(x, y):
    return False if x is y else fields_as_tuple(x) < fields_as_tuple(y)


@function("numjit.linked_le", inline=False)
def linked_le(x, y):
    return True if x is y else fields_as_tuple(x) <= fields_as_tuple(y)


@function("numjit.linked_gt", inline=False)
def linked_gt(x, y):
    return False if x is y else fields_as_tuple(x) > fields_as_tuple(y)


@function("numjit.linked_ge", inline=False)
def linked_ge(x, y):
    return True if x is y else fields_as_tuple(x) >= fields_as_tuple(y)


@function("numjit.linked_repr", inline=False)
def linked_repr(x):
    return repr_of_fields(x) if x is x else ""  # which says the type of the result
