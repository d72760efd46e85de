"""Private names of CuPy that programs import: cupy._core, cupy._util."""

from __future__ import annotations

import numpy as np

from numjit.cuda.cudadrv import devices

from .blas import (  # noqa: F401
    COMPUTE_TYPE_BF16,
    COMPUTE_TYPE_DEFAULT,
    COMPUTE_TYPE_FP16,
    COMPUTE_TYPE_FP32,
    COMPUTE_TYPE_FP64,
    COMPUTE_TYPE_PEDANTIC,
    COMPUTE_TYPE_TBD,
    COMPUTE_TYPE_TF32,
    get_compute_type,
    set_compute_type,
)
from .text_arguments import c_name


def elementwise_copy(src, dst):
    """Copies an array into another one, with its dtype."""
    dst[...] = src
    return dst


def get_typename(dtype):
    """What a dtype is called in C++."""
    return c_name(np.dtype(dtype))


def _get_warpsize():
    return devices.get_context().device.WARP_SIZE


# -- hints -----------------------------------------------------------------------------------------

_ACCELERATORS = {"cub": 1, "cutensor": 2, "cutensornet": 3}
ACCELERATOR_CUB, ACCELERATOR_CUTENSOR, ACCELERATOR_CUTENSORNET = _ACCELERATORS.values()
_chosen: dict = {"routine": [], "reduction": []}


def _choose(kind, accelerators):
    found = []
    for each in accelerators:
        number = _ACCELERATORS.get(each, each)
        if number not in _ACCELERATORS.values():
            raise ValueError(f"unknown accelerator: {each}")
        found.append(number)
    _chosen[kind] = found


def set_routine_accelerators(accelerators):
    """Notes which libraries may be used; reductions are numjit's kernels whatever is chosen."""
    _choose("routine", accelerators)


def set_reduction_accelerators(accelerators):
    """As set_routine_accelerators."""
    _choose("reduction", accelerators)


def get_routine_accelerators():
    return list(_chosen["routine"])


def get_reduction_accelerators():
    return list(_chosen["reduction"])
