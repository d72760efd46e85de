"""Functions of the driver that only cupy.cuda's names need: graphs, memory in the order of a
stream, what is known of an address."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_int, c_size_t, c_uint, c_uint64, c_void_p

from numjit.cuda.cudadrv import calls
from numjit.cuda.cudadrv.driver import get_driver

calls._FUNCTIONS.update(
    {
        "cuStreamBeginCapture_v2": (c_void_p, c_int),
        "cuStreamEndCapture": (c_void_p, POINTER(c_void_p)),
        "cuStreamIsCapturing": (c_void_p, POINTER(c_int)),
        "cuStreamCreateWithPriority": (POINTER(c_void_p), c_uint, c_int),
        "cuStreamGetPriority": (c_void_p, POINTER(c_int)),
        "cuStreamGetFlags": (c_void_p, POINTER(c_uint)),
        "cuGraphInstantiateWithFlags": (POINTER(c_void_p), c_void_p, ctypes.c_ulonglong),
        "cuGraphLaunch": (c_void_p, c_void_p),
        "cuGraphUpload": (c_void_p, c_void_p),
        "cuGraphExecDestroy": (c_void_p,),
        "cuGraphDestroy": (c_void_p,),
        "cuMemAllocAsync": (POINTER(c_uint64), c_size_t, c_void_p),
        "cuMemFreeAsync": (c_uint64, c_void_p),
        "cuMemPrefetchAsync": (c_uint64, c_size_t, c_int, c_void_p),
        "cuDeviceGetDefaultMemPool": (POINTER(c_void_p), c_int),
        "cuMemPoolTrimTo": (c_void_p, c_size_t),
        "cuMemPoolGetAttribute": (c_void_p, c_int, POINTER(c_uint64)),
        "cuMemPoolSetAttribute": (c_void_p, c_int, POINTER(c_uint64)),
        "cuCtxGetLimit": (POINTER(c_size_t), c_int),
        "cuPointerGetAttribute": (c_void_p, c_int, c_uint64),
    }
)


def on_a_gpu(what):
    """The driver; RuntimeError in the simulator."""
    found = get_driver()
    if found.simulated:
        raise RuntimeError(f"{what} need a GPU: the simulator has none")
    return found
