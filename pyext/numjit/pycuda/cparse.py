"""Declarations of C: "float *x, int n"."""

from __future__ import annotations

import re

import numpy as np

TYPES = {
    "bool": "?", "char": "i1", "signed char": "i1", "unsigned char": "u1", "short": "i2",
    "unsigned short": "u2", "int": "i4", "unsigned": "u4", "unsigned int": "u4", "long": "i8",
    "long long": "i8", "unsigned long": "u8", "unsigned long long": "u8", "float": "f4",
    "double": "f8", "pycuda::complex<float>": "c8", "pycuda::complex<double>": "c16",
    "size_t": "u8", "ptrdiff_t": "i8", "half": "f2",
}  # fmt: skip


def _vectors():
    """CUDA's vector types: float3 has x, y and z."""
    kinds = {"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4",
             "long": "i8", "ulong": "u8", "float": "f4", "double": "f8"}  # fmt: skip
    return {
        f"{kind}{count}": np.dtype([(name, code) for name in "xyzw"[:count]])
        for kind, code in kinds.items()
        for count in (1, 2, 3, 4)
    }


VECTORS = _vectors()
TYPES |= VECTORS


class Argument:
    """A pointer to elements, or a number."""

    def __init__(self, text):
        words = text.replace("*", " * ").split()
        self.name = words[-1]
        self.is_vector = "*" in words
        dropped = "*", "const", "__restrict__"
        self.kind = " ".join(word for word in words[:-1] if word not in dropped)
        self.const = "const" in words
        if self.kind not in TYPES:
            raise ValueError(f"unknown type {self.kind!r} of the argument {self.name!r}")
        self.dtype = np.dtype(TYPES[self.kind])

    def __str__(self):
        const = "const " if self.const else ""
        return f"{const}{self.kind} {'*' if self.is_vector else ''}{self.name}"


def parsed(arguments):
    """The arguments of a declaration, or of a list of VectorArg and ScalarArg."""
    if not isinstance(arguments, str):
        return [Argument(str(each)) for each in arguments]
    return [Argument(each) for each in re.split(r",", arguments) if each.strip()]


def c_type(dtype):
    """The C name of a dtype."""
    dtype = np.dtype(dtype)
    for name, code in TYPES.items():
        if np.dtype(code) == dtype:
            return name
    raise ValueError(f"unable to map dtype '{dtype}'")


def head(text):
    """Headers that a text needs."""
    lines = []
    if "pycuda::complex" in text:
        lines.append("#include <pycuda-complex.hpp>")
    if re.search(r"\bhalf\b", text):
        lines.append("#include <cuda_fp16.h>")
    return "\n".join(lines)


def added(arguments, declared, values):
    """Adds values to the arguments of a launch."""
    for each, value in zip(declared, values):
        if each.is_vector:
            if value.dtype != each.dtype:
                raise TypeError(f"{each.name!r} is an array of {value.dtype}, not of {each.dtype}")
            arguments.add(value)
        else:
            arguments.add_bytes(np.array(value).astype(each.dtype).tobytes())
