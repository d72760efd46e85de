"""Exceptions of pycuda.driver."""

from __future__ import annotations

from numjit.cuda.cudadrv.error import CudaAPIError
from numjit.cupy.pool import OutOfMemoryError as MemoryError  # noqa: F401


class Error(Exception):
    """What PyCUDA raises."""


class CompileError(Error):
    """C++ that cannot be compiled."""

    def __init__(self, msg, command_line="nvrtc", stdout=None, stderr=None):
        super().__init__(msg, command_line, stdout, stderr)
        self.msg, self.command_line, self.stdout, self.stderr = msg, command_line, stdout, stderr

    def __str__(self):
        return self.msg


#: What the driver reports, in all three cases.
LogicError = LaunchError = RuntimeError = CudaAPIError
