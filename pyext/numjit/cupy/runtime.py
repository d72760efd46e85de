"""cupy.cuda.runtime: names of the CUDA runtime, over the driver."""

from __future__ import annotations

from numjit.cuda.cudadrv import devices, nvrtc
from numjit.cuda.cudadrv.driver import get_driver
from numjit.cuda.cudadrv.error import CudaAPIError as CUDARuntimeError
from numjit.cuda.cudadrv.error import NvrtcSupportError

from . import upcalls
from .pending import evaluate_all

is_hip = False
memcpyHostToHost, memcpyHostToDevice, memcpyDeviceToHost, memcpyDeviceToDevice = range(4)
memcpyDefault = 4
cudaErrorMemoryAllocation, cudaErrorInvalidValue = 2, 1
streamDefault, streamNonBlocking = 0, 1
eventDefault, eventBlockingSync, eventDisableTiming = 0, 1, 2
hostAllocDefault, hostAllocPortable, hostAllocMapped, hostAllocWriteCombined = 0, 1, 2, 4
cudaDevAttrComputeCapabilityMajor, cudaDevAttrComputeCapabilityMinor = 75, 76
cudaDevAttrMultiProcessorCount, cudaDevAttrMaxThreadsPerBlock, cudaDevAttrWarpSize = 16, 1, 10


def getDeviceCount():
    return len(devices.gpus)


def getDevice():
    return devices.get_context().device.id


def setDevice(device):
    if not 0 <= device < len(devices.gpus):
        raise CUDARuntimeError(101)
    devices.get_context(device)


def deviceSynchronize():
    evaluate_all()
    devices.get_context()
    get_driver().synchronize()


def driverGetVersion():
    return get_driver().version()


def runtimeGetVersion():
    """Of the toolkit's compiler where there is one, else of the driver."""
    try:
        major, minor = nvrtc.version()
    except NvrtcSupportError:
        return driverGetVersion()
    return 1000 * major + 10 * minor


_getLocalRuntimeVersion = runtimeGetVersion


def memGetInfo():
    devices.get_context()
    return get_driver().memory_info()


def deviceGetAttribute(attrib, device):
    one = devices.gpus.lst[device]
    return get_driver().attribute(attrib, one._handle)


def device_attributes(device):
    """Attributes by the runtime's names."""
    found = {}
    for name, number in devices._ATTRIBUTES.items():
        words = name.title().replace("_", "").replace("Multiprocessor", "MultiProcessor")
        found[words] = get_driver().attribute(number, device._handle)
    return found


def getDeviceProperties(device):
    """Properties of a device by the runtime's names."""
    one = devices.gpus.lst[device]
    major, minor = one.compute_capability
    with one.get_primary_context().entered():
        total = get_driver().memory_info()[1]
    return {
        "name": one.name,
        "totalGlobalMem": total,
        "sharedMemPerBlock": one.MAX_SHARED_MEMORY_PER_BLOCK,
        "sharedMemPerBlockOptin": one.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
        "sharedMemPerMultiprocessor": one.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
        "regsPerBlock": one.MAX_REGISTERS_PER_BLOCK,
        "warpSize": one.WARP_SIZE,
        "maxThreadsPerBlock": one.MAX_THREADS_PER_BLOCK,
        "maxThreadsDim": (one.MAX_BLOCK_DIM_X, one.MAX_BLOCK_DIM_Y, one.MAX_BLOCK_DIM_Z),
        "maxGridSize": (one.MAX_GRID_DIM_X, one.MAX_GRID_DIM_Y, one.MAX_GRID_DIM_Z),
        "clockRate": one.CLOCK_RATE,
        "memoryClockRate": one.MEMORY_CLOCK_RATE,
        "memoryBusWidth": one.GLOBAL_MEMORY_BUS_WIDTH,
        "l2CacheSize": one.L2_CACHE_SIZE,
        "totalConstMem": one.TOTAL_CONSTANT_MEMORY,
        "major": major,
        "minor": minor,
        "multiProcessorCount": one.MULTIPROCESSOR_COUNT,
        "maxThreadsPerMultiProcessor": one.MAX_THREADS_PER_MULTI_PROCESSOR,
        "integrated": one.INTEGRATED,
        "canMapHostMemory": one.CAN_MAP_HOST_MEMORY,
        "computeMode": one.COMPUTE_MODE,
        "concurrentKernels": one.CONCURRENT_KERNELS,
        "ECCEnabled": one.ECC_ENABLED,
        "pciBusID": one.PCI_BUS_ID,
        "pciDeviceID": one.PCI_DEVICE_ID,
        "pciDomainID": one.PCI_DOMAIN_ID,
        "unifiedAddressing": one.UNIFIED_ADDRESSING,
        "cooperativeLaunch": one.COOPERATIVE_LAUNCH,
    }


def deviceCanAccessPeer(device, peer):
    return int(devices.gpus.lst[device].get_primary_context().can_access_peer(peer))


def malloc(size):
    devices.get_context()
    return get_driver().alloc(size)


def free(ptr):
    get_driver().free(ptr)


def _kind(kind):
    names = {1: "HtoD", 2: "DtoH", 3: "DtoD"}
    if kind not in names:
        raise CUDARuntimeError(cudaErrorInvalidValue)
    return names[kind]


def _before_copy():
    evaluate_all()


def memcpy(dst, src, size, kind):
    _before_copy()
    get_driver().copy(_kind(kind), dst, src, size, None)


def memcpyAsync(dst, src, size, kind, stream):
    _before_copy()
    get_driver().copy(_kind(kind), dst, src, size, stream or None)


def memset(ptr, value, size):
    _before_copy()
    get_driver().fill(ptr, value, size, None)


def memsetAsync(ptr, value, size, stream):
    _before_copy()
    get_driver().fill(ptr, value, size, stream or None)


def hostAlloc(size, flags):
    devices.get_context()
    return get_driver().alloc_host(size, flags)


def freeHost(ptr):
    get_driver().free_host(ptr)


def streamSynchronize(stream):
    evaluate_all()
    get_driver().synchronize_stream(stream)


def profilerStart():
    devices.get_context()
    get_driver().start_profiler()


def profilerStop():
    get_driver().stop_profiler()


def __getattr__(name):
    text = f"module 'numjit.cupy.cuda.runtime' has no attribute {name!r}"
    if name.startswith("__"):  # which importing asks for
        raise AttributeError(text)
    found = upcalls.runtime_names.own(name)
    if found is None:
        why = upcalls.runtime_names.REASONS.get(name)
        raise AttributeError(f"{text}: {why}" if why else text)
    return found
