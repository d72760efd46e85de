"""The road of a launch down to the driver, with a driver that writes down what it is given."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
compiler = shutil.which("cc")


@pytest.mark.skipif(compiler is None, reason="there is no C compiler to make the driver with")
def test_what_the_driver_is_given(tmp_path):
    library = tmp_path / "libcuda.so.1"
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", library, HERE / "fake_driver.c"]
    subprocess.run(command, check=True)
    paths = [str(tmp_path), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    environment = {
        **os.environ,
        "LD_LIBRARY_PATH": os.pathsep.join(paths),
        "NUMJIT_CUDA_SIMULATOR": "0",
        "NUMBA_ENABLE_CUDASIM": "0",
    }
    command = [sys.executable, HERE / "launches.py"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.stdout == "fine\n", done.stderr
