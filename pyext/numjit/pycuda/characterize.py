"""pycuda.characterize: what a device and its compiler are like."""

from __future__ import annotations

import functools
import struct

import numpy as np

from .compiler import SourceModule
from .driver import Out


def platform_bits():
    """How many bits an address has."""
    return struct.calcsize("P") * 8


def has_stack():
    """Whether kernels can call functions that are not inlined: all devices of today."""
    return True


def has_double_support(dev=None):
    """Whether a device computes in double precision: all of today."""
    return True


@functools.cache
def sizeof(type_name, preamble_src="", compiler_opts=None):
    """The bytes of a type of C++."""
    module = SourceModule(
        f"{preamble_src}\n"
        f'extern "C" __global__ void numjit_sizeof(int *out) {{ *out = sizeof({type_name}); }}',
        options=list(compiler_opts or ()),
        no_extern_c=True,
    )
    found = np.zeros(1, np.int32)
    module.get_function("numjit_sizeof")(Out(found), block=(1, 1, 1), grid=(1, 1))
    return int(found[0])
