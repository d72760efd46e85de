"""The names of numjit.cuda that mean something in kernels only.

Rows of device_ops.def bring theirs; what the others mean is in library/cuda/device.py.
"""

from __future__ import annotations

from numjit import _core
from numjit.library.core.intrinsics import Intrinsic
from numjit.library.cuda.half_names import FP16
from numjit.library.cuda.vector_names import VECTORS


class DeviceName(Intrinsic):
    """A function of kernels."""

    __slots__ = ()

    @property
    def __name__(self):
        return self.name.rpartition(".")[2]

    def __call__(self, *args, **kwargs):
        name = self.name.removeprefix("numjit.")
        raise NotImplementedError(f"{name} cannot be called from host code")

    def __repr__(self):
        return f"<{self.name.removeprefix('numjit.')}>"


class DeviceValue(Intrinsic):
    """A value that each thread has its own of."""

    __slots__ = ()

    def __repr__(self):
        return f"<{self.name.removeprefix('numjit.')}>"


def _namespace(name, functions):
    """A class whose attributes are functions of kernels: cuda.atomic, ..."""
    members = {each: DeviceName(f"numjit.cuda.{name}.{each}") for each in functions.split()}
    return type(name, (), {"__doc__": f"cuda.{name}, in kernels", "__slots__": (), **members})


_OPERATIONS = {name: form for name, form, _ in _core.device_operations()}
_VALUES = [name for name, form in _OPERATIONS.items() if form == "value"]


def _values(name):
    """A class whose attributes are values: cuda.threadIdx, ..."""
    members = {
        each.removeprefix(f"{name}."): DeviceValue(f"numjit.cuda.{each}")
        for each in _VALUES
        if each.startswith(f"{name}.")
    }
    cls = type(name, (DeviceValue,), {"__slots__": (), **members})
    return cls(f"numjit.cuda.{name}")


VALUES = ["warpsize", *(name for name in _VALUES if "." not in name)]
globals().update({name: DeviceValue(f"numjit.cuda.{name}") for name in VALUES})
VALUE_GROUPS = sorted({name.partition(".")[0] for name in _VALUES if "." in name})
globals().update({name: _values(name) for name in VALUE_GROUPS})

shared = _namespace("shared", "array")
local = _namespace("local", "array")
const = _namespace("const", "array_like")
atomic = _namespace(
    "atomic",
    "max min cas compare_and_swap "
    + " ".join(name[7:] for name in _OPERATIONS if name.startswith("atomic.")),
)
cg = _namespace("cg", "this_grid")
warp = _namespace("warp", "reduce scan exclusive_scan broadcast")
block = _namespace(
    "block",
    "reduce scan exclusive_scan broadcast exchange rank sort histogram",
)
fp16 = _namespace("fp16", " ".join(FP16))

FUNCTIONS = [
    *"grid gridsize shfl_sync shfl_up_sync shfl_down_sync shfl_xor_sync match_all_sync".split(),
    *"popc brev clz ffs cbrt fma selp".split(),
    *(name for name, form in _OPERATIONS.items() if form in ("call", "load", "store")),
]
globals().update({name: DeviceName(f"numjit.cuda.{name}") for name in FUNCTIONS})

# Vectors of 1 to 4 numbers with the fields x, y, z and w: float32x4, which CUDA C++ calls float4.
_SCALARS = {
    "int8": "char",
    "int16": "short",
    "int32": "int",
    "int64": "long longlong",
    "uint8": "uchar",
    "uint16": "ushort",
    "uint32": "uint",
    "uint64": "ulong ulonglong",
    "float32": "float",
    "float64": "double",
}


class VectorName(DeviceName):
    """What makes a vector of numbers."""

    __slots__ = ()

    @property
    def aliases(self):
        """Its names in CUDA C++."""
        own = self.name.removeprefix("numjit.cuda.")
        return [alias for alias, name in _ALIASES.items() if name == own]


globals().update({name: VectorName(f"numjit.cuda.{name}") for name in VECTORS})
_ALIASES = {
    f"{alias}{n}": f"{scalar}x{n}"
    for scalar, aliases in _SCALARS.items()
    for alias in aliases.split()
    for n in (1, 2, 3, 4)
}
globals().update({alias: globals()[name] for alias, name in _ALIASES.items()})

__all__ = [
    *VALUE_GROUPS,
    *VALUES,
    "shared",
    "local",
    "const",
    "atomic",
    "cg",
    "warp",
    "block",
    "fp16",
    *FUNCTIONS,
    *VECTORS,
    *_ALIASES,
]
