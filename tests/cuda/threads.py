"""What test_launches.py runs in a process of its own: threads that do everything with kernels at
once, in the simulator, on a GPU, or with the driver of fake_driver.c, which runs no kernel.
Prints "fine".
"""

import ctypes
import gc
import os
import sys
import threading
import warnings

import numpy as np
from numjit import cuda, types, void
from numjit.cuda.cudadrv.driver import pending

warnings.simplefilter("ignore")
FAKE = "fake" in sys.argv
SIMULATED = cuda.is_simulated()
THREADS, SIZE = 16, 256


def same(found, wanted):
    assert FAKE or np.array_equal(found, wanted), (found[:4], wanted[:4])


def in_threads(work, count=THREADS):
    """work(number) in threads that begin together."""
    barrier, failed = threading.Barrier(count), []

    def run(number):
        try:
            barrier.wait()
            work(number)
        except BaseException:
            import traceback

            failed.append(traceback.format_exc())

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed, failed[0]


def once(dispatcher, count=1):
    """Kernels are compiled and loaded once for each type, whoever asks first."""
    assert len(dispatcher.overloads) == count, dispatcher.overloads
    if FAKE:
        gc.collect()


@cuda.jit
def first(x, n):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += n


def first_call_of_one_kernel(number):
    x = cuda.to_device(np.zeros(SIZE))
    for _ in range(5):
        first[2, 128](x, number)
    same(x.copy_to_host(), np.full(SIZE, 5.0 * number))


in_threads(first_call_of_one_kernel)
once(first)


@cuda.jit
def typed(x, n):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += n


DTYPES = [np.int8, np.int32, np.int64, np.uint16, np.float32, np.float64]


def many_signatures(number):
    for i in range(12):
        dtype = DTYPES[(number + i) % len(DTYPES)]
        x = cuda.to_device(np.zeros(SIZE, dtype))
        typed[2, 128](x, 3)
        same(x.copy_to_host(), np.full(SIZE, 3))


in_threads(many_signatures)
once(typed, len(DTYPES))


@cuda.jit
def with_scratch(x, n):
    i = cuda.grid(1)
    if i < x.size:
        part = np.zeros(n) + x[i]
        x[i] = part.sum()


def scratch_memory(number):
    x = cuda.to_device(np.full(64, 1.0 + number))
    with_scratch[2, 32](x, 4)
    same(x.copy_to_host(), np.full(64, 4.0 * (1 + number)))


in_threads(scratch_memory)


@cuda.jit(debug=True)
def raising(x, n):
    if x[cuda.grid(1)] == n:
        raise ValueError("found")


def exceptions_of_its_own(number):
    x = cuda.to_device(np.zeros(32))
    for i in range(4):
        try:
            raising[1, 32](x, (number + i) % 2)
            assert FAKE or (number + i) % 2
        except ValueError:
            assert (number + i) % 2 == 0


in_threads(exceptions_of_its_own)


@cuda.jit
def in_stream(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


def streams_and_events(number):
    stream = cuda.stream()
    x = cuda.to_device(np.zeros(SIZE), stream=stream)
    start, end = cuda.event(), cuda.event()
    start.record(stream)
    for _ in range(20 if SIMULATED else 250):
        in_stream[2, 128, stream](x)
    end.record(stream)
    end.synchronize()
    assert start.elapsed_time(end) >= 0 and end.query()
    result = x.copy_to_host(stream=stream)
    stream.synchronize()
    same(result, np.full(SIZE, 20 if SIMULATED else 250))


in_threads(streams_and_events)
once(in_stream)


def callbacks(number):
    stream, called = cuda.stream(), threading.Event()
    memory = [cuda.device_array(8)]

    def done(stream, status, arg):
        memory.clear()  # device memory cannot be freed here
        called.set()

    stream.add_callback(done)
    stream.synchronize()
    assert called.wait(10)
    cuda.device_array(1)


in_threads(callbacks)


class Cycle:
    """Only the garbage collector ends it, in whichever thread it happens to run."""

    def __init__(self):
        self.self = self
        self.array, self.stream, self.event = cuda.device_array(64), cuda.stream(), cuda.event()
        self.host = cuda.pinned_array(64)


def garbage(number):
    for i in range(20):
        Cycle()
        with cuda.defer_cleanup():
            Cycle()
        if i % 5 == number % 5:
            gc.collect()


in_threads(garbage)

kept = [Cycle() for _ in range(8)]


def free_elsewhere():
    """In a thread that has never used the driver."""
    kept.clear()
    gc.collect()


thread = threading.Thread(target=free_elsewhere)
thread.start()
thread.join()


def kernels_of_its_own(number):
    for i in range(3):

        @cuda.jit
        def own(x):
            if cuda.grid(1) < x.size:
                x[cuda.grid(1)] = number * 10 + i

        x = cuda.device_array(32)
        own[1, 32](x)
        same(x.copy_to_host(), np.full(32, number * 10 + i))
        own.forall(32)(x)
        del own


in_threads(kernels_of_its_own)


def declared(number):
    kernel = cuda.jit(void(types.float64[:]))(lambda x: None)
    kernel[1, 32](cuda.device_array(4))
    special = first.specialize(np.zeros(4), 1)
    special[1, 32](cuda.to_device(np.zeros(4)), 1)


in_threads(declared)

if FAKE:
    last = ctypes.CDLL("libcuda.so.1").last_refused
    assert last() == 0, last()
assert not len(pending), len(pending)

# Devices, and processes: one that was forked cannot use the driver of its parent.
assert len({id(device) for device in cuda.gpus.lst}) == len(cuda.gpus)
if not SIMULATED:
    child = os.fork()
    if not child:
        try:
            cuda.device_array(1)
        except cuda.cudadrv.error.CudaDriverError as error:
            os._exit(0 if "before forking" in str(error) else 2)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

# Threads that the process does not wait for.
if "daemons" in sys.argv:

    def for_ever():
        while True:
            cuda.compile_ptx(lambda x: None, void(types.float64[:]))

    for _ in range(4):
        threading.Thread(target=for_ever, daemon=True).start()
    cuda.compile_ptx(lambda x: None, void(types.float32[:]))
print("fine", flush=True)
