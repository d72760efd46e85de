"""Memory, streams and events for programs: what numjit.cuda exports of the host's side."""

from __future__ import annotations

import contextlib
import math

import numpy as np

from .cudadrv import devices
from .cudadrv.devicearray import (
    DeviceNDArray,
    MappedNDArray,
    as_cuda_array,
    as_shape,
    auto_device,
    from_cuda_array_interface,  # noqa: F401
    is_cuda_array,  # noqa: F401
    layout_like,
    strides_for,
)
from .cudadrv.devices import (  # noqa: F401
    close,
    defer_cleanup,
    get_current_device,
    gpus,
    list_devices,
    require_context,
    select_device,
)
from .cudadrv.driver import (  # noqa: F401
    Event,
    Memory,
    Stream,
    event_elapsed_time,
    get_driver,
    pending,
    simulated,
)
from .cudadrv.error import CudaDriverError, CudaSupportError
from .cudadrv.memory import IpcHandle

# Flags of cuMemHostAlloc and cuMemHostRegister.
_PORTABLE, _MAPPED, _WRITE_COMBINED = 1, 2, 4


def current_context(devnum=None):
    """The context of this thread's device."""
    return devices.get_context(devnum)


def synchronize():
    """Waits for all work of the current device."""
    return current_context().synchronize()


# -- arrays on the device -----------------------------------------------------------------------


def to_device(obj, stream=0, copy=True, to=None):
    """A copy of an array on the device, in a new array or in `to`."""
    if to is None:
        current_context()
        array, new = auto_device(np.asarray(obj) if _is_plain(obj) else obj, stream, copy)
        return array
    if copy:
        to.copy_to_device(obj, stream=stream)
    return to


def _is_plain(obj):
    return not hasattr(obj, "__cuda_array_interface__") and not isinstance(obj, np.void)


def device_array(shape, dtype=np.float64, strides=None, order="C", stream=0):
    """An array on the device whose elements have no value yet."""
    shape, dtype = as_shape(shape), np.dtype(dtype)
    current_context()
    return DeviceNDArray(shape, strides or strides_for(shape, dtype, order), dtype, stream)


def _like(ary):
    return ary if isinstance(ary, np.ndarray | DeviceNDArray) else as_cuda_array(ary)


def device_array_like(ary, stream=0):
    """An array on the device with the shape and the dtype of another one."""
    ary = _like(ary)
    return device_array(ary.shape, ary.dtype, layout_like(ary), stream=stream)


# -- memory of the host -------------------------------------------------------------------------


class _HostMemory:
    """What an array over memory of the driver refers to."""

    def __init__(self, pointer, size, context, release):
        self.pointer, self.size, self._context, self._release = pointer, size, context, release
        self.__array_interface__ = {
            "shape": (size,),
            "typestr": "|u1",
            "data": (pointer, False),
            "version": 3,
        }

    def __del__(self):
        with contextlib.suppress(Exception):
            pending.add(self._context, self._release, self.pointer)


def _over(memory, shape, dtype, strides, order):
    shape = as_shape(shape)
    bytes_ = np.asarray(memory)
    return np.ndarray(
        shape,
        dtype,
        bytes_,
        strides=strides_for(shape, np.dtype(dtype), order) if strides is None else strides,
    )


def _bytes_of(shape, dtype):
    return max(1, math.prod(as_shape(shape)) * np.dtype(dtype).itemsize)


def pinned_array(shape, dtype=np.float64, strides=None, order="C"):
    """An array of the host in memory that is never paged out: copies are fast and asynchronous."""
    context, driver, size = current_context(), get_driver(), _bytes_of(shape, dtype)
    memory = _HostMemory(driver.alloc_host(size, 0), size, context, driver.free_host)
    return _over(memory, shape, dtype, strides, order)


def pinned_array_like(ary):
    ary = _like(ary)
    return pinned_array(ary.shape, ary.dtype, layout_like(ary))


def mapped_array(
    shape, dtype=np.float64, strides=None, order="C", stream=0, portable=False, wc=False
):
    """An array of the host that the device reads and writes in place."""
    context, driver, size = current_context(), get_driver(), _bytes_of(shape, dtype)
    flags = _MAPPED | (_PORTABLE if portable else 0) | (_WRITE_COMBINED if wc else 0)
    pointer = driver.alloc_host(size, flags)
    memory = _HostMemory(pointer, size, context, driver.free_host)
    array = _over(memory, shape, dtype, strides, order)
    return _mapped(array, memory, driver.device_pointer_of_host(pointer), context, stream)


def mapped_array_like(ary, stream=0, portable=False, wc=False):
    ary = _like(ary)
    strides = layout_like(ary)
    return mapped_array(ary.shape, ary.dtype, strides, stream=stream, portable=portable, wc=wc)


