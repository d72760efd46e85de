"""Vectors of a few numbers, as numba-cuda's module tells of them."""

from __future__ import annotations

from typing import NamedTuple

from numjit import types

from . import kernel_names
from .kernel_names import *  # noqa: F403


class VectorType(NamedTuple):
    """What programs ask about the vectors of a kind."""

    name: str
    base_type: types.Type
    num_elements: int
    user_facing_object: kernel_names.VectorName


vector_types = {
    name: VectorType(name, getattr(types, scalar), count, getattr(kernel_names, name))
    for name, (scalar, count) in kernel_names.VECTORS.items()
}
