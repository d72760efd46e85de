"""Pools of memory, what they tell hooks, and allocators."""

import gc
import io
import json

import numjit.cupy as cp
import numpy as np
import pytest
from numjit import cuda
from numjit.cupy.cuda import memory, memory_hook, memory_hooks

needs_gpu = pytest.mark.skipif(cuda.is_simulated(), reason="the simulator has no such memory")


class Recorder(memory_hook.MemoryHook):
    name = "Recorder"

    def __init__(self):
        self.events = []

    def __getattribute__(self, name):
        if name.endswith("process"):
            return lambda **what: self.events.append((name, what))
        return super().__getattribute__(name)


def test_hooks_hear_of_pools():
    pool, hook = cp.cuda.MemoryPool(), Recorder()
    pool.malloc(100)
    with hook:
        given = pool.malloc(600)
        pointer, number = given.ptr, id(given.mem)
        given.mem.free()
        given.mem.free()
        with pytest.raises(KeyError, match="already"):
            hook.__enter__()
    pool.malloc(600)
    of_memory = {"device_id": 0, "mem_size": 1024}
    assert hook.events == [
        ("malloc_preprocess", {**of_memory, "size": 600}),
        ("alloc_preprocess", of_memory),
        ("alloc_postprocess", {**of_memory, "mem_ptr": pointer}),
        ("malloc_postprocess", {**of_memory, "size": 600, "mem_ptr": pointer, "pmem_id": number}),
        ("free_preprocess", {**of_memory, "mem_ptr": pointer, "pmem_id": number}),
        ("free_postprocess", {**of_memory, "mem_ptr": pointer, "pmem_id": number}),
    ]


def test_hooks_hear_of_arrays():
    before = cp.arange(5000) * 2  # waits, and is computed before the hook is there
    printed = io.StringIO()
    with memory_hooks.DebugPrintHook(file=printed):
        x = cp.arange(1000) + 1
    after = x * 2
    np.testing.assert_array_equal(after.get(), np.arange(1, 1001) * 2)
    lines = [json.loads(line) for line in printed.getvalue().splitlines()]
    assert {"malloc"} <= {line["hook"] for line in lines} <= {"malloc", "alloc", "free"}
    assert {line["size"] for line in lines if line["hook"] == "malloc"} == {8000}
    assert before[1] == 2


def test_report_of_lines():
    pool, hook = cp.cuda.MemoryPool(), memory_hooks.LineProfileHook(max_depth=2)
    pool.malloc(1000)
    with hook:
        pool.malloc(1000), pool.malloc(2000)
    report = io.StringIO()
    hook.print_report(file=report)
    lines = report.getvalue().splitlines()
    assert lines[0] == "_root (3.00KB, 2.00KB)"
    assert len(lines) == 2 and lines[1].endswith(" (3.00KB, 2.00KB)")


def test_memory_of_pools():
    pool = cp.cuda.MemoryPool()
    given = pool.malloc(10)
    assert isinstance(given.mem, memory.PooledMemory) and pool.n_free_blocks() == 0
    array = cp.ndarray(2, np.float32, given)
    array[...] = [3, 4]
    del given
    assert array.get().tolist() == [3, 4] and pool.used_bytes() == 512
    del array
    gc.collect()
    assert (pool.used_bytes(), pool.n_free_blocks()) == (0, 1)
    assert not isinstance(pool.malloc(0).mem, memory.PooledMemory)


def test_pools_of_other_memory():
    asked = []

    def allocate(size):
        asked.append(size)
        return memory._malloc(size)

    pool = cp.cuda.MemoryPool(allocate)
    with cp.cuda.using_allocator(pool.malloc):
        totals = [int((cp.arange(100) + 1).sum()) for _ in range(9)]
    assert totals == [5050] * 9
    assert len(asked) < 6 and pool.total_bytes() == sum(asked)
    gc.collect()
    pool.free_all_blocks()
    assert pool.free_bytes() == 0
    assert sum(each.mem.size for each in pool._owners.values()) == pool.used_bytes() <= 1024


def test_results_have_memory_of_where_they_were_asked_for():
    pool, waiting = cp.cuda.MemoryPool(), cp.zeros(2000) + 1
    with cp.cuda.using_allocator(pool.malloc):
        x = cp.zeros(1000) + 1
    assert pool.used_bytes() == 8192
    assert x.sum() == 1000 and waiting.sum() == 2000
    assert pool.used_bytes() == 8192


def too_large():
    """What waits, and gets no memory."""
    return cp.broadcast_to(cp.zeros(1), (1 << 50,)) + 1


def test_hooks_and_allocators_end_where_work_fails():
    pool, hook = cp.cuda.MemoryPool(), Recorder()
    for raised, block in (MemoryError, False), (KeyError, True):
        for context in hook, cp.cuda.using_allocator(pool.malloc), cp.cuda.Stream():
            before, waiting = cp.cuda.get_current_stream(), None
            with pytest.raises(raised):
                with context:
                    waiting = too_large()
                    if block:
                        raise KeyError
            assert cp.cuda.get_current_stream() == before
            assert cp.cuda.get_allocator() == cp.cuda.memory.default_pool.malloc
            with pytest.raises(MemoryError):
                waiting.get()
    with hook:  # KeyError if it was still there
        pass
    assert not memory_hooks.entered


def test_results_have_memory_of_where_they_were_asked_for_when_blocks_fail():
    pool = cp.cuda.MemoryPool()
    with pytest.raises(KeyError):
        with cp.cuda.using_allocator(pool.malloc):
            x = cp.zeros(1000) + 1
            raise KeyError
    assert pool.used_bytes() == 8192
    assert x.sum() == 1000


def test_limits_by_the_environment(monkeypatch):
    monkeypatch.setenv("CUPY_GPU_MEMORY_LIMIT", "4096")
    pool = cp.cuda.MemoryPool()
    with pytest.raises(cp.cuda.OutOfMemoryError, match="limit is 4,096"):
        pool.malloc(5000)
    monkeypatch.setenv("CUPY_GPU_MEMORY_LIMIT", "50%")
    total = cp.cuda.runtime.memGetInfo()[1]
    assert cp.cuda.MemoryPool().get_limit() == int(total * 0.5)


@needs_gpu
def test_streams_end_before_their_memory():
    stream = cp.cuda.Stream()
    with stream:
        given = cp.cuda.alloc(10), cp.cuda.malloc_async(1000)
    assert given[1].mem.stream_ref() is stream
    del stream
    gc.collect()
    del given
    managed = cp.cuda.malloc_managed(4096)
    managed.mem.advise(1, cp.cuda.Device(0))
    with pytest.raises(RuntimeError):
        managed.mem.advise(-1, cp.cuda.Device(0))


def test_an_array_that_cannot_be_computed_is_told_of_once():
    x = cp.arange(1000.0)
    x.sum().get()

    def refuse(size):
        if size > 4000:
            raise MemoryError("so much is not to be had")
        return cp.get_default_memory_pool().malloc(size)

    cp.cuda.set_allocator(refuse)
    try:
        large, small = x + 1, x[:10] * 2
        with pytest.raises(MemoryError, match="so much"):
            cp.cuda.Device().synchronize()
        cp.cuda.Device().synchronize()  # somebody else's
        assert small[3] == 6
        with pytest.raises(MemoryError, match="so much"):
            large.get()
    finally:
        cp.cuda.set_allocator(cp.get_default_memory_pool().malloc)
    assert large[9] == 10
