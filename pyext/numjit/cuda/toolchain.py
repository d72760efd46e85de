"""What of a CUDA toolkit is found on this machine: its folders, libdevice, its tools."""

from __future__ import annotations

import functools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def toolkit_roots():
    """Where a CUDA toolkit may be: wheels of NVIDIA first."""
    for entry in sys.path:
        for place in ("nvidia/cu13", "nvidia/cuda_nvcc", "nvidia/cuda_nvvm"):
            yield pathlib.Path(entry, place)
    for name in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"):
        if os.environ.get(name):
            yield pathlib.Path(os.environ[name])
    yield pathlib.Path("/usr/local/cuda")
    if tool := shutil.which("nvcc"):
        yield pathlib.Path(tool).resolve().parent.parent


@functools.cache
def find_libdevice() -> str:
    """The path of libdevice.10.bc; empty if there is none, which the compiler reports where it
    needs it."""
    given = os.environ.get("NUMJIT_LIBDEVICE")
    if given:
        return given
    for root in toolkit_roots():
        path = root / "nvvm" / "libdevice" / "libdevice.10.bc"
        if path.is_file():
            return str(path)
    return ""


@functools.cache
def find_tool(name: str) -> str | None:
    """The path of a program of the toolkit, such as ptxas."""
    for root in toolkit_roots():
        path = root / "bin" / name
        if path.is_file():
            return str(path)
    return shutil.which(name)


def disassembly(ptx: str, cc) -> str:
    """The machine code of PTX as text."""
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
