"""What numba-cuda's documentation says of kernels, one program for each thing it describes.

The docstrings are rows of docs/cuda-guide.md, as in test_guide_host.py.
"""

import collections
import enum
import math
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numjit import cuda, float32, float64, int32, types, void
from numjit.core.extending import overload
from numjit.cuda import launchconfig


def run(kernel, *results, threads=32, blocks=1):
    """The arrays that a kernel fills, of the given lengths and dtypes."""
    arrays = [np.zeros(n, dtype) for n, dtype in results]
    kernel[blocks, threads](*arrays)
    cuda.synchronize()
    return arrays[0] if len(arrays) == 1 else arrays


# -- dispatchers --------------------------------------------------------------------------------


@cuda.jit
def increment(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


def test_declaration():
    """Kernel API: `@cuda.jit`, with signatures, lists of them and argument types"""

    def body(x, y):
        x[0] += y

    for signature in (
        "void(float32[:], float32)",
        void(float32[:], float32),
        (float32[:], float32),
        [void(float32[:], float32), void(float64[:], float64)],
    ):
        kernel, x = cuda.jit(signature)(body), np.zeros(1, np.float32)
        kernel[1, 1](x, np.float32(2))
        assert x[0] == 2
    with pytest.raises(TypeError):
        cuda.jit("int32(float32[:], float32)")(body)


def test_launches():
    """Kernel API: `kernel[griddim, blockdim, stream, sharedmem]`, configured kernels,
    `configure`, `forall`"""
    x = np.zeros(12)
    configured = increment[(3, 1, 1), (4,), cuda.stream(), 0]
    configured(x)
    increment.configure(3, 4)(x)
    increment.forall(x.size)(x)
    increment.forall(x.size, tpb=4, stream=0, sharedmem=0)(x)
    cuda.synchronize()
    assert (x == 4).all()


def test_inspection():
    """Kernel API: `inspect_asm`, `inspect_llvm`, `inspect_types`, `inspect_sass`, `overloads`,
    `signatures`"""
    kernel = cuda.jit(void(float64[:]))(increment.py_func)
    signature = (float64[:],)
    assert ".entry" in kernel.inspect_asm(signature) and signature in kernel.inspect_asm()
    assert "define" in kernel.inspect_llvm(signature) and signature in kernel.inspect_llvm()
    with open("/dev/null", "w") as file:
        kernel.inspect_types(file=file)
    assert callable(kernel.inspect_sass)
    assert kernel.overloads[signature] and kernel.signatures == [signature]


def test_figures():
    """Kernel API: `get_regs_per_thread`, `get_const_mem_size`, `get_shared_mem_per_block`,
    `get_local_mem_per_thread`, `get_max_threads_per_block`"""
    kernel = cuda.jit(void(float64[:]))(increment.py_func)
    for name in "regs_per_thread const_mem_size shared_mem_per_block local_mem_per_thread".split():
        assert getattr(kernel, f"get_{name}")() >= 0
    assert kernel.get_max_threads_per_block() >= 32
    kernel = cuda.jit(increment.py_func)
    kernel[1, 1](np.zeros(1))
    assert list(kernel.get_regs_per_thread())


def test_specialization():
    """Kernel API: `specialize`, `specialized`, `extensions`"""
    x = np.zeros(4)
    special = increment.specialize(x)
    assert special.specialized and not increment.specialized
    special[1, 4](x)
    assert (x == 1).all()

    class Extension:
        def prepare_args(self, ty, value, stream, retr):
            return ty, value * 0 + 5

    kernel = cuda.jit(extensions=[Extension()])(increment.py_func)
    assert kernel.extensions and increment.extensions == []


def test_configuration_in_compilation():
    """Kernel API: `launchconfig.capture_compile_config`, `ensure_current_launch_config`,
    `current_launch_config`"""
    kernel = cuda.jit(increment.py_func)
    with launchconfig.capture_compile_config(kernel) as capture:
        kernel[3, 7, 0, 16](np.zeros(1))
    configuration = capture["config"]
    assert (configuration.griddim, configuration.blockdim) == ((3, 1, 1), (7, 1, 1))
    assert configuration.sharedmem == 16
    assert launchconfig.current_launch_config() is None
    with pytest.raises(RuntimeError):
        launchconfig.ensure_current_launch_config()


def threads_of_the_launch():
    """In kernels the number of threads in a block, as a constant."""


@overload(threads_of_the_launch, target="cuda")
def constant_threads():
    config = launchconfig.ensure_current_launch_config()
    config.mark_kernel_as_launch_config_sensitive()
    n = math.prod(config.blockdim)
    return lambda: n


def launch_sensitive(kernel, n, start=None):
    out = np.zeros(1)
    configured = kernel[1, n]
    if start:
        start.wait()
    configured(out)
    configured(out)
    return int(out[0])


def test_compilation_for_a_configuration():
    """Kernel API: `mark_kernel_as_launch_config_sensitive`"""

    @cuda.jit
    def kernel(out):
        out[0] = threads_of_the_launch()

    assert [launch_sensitive(kernel, n) for n in (4, 8, 4, 16)] == [4, 8, 4, 16]


def test_configurations_of_threads():
    """Kernel API: `mark_kernel_as_launch_config_sensitive`"""

    @cuda.jit
    def kernel(out):
        out[0] = threads_of_the_launch()

    start = threading.Barrier(16)
    with ThreadPoolExecutor(16) as pool:
        found = pool.map(lambda n: launch_sensitive(kernel, n, start), range(1, 17))
        assert list(found) == list(range(1, 17))


def test_callbacks_before_launches():
    """Kernel API: `pre_launch_callbacks`"""
    seen, x = [], np.zeros(4)
    configured = cuda.jit(increment.py_func)[2, 4]
    configured.pre_launch_callbacks.append(lambda kernel, config: seen.append((kernel, config)))
    configured(x)
    configured(x)
    assert len(seen) == 2 and seen[0][1].griddim == (2, 1, 1) and (x == 2).all()


# -- arguments ----------------------------------------------------------------------------------


class Colour(enum.IntEnum):
    RED = 3


Pair = collections.namedtuple("Pair", "a, b")


def test_arguments():
    """Kernel API: arguments: arrays of scalars and records, scalars, complex numbers, enum
    members, records, tuples, nested and named"""

    @cuda.jit
    def kernel(out, number, z, flag, colour, record, pair, nested, records):
        out[0] = number + z.imag + flag
        out[1] = colour
        out[2] = record.a + record["b"]
        out[3] = pair.a[0] + pair.b
        out[4] = nested[1][0] + nested[0]
        out[5] = records[1].b

    dtype = np.dtype([("a", np.int32), ("b", np.float64)])
    records = np.array([(1, 2.5), (3, 4.5)], dtype)
    out = np.zeros(6)
    pair = Pair(cuda.to_device(np.ones(1)), 2)
    kernel[1, 1](out, 1.5, 2j, True, Colour.RED, records[0], pair, (1, (2.0,)), records)
    assert out.tolist() == [4.5, 3, 3.5, 3, 3, 4.5]


def test_pointers():
    """Examples: pointers as arguments, `types.CPointer`"""
    signature = types.void(types.CPointer(types.uint8), types.uint64)

    @cuda.jit(signature)
    def add_one(x, n):
        i = cuda.grid(1)
        if i < n:
            x[i] += 1

    x = cuda.to_device(np.arange(10, dtype=np.uint8))
    add_one[1, 32](x.__cuda_array_interface__["data"][0], 10)
    assert (x.copy_to_host() == np.arange(10) + 1).all()


# -- positions, memory --------------------------------------------------------------------------


def test_positions():
    """Kernel API: `threadIdx`, `blockIdx`, `blockDim`, `gridDim`, `laneid`, `warpsize`, `grid`,
    `gridsize`"""

    @cuda.jit
    def kernel(out):
        x, y, z = cuda.grid(3)
        a, b, c = cuda.gridsize(3)
        x2, y2 = cuda.grid(2)
        i = (z * b + y) * a + x
        if x == cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x and x2 == x and y2 == y:
            out[i] += cuda.gridDim.x * 10 + cuda.warpsize
        if cuda.laneid == cuda.threadIdx.x + 2 * cuda.threadIdx.y + 4 * cuda.threadIdx.z:
            out[i] += 1000

    out = np.zeros(2 * 4 * 6, np.int64)
    kernel[(1, 2, 3), (2, 2, 2)](out)
    assert (out == 1042).all()


SHAPE = 32
RATES = np.arange(4.0)


def test_memory():
    """Kernel API: `shared.array`, `local.array`, `const.array_like`; shapes from literals,
    variables and globals"""

    @cuda.jit
    def kernel(out):
        n = 8
        shared = cuda.shared.array(SHAPE, float64)
        square = cuda.shared.array((4, n), np.int32)
        mine = cuda.local.array(shape=n, dtype=float32)
        rates = cuda.const.array_like(RATES)
        i = cuda.threadIdx.x
        for k in range(n):
            mine[k] = k
        shared[i] = i
        square[i // 8, i % 8] = i
        cuda.syncthreads()
        out[i] = shared[31 - i] + mine[i % n] + rates[i % 4] + square[3, 7]

    i = np.arange(32)
    assert (run(kernel, (32, np.float64)) == 31 - i + i % 8 + i % 4 + 31).all()


def test_dynamic_shared_memory():
    """Memory: dynamic shared memory, whose arrays alias, and disjoint views of it"""

    @cuda.jit
    def kernel(out):
        f = cuda.shared.array(0, dtype=np.float32)
        same = cuda.shared.array(0, dtype=np.int32)
        rest = cuda.shared.array(0, dtype=np.int32)[1:]
        f[0] = 3.14
        rest[0] = 1
        out[0], out[1], out[2] = f[0], same[0], rest[0]

    out = np.zeros(3)
    kernel[1, 1, 0, 8](out)
    assert out.tolist() == [np.float32(3.14), 1078523331, 1]


# -- barriers, warps ----------------------------------------------------------------------------


def test_barriers():
    """Kernel API: `syncthreads`, `syncthreads_count`, `syncthreads_and`, `syncthreads_or`,
    `threadfence`, `threadfence_block`, `threadfence_system`"""

    @cuda.jit
    def kernel(out):
        i = cuda.threadIdx.x
        cuda.syncthreads()
        count = cuda.syncthreads_count(i < 5)
        every = cuda.syncthreads_and(i < 32)
        some = cuda.syncthreads_or(i > 40)
        cuda.threadfence()
        cuda.threadfence_block()
        cuda.threadfence_system()
        out[i] = count * 100 + (every != 0) * 10 + (some != 0)

    assert (run(kernel, (32, np.int64)) == 510).all()


def test_grid_groups():
    """Cooperative groups: `cg.this_grid`, `sync`, `max_cooperative_grid_blocks`"""

    @cuda.jit(void(int32[:, ::1]))
    def sequential_rows(m):
        column = cuda.grid(1)
        g = cuda.cg.this_grid()
        rows, columns = m.shape
        for row in range(1, rows):
            m[row, column] = m[row - 1, columns - column - 1] + 1
            g.sync()

    m = cuda.to_device(np.zeros((8, 64), np.int32))
    sequential_rows[2, 32](m)
    assert (m.copy_to_host() == np.arange(8)[:, None]).all()
    overload = sequential_rows.overloads[(int32[:, ::1],)]
    assert overload.max_cooperative_grid_blocks(32) >= 1
    assert overload.max_cooperative_grid_blocks((8, 4)) >= 1


def test_warps():
    """Kernel API: `syncwarp`, `all_sync`, `any_sync`, `eq_sync`, `ballot_sync`, `activemask`,
    `lanemask_lt`"""

    @cuda.jit
    def kernel(out):
        i = cuda.laneid
        cuda.syncwarp()
        cuda.syncwarp(0xFFFFFFFF)
        out[i, 0] = cuda.all_sync(0xFFFFFFFF, i < 32) != 0
        out[i, 1] = cuda.any_sync(0xFFFFFFFF, i > 40) != 0
        out[i, 2] = cuda.eq_sync(0xFFFFFFFF, i < 40) != 0
        out[i, 3] = cuda.ballot_sync(0xFFFFFFFF, i == 1)
        out[i, 4] = cuda.popc(cuda.activemask())
        out[i, 5] = cuda.lanemask_lt()

    out = np.zeros((32, 6), np.int64)
    kernel[1, 32](out)
    assert (out[:, :5] == [1, 0, 1, 2, 32]).all() and (out[:, 5] == (1 << np.arange(32)) - 1).all()


def test_shuffles():
    """Kernel API: `shfl_sync`, `shfl_up_sync`, `shfl_down_sync`, `shfl_xor_sync`,
    `match_any_sync`, `match_all_sync`"""

    @cuda.jit
    def kernel(out):
        i = cuda.laneid
        out[i, 0] = cuda.shfl_sync(0xFFFFFFFF, i, 3)
        out[i, 1] = cuda.shfl_up_sync(0xFFFFFFFF, float(i), 1)
        out[i, 2] = cuda.shfl_down_sync(0xFFFFFFFF, np.int64(i), 1)
        out[i, 3] = cuda.shfl_xor_sync(0xFFFFFFFF, i, 1)
        out[i, 4] = cuda.match_any_sync(0xFFFFFFFF, i // 16)
        mask, same = cuda.match_all_sync(0xFFFFFFFF, 7)
        out[i, 5] = same and mask == 0xFFFFFFFF

    out = np.zeros((32, 6), np.int64)
    kernel[1, 32](out)
    i = np.arange(32)
    wanted = [
        np.full(32, 3),
        np.maximum(i - 1, 0),
        np.minimum(i + 1, 31),
        i ^ 1,
        np.where(i < 16, 0xFFFF, 0xFFFF0000),
        np.ones(32),
    ]
    assert (out == np.transpose(wanted)).all()


# -- atomics ------------------------------------------------------------------------------------

ATOMICS = {
    "add": (lambda a, v: a + v, "int32 int64 uint32 uint64 float32 float64"),
    "sub": (lambda a, v: a - v, "int32 int64 float32 float64"),
    "and_": (lambda a, v: a & v, "int32 uint32 int64 uint64"),
    "or_": (lambda a, v: a | v, "int32 uint32 int64 uint64"),
    "xor": (lambda a, v: a ^ v, "int32 uint32 int64 uint64"),
    "exch": (lambda a, v: v, "int32 uint32 int64 uint64"),
    "inc": (lambda a, v: 0 if a >= v else a + 1, "uint32 uint64"),
    "dec": (lambda a, v: v if a == 0 or a > v else a - 1, "uint32 uint64"),
    "max": (max, "int32 int64 uint32 uint64 float32 float64"),
    "min": (min, "int32 int64 uint32 uint64 float32 float64"),
    "nanmax": (max, "int32 int64 uint32 uint64 float32 float64"),
    "nanmin": (min, "int32 int64 uint32 uint64 float32 float64"),
}


@pytest.mark.parametrize("name", ATOMICS)
def test_atomics(name):
    """Atomic operations: `add`, `sub`, `and_`, `or_`, `xor`, `exch`, `inc`, `dec`, `max`, `min`,
    `nanmax`, `nanmin`; indices of several dimensions; the old value is returned"""
    operation = getattr(cuda.atomic, name)

    @cuda.jit
    def kernel(x, square, value, old):
        old[0] = operation(x, 1, value)
        operation(square, (1, 0), value)

    wanted, dtypes = ATOMICS[name]
    for dtype in dtypes.split():
        x, square = np.full(3, 9, dtype), np.full((2, 2), 9, dtype)
        old, value = np.zeros(1, dtype), np.dtype(dtype).type(12)
        kernel[1, 1](x, square, value, old)
        result = np.dtype(dtype).type(wanted(x[0], value))
        assert x[1] == square[1, 0] == result and old[0] == 9 and x[0] == square[0, 0] == 9


def test_compare_and_swap():
    """Atomic operations: `cas`, `compare_and_swap`"""

    @cuda.jit
    def kernel(x, square, old):
        old[0] = cuda.atomic.cas(x, 1, 5, 7)
        old[1] = cuda.atomic.cas(square, (0, 1), 4, 7)
        old[2] = cuda.atomic.compare_and_swap(x, 5, 8)

    for dtype in (np.int32, np.int64, np.uint32, np.uint64):
        x, square, old = np.full(3, 5, dtype), np.full((2, 2), 5, dtype), np.zeros(3, dtype)
        kernel[1, 1](x, square, old)
        assert x.tolist() == [8, 7, 5] and (square == 5).all() and (old == 5).all()


def test_warnings_of_launches():
    """Environment: `NumbaPerformanceWarning` of small grids and host arrays, on a GPU"""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        increment[1, 1](np.zeros(1))
    assert bool(caught) is not cuda.is_simulated()
