"""Warm starts: what a process pays when the machine code is on the disk already."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WHOLE = """
from {engine} import njit
import numpy as np


@njit(cache=True)
def total(a):
    result = 0.0
    for i in range(a.shape[0]):
        result += a[i]
    return result


print(total(np.ones(1000)))
"""
NUMPY_ONLY = """
import numpy as np
print(np.ones(1000).sum())
"""
# The second function of a process: what is paid once is paid by the first.
LOAD = """
import time
from {engine} import njit
import numpy as np


@njit(cache=True)
def one(x):
    return x + 1


@njit(cache=True)
def total(a):
    result = 0.0
    for i in range(a.shape[0]):
        result += a[i]
    return result


@njit(cache=True)
def library(a, b):
    return np.sort(a)[::-1] + np.exp(b).sum(), (a @ b), np.where(a > b, a, b)


a = np.ones(100)
one(1)
times = []
for f, arguments in ((total, (a,)), (library, (a, a))):
    start = time.perf_counter()
    f(*arguments)
    times.append((time.perf_counter() - start) * 1e3)
print(*times)
"""


def _run(script, cache):
    environment = os.environ | {"NUMBA_CACHE_DIR": cache, "NUMJIT_CACHE_DIR": cache}
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=True, env=environment
    )
    return (time.perf_counter() - start) * 1e3, done.stdout.split()


def measure(engine, repeats):
    """The least of several; a first round, not counted, fills the caches."""
    with tempfile.TemporaryDirectory() as folder:
        cache = str(Path(folder, "cache"))
        sources = {"whole": WHOLE, "numpy": NUMPY_ONLY, "load": LOAD}
        scripts = {}
        for name, source in sources.items():
            scripts[name] = Path(folder, f"program_{name}.py")  # not numpy.py
            scripts[name].write_text(source.format(engine=engine))
        times = {"whole": [], "numpy": [], "loop": [], "library": []}
        for _ in range(int(repeats) + 1):
            times["whole"].append(_run(scripts["whole"], cache)[0])
            times["numpy"].append(_run(scripts["numpy"], cache)[0])
            loop, library = map(float, _run(scripts["load"], cache)[1])
            times["loop"].append(loop)
            times["library"].append(library)
    least = {name: min(row[1:]) for name, row in times.items()}
    return {
        "beyond_numpy_ms": least["whole"] - least["numpy"],
        "loop_ms": least["loop"],
        "library_ms": least["library"],
    }
