"""What test_launches.py runs in a process of its own, whose driver is fake_driver.c."""

import ctypes
import gc
import struct
import threading
import warnings

import numpy as np
from numjit import cuda, cupy
from numjit.cuda.cudadrv.driver import get_driver
from numjit.cuda.cudadrv.error import CudaAPIError

warnings.simplefilter("ignore")


class Last(ctypes.Structure):
    _fields_ = (
        ("count", ctypes.c_int),
        ("status", ctypes.c_int),
        ("context_calls", ctypes.c_int),
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared_bytes", ctypes.c_uint),
        ("stream", ctypes.c_uint64),
        ("context", ctypes.c_uint64),
        ("values", ctypes.c_uint64 * 16),
        ("linked", ctypes.c_char * 16),
        ("refused", ctypes.c_int),
        ("modules", ctypes.c_int),
    )


last = Last.in_dll(ctypes.CDLL("libcuda.so.1"), "last")


def launched(launcher, *args, count):
    """Values of the parameters of a launch."""
    before, last.values[15] = last.count, count
    launcher(*args)
    assert last.count == before + 1
    assert last.context == 0x1000
    return list(last.values[:count])


def bits(x):
    return struct.unpack("Q", struct.pack("d", x))[0]


@cuda.jit
def k(*args):
    pass


x = cuda.to_device(np.arange(6.0).reshape(2, 3))

# Arrays are pointer and shape, and strides where they are not contiguous.
assert launched(k[3, 32], x, count=3) == [x._pointer, 2, 3]
assert tuple(last.grid) == (3, 1, 1) and tuple(last.block) == (32, 1, 1)
assert launched(k[3, 32], x[:, ::2], count=5) == [x._pointer, 2, 2, 24, 16]
assert launched(k[3, 32], x[1], 7, 2.5, count=4) == [x._pointer + 24, 3, 7, bits(2.5)]
assert launched(k[3, 32], (x[0], (1, True)), count=3)[:3] == [x._pointer, 3, 1]

# Records are their address.
particles = np.zeros(2, [("x", "f8"), ("n", "i4")])
d = cuda.to_device(particles)
assert launched(k[1, 1], d, count=2) == [d._pointer, 2]
record = cuda.to_device(particles[0])
assert launched(k[1, 1], record, 5, count=2) == [record._pointer, 5]


# Objects of other libraries, and arrays of the host, whose copies come back.
class Foreign:
    __cuda_array_interface__ = d.__cuda_array_interface__


assert launched(k[1, 1], Foreign(), count=2) == [d._pointer, 2]
assert launched(k[1, 1], np.zeros(3), count=2)[1] == 3

# Configurations: equal numbers are the same launcher, whatever objects they are.
big, stream = int("1000"), cuda.stream()
assert k[big, (8, 4)] is k[int("1000"), (int("8"), 4)]
assert k[big, (8, 4)] is not k[big, (8, 5)]
assert k[big, 8] is not k[8, big]
launched(k[(4, 5, 6), (8, 4), stream, 64], x, count=0)
assert tuple(last.grid) == (4, 5, 6) and tuple(last.block) == (8, 4, 1)
assert last.stream == stream.handle.value and last.shared_bytes == 64

# A launch asks for the context once, and sets it where another library has changed it.
launcher = k[1, 32]
launcher(x)
calls = last.context_calls
k[1, 32](x)
assert last.context_calls == calls + 1
ctypes.CDLL("libcuda.so.1").cuCtxSetCurrent(ctypes.c_void_p(0x5000))
launched(k[1, 32], x, count=0)

# Code of others is linked: PTX of the kernel, then what `link` and declarations name.
other = cuda.declare_device("other", "int32(int32)", link=cuda.Cubin(b"ELF"))


@cuda.jit(link=[cuda.PTXSource("// nothing")])
def calls_other(x):
    x[0] = other(1)


launched(calls_other[1, 1], cuda.to_device(np.zeros(1, np.int32)), count=0)
assert last.linked == b"110"


# Linked code is told of each module that it is loaded with, and of its end.
told = []
library = cuda.PTXSource(
    "// nothing", setup_callback=lambda code: told.append(int(code) == code.module == code.handle),
    teardown_callback=lambda code: told.append("end"),
)  # fmt: skip


@cuda.jit(link=[library])
def with_callbacks(x):
    x[0] = 1


for _ in range(2):
    launched(with_callbacks[1, 1], x, count=0)
assert told == [True]
launched(with_callbacks[1, 1], cuda.to_device(np.zeros(1, np.int32)), count=0)
assert told == [True, True]
del with_callbacks
gc.collect()
assert told == [True, True, "end", "end"]


# A grid group makes a launch cooperative.
@cuda.jit
def with_group(x):
    cuda.cg.this_grid()


launched(with_group[1, 32], x, count=0)
assert with_group.definition.cooperative and not calls_other.definition.cooperative


# What the arrays of threads were missing is heard of after a synchronisation.
@cuda.jit
def with_arrays(x):
    v = x + 1.0
    v[0] = 2.0
    x[0] = v.sum()


