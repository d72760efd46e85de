"""cupyx.scipy.interpolate: interpolation; computed on the host."""

from __future__ import annotations

from numjit.cupyx.code import from_host


def __getattr__(name):
    found = globals()[name] = from_host("scipy.interpolate", name)
    return found
