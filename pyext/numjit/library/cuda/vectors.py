"""Vectors of up to four numbers in kernels: cuda.float32x2 and its like."""

from collections import namedtuple

import numpy as np

from ..core.intrinsics import refuse
from ..core.registry import function
from .vector_names import VECTORS


def parts(value):
    """The numbers of a vector, or the number."""
    if not isinstance(value, tuple):
        return (value,)
    elif len(value) == 1:
        return (value[0],)
    elif len(value) == 2:
        return value[0], value[1]
    elif len(value) == 3:
        return value[0], value[1], value[2]
    else:
        return value[0], value[1], value[2], value[3]


def all_parts(values):
    if len(values) == 0:
        return ()
    else:
        return parts(values[0]) + all_parts(values[1:])


def _vector(name, scalar, count):
    cls = namedtuple(name, list("xyzw"[:count]))

    @function(f"numjit.cuda.{name}")
    def vector(*values):
        n = all_parts(values)
        if len(n) != count:
            refuse(
                "No implementation of function for a vector of other numbers of components",
                "its components are numbers and vectors, together as many as its name says",
            )
        elif count == 1:
            return cls(scalar(n[0]))
        elif count == 2:
            return cls(scalar(n[0]), scalar(n[1]))
        elif count == 3:
            return cls(scalar(n[0]), scalar(n[1]), scalar(n[2]))
        else:
            return cls(scalar(n[0]), scalar(n[1]), scalar(n[2]), scalar(n[3]))


for _name, (_scalar, _count) in VECTORS.items():
    _vector(_name, getattr(np, _scalar), _count)
