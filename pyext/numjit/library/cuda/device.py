"""What the names of numjit.cuda mean in kernels that are no row of typeinfer/ir/device_ops.def.

A name for which `when="value"` stands for a value: reading it calls the function.
"""

from collections import namedtuple

import numpy as np

from numjit import _core

from ..core.intrinsics import (
    Intrinsic,
    bit_reverse,
    call_symbol,
    device,
    item_pointer,
    leading_zeros,
    on_device,
    on_simulator,
    refuse,
    trailing_zeros,
)
from ..core.registry import function

_fma = Intrinsic("math.fma")
_local_array = Intrinsic("numjit.cuda.local.array")
GridGroup = namedtuple("GridGroup", ["handle"])


@function("numjit.cuda.warpsize", when="value")
def warpsize():
    return 32


def _whole(name, operation):
    """cuda.threadIdx and its like as values."""
    cls = namedtuple(name, ["x", "y", "z"])
    x, y, z = (f"{operation}_{field}" for field in cls._fields)

    @function(f"numjit.cuda.{name}", when="value")
    def whole():
        return cls(device(x), device(y), device(z))


_whole("threadIdx", "thread_idx")
_whole("blockIdx", "block_idx")
_whole("blockDim", "block_dim")
_whole("gridDim", "grid_dim")


@function("builtins.breakpoint")
def stop_in_debugger():
    if on_device():
        device("breakpoint")
    else:
        refuse(
            "breakpoint() is for kernels", "set a breakpoint of gdb in a function with debug=True"
        )


# -- positions ------------------------------------------------------------------------------------


def index_x():
    return np.int64(device("block_idx_x")) * device("block_dim_x") + device("thread_idx_x")


def index_y():
    return np.int64(device("block_idx_y")) * device("block_dim_y") + device("thread_idx_y")


def index_z():
    return np.int64(device("block_idx_z")) * device("block_dim_z") + device("thread_idx_z")


def size_x():
    return np.int64(device("grid_dim_x")) * device("block_dim_x")


def size_y():
    return np.int64(device("grid_dim_y")) * device("block_dim_y")


def size_z():
    return np.int64(device("grid_dim_z")) * device("block_dim_z")


@function("numjit.cuda.grid")
def grid(ndim):
    if ndim == 1:
        return index_x()
    elif ndim == 2:
        return index_x(), index_y()
    elif ndim == 3:
        return index_x(), index_y(), index_z()
    else:
        refuse("cuda.grid() takes 1, 2 or 3", "write a literal", "RequireLiteralValue")


@function("numjit.cuda.gridsize")
def gridsize(ndim):
    if ndim == 1:
        return size_x()
    elif ndim == 2:
        return size_x(), size_y()
    elif ndim == 3:
        return size_x(), size_y(), size_z()
    else:
        refuse("cuda.gridsize() takes 1, 2 or 3", "write a literal", "RequireLiteralValue")


# -- groups ---------------------------------------------------------------------------------------


@function("numjit.cuda.cg.this_grid")
def this_grid():
    device("thisgrid")
    return GridGroup(0)


@function("NamedTuple.is_valid")
def grid_is_valid(group):
    if isinstance(group, GridGroup):
        return True  # every launch of a kernel with a grid group is cooperative
    else:
        refuse("Unknown attribute 'is_valid' of a named tuple")


@function("NamedTuple.sync")
def grid_sync(group):
    if isinstance(group, GridGroup):
        device("syncgrid")
        return np.int32(1)
    else:
        refuse("Unknown attribute 'sync' of a named tuple")


# -- within a warp --------------------------------------------------------------------------------


def shuffled(kind, mask, value, lane):
    if isinstance(value, (complex, np.complex64)):
        return complex_like(
            value, device(kind, mask, value.real, lane), device(kind, mask, value.imag, lane)
        )
    else:
        return device(kind, mask, value, lane)


def complex_like(value, real, imag):
    if isinstance(value, np.complex64):
        return np.complex64(complex(real, imag))
    else:
        return complex(real, imag)


@function("numjit.cuda.shfl_sync")
def shfl_sync(mask, value, src_lane):
    return shuffled("shfl_idx", mask, value, src_lane)


@function("numjit.cuda.shfl_up_sync")
def shfl_up_sync(mask, value, delta):
    return shuffled("shfl_up", mask, value, delta)


@function("numjit.cuda.shfl_down_sync")
def shfl_down_sync(mask, value, delta):
    return shuffled("shfl_down", mask, value, delta)


