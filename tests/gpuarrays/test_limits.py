"""Limits of memory pools: arrays that wait for memory raise at the line that asks for them."""

import gc
import threading

import numjit.cupy as cp
import numpy as np
import pytest

ASKED = {
    "zeros": lambda n: cp.zeros(n),
    "ones": lambda n: cp.ones((4, n // 4), np.float64),
    "full": lambda n: cp.full(n, 2.5),
    "fortran": lambda n: cp.zeros((4, n // 4), order="F"),
    "like": lambda n: cp.zeros_like(cp.empty(1), shape=n),
    "arange": lambda n: cp.arange(float(n)),
    "copy": lambda n: cp.array(cp.broadcast_to(cp.ones(1), n)),
    "complex": lambda n: cp.zeros(n // 2, complex),
}


@pytest.fixture
def room():
    """A limit that leaves 1 MB: 131,072 float64."""
    pool = cp.get_default_memory_pool()
    gc.collect()  # tracebacks of other tests hold arrays; what still waits gets its memory
    cp.cuda.Device().synchronize()
    pool.free_all_blocks()
    pool.set_limit(pool.used_bytes() + (1 << 20))
    yield pool
    pool.set_limit(0)
    pool.free_all_blocks()


@pytest.mark.parametrize("name", ASKED)
def test_raised_at_its_line(room, name):
    for _ in range(2):  # the second call finds what the first one found out
        with pytest.raises(cp.cuda.OutOfMemoryError, match="limit is"):
            ASKED[name](1 << 18)
        assert ASKED[name](1 << 15).sum() is not None


def test_what_waits_counts(room):
    first, second = cp.zeros(1 << 16), cp.ones(3 << 14)
    with pytest.raises(cp.cuda.OutOfMemoryError):
        cp.zeros(1 << 15)
    del second
    third = cp.zeros(1 << 15)
    assert first.sum() == third.sum() == 0
    with pytest.raises(cp.cuda.OutOfMemoryError):
        first.copy() + 1


def test_what_needs_no_memory(room):
    x = cp.zeros(1 << 16)
    assert (x + 1 + x * 2 + cp.ones(1 << 15).sum()).sum() == (1 << 16) * (1 + (1 << 15))
    del x
    for _ in range(50):
        cp.ones(1 << 16)
    assert cp.zeros(1 << 16).size == 1 << 16


def test_more_than_the_device_has():
    with pytest.raises(cp.cuda.OutOfMemoryError, match="are free"):
        cp.zeros(1 << 44)


def test_limits_of_other_pools():
    pool = cp.cuda.MemoryPool()
    with cp.cuda.using_allocator(pool.malloc):
        pool.set_limit(1 << 20)
        with pytest.raises(cp.cuda.OutOfMemoryError):
            cp.zeros(1 << 18)
        assert cp.zeros(1 << 16).sum() == 0
    assert cp.zeros(1 << 18).sum() == 0


def test_threads(room):
    """Arrays of 16 threads, of which five have room: what was made gets its memory."""
    n, start, kept, refused = 3 << 13, threading.Barrier(16), [], []

    def work():
        start.wait()
        try:
            kept.append(cp.zeros(n))
        except cp.cuda.OutOfMemoryError:
            refused.append(1)

    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(kept) == 5 and len(refused) == 11
    assert all((each.get() == 0).all() for each in kept)


def test_a_device_that_has_no_memory_left(monkeypatch):
    """What waits is computed to free its operands, and may itself get no memory."""
    from numjit.cuda.cudadrv.error import CudaAPIError
    from numjit.cupy import pool

    cp.get_default_memory_pool().free_all_blocks()
    x = cp.arange(1000.0)
    waiting = [x + i for i in range(3)]

    class Full:
        def alloc(self, size):
            raise CudaAPIError(2, "no memory")

        def __getattr__(self, name):
            return getattr(driver, name)

    driver = pool.get_driver()
    with monkeypatch.context() as patch:
        patch.setattr(pool, "get_driver", Full)
        for _ in range(2):
            with pytest.raises(cp.cuda.OutOfMemoryError, match="are free"):
                cp.get_default_memory_pool().malloc(123_456)
            with pytest.raises(cp.cuda.OutOfMemoryError):
                waiting[0].get()
    assert [float(each.sum()) for each in waiting] == [499500, 500500, 501500]
