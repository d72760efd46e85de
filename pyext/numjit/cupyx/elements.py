"""Functions of elements that are texts of Python, compiled as a part of expressions."""

from __future__ import annotations

import numpy as np

from numjit.cupy.kernel_text import type_name
from numjit.cupy.reductions import as_node
from numjit.cupy.ufuncs import assign, cast, make, result_of


def apply_text(name, text, args, out=None):
    """A text of floats, {0}, {1}, ...; integers are float64."""
    nodes = [as_node(each) for each in args]
    for node in nodes:
        if node.dtype.kind not in "biuf":
            raise TypeError(f"{name}() takes real numbers, not {node.dtype}")
    common = np.result_type(*(node.dtype for node in nodes))
    wide = np.dtype("f4") if common == "f2" else common
    wide = wide if wide.kind == "f" else np.dtype(float)
    operands = tuple(cast(node, wide) for node in nodes)
    made = make(f"{type_name(wide)}({text})", (wide,) * len(nodes), operands, wide)
    made = cast(made, np.dtype("f2")) if common == "f2" else made
    if out is None:
        return result_of(args, made)
    assign(out, made)
    return out


def rsqrt(x, out=None):
    """1 / sqrt(x)."""
    return apply_text("rsqrt", "1 / np.sqrt({0})", (x,), out)
