"""cupyx.scipy.sparse: SciPy's sparse matrices and arrays over device arrays.

The classes are SciPy's Python (../../code.py); what they call inside are kernels, sorts and scans
(../../natives/sparsetools.py).
"""

from __future__ import annotations

import importlib

from numjit.cupyx import code

_SUBMODULES = ("linalg", "csgraph")


def __getattr__(name):
    if name in _SUBMODULES:
        return importlib.import_module(f"{__name__}.{name}")
    place = "scipy.sparse._base" if name == "_spbase" else "scipy.sparse"
    found = None if name.startswith("__") else getattr(code.module(place), name, None)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def swapaxes(A, axis1, axis2):
    """SciPy's, whose own code would have the numbers of the axes on the device."""
    axes = list(range(A.ndim))
    try:
        axes[axis1], axes[axis2] = axes[axis2], axes[axis1]
    except IndexError:
        raise ValueError(f"Invalid axis: {axis1} or {axis2} for ndim={A.ndim}") from None
    return __getattr__("permute_dims")(A, axes=tuple(axes), copy=True)


def __dir__():
    import scipy.sparse

    return sorted({*scipy.sparse.__all__, *_SUBMODULES})
