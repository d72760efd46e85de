"""cupy.cuda.driver: names of the CUDA driver."""

from __future__ import annotations

import ctypes

from numjit.cuda.cudadrv import devices
from numjit.cuda.cudadrv.error import CudaAPIError as CUDADriverError

from .driver_calls import on_a_gpu
from .runtime import driverGetVersion, runtimeGetVersion


def get_build_version():
    """Of CUDA: nothing is built here, so it is what runs."""
    return runtimeGetVersion()


def _is_cuda_python():
    """Whether NVIDIA's `cuda` package is in between: the driver is called directly."""
    return False


def ctxGetCurrent():
    """The address of the driver's context of this thread; 0: none yet."""
    return on_a_gpu("contexts").get("cuCtxGetCurrent", ctypes.c_void_p) or 0


def ctxGetDevice():
    """The number of the device of this thread's context."""
    return devices.get_context().device.id


def streamGetCtx(stream):
    """The address of the context of a stream."""
    context = ctypes.c_void_p()
    on_a_gpu("contexts")("cuStreamGetCtx", stream or None, ctypes.byref(context))
    return context.value


__all__ = ["CUDADriverError", "driverGetVersion", "get_build_version", "ctxGetCurrent",
           "ctxGetDevice", "streamGetCtx"]  # fmt: skip