long = cuda.to_device(np.arange(1000.0))
launched(with_arrays[1, 32], long, count=0)
made = with_arrays.definition
function, modules = made.function, last.modules
made.scratch._words[0] = 10_000  # bytes that a thread would have needed
cuda.synchronize()
assert last.modules == modules + 1 and made.function != function
assert "[12576]" in with_arrays.inspect_asm(with_arrays.signatures[0])
cuda.synchronize()
assert last.modules == modules + 1
made.scratch._words[1] = 1 << 30  # an array for which there was no memory
try:
    cuda.synchronize()
    raise AssertionError
except MemoryError as error:
    assert "scratch" in str(error) and str(1 << 30) in str(error)
cuda.synchronize()

# Small arrays have the extents of the arguments: a kernel is made for each of nine, then one for
# all.
with_extents = cuda.jit(with_arrays.py_func)
modules = last.modules
for n in (2, 3, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 10, 2, 3, 1000):
    launched(with_extents[1, 32], cuda.to_device(np.arange(float(n))), count=0)
(loaded,) = with_extents._loaded.values()
(variants,) = loaded.variants.values()
kernels = [*loaded.kernels.values(), *variants]
assert len(kernels) == 10 and last.modules == modules + 10
assert ["numjit_scratch" in each.inspect_asm() for each in kernels] == 9 * [False] + [True]
with_signature = cuda.jit("void(float64[::1])")(with_arrays.py_func)
for n in (2, 3):
    launched(with_signature[1, 32], cuda.to_device(np.arange(float(n))), count=0)
assert "numjit_scratch" in with_signature.definition.inspect_asm()

# Offsets in arrays of fewer than 2^31 - 2^24 items have 32 bits; a launch with a larger one has a
# kernel of its own.


@cuda.jit
def neighbours(x, y):
    j, i = cuda.grid(2)
    y[i, j] = x[i + 1, j] - x[i - 1, j - 1]


class Elsewhere:
    def __init__(self, *shape, strides=None):
        self.__cuda_array_interface__ = {
            "shape": shape,
            "strides": strides,
            "typestr": "<f4",
            "data": (0x10000, False),
            "version": 3,
        }


def products_of_64_bits(kernel):
    return sum(f"{name}.lo.s64" in kernel.inspect_asm() for name in ("mul", "mad"))


small, large = Elsewhere(30, 40), Elsewhere(1 << 16, 1 << 16)
modules = last.modules
for x, y in ((small, small), (Elsewhere(7, 9), small), (large, small), (large, large)) * 2:
    launched(neighbours[1, 32], x, y, count=0)
assert last.modules == modules + 3
(loaded,) = neighbours._loaded.values()
(variants,) = loaded.variants.values()
kernels = [*loaded.kernels.values(), *variants]
assert [bool(products_of_64_bits(each)) for each in kernels] == [False, True, True]
columns = Elsewhere(30, 40, strides=(4, 1 << 10)), Elsewhere(30, 40, strides=(4, 1 << 30))
for x in (*columns, *columns):
    launched(neighbours[1, 32], x, small, count=0)
assert last.modules == modules + 5


# Arrays of other libraries that only DLPack tells of.
class OnlyDLPack:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


exported = cupy.arange(30, dtype=np.float32)
pointer = exported.data.ptr
assert launched(k[1, 32], OnlyDLPack(exported), count=2) == [pointer, 30]
assert launched(k[1, 32], OnlyDLPack(exported[2::2]), count=3) == [pointer + 8, 14, 8]

# A reset of a context lets go of its kernels, but not of those that a program holds.
told.clear()


@cuda.jit(link=[library])
def again(x):
    x[0] = 1


x = cuda.to_device(np.zeros(1))
launched(again[1, 1], x, count=0)
cuda.current_context().reset()
assert told == [True, "end"]
held = again[1, 1]
launched(held, x, count=0)
cuda.current_context().reset()
launched(held, x, count=0)
assert told == [True, "end", True]
del again, held
gc.collect()
assert told == [True, "end", True, "end"]
x = columns[0]

context_before = cuda.current_context()

# Errors of the driver are exceptions.
last.status = 719
try:
    k[1, 32](x)
    raise AssertionError
except CudaAPIError as error:
    assert error.code == 719 and "cuLaunchKernel results in CUDA_ERROR_FAKE" in str(error)
last.status = 0


# A thread that closes leaves the contexts of the others alone.
def closes():
    cuda.current_context()
    assert get_driver().get_device_count() == 1
    cuda.close()
    assert get_driver().current_context() is None
    told.append(cuda.to_device(np.zeros(2)).size)


thread = threading.Thread(target=closes)
thread.start()
thread.join()
assert told[-1] == 2 and cuda.current_context() is context_before and context_before.alive

# Kernels of a context that is gone are not launched again.
old = k[1, 32]
cuda.close()
y = cuda.to_device(np.zeros(2))
assert k[1, 32] is not old
assert launched(k[1, 32], y, count=2) == [y._pointer, 2]
try:
    old(y)
    raise AssertionError
except CudaAPIError as error:
    assert error.code == 709, error
assert last.refused == 0
print("fine")
