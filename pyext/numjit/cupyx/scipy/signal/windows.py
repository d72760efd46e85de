"""cupyx.scipy.signal.windows: computed on the host."""

from __future__ import annotations


def __getattr__(name):
    from numjit.cupyx.code import from_host

    found = globals()[name] = from_host("scipy.signal.windows", name)
    return found
