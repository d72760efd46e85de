"""What is made of the driver's functions (calls.py): memory, streams, events."""

from __future__ import annotations

import collections
import contextlib
import ctypes
import importlib
import itertools
import threading
from ctypes import c_void_p

import numpy as np

from numjit.cuda.toolchain import find_library
from numjit.upcalls import ask

from . import error
from .calls import (  # noqa: F401
    CONST_BYTES,
    LOCAL_BYTES,
    MAX_DYNAMIC_SHARED,
    MAX_THREADS,
    NOT_READY,
    PER_THREAD_STREAM,
    REGISTERS,
    SHARED_BYTES,
    SHARED_CARVEOUT,
    Driver,
    Handle,
    IpcBits,
    Pointer,
    get_driver,
    look_at_watched,
    simulated,
    watched,
)


class _Pending:
    """What is given back to the driver: at once, by whichever thread drops the last reference (the
    garbage collector runs in any), or after `defer_cleanup` and what stands in its way else.

    A collection may begin inside of these functions and call them again: they hold no lock where
    it could.
    """

    def __init__(self):
        self.depth, self._waiting, self._lock = 0, collections.deque(), threading.Lock()

    def __len__(self):
        return len(self._waiting)

    @property
    def is_disabled(self):
        return self.depth > 0

    def clear(self):
        """Gives back what waits."""
        while self._waiting:
            try:
                work = self._waiting.popleft()
            except IndexError:  # another thread was faster
                return
            _give_back(*work)

    def add(self, context, function, *args):
        """Calls a function of the driver that returns something of a context."""
        self._waiting.append((context, function, args))
        # Inside of a callback of the driver its functions may not be called.
        if not self.depth and not getattr(_local, "in_callback", False):
            self.clear()

    @contextlib.contextmanager
    def deferred(self):
        self._change_depth(1)
        try:
            yield
        finally:
            if not self._change_depth(-1):
                self.clear()

    def _change_depth(self, by):
        with self._lock:
            self.depth += by
            return self.depth


def _give_back(context, function, args):
    # What belonged to a context is gone with it, and another one may have the same handles.
    if not context.alive:
        return
    try:
        if context.is_chosen:
            function(*args)
        else:
            with context.entered():
                function(*args)
    except (error.CudaDriverError, TypeError):  # at the end of the process the driver may be gone
        pass


_local = threading.local()
pending = _Pending()


class Memory:
    """Memory of a device; `release` frees it with its last reference."""

    __cuda_memory__ = True

    def __init__(self, pointer, size, context, release=None, owner=None):
        self.device_pointer_value, self.size, self.context = pointer, size, context
        self._release, self.owner = release, owner

    @property
    def device_pointer(self):
        return Pointer(self.device_pointer_value)

    @property
    def handle(self):
        return self.device_pointer

    @property
    def device_ctypes_pointer(self):
        return self.device_pointer

    def view(self, start, stop=None):
        """A part of the memory, in bytes."""
        size = (self.size if stop is None else stop) - start
        return ask("view of device memory")(
            self.context, self.device_pointer_value + start, size, owner=self
        )

    def free(self):
        release, self._release = self._release, None
        if release is not None:
            pending.add(self.context, release, self.device_pointer_value)

    def __del__(self):
        with contextlib.suppress(AttributeError, TypeError):
            self.free()


class Stream:
    """A queue of work for the device."""

    def __init__(self, handle, context=None, owned=False, text=None, external=False):
        self.handle_value, self.context, self._owned, self._text = handle, context, owned, text
        self._external = external

    @property
    def handle(self):
        return Handle(self.handle_value)

    @property
    def external(self):
        """Whether another library made it."""
        return self._external

    def __int__(self):
        return self.handle_value or 0

    def __cuda_stream__(self):
        """The protocol by which libraries share streams: its version, and the handle."""
        return 0, int(self)

    def __repr__(self):
        if self._text:
            return f"<{self._text}>"
        return f"<CUDA stream {self.handle_value} on {self.context}>"

    def synchronize(self):
        """Waits for all work in the stream."""
        get_driver().synchronize_stream(self.handle_value)

    @contextlib.contextmanager
    def auto_synchronize(self):
        """A context at whose end the stream is synchronized."""
        yield self
        self.synchronize()

    def add_callback(self, callback, arg=None):
        """Calls `callback(stream, status, arg)` when the work before it is done; what a graph
        captured, each time that it is launched."""
        number, handle = next(_callback_numbers), self.handle_value
        repeated = bool(handle) and get_driver().is_capturing(handle)
        _callbacks[number] = self, callback, arg, repeated
        try:
            get_driver().call_on_host(handle, _run_callback, number)
        except BaseException:
            _callbacks.pop(number, None)
            raise
        if repeated:
            _captured.setdefault(handle, []).append(number)

    def async_done(self):
        """A future that is done when the work so far is."""
        import asyncio

        loop = asyncio.get_running_loop()
        future = loop.create_future()

        def done(stream, status, _):
            loop.call_soon_threadsafe(lambda: future.done() or future.set_result(stream))

        self.add_callback(done)
        return future

    def __del__(self):
        if getattr(self, "_owned", False):
            with contextlib.suppress(Exception):
                pending.add(self.context, get_driver().destroy_stream, self.handle_value)


