"""``time``: its clocks, which are read by the system's ``clock_gettime``."""

from ..core.intrinsics import call_runtime
from ..core.registry import function

REALTIME, MONOTONIC, PROCESS, THREAD = 0, 1, 2, 3  # of Linux


def read(clock):
    return call_runtime("nj_clock_ns", clock)


@function("time.time_ns")
def time_ns():
    return read(REALTIME)


@function("time.time")
def time():
    return read(REALTIME) / 1e9


@function("time.perf_counter_ns")
@function("time.monotonic_ns")
def monotonic_ns():
    return read(MONOTONIC)


@function("time.perf_counter")
@function("time.monotonic")
def monotonic():
    return read(MONOTONIC) / 1e9


@function("time.process_time_ns")
def process_time_ns():
    return read(PROCESS)


@function("time.process_time")
def process_time():
    return read(PROCESS) / 1e9


@function("time.thread_time_ns")
def thread_time_ns():
    return read(THREAD)


@function("time.thread_time")
def thread_time():
    return read(THREAD) / 1e9
