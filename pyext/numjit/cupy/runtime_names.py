"""More names of cupy.cuda.runtime: constants, events, streams, graphs, memory."""

from __future__ import annotations

import ctypes

from numjit.cuda.cudadrv import calls, devices
from numjit.cuda.cudadrv.driver import get_driver
from numjit.cuda.cudadrv.error import CudaAPIError

from . import graphs, runtime_arrays
from .devices import Device, _ExternalStream
from .driver_calls import copy_rows, on_a_gpu
from .pending import evaluate_all
from .runtime import CUDARuntimeError
from .runtime_constants import CONSTANTS as _OF_HEADERS

#: Constants of CUDA's headers.
CONSTANTS = {
    "streamCaptureModeGlobal": 0, "streamCaptureModeThreadLocal": 1, "streamCaptureModeRelaxed": 2,
    "streamCaptureStatusNone": 0, "streamCaptureStatusActive": 1,
    "streamCaptureStatusInvalidated": 2,
    "streamLegacy": 1, "streamPerThread": 2, "eventInterprocess": 4,
    "memoryTypeUnregistered": 0, "memoryTypeHost": 1, "memoryTypeDevice": 2, "memoryTypeManaged": 3,
    "cudaMemoryTypeHost": 1, "cudaMemoryTypeDevice": 2, "cudaCpuDeviceId": -1,
    "cudaInvalidDeviceId": -2, "cudaLimitStackSize": 0, "cudaLimitPrintfFifoSize": 1,
    "cudaLimitMallocHeapSize": 2, "cudaLimitDevRuntimeSyncDepth": 3,
    "cudaLimitDevRuntimePendingLaunchCount": 4, "cudaLimitMaxL2FetchGranularity": 5,
    "cudaMemAttachGlobal": 1, "cudaMemAttachHost": 2, "cudaMemAttachSingle": 4,
    "cudaIpcMemLazyEnablePeerAccess": 1, "cudaMemPoolReuseFollowEventDependencies": 1,
    "cudaMemPoolReuseAllowOpportunistic": 2, "cudaMemPoolReuseAllowInternalDependencies": 3,
    "cudaMemPoolAttrReleaseThreshold": 4, "cudaMemPoolAttrReservedMemCurrent": 5,
    "cudaMemPoolAttrReservedMemHigh": 6, "cudaMemPoolAttrUsedMemCurrent": 7,
    "cudaMemPoolAttrUsedMemHigh": 8, "CUDA_R_32F": 0, "CUDA_R_64F": 1, "CUDA_R_16F": 2,
    "CUDA_R_8I": 3, "CUDA_C_32F": 4, "CUDA_C_64F": 5, "CUDA_C_16F": 6, "CUDA_C_8I": 7,
    "CUDA_R_8U": 8, "CUDA_C_8U": 9, "CUDA_R_16BF": 14, "CUDA_C_16BF": 15, "CUDA_R_8F_E4M3": 28,
    "CUDA_R_8F_E5M2": 29, "errorInvalidValue": 1, "errorMemoryAllocation": 2,
    "errorInvalidResourceHandle": 400, "errorPeerAccessAlreadyEnabled": 704,
    "errorContextIsDestroyed": 709, "deviceAttributeComputeCapabilityMajor": 75,
    "deviceAttributeComputeCapabilityMinor": 76,
}  # fmt: skip
CONSTANTS |= _OF_HEADERS
CONSTANTS |= {
    "cudaDevAttr"
    + name.title().replace("_", "").replace("Multiprocessor", "MultiProcessor"): number
    for name, number in devices._ATTRIBUTES.items()
}


def check_status(status):
    """Raises what a function of the runtime has returned."""
    if status:
        raise CUDARuntimeError(status)


def _create(name, *arguments):
    devices.get_context()
    return on_a_gpu("handles of streams and events").get(name, ctypes.c_void_p, *arguments)


def streamCreate():
    return _create("cuStreamCreate", 0)


def streamCreateWithFlags(flags):
    return _create("cuStreamCreate", flags)


def streamCreateWithPriority(flags, priority):
    return _create("cuStreamCreateWithPriority", flags, priority)


def streamDestroy(stream):
    get_driver().destroy_stream(stream)


def streamQuery(stream):
    return 0 if get_driver().stream_is_done(stream) else 600


def streamWaitEvent(stream, event, flags=0):
    get_driver().wait_event(stream or None, event)


def streamGetPriority(stream):
    value = ctypes.c_int()
    on_a_gpu("priorities")("cuStreamGetPriority", stream or None, ctypes.byref(value))
    return value.value


