"""cupyx.scipy.spatial: neighbours, hulls and triangulations; computed on the host."""

from __future__ import annotations

import importlib

from numjit.cupyx.code import from_host


def __getattr__(name):
    if name == "distance":
        return importlib.import_module(f"{__name__}.distance")
    found = globals()[name] = from_host("scipy.spatial", name)
    return found
