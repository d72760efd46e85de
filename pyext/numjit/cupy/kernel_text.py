"""The Python text of kernels. numjit.cuda compiles it, for a GPU or for the simulator, with the
functions of the library that compiled code has everywhere; there is one kernel for each structure
of an expression."""

from __future__ import annotations

import functools
import math
import threading

import numpy as np

from numjit import _core
from numjit.cuda import kernel_names
from numjit.cuda.decorators import jit
from numjit.types import bfloat16

from . import kernel_numbers
from .nodes import LEAF, SCALAR

_lock = threading.RLock()
_kernels: dict = {}


@functools.cache
def is_bfloat16(dtype):
    """Whether it is that of the package ml_dtypes, which kernels compute with in float32."""
    return dtype.kind == "V" and dtype.names is None and dtype.type.__name__ == "bfloat16"


@functools.cache
def type_name(dtype):
    """The name by which text calls a dtype's scalar class."""
    if is_bfloat16(dtype):
        return "bfloat16"
    return "np.bool_" if dtype.kind == "b" else f"np.{dtype.type.__name__}"


@functools.cache
def cast_text(have, want):
    """A conversion of {0} as C has it; the parts of a complex number that are lost are ignored."""
    if have == want:
        return "{0}"
    if is_bfloat16(have):
        return cast_text(np.dtype(np.float32), want).format("np.float32({0})")
    if is_bfloat16(want) and have != np.float32:
        return f"bfloat16({cast_text(have, np.dtype(np.float32))})"
    if want.kind == "b":
        return "({0} != 0)"
    if have.kind == "c" and want.kind != "c":
        return f"{type_name(want)}({{0}}.real)"
    return f"{type_name(want)}({{0}})"


def compiled(text, name="kernel", registers=None, **names):
    """The function that a text defines, as a kernel; of so many registers at most."""
    namespace = {"cuda": kernel_names, "np": np, "math": math, **names}
    if "special." in text:
        from numjit.cupyx.natives import special_functions

        namespace["special"] = special_functions
    if "kernel_numbers." in text:
        namespace["kernel_numbers"] = kernel_numbers
    if "bfloat16(" in text:
        namespace["bfloat16"] = bfloat16
    if "libdevice." in text:
        from numjit.cuda import libdevice

        namespace["libdevice"] = libdevice
    exec(compile(text, "<numjit.cupy>", "exec"), namespace)
    limits = {} if registers is None else {"max_registers": registers}
    function = namespace[name]
    if not names:  # it is kept on disk, by its text and what it calls
        limits["cache"] = True
        function.__qualname__ = f"{name}.{_core.digest(text.encode())[:16]}"
    return jit(function, fma=False, **limits)


@functools.cache
def cached(text, registers=None):
    """The same for text without other names, once."""
    with _lock:
        return compiled(text, registers=registers)


def elementwise_kernel(order, results, modes, ndim):
    """The kernel for nodes in order, operands first. `modes` says of each leaf how it is indexed;
    ndim 0 is one flat loop."""
    key = (_structure(order, results), modes, ndim)
    found = _kernels.get(key)
    if found is None:
        text = _text(order, results, modes, ndim)
        found = _kernels.setdefault(key, cached(text))
    return found


def _structure(order, results):
    """What a kernel depends on, with nodes as numbers."""
    numbers = {id(node): i for i, node in enumerate(order)}
    rows = []
    for node in order:
        if node.kind == LEAF or node.kind == SCALAR:
            rows.append((node.kind, node.dtype.num))
        else:
            operands = tuple(numbers[id(each if each.value is None else each.value)]
                             for each in node.operands)  # fmt: skip
            inputs = tuple([each.num for each in node.inputs])
            rows.append((node.text, inputs, node.dtype.num, operands))
    return tuple(rows), tuple(numbers[id(node)] for node in results)


def body(order, modes, index, indent):
    """Lines that compute all nodes for one element, and the names of their values."""
    lines, names, loaded = [], {}, 0
    scalars = 0
    for number, node in enumerate(order):
        if node.kind == LEAF:
            mode = modes[loaded]
            names[id(node)] = f"v{number}"
            at = "0" if mode == "one" else index
            lines.append(f"{indent}v{number} = a{loaded}[{at}]")
            loaded += 1
        elif node.kind == SCALAR:
            names[id(node)] = f"s{scalars}"
            scalars += 1
        else:
            operands = []
            for each, want in zip(node.operands, node.inputs):
                each = each if each.value is None else each.value
                operands.append(cast_text(each.dtype, want).format(names[id(each)]))
            lines.append(f"{indent}v{number} = {node.text.format(*operands)}")
            names[id(node)] = f"v{number}"
    return lines, names


def parameters(order):
    leaves = sum(node.kind == LEAF for node in order)
    scalars = sum(node.kind == SCALAR for node in order)
    return [f"a{i}" for i in range(leaves)], [f"s{i}" for i in range(scalars)]


def unravel(ndim, shape, indent, number="i"):
    """Lines that make i0, i1, ... of the number of an element."""
    if ndim == 1:
        return [f"{indent}i0 = {number}"]
    lines = [f"{indent}rest = {number}"]
    for axis in reversed(range(1, ndim)):
        lines.append(f"{indent}i{axis} = rest % {shape}.shape[{axis}]")
        lines.append(f"{indent}rest = rest // {shape}.shape[{axis}]")
    return [*lines, f"{indent}i0 = rest"]


def _text(order, results, modes, ndim):
    arrays, scalars = parameters(order)
    outputs = [f"o{i}" for i in range(len(results))]
    lines = [
        f"def kernel({', '.join([*arrays, *outputs, *scalars])}):",
        "    i = cuda.grid(1)",
        "    step = cuda.gridsize(1)",
        "    while i < o0.size:",
    ]
    index = "i"
    indent = " " * 8
    if ndim:
        lines += unravel(ndim, "o0", indent)
        index = ", ".join(f"i{axis}" for axis in range(ndim))
    found, names = body(order, modes, index, indent)
    lines += found
    for output, node in zip(outputs, results):
        lines.append(f"{indent}{output}[{index}] = {names[id(node)]}")
    lines.append(f"{indent}i += step")
    return "\n".join(lines) + "\n"
