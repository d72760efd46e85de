"""Kernels run in the simulator; with NUMJIT_TEST_GPU=1 on a GPU."""

import os

import pytest

os.environ.setdefault(
    "NUMJIT_CUDA_SIMULATOR", "0" if os.environ.get("NUMJIT_TEST_GPU", "0") != "0" else "1"
)


@pytest.fixture(autouse=True)
def no_pool(request):
    """compute-sanitizer knows what lies between two arrays, and which of them nobody has written,
    where the driver gives each its memory."""
    if os.environ.get("NUMJIT_TEST_SANITIZER") not in ("memcheck", "initcheck"):
        return
    if request.path.stem not in ("test_limits", "test_memory"):
        import numjit.cupy as cp

        cp.cuda.set_allocator(None)
