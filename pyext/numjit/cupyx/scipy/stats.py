"""cupyx.scipy.stats: statistics; computed on the host."""

from __future__ import annotations


def __getattr__(name):
    from numjit.cupyx.code import from_host

    found = globals()[name] = from_host("scipy.stats", name)
    return found
