"""Parts of the CUDA toolkit: where they are."""

from __future__ import annotations

import ctypes
import os
import pathlib

from numjit.cuda.toolchain import find_libdevice, find_library, find_tool, include_folders

from . import nvrtc
from .error import NvrtcError, NvrtcSupportError, NvvmSupportError


def get_libdevice():
    """The path of libdevice."""
    return find_libdevice() or None


def open_libdevice():
    """The bytes of libdevice."""
    path = find_libdevice()
    if not path:
        raise NvvmSupportError("libdevice.10.bc was not found")
    return pathlib.Path(path).read_bytes()


def get_cudalib(lib, static=False):
    """The path of a library of the toolkit, or its name if it is not there: the loader of the
    system may find it."""
    return find_library(lib, static) or f"lib{lib}.{'a' if static else 'so'}"


def check_static_lib(path):
    """Raises if a static library of the toolkit is not there."""
    if not os.path.isfile(path):
        raise FileNotFoundError(f"{path} not found")


def get_cuda_include_dir():
    """The folder with the headers of the toolkit."""
    for folder in include_folders():
        if os.path.isfile(os.path.join(folder, "cuda.h")):
            return folder
    raise FileNotFoundError("no CUDA toolkit with headers was found")


def test():
    """Prints what is found; whether kernels can be compiled and launched."""
    device_code = find_libdevice()
    try:
        ctypes.CDLL("libcuda.so.1")
        has_driver = True
    except OSError:
        has_driver = False
    try:
        compiler = "version {}.{}".format(*nvrtc.version())
    except (NvrtcError, NvrtcSupportError):
        compiler = None
    for what, found in {
        "driver libcuda.so.1": "found" if has_driver else None,
        "libdevice": device_code,
        "NVRTC": compiler,
        "ptxas": find_tool("ptxas"),
    }.items():
        print(f"Finding {what}\n\t{found or 'missing'}")
    return bool(has_driver and device_code)
