"""Errors of the driver and of what surrounds it, under Numba's names."""

import re

from numjit.errors import NumbaError


class CudaDriverError(Exception):
    """The driver is at fault, or used wrongly."""


class CudaAPIError(CudaDriverError, RuntimeError):
    """A function of the driver failed: its number and message. Programs for CuPy know it as
    CUDARuntimeError and CUDADriverError."""

    def __init__(self, code, msg=None):
        self.code = self.status = code
        self.msg = msg or f"the CUDA runtime reports the error {code}"
        super().__init__(code, self.msg)

    def __str__(self):
        name = re.search(r"CUDA_ERROR_\w+$", self.msg)
        if name is None:
            return f"[{self.code}] {self.msg}"
        words = name[0].removeprefix("CUDA_ERROR_").split("_")
        runtime = "MemoryAllocation" if self.code == 2 else "".join(map(str.capitalize, words))
        return f"[{self.code}] {self.msg} (cudaError{runtime})"


class CudaSupportError(ImportError):
    """There is no GPU, or no driver."""


class CudaRuntimeError(Exception):
    """The CUDA runtime failed."""


class CudaRuntimeAPIError(CudaRuntimeError):
    def __init__(self, code, msg):
        self.code, self.msg = code, msg
        super().__init__(code, msg)


class LinkerError(RuntimeError):
    """PTX or other code could not be loaded or linked."""


class NvvmError(Exception):
    """A kernel could not be made PTX."""


class NvvmSupportError(NumbaError, ImportError):
    """A part of the CUDA toolkit is missing."""


class NvrtcError(Exception):
    """CUDA C++ could not be compiled."""


class NvrtcSupportError(ImportError):
    """There is no NVRTC."""


class CCSupportError(RuntimeError):
    """The device is too old."""


class NvvmWarning(Warning):
    pass


class DeprecatedNeedsNvrtcError(NvrtcError):
    pass
