"""C++ kernels, compiled at run time and called through ctypes.

The signature of `extern "C" kernel` follows from one Python call: scalars are double or int64_t
(NumPy's floats of other widths are themselves), arrays are Array<T, N> by value; a new array (or a
tuple, as an array) comes back through a trailing Array<T, N> reference.
"""

import ctypes
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np

# Strict IEEE, like Python: nothing is reassociated or contracted.  The two no- flags give up only
# errno and the exception flags, which the Python engines do not set either.
FLAGS = (
    "-std=c++20 -O3 -march=native -ffp-contract=off -fno-math-errno -fno-trapping-math"
    " -fPIC -shared"
).split()
COMPILERS = {
    "g++": ("g++",),
    "clang++": ("clang++-22", "/usr/lib/llvm-22/bin/clang++"),
}
_free = ctypes.CDLL(None).free
_free.argtypes = [ctypes.c_void_p]
_free.restype = None


def installed():
    """{compiler name: program}"""
    found = {name: next(filter(None, map(shutil.which, c)), None) for name, c in COMPILERS.items()}
    return {name: program for name, program in found.items() if program}


def build(program, source, out):
    include = f"-I{Path(__file__).parent}"
    subprocess.run([program, *FLAGS, include, source, "-o", out], check=True)
    return ctypes.CDLL(os.fspath(out)).kernel


def _array_type(ndim):
    class Array(ctypes.Structure):
        _fields_ = [("data", ctypes.c_void_p), ("shape", ctypes.c_int64 * ndim)]

    return Array


def _convert(value):
    if isinstance(value, np.ndarray):
        assert value.flags.c_contiguous
        return _array_type(value.ndim)(value.ctypes.data, tuple(value.shape))
    if isinstance(value, np.floating):
        return np.ctypeslib.as_ctypes_type(value.dtype)(value)
    return ctypes.c_double(value) if isinstance(value, float) else ctypes.c_int64(value)


class Bound:
    """A compiled kernel with its arguments converted: calling it costs one foreign call."""

    def __init__(self, entry, arguments, example_result, example_arguments):
        self.entry = entry
        self.keep = arguments
        self.arguments = [_convert(a) for a in arguments]
        self.out = None
        entry.restype = None
        returned_argument = any(example_result is a for a in example_arguments)
        if isinstance(example_result, float):
            entry.restype = ctypes.c_double
        elif isinstance(example_result, (int, np.integer)):
            entry.restype = ctypes.c_int64
        elif example_result is not None and not returned_argument:
            example = np.asarray(example_result)
            self.dtype = example.dtype
            self.out = _array_type(example.ndim)()
            self.arguments.append(ctypes.byref(self.out))

    def __call__(self):
        """Runs once and drops a new array, as a caller of the Python engines does."""
        result = self.entry(*self.arguments)
        if self.out is not None:
            _free(self.out.data)
        return result

    def result(self):
        """Runs once; the result as the Python engines give it."""
        result = self.entry(*self.arguments)
        if self.out is None:
            return result
        shape = tuple(self.out.shape)
        count = int(np.prod(shape))
        buffer = (ctypes.c_char * (count * self.dtype.itemsize)).from_address(self.out.data)
        array = np.frombuffer(bytes(buffer), self.dtype).reshape(shape)
        _free(self.out.data)
        return array
