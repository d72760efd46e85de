"""PTX without a launch."""

from __future__ import annotations

from numjit import _core
from numjit.functions import frameless
from numjit.types.wrap import wrap

from .cudadrv.devices import get_current_device
from .decorators import jit
from .device_code import options_for


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
    rows, options = options_for(dispatcher, sig, device, cc)
    if abi_info and abi_info.get("abi_name"):
        options["name"] = abi_info["abi_name"]
    kernel = _core.compile_kernel(dispatcher, rows, options)
    return kernel.ptx, wrap(kernel.result)


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


compile_all = compile
