"""What programs take from Numba's `core.utils`, `.registry`, `.compiler`, `.runtime`, and
`typed`."""

from __future__ import annotations

import sys
from inspect import signature as pysignature
from typing import NamedTuple

from numjit import _core
from numjit.dispatcher import Dispatcher as CPUDispatcher
from numjit.typed import Dict, List

__all__ = [
    "MACHINE_BITS",
    "PYVERSION",
    "CPUDispatcher",
    "pysignature",
    "_get_code_point",
    "c_helpers",
    "new_dict",
    "new_list",
    "nrt",
    "rtsys",
]

PYVERSION = sys.version_info[:2]
MACHINE_BITS = 64 if sys.maxsize > 2**32 else 32


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

    _counts = True

    def initialize(self, stream=0):
        """Nothing needs to be set up."""

    def memsys_enable_stats(self, stream=0):
        self._counts = True

    def memsys_disable_stats(self, stream=0):
        self._counts = False

    def memsys_stats_enabled(self, stream=0):
        return self._counts

    def print_memsys_stats(self, stream=0):
        """Prints the blocks of memory that are alive."""
        print("MemSys:", self.get_allocation_stats())


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

new_list, new_dict = List.empty_list, Dict.empty
