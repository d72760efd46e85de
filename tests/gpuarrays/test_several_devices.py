"""Several GPUs in one process, and one process for each: runs where two are (NUMJIT_TEST_GPU=1)."""

import math
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from numjit import cuda
from numjit import cupy as cp

#: None in the simulator, which is one device.
DEVICES = range(2) if os.environ.get("NUMJIT_TEST_GPU") and len(cuda.gpus) > 1 else None
pytestmark = pytest.mark.skipif(DEVICES is None, reason="needs two GPUs")


@cuda.jit
def scale(x, factor, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] * factor


def on(number):
    return cp.cuda.Device(number)


@pytest.fixture(autouse=True)
def back_to_the_first():
    yield
    on(0).use()


def expression(x):
    """What a test computes on each device: a fused expression, a reduction, a sort, indexing."""
    y = (x - 3) ** 2 + cp.sin(x)
    return [y, y.sum(), cp.sort(y), y[::3], y[y > 4], cp.cumsum(y), y.reshape(4, -1) @ y[:250]]


def test_arrays_live_where_they_were_made():
    data = np.arange(1000.0)
    expected = [np.asarray(each) for each in map(cp.asnumpy, expression(cp.asarray(data)))]
    for number in DEVICES:
        with on(number):
            x = cp.asarray(data)
            found = expression(x)
            for each, wanted in zip(found, expected, strict=True):
                assert each.device.id == number
                np.testing.assert_allclose(cp.asnumpy(each), wanted, rtol=1e-12)
            assert x.data.device_id == number
    assert cp.cuda.runtime.getDevice() == 0


def test_what_waits_is_computed_where_its_operands_are():
    with on(1):
        x = cp.arange(100.0)
        y = x * 2 + 1  # waits
    assert float(y.sum()) == 2 * 4950 + 100  # looked at in the other device
    assert y.device.id == 1
    with on(0):
        z = cp.arange(10.0) * 3
        with on(1):
            w = x * 5
            assert z.get().tolist() == [3.0 * i for i in range(10)]
        assert w.get()[-1] == 495.0


def test_copies_between_devices():
    with on(0):
        x = cp.arange(1 << 16, dtype=np.float32)
    with on(1):
        y = cp.asarray(x)  # to the current device
        assert y.device.id == 1 and x.device.id == 0
        y += 1
        assert float((y - 1).sum()) == float(cp.asnumpy(x).sum(dtype=np.float64).astype(np.float32))
        z = cp.empty_like(y)
        z[...] = x
        assert z.device.id == 1
    np.testing.assert_array_equal(cp.asnumpy(z), cp.asnumpy(x))
    back = cuda.to_device(np.zeros(4))
    with cuda.gpus[1]:
        there = cuda.to_device(np.arange(4.0))
        back.copy_to_device(there)
    assert back.copy_to_host().tolist() == [0, 1, 2, 3]


def test_one_kernel_on_each_device():
    data = np.arange(5000.0)
    for number in [*DEVICES, *DEVICES]:
        with cuda.gpus[number]:
            x = cuda.to_device(data)
            out = cuda.device_array_like(x)
            scale[20, 256](x, number + 2.0, out)
            np.testing.assert_array_equal(out.copy_to_host(), data * (number + 2))
    texts = cp.ElementwiseKernel("T x, T y", "T z", "z = x * y + 1", "multiply_add")
    raw = cp.RawKernel(
        'extern "C" __global__ void plus(double *x, double y) { x[threadIdx.x] += y; }', "plus"
    )
    total = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "squares")
    for number in [*DEVICES, *DEVICES]:
        with on(number):
            x = cp.arange(64.0)
            assert float(texts(x, x)[-1]) == 63.0 * 63 + 1
            raw((1,), (64,), (x, 1.5))
            assert float(x[0]) == 1.5
            assert float(total(cp.arange(4.0))) == 14.0


