"""cupyx.scipy.sparse.csgraph: graphs; computed on the host."""

from __future__ import annotations

from numjit.cupyx.code import on_host


def __getattr__(name):
    from scipy.sparse import csgraph

    if name.startswith("_") or not hasattr(csgraph, name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = on_host(getattr(csgraph, name))
    return found
