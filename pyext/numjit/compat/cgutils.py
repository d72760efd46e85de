"""Numba's `cgutils`: over llvmlite's IRBuilder, or over the stand-in where there is no llvmlite."""

from __future__ import annotations

import importlib
import importlib.util

_SOURCE = "ir_cgutils" if importlib.util.find_spec("llvmlite") else "standin_cgutils"


def __getattr__(name):
    if name[:2] == "__":
        raise AttributeError(name)
    return getattr(importlib.import_module(f"numjit.compat.{_SOURCE}"), name)