_callbacks, _callback_numbers = {}, itertools.count(1)
_captured = {}  # handle of a stream -> numbers of the callbacks that are part of its capture


def captured_callbacks(handle):
    """The numbers of the callbacks of a capture that has ended, for forget_callbacks()."""
    return _captured.pop(handle, ())


def forget_callbacks(numbers):
    """A graph that calls them is gone."""
    for number in numbers:
        _callbacks.pop(number, None)


@ctypes.CFUNCTYPE(None, c_void_p)
def _run_callback(number):
    """What the driver calls, in a thread of its own, for Stream.add_callback."""
    stream, callback, arg, repeated = _callbacks[number]
    if not repeated:
        del _callbacks[number]
    _local.in_callback = True
    try:
        callback(stream, 0, arg)
    finally:
        del stream, callback, arg
        _local.in_callback = False


class Event:
    """A mark in a stream."""

    def __init__(self, timing=True, context=None):
        self.timing, self.context = timing, context or ask("context of a thread")()
        self.handle_value = get_driver().create_event(timing)

    @property
    def handle(self):
        return ctypes.c_void_p(self.handle_value)

    def query(self):
        """Whether all work before the mark is done."""
        return get_driver().event_is_done(self.handle_value)

    def record(self, stream=0):
        """Sets the mark at the present end of a stream."""
        get_driver().record_event(self.handle_value, stream_handle(stream) or 0)

    def synchronize(self):
        """Waits for the mark."""
        get_driver().synchronize_event(self.handle_value)

    def wait(self, stream=0):
        """Lets a stream wait for the mark."""
        get_driver().wait_event(stream_handle(stream) or 0, self.handle_value)

    def elapsed_time(self, evtend):
        """Milliseconds from this mark to another one."""
        return get_driver().elapsed_time(self.handle_value, evtend.handle_value)

    def __del__(self):
        with contextlib.suppress(Exception):
            pending.add(self.context, get_driver().destroy_event, self.handle_value)


def stream_handle(stream):
    """The handle of a stream argument; None for the default, 0."""
    if stream is None or (isinstance(stream, int) and stream == 0):
        return None
    if isinstance(stream, Stream):
        return stream.handle_value
    if hasattr(stream, "__cuda_stream__"):
        return stream.__cuda_stream__()[1]
    for name in ("ptr", "cuda_stream"):  # of CuPy and PyTorch
        if hasattr(stream, name):
            return int(getattr(stream, name))
    return int(stream)


def device_memset(dst, val, size, stream=0):
    """Fills bytes of device memory."""
    get_driver().fill(_place(dst), val, size, stream_handle(stream))


def host_to_device(dst, src, size, stream=0):
    get_driver().copy("HtoD", _place(dst), _place(src), size, stream_handle(stream))


def device_to_host(dst, src, size, stream=0):
    get_driver().copy("DtoH", _place(dst), _place(src), size, stream_handle(stream))


def device_to_device(dst, src, size, stream=0):
    get_driver().copy("DtoD", _place(dst), _place(src), size, stream_handle(stream))


def device_memory_size(devmem):
    """Bytes of device memory."""
    return getattr(devmem, "gpu_data", devmem).size


def is_device_memory(obj):
    """Whether an object is memory of a device, or an array in it."""
    return getattr(obj, "__cuda_memory__", False)


def require_device_memory(obj):
    if not is_device_memory(obj):
        raise TypeError(f"an array of a device is wanted, not {type(obj).__name__}")


def host_memory_extents(obj):
    """The first address of an object's memory and the one behind it."""
    view = memoryview(obj)
    start = np.asarray(view).__array_interface__["data"][0]
    return start, start + view.nbytes


def host_memory_size(obj):
    """Bytes of an object's memory."""
    return memoryview(obj).nbytes


def _have_nvjitlink():
    """Whether the toolkit's nvJitLink is installed. Kernels are linked by the driver."""
    return find_library("nvJitLink") is not None


def _place(memory):
    """The address of memory: of a device array, an array of the host, what a manager gave."""
    if isinstance(memory, int):
        return memory
    for name in ("device_pointer_value", "_pointer", "value"):
        if hasattr(memory, name):
            return getattr(memory, name)
    return memory.__array_interface__["data"][0]


_OF_MEMORY = frozenset(
    (
        "AutoFreePointer MemoryPointer MappedMemory PinnedMemory ManagedMemory IpcHandle "
        "MemoryInfo BaseCUDAMemoryManager HostOnlyCUDAMemoryManager GetIpcHandleMixin "
        "NumbaCUDAMemoryManager set_memory_manager"
    ).split()
)


def event_elapsed_time(evtstart, evtend):
    return evtstart.elapsed_time(evtend)


class _MissingDriver:
    """The driver where there is none: its functions raise why."""

    def __getattr__(self, name):
        return getattr(get_driver(), name)


def __getattr__(name):
    if name in ("CudaAPIError", "CudaDriverError", "CudaSupportError", "LinkerError"):
        return getattr(error, name)
    if name == "driver":
        try:
            return get_driver()
        except error.CudaSupportError:  # programs import it without a GPU
            return _MissingDriver()
    if name in ("Context", "Device"):
        return getattr(importlib.import_module("numjit.cuda.cudadrv.devices"), name)
    if name in _OF_MEMORY:
        return getattr(importlib.import_module("numjit.cuda.cudadrv.memory"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
