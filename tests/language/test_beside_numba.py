"""Two compilers with an LLVM each live in one process: their symbols do not meet."""

import importlib.util
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("numba") is None, reason="Numba is a test extra of one Python only"
)

PROGRAM = """
import numpy as np
{first}
{second}

def f(a):
    s = 0.0
    for i in range(a.shape[0]):
        s += np.sqrt(a[i]) * i
    return s

a = np.arange(1000.0)
mine, theirs = numjit.njit(f), numba.njit(f)
for _ in range(2):
    assert mine(a) == theirs(a) == f(a)
    mine, theirs = numjit.njit(lambda a: a.sum()), numba.njit(lambda a: a.sum())
    f = np.sum
print("fine")
"""


@pytest.mark.parametrize("first", ["numba", "numjit"])
def test_with_numba(first):
    second = "numjit" if first == "numba" else "numba"
    program = PROGRAM.format(first=f"import {first}", second=f"import {second}")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "fine\n"


STAND_IN = """
import sys
import numjit
import numba

sys.modules["numjit"] = numba
from numba.experimental import jitclass
import numba.experimental.jitclass.base

assert jitclass.__module__.startswith("numba."), jitclass.__module__
print("fine")
"""


def test_numba_under_the_name_of_numjit():
    """Numba's modules stay its own where a program is run with Numba in numjit's place."""
    done = subprocess.run([sys.executable, "-c", STAND_IN], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "fine\n"
