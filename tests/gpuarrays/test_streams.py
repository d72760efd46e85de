"""Streams, graphs, memory of the pool, sorts of all lengths, and many threads at once."""

import pickle
import threading

import numjit.cupy as cp
import numpy as np
import pytest
from gpuarrays.arrays import DTYPES, check, sample
from numjit import _core, cuda
from numjit import cupyx as cpx

needs_gpu = pytest.mark.skipif(cuda.is_simulated(), reason="the simulator captures nothing")


def test_expressions_are_computed_in_their_stream():
    launches = []

    def streams():
        return [stream for _, stream in launches]

    with cp.cuda.Stream():
        pass  # computes what a test that failed may have left
    _core.record_launches(launches)
    x = cp.array(np.arange(10.0))
    x += 1
    with cp.cuda.Stream() as stream:
        y = x * 2
        assert streams() == [0]  # what was asked for in another stream is computed before
    assert streams() == [0, stream.ptr]
    check(y, np.arange(1.0, 11) * 2)
    other = cp.cuda.Stream()
    other.use()
    z = y + 1
    cp.cuda.Stream.null.use()
    check(z, np.arange(1.0, 11) * 2 + 1)
    assert streams() == [0, stream.ptr, other.ptr]
    _core.record_launches(None)


@pytest.mark.skipif(not cuda.is_simulated(), reason="only the simulator refuses graphs")
def test_graphs_need_a_gpu():
    with pytest.raises(RuntimeError, match="need a GPU"):
        cp.cuda.Stream().begin_capture()
    with pytest.raises(RuntimeError, match="legacy"):
        cp.cuda.Stream.null.begin_capture()
    with pytest.raises(RuntimeError, match="need a GPU"):
        cp.cuda.MemoryAsyncPool()


@needs_gpu
def test_graphs_replay_what_was_launched():
    x = cp.arange(8.0)
    out = cp.zeros(8)
    x.data, out.data  # their addresses are known, so that nothing waits
    with cp.cuda.Stream(non_blocking=True) as stream:
        out[...] = x * 2 + 1  # the kernel is compiled before
        stream.synchronize()
        stream.begin_capture()
        assert stream.is_capturing()
        out[...] = x * 2 + 1
        graph = stream.end_capture()
        texts = graph.debug_dot_str(), graph.debug_dot_str(1)  # the second with all that is known
        assert "digraph" in texts[0] and len(texts[0]) < len(texts[1])
        x[...] = 3
        graph.launch(stream)
        stream.synchronize()
    check(out, np.full(8, 7.0))


@needs_gpu
def test_the_drivers_pool():
    pool = cp.cuda.MemoryAsyncPool()
    with cp.cuda.using_allocator(pool.malloc):
        x = cp.ones(1000)
        check(x * 2, np.full(1000, 2.0))
        assert pool.used_bytes() >= 8000
    pool.set_limit(size=1 << 20)
    assert pool.get_limit() == 1 << 20
    pool.set_limit(size=0)
    assert pool.get_limit() == 2**64 - 1


def test_limits_of_pools():
    pool = cp.cuda.MemoryPool()
    pool.set_limit(size=4096)
    assert pool.get_limit() == 4096
    pool.set_limit(fraction=0.0)
    assert pool.get_limit() == 0
    for wrong in ({"size": -1}, {"fraction": 1.5}, {"size": 1, "fraction": 0.5}):
        with pytest.raises(ValueError, match="must|cannot"):
            pool.set_limit(**wrong)


def test_the_pool_counts():
    pool = cp.cuda.MemoryPool()
    memory = pool.malloc(1000)
    assert (pool.used_bytes(), pool.free_bytes(), pool.total_bytes()) == (1024, 0, 1024)
    address = memory.ptr
    del memory
    assert (pool.used_bytes(), pool.free_bytes(), pool.n_free_blocks()) == (0, 1024, 1)
    memory = pool.malloc(600)
    assert memory.ptr == address and pool.free_bytes() == 0
    del memory
    pool.set_limit(4096)
    with pytest.raises(cp.cuda.OutOfMemoryError, match="limit is 4,096"):
        pool.malloc(5000)
    assert pool.total_bytes() == 0  # what was unused has been given back
    pool.malloc(4096)


