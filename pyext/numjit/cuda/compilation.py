"""PTX without a launch, and the parts of a CUDA toolkit that kernels need."""

from __future__ import annotations

import functools
import os
import pathlib
import re
import sys

from numjit import _core, config
from numjit.functions import frameless


def toolkit_roots():
    """Where a CUDA toolkit may be: wheels of NVIDIA first."""
    for entry in sys.path:
        for place in ("nvidia/cu13", "nvidia/cuda_nvcc", "nvidia/cuda_nvvm"):
            yield pathlib.Path(entry, place)
    for name in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"):
        if os.environ.get(name):
            yield pathlib.Path(os.environ[name])
    yield pathlib.Path("/usr/local/cuda")
    import shutil

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
    import shutil

    return shutil.which(name)


def disassembly(ptx: str, cc) -> str:
    """The machine code of PTX as text."""
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


def _rows(sig):
    from numjit.signatures import normalize_signature
    from numjit.types.rows import handle_of

    arguments, result = normalize_signature(sig)
    return tuple(handle_of(type_) for type_ in arguments), result


@frameless
def compile(
    pyfunc,
    sig,
    debug=None,
    lineinfo=False,
    device=True,
    fastmath=False,
    cc=None,
    opt=None,
    abi="c",
    abi_info=None,
    output="ptx",
    forceinline=False,
    launch_bounds=None,
    fma=True,
):
    """A function as PTX, with the type of its result: a function of the device that other code
    links, by C's calling convention, or with device=False a kernel."""
    from numjit.types.wrap import wrap

    from .decorators import jit

    if output not in ("ptx",):
        raise NotImplementedError(f"Unsupported output type: {output}")
    if abi not in ("numba", "c"):
        raise NotImplementedError(f"Unsupported ABI: {abi}")
    if abi == "c" and not device:
        raise NotImplementedError("The C ABI is not supported for kernels")
    if hasattr(pyfunc, "py_func"):
        pyfunc = pyfunc.py_func
    dispatcher = jit(
        pyfunc,
        device=device,
        debug=bool(debug),
        fastmath=fastmath,
        opt=opt if opt is not None else True,
        lineinfo=lineinfo,
        launch_bounds=launch_bounds,
        fma=fma,
        forceinline=forceinline,
    )
    rows, options = _options_for(dispatcher, sig, device, cc)
    if abi_info and abi_info.get("abi_name"):
        options["name"] = abi_info["abi_name"]
    kernel = _core.compile_kernel(dispatcher, rows, options)
    return kernel.ptx, wrap(kernel.result)


def _options_for(dispatcher, signature, device, cc=None):
    """Rows of the argument types, and options: a kernel, or a function that other code links."""
    from numjit.types.rows import handle_of

    rows, result = _rows(signature)
    major, minor, suffix = _capability(cc or default_cc())
    options = dispatcher._options(
        major=major, minor=minor, suffix=suffix, device=device, simulated=False
    )
    options["libdevice"] = find_libdevice()
    if device and result is not None:
        options["result"] = handle_of(result)
    return rows, options


def device_ptx(dispatcher, signature):
    """PTX of a function of the device for types of arguments."""
    return _core.compile_kernel(dispatcher, *_options_for(dispatcher, signature, True)).ptx


def device_llvm(dispatcher, signature):
    """LLVM IR of a function of the device for types of arguments."""
    return _core.dump_kernel(dispatcher, *_options_for(dispatcher, signature, True), "llvm")


def _capability(cc):
    """(major, minor, suffix) of (9, 0), (9, 0, "a") or "9.0a"."""
    if isinstance(cc, str):
        found = re.fullmatch(r"(\d+)\.?(\d)([af]?)", cc)
        cc = (int(found[1]), int(found[2]), found[3]) if found else (cc,)
    major, minor, suffix = (*cc, "", "", "")[:3] if len(cc) < 4 else ("", "", "")
    if not isinstance(major, int) or not isinstance(minor, int) or suffix not in ("", "a", "f"):
        raise ValueError(f'a compute capability is (9, 0), (9, 0, "a") or "9.0a", not {cc!r}')
    return major, minor, suffix


def default_cc():
    """The compute capability that PTX is made for where none is given."""
    return config.FORCE_CUDA_CC or config.CUDA_DEFAULT_PTX_CC


@frameless
def compile_ptx(
    pyfunc,
    sig,
    debug=None,
    lineinfo=False,
    device=False,
    fastmath=False,
    cc=None,
    opt=None,
    abi="numba",
    abi_info=None,
    forceinline=False,
    launch_bounds=None,
):
    """A kernel as PTX, with the type of its result; with device=True a function."""
    return compile(
        pyfunc,
        sig,
        debug=debug,
        lineinfo=lineinfo,
        device=device,
        fastmath=fastmath,
        cc=cc,
        opt=opt,
        abi=abi,
        abi_info=abi_info,
        forceinline=forceinline,
        launch_bounds=launch_bounds,
    )


@frameless
def compile_for_current_device(pyfunc, sig, **options):
    from .cudadrv.devices import get_current_device

    return compile(pyfunc, sig, cc=get_current_device().compute_capability, **options)


@frameless
def compile_ptx_for_current_device(pyfunc, sig, **options):
    from .cudadrv.devices import get_current_device

    return compile_ptx(pyfunc, sig, cc=get_current_device().compute_capability, **options)


compile_all = compile
