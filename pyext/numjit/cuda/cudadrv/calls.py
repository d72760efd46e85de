"""libcuda.so.1 by ctypes: a row for each function, errors as exceptions.

The launch of a kernel does not come here (pyext/gpu/launcher.cpp). The simulator stands in for
`Driver` with a class of its own (simulator.py), so everything else is the same there.
"""

from __future__ import annotations

import ctypes
import os
import threading
import weakref
from ctypes import POINTER, byref, c_char_p, c_float, c_int, c_size_t, c_uint, c_void_p

from numjit import _core, config
from numjit.upcalls import ask

from .error import CudaAPIError, CudaDriverError, CudaSupportError, LinkerError
from .linkable import as_linkable
from .simulator import SimulatedDriver

_P, _I, _U, _S = c_void_p, c_int, c_uint, c_size_t
_PTR = ctypes.c_uint64  # CUdeviceptr
_CONTEXT, _DEVICE_ORDINAL = 1, 9  # CU_POINTER_ATTRIBUTE_...


class IpcBits(bytes):
    """What another process opens memory by."""

    @property
    def reserved(self):
        return bytes(self)


class _Number:
    def __int__(self):
        return self.value or 0

    __index__ = __int__


class Handle(_Number, c_void_p):
    """What the driver knows a thing by; a number, too."""


class Pointer(_Number, _PTR):
    """An address on a device; a number, too."""


class _IpcBytes(ctypes.Structure):
    """CUipcMemHandle, which is passed by value."""

    _fields_ = (("reserved", ctypes.c_ubyte * 64),)


