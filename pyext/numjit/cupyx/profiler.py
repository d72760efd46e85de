"""cupyx.profiler: benchmark, time_range and profile."""

from __future__ import annotations

import contextlib
import time

import numpy as np

from numjit.cupy import nvtx, runtime
from numjit.cupy.devices import Device, Event, get_elapsed_time


class _PerfCaseResult:
    """Times of a function on the host and on the device, in seconds."""

    def __init__(self, name, cpu, gpu):
        self.name, self.cpu_times, self.gpu_times = name, np.array(cpu), np.array([gpu])

    def to_str(self, show_gpu=True):
        def row(title, times):
            times = 1e6 * times
            return (f"{title}: {times.mean():9.3f} us   +/- {times.std():6.3f} (min: "
                    f"{times.min():9.3f} / max: {times.max():9.3f}) us")  # fmt: skip

        text = f"{self.name:<20}:    {row('CPU', self.cpu_times)}"
        return text + f"     {row('GPU-0', self.gpu_times[0])}" if show_gpu else text

    def __str__(self):
        return self.to_str()

    __repr__ = __str__


def benchmark(
    func, args=(), kwargs=None, n_repeat=10000, *, name=None, n_warmup=10, max_duration=np.inf,
    devices=None,
):  # fmt: skip
    """Times calls of a function on the host and on the device."""
    kwargs = kwargs or {}
    for _ in range(n_warmup):
        func(*args, **kwargs)
    start, end, cpu, gpu = Event(), Event(), [], []
    begin = time.perf_counter()
    for _ in range(n_repeat):
        Device().synchronize()
        start.record()
        before = time.perf_counter()
        # What the call leaves waiting is a part of it.
        kept = func(*args, **kwargs)
        cpu.append(time.perf_counter() - before)
        end.record()
        end.synchronize()
        del kept
        gpu.append(1e-3 * get_elapsed_time(start, end))
        if time.perf_counter() - begin > max_duration:
            break
    return _PerfCaseResult(name or getattr(func, "__name__", "function"), cpu, gpu)


@contextlib.contextmanager
def time_range(message=None, color_id=None, argb_color=None, sync=False):
    """A named range for profilers; a decorator, too."""
    if sync:
        Device().synchronize()
    nvtx.RangePush(message or "range")
    try:
        yield
    finally:
        if sync:
            Device().synchronize()
        nvtx.RangePop()


@contextlib.contextmanager
def profile():
    """A range that is profiled."""
    runtime.profilerStart()
    try:
        yield
    finally:
        runtime.profilerStop()
