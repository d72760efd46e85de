"""numjit.pycuda: programs written for PyCUDA. A thin layer over the arrays of numjit.cupy.

import numjit.pycuda.autoinit
import numjit.pycuda.driver as cuda
from numjit.pycuda.compiler import SourceModule
"""

import importlib

VERSION = (2026, 1)
VERSION_STATUS = ""
VERSION_TEXT = "2026.1"

_SUBMODULES = frozenset(
    "autoinit autoprimaryctx driver compiler gpuarray elementwise reduction scan cumath curandom "
    "tools characterize".split()
)


def __getattr__(name):
    if name in _SUBMODULES:
        return importlib.import_module(f"numjit.pycuda.{name}")
    raise AttributeError(f"module 'numjit.pycuda' has no attribute {name!r}")
