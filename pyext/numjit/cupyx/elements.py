"""Functions of elements that are texts of Python, compiled as a part of expressions."""

from __future__ import annotations

import numpy as np

from numjit.cupy.kernel_text import type_name
from numjit.cupy.reductions import as_node
from numjit.cupy.ufuncs import assign, cast, class_of, make


def function_of(name, text):
    """A function of one array of floats; integers are float64."""

    def function(x, out=None):
        node = as_node(x)
        if node.dtype.kind not in "biuf":
            raise TypeError(f"{name}() takes real numbers, not {node.dtype}")
        wide = np.dtype("f4") if node.dtype == "f2" else node.dtype
        wide = wide if wide.kind == "f" else np.dtype(float)
        made = make(f"{type_name(wide)}({text})", (wide,), (cast(node, wide),), wide)
        made = cast(made, np.dtype("f2")) if node.dtype == "f2" else made
        if out is None:
            return class_of((x,))._waiting(made)
        assign(out, made)
        return out

    function.__name__ = name
    return function


rsqrt = function_of("rsqrt", "1 / np.sqrt({0})")
