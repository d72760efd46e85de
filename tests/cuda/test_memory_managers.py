"""Memory managers of other libraries, and what the driver's module offers."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from numjit import cuda

PROGRAM = """
import numpy as np
from numjit import cuda
from numjit.cuda.cudadrv.driver import get_driver

class Counting(cuda.GetIpcHandleMixin, cuda.HostOnlyCUDAMemoryManager):
    sizes, freed, started = [], [], 0

    def initialize(self):
        Counting.started += 1

    def memalloc(self, size):
        pointer = get_driver().alloc(size)
        self.sizes.append(size)
        def finalizer():
            self.freed.append(size)
            get_driver().free(pointer)
        return cuda.MemoryPointer(self.context, pointer, size, finalizer=finalizer)

    def get_memory_info(self):
        return cuda.MemoryInfo(free=3, total=8)

    @property
    def interface_version(self):
        return 1

class Old(Counting):
    interface_version = 0

try:
    cuda.set_memory_manager(Old)
    raise AssertionError
except RuntimeError as error:
    assert "version 1 required" in str(error)
cuda.set_memory_manager(Counting)
d = cuda.to_device(np.arange(4.0))
assert Counting.sizes == [32] and Counting.started == 1
assert d[1:].copy_to_host().tolist() == [1, 2, 3]
view = d[2:]
del d
context = cuda.current_context()
context.reset()  # what is in use stays
assert cuda.current_context() is context and view.copy_to_host().tolist() == [2, 3]
context.memory_manager = Counting(context=context)
assert Counting.started == 2
assert not Counting.freed
del view
assert Counting.freed == [32]
assert cuda.current_context().get_memory_info() == (3, 8)
print("fine")
"""


def test_a_manager_is_asked_for_device_memory():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.stdout == "fine\n", done.stderr


def test_what_is_missing_in_a_manager():
    class Nothing(cuda.BaseCUDAMemoryManager):
        pass

    with pytest.raises(TypeError, match="abstract"):
        cuda.set_memory_manager(Nothing)


def test_handles_travel():
    handle = cuda.IpcHandle(None, bytes(range(64)), 32, offset=8)
    copy = pickle.loads(pickle.dumps(handle))
    assert (copy.handle, copy.size, copy.offset) == (bytes(range(64)), 32, 8)
    with pytest.raises(ValueError, match="not opened"):
        copy.close()
    with pytest.raises(ValueError, match="original process"):
        cuda.IpcHandle(object(), bytes(64), 8).open(cuda.current_context())


def test_memory_that_waits():
    pending = cuda.current_context().deallocations
    with cuda.defer_cleanup():
        cuda.to_device(np.zeros(3))
        assert len(pending) == 1 and pending.is_disabled
        pending.clear()
        assert len(pending) == 0
    assert not pending.is_disabled


@pytest.mark.skipif(sys.version_info < (3, 12), reason="buffers in Python are new in 3.12")
def test_memory_of_the_host_is_a_buffer():
    memory = cuda.current_context().memhostalloc(32, mapped=True)
    array = np.ndarray(4, np.float64, buffer=memory)
    array[:] = range(4)
    assert np.asarray(memory).view(np.float64).tolist() == [0, 1, 2, 3]


def test_bytes():
    from numjit.cuda.cudadrv import driver

    d, h = cuda.to_device(np.arange(4, dtype=np.int32)), np.zeros(4, np.int32)
    driver.device_memset(d, 1, 8)
    driver.device_to_host(h, d, 16)
    assert h.tolist() == [0x01010101, 0x01010101, 2, 3]
    driver.host_to_device(d, np.full(4, 5, np.int32), 4)
    assert d.copy_to_host().tolist()[:2] == [5, 0x01010101]
    assert driver.device_memory_size(d) == 16
