"""Private names of CuPy that programs import: cupy._core, cupy._util, cupy.linalg._util.

CuPy's own tests are among these programs: they import some names that have no effect here.
"""

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
from .creation import zeros
from .scans import cumsum
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


def _full_mask():
    """All threads of a warp."""
    return 0xFFFFFFFF


def stacked_identity(shape, n, dtype):
    """Unit matrices, one for each index of a shape."""
    made = zeros((*shape, n, n), dtype)
    if made.size:
        made.reshape(-1, n * n)[:, :: n + 1] = 1
    return made


def _scan_for_test(a, out=None):
    """Sums of the first elements of an array of one dimension."""
    if a.ndim != 1:
        raise TypeError("Input array should be 1D array.")
    return cumsum(a, dtype=a.dtype, out=out)


#: From how many elements on CuPy lets CUB add them up; kernels here have no such limit.
_CUB_REDUCE_SIZE_THRESHOLD = 256

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
