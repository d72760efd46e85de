"""Functions of the driver that only cupy.cuda's names need: graphs, memory in the order of a
stream, what is known of an address."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p

from numjit.cuda.cudadrv import calls
from numjit.cuda.cudadrv.driver import get_driver


class _Side(ctypes.Structure):
    _fields_ = (
        ("x", c_size_t), ("y", c_size_t), ("kind", c_int), ("host", c_void_p),
        ("device", c_uint64), ("array", c_void_p), ("pitch", c_size_t),
    )  # fmt: skip


class Rows(ctypes.Structure):
    """CUDA_MEMCPY2D."""

    _fields_ = (("source", _Side), ("target", _Side), ("width", c_size_t), ("height", c_size_t))


calls._FUNCTIONS.update(
    {
        "cuStreamBeginCapture_v2": (c_void_p, c_int),
        "cuStreamEndCapture": (c_void_p, POINTER(c_void_p)),
        "cuStreamCreateWithPriority": (POINTER(c_void_p), c_uint, c_int),
        "cuStreamGetCtx": (c_void_p, POINTER(c_void_p)),
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
        "cuCtxDisablePeerAccess": (c_void_p,),
        "cuDeviceGetMemPool": (POINTER(c_void_p), c_int),
        "cuDeviceSetMemPool": (c_int, c_void_p),
        "cuMemAllocFromPoolAsync": (POINTER(c_uint64), c_size_t, c_void_p, c_void_p),
        "cuMemPoolDestroy": (c_void_p,),
        "cuMemAdvise": (c_uint64, c_size_t, c_int, c_int),
        "cuIpcGetEventHandle": (c_char_p, c_void_p),
        "cuIpcOpenEventHandle": (POINTER(c_void_p), calls._IpcBytes),
        "cuGraphDebugDotPrint": (c_void_p, c_char_p, c_uint),
        "cuMemcpy2DAsync_v2": (POINTER(Rows), c_void_p),
    }
)


def on_a_gpu(what):
    """The driver; RuntimeError in the simulator."""
    found = get_driver()
    if found.simulated:
        raise RuntimeError(f"{what} need a GPU: the simulator has none")
    return found


def _side(letter, place, pitch):
    host = letter == "H"
    return _Side(0, 0, 1 if host else 2, place if host else None, 0 if host else place, None, pitch)


def copy_rows(kind, to, to_pitch, source, source_pitch, width, height, stream):
    """Copies rows of bytes; `kind` is HtoD, DtoH or DtoD."""
    driver = get_driver()
    if not width or not height:
        return
    if driver.simulated:
        for row in range(height):
            driver.copy(kind, to + row * to_pitch, source + row * source_pitch, width, None)
        return
    rows = Rows(_side(kind[0], source, source_pitch), _side(kind[-1], to, to_pitch), width, height)
    driver("cuMemcpy2DAsync_v2", ctypes.byref(rows), stream or None)
