"""Names of CuPy beyond NumPy's, cupyx, cupy.testing, and what counts names."""

import subprocess
import sys

import numjit.cupy as cp
import numjit.cupyx as cupyx
import numpy as np
import pytest
from gpuarrays.arrays import check
from numjit.cupy.__main__ import is_there, main, names_of

# Names that many programs use.
NAMES = """
asarray zeros ndarray array empty arange ones cuda.Device asnumpy sqrt float32 sum abs exp where
concatenate linalg.norm RawKernel dot pi cuda.Stream expand_dims cuda.runtime.getDeviceCount clip
cuda.get_current_stream ElementwiseKernel stack get_default_memory_pool linspace tile newaxis eye
unique cumsum meshgrid pad RawModule argsort hstack cuda.Event fft.fft copyto random.seed
__version__ dtype linalg.eigh get_array_module searchsorted einsum cuda.get_elapsed_time
cuda.set_allocator inf finfo cuda.MemoryPointer cuda.runtime.getDeviceProperties linalg.lstsq
cuda.nvtx.RangePush bool_ cuda.set_pinned_memory_allocator result_type ReductionKernel
cuda.alloc_pinned_memory cuda.alloc cuda.runtime.memGetInfo fuse random.default_rng
get_default_pinned_memory_pool memoize fromDlpack ogrid mgrid r_ s_ is_available clear_memo
lib.stride_tricks.as_strided linalg.LinAlgError fft.config.get_plan_cache random.RandomState
cuda.UnownedMemory cuda.MemoryPool cuda.memory.OutOfMemoryError cuda.runtime.CUDARuntimeError
cuda.runtime.deviceSynchronize cuda.runtime.is_hip cuda.ExternalStream cuda.get_device_id
""".split()


@pytest.mark.parametrize("name", NAMES)
def test_names(name):
    assert is_there(f"cupy.{name}")


def test_programs_are_counted(tmp_path, capsys):
    program = tmp_path / "program.py"
    program.write_text(
        "import cupy as cp\nfrom cupyx.scipy import special\nimport pycuda.driver as drv\n"
        "x = cp.linalg.norm(cp.zeros(3).T)\ncp.nothing(x)\nspecial.erf(x)\ndrv.mem_alloc(3)\n"
    )
    counts = names_of(program.read_text())
    assert counts["cupy.linalg.norm"] == 1 and counts["cupyx.scipy.special.erf"] == 1
    assert main(["check", str(program)]) == 1
    printed = capsys.readouterr().out
    assert "missing: 1 names" in printed and "cupy.nothing" in printed


