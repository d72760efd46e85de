"""pycuda.driver: devices, contexts, streams, events, modules."""

from __future__ import annotations

from numjit.cuda.cudadrv import devices
from numjit.cuda.cudadrv import driver as _driver
from numjit.cuda.cudadrv.driver import get_driver
from numjit.cupy import runtime_names
from numjit.cupy.pending import evaluate_all

from .errors import (  # noqa: F401
    CompileError,
    Error,
    LaunchError,
    LogicError,
    MemoryError,
    RuntimeError,
)
from .flags import (  # noqa: F401
    ctx_flags,
    event_flags,
    func_cache,
    function_attribute,
    host_alloc_flags,
    jit_input_type,
    limit,
    mem_attach_flags,
    mem_host_register_flags,
    mem_peer_register_flags,
    memory_type,
    pointer_attribute,
    shared_config,
)
from .functions import Function, In, InOut, Module, Out, module_from_buffer, module_from_file  # noqa: F401
from .host_memory import (  # noqa: F401
    HostAllocation,
    ManagedAllocation,
    PointerHolderBase,
    PooledHostAllocation,
    RegisteredHostMemory,
    aligned_empty,
    managed_empty,
    managed_empty_like,
    managed_zeros,
    managed_zeros_like,
    mem_alloc_pitch,
    memcpy_peer,
    memcpy_peer_async,
    memset_d2d8,
    memset_d2d16,
    memset_d2d32,
    register_host_memory,
)
from .memory import (  # noqa: F401
    DeviceAllocation,
    Memcpy2D,
    from_device,
    from_device_like,
    mem_alloc,
    mem_alloc_like,
    mem_get_info,
    memcpy_dtod,
    memcpy_dtod_async,
    memcpy_dtoh,
    memcpy_dtoh_async,
    memcpy_htod,
    memcpy_htod_async,
    memset_d8,
    memset_d16,
    memset_d32,
    pagelocked_empty,
    pagelocked_empty_like,
    pagelocked_zeros,
    pagelocked_zeros_like,
    to_device,
)


def init(flags=0):
    """Opens the driver."""
    get_driver()


def get_driver_version():
    return get_driver().version()


def get_version():
    """Of CUDA, as three numbers."""
    number = get_driver().version()
    return number // 1000, number % 1000 // 10, 0


class _Attribute:
    """device_attribute.NAME."""

    def __getattr__(self, name):
        number = devices._ATTRIBUTES.get(name)
        if number is None:
            raise AttributeError(name)
        return number


device_attribute = _Attribute()


class Device:
    """A device."""

    def __init__(self, number):
        if isinstance(number, str):
            raise NotImplementedError("devices are chosen by number")
        self._number = int(number)
        self._device = devices.gpus.lst[self._number]

    @staticmethod
    def count():
        return len(devices.gpus)

    def name(self):
        name = self._device.name
        return name.decode() if isinstance(name, bytes) else name

    def compute_capability(self):
        return tuple(self._device.compute_capability)

    def total_memory(self):
        with self._device.get_primary_context().entered():
            return get_driver().memory_info()[1]

    def pci_bus_id(self):
        one = self._device
        return f"{one.PCI_DOMAIN_ID:04X}:{one.PCI_BUS_ID:02X}:{one.PCI_DEVICE_ID:02X}.0"

    def get_attribute(self, attribute):
        return get_driver().attribute(attribute, self._device._handle)

    def get_attributes(self):
        return {number: self.get_attribute(number) for number in devices._ATTRIBUTES.values()}

    def __getattr__(self, name):
        if name.isupper() or name.upper() in devices._ATTRIBUTES:
            return getattr(self._device, name.upper())
        raise AttributeError(name)

    def make_context(self, flags=0):
        """The device's context, current in this thread."""
        return Context._enter(self._number)

    retain_primary_context = make_context

    def __eq__(self, other):
        return isinstance(other, Device) and other._number == self._number

    def __hash__(self):
        return hash(self._number)


class Context:
    """A device's context. There is one for each device, which is its primary context."""

    def __init__(self, number):
        self._number = number

    @classmethod
    def _enter(cls, number):
        devices.get_context(number)
        return cls(number)

    def push(self):
        devices.get_context(self._number)

    @staticmethod
    def pop():
        evaluate_all()

    def detach(self):
        """Nothing: the context goes with the process."""

    @staticmethod
    def synchronize():
        evaluate_all()
        devices.get_context()
        get_driver().synchronize()

    @staticmethod
    def get_device():
        return Device(devices.get_context().device.id)

    @classmethod
    def get_current(cls):
        return cls(devices.get_context().device.id)

    @staticmethod
    def set_cache_config(config):
        """Nothing: the driver chooses."""

    set_shared_config = set_cache_config

    @staticmethod
    def get_limit(which):
        return runtime_names.deviceGetLimit(which)

    @staticmethod
    def set_limit(which, value):
        devices.get_context()
        get_driver().set_limit(which, value)

    @property
    def handle(self):
        return devices.gpus.lst[self._number].get_primary_context().handle_value


class Stream:
    """A queue of work."""

    def __init__(self, flags=0):
        self._stream = devices.get_context().create_stream()
        self.handle = self.ptr = self._stream.handle_value

    def synchronize(self):
        evaluate_all()
        get_driver().synchronize_stream(self.handle)

    def is_done(self):
        return get_driver().stream_is_done(self.handle)

    def wait_for_event(self, event):
        get_driver().wait_event(self.handle, event.handle)


class Event:
    """A mark in a stream."""

    def __init__(self, flags=0):
        self._event = _driver.Event(not flags & event_flags.DISABLE_TIMING)
        self.handle = self._event.handle_value

    def record(self, stream=None):
        evaluate_all()
        get_driver().record_event(self.handle, stream.handle if stream is not None else 0)
        return self

    def synchronize(self):
        get_driver().synchronize_event(self.handle)
        return self

    def query(self):
        return get_driver().event_is_done(self.handle)

    def time_since(self, event):
        """Milliseconds from another mark."""
        return get_driver().elapsed_time(event.handle, self.handle)

    def time_till(self, event):
        return get_driver().elapsed_time(self.handle, event.handle)


def start_profiler():
    get_driver().start_profiler()


def stop_profiler():
    get_driver().stop_profiler()


def matrix_to_texref(*args, **keywords):
    raise NotImplementedError("texture references are gone from CUDA; read arrays instead")