def streamGetFlags(stream):
    value = ctypes.c_uint()
    on_a_gpu("flags of streams")("cuStreamGetFlags", stream or None, ctypes.byref(value))
    return value.value


def streamBeginCapture(stream, mode=2):
    graphs.begin_capture(stream, mode)


def streamEndCapture(stream):
    return graphs.end_capture(stream)


def streamIsCapturing(stream):
    return on_a_gpu("graphs").is_capturing(stream)


def graphInstantiate(graph):
    return on_a_gpu("graphs").get("cuGraphInstantiateWithFlags", ctypes.c_void_p, graph, 0)


def graphLaunch(graphExec, stream):
    evaluate_all()
    on_a_gpu("graphs")("cuGraphLaunch", graphExec, stream or None)


def graphUpload(graphExec, stream):
    on_a_gpu("graphs")("cuGraphUpload", graphExec, stream or None)


def graphExecDestroy(graphExec):
    on_a_gpu("graphs")("cuGraphExecDestroy", graphExec)


def graphDestroy(graph):
    on_a_gpu("graphs")("cuGraphDestroy", graph)


def eventCreate():
    return eventCreateWithFlags(0)


def eventCreateWithFlags(flags):
    devices.get_context()
    return get_driver().create_event(not flags & 2)


def eventDestroy(event):
    get_driver().destroy_event(event)


def eventRecord(event, stream):
    evaluate_all()
    get_driver().record_event(event, stream or None)


def eventSynchronize(event):
    get_driver().synchronize_event(event)


def eventQuery(event):
    return 0 if get_driver().event_is_done(event) else 600


def eventElapsedTime(start, end):
    return get_driver().elapsed_time(start, end)


def mallocManaged(size, flags=1):
    devices.get_context()
    return get_driver().alloc_managed(size, flags == 1)


def mallocAsync(size, stream):
    devices.get_context()
    found = on_a_gpu("stream-ordered allocations")
    return found.get("cuMemAllocAsync", ctypes.c_uint64, size, stream or None)


def freeAsync(ptr, stream):
    on_a_gpu("stream-ordered allocations")("cuMemFreeAsync", ptr, stream or None)


def deviceGetDefaultMemPool(device):
    found = on_a_gpu("pools")
    handle = devices.gpus.lst[device]._handle
    return found.get("cuDeviceGetDefaultMemPool", ctypes.c_void_p, handle)


def memPoolTrimTo(pool, size):
    on_a_gpu("pools")("cuMemPoolTrimTo", pool, size)


def memPoolGetAttribute(pool, attribute):
    value = ctypes.c_uint64()
    on_a_gpu("pools")("cuMemPoolGetAttribute", pool, attribute, ctypes.byref(value))
    return value.value


def memPoolSetAttribute(pool, attribute, value):
    number = ctypes.c_uint64(value)
    on_a_gpu("pools")("cuMemPoolSetAttribute", pool, attribute, ctypes.byref(number))


def memcpyPeer(dst, dstDevice, src, srcDevice, size):
    evaluate_all()
    get_driver().copy("DtoD", dst, src, size, None)


def memcpyPeerAsync(dst, dstDevice, src, srcDevice, size, stream):
    evaluate_all()
    get_driver().copy("DtoD", dst, src, size, stream or None)


def deviceGetLimit(limit):
    devices.get_context()
    return on_a_gpu("limits").get("cuCtxGetLimit", ctypes.c_size_t, limit)


def deviceSetLimit(limit, value):
    devices.get_context()
    get_driver().set_limit(limit, value)


def deviceGetPCIBusId(device):
    return Device(device).pci_bus_id


def deviceEnablePeerAccess(peer):
    devices.gpus.lst[peer].get_primary_context()
    context = devices.get_context()
    context.enable_peer_access(devices.gpus.lst[peer].get_primary_context())


def launchHostFunc(stream, callback, arg):
    _ExternalStream(stream).launch_host_func(callback, arg)


def deviceGetByPCIBusId(pciBusId):
    wanted = [int(part, 16) for part in pciBusId.replace(".", ":").split(":")]
    for device in range(len(devices.gpus)):
        found = Device(device).pci_bus_id.replace(".", ":").split(":")
        if [int(part, 16) for part in found] == wanted:
            return device
    raise CUDARuntimeError(1)


def deviceDisablePeerAccess(peer):
    on_a_gpu("accesses between devices")
    devices.get_context().disable_peer_access(devices.gpus.lst[peer].get_primary_context())


