"""What compiled code does with dataclasses and with the names around them."""

from .intrinsics import fields_as_tuple
from .registry import function


@function("dataclasses.astuple")
def astuple(obj):
    return fields_as_tuple(obj)