def test_importing_loads_little():
    code = (
        "import sys, numpy, numjit; before = set(sys.modules); import numjit.cupy; "
        "assert set(sys.modules) - before == {'numjit.cupy'}, set(sys.modules) - before"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_scatter():
    a = cp.zeros(4)
    cupyx.scatter_add(a, cp.array([0, 0, 2]), cp.array([1.0, 2, 3]))
    check(a, np.array([3.0, 0, 3, 0]))
    cupyx.scatter_max(a, [0, 1], 2)
    check(a, np.array([3.0, 2, 3, 0]))
    cp.add.at(a, (cp.array([3, 3]),), 1)
    check(a, np.array([3.0, 2, 3, 2]))


def test_cupyx():
    from numjit.cupyx.profiler import benchmark
    from numjit.cupyx.scipy import linalg, special

    assert cupyx.zeros_pinned((2, 3), "f4").tolist() == [[0, 0, 0]] * 2
    check(cupyx.rsqrt(cp.array([4.0, 16])), np.array([0.5, 0.25]))
    found = benchmark(lambda a: a + 1, (cp.ones(3),), n_repeat=3)
    assert found.gpu_times.shape == (1, 3) and "CPU" in str(found)
    x = np.linspace(-2, 2, 9)
    import math

    check(special.erf(cp.array(x)), np.array([math.erf(v) for v in x]), 1e-12)
    check(special.gammaln(cp.array(x + 3)), np.array([math.lgamma(v + 3) for v in x]), 1e-12)
    check(special.softmax(cp.array(x)), np.exp(x) / np.exp(x).sum(), 1e-12)
    a = cp.array([[2.0, 1], [0, 3]])
    check(linalg.solve_triangular(a, cp.array([4.0, 6])), np.array([1.0, 2]), 1e-12)
    check(linalg.block_diag(a, cp.ones((1, 1))), np.array([[2.0, 1, 0], [0, 3, 0], [0, 0, 1]]))
    check(linalg.expm(cp.zeros((2, 2))), np.eye(2), 1e-12)
    rotation = np.array([[np.cos(1), -np.sin(1)], [np.sin(1), np.cos(1)]])
    check(linalg.expm(cp.array([[0.0, -1], [1, 0]])), rotation, 1e-12)


def test_testing():
    cp.testing.assert_array_equal(cp.ones(3), np.ones(3))
    with pytest.raises(AssertionError):
        cp.testing.assert_allclose(cp.ones(3), np.zeros(3))


def test_functions_of_functions():
    @cp.fuse()
    def squared(x, y):
        return (x - y) ** 2

    check(squared(cp.arange(4.0), 1.0), (np.arange(4.0) - 1) ** 2)

    @cp.vectorize
    def clipped(x, limit):
        return limit if x > limit else x

    check(clipped(cp.arange(5.0), 2.5), np.minimum(np.arange(5.0), 2.5))
    calls = []

    @cp.memoize()
    def kept(x):
        calls.append(x)
        return x

    assert kept(3) == kept(3) == 3 and calls == [3]
    cp.clear_memo()
    assert kept(3) == 3 and calls == [3, 3]


def test_indices_wrap():
    a = cp.arange(5)
    check(a[cp.array([-1, 7, 12])], np.array([4, 2, 2]))
    a[cp.array([5, 11])] = 9
    check(a, np.array([9, 9, 2, 3, 4]))


@pytest.mark.parametrize(
    "index",
    [
        "[2, 0]", "([2, 0], slice(1, 3))", "(slice(None), [1, 1])", "(0, [1, 2])", "([0], [1])",
        "([[0], [2]], [[1, 3]])", "(slice(None), 0, [0, 1])", "(..., [1, 0])", "(None, [1, 2])",
        "([1, 2], None, [0, 3])", "([1, 2], slice(None), [0, 1])", "a > 5", "a[:, :, 0] > 30",
        "(slice(1), a[0] > 3)", "(a[:, 0, 0] > 5, 1)", "(1, 2)", "(slice(None, None, -1), 1)",
        "(..., None)", "[]",
    ],
)  # fmt: skip
def test_indexing(index):
    a = np.arange(60).reshape(3, 4, 5)
    device = cp.array(a)
    at = eval(index, {"a": a})
    on_device = eval(index, {"a": device})
    check(device[on_device], a[at])
    device[on_device] = -1
    a[at] = -1
    check(device, a)
    if index == "(slice(None), [1, 1])":
        return  # which of two values stays is not defined
    value = np.arange(a[at].size).reshape(a[at].shape)
    device[on_device] = cp.array(value)
    a[at] = value
    check(device, a)


def test_errors_of_indices():
    a = cp.ones((2, 3))
    for index in ((0, 0, 0), 5, (slice(None), 3), cp.array([True, False, True]), 1.5, cp.ones(2)):
        with pytest.raises(IndexError):
            a[index]
    with pytest.raises(ValueError, match="broadcast"):
        a[0] = cp.ones(2)


def test_devices():
    device = cp.cuda.Device()
    assert device.attributes["MultiProcessorCount"] >= 1 and int(device.compute_capability) >= 50
    assert device.mem_info[0] <= device.mem_info[1]
    assert cp.cuda.runtime.getDeviceProperties(device.id)["warpSize"] == 32
    with device:
        assert cp.cuda.runtime.getDevice() == device.id
    with pytest.raises(cp.cuda.runtime.CUDARuntimeError):
        cp.cuda.Device(1000).use()


def test_import_paths():
    from numjit.cupy.cuda.memory import MemoryPointer, OutOfMemoryError
    from numjit.cupy.cuda.runtime import cudaDevAttrMaxTexture1DWidth, memcpyHostToDevice
    from numjit.cupy.cuda.stream import Stream
    from numjit.cupy.lib.stride_tricks import as_strided

    assert (MemoryPointer, OutOfMemoryError) == (cp.cuda.MemoryPointer, cp.cuda.OutOfMemoryError)
    assert Stream is cp.cuda.Stream
    assert (memcpyHostToDevice, cudaDevAttrMaxTexture1DWidth) == (1, 21)
    assert as_strided(cp.arange(4), (2, 2), (8, 8)).get().tolist() == [[0, 1], [1, 2]]


def test_rows_are_copied():
    host, found = np.arange(24.0).reshape(4, 6), np.zeros((4, 3))
    x = cp.zeros((4, 8))
    cp.cuda.runtime.memcpy2D(x.data.ptr, 64, host.ctypes.data, 48, 24, 4, 1)
    assert (x.get()[:, :3] == host[:, :3]).all() and not x.get()[:, 3:].any()
    cp.cuda.runtime.memcpy2D(found.ctypes.data, 24, x.data.ptr, 64, 24, 4, 2)
    assert (found == host[:, :3]).all()


AS_CUPY = """
import sys
import numjit.cupy, numjit.pycuda
sys.modules["cupy"], sys.modules["pycuda"] = numjit.cupy, numjit.pycuda
import cupy.cuda.memory, cupyx.scipy.sparse, pycuda.gpuarray
from cupy.cuda import texture
from cupy import testing
assert cupy.cuda is numjit.cupy.cuda and cupy.cuda.__name__ == "numjit.cupy.cuda"
assert texture.__name__ == "numjit.cupy.texture" and cupy.arange(3).sum() == 3
assert cupyx.__name__ == "numjit.cupyx" and pycuda.gpuarray.__name__ == "numjit.pycuda.gpuarray"
try:
    import cupy.unknown
except ModuleNotFoundError as error:
    assert "cupy.unknown" in str(error)
else:
    raise AssertionError
"""


def test_under_the_names_of_cupy_and_pycuda():
    """Each module is there once, by whatever path it is imported."""
    done = subprocess.run([sys.executable, "-c", AS_CUPY], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
