"""Ctrl-C ends compiled loops of every shape with KeyboardInterrupt."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from language.engine import ENGINE
from numjit import njit

pytestmark = pytest.mark.skipif(ENGINE != "numjit", reason="others don't answer")

SHAPES = {
    "while": """
    def f(n):
        i = 0
        while n > 0:
            i += n
        return i
    """,
    "while with a call": """
    def f(n):
        i = 0
        while i < 10**18:
            i += g(n)
        return i
    """,
    "shifts that stay at -1": """
    def f(n):
        x, i = -n - 5, 0
        while x:
            x >>= 1
            i += n
        return i
    """,
    "range": """
    def f(n):
        t = 0
        for i in range(10**15):
            t ^= i * n + (t >> 3)
        return t
    """,
    "nested ranges": """
    def f(n):
        t = 0
        for i in range(10**9):
            for j in range(10**6):
                t ^= i * j + (t >> 3)
        return t
    """,
    "array loops": """
    def f(n):
        a = np.zeros(1000)
        t = 0.0
        while n > 0:
            for i in range(len(a)):
                t += a[i]
        return t
    """,
    "recursion": """
    def f(n):
        if n > 60:
            return 1
        return f(n + 1) + f(n + 1) + f(n + 1)
    """,
    "list": """
    def f(n):
        l = [1]
        while n > 0:
            l.append(n)
            l.pop()
        return len(l)
    """,
    "a draw that is never accepted": """
    def f(n):
        return np.random.vonmises(0.0, np.inf * n)
    """,
    "many draws": """
    def f(n):
        a = np.empty(1000)
        while n > 0:
            a[:] = np.random.zipf(2.0, 1000)
        return a
    """,
}

PROGRAM = """
import signal
import numpy as np
from numjit import njit

signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in background jobs of a shell

@njit
def g(n):
    return n - n + 1

@njit{body}
f.compile("(int64,)")
print("ready", flush=True)
try:
    f(1)
except KeyboardInterrupt:
    print("interrupted", g(5), flush=True)
"""


@pytest.mark.parametrize("shape", SHAPES)
def test_interrupt(shape, tmp_path):
    body = "".join(line[4:] + "\n" for line in SHAPES[shape].split("\n"))
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.replace("{body}", "\n" + body.strip("\n") + "\n"))
    child = subprocess.Popen(
        [sys.executable, str(program)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout.readline() == "ready\n", child.stderr.read()
        time.sleep(0.3)
        assert child.poll() is None, "the loop ended by itself"
        child.send_signal(signal.SIGINT)
        out, error = child.communicate(timeout=5)
    finally:
        child.kill()
        child.wait()
    assert out == "interrupted 1\n", error
    assert child.returncode == 0


def test_interrupt_points_leave_registers_alone():
    """nj_poll is called a few times while this runs; it keeps what a call may usually change."""

    def f(n, x):
        a, b, c, d, e, g, h, i, j, k = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
        s, t, u, v = x, x * 2, x * 3, x * 4
        while n > 0:
            a, b, c, d, e, g, h, i, j, k = b ^ n, c ^ a, d, e ^ 3, g, h - n, i, j ^ a, k, a
            s, t, u, v = t * 0.5 + 1, u * 0.5 + 2, v * 0.5, s * 0.25 + n * 1e-9
            n -= 1
        return a, b, c, d, e, g, h, i, j, k, s, t, u, v

    compiled = njit(f)
    wanted = compiled(30_000_000, 1.5)
    assert compiled(1000, 1.5) == f(1000, 1.5)
    handled = []
    old = signal.signal(signal.SIGALRM, lambda *_: handled.append(np.zeros(7).sum()))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)
        assert [compiled(30_000_000, 1.5) for _ in range(5)] == [wanted] * 5
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert handled
