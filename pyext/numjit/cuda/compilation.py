"""PTX without a launch."""

from __future__ import annotations

import re

import numpy as np

from numjit import _core
from numjit.functions import frameless
from numjit.types import int32, none, uint8
from numjit.types.misc import CPointer
from numjit.types.rows import handle_of
from numjit.types.wrap import wrap, wrap_all

from .cudadrv.devices import get_current_device
from .cudadrv.linkable import CUSource, as_linkable, declared_links
from .decorators import jit
from .device_code import capability_of, default_cc, options_for


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
    links, `result f(arguments...)` or, with abi="numba", `int f(result *, arguments...)`; or with
    device=False a kernel."""
    if output == "ltoir":
        raise NotImplementedError(
            "output='ltoir': LTO-IR is made by NVIDIA's libNVVM (the package nvidia-nvvm) from IR "
            "of LLVM 7; output='ptx' gives what the driver and nvJitLink link"
        )
    if output != "ptx":
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
    rows, options = options_for(dispatcher, sig, device, cc)
    name = abi_info.get("abi_name") if abi_info else None
    kernel = _core.compile_kernel(dispatcher, rows, {**options, "name": name or options["name"]})
    result = wrap(kernel.result)
    if device and abi == "numba":
        name = name or _mangled(pyfunc, wrap_all(rows))
        with_status = _with_status(dispatcher, result)
        pointer = CPointer(uint8 if result is none else result)
        rows = handle_of(pointer), *rows
        options |= {"name": name, "result": handle_of(int32)}
        kernel = _core.compile_kernel(with_status, rows, options)
    return kernel.ptx, result


def _with_status(dispatcher, result):
    """A function of Numba's calling convention that calls another one."""
    if result is none:

        def function(_, *arguments):
            dispatcher(*arguments)
            return np.int32(0)
    else:

        def function(result, *arguments):
            result[0] = dispatcher(*arguments)
            return np.int32(0)

    code = dispatcher.py_func.__code__  # to which its lines belong
    function.__code__ = function.__code__.replace(
        co_filename=code.co_filename, co_firstlineno=code.co_firstlineno
    )
    return dispatcher.like(function)


#: Types of numbers in names of C++.
_LETTERS = {
    "bool": "b", "int8": "a", "uint8": "h", "int16": "s", "uint16": "t", "int32": "i",
    "uint32": "j", "int64": "x", "uint64": "y", "float32": "f", "float64": "d",
}  # fmt: skip


def _mangled(function, types):
    """A name of C++ for a function of a module and types of arguments."""
    parts = [*function.__module__.split("."), function.__name__]
    path = "".join(f"{len(each)}{each}" for each in (re.sub(r"\W", "_", part) for part in parts))
    texts = [(str(each), re.sub(r"\W+", "_", str(each))) for each in types]
    return f"_ZN{path}E" + "".join(_LETTERS.get(text) or f"{len(t)}{t}" for text, t in texts)


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
    return compile(pyfunc, sig, cc=get_current_device().compute_capability, **options)


@frameless
def compile_ptx_for_current_device(pyfunc, sig, **options):
    return compile_ptx(pyfunc, sig, cc=get_current_device().compute_capability, **options)


@frameless
def compile_all(pyfunc, sig, **options):
    """A list of the function's code and of that of the functions that it calls by declare_device()
    with link=, CUDA C++ as PTX, with the type of its result."""
    ptx, result = compile(pyfunc, sig, **options)
    capability = capability_of(options.get("cc") or default_cc())[:2]
    links = [as_linkable(each) for each in declared_links(ptx)]
    return [ptx, *(_code_of(each, capability) for each in links)], result


def _code_of(link, capability):
    """What is linked, or its PTX if it is CUDA C++."""
    return link.for_linker(capability)[1] if isinstance(link, CUSource) else link
