"""SciPy's special functions, where SciPy is installed: through the addresses that
`scipy.special.cython_special` exports, or as any ufunc. They are element-wise, as SciPy's ufuncs
are."""

import functools
import importlib
import sys

import numpy as np

from numjit import types

from .cython_functions import get_cython_function_address
from .derived import made
from .intrinsics import call_address
from .ufunc_loops import through_loops, with_out

#: Types of C in the texts of the exported functions; others are not called.
_TYPES = {
    "double": types.float64,
    "long": types.int64,
    "Py_ssize_t": types.int64,
    "int": types.int32,
}


def _exported(ufunc):
    """(address, result, parameters) of the functions of that name, which numbers overload."""
    name = ufunc.__name__
    module = "scipy.special.cython_special"
    found = []
    for each, capsule in importlib.import_module(module).__pyx_capi__.items():
        if each != name and not (each.startswith("__pyx_fuse_") and _bare(each) == name):
            continue
        text = repr(capsule).split('"')[1]  # "double (double, int __pyx_skip_dispatch)"
        result, _, parameters = text.rstrip(")").partition(" (")
        kinds = [result, *(part.split(" __pyx")[0].strip() for part in parameters.split(","))]
        skips = "__pyx_skip_dispatch" in parameters
        known = [_TYPES.get(kind) for kind in kinds]
        if None not in known and len(known) - 1 - skips == ufunc.nin:
            address = get_cython_function_address(module, each)
            found.append((address, known[0], tuple(known[1:]), skips))
    return found


def _bare(name):
    """__pyx_fuse_0_1jv -> jv: the numbers of the fused types end at the first other character."""
    return name.removeprefix("__pyx_fuse_").lstrip("0123456789_")


def _doubles(candidate):
    return sum(each is types.float64 for each in candidate[2])


@functools.cache
def special_function(ufunc):
    """The function in the subset that is called for one of scipy.special's ufuncs."""
    name, count = ufunc.__name__, ufunc.nin
    public = getattr(sys.modules.get("scipy.special"), name, None) is ufunc
    candidates = _exported(ufunc) if public and ufunc.nout == 1 else []
    if not candidates:
        return through_loops(ufunc)
    address, result, parameters, skips = max(candidates, key=_doubles)
    names = [f"x{i}" for i in range(count)]
    given = [f"convert{i}({each})" for i, each in enumerate(names)] + ["0"] * skips
    small = " and ".join(f"is_small({each})" for each in names)
    listed = ", ".join(names)
    words = {
        "call_address": call_address,
        "is_small": is_small,
        "is_complex": is_complex,
        "float32": np.float32,
        "address": address,
        "result": result,
        "parameters": parameters,
        "in_general": through_loops(ufunc),
        **{f"convert{i}": parameters[i] for i in range(count)},
    }
    source = (
        f"def call({listed}):\n"
        f"    if {' or '.join(f'is_complex({each})' for each in names)}:\n"
        f"        return in_general({listed})\n"
        f"    value = call_address(address, result, parameters, {name!r}, ({', '.join(given)},))\n"
        f"    return float32(value) if {small} else value\n"
    )
    element = made(name, source, **words)
    return with_out(ufunc, f"map_elements(element, (), {listed})", element=element)


def is_small(x):
    return isinstance(x, np.float32)


def is_complex(x):
    return isinstance(x, (complex, np.complex64))
