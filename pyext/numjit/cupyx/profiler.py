"""cupyx.profiler: benchmark, time_range and profile."""

from __future__ import annotations

import argparse
import contextlib
import math
import time

import numpy as np

from numjit.cupy import cuda, nvtx, runtime

__path__: list = []  # its private modules: compat/cupyx_paths.py


class _PerfCaseResult:
    """Times of a function on the host and on the devices, in seconds: a row for each of them."""

    def __init__(self, name, ts, devices):
        self.name, self._ts, self._devices = name, np.asarray(ts), devices

    @property
    def cpu_times(self):
        return self._ts[0]

    @property
    def gpu_times(self):
        return self._ts[1:]

    def to_str(self, show_gpu=False):
        def row(title, times):
            times = 1e6 * times
            text = f"{title}: {times.mean():9.3f} us"
            if times.size > 1:
                text += (f"   +/- {times.std():6.3f} (min: {times.min():9.3f}"
                         f" / max: {times.max():9.3f}) us")  # fmt: skip
            return "    " + text

        rows = [row("CPU", self.cpu_times)]
        if show_gpu:
            rows += [row(f"GPU-{at}", each) for at, each in zip(self._devices, self.gpu_times)]
        return f"{self.name:<20}:{' '.join(rows)}"

    def __str__(self):
        return self.to_str(show_gpu=True)

    __repr__ = __str__


def benchmark(
    func, args=(), kwargs=None, n_repeat=10000, *, name=None, n_warmup=10, max_duration=math.inf,
    devices=None,
):  # fmt: skip
    """Times calls of a function on the host and on devices."""
    if not callable(func):
        raise ValueError("`func` should be a callable object.")
    if n_warmup < 0 or n_repeat < 1 or max_duration <= 0:
        raise ValueError("`n_repeat` and `max_duration` are positive, `n_warmup` not negative")
    kwargs = kwargs or {}
    devices = (cuda.Device().id,) if devices is None else devices
    for _ in range(n_warmup):
        func(*args, **kwargs)
    events = []
    for each in devices:
        with cuda.Device(each):
            events.append((cuda.Event(), cuda.Event()))
    times, total = [], 0.0
    while len(times) < n_repeat and total <= max_duration:
        _record(devices, [start for start, _ in events], wait=True)
        before = time.perf_counter()
        kept = func(*args, **kwargs)  # what the call leaves waiting is a part of it
        spent = time.perf_counter() - before
        _record(devices, [end for _, end in events])
        for _, end in events:
            end.synchronize()
        del kept
        total += time.perf_counter() - before
        times.append([spent, *(1e-3 * cuda.get_elapsed_time(*each) for each in events)])
    name = name or getattr(func, "__name__", "function")
    return _PerfCaseResult(name, np.array(times).T, devices)


def _record(devices, events, wait=False):
    for each, event in zip(devices, events):
        with cuda.Device(each) as device:
            if wait:
                device.synchronize()
            event.record()


class time_range(contextlib.ContextDecorator):
    """A named range for profilers, a context or a decorator, of a colour."""

    def __init__(self, message=None, color_id=None, argb_color=None, sync=False):
        if color_id is not None and argb_color is not None:
            raise ValueError("Only either color_id or argb_color can be specified")
        self._message, self._sync = message, sync
        self._color_id = -1 if color_id is None else color_id
        self._argb_color = argb_color

    def __call__(self, function):
        if self._message is None:
            self._message = function.__name__
        return super().__call__(function)

    def _wait(self):
        if self._sync:
            cuda.runtime.deviceSynchronize()

    def __enter__(self):
        self._wait()
        if self._argb_color is not None:
            nvtx.RangePushC(self._message, self._argb_color)
        else:
            nvtx.RangePush(self._message, self._color_id)
        return self

    def __exit__(self, *exception):
        self._wait()
        nvtx.RangePop()


@contextlib.contextmanager
def profile():
    """A range that is profiled."""
    runtime.profilerStart()
    try:
        yield
    finally:
        runtime.profilerStop()


def load_ipython_extension(ipython):
    """`%load_ext cupyx.profiler`: the magic command %gpu_timeit."""
    parser = argparse.ArgumentParser("%gpu_timeit", add_help=False, exit_on_error=False)
    parser.add_argument("-n", "--n-repeat", type=int, default=1000)
    parser.add_argument("-w", "--n-warmup", type=int, default=10)
    parser.add_argument("--max-duration", type=float, default=1.0)
    parser.add_argument("statement", nargs=argparse.REMAINDER)

    def gpu_timeit(line, cell=None):
        """Times a statement, or with %% the cell: [-n repeats] [-w warm-ups] [--max-duration s]"""
        words = line.split()
        options = parser.parse_args(words)
        before = len(words) - len(options.statement)
        statement = line.split(None, before)[before] if options.statement else ""
        code = compile("\n".join(filter(None, (statement, cell))), "<gpu_timeit>", "exec")
        names = ipython.user_ns
        print(benchmark(lambda: exec(code, names), n_repeat=options.n_repeat, name="run",
                        n_warmup=options.n_warmup, max_duration=options.max_duration))  # fmt: skip

    ipython.register_magic_function(gpu_timeit, "line_cell", "gpu_timeit")
