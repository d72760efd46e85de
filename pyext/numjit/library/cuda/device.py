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
        refuse("cuda.grid() takes 1, 2 or 3", "write a literal")


@function("numjit.cuda.gridsize")
def gridsize(ndim):
    if ndim == 1:
        return size_x()
    elif ndim == 2:
        return size_x(), size_y()
    elif ndim == 3:
        return size_x(), size_y(), size_z()
    else:
        refuse("cuda.gridsize() takes 1, 2 or 3", "write a literal")


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


# -- atomics: each returns the old value ---------------------------------------------------------


def element(ary, idx):
    if isinstance(idx, tuple):
        return item_pointer(ary, idx)
    else:
        return item_pointer(ary, (idx,))


_WORDS = (np.int32, np.uint32, np.int64, np.uint64)
_NUMBERS = (*_WORDS, np.float32, np.float64)


def check_numbers(ary):
    if not isinstance(ary.dtype.type(0), _NUMBERS):
        refuse(
            "No implementation of function for an atomic operation on elements of this type",
            "atomics work on int32, uint32, int64, uint64, float32 and float64",
        )


def check_words(ary):
    if not isinstance(ary.dtype.type(0), _WORDS):
        refuse(
            "No implementation of function for an atomic operation on elements of this type",
            "this one works on int32, uint32, int64 and uint64",
        )


def check_unsigned(ary):
    if not isinstance(ary.dtype.type(0), (np.uint32, np.uint64)):
        refuse(
            "No implementation of function for an atomic operation on elements of this type",
            "this one works on uint32 and uint64",
        )


def _atomic(name, row, check):
    @function(f"numjit.cuda.atomic.{name}")
    def atomic(ary, idx, val):
        check(ary)
        return device(row, element(ary, idx), val)


_CHECKS = {"numbers": check_numbers, "words": check_words, "unsigned": check_unsigned}
for _name, _form, _row in _core.device_operations():
    if _form in _CHECKS:
        _atomic(_name.removeprefix("atomic."), _row, _CHECKS[_form])


def _atomic_extremum(name, row):
    # A NaN that is stored stays; one that comes changes nothing.
    @function(f"numjit.cuda.atomic.{name}")
    def atomic(ary, idx, val):
        check_numbers(ary)
        if isinstance(val, (float, np.float32)):
            if val != val:
                return device("atomic_add", element(ary, idx), 0)
            else:
                return device(row, element(ary, idx), val)
        else:
            return device(row, element(ary, idx), val)


_atomic_extremum("max", "atomic_max")
_atomic_extremum("min", "atomic_min")


@function("numjit.cuda.atomic.cas")
def atomic_cas(ary, idx, old, val):
    check_numbers(ary)
    return device("atomic_cas", element(ary, idx), old, val)


@function("numjit.cuda.atomic.compare_and_swap")
def atomic_compare_and_swap(ary, old, val):
    check_numbers(ary)
    return device("atomic_cas", item_pointer(ary, (0,) * ary.ndim), old, val)


# -- loads and stores that say how caches treat them -----------------------------------------------


def check_bits(ary):
    if not isinstance(ary.dtype.type(0), (np.integer, np.floating)):
        refuse(
            "No implementation of function for an array with elements of this type",
            "cache hints are for integers and floats",
        )


def _load(name):
    @function(f"numjit.cuda.{name}")
    def load(ary, i):
        check_bits(ary)
        if on_simulator():
            return ary[i]
        else:
            return device(name, element(ary, i))


def _store(name):
    @function(f"numjit.cuda.{name}")
    def store(ary, i, value):
        check_bits(ary)
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


# -- numbers of 16 bits ---------------------------------------------------------------------------


def _of_halves(name, operation):
    """cuda.fp16.<name>, an operation on numbers that are made float16s."""

    @function(f"numjit.cuda.fp16.{name}")
    def half(*numbers):
        if len(numbers) == 1:
            return operation(np.float16(numbers[0]))
        else:
            return operation(np.float16(numbers[0]), np.float16(numbers[1]))


for _name, _operation in {
    "hadd": lambda a, b: a + b,
    "hsub": lambda a, b: a - b,
    "hmul": lambda a, b: a * b,
    "hdiv": lambda a, b: a / b,
    "hneg": lambda a: -a,
    "habs": lambda a: abs(a),
    "heq": lambda a, b: a == b,
    "hne": lambda a, b: a != b,
    "hge": lambda a, b: a >= b,
    "hgt": lambda a, b: a > b,
    "hle": lambda a, b: a <= b,
    "hlt": lambda a, b: a < b,
    "hmax": np.fmax,
    "hmin": np.fmin,
    "hsin": np.sin,
    "hcos": np.cos,
    "hlog": np.log,
    "hlog2": np.log2,
    "hlog10": np.log10,
    "hexp": np.exp,
    "hexp2": np.exp2,
    "hexp10": lambda a: np.float16(np.power(np.float32(10), np.float32(a))),
    "hsqrt": np.sqrt,
    "hrsqrt": lambda a: np.float16(np.float32(1) / np.sqrt(np.float32(a))),
    "hrcp": lambda a: np.float16(1) / a,
    "hceil": np.ceil,
    "hfloor": np.floor,
    "htrunc": np.trunc,
    "hrint": np.rint,
}.items():
    _of_halves(_name, _operation)


@function("numjit.cuda.fp16.hfma")
def hfma(a, b, c):
    # Exact as a double, or nearly: it is rounded once.
    x, y = np.float64(np.float16(a)), np.float64(np.float16(b))
    return np.float16(_fma(x, y, np.float64(np.float16(c))))


# -- vectors of up to four numbers ----------------------------------------------------------------


def parts(value):
    """The numbers of a vector, or the number."""
    if not isinstance(value, tuple):
        return (value,)
    elif len(value) == 1:
        return (value[0],)
    elif len(value) == 2:
        return value[0], value[1]
    elif len(value) == 3:
        return value[0], value[1], value[2]
    else:
        return value[0], value[1], value[2], value[3]


def all_parts(values):
    if len(values) == 0:
        return ()
    else:
        return parts(values[0]) + all_parts(values[1:])


def _vector(name, scalar, count):
    cls = namedtuple(name, list("xyzw"[:count]))

    @function(f"numjit.cuda.{name}")
    def vector(*values):
        n = all_parts(values)
        if len(n) != count:
            refuse(
                "No implementation of function for a vector of other numbers of components",
                "its components are numbers and vectors, together as many as its name says",
            )
        elif count == 1:
            return cls(scalar(n[0]))
        elif count == 2:
            return cls(scalar(n[0]), scalar(n[1]))
        elif count == 3:
            return cls(scalar(n[0]), scalar(n[1]), scalar(n[2]))
        else:
            return cls(scalar(n[0]), scalar(n[1]), scalar(n[2]), scalar(n[3]))


for _scalar in "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64".split():
    for _count in (1, 2, 3, 4):
        _vector(f"{_scalar}x{_count}", getattr(np, _scalar), _count)


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
