"""cupy.linalg: numpy.linalg's functions over device arrays."""

from __future__ import annotations

import numpy as np
from numpy.linalg import LinAlgError  # noqa: F401

import numjit.cupy

from . import numpy_code
from .norms import norm  # noqa: F401


def own(name):
    """What does not come from NumPy's Python."""
    return None


def __getattr__(name):
    value = None if name.startswith("_") else getattr(np.linalg, name, None)
    if value is None:
        raise AttributeError(f"module 'numjit.cupy.linalg' has no attribute {name!r}")
    if name in ("matmul", "outer", "tensordot", "vecdot", "trace", "diagonal", "cross"):
        shared = numjit.cupy.own(name)
        if shared is not None and name not in ("trace", "diagonal"):
            return shared
    found = numpy_code.from_numpy(value)
    if found is None:
        raise AttributeError(f"module 'numjit.cupy.linalg' has no attribute {name!r}")
    globals()[name] = found
    return found