def managed_array(shape, dtype=np.float64, strides=None, order="C", stream=0, attach_global=True):
    """An array that moves between the host and the device as it is used."""
    context, driver, size = current_context(), get_driver(), _bytes_of(shape, dtype)
    pointer = driver.alloc_managed(size, attach_global)
    memory = _HostMemory(pointer, size, context, driver.free)
    array = _over(memory, shape, dtype, strides, order)
    return _mapped(array, memory, pointer, context, stream)


def _mapped(array, memory, device_pointer, context, stream):
    array = array.view(MappedNDArray)
    array.gpu_data = Memory(device_pointer, memory.size, context, owner=memory)
    array.stream = stream
    return array


@contextlib.contextmanager
def pinned(*arylist):
    """A context in which arrays of the host are never paged out."""
    with contextlib.ExitStack() as stack:
        for ary in arylist:
            _register(ary, 0, stack)
        yield


@contextlib.contextmanager
def mapped(*arylist, **kws):
    """A context in which the device can use arrays of the host: yields device arrays."""
    stream = kws.pop("stream", 0)
    with contextlib.ExitStack() as stack:
        arrays = []
        for ary in arylist:
            _register(ary, _MAPPED, stack)
            pointer = get_driver().device_pointer_of_host(ary.ctypes.data)
            memory = Memory(pointer, ary.nbytes, current_context(), owner=ary)
            arrays.append(DeviceNDArray(ary.shape, ary.strides, ary.dtype, stream, memory))
        try:
            yield arrays[0] if len(arrays) == 1 else arrays
        finally:
            synchronize()


def _register(ary, flags, stack):
    current_context()
    if not (ary.flags.c_contiguous or ary.flags.f_contiguous):
        raise ValueError("only contiguous arrays can be pinned")
    pointer = ary.ctypes.data
    get_driver().register_host(pointer, ary.nbytes, flags)
    stack.callback(get_driver().unregister_host, pointer)


# -- streams and events -------------------------------------------------------------------------


def stream():
    """A new stream."""
    return current_context().create_stream()


def default_stream():
    return current_context().get_default_stream()


def legacy_default_stream():
    return Stream(1, current_context(), text="Legacy default CUDA stream")


def per_thread_default_stream():
    return Stream(2, current_context(), text="Per-thread default CUDA stream")


def external_stream(ptr):
    """A stream of another library, by its handle."""
    if ptr is None:
        raise RuntimeError("Cannot create a stream from a null pointer")
    return Stream(ptr, current_context(), text=f"External CUDA stream {ptr}", external=True)


def event(timing=True):
    """A new event."""
    return current_context().create_event(timing)


# -- the machine --------------------------------------------------------------------------------


def is_available():
    """Whether there is a driver and a GPU."""
    try:
        return get_driver().device_count() > 0
    except (CudaSupportError, CudaDriverError, OSError):
        return False


def is_simulated():
    """Whether kernels run on the processor."""
    return simulated()


def cuda_error():
    """Why the driver does not work, as text, or None."""
    try:
        get_driver()
    except CudaSupportError as error:
        return str(error)


def is_supported_version():
    return True


def is_float16_supported():
    return current_context().device.supports_float16


def is_bfloat16_supported():
    return current_context().device.compute_capability >= (8, 0)


def is_fp8_supported():
    return current_context().device.compute_capability >= (8, 9)


def detect():
    """Prints the devices; whether one of them is supported."""
    found = list(list_devices())
    print(f"Found {len(found)} CUDA devices")
    supported = 0
    for each in found:
        major, minor = each.compute_capability
        good = (major, minor) >= (5, 0)
        supported += good
        print(f"id {each.id}    {each.name!r:>40}    [{'SUPPORTED' if good else 'NOT SUPPORTED'}]")
        print(f"{'Compute Capability':>40}: {major}.{minor}")
        print(f"{'PCI Device ID':>40}: {each.PCI_DEVICE_ID}")
        print(f"{'PCI Bus ID':>40}: {each.PCI_BUS_ID}")
        print(f"{'UUID':>40}: {each.uuid}")
    print("Summary:")
    print(f"\t{supported}/{len(found)} devices are supported")
    return supported > 0


def profile_start():
    """Starts the profiler."""
    current_context()
    get_driver().start_profiler()


def profile_stop():
    get_driver().stop_profiler()


@contextlib.contextmanager
def profiling():
    """A context that is profiled."""
    profile_start()
    yield
    profile_stop()


class _Runtime:
    """cuda.runtime."""

    def get_version(self):
        number = get_driver().version()
        return number // 1000, number % 1000 // 10

    def is_supported_version(self):
        return True

    @property
    def supported_versions(self):
        return (self.get_version(),)


runtime = _Runtime()


@contextlib.contextmanager
def open_ipc_array(handle, shape, dtype, strides=None, offset=0):
    """A context with an array of another process, by the bytes of its handle."""
    dtype = np.dtype(dtype)
    opened = IpcHandle(None, handle, _bytes_of(shape, dtype), offset=offset)
    yield opened.open_array(current_context(), as_shape(shape), dtype, strides)
    opened.close()
