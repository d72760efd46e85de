"""PyCUDA's arrays, scans and memory."""

import numjit.pycuda.driver as drv
import numpy as np
import pytest
from numjit.cuda.cudadrv.driver import simulated
from numjit.pycuda import compiler, cumath, curandom, gpuarray, scan, tools


def test_arrays():
    host = np.arange(6, dtype=np.float32)
    a = gpuarray.to_gpu(host)
    b = 2 * a + 1
    assert isinstance(b, gpuarray.GPUArray)
    np.testing.assert_array_equal(b.get(), 2 * host + 1)
    assert gpuarray.sum(b).get() == 36 and gpuarray.dot(a, b).get() == 125
    np.testing.assert_allclose(cumath.exp(a).get(), np.exp(host), rtol=1e-6)
    np.testing.assert_array_equal(
        gpuarray.if_positive(a - 2, a, b).get(), np.where(host > 2, host, 2 * host + 1)
    )
    memory = drv.mem_alloc(24)
    drv.memcpy_htod(memory, host)
    back = np.empty_like(host)
    drv.memcpy_dtoh(back, memory)
    np.testing.assert_array_equal(back, host)
    drv.memset_d32(memory, 7, 6)
    assert drv.from_device(memory, 6, np.uint32).tolist() == [7] * 6
    assert tools.dtype_to_ctype(np.float32) == "float" and drv.Device.count() >= 1
    x = gpuarray.to_gpu(np.arange(5, dtype=np.int32))
    assert scan.InclusiveScanKernel(np.int32, "a+b")(x).get().tolist() == [0, 1, 3, 6, 10]
    assert scan.ExclusiveScanKernel(np.int32, "a+b", 0)(x).get().tolist() == [0, 0, 1, 4, 10]


def test_layouts_pools_and_modules():
    a = gpuarray.to_gpu(np.arange(12.0))
    for order in "CF":
        b = a.reshape(3, 4, order=order).reshape((3, 4), order="F")
        assert b.flags.f_contiguous and b.reshape(3, 4).flags.c_contiguous
        np.testing.assert_array_equal(b.get(), np.arange(12.0).reshape((3, 4), order=order))
    interface = a.__cuda_array_interface__
    assert interface["strides"] == (8,) and interface["stream"] is None
    pool = tools.DeviceMemoryPool()
    for size in (*range(1, 70), 1000, 4096, 4097, 10**9 + 1, 2**31):
        number = pool.bin_number(size)
        assert size <= pool.alloc_size(number) < 1.25 * size + 1
        assert pool.bin_number(pool.alloc_size(number)) == number
    counts = gpuarray.empty(1000, np.uint32).fill(10)
    curandom.XORWOWRandomNumberGenerator().fill_poisson(counts)
    assert 9 < counts.get().mean() < 11
    assert drv.jit_input_type.LIBRARY == 4
    options = ["-lcudadevrt", "-lineinfo", "-Xptxas", "-v", "-O3", "-use_fast_math"]
    assert compiler._kept(options) == ["-lineinfo", "-use_fast_math"]
    with pytest.raises(drv.Error, match=r"libnowhere\.a"):
        compiler.DynamicModule().add_stdlib("nowhere")


@pytest.mark.skipif(simulated(), reason="kernels given as C++ need a GPU")
@pytest.mark.parametrize("size", [0, 1, 7, 8, 2048, 2049, 70_000, 5_000_000])
def test_scans_of_any_expression(size):
    host = np.random.default_rng(size).integers(0, 100, size).astype(np.int32)
    x = gpuarray.to_gpu(host)
    found = gpuarray.empty(size, np.int32)
    scan.InclusiveScanKernel(np.int32, "a > b ? a : b")(x, found)
    np.testing.assert_array_equal(found.get(), np.maximum.accumulate(host))
    scan.ExclusiveScanKernel(np.int32, "plus(a, b)", "5", preamble="int plus(int a, int b) "
                             "{ return a + b; }")(x, found)  # fmt: skip
    np.testing.assert_array_equal(found.get()[1:], np.cumsum(host)[:-1])
    assert not size or found.get()[0] == 5
    # Not commutative: the last of all that are not 0.
    scan.InclusiveScanKernel(np.int32, "b ? b : a")(x % 3, found)
    wanted = host % 3
    places = np.maximum.accumulate(np.where(wanted != 0, np.arange(size), -1))
    np.testing.assert_array_equal(found.get(), np.where(places < 0, 0, wanted[places]))


def test_memory_of_the_host():
    aligned = drv.aligned_empty((100,), np.float32)
    assert not aligned.ctypes.data % 4096
    known = drv.register_host_memory(aligned)
    known[:] = 2
    assert (aligned == 2).all() and known.base.get_device_pointer()
    known.base.unregister()
    with pytest.raises(ValueError, match="contiguous"):
        drv.register_host_memory(aligned[::2])
    shared = drv.managed_zeros((3, 4), np.float32, order="F")
    assert shared.flags.f_contiguous and not shared.any()
    assert drv.managed_empty_like(shared).shape == (3, 4)
    rows, pitch = drv.mem_alloc_pitch(100, 10, 4)
    assert pitch >= 100
    drv.memset_d8(rows, 0, pitch * 10)
    drv.memset_d2d8(rows, pitch, 7, 100, 10)
    assert (drv.from_device(rows, (10, pitch), np.uint8)[:, :100] == 7).all()
    other = drv.mem_alloc(pitch)
    drv.memcpy_peer(other, rows, 100)
    assert (drv.from_device(other, 100, np.uint8) == 7).all()

    class Holder(drv.PointerHolderBase):
        def get_pointer(self):
            return int(other)

    assert (drv.from_device(Holder(), 100, np.uint8) == 7).all()
    assert int(Holder()) == int(other) and drv.limit.STACK_SIZE == 0
    assert tools.bitlog2(9) == 3
    with pytest.raises(ValueError, match="threads"):
        tools.OccupancyRecord(tools.DeviceData(), 1 << 20)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["complex64", "complex128", "float32", "int16"])
def test_parts_of_complex_numbers(dtype, order):
    host = np.asarray(np.arange(12).reshape(3, 4) * (1 - 2j if dtype[0] == "c" else 1), dtype)
    host = np.asarray(host, order=order)
    z = gpuarray.to_gpu(host)
    for found, wanted in ((z.real, host.real), (z.imag, host.imag), (z.conj(), host.conj())):
        np.testing.assert_array_equal(found.get(), wanted)
        assert isinstance(found, gpuarray.GPUArray) and found.dtype == wanted.dtype
        assert found.flags.c_contiguous == z.flags.c_contiguous
        assert found.flags.f_contiguous == z.flags.f_contiguous
    out = gpuarray.empty_like(z, np.complex64)
    assert z.conj(out=out) is out
    np.testing.assert_array_equal(out.get(), host.conj())
