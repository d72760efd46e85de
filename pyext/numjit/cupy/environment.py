"""cupy._environment: where tools and libraries are."""

from __future__ import annotations

import os
import shutil

from numjit.cuda.toolchain import toolkit_roots


def get_cuda_path():
    """The folder of the CUDA toolkit; None if there is none."""
    return next(filter(os.path.isdir, toolkit_roots()), None)


def get_nvcc_path():
    """The command of nvcc; None if there is none."""
    root = get_cuda_path()
    inside = os.path.join(root, "bin", "nvcc") if root else ""
    return inside if os.path.isfile(inside) else shutil.which("nvcc")


def get_rocm_path():
    return None  # kernels are NVIDIA's


get_hipcc_path = get_rocm_path


def get_cub_path():
    return None  # reductions are numjit's kernels
