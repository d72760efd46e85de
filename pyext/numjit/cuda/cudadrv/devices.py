"""Devices and their contexts. numjit uses the primary context of a device, which the CUDA runtime
and other libraries in the process use, too.

Each thread chooses a context, at the latest when it first needs one (`get_context`), and keeps it.
The driver's functions (driver.py) and launches (pyext/gpu/launcher.cpp) make that one current if it
is not, so it does not matter which thread calls, and what other libraries have done there.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import threading
import weakref

from numjit import _core
from numjit.upcalls import ask

from .driver import Event, Handle, Stream, get_driver, pending
from .error import CudaSupportError

# Names of a device's attributes and the driver's numbers for them.
_ATTRIBUTES = {
    "MAX_THREADS_PER_BLOCK": 1,
    "MAX_BLOCK_DIM_X": 2,
    "MAX_BLOCK_DIM_Y": 3,
    "MAX_BLOCK_DIM_Z": 4,
    "MAX_GRID_DIM_X": 5,
    "MAX_GRID_DIM_Y": 6,
    "MAX_GRID_DIM_Z": 7,
    "MAX_SHARED_MEMORY_PER_BLOCK": 8,
    "TOTAL_CONSTANT_MEMORY": 9,
    "WARP_SIZE": 10,
    "MAX_PITCH": 11,
    "MAX_REGISTERS_PER_BLOCK": 12,
    "CLOCK_RATE": 13,
    "TEXTURE_ALIGNMENT": 14,
    "GPU_OVERLAP": 15,
    "MULTIPROCESSOR_COUNT": 16,
    "KERNEL_EXEC_TIMEOUT": 17,
    "INTEGRATED": 18,
    "CAN_MAP_HOST_MEMORY": 19,
    "COMPUTE_MODE": 20,
    "CONCURRENT_KERNELS": 31,
    "ECC_ENABLED": 32,
    "PCI_BUS_ID": 33,
    "PCI_DEVICE_ID": 34,
    "TCC_DRIVER": 35,
    "MEMORY_CLOCK_RATE": 36,
    "GLOBAL_MEMORY_BUS_WIDTH": 37,
    "L2_CACHE_SIZE": 38,
    "MAX_THREADS_PER_MULTI_PROCESSOR": 39,
    "ASYNC_ENGINE_COUNT": 40,
    "UNIFIED_ADDRESSING": 41,
    "PCI_DOMAIN_ID": 50,
    "COMPUTE_CAPABILITY_MAJOR": 75,
    "COMPUTE_CAPABILITY_MINOR": 76,
    "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": 81,
    "MAX_REGISTERS_PER_MULTIPROCESSOR": 82,
    "MANAGED_MEMORY": 83,
    "IS_MULTI_GPU_BOARD": 84,
    "COOPERATIVE_LAUNCH": 95,
    "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": 97,
    "MAX_BLOCKS_PER_MULTIPROCESSOR": 106,
}


class Device:
    """A GPU."""

    def __init__(self, number):
        driver = get_driver()
        self.id = number
        self._handle = driver.device(number)
        self.name = driver.device_name(self._handle)
        self.compute_capability = (self.COMPUTE_CAPABILITY_MAJOR, self.COMPUTE_CAPABILITY_MINOR)
        self._context = None
        self._lock = threading.Lock()

    def __getattr__(self, name):
        number = _ATTRIBUTES.get(name)
        if number is None:
            raise AttributeError(name)
        value = get_driver().attribute(number, self._handle)
        self.__dict__[name] = value
        return value

    @property
    def uuid(self):
        return get_driver().device_uuid(self._handle)

    @property
    def supports_float16(self):
        return self.compute_capability >= (5, 3)

    def get_primary_context(self):
        """The context; made when it is first asked for."""
        with self._lock:
            made = self._context is None
            if made:
                self._context = Context(self, get_driver().retain_context(self._handle))
        if made:
            _let_reach_each_other(self._context)
        return self._context

    def reset(self):
        """Destroys the context with all memory and modules in it."""
        with self._lock:
            context, self._context = self._context, None
            if context is not None:
                context.alive = False
            get_driver().reset_context(self._handle)
        _choose(None)

    def __enter__(self):
        """Makes it the current device of this thread: `with cuda.list_devices()[1]:`."""
        _before().append(_chosen())
        _activate(self.get_primary_context())
        return self

    def __exit__(self, *exception):
        before = _before().pop()
        if before is not None and before.alive:
            _activate(before)
        else:
            _choose(None)

    def __repr__(self):
        return f"<CUDA device {self.id} {self.name!r}>"

    def __eq__(self, other):
        return isinstance(other, Device) and other.id == self.id

    def __hash__(self):
        return hash(self.id)


class Context:
    """The state of a device in this process."""

    def __init__(self, device, handle):
        self.device, self.handle_value = device, handle
        self.for_launches = _core.DriverContext(handle or 0)
        self._manager, self._lock = None, threading.RLock()
        self._dispatchers = weakref.WeakSet()

    @property
    def alive(self):
        """False once the device was reset: memory and handles of this context are gone."""
        return self.for_launches.alive

    @alive.setter
    def alive(self, value):
        self.for_launches.alive = value

    @property
    def handle(self):
        return Handle(self.handle_value)

    def note_dispatcher(self, dispatcher):
        """Says that kernels of a dispatcher are loaded in this context, which reset() forgets."""
        with self._lock:
            self._dispatchers.add(dispatcher)

    def push(self):
        _activate(self)

    @property
    def is_chosen(self):
        """Whether this thread works in it."""
        return getattr(_local, "context", None) is self

    @contextlib.contextmanager
    def entered(self):
        """A context (of Python) in which this one is current, in this thread."""
        chosen = getattr(_local, "context", None)
        if chosen is self:
            yield self
            return
        current = get_driver().current_context()
        _activate(self)
        try:
            yield self
        finally:
            get_driver().set_context(current)
            _choose(chosen)

    def pop(self):
        """Leaves this thread without a context."""
        get_driver().set_context(None)
        _choose(None)

    def synchronize(self):
        """Waits for all work of the device."""
        get_driver().synchronize()

    def get_memory_info(self):
        """Free and total bytes of device memory."""
        return self.memory_manager.get_memory_info()

    @property
    def memory_manager(self):
        if self._manager is None:
            with self._lock:
                if self._manager is None:
                    manager = ask("memory manager of a context")(self)
                    manager.initialize()
                    self._manager = manager
        return self._manager

    @memory_manager.setter
    def memory_manager(self, manager):
        manager.initialize()
        self._manager = manager

    @property
    def deallocations(self):
        """Memory that waits to be freed."""
        return pending

    def memalloc(self, bytesize):
        return self.memory_manager.memalloc(bytesize)

    def memhostalloc(self, bytesize, mapped=False, portable=False, wc=False):
        return self.memory_manager.memhostalloc(bytesize, mapped, portable, wc)

    def memallocmanaged(self, bytesize, attach_global=True):
        return self.memory_manager.memallocmanaged(bytesize, attach_global)

    def mempin(self, owner, pointer, size, mapped=False):
        return self.memory_manager.mempin(owner, pointer, size, mapped)

    def get_ipc_handle(self, memory):
        """A handle of memory for other processes."""
        return self.memory_manager.get_ipc_handle(memory)

    def create_stream(self):
        return Stream(get_driver().create_stream(), self, owned=True)

    def create_event(self, timing=True):
        return Event(timing, self)

    def get_legacy_default_stream(self):
        return Stream(1, self, text="Legacy default CUDA stream")

    def get_per_thread_default_stream(self):
        return Stream(2, self, text="Per-thread default CUDA stream")

    def create_external_stream(self, ptr):
        """A stream of another library, by its handle."""
        if not isinstance(ptr, int):
            raise TypeError("ptr for external stream must be an int")
        return Stream(ptr, self, text=f"External CUDA stream {ptr}", external=True)

    def get_default_stream(self):
        return Stream(0, self, text="Default CUDA stream")

    def get_active_blocks_per_multiprocessor(self, func, blocksize, memsize, flags=None):
        return get_driver().occupancy(int(func), blocksize, memsize)

    def can_access_peer(self, peer_device):
        driver = get_driver()
        return bool(
            driver.get(
                "cuDeviceCanAccessPeer",
                ctypes.c_int,
                self.device._handle,
                get_driver().device(peer_device),
            )
        )

    def enable_peer_access(self, peer_context, flags=0):
        """Lets kernels of this context use memory of another one."""
        with self.entered():
            get_driver()("cuCtxEnablePeerAccess", peer_context.handle_value, flags)

    def disable_peer_access(self, peer_context):
        """Ends what enable_peer_access() began."""
        with self.entered():
            get_driver()("cuCtxDisablePeerAccess", peer_context.handle_value)

    def defer_cleanup(self):
        return self.memory_manager.defer_cleanup()

    def reset(self):
        """Lets go of what numjit keeps in it: the memory of its manager, and kernels, which are
        loaded again for later launches. What programs hold stays, as does the context itself, which
        other libraries use too."""
        self.memory_manager.reset()
        with self._lock:
            dispatchers = list(self._dispatchers)
        for dispatcher in dispatchers:
            dispatcher.forget(self)
        pending.clear()

    def __repr__(self):
        return f"<CUDA context {self.handle_value} of device {self.device.id}>"


_ALREADY_ENABLED = 704  # CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED


def _let_reach_each_other(context):
    """Lets the kernels of a new context use memory of those that there are, and the other way
    round, where the hardware can do that."""
    driver = get_driver()
    if driver.simulated:
        return
    for device in gpus.lst:
        other = device._context
        if other is None or other is context:
            continue
        for one, peer in ((context, other), (other, context)):
            with one.entered():
                status = driver.status("cuCtxEnablePeerAccess", peer.handle_value, 0)
            if status in (0, _ALREADY_ENABLED):
                one.for_launches.reaches(peer.for_launches)


def context_of_memory(pointer):
    """The context that device memory of any library belongs to."""
    if not pointer or len(gpus.lst) == 1:
        return get_context()
    return gpus.lst[get_driver().memory_device(pointer)].get_primary_context()


def context_of_number(number):
    """The context with a number; None: it is gone, or there never was one."""
    chosen = getattr(_local, "context", None)
    if chosen is not None and chosen.for_launches.number == number:
        return chosen
    for device in gpus._list or ():
        context = device._context
        if context is not None and context.for_launches.number == number:
            return context
    return None


class _Devices:
    """cuda.gpus: the devices, in a list that is read when it is asked for."""

    def __init__(self):
        self._list, self._lock = None, threading.RLock()

    @property
    def lst(self):
        if self._list is None:
            with self._lock:  # each device is one object, with one context
                if self._list is None:
                    self._list = [Device(i) for i in range(get_driver().device_count())]
        return self._list

    def __getitem__(self, number):
        found = self.lst[number]
        return list(map(_Managed, found)) if isinstance(number, slice) else _Managed(found)

    def __len__(self):
        return len(self.lst)

    def __iter__(self):
        return iter([_Managed(each) for each in self.lst])

    def __str__(self):
        return ", ".join(str(each) for each in self.lst)

    __repr__ = __str__

    @property
    def current(self):
        context = _chosen()
        return context and context.device


class _Managed:
    """A device that can be made the current one for a block: `with cuda.gpus[1]:`."""

    def __init__(self, device):
        self._device = device

    def __getattr__(self, name):
        return getattr(self._device, name)

    def __enter__(self):
        self._device.__enter__()
        return self

    def __exit__(self, *exception):
        self._device.__exit__(*exception)

    def __repr__(self):
        return f"<Managed Device {self._device.id}>"

    __str__ = __repr__


gpus = _Devices()
_local = threading.local()


def _before():
    """The contexts that this thread comes back to, the last one first left."""
    if not hasattr(_local, "before"):
        _local.before = []
    return _local.before


def _chosen():
    """The context of this thread; None if it has chosen none, or that one is destroyed."""
    context = getattr(_local, "context", None)
    return context if context is not None and context.alive else None


def _choose(context):
    """Makes a context that of this thread."""
    _local.context = context
    _core.choose_context(context and context.for_launches)
    return context


def _activate(context):
    get_driver().set_context(context.handle_value)
    return _choose(context)


def get_context(devnum=None):
    """The context of a device, of the current one by default; it is current in this thread."""
    if devnum is not None:
        return _activate(gpus.lst[devnum].get_primary_context())
    context = _chosen()
    if context is not None:
        return context
    driver = get_driver()
    # Another library may have chosen a device in this thread.
    current = driver.current_context()
    device = driver.current_device() if current and not driver.simulated else None
    if device is not None:
        context = next(each for each in gpus.lst if each._handle == device).get_primary_context()
        if context.handle_value == current:
            return _choose(context)
        raise RuntimeError(
            f"numjit cannot work in the context {current:#x} that is current in this thread: it "
            "is not the primary context of its device"
        )
    if not gpus.lst:
        raise CudaSupportError("no CUDA-capable device is detected")
    return _activate(gpus.lst[0].get_primary_context())


def select_device(device_id):
    """Makes a device the current one of this thread."""
    return get_context(device_id).device


def get_current_device():
    return get_context().device


def list_devices():
    """All devices."""
    get_driver()
    return gpus


def close():
    """Leaves this thread without a context; in the main thread all contexts are destroyed."""
    if threading.current_thread() is threading.main_thread():
        for device in gpus._list or ():
            if device._context is not None:
                device._context.memory_manager.reset()
                device.reset()
    elif _chosen() is not None:
        get_driver().set_context(None)
    _choose(None)


def reset():
    close()


@contextlib.contextmanager
def defer_cleanup():
    """A context in which no device memory is freed."""
    with get_context().defer_cleanup():
        yield


def require_context(function):
    """Decorates functions that need a current context."""

    @functools.wraps(function)
    def with_context(*args, **kwargs):
        get_context()
        return function(*args, **kwargs)

    return with_context