# Function of the driver: types of its parameters. All return a CUresult.
_FUNCTIONS = {
    "cuInit": (_U,),
    "cuDriverGetVersion": (POINTER(_I),),
    "cuDeviceGetCount": (POINTER(_I),),
    "cuDeviceGet": (POINTER(_I), _I),
    "cuDeviceGetName": (c_char_p, _I, _I),
    "cuDeviceGetAttribute": (POINTER(_I), _I, _I),
    "cuDeviceGetUuid_v2": (c_char_p, _I),
    "cuDeviceTotalMem_v2": (POINTER(_S), _I),
    "cuDevicePrimaryCtxRetain": (POINTER(_P), _I),
    "cuDevicePrimaryCtxReset_v2": (_I,),
    "cuDeviceCanAccessPeer": (POINTER(_I), _I, _I),
    "cuCtxGetCurrent": (POINTER(_P),),
    "cuCtxSetCurrent": (_P,),
    "cuCtxGetDevice": (POINTER(_I),),
    "cuCtxSynchronize": (),
    "cuCtxSetLimit": (_I, _S),
    "cuCtxEnablePeerAccess": (_P, _U),
    "cuCtxDisablePeerAccess": (_P,),
    "cuMemGetInfo_v2": (POINTER(_S), POINTER(_S)),
    "cuMemAlloc_v2": (POINTER(_PTR), _S),
    "cuMemAllocManaged": (POINTER(_PTR), _S, _U),
    "cuMemFree_v2": (_PTR,),
    "cuMemHostAlloc": (POINTER(_P), _S, _U),
    "cuMemFreeHost": (_P,),
    "cuMemHostRegister_v2": (_P, _S, _U),
    "cuMemHostUnregister": (_P,),
    "cuMemHostGetDevicePointer_v2": (POINTER(_PTR), _P, _U),
    "cuMemcpyHtoD_v2": (_PTR, _P, _S),
    "cuMemcpyDtoH_v2": (_P, _PTR, _S),
    "cuMemcpyDtoD_v2": (_PTR, _PTR, _S),
    "cuMemcpyHtoDAsync_v2": (_PTR, _P, _S, _P),
    "cuMemcpyDtoHAsync_v2": (_P, _PTR, _S, _P),
    "cuMemcpyDtoDAsync_v2": (_PTR, _PTR, _S, _P),
    "cuMemsetD8_v2": (_PTR, ctypes.c_ubyte, _S),
    "cuMemsetD8Async": (_PTR, ctypes.c_ubyte, _S, _P),
    "cuPointerGetAttribute": (_P, _I, _PTR),
    "cuStreamCreate": (POINTER(_P), _U),
    "cuStreamDestroy_v2": (_P,),
    "cuStreamSynchronize": (_P,),
    "cuStreamQuery": (_P,),
    "cuStreamWaitEvent": (_P, _P, _U),
    "cuLaunchHostFunc": (_P, _P, _P),
    "cuStreamBeginCapture_v2": (_P, _I),
    "cuStreamEndCapture": (_P, POINTER(_P)),
    "cuStreamIsCapturing": (_P, POINTER(_I)),
    "cuGraphInstantiateWithFlags": (POINTER(_P), _P, ctypes.c_uint64),
    "cuGraphLaunch": (_P, _P),
    "cuGraphDestroy": (_P,),
    "cuGraphExecDestroy": (_P,),
    "cuEventCreate": (POINTER(_P), _U),
    "cuEventDestroy_v2": (_P,),
    "cuEventRecord": (_P, _P),
    "cuEventSynchronize": (_P,),
    "cuEventQuery": (_P,),
    "cuEventElapsedTime": (POINTER(c_float), _P, _P),
    "cuModuleLoadDataEx": (POINTER(_P), _P, _U, POINTER(_I), POINTER(_P)),
    "cuModuleUnload": (_P,),
    "cuLibraryLoadData": (POINTER(_P), _P, POINTER(_I), POINTER(_P), _U, _P, _P, _U),
    "cuLibraryGetModule": (POINTER(_P), _P),
    "cuLibraryUnload": (_P,),
    "cuModuleGetFunction": (POINTER(_P), _P, c_char_p),
    "cuModuleGetGlobal_v2": (POINTER(_PTR), POINTER(_S), _P, c_char_p),
    "cuLinkCreate_v2": (_U, POINTER(_I), POINTER(_P), POINTER(_P)),
    "cuLinkAddData_v2": (_P, _I, _P, _S, c_char_p, _U, POINTER(_I), POINTER(_P)),
    "cuLinkComplete": (_P, POINTER(_P), POINTER(_S)),
    "cuLinkDestroy": (_P,),
    "cuLaunchKernel": (_P, _U, _U, _U, _U, _U, _U, _U, _P, _P, _P),
    "cuLaunchCooperativeKernel": (_P, _U, _U, _U, _U, _U, _U, _U, _P, _P),
    "cuFuncGetAttribute": (POINTER(_I), _I, _P),
    "cuFuncSetAttribute": (_P, _I, _I),
    "cuFuncSetCacheConfig": (_P, _I),
    "cuOccupancyMaxActiveBlocksPerMultiprocessor": (POINTER(_I), _P, _I, _S),
    "cuOccupancyMaxPotentialBlockSize": (POINTER(_I), POINTER(_I), _P, _P, _S, _I),
    "cuGetErrorName": (_I, POINTER(c_char_p)),
    "cuGetErrorString": (_I, POINTER(c_char_p)),
    "cuProfilerStart": (),
    "cuProfilerStop": (),
    "cuMemGetAddressRange_v2": (POINTER(_PTR), POINTER(_S), _PTR),
    "cuIpcGetMemHandle": (c_char_p, _PTR),
    "cuIpcOpenMemHandle_v2": (POINTER(_PTR), _IpcBytes, _U),
    "cuIpcCloseMemHandle": (_PTR,),
}

