"""Ctrl-C ends compiled loops of every shape with KeyboardInterrupt."""

import signal
import subprocess
import sys
import time

import pytest
from language.engine import ENGINE

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
