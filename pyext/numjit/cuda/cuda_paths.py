"""Where parts of the CUDA toolkit are, under the names of numba-cuda's module."""

from __future__ import annotations

import os
import sys
from collections import namedtuple

from .toolchain import find_libdevice, find_library, include_folders

#: How a part was found, and its path or None.
_env_path_tuple = namedtuple("_env_path_tuple", ["by", "info"])

_SYSTEM = "/usr/local/cuda"


def _existing(root, *subdirs):
    path = os.path.join(root, *subdirs) if root else None
    return path if path and os.path.exists(path) else None


def get_cuda_home(*subdirs):
    """The folder that CUDA_HOME or CUDA_PATH names, or one in it; None if neither is set."""
    root = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")
    return os.path.join(root, *subdirs) if root else None


def get_system_ctk(*subdirs):
    """The toolkit of the system, or a folder in it; None if there is none."""
    return _existing(_SYSTEM, *subdirs)


def get_system_ctk_libdir():
    return get_system_ctk("lib64")


def get_system_ctk_include():
    return get_system_ctk("include")


def get_conda_ctk_libdir():
    """The folder with the libraries of a toolkit that conda installed; None if it did not."""
    is_conda = os.path.isdir(os.path.join(sys.prefix, "conda-meta"))
    folder = os.path.join(sys.prefix, "lib")
    installed = any(name.startswith("libnvrtc.so") for name in _names(folder))
    return folder if is_conda and installed else None


def _names(folder):
    return os.listdir(folder) if os.path.isdir(folder) else []


def _by(path):
    """Whose toolkit a path belongs to."""
    if path is None:
        return "<unknown>"
    home = get_cuda_home()
    if home and path.startswith(home):
        return "CUDA_HOME"
    if path.startswith(_SYSTEM):
        return "System"
    return "NVIDIA wheel" if f"{os.sep}nvidia{os.sep}" in path else "System"


def get_cuda_paths():
    """(by, info) of each part of the toolkit that is looked for."""
    runtime = find_library("cudart") or find_library("nvrtc")
    static = find_library("cudadevrt", static=True)
    found = {
        "nvrtc": find_library("nvrtc"),
        "nvvm": find_library("nvvm"),
        "libdevice": find_libdevice() or None,
        "cudalib_dir": runtime and os.path.dirname(runtime),
        "static_cudalib_dir": static and os.path.dirname(static),
        "include_dir": next(include_folders(), None),
    }
    return {part: _env_path_tuple(_by(path), path) for part, path in found.items()}
