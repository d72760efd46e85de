"""Classes and objects of Numba's compiler that programs name: contexts, the target."""

from __future__ import annotations

from numjit.compat.ir_context import Context as BaseContext
from numjit.compat.ir_typing import TypingContext as Context
from numjit.compat.ir_typing import typing_context

CPUContext = CUDATargetContext = BaseContext
CUDATypingContext = Context
__all__ = [
    "BaseContext",
    "CPUContext",
    "CUDATargetContext",
    "CUDATypingContext",
    "Context",
    "cpu_target",
    "cuda_target",
]


class _Target:
    """What code is compiled for. Contexts are made for each callback; this one only has types."""

    typing_context = typing_context

    @property
    def target_context(self):
        return BaseContext(None)


cpu_target = cuda_target = _Target()