def test_runtime_names():
    runtime = cp.cuda.runtime
    event = runtime.eventCreateWithFlags(runtime.eventDisableTiming)
    runtime.eventRecord(event, 0)
    runtime.eventSynchronize(event)
    assert runtime.eventQuery(event) == 0
    runtime.eventDestroy(event)
    assert runtime.deviceGetAttribute(runtime.cudaDevAttrWarpSize, 0) == 32
    assert runtime.streamCaptureModeRelaxed == 2
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.check_status(2)
    with pytest.raises(AttributeError):
        runtime.nothing


@pytest.mark.parametrize("dtype", DTYPES)
def test_sorts_of_all_lengths(dtype):
    """By counting, in a block, and by passes over tiles."""
    for shape in ((3, 5), (2, 100), (2500,), (4500,)):
        a = sample(dtype, shape)
        if a.dtype.kind == "f":
            a.flat[:6] = [np.nan, np.inf, -np.inf, -0.0, 0.0, -np.nan]
        check(cp.sort(cp.array(a)), np.sort(a))
        check(cp.argsort(cp.array(a)), np.argsort(a, kind="stable"))


def test_sixteen_threads():
    """Arrays of one thread do not meet those of another, also where both work on one operand."""
    shared = cp.array(np.arange(500.0))
    failures = []

    def work(number):
        try:
            rng = np.random.default_rng(number)
            for _ in range(5):
                host = rng.random(500)
                x = cp.array(host)
                y = (x + shared) * number
                x *= 2
                x += y
                want = host * 2 + (host + np.arange(500.0)) * number
                np.testing.assert_allclose(x.get(), want)
                np.testing.assert_allclose(float(y.sum()), (want - host * 2).sum())
                np.testing.assert_array_equal(cp.sort(x).get(), np.sort(x.get()))
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]
    check(shared, np.arange(500.0))


@needs_gpu
def test_captures_that_fail_leave_the_stream():
    stream = cp.cuda.Stream(non_blocking=True)
    x = cp.arange(8.0)
    with stream:
        stream.begin_capture()
        with pytest.raises(RuntimeError, match="is capturing"):
            x.get()
        stream.end_capture()
        stream.begin_capture()
        assert not stream.done
        with pytest.raises(cp.cuda.runtime.CUDARuntimeError, match="StreamCaptureInvalidated"):
            stream.end_capture()
        stream.begin_capture()
        with pytest.raises(cp.cuda.runtime.CUDARuntimeError, match="CaptureUnsupported") as raised:
            stream.synchronize()
        assert raised.value.status == 900
        with pytest.raises(cp.cuda.runtime.CUDARuntimeError, match="StreamCaptureInvalidated"):
            stream.end_capture()
        assert not stream.is_capturing()
        np.testing.assert_array_equal((x * 2).get(), 2 * np.arange(8.0))


@needs_gpu
def test_functions_of_the_host_run_with_each_launch_of_a_graph():
    stream, calls = cp.cuda.Stream(non_blocking=True), []
    with stream:
        stream.begin_capture()
        stream.launch_host_func(calls.append, 3)
        graph = stream.end_capture()
        for _ in range(2):
            graph.launch()
            stream.synchronize()
    assert calls == [3, 3]


def test_errors_of_the_driver_go_by_several_names():
    error = cp.cuda.runtime.CUDARuntimeError(
        2, "Call to cuMemAlloc results in CUDA_ERROR_OUT_OF_MEMORY"
    )
    assert isinstance(error, cuda.cudadrv.driver.CudaAPIError) and error.status == error.code == 2
    assert str(error).endswith("(cudaErrorMemoryAllocation)")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    for code, name in (
        (101, "InvalidDevice"),
        (400, "InvalidResourceHandle"),
        (719, "LaunchFailure"),
    ):
        assert str(cp.cuda.runtime.CUDARuntimeError(code)).endswith(f"(cudaError{name})")
    assert str(cp.cuda.runtime.CUDARuntimeError(12345)).endswith("error 12345")


def test_reading_where_it_is_not_allowed():
    x = cp.arange(3)
    with cpx.allow_synchronize(False):
        y = x + 1
        for read in (x.get, lambda: int(x[0]), lambda: bool(x[0] == 0), lambda: float(x.sum())):
            with pytest.raises(cpx.DeviceSynchronized):
                read()
        with cpx.allow_synchronize(True):
            check(x, np.arange(3))
    check(y, np.arange(1, 4))


def test_the_older_name_of_foreign_streams():
    own = cp.cuda.Stream()
    with pytest.warns(DeprecationWarning, match="from_external"):
        stream = cp.cuda.ExternalStream(own.ptr)
    with stream:
        check(cp.arange(3) * 2, np.arange(3) * 2)
