"""jitclass, structref."""

from functools import partial

from numjit.compat.numba_paths import part_of
from numjit.experimental import structref
from numjit.jitclasses import jitclass

__all__ = ["jitclass", "structref"]

__getattr__ = partial(part_of, __name__)
