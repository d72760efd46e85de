"""cupyx.scipy.ndimage: SciPy's Python over kernels (../natives/nd_image.py)."""

from __future__ import annotations

from numjit.cupyx import code


def __getattr__(name):
    found = None if name.startswith("_") else _found(name)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = code.in_numpy_code(found)
    return found


#: What makes objects of Python for each label.
_ON_HOST = frozenset(("histogram",))


def _found(name):
    if name in _ON_HOST:
        return code.from_host("scipy.ndimage", name)
    return getattr(code.module("scipy.ndimage._ndimage_api"), name, None)


def __dir__():
    import scipy.ndimage

    return sorted(scipy.ndimage.__all__)