# Those that are called in threads without a context, too; the others work in the current one.
_WITHOUT_CONTEXT = frozenset(
    "cuInit cuDriverGetVersion cuDeviceGetCount cuDeviceGet cuDeviceGetName cuDeviceGetAttribute "
    "cuDeviceGetUuid_v2 cuDeviceTotalMem_v2 cuDevicePrimaryCtxRetain cuDevicePrimaryCtxReset_v2 "
    "cuDeviceCanAccessPeer cuCtxGetCurrent cuCtxSetCurrent cuCtxGetDevice cuGetErrorName "
    "cuGetErrorString".split()
)

_ADDRESSES = (
    "cuLaunchKernel",
    "cuLaunchCooperativeKernel",
    "cuCtxGetCurrent",
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuStreamIsCapturing",
)

NOT_READY = 600  # CUDA_ERROR_NOT_READY
PER_THREAD_STREAM = 2  # CU_STREAM_PER_THREAD

# Attributes of a function.
MAX_THREADS, SHARED_BYTES, CONST_BYTES, LOCAL_BYTES, REGISTERS = range(5)
MAX_DYNAMIC_SHARED, SHARED_CARVEOUT = 8, 9


def in_words(size: int) -> int:
    """The bytes to allocate for `size`: atomic operations on elements of one or two bytes read and
    write the word around them."""
    return max((size + 3) & ~3, 4)


