"""Numbers of 8 bits in kernels: their types, and CUDA's conversions of their bits."""

import enum

from numjit.library.cuda.half_names import FP8 as _NAMES

from .kernel_names import DeviceName


class saturation_t(enum.IntEnum):
    """What a number becomes that is too large: infinity or NaN, or the largest number."""

    NOSAT = 0
    SATFINITE = 1


class fp8_interpretation_t(enum.IntEnum):
    """How 8 bits are read."""

    E4M3 = 0
    E5M2 = 1


globals().update({name: DeviceName(f"numjit.cuda.fp8.{name}") for name in _NAMES})

__all__ = ["fp8_interpretation_t", "saturation_t", *_NAMES]
