"""PTX and LLVM IR of functions of the device, for other code."""

from __future__ import annotations

import re

from numjit import _core, config
from numjit.signatures import normalize_signature
from numjit.types.rows import handle_of

from .toolchain import find_libdevice


def _rows(sig):
    arguments, result = normalize_signature(sig)
    return tuple(handle_of(type_) for type_ in arguments), result


def options_for(dispatcher, signature, device, cc=None):
    """Rows of the argument types, and options: a kernel, or a function that other code links."""
    rows, result = _rows(signature)
    major, minor, suffix = capability_of(cc or default_cc())
    options = dispatcher._options(
        major=major, minor=minor, suffix=suffix, device=device, simulated=False
    )
    options["libdevice"] = find_libdevice()
    if device and result is not None:
        options["result"] = handle_of(result)
    return rows, options


def device_ptx(dispatcher, signature):
    """PTX of a function of the device for types of arguments."""
    return _core.compile_kernel(dispatcher, *options_for(dispatcher, signature, True)).ptx


def device_llvm(dispatcher, signature):
    """LLVM IR of a function of the device for types of arguments."""
    return _core.dump_kernel(dispatcher, *options_for(dispatcher, signature, True), "llvm")


def capability_of(cc):
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
