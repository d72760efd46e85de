"""Kernels run in the simulator; with NUMJIT_TEST_GPU=1 on a GPU."""

import os

os.environ.setdefault(
    "NUMJIT_CUDA_SIMULATOR", "0" if os.environ.get("NUMJIT_TEST_GPU", "0") != "0" else "1"
)