@function("numjit.cuda.shfl_xor_sync")
def shfl_xor_sync(mask, value, lane_mask):
    return shuffled("shfl_xor", mask, value, lane_mask)


@function("numjit.cuda.match_all_sync")
def match_all_sync(mask, value):
    lanes = device("match_all", mask, value)
    return lanes, lanes != 0


# -- loads and stores that say how caches treat them -----------------------------------------------


def element(ary, idx):
    if isinstance(idx, tuple):
        return item_pointer(ary, idx)
    else:
        return item_pointer(ary, (idx,))


def check_bits(ary, message):
    if not hasattr(ary, "dtype"):
        pass  # a pointer
    elif not isinstance(ary.dtype.type(0), (np.integer, np.floating)):
        refuse(
            message,
            "cache hints are for integers and floats",
        )


def _load(name):
    message = f"{name} requires array of integer or float type"

    @function(f"numjit.cuda.{name}")
    def load(ary, i):
        check_bits(ary, message)
        if on_simulator():
            return ary[i]
        else:
            return device(name, element(ary, i))


def _store(name):
    message = f"{name} requires array of integer or float type"

    @function(f"numjit.cuda.{name}")
    def store(ary, i, value):
        check_bits(ary, message)
        if on_simulator():
            ary[i] = value
        else:
            device(name, element(ary, i), value)


for _name, _form, _row in _core.device_operations():
    if _form == "load":
        _load(_name)
    elif _form == "store":
        _store(_name)


# -- arithmetic -----------------------------------------------------------------------------------


def unsigned(x):
    """The bits of an integer, in at least 32."""
    if isinstance(x, (np.int64, np.uint64)):
        return np.uint64(x)
    else:
        return np.uint32(x)


@function("numjit.cuda.popc")
def popc(x):
    return np.int32(np.bitwise_count(unsigned(x)))


@function("numjit.cuda.brev")
def brev(x):
    bits = unsigned(x)
    if isinstance(bits, np.uint32):  # which operators make 64 bits
        return np.uint32(bit_reverse(bits) >> 32)
    else:
        return bit_reverse(bits)


@function("numjit.cuda.clz")
def clz(x):
    return np.int32(leading_zeros(unsigned(x)))


@function("numjit.cuda.ffs")
def ffs(x):
    bits = unsigned(x)
    return np.int32(0) if bits == 0 else np.int32(np.int32(trailing_zeros(bits)) + np.int32(1))


@function("numjit.cuda.cbrt")
def cbrt(x):
    return np.cbrt(x)


@function("numjit.cuda.fma")
def fma(a, b, c):
    return _fma(a, b, c)


@function("numjit.cuda.selp")
def selp(cond, a, b):
    return a if cond else b


# -- functions of other device code ---------------------------------------------------------------


def extern_function(symbol, result, parameters, simulated=None):
    """A Python function that stands for one of linked code, by its name and types; in the simulator
    for `simulated`, if there is one."""

    def call(*arguments):
        if simulated is not None and on_simulator():
            return simulated(*arguments)
        else:
            return call_symbol(symbol, result, parameters, arguments)

    call.__name__ = call.__qualname__ = symbol
    return call


def extern_with_status(symbol, result, parameters):
    """As extern_function, of a function with Numba's calling convention: it writes its result
    through its first parameter, and returns whether it failed."""
    from numjit.types import CPointer, int32, uint8, void

    item = uint8 if result is void else result
    all_parameters = (CPointer(item), *parameters)

    def call(*arguments):
        memory = _local_array(1, item)
        call_symbol(symbol, int32, all_parameters, (memory, *arguments))
        if result is not void:
            return memory[0]

    call.__name__ = call.__qualname__ = symbol
    return call


def extern_pair(symbol, result, parameters, behind, simulated):
    """As extern_function, of a function that returns a pair: it writes the second value, or both
    where `result` is void, through pointers."""
    from numjit.types import CPointer, void

    pointer = CPointer(behind)
    gives = result is not void
    all_parameters = (*parameters, pointer) if gives else (*parameters, pointer, pointer)

    def call(*arguments):
        if simulated is not None and on_simulator():
            return simulated(*arguments)
        memory = _local_array(2, behind)
        if gives:
            first = call_symbol(symbol, result, all_parameters, (*arguments, memory))
            return first, memory[0]
        else:
            call_symbol(symbol, result, all_parameters, (*arguments, memory, memory[1:]))
            return memory[0], memory[1]

    call.__name__ = call.__qualname__ = symbol
    return call
