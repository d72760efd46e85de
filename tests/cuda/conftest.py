"""Kernels run in the simulator; with NUMJIT_TEST_GPU=1 on a GPU."""

import os

os.environ.setdefault(
    "NUMJIT_CUDA_SIMULATOR", "0" if os.environ.get("NUMJIT_TEST_GPU", "0") != "0" else "1"
)

import pytest


@pytest.fixture(scope="session", autouse=True)
def stack_for_sanitizer():
    """compute-sanitizer (of CUDA 13.0) replaces the device's malloc() by functions for which the
    stack is too small where a kernel has a few kB of its own, in CUDA C++ as well."""
    if os.environ.get("NUMJIT_TEST_SANITIZER"):
        from numjit import cuda
        from numjit.cuda.cudadrv.driver import get_driver

        cuda.current_context()
        get_driver().set_limit(0, 1 << 15)  # CU_LIMIT_STACK_SIZE
