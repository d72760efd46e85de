"""Arrays, kernels of text and pools from sixteen threads, in other processes, and in pickles."""

import multiprocessing
import pickle
import threading
import traceback

import numjit.cupy as cp
import numpy as np
import pytest
from numjit import cuda, float64, vectorize
from numjit.cupy.evaluate import turn

THREADS = 16
GPU = not cuda.is_simulated()
REPEAT = 20 if GPU else 3


def in_threads(work):
    """work(number) in threads that begin together."""
    barrier, failed = threading.Barrier(THREADS), []

    def run(number):
        try:
            barrier.wait()
            work(number)
        except BaseException:
            failed.append(traceback.format_exc())

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed, f"{len(failed)} threads failed\n{failed[0]}"


@pytest.mark.unwatched(
    "memcheck", "racecheck", "initcheck", "synccheck",
    reason="the tools lock up where cuFFT and other threads load modules at once",
)  # fmt: skip
def test_functions():
    def work(number):
        dtype = np.float32 if number % 2 else np.float64
        h = np.random.default_rng(number).random((40, 30)).astype(dtype)
        for _ in range(REPEAT):
            x = cp.asarray(h)
            np.testing.assert_allclose((x @ x.T).get(), h @ h.T, rtol=1e-4)
            np.testing.assert_allclose(x.sum(axis=number % 2).get(), h.sum(number % 2), rtol=1e-4)
            np.testing.assert_allclose(cp.cumsum(x, axis=1).get(), np.cumsum(h, axis=1), rtol=1e-4)
            np.testing.assert_array_equal(x[x > 0.5].get(), h[h > 0.5])
            np.testing.assert_array_equal(
                cp.argsort(x, axis=1).get(), np.argsort(h, axis=1, kind="stable")
            )
            np.testing.assert_array_equal(cp.concatenate([x, x]).get(), np.concatenate([h, h]))
            np.testing.assert_allclose(cp.fft.fft(x).get(), np.fft.fft(h), rtol=1e-3, atol=1e-3)
            y, want = x.copy(), h.copy()
            y[1:5, ::2], want[1:5, ::2] = 3, 3
            np.testing.assert_array_equal(y.get(), want)

    in_threads(work)


def test_arrays_pass_from_thread_to_thread():
    """What waits in one thread is computed by whichever thread looks first, once and whole."""
    made, lock = [], threading.Lock()

    def work(number):
        with cp.cuda.Stream(non_blocking=True) as stream:
            for i in range(REPEAT * 5):
                x = cp.full(1000, float(i))
                x += number
                x *= 2
                stream.synchronize()
                with lock:
                    made.append((x, (i + number) * 2.0))
                    y, value = made.pop(0)
                z = y + 1
                assert (z.get() == value + 1).all()
                del x, y, z

    in_threads(work)


@pytest.mark.parametrize("wait", ["synchronize", "record"])
def test_what_others_compute_is_launched_before_a_stream_is_waited_for(wait):
    """Another thread may be about to launch a kernel that writes in this thread's stream."""
    stream, ended = cp.cuda.Stream(), threading.Event()

    def work():
        getattr(stream, wait)()
        ended.set()

    thread = threading.Thread(target=work)
    with turn:
        thread.start()
        assert not ended.wait(0.1)
    assert ended.wait(60)
    thread.join()


def test_all_look_at_one():
    chains = []
    for _ in range(30):
        x = cp.arange(1000.0)
        x *= 2
        x += 1
        chains.append((x, (x - 1) / 2))

    def work(number):
        for x, y in chains:
            assert float(y.sum()) == 499500.0
            assert float(x.sum()) == 1000000.0

    in_threads(work)


def test_pools():
    def work(number):
        for i in range(REPEAT * 5):
            arrays = [cp.empty(1000 * (j + 1)) for j in range(10)]
            arrays[3][:] = number
            assert float(arrays[3][5]) == number
            if i % 7 == 0:
                cp.get_default_memory_pool().free_all_blocks()

    in_threads(work)


needs_gpu = pytest.mark.skipif(not GPU, reason="the simulator runs no C++")


@needs_gpu
def test_text_kernels():
    """Each is compiled and loaded once, whoever asks first."""
    raw = cp.RawKernel(
        'extern "C" __global__ void f(double* x, int n, double v)'
        "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += v; }",
        "f",
    )
    product = cp.ElementwiseKernel("T x, T y", "T z", "z = x * y + 1", "product")
    total = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
    module = cp.RawModule(
        code="template<class T> __global__ void g(T* x) { x[threadIdx.x] *= T(2); }",
        name_expressions=["g<float>", "g<double>"],
    )

    def work(number):
        dtype = [np.float32, np.float64, np.int32, np.int64][number % 4]
        for _ in range(REPEAT):
            x = cp.zeros(100)
            raw((1,), (128,), (x, np.int32(100), float(number)))
            assert (x.get() == number).all()
            a = cp.arange(100, dtype=dtype)
            assert (product(a, a).get() == np.arange(100, dtype=dtype) ** 2 + 1).all()
            assert total(a).get() == 4950
            real = ["float", "double"][number % 2]
            z = cp.ones(32, f"f{4 + number % 2 * 4}")
            module.get_function(f"g<{real}>")((1,), (32,), (z,))
            assert (z.get() == 2).all()

    in_threads(work)


@needs_gpu
def test_graphs():
    def work(number):
        with cp.cuda.Stream(non_blocking=True) as stream:
            x = cp.zeros(100)  # in this stream: it does not wait for the default one
            stream.begin_capture()
            x += 1
            x *= 2
            graph = stream.end_capture()
            for _ in range(3):
                graph.launch()
        stream.synchronize()
        assert (x.get() == 14).all()

    in_threads(work)


@vectorize([float64(float64, float64)], target="cuda")
def scaled(a, b):
    return a * b + 1


def test_pickles():
    x = pickle.loads(pickle.dumps(cp.arange(5) + 1))
    assert (x.get() == np.arange(5) + 1).all()
    assert pickle.loads(pickle.dumps(scaled))(1.0, 2.0) == 3
    again = pickle.loads(pickle.dumps(cp.ElementwiseKernel("T x", "T y", "y = x + 1", "next")))
    reduced = pickle.loads(
        pickle.dumps(cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", name="all"))
    )
    raw = pickle.loads(pickle.dumps(cp.RawKernel("__global__ void f(){}", "f", ("-w",))))
    assert (again.name, reduced.name, raw.name, raw.options) == ("next", "all", "f", ("-w",))
    if GPU:
        assert (again(cp.zeros(3)).get() == 1).all()
        assert reduced(cp.ones(3)).get() == 3


def in_a_process(number, array, results):
    try:
        found = (cp.asarray(array) * number).sum()
        results.put((float(found), scaled(float(number), 2.0)))
    except BaseException:
        results.put(traceback.format_exc())


def test_processes():
    float(cp.ones(3).sum())
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    children = [
        context.Process(target=in_a_process, args=(number, np.ones(10), results))
        for number in (1, 2)
    ]
    for child in children:
        child.start()
    assert sorted(results.get(timeout=200) for _ in children) == [(10.0, 3.0), (20.0, 5.0)]
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [0, 0]
