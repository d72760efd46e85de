"""What programs take from Numba's `core.utils`, `.registry`, `.compiler`, `.runtime`, from
`typed` and `parfors`."""

from __future__ import annotations

import itertools
import sys
from inspect import isgeneratorfunction
from inspect import signature as pysignature
from typing import NamedTuple

import numpy as np

from numjit import _core
from numjit.decorators import njit
from numjit.dispatcher import Dispatcher as CPUDispatcher
from numjit.errors import UnsupportedParforsError
from numjit.typed import Dict, List

__all__ = [
    "MACHINE_BITS",
    "PYVERSION",
    "CPUDispatcher",
    "FunctionIdentity",
    "pysignature",
    "_get_inner_prod",
    "c_helpers",
    "ensure_parallel_support",
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


def ensure_parallel_support():
    """Raises UnsupportedParforsError where loops cannot run in parallel, as Numba's cannot on
    machines of 32 bits."""
    if MACHINE_BITS < 64:
        raise UnsupportedParforsError("parallel=True is for machines of 64 bits")


@njit
def _inner_product(a, b):
    return np.dot(a, b)


def _get_inner_prod(ta, tb):
    """What compiled code multiplies vectors of two types of items with."""
    return _inner_product


class FunctionIdentity:
    """What a Python function is called and where it is written."""

    _unique_ids = itertools.count(1)

    @classmethod
    def from_function(cls, pyfunc):
        made, function = cls(), getattr(pyfunc, "py_func", pyfunc)
        code = function.__code__
        made.func, made.code = function, code
        made.func_qualname, made.func_name = function.__qualname__, function.__name__
        made.modname, made.module = function.__module__, sys.modules.get(function.__module__)
        made.filename, made.firstlineno = code.co_filename, code.co_firstlineno
        made.pysig = pysignature(function)
        made.arg_count, made.arg_names = len(made.pysig.parameters), list(made.pysig.parameters)
        made.is_generator = isgeneratorfunction(function)
        made.unique_id = next(cls._unique_ids)
        made.unique_name = f"{made.func_qualname}${made.unique_id}"
        return made


rtsys = nrt = _Runtime()


class _NrtPython:
    """Numba's module of C functions: the runtime's statistics, and addresses of what C code calls
    to make and count blocks."""

    memsys_enable_stats = rtsys.memsys_enable_stats
    memsys_disable_stats = rtsys.memsys_disable_stats
    memsys_stats_enabled = rtsys.memsys_stats_enabled

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
