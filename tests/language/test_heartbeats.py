"""Other Python threads run during a compiled loop that has the GIL and shares nothing with them."""

import subprocess
import sys
import textwrap

import pytest
from language.engine import ENGINE

pytestmark = pytest.mark.skipif(ENGINE != "numjit", reason="others keep the GIL")

# A thread counts while the loop runs until it has counted far enough, or for too long.
PROGRAM = """
import threading, time
import numpy as np
from numjit import njit, typed, int64
from numjit.experimental import jitclass

{source}

ticks = np.zeros(1, np.int64)
stop = False
def beat():
    while not stop:
        time.sleep(0.001)
        ticks[0] += 1

thread = threading.Thread(target=beat)
f(*{arguments}, 10)
thread.start()
if {other}:
    caller = threading.Thread(target=f, args=({arguments} + ({limit},)))
    before = ticks[0]
    caller.start()
    caller.join()
else:
    before = ticks[0]
    f(*{arguments}, {limit})
made = ticks[0] - before
stop = True
thread.join()
print(made)
"""

LOOP = """
    t = 0
    i = 0
    while i < limit and ticks[0] < 50:
        t ^= i + (t >> 3)
        i += 1
    return t
"""

SHAPES = {
    "array": ("@njit\ndef f(ticks, limit):" + LOOP, "(ticks,)"),
    "list": ("@njit\ndef f(ticks, l, limit):\n    l.append(1)" + LOOP, "(ticks, [1, 2])"),
}


def beats(source, arguments, limit, other=False):
    text = PROGRAM.format(source=source, arguments=arguments, limit=limit, other=other)
    text = text.replace("f(*(ticks", "f(*(np.full(1, 9)", 1)  # the first call compiles
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.parametrize("other", [False, True], ids=["main thread", "another thread"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_thread_ticks(shape, other):
    # The loop ends by itself after 50 beats, of which some may be over when it starts; without any
    # it goes on for seconds.
    assert beats(*SHAPES[shape], 3 * 10**9, other) >= 3


def test_the_gil_stays_where_blocks_are_shared():
    source = """
@njit
def f(ticks, l, limit):
    t = 0
    for i in range(limit):
        t ^= i + (t >> 3) + len(l)
    return t
"""
    # Before the loop and behind it there is time for a few beats, while it runs for hundreds.
    assert beats(source, "(ticks, typed.List([1, 2]))", 3 * 10**8) <= 9
