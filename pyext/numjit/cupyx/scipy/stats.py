"""cupyx.scipy.stats: statistics; computed on the host."""

from __future__ import annotations

from numjit.cupyx.code import from_host

__path__: list = []  # its private modules: compat/cupyx_paths.py


def __getattr__(name):
    found = globals()[name] = from_host("scipy.stats", name)
    return found
