"""Norms of vectors, which are one reduction; numpy.linalg has all others."""

from __future__ import annotations

import functools

import numpy as np

from . import numpy_code, upcalls
from .current import _current
from .kernel_text import type_name
from .nodes import Reduced
from .reduction_text import Reduction
from .reductions import axes_of, known_key, make_reduced, remember

_known: dict = {}
_numpy_norm = numpy_code.from_numpy(np.linalg.norm)


@functools.lru_cache(16)
def _root_of_squares(dtype):
    """The reduction for elements of a dtype, and the dtype of the result."""
    real = np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype
    name = type_name(real)
    square = "X0.real * X0.real + X0.imag * X0.imag" if dtype.kind == "c" else "X0 * X0"
    add = f"A0 = {name}(A0 + B0)"
    return Reduction([real], ["0"], [square], [add], f"{name}(np.sqrt(A0))"), real


def norm(x, ord=None, axis=None, keepdims=False):
    """A norm of a vector or a matrix, or of those along axes."""
    if ord is not None or not isinstance(x, upcalls.ndarray) or x.dtype.char not in "fdFD":
        return _numpy_norm(x, ord, axis, keepdims)
    node = x._operand()
    key = known_key("norm", node, axis, None, keepdims)
    row = _known.get(key)
    if row is not None:
        plan, shape, real = row
        return x._waiting(Reduced(plan, (node,), shape, real, _current.place))
    if key is None or not node.shape or 0 in node.shape:
        return _numpy_norm(x, ord, axis, keepdims)
    reduction, real = _root_of_squares(x.dtype)
    made = make_reduced(reduction, (node,), axes_of(axis, x.ndim), real, keepdims)
    remember(_known, key, (made.plan, made.shape, real))
    return x._waiting(made)
