"""The names of numjit.cuda that mean something in kernels only; library/cuda/device.py has them."""

from __future__ import annotations

from numjit.library.core.intrinsics import Intrinsic
from numjit.library.cuda.half_names import FP16


class DeviceName(Intrinsic):
    """A function of kernels."""

    __slots__ = ()

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


def _triple(name):
    members = {axis: DeviceValue(f"numjit.cuda.{name}.{axis}") for axis in "xyz"}
    return type(name, (), {"__doc__": f"cuda.{name}, in kernels", "__slots__": (), **members})


threadIdx, blockIdx = _triple("threadIdx"), _triple("blockIdx")
blockDim, gridDim = _triple("blockDim"), _triple("gridDim")
laneid, warpsize = DeviceValue("numjit.cuda.laneid"), DeviceValue("numjit.cuda.warpsize")

shared = _namespace("shared", "array")
local = _namespace("local", "array")
const = _namespace("const", "array_like")
atomic = _namespace(
    "atomic",
    "add sub max min nanmax nanmin and_ or_ xor inc dec exch cas compare_and_swap",
)
cg = _namespace("cg", "this_grid")
warp = _namespace("warp", "reduce scan exclusive_scan broadcast")
block = _namespace(
    "block",
    "reduce scan exclusive_scan broadcast exchange rank sort histogram",
)
fp16 = _namespace("fp16", " ".join(FP16))

FUNCTIONS = """
    grid gridsize syncthreads syncthreads_count syncthreads_and syncthreads_or syncwarp
    threadfence threadfence_block threadfence_system nanosleep
    shfl_sync shfl_up_sync shfl_down_sync shfl_xor_sync all_sync any_sync eq_sync ballot_sync
    match_any_sync match_all_sync activemask lanemask_lt
    popc brev clz ffs cbrt fma selp
    ldca ldcg ldcs ldlu ldcv stcg stcs stwb stwt
""".split()
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
VECTORS = {f"{scalar}x{n}": (scalar, n) for scalar in _SCALARS for n in (1, 2, 3, 4)}
globals().update({name: DeviceName(f"numjit.cuda.{name}") for name in VECTORS})
_ALIASES = {
    f"{alias}{n}": f"{scalar}x{n}"
    for scalar, aliases in _SCALARS.items()
    for alias in aliases.split()
    for n in (1, 2, 3, 4)
}
globals().update({alias: globals()[name] for alias, name in _ALIASES.items()})

__all__ = [
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
    "laneid",
    "warpsize",
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
