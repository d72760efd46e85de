"""What of a CUDA toolkit is found on this machine: its folders, libdevice, its tools."""

from __future__ import annotations

import functools
import glob
import os
import sys
from collections.abc import Iterator


def _program(name: str) -> str | None:
    from shutil import which

    return which(name)


def toolkit_roots() -> Iterator[str]:
    """Where a CUDA toolkit may be: wheels of NVIDIA first."""
    for entry in sys.path:
        for place in ("nvidia/cu13", "nvidia/cuda_nvcc", "nvidia/cuda_nvvm"):
            yield os.path.join(entry, place)
    for name in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"):
        if os.environ.get(name):
            yield os.environ[name]
    yield "/usr/local/cuda"
    if tool := _program("nvcc"):
        yield os.path.dirname(os.path.dirname(os.path.realpath(tool)))


@functools.cache
def find_libdevice() -> str:
    """The path of libdevice.10.bc; empty if there is none, which the compiler reports where it
    needs it."""
    given = os.environ.get("NUMJIT_LIBDEVICE")
    if given:
        return given
    for root in toolkit_roots():
        path = os.path.join(root, "nvvm", "libdevice", "libdevice.10.bc")
        if os.path.isfile(path):
            return path
    return ""


@functools.cache
def find_tool(name: str) -> str | None:
    """The path of a program of the toolkit, such as ptxas."""
    for root in toolkit_roots():
        path = os.path.join(root, "bin", name)
        if os.path.isfile(path):
            return path
    return _program(name)


def find_library(name: str, static: bool = False) -> str | None:
    """The path of a library of the toolkit, such as cudadevrt; None if there is none."""
    ending = ".a" if static else ".so*"
    for root in toolkit_roots():
        for place in ("lib64", "lib", os.path.join("nvvm", "lib64")):
            found = sorted(glob.glob(os.path.join(root, place, f"lib{name}{ending}")))
            if found:
                return found[0]
    return None


def include_folders() -> Iterator[str]:
    """The folders with headers of a toolkit."""
    for root in toolkit_roots():
        folder = os.path.join(root, "include")
        if os.path.isdir(folder):
            yield folder


def disassembly(ptx: str, cc) -> str:
    """The machine code of PTX as text."""
    import pathlib
    import subprocess
    import tempfile

    ptxas, reader = find_tool("ptxas"), find_tool("nvdisasm") or find_tool("cuobjdump")
    if not ptxas or not reader:
        raise RuntimeError("inspect_sass() needs ptxas and nvdisasm or cuobjdump of a CUDA toolkit")
    with tempfile.TemporaryDirectory() as folder:
        source, binary = pathlib.Path(folder, "k.ptx"), pathlib.Path(folder, "k.cubin")
        source.write_text(ptx)
        subprocess.run(
            [ptxas, f"-arch=sm_{cc[0]}{cc[1]}", "-o", binary, source],
            check=True,
            capture_output=True,
        )
        command = [reader, *(["-sass"] if reader.endswith("cuobjdump") else []), binary]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout
