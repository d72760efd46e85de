"""The road of a launch down to the driver, with a driver that writes down what it is given, and
threads that use it at once."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
compiler = shutil.which("cc")


@pytest.fixture(scope="module")
def fake_driver(tmp_path_factory):
    """The environment in which the driver is fake_driver.c."""
    if compiler is None:
        pytest.skip("there is no C compiler to make the driver with")
    folder = tmp_path_factory.mktemp("driver")
    command = [compiler, "-shared", "-fPIC", "-O1", "-pthread", "-o", folder / "libcuda.so.1"]
    subprocess.run([*command, HERE / "fake_driver.c"], check=True)
    paths = [str(folder), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    return {
        **os.environ,
        "LD_LIBRARY_PATH": os.pathsep.join(paths),
        "NUMJIT_CUDA_SIMULATOR": "0",
        "NUMBA_ENABLE_CUDASIM": "0",
    }


def run(environment, program, *arguments):
    command = [sys.executable, HERE / program, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.stdout == "fine\n" and done.returncode == 0, (done.returncode, done.stderr)


def test_what_the_driver_is_given(fake_driver):
    run(fake_driver, "launches.py")


def test_threads_and_a_strict_driver(fake_driver):
    run(fake_driver, "threads.py", "fake", "daemons")


def test_threads():
    run(os.environ, "threads.py", "daemons")
