"""What stands in for the driver when kernels run on the processor: memory of the host, and no
waiting, since everything is done when a call returns."""

from __future__ import annotations

import ctypes
import itertools
from time import perf_counter


class SimulatedDriver:
    """The functions of driver.Driver."""

    simulated = True

    def __init__(self):
        self._memory, self._events, self._numbers = {}, {}, itertools.count(2)

    # -- devices --------------------------------------------------------------------------------

    def version(self):
        return 13000

    def device_count(self):
        return 1

    get_device_count = device_count

    def device(self, number):
        return number

    def device_name(self, device):
        return b"[the CUDA simulator]"

    def device_uuid(self, device):
        return "GPU-00000000-0000-0000-0000-000000000000"

    _ATTRIBUTES = {1: 1024, 2: 1024, 3: 1024, 4: 64, 10: 32, 16: 1, 75: 9, 76: 0, 95: 1}

    def attribute(self, number, device):
        return self._ATTRIBUTES.get(number, 65535)

    def retain_context(self, device):
        return 1

    def current_context(self):
        return 1

    def memory_info(self):
        total = 1 << 34
        return total - sum(map(len, list(self._memory.values()))), total

    def _nothing(self, *args):
        pass

    reset_context = set_context = synchronize = _nothing
    register_host = unregister_host = start_profiler = stop_profiler = _nothing
    destroy_stream = synchronize_stream = wait_event = synchronize_event = _nothing

    # -- memory ---------------------------------------------------------------------------------

    def alloc(self, size, *_):
        # Device memory is aligned to 256 bytes; what is read before it is written is not 0.
        block = ctypes.create_string_buffer(size + 256)
        ctypes.memset(block, 0xA5, len(block))
        pointer = (ctypes.addressof(block) + 255) & ~255
        self._memory[pointer] = block
        return pointer

    alloc_managed = alloc_host = alloc

    def free(self, pointer):
        self._memory.pop(pointer, None)

    free_host = free

    def device_pointer_of_host(self, pointer):
        return pointer

    def copy(self, kind, to, from_, size, stream):
        if size:
            ctypes.memmove(to, from_, size)

    def fill(self, pointer, byte, size, stream):
        ctypes.memset(pointer, byte, size)

    def memory_context(self, pointer):
        return 1

    def allocation_base(self, pointer):
        return pointer

    def ipc_handle(self, pointer):
        raise NotImplementedError("the simulator shares no memory between processes")

    # -- streams and events ---------------------------------------------------------------------

    def create_stream(self):
        return next(self._numbers)

    def stream_is_done(self, stream):
        return True

    def is_capturing(self, stream):
        return False

    def call_on_host(self, stream, callback, number):
        callback(number)

    def create_event(self, timing):
        return next(self._numbers)

    def destroy_event(self, event):
        self._events.pop(event, None)

    def record_event(self, event, stream):
        self._events[event] = perf_counter()

    def event_is_done(self, event):
        return True

    def elapsed_time(self, start, end):
        return 1e3 * (self._events[end] - self._events[start])

    # -- code -----------------------------------------------------------------------------------

    def occupancy(self, function, threads, shared):
        return max(1, 2048 // max(threads, 1))

    def best_block_size(self, function, shared):
        return 256
