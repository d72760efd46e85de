"""Objects of plain classes, which do not declare types, in compiled code.

Attributes that have a type are the fields of such an object, in the order in which it got them;
compiled code works on a copy, and what it changes is written back, as for dataclasses.
"""

from __future__ import annotations

import dataclasses
from types import FunctionType

from numjit import _core

_KINDS = FunctionType | property | staticmethod | classmethod | _core.Dispatcher
_CONSTANTS = bool | int | float | complex | str | tuple


def super_members(members, cls) -> dict:
    """Methods of a class's bases under the names by which super() in its methods finds them."""
    behind = f"super {cls.__module__}.{cls.__qualname__} "
    return {
        behind + name: member
        for name, member in members.items()
        if not name.startswith("super ") and isinstance(member, _KINDS)
    }


def class_for(cls, names):
    """A dataclass of fields with these names that has the members of a class."""
    members = {}
    for base in reversed(cls.__mro__[:-1]):
        members |= super_members(members, base)
        for name, member in vars(base).items():
            if isinstance(member, _KINDS) or (
                isinstance(member, _CONSTANTS) and not name.startswith("_")
            ):
                members[name] = member
    for name in names:
        members.pop(name, None)
    made = dataclasses.make_dataclass(cls.__name__, names, eq=False)
    made._numjit_members_ = members
    made.__module__ = cls.__module__
    made.__qualname__ = f"{cls.__qualname__}.<{', '.join(names)}>"  # which nothing can import
    made.__new__ = lambda _: cls.__new__(cls)
    return made