def test_libraries_on_each_device():
    rng = np.random.default_rng(1)
    a = rng.standard_normal((32, 32))
    for number in DEVICES:
        with on(number):
            x = cp.asarray(a)
            np.testing.assert_allclose(cp.asnumpy(x @ x), a @ a, rtol=1e-10)
            solved = cp.linalg.solve(x, cp.ones(32))
            np.testing.assert_allclose(a @ cp.asnumpy(solved), np.ones(32), atol=1e-9)
            np.testing.assert_allclose(cp.asnumpy(cp.fft.fft(x)), np.fft.fft(a), atol=1e-10)
            cp.random.seed(7)
            drawn = cp.random.random(1000)
            assert drawn.device.id == number and 0.4 < float(drawn.mean()) < 0.6


def test_streams_and_events_of_each_device():
    for number in DEVICES:
        with on(number), cp.cuda.Stream(non_blocking=True) as stream:
            start, end = cp.cuda.Event(), cp.cuda.Event()
            start.record(stream)
            y = cp.arange(1 << 20, dtype=np.float32) * 2
            end.record(stream)
            end.synchronize()
            assert cp.cuda.get_elapsed_time(start, end) >= 0
            assert float(y[-1]) == 2.0 * ((1 << 20) - 1)


def test_a_thread_for_each_device():
    failures = []

    def work(number):
        try:
            with on(number):
                for _ in range(20):
                    x = cp.arange(10000.0) + number
                    out = cp.empty_like(x)
                    scale[40, 256](x, 2.0, out)
                    assert out.device.id == number
                    assert float((out / 2 - number).sum()) == 10000 * 9999 / 2
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(i % len(DEVICES),)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]


def test_memory_pools_are_of_the_device():
    pool = cp.get_default_memory_pool()
    used = {}
    for number in DEVICES:
        with on(number):
            before = pool.used_bytes()
            kept = cp.zeros(1 << 20, dtype=np.uint8)
            kept[0] = 1
            used[number] = pool.used_bytes() - before
            assert used[number] >= 1 << 20
            del kept
            pool.free_all_blocks()


def test_select_device():
    cuda.select_device(1)
    try:
        x = cuda.device_array(8)
        assert cuda.get_current_device().id == 1
        x[:] = 4.0
        assert cp.asarray(x).device.id == 1
    finally:
        cuda.select_device(0)
    assert cuda.current_context().can_access_peer(1) in (True, False)


CHILD = """
import sys
import numpy as np
from numjit import cuda, cupy as cp
assert len(cuda.gpus) == 1
x = cp.arange(1000.0)
assert float((x * 2).sum()) == 999000.0
print(cuda.get_current_device().uuid)
"""


def test_one_process_a_device():
    """As dask-cuda does it: CUDA_VISIBLE_DEVICES names the device of a worker."""
    seen = set()
    for number in DEVICES:
        environment = {**os.environ, "CUDA_VISIBLE_DEVICES": str(number)}
        ran = subprocess.run(
            [sys.executable, "-c", CHILD], env=environment, capture_output=True, text=True
        )
        assert ran.returncode == 0, ran.stderr
        seen.add(ran.stdout.strip())
    assert len(seen) == len(DEVICES)


RECEIVER = """
import pickle, sys
from numjit import cuda
handle = pickle.loads(sys.stdin.buffer.read())
with cuda.gpus[int(sys.argv[1])]:
    with handle as array:
        print(array.copy_to_host().sum())
"""


@pytest.mark.parametrize("number", [0, 1])
def test_arrays_go_to_other_processes(number):
    import pickle

    with cuda.gpus[number]:
        array = cuda.to_device(np.arange(1000.0))
        handle = pickle.dumps(array.get_ipc_handle())
        ran = subprocess.run(
            [sys.executable, "-c", RECEIVER, str(number)], input=handle, capture_output=True
        )
        assert ran.returncode == 0, ran.stderr.decode()
        assert math.isclose(float(ran.stdout), 499500.0)


def test_arrays_of_other_libraries_keep_their_device():
    torch = pytest.importorskip("torch")
    there = torch.arange(6.0, device="cuda:1")
    assert cp.from_dlpack(there).device.id == 1
    assert cp.asarray(there).device.id == 0  # a copy, as of any array of another device
    assert cuda.as_cuda_array(there).gpu_data.context.device.id == 1
    with on(1):
        x = cp.from_dlpack(there)
        x += 1
        back = torch.from_dlpack(x)
        assert back.device.index == 1 and back.tolist() == [1, 2, 3, 4, 5, 6]
