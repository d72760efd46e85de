"""What a process pays before its own work: import, first function, memory."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

IMPORT = """
import time
import numpy
start = time.perf_counter()
import {engine}
print(time.perf_counter() - start)
"""

WHOLE = """
from {engine} import njit
import numpy as np


@njit
def total(a):
    result = 0.0
    for i in range(a.shape[0]):
        result += a[i]
    return result


print(total(np.ones(1000)))
# Not ru_maxrss: that one includes the parent's pages from before exec.
for line in open("/proc/self/status"):
    if line.startswith("VmHWM"):
        print(int(line.split()[1]))
"""
NUMPY_ONLY = """
import numpy as np
print(np.ones(1000).sum())
for line in open("/proc/self/status"):
    if line.startswith("VmHWM"):
        print(int(line.split()[1]))
"""


def _run(script):
    start = time.perf_counter()
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    return time.perf_counter() - start, done.stdout.split()


def measure(engine, repeats):
    """The least of several; a first round, not counted, fills Python's bytecode caches."""
    with tempfile.TemporaryDirectory() as folder:
        imports, whole = Path(folder, "imports.py"), Path(folder, "whole.py")
        imports.write_text(IMPORT.format(engine=engine))
        whole.write_text(NUMPY_ONLY if engine == "numpy" else WHOLE.format(engine=engine))
        import_s, whole_s, peak = [], [], []
        for _ in range(int(repeats) + 1):
            import_s.append(float(_run(imports)[1][0]))
            seconds, (_, kilobytes) = _run(whole)
            whole_s.append(seconds)
            peak.append(int(kilobytes))
    return {
        "import_ms": min(import_s[1:]) * 1e3,
        "whole_s": min(whole_s[1:]),
        "peak_mb": min(peak[1:]) / 1024,
    }
