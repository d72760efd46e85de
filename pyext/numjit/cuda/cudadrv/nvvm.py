"""Names of Numba's module that speaks to NVIDIA's compiler. Kernels are compiled by LLVM, so there
is only what programs ask about processors."""

from __future__ import annotations

from numjit import config
from numjit.cuda.toolchain import find_libdevice

from .error import CCSupportError, NvvmError, NvvmSupportError, NvvmWarning  # noqa: F401

_SUPPORTED = ((7, 5), (8, 0), (8, 6), (8, 7), (8, 9), (9, 0), (10, 0), (12, 0))

CUDA_TRIPLE = "nvptx64-nvidia-cuda"


def get_supported_ccs():
    """Compute capabilities that kernels can be compiled for."""
    return _SUPPORTED


def find_closest_arch(mycc):
    """The best of them for a device."""
    older = [cc for cc in _SUPPORTED if cc <= tuple(mycc)]
    if not older:
        raise NvvmSupportError(
            f"GPU compute capability {mycc[0]}.{mycc[1]} is not supported (requires >= "
            f"{_SUPPORTED[0][0]}.{_SUPPORTED[0][1]})"
        )
    return older[-1]


def get_arch_option(major, minor, arch=""):
    """The name of a compute capability: compute_75, or compute_90a with `arch` "a"."""
    if config.FORCE_CUDA_CC:
        return "compute_" + "".join(map(str, config.FORCE_CUDA_CC))
    found = find_closest_arch((major, minor))
    if arch and found != (major, minor):
        raise ValueError(
            f"Can't use arch-specific compute_{major}{minor}{arch} with the closest compute "
            f"capability that is supported, {found[0]}.{found[1]}"
        )
    return f"compute_{found[0]}{found[1]}{arch}"


def is_available():
    """Whether functions of libdevice can be linked into kernels."""
    return bool(find_libdevice())
