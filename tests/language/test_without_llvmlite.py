"""Callbacks of Numba's extension API where llvmlite is not installed: a stand-in runs them."""

import pathlib
import subprocess
import sys

FILE = pathlib.Path(__file__).with_name("test_native_types.py")


def test_callbacks_run_on_the_standin():
    program = (
        "import sys; sys.modules['llvmlite'] = None\n"
        "import pytest; sys.exit(pytest.main(['-q', '-x', '-p', 'no:xdist', sys.argv[1]]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(FILE)], capture_output=True, text=True, timeout=500
    )
    assert done.returncode == 0 and "skipped" not in done.stdout, done.stdout[-3000:]
