"""Kernels of reductions: a block for one or several results, or a thread for each. Where results
are few, several blocks have a part of each; the last one combines them, so there is one launch.

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


def text_of(order, results, modes, kept, reduced, reduction, tile, whole):
    """The kernel. Its arguments: leaves, the result, parts of it and counters where blocks share
    results, scalars, extents of the kept and of the reduced axes, the number of results, of
    elements and of parts."""
    arrays, scalars = parameters(order)
    shared = [] if whole else [*(f"p{i}" for i in range(len(reduction.states))), "counters"]
    names = [
        *arrays, "o0", *shared, *scalars, *(f"nk{i}" for i in range(kept)),
        *(f"nr{i}" for i in range(reduced)), "results", "count", "parts",
    ]  # fmt: skip
    element = functools.partial(_element, order, modes, kept, reduced, reduction, results=results)
    if tile is None:
        lines = _thread_lines(element, reduction, kept)
    else:
        lines = _block_lines(element, reduction, kept, tile, whole)
    return f"def kernel({', '.join(names)}):\n" + "\n".join(lines) + "\n"


def _begin(element, reduction, indent, number):
    """The states before the first element."""
    if reduction.first is None:
        return element(target="x", number=number, indent=indent)
    return [
        f"{indent}x{i} = {type_name(dtype)}({text})"
        for i, (text, dtype) in enumerate(zip(reduction.first, reduction.states))
    ]


def _result(reduction, at, indent):
    text = reduction.final
    for i in range(len(reduction.states)):
        text = text.replace(f"A{i}", f"x{i}")
    return f"{indent}o0[{at}] = {text}"


def _thread_lines(element, reduction, kept):
    """A thread for each result."""
    inner, deep = " " * 8, " " * 12
    return [
        "    j = cuda.grid(1)",
        "    step = cuda.gridsize(1)",
        "    while j < results:",
        *_axes("k", kept, "j", inner),
        *_begin(element, reduction, inner, "0"),
        f"{inner}r = 0",
        f"{inner}while r < count:",
        *element(target="y", number="r", indent=deep),
        *reduction.lines(deep, "x", "y"),
        f"{deep}r += 1",
        _result(reduction, "j", inner),
        f"{inner}j += step",
    ]


def _block_lines(element, reduction, kept, tile, whole):
    """A block for `columns` results; as many lanes as are left share the elements of each, in
    several parts where one block is too few. The last block of these to end combines the parts."""
    columns, beside = tile
    lanes = THREADS // columns
    inner, deep = " " * 4, " " * 8
    share = [
        f"{inner}m{i} = cuda.shared.array({THREADS}, {type_name(dtype)})"
        for i, dtype in enumerate(reduction.states)
    ]
    # Blocks take neighbouring tiles, in turns: what is read at one time lies close together.
    at_once = 8 if sum(each.itemsize for each in reduction.states) <= 4 else 4
    unrolled = []
    for _ in range(at_once):
        unrolled += element(target="y", number="r", indent=deep)
        unrolled += reduction.lines(deep, "x", "y")
        unrolled.append(f"{deep}r += {lanes}")
    column, lane = f"thread % {columns}", f"thread // {columns}"
    if not beside:
        column, lane = f"thread // {lanes}", f"thread % {lanes}"
    combined = functools.partial(_combined, reduction, lanes, columns if beside else 1)
    lines = [
        *share,
        f"{inner}thread = cuda.threadIdx.x",
        *([f"{inner}group = cuda.blockIdx.x"] if whole else _group_lines(inner)),
        f"{inner}column = {column}",
        f"{inner}lane = {lane}",
        f"{inner}mine = group * {columns} + column",
        f"{inner}k = min(mine, results - 1)",
        f"{inner}first = lane" + ("" if whole else f" + part * {at_once * lanes}"),
        *_axes("k", kept, "k", inner),
        *_begin(element, reduction, inner, "min(first, count - 1)"),
        f"{inner}r = first",
        f"{inner}while r + {(at_once - 1) * lanes} < count:",
        *unrolled,
        *([] if whole else [f"{deep}r += (parts - 1) * {at_once * lanes}"]),
        f"{inner}end = min(r + {at_once * lanes}, count)",
        f"{inner}while r < end:",
        *element(target="y", number="r", indent=deep),
        *reduction.lines(deep, "x", "y"),
        f"{deep}r += {lanes}",
        *combined(inner),
    ]
    if whole:
        return [
            *lines,
            f"{inner}if lane == 0 and mine < results:",
            _result(reduction, "mine", deep),
        ]
    return [*lines, *_last_lines(reduction, lanes, combined)]


def _group_lines(indent):
    """Neighbouring blocks have neighbouring results."""
    return [
        f"{indent}groups = cuda.gridDim.x // parts",
        f"{indent}group = cuda.blockIdx.x % groups",
        f"{indent}part = cuda.blockIdx.x // groups",
    ]


def _last_lines(reduction, lanes, combined):
    """Writes the part of a block; the last block combines all parts."""
    inner, deep, deeper = " " * 4, " " * 8, " " * 12
    states = range(len(reduction.states))

    def stored(target, number, indent):
        at = f"{number} * results + k"
        return [f"{indent}{target}{i} = p{i}[{at}]" for i in states]

    return [
        f"{inner}ended = cuda.shared.array(1, np.int32)",
        f"{inner}if lane == 0 and mine < results:",
        *(f"{deep}p{i}[part * results + mine] = x{i}" for i in states),
        f"{deep}cuda.threadfence()",
        f"{inner}cuda.syncthreads()",
        f"{inner}if thread == 0:",
        f"{deep}ended[0] = cuda.atomic.add(counters, group, 1)",
        f"{inner}cuda.syncthreads()",
        f"{inner}if ended[0] == parts - 1:",
        f"{deep}cuda.threadfence()",
        *_begin(stored, reduction, deep, "min(lane, parts - 1)"),
        f"{deep}r = lane",
        f"{deep}while r < parts:",
        *stored("y", "r", deeper),
        *reduction.lines(deeper, "x", "y"),
        f"{deeper}r += {lanes}",
        *combined(deep),
        f"{deep}if lane == 0 and mine < results:",
        _result(reduction, "mine", deeper),
        f"{deep}if thread == 0:",
        f"{deeper}counters[group] = 0",
    ]


def _combined(reduction, lanes, stride, indent):
    """Combines the states of all lanes of each result in its first lane."""
    if lanes == 1:
        return []
    inner = indent + " " * 4
    states = range(len(reduction.states))
    return [
        *(f"{indent}m{i}[thread] = x{i}" for i in states),
        f"{indent}cuda.syncthreads()",
        f"{indent}half = {lanes // 2}",
        f"{indent}while half > 0:",
        f"{inner}if lane < half:",
        *(f"{inner}    y{i} = m{i}[thread + half * {stride}]" for i in states),
        *reduction.lines(inner + "    ", "x", "y"),
        *(f"{inner}    m{i}[thread] = x{i}" for i in states),
        f"{inner}cuda.syncthreads()",
        f"{inner}half //= 2",
    ]


_kernels: dict = {}


def reduction_kernel(order, results, modes, kept, reduced, reduction, tile, whole):
    key = (_structure(order, results), modes, kept, reduced, reduction.key, tile, whole)
    found = _kernels.get(key)
    if found is None:
        text = text_of(order, results, modes, kept, reduced, reduction, tile, whole)
        found = _kernels.setdefault(key, cached(text))
    return found
