"""cupyx.scipy.spatial: neighbours, hulls and triangulations; computed on the host."""

from __future__ import annotations

import importlib

import numpy as np

import numjit.cupy as cp
from numjit.cupyx.code import from_host, to_host


def _tree(name):
    """A class of trees whose lists of neighbours are device arrays."""
    base = from_host("scipy.spatial", name)

    def listing(method):
        def called(self, *args, **keywords):
            return _arrays(
                getattr(self._object, method)(
                    *map(to_host, args), **{key: to_host(each) for key, each in keywords.items()}
                )
            )

        called.__name__ = method
        return called

    methods = {each: listing(each) for each in ("query_ball_point", "query_ball_tree")}
    return type(base)(name, (base,), {"__module__": "cupyx.scipy", **methods})


def _arrays(found):
    """Neighbours of a point, or a list of those of several ones."""
    if isinstance(found, np.ndarray) and found.dtype != object or np.isscalar(found):
        return cp.asarray(found)  # numbers of neighbours
    if isinstance(found, list) and not any(isinstance(each, list) for each in found):
        return cp.asarray(found, dtype=np.int64)
    return [_arrays(each) for each in found]


def __getattr__(name):
    if name == "distance":
        return importlib.import_module(f"{__name__}.distance")
    if name in ("KDTree", "cKDTree"):
        found = globals()[name] = _tree(name)
        return found
    found = globals()[name] = from_host("scipy.spatial", name)
    return found
