"""cupy.cuda.Device, streams and events."""

from __future__ import annotations

import functools
import threading
import warnings
from ctypes import c_void_p

from numjit.cuda.cudadrv import devices, driver
from numjit.cuda.cudadrv.driver import get_driver

from . import current, graphs, upcalls
from .pending import evaluate_all, evaluate_at_end
from .runtime import CUDARuntimeError, device_attributes


def get_device_id():
    """The number of this thread's device."""
    return devices.get_context().device.id


@functools.total_ordering
class Device:
    """A device: `with Device(1):` works on it."""

    def __init__(self, device=None):
        self.id = get_device_id() if device is None else int(device)
        self._before = threading.local()

    def __int__(self):
        return self.id

    def __index__(self):
        return self.id

    def __enter__(self):
        stack = self._before.__dict__.setdefault("stack", [])
        stack.append(get_device_id())
        self.use()
        return self

    def __exit__(self, *exception):
        devices.get_context(self._before.stack.pop())

    def use(self):
        """Makes it the current device of this thread."""
        devices.get_context(self._device.id)
        return self

    @classmethod
    def from_pci_bus_id(cls, pci_bus_id):
        """The device at an address of the bus, such as "0000:3B:00.0"."""
        parts = pci_bus_id.replace(".", ":").split(":")
        try:
            wanted = [int(each, 16) for each in parts]
        except ValueError:
            wanted = []
        if len(wanted) not in (3, 4):
            raise CUDARuntimeError(1)
        for number in range(len(devices.gpus)):
            found = cls(number).pci_bus_id.replace(".", ":").split(":")
            if [int(each, 16) for each in found][-len(wanted) :] == wanted:
                return cls(number)
        raise CUDARuntimeError(101)

    def synchronize(self):
        """Waits for all work of the device."""
        evaluate_all()
        with self._device.get_primary_context().entered():
            get_driver().synchronize()

    @property
    def cublas_handle(self):
        return upcalls.blas_handle().value

    @property
    def cusolver_handle(self):
        return upcalls.cusolver_handle().value

    @property
    def _device(self):
        if not 0 <= self.id < len(devices.gpus):
            raise CUDARuntimeError(101)
        return devices.gpus.lst[self.id]

    @property
    def compute_capability(self):
        return "{}{}".format(*self._device.compute_capability)

    @property
    def mem_info(self):
        with self._device.get_primary_context().entered():
            return get_driver().memory_info()

    @property
    def attributes(self):
        return device_attributes(self._device)

    @property
    def pci_bus_id(self):
        one = self._device
        return f"{one.PCI_DOMAIN_ID:04X}:{one.PCI_BUS_ID:02X}:{one.PCI_DEVICE_ID:02X}.0"

    def __eq__(self, other):
        return isinstance(other, Device) and other.id == self.id

    def __lt__(self, other):
        return self.id < other.id if isinstance(other, Device) else NotImplemented

    def __hash__(self):
        return hash(self.id)

    def __repr__(self):
        return f"<CUDA Device {self.id}>"


def get_default_stream_ptr():
    """The number that names the default stream to other libraries."""
    return 1


def get_compute_capability():
    """The kind of this thread's device: "90"."""
    return Device().compute_capability


def from_pointer(ptr):
    """The device whose memory an address is of."""
    return Device(upcalls.runtime_names.pointerGetAttributes(ptr).device)


def _choose(stream, number):
    """Changes this thread's stream, when what waits is in the one where it was asked for."""
    devices.get_context()  # streams are chosen by device: a new thread has none yet
    if number != current.handle():
        evaluate_all()
    return current.choose(stream, number)


_CAPTURING = 900  # CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED


class _AnyStream:
    """What streams have in common."""

    ptr = 0

    def use(self):
        """Makes it the current stream of this thread."""
        _choose(self, self.ptr)
        return self

    def __enter__(self):
        self.use()
        current.entered().append(self)
        return self

    def __exit__(self, *exception):
        """Back to the stream of the enclosing `with`: what use() chose is forgotten, as in CuPy."""
        streams = current.entered()
        streams.pop()
        outer = streams[-1] if streams else Stream.null
        try:
            if outer.ptr != current.handle():
                evaluate_at_end(*exception)
        finally:
            outer.use()

    @property
    def done(self):
        evaluate_all()
        try:
            return get_driver().stream_is_done(self.ptr)
        except CUDARuntimeError as error:  # asking has ended the capture, as in CuPy
            if error.code != _CAPTURING:
                raise
            return False

    is_non_blocking = False

    def synchronize(self):
        """Waits for all work in the stream."""
        evaluate_all()
        get_driver().synchronize_stream(self.ptr)

    def record(self, event=None):
        """Sets an event at the present end of the stream."""
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event):
        """Lets the work that follows wait for an event."""
        get_driver().wait_event(self.ptr, event.ptr)

    def begin_capture(self, mode=None):
        """Captures what is launched in the stream, until end_capture()."""
        graphs.begin(self, mode)

    def end_capture(self):
        """The Graph of what was captured."""
        return graphs.end(self)

    def is_capturing(self):
        """Whether launches are captured."""
        return graphs.is_capturing(self)

    def add_callback(self, callback, arg):
        """Calls callback(stream, error, arg) when the work so far is done."""
        evaluate_all()
        driver.Stream(self.ptr).add_callback(
            lambda stream, status, a: callback(self, status, a), arg
        )

    def launch_host_func(self, callback, arg):
        """Calls callback(arg) when the work so far is done."""
        evaluate_all()
        driver.Stream(self.ptr).add_callback(lambda stream, status, a: callback(a), arg)

    def __cuda_stream__(self):
        return 0, self.ptr

    def __eq__(self, other):
        return isinstance(other, _AnyStream) and other.ptr == self.ptr

    def __hash__(self):
        return hash(self.ptr)

    def __repr__(self):
        return f"<{type(self).__name__} {self.ptr}>"


class Stream(_AnyStream):
    """A queue of work. `with Stream():` works in it."""

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        self.is_non_blocking = bool(non_blocking)
        self.priority = 0 if priority is None else priority
        self.device_id = -1
        if null or ptds:
            self.ptr = driver.PER_THREAD_STREAM if ptds else 0
            return
        context = devices.get_context()
        self.device_id = context.device.id
        if (non_blocking or self.priority) and not driver.simulated():
            name = "cuStreamCreateWithPriority"
            handle = get_driver().get(name, c_void_p, self.is_non_blocking, self.priority)
            self._stream = driver.Stream(handle, context, owned=True)
        else:
            self._stream = context.create_stream()
        self.ptr = self._stream.handle_value

    @classmethod
    def from_external(cls, obj):
        """A stream of another library, which has the method `__cuda_stream__`."""
        if not hasattr(obj, "__cuda_stream__"):
            raise TypeError(f"{type(obj).__name__} does not implement __cuda_stream__")
        found = obj.__cuda_stream__()
        if not isinstance(found, tuple) or len(found) != 2:
            raise TypeError("__cuda_stream__ must return a 2-tuple")
        if not all(isinstance(each, int) for each in found):
            raise TypeError("__cuda_stream__ must return (int, int)")
        if found[0] != 0:
            raise TypeError(f"__cuda_stream__ of an unsupported version: {found[0]}")
        made = _ExternalStream(found[1])
        made._foreign_stream_ref = obj  # which owns it
        return made


class _ExternalStream(_AnyStream):
    """A stream of another library, by its address."""

    def __init__(self, ptr, device_id=-1):
        self.ptr, self.device_id = int(ptr), device_id


class ExternalStream(_ExternalStream):
    """The older name of Stream.from_external, for an address."""

    def __init__(self, ptr, device_id=-1):
        text = "ExternalStream is deprecated. Use Stream.from_external instead."
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        super().__init__(ptr, device_id)


Stream.null = Stream(null=True)
Stream.ptds = Stream(ptds=True)


def get_current_stream(device_id=None):
    """The stream that this thread works in."""
    chosen = current.chosen()
    return Stream.null if chosen is None else chosen


class Event:
    """A mark in a stream."""

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        self._event = driver.Event(not disable_timing)
        self.ptr = self._event.handle_value

    def record(self, stream=None):
        """Sets the mark at the present end of a stream."""
        evaluate_all()
        handle = current.handle() if stream is None else stream.ptr
        get_driver().record_event(self.ptr, handle)

    def synchronize(self):
        """Waits for the mark."""
        get_driver().synchronize_event(self.ptr)

    @property
    def done(self):
        return get_driver().event_is_done(self.ptr)


def get_elapsed_time(start_event, end_event):
    """Milliseconds between two marks."""
    return get_driver().elapsed_time(start_event.ptr, end_event.ptr)
