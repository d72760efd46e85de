"""cupyx.scipy.interpolate: interpolation; computed on the host."""

from __future__ import annotations

from numjit.cupyx.code import from_host

__path__: list = []  # its private modules: compat/cupyx_paths.py


def __getattr__(name):
    found = globals()[name] = from_host("scipy.interpolate", name)
    return found
