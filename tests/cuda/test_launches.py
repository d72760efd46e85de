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


def test_kernels_in_the_cache(fake_driver, tmp_path):
    def hits_and_misses(**variables):
        environment = {**fake_driver, "NUMJIT_CACHE_DIR": str(tmp_path), **variables}
        command = [sys.executable, HERE / "cached.py"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    # Hits and misses of k, with_table, declared and checked, of which the last is never kept.
    assert hits_and_misses() == "0 1 0 1 0 1 0 1"
    assert hits_and_misses() == "1 0 1 0 1 0 0 1"
    # A global of a callee, and the items of an array that the kernel has a copy of.
    assert hits_and_misses(FACTOR="3") == "0 1 1 0 1 0 0 1"
    assert hits_and_misses(FACTOR="3", ITEM="7") == "1 0 0 1 1 0 0 1"
    # Another compute capability, and files that are damaged.
    assert hits_and_misses(NUMJIT_FORCE_CUDA_CC="8.0").startswith("0 1 0 1 0 1")
    files = list(tmp_path.rglob("*.njc"))
    assert len(files) == 6
    for path in files:
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2])
    assert hits_and_misses() == "0 1 0 1 0 1 0 1"
    assert hits_and_misses() == "1 0 1 0 1 0 0 1"
