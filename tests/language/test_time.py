"""The clocks of ``time`` in compiled code."""

import time

import pytest
from numjit import njit

CLOCKS = "time perf_counter monotonic process_time thread_time".split()


@pytest.mark.parametrize("name", CLOCKS)
def test_clocks(name):
    clock, in_nanoseconds = getattr(time, name), getattr(time, name + "_ns")

    @njit
    def now():
        return clock(), in_nanoseconds()

    before = clock()
    seconds, nanoseconds = now()
    after = clock()
    assert type(seconds) is float and type(nanoseconds) is int
    assert before <= seconds <= after
    assert before <= nanoseconds / 1e9 <= clock()


def test_each_call_reads_the_clock():
    @njit
    def advances(n):
        start = time.perf_counter_ns()
        rounds = 0
        while time.perf_counter_ns() - start < n:
            rounds += 1
        return rounds

    assert advances(50_000_000) > 1
