"""What programs take from Numba's `core.utils`, `.registry`, `.compiler` and `.runtime`."""

from __future__ import annotations

import sys
from inspect import signature as pysignature
from typing import NamedTuple

from numjit import _core
from numjit.dispatcher import Dispatcher as CPUDispatcher

__all__ = [
    "PYVERSION",
    "CPUDispatcher",
    "pysignature",
    "_get_code_point",
    "c_helpers",
    "nrt",
    "rtsys",
]

PYVERSION = sys.version_info[:2]


class AllocationStats(NamedTuple):
    """Blocks of memory of compiled code: how many were made and given back."""

    alloc: int
    free: int
    mi_alloc: int
    mi_free: int


class _Runtime:
    """The runtime library."""

    @staticmethod
    def get_allocation_stats() -> AllocationStats:
        """numjit counts blocks that are alive; so many were made, and none given back."""
        alive = _core.live_blocks()
        return AllocationStats(alive, 0, alive, 0)


def _get_code_point(a, i):
    """The number of a character of a string."""
    return ord(a[i])


rtsys = nrt = _Runtime()


class _NrtPython:
    """Addresses of what C code calls to make and count blocks."""

    @property
    def c_helpers(self) -> dict:
        return {
            "get_api": _core.symbol_address("NRT_get_api"),
            "MemInfo_release": _core.symbol_address("nj_release"),
            "MemInfo_data": _core.symbol_address("nj_block_data"),
        }


_nrt_python = _NrtPython()
c_helpers = _nrt_python.c_helpers