class Driver:
    """The functions of libcuda that numjit uses, for any thread: before a function that works in
    the current context, the one that the thread has chosen (devices.py) is made current."""

    simulated = False

    def __init__(self):
        if config.DISABLE_CUDA:
            raise CudaSupportError("CUDA is disabled due to setting NUMBA_DISABLE_CUDA=1")
        path = config.CUDA_DRIVER
        if not path or os.path.isdir(path):
            path = os.path.join(path, "libcuda.so.1")
        try:
            self._library = ctypes.CDLL(path)
        except OSError as error:
            raise CudaSupportError(
                "CUDA driver library cannot be found: there is no libcuda.so.1 "
                f"({error}). A machine without a GPU can run kernels in the simulator: set "
                "NUMJIT_CUDA_SIMULATOR=1 before numjit.cuda is imported."
            ) from None
        self._functions = {}
        status = self.status("cuInit", 0)
        if status:
            what = f"Call to cuInit results in {self.error_name(status)} ({status})"
            raise CudaSupportError(f"Error at driver init: {what}")
        os.register_at_fork(after_in_child=_forget_driver)
        _core.set_driver_functions(
            *(ctypes.cast(self._library[name], c_void_p).value for name in _ADDRESSES)
        )

    def _function(self, name):
        function = self._functions.get(name)
        if function is None:
            function = self._library[name]
            function.argtypes, function.restype = _FUNCTIONS[name], c_int
            self._functions[name] = function
        return function

    def status(self, name, *args):
        """Calls a function; what it reports."""
        if name not in _WITHOUT_CONTEXT and not _core.enter_context():
            self._choose_context()
        return self._function(name)(*args)

    def _choose_context(self):
        ask("context of a thread")()

    def __call__(self, name, *args):
        """Calls a function; raises what it reports."""
        if name not in _WITHOUT_CONTEXT and not _core.enter_context():
            self._choose_context()
        status = (self._functions.get(name) or self._function(name))(*args)
        if status:
            self.fail(name, status)

    def get(self, name, kind, *args):
        """Calls a function whose first parameter takes its result."""
        result = kind()
        self(name, byref(result), *args)
        return result.value

    def error_name(self, status, function="cuGetErrorName"):
        name = c_char_p()
        self.status(function, status, byref(name))
        return (name.value or b"UNKNOWN_CUDA_ERROR").decode()

    def fail(self, function, status):
        what = f"{self.error_name(status)}: {self.error_name(status, 'cuGetErrorString')}"
        raise CudaAPIError(status, f"Call to {function} results in {what}")

    # -- devices --------------------------------------------------------------------------------

    def version(self):
        return self.get("cuDriverGetVersion", c_int)

    def device_count(self):
        return self.get("cuDeviceGetCount", c_int)

    get_device_count = device_count

    def device(self, number):
        return self.get("cuDeviceGet", c_int, number)

    def device_name(self, device):
        name = ctypes.create_string_buffer(256)
        self("cuDeviceGetName", name, 256, device)
        return name.value

    def device_uuid(self, device):
        bits = ctypes.create_string_buffer(16)
        self("cuDeviceGetUuid_v2", bits, device)
        text = bits.raw.hex()
        parts = text[:8], text[8:12], text[12:16], text[16:20], text[20:]
        return "GPU-" + "-".join(parts)

    def attribute(self, number, device):
        return self.get("cuDeviceGetAttribute", c_int, number, device)

    def retain_context(self, device):
        return self.get("cuDevicePrimaryCtxRetain", c_void_p, device)

    def reset_context(self, device):
        self("cuDevicePrimaryCtxReset_v2", device)

    def current_context(self):
        return self.get("cuCtxGetCurrent", c_void_p)

    def current_device(self):
        """The device of the current context; None if that is destroyed."""
        device = c_int()
        return None if self.status("cuCtxGetDevice", byref(device)) else device.value

    def set_context(self, context):
        self("cuCtxSetCurrent", context)

    def synchronize(self):
        self("cuCtxSynchronize")
        look_at_watched()

    def set_limit(self, which, value):
        self("cuCtxSetLimit", which, value)

    def memory_info(self):
        free, total = c_size_t(), c_size_t()
        self("cuMemGetInfo_v2", byref(free), byref(total))
        return free.value, total.value

    # -- memory ---------------------------------------------------------------------------------

    def alloc(self, size):
        return self.get("cuMemAlloc_v2", _PTR, in_words(size))

    def alloc_managed(self, size, attach_global):
        return self.get("cuMemAllocManaged", _PTR, in_words(size), 1 if attach_global else 2)

    def free(self, pointer):
        self("cuMemFree_v2", pointer)

    def alloc_host(self, size, flags):
        return self.get("cuMemHostAlloc", c_void_p, max(size, 1), flags)

    def free_host(self, pointer):
        self("cuMemFreeHost", pointer)

    def register_host(self, pointer, size, flags):
        self("cuMemHostRegister_v2", pointer, size, flags)

    def unregister_host(self, pointer):
        self("cuMemHostUnregister", pointer)

    def device_pointer_of_host(self, pointer):
        return self.get("cuMemHostGetDevicePointer_v2", _PTR, pointer, 0)

    def copy(self, kind, to, from_, size, stream):
        """`kind`: HtoD, DtoH or DtoD. Without a stream the copy is done when this returns."""
        if not size:
            return
        if _core.several_contexts():
            if kind != "HtoD":
                self._settle(from_)
            if kind != "DtoH":
                self._settle(to)
        if stream is None:
            self(f"cuMemcpy{kind}_v2", to, from_, size)
            if kind == "DtoH":
                look_at_watched()
        else:
            self(f"cuMemcpy{kind}Async_v2", to, from_, size, stream)

    def _settle(self, pointer):
        """Waits for the context that device memory is of, if it is not this thread's."""
        handle = c_void_p()
        if not self.status("cuPointerGetAttribute", byref(handle), _CONTEXT, in_words(pointer)):
            _core.wait_for_context(handle.value or 0)

    def fill(self, pointer, byte, size, stream):
        if _core.several_contexts():
            self._settle(pointer)
        if stream is None:
            self("cuMemsetD8_v2", pointer, byte, size)
        else:
            self("cuMemsetD8Async", pointer, byte, size, stream)

    # -- streams and events ---------------------------------------------------------------------

    def create_stream(self):
        return self.get("cuStreamCreate", c_void_p, 0)

    def destroy_stream(self, stream):
        self("cuStreamDestroy_v2", stream)

    def synchronize_stream(self, stream):
        self("cuStreamSynchronize", stream)
        look_at_watched()

    def is_done(self, function, handle):
        status = self.status(function, handle)
        if status and status != NOT_READY:
            self.fail(function, status)
        return status == 0

    def stream_is_done(self, stream):
        return self.is_done("cuStreamQuery", stream)

    def begin_capture(self, stream):
        relaxed = 2  # kernels may be loaded meanwhile
        self("cuStreamBeginCapture_v2", stream, relaxed)

    def is_capturing(self, stream):
        status = c_int()
        self("cuStreamIsCapturing", stream or None, byref(status))
        return status.value == 1

    def end_capture(self, stream):
        """What was captured, ready to be launched."""
        graph = c_void_p()
        self("cuStreamEndCapture", stream, byref(graph))
        try:
            return self.get("cuGraphInstantiateWithFlags", c_void_p, graph, 0)
        finally:
            self("cuGraphDestroy", graph)

    def launch_graph(self, executable, stream):
        self("cuGraphLaunch", executable, stream)

    def destroy_graph(self, executable):
        self("cuGraphExecDestroy", executable)

    def wait_event(self, stream, event):
        self("cuStreamWaitEvent", stream, event, 0)

    def call_on_host(self, stream, callback, number):
        self("cuLaunchHostFunc", stream, callback, number)

    def create_event(self, timing):
        return self.get("cuEventCreate", c_void_p, 0 if timing else 2)

    def destroy_event(self, event):
        self("cuEventDestroy_v2", event)

    def record_event(self, event, stream):
        self("cuEventRecord", event, stream)

    def synchronize_event(self, event):
        self("cuEventSynchronize", event)
        look_at_watched()

    def event_is_done(self, event):
        return self.is_done("cuEventQuery", event)

    def elapsed_time(self, start, end):
        return self.get("cuEventElapsedTime", c_float, start, end)

    # -- code -----------------------------------------------------------------------------------

    _LOG_BYTES = 8192

    def _log_options(self, **more):
        """Options of the assembler: (count, keys, values, log of errors)."""
        log = ctypes.create_string_buffer(self._LOG_BYTES)
        rows = {5: ctypes.addressof(log), 6: self._LOG_BYTES}
        if more.get("registers"):
            rows[0] = more["registers"]
        if more.get("debug"):
            rows[11] = 1
        if more.get("lines"):
            rows[12] = 1
        keys = (c_int * len(rows))(*rows)
        values = (c_void_p * len(rows))(*rows.values())
        return len(rows), keys, values, log

    def load_module(self, image: bytes, **options):
        """A module from PTX or a cubin."""
        count, keys, values, log = self._log_options(**options)
        module = c_void_p()
        status = self.status("cuModuleLoadDataEx", byref(module), image, count, keys, values)
        self._check_log("Call to cuModuleLoadDataEx", status, log)
        return module.value

    def load_library(self, image: bytes, **options):
        """A library from PTX or a cubin, which the driver has in all contexts."""
        count, keys, values, log = self._log_options(**options)
        library, name = c_void_p(), "cuLibraryLoadData"
        status = self.status(name, byref(library), image, keys, values, count, None, None, 0)
        self._check_log(f"Call to {name}", status, log)
        return library.value

    def _check_log(self, what, status, log):
        if status:
            text = f"[{status}] {what} results in {self.error_name(status)}"
            raise LinkerError(f"{text}\n{log.value.decode(errors='replace')}")

    def link(self, code, capability, **options) -> bytes:
        """One cubin from several pieces of code: files, or objects of linkable.py."""
        inputs = [as_linkable(each).for_linker(capability, self.version()) for each in code]
        count, keys, values, log = self._log_options(**options)
        state = c_void_p()
        self("cuLinkCreate_v2", count, keys, values, byref(state))
        try:
            status = 0
            for kind, data, name in inputs:
                status = status or self.status(
                    "cuLinkAddData_v2",
                    *(state, kind, data, len(data), name.encode(), 0, None, None),
                )
            image, size = c_void_p(), c_size_t()
            status = status or self.status("cuLinkComplete", state, byref(image), byref(size))
            self._check_log("linking", status, log)
            return ctypes.string_at(image.value, size.value)
        finally:
            self("cuLinkDestroy", state)

    def unload_module(self, module):
        self("cuModuleUnload", module)

    def function(self, module, name):
        return self.get("cuModuleGetFunction", c_void_p, module, name.encode())

    def module_global(self, module, name):
        pointer, size = _PTR(), c_size_t()
        self("cuModuleGetGlobal_v2", byref(pointer), byref(size), module, name.encode())
        return pointer.value, size.value

    def function_attribute(self, number, function):
        return self.get("cuFuncGetAttribute", c_int, number, function)

    def set_function_attribute(self, function, number, value):
        self("cuFuncSetAttribute", function, number, value)

    def occupancy(self, function, threads, shared):
        """Blocks of a size that a multiprocessor holds at once."""
        return self.get(
            "cuOccupancyMaxActiveBlocksPerMultiprocessor", c_int, function, threads, shared
        )

    def best_block_size(self, function, shared):
        blocks, threads = c_int(), c_int()
        self(
            "cuOccupancyMaxPotentialBlockSize",
            byref(blocks),
            byref(threads),
            function,
            None,
            shared,
            0,
        )
        return threads.value

    def memory_context(self, pointer):
        """The context that device memory belongs to."""
        return self.get("cuPointerGetAttribute", c_void_p, _CONTEXT, pointer)

    def memory_device(self, pointer):
        """The number of the device that device memory is on."""
        return self.get("cuPointerGetAttribute", c_int, _DEVICE_ORDINAL, pointer)

    def ipc_handle(self, pointer):
        bits = ctypes.create_string_buffer(64)
        self("cuIpcGetMemHandle", bits, pointer)
        return IpcBits(bits.raw)

    def open_ipc(self, handle):
        # 1: accesses between devices are enabled where they are needed.
        bits = _IpcBytes.from_buffer_copy(handle)
        return self.get("cuIpcOpenMemHandle_v2", _PTR, bits, 1)

    def close_ipc(self, pointer):
        self("cuIpcCloseMemHandle", pointer)

    def allocation_base(self, pointer):
        """Where the allocation begins that an address lies in."""
        base, size = _PTR(), c_size_t()
        self("cuMemGetAddressRange_v2", byref(base), byref(size), pointer)
        return base.value

    def start_profiler(self):
        self("cuProfilerStart")

    def stop_profiler(self):
        self("cuProfilerStop")


watched = weakref.WeakSet()  # what has news from kernels (scratch.py): look() after each wait


def look_at_watched():
    """After the host has waited for the device."""
    if watched:
        for each in list(watched):
            each.look()


_lock = threading.RLock()
_driver = None
_failure = None


def simulated() -> bool:
    """Whether kernels run on the processor: NUMJIT_CUDA_SIMULATOR=1."""
    if _driver is not None:
        return _driver.simulated
    names = "NUMJIT_CUDA_SIMULATOR", "NUMBA_ENABLE_CUDASIM"
    return any(os.environ.get(name, "0") not in ("", "0") for name in names)


def get_driver():
    """The driver, opened at the first call; CudaSupportError without one."""
    global _driver, _failure
    if _driver is None:
        with _lock:
            if _failure is not None:
                raise type(_failure)(*_failure.args)
            if _driver is None:
                try:
                    if simulated():
                        _driver = SimulatedDriver()
                    else:
                        _driver = Driver()
                except CudaSupportError as error:
                    _failure = error
                    raise
    return _driver


def _forget_driver():
    """In a process that was forked: it cannot use the driver of its parent."""
    global _driver, _failure
    _driver, _failure = None, CudaDriverError("CUDA initialized before forking")