def deviceGetMemPool(device):
    handle = devices.gpus.lst[device]._handle
    return on_a_gpu("pools").get("cuDeviceGetMemPool", ctypes.c_void_p, handle)


def deviceSetMemPool(device, pool):
    on_a_gpu("pools")("cuDeviceSetMemPool", devices.gpus.lst[device]._handle, pool)


def mallocFromPoolAsync(size, pool, stream):
    found = on_a_gpu("stream-ordered allocations")
    return found.get("cuMemAllocFromPoolAsync", ctypes.c_uint64, size, pool, stream or None)


def memPoolDestroy(pool):
    on_a_gpu("pools")("cuMemPoolDestroy", pool)


def memPrefetchAsync(devPtr, count, dstDevice, stream):
    found = on_a_gpu("managed memory")
    found("cuMemPrefetchAsync", devPtr, count, dstDevice, stream or None)


def memAdvise(devPtr, count, advice, device):
    on_a_gpu("managed memory")("cuMemAdvise", devPtr, count, advice, device)


def hostRegister(ptr, size, flags):
    devices.get_context()
    get_driver().register_host(ptr, size, flags)


def hostUnregister(ptr):
    get_driver().unregister_host(ptr)


def memcpy2D(dst, dpitch, src, spitch, width, height, kind):
    """Copies `height` rows of `width` bytes that have a distance of their own on each side."""
    memcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, 0)
    get_driver().synchronize_stream(0)


def memcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, stream):
    evaluate_all()
    devices.get_context()
    if not 0 < kind < 4:
        raise CUDARuntimeError(1)
    copy_rows(("HtoD", "DtoH", "DtoD")[kind - 1], dst, dpitch, src, spitch, width, height, stream)


def ipcGetMemHandle(devPtr):
    return bytes(get_driver().ipc_handle(devPtr))


def ipcOpenMemHandle(handle, flags=1):
    devices.get_context()
    return get_driver().open_ipc(handle)


def ipcCloseMemHandle(devPtr):
    get_driver().close_ipc(devPtr)


def ipcGetEventHandle(event):
    bits = ctypes.create_string_buffer(64)
    on_a_gpu("handles of events")("cuIpcGetEventHandle", bits, event)
    return bits.raw


def ipcOpenEventHandle(handle):
    devices.get_context()
    bits = calls._IpcBytes.from_buffer_copy(handle)
    return on_a_gpu("handles of events").get("cuIpcOpenEventHandle", ctypes.c_void_p, bits)


class PointerAttributes:
    """What is known of an address: the device, the addresses of both sides (0: none), and which
    memory it is (memoryTypeHost and the like)."""

    def __init__(self, device, devicePointer, hostPointer, type_=2):
        self.device, self.type = device, type_
        self.devicePointer, self.hostPointer = devicePointer, hostPointer


def pointerGetAttributes(ptr):
    devices.get_context()
    found = on_a_gpu("attributes of addresses")

    def ask(number, kind):
        try:
            return found.get("cuPointerGetAttribute", kind, number, ptr) or 0
        except CudaAPIError:
            return None

    kind = ask(2, ctypes.c_uint)
    if kind is None:
        return PointerAttributes(-2, 0, ptr, 0)
    if ask(8, ctypes.c_uint):
        kind = 3
    return PointerAttributes(
        ask(9, ctypes.c_int), ask(3, ctypes.c_uint64) or 0, ask(4, ctypes.c_void_p) or 0, kind
    )


def pointerGetMemoryType(ptr):
    return pointerGetAttributes(ptr).type


def streamAddCallback(stream, callback, arg, flags=0):
    _ExternalStream(stream).add_callback(callback, arg)


def graphDebugDotPrint(graph, path, flags):
    on_a_gpu("graphs")("cuGraphDebugDotPrint", graph, path.encode(), flags)


#: Names of CuPy's that are not here, and why.
REASONS = {
    "getTextureObjectResourceDesc": "ask the texture object for its ResDesc",
    "getTextureObjectTextureDesc": "ask the texture object for its TexDesc",
    "profilerInitialize": "CUDA no longer has it; use profilerStart",
}


def own(name):
    """The constant or function of this module or of runtime_arrays; None if there is none."""
    found = CONSTANTS.get(name)
    if found is not None:
        return found
    for module in (globals(), vars(runtime_arrays)):
        found = module.get(name)
        if getattr(found, "__module__", None) == module["__name__"] and not name.startswith("_"):
            return found
    return None
