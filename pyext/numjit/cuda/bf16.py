"""bfloat16 in kernels: the type, and CUDA's functions of it."""

from numjit.library.cuda.half_names import BF16 as _NAMES
from numjit.types import bfloat16

from .kernel_names import DeviceName

nv_bfloat16 = bfloat16  # CUDA's name

globals().update({name: DeviceName(f"numjit.cuda.bf16.{name}") for name in _NAMES})

__all__ = ["bfloat16", *_NAMES]
