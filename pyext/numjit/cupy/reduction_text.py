"""Kernels of reductions: a block for each result, or a thread, and parts of long ones that a second
kernel combines.

A reduction has one or more states. `load` makes them of an element X and its number R, `combine`
are lines that take the states B0, B1, ... into A0, A1, ..., and `final` is the result.
"""

from __future__ import annotations

import functools

from .kernel_text import _structure, body, cached, parameters, type_name

THREADS = 256


class Reduction:
    """What is combined, as text."""

    __slots__ = ("states", "first", "load", "combine", "final")

    def __init__(self, states, first, load, combine, final="A0"):
        self.states = tuple(states)  #: dtypes
        self.first = first and tuple(first)  #: texts of the identity; None: the first element
        self.load, self.combine, self.final = tuple(load), tuple(combine), final

    @property
    def key(self):
        states = tuple([each.num for each in self.states])
        return states, self.first, self.load, self.combine, self.final

    @property
    def of_parts(self):
        """The same over states that were computed before."""
        return Reduction(self.states, self.first, [f"X{i}" for i in range(len(self.states))],
                         self.combine, self.final)  # fmt: skip

    def lines(self, indent, a, b):
        for line in self.combine:
            for i in range(len(self.states)):
                line = line.replace(f"A{i}", f"{a}{i}").replace(f"B{i}", f"{b}{i}")
            yield f"{indent}{line}"

    def loaded(self, indent, target, values, number):
        for i, (text, dtype) in enumerate(zip(self.load, self.states)):
            for j, value in enumerate(values):
                text = text.replace(f"X{j}", value)
            text = text.replace("R", number) if text in ("R",) else text
            yield f"{indent}{target}{i} = {type_name(dtype)}({text})"


def _axes(prefix, count, number, indent):
    """Lines that make prefix0, prefix1, ... of a number, for extents n_prefix0, ..."""
    if not count:
        return []
    lines, rest = [], number
    for axis in reversed(range(1, count)):
        lines.append(f"{indent}{prefix}{axis} = {rest} % n{prefix}{axis}")
        lines.append(f"{indent}rest{prefix} = {rest} // n{prefix}{axis}")
        rest = f"rest{prefix}"
    return [*lines, f"{indent}{prefix}0 = {rest}"]


def _element(order, modes, kept, reduced, reduction, target, number, indent, results):
    """Lines that make the states of one element."""
    lines = _axes("r", reduced, number, indent)
    index = ", ".join(
        [f"k{axis}" for axis in range(kept)] + [f"r{axis}" for axis in range(reduced)]
    )
    found, names = body(order, modes, index, indent)
    values = [names[id(node)] for node in results]
    return [*lines, *found, *reduction.loaded(indent, target, values, number)]


def _results(reduction, last, at, indent):
    if last:
        text = reduction.final
        for i in range(len(reduction.states)):
            text = text.replace(f"A{i}", f"x{i}")
        return [f"{indent}o0[{at}] = {text}"]
    return [f"{indent}o{i}[{at}] = x{i}" for i in range(len(reduction.states))]


def text_of(order, results, modes, kept, reduced, reduction, last, by_block):
    """The kernel. Its arguments: leaves, results, scalars, extents of the kept and of the reduced
    axes, the number of results, of elements and of parts."""
    arrays, scalars = parameters(order)
    outputs = ["o0"] if last else [f"o{i}" for i in range(len(reduction.states))]
    names = [
        *arrays, *outputs, *scalars, *(f"nk{i}" for i in range(kept)),
        *(f"nr{i}" for i in range(reduced)), "results", "count", "parts",
    ]  # fmt: skip
    element = functools.partial(_element, order, modes, kept, reduced, reduction, results=results)
    make = _block_lines if by_block else _thread_lines
    lines = make(element, reduction, kept, last)
    return f"def kernel({', '.join(names)}):\n" + "\n".join(lines) + "\n"


def _begin(element, reduction, indent, number):
    """The states before the first element."""
    if reduction.first is None:
        return element(target="x", number=number, indent=indent)
    return [
        f"{indent}x{i} = {type_name(dtype)}({text})"
        for i, (text, dtype) in enumerate(zip(reduction.first, reduction.states))
    ]


def _thread_lines(element, reduction, kept, last):
    inner, deep = " " * 8, " " * 12
    return [
        "    j = cuda.grid(1)",
        "    step = cuda.gridsize(1)",
        "    length = (count + parts - 1) // parts",
        "    while j < results * parts:",
        f"{inner}k = j % results",
        f"{inner}r = j // results * length",
        f"{inner}end = min(r + length, count)",
        *_axes("k", kept, "k", inner),
        *_begin(element, reduction, inner, "min(r, count - 1)"),
        f"{inner}while r < end:",
        *element(target="y", number="r", indent=deep),
        *reduction.lines(deep, "x", "y"),
        f"{deep}r += 1",
        *_results(reduction, last, "j", inner),
        f"{inner}j += step",
    ]


def _block_lines(element, reduction, kept, last):
    inner, deep = " " * 4, " " * 8
    count = len(reduction.states)
    share = [
        f"{inner}m{i} = cuda.shared.array({THREADS}, {type_name(dtype)})"
        for i, dtype in enumerate(reduction.states)
    ]
    unrolled = []
    for step in range(4):
        unrolled += element(target="y", number="r", indent=deep)
        unrolled += reduction.lines(deep, "x", "y")
        unrolled.append(f"{deep}r += step")
    return [
        *share,
        f"{inner}block = cuda.blockIdx.x",
        f"{inner}thread = cuda.threadIdx.x",
        f"{inner}k = block // parts",
        f"{inner}first = block % parts * {THREADS} + thread",
        f"{inner}step = parts * {THREADS}",
        *_axes("k", kept, "k", inner),
        *_begin(element, reduction, inner, "min(first, count - 1)"),
        f"{inner}r = first",
        f"{inner}while r + 3 * step < count:",
        *unrolled,
        f"{inner}while r < count:",
        *element(target="y", number="r", indent=deep),
        *reduction.lines(deep, "x", "y"),
        f"{deep}r += step",
        *(f"{inner}m{i}[thread] = x{i}" for i in range(count)),
        f"{inner}cuda.syncthreads()",
        f"{inner}half = {THREADS // 2}",
        f"{inner}while half > 0:",
        f"{deep}if thread < half:",
        *(f"{deep}    y{i} = m{i}[thread + half]" for i in range(count)),
        *reduction.lines(deep + "    ", "x", "y"),
        *(f"{deep}    m{i}[thread] = x{i}" for i in range(count)),
        f"{deep}cuda.syncthreads()",
        f"{deep}half //= 2",
        f"{inner}if thread == 0:",
        *_results(reduction, last, "block", deep),
    ]


_kernels: dict = {}


def reduction_kernel(order, results, modes, kept, reduced, reduction, last, by_block):
    key = (_structure(order, results), modes, kept, reduced, reduction.key, last, by_block)
    found = _kernels.get(key)
    if found is None:
        text = text_of(order, results, modes, kept, reduced, reduction, last, by_block)
        found = _kernels.setdefault(key, cached(text))
    return found
