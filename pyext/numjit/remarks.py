"""The optimiser's remarks about a function (codegen/passes/remarks.h), by loops of the source.

A place in machine code is a chain of places in the source: that of the operation, and those of the
calls that were inlined. The loop that a remark is about is the innermost one that holds a place of
the chain: the user's, or one of a library function that the user's line calls.
"""

from __future__ import annotations

import ast
import functools
import linecache
import re
from typing import Any, NamedTuple

from numjit.places import is_ours


class Spot(NamedTuple):
    """A place in the source."""

    filename: str
    line: int
    column: int  # from 1, 0 where it is not known
    function: str


class Remark(NamedTuple):
    passes: str
    name: str
    kind: str
    spots: list[Spot]
    text: str


class Call(NamedTuple):
    """A call in the optimised code."""

    spots: list[Spot]
    depth: int  # how many loops are around it
    callee: str


class LoopNode(NamedTuple):
    """A loop of a source file."""

    filename: str
    line: int
    end_line: int
    node: Any  # of its syntax tree

    @property
    def is_ours(self):
        return is_ours(self.filename)


class Dump(NamedTuple):
    """A dump of the stage "remarks"."""

    remarks: list[Remark]
    calls: list[Call]
    left: list[LoopNode]  # the loops that are there after optimisation


def read(text: str) -> Dump:
    remarks, calls, left = [], [], []
    for line in text.splitlines():
        kind, *fields = line.split("\t")
        if kind == "remark":
            passes, name, way, places, message = fields
            remarks.append(Remark(passes, name, way, _spots(places), message))
        elif kind == "call":
            places, depth, callee = fields
            calls.append(Call(_spots(places), int(depth), callee))
        elif loop := loop_of(_spots(fields[0])):
            left.append(loop)
    return Dump(remarks, calls, left)


def _spots(text: str) -> list[Spot]:
    found = []
    for part in text.split(";") if text else ():
        filename, line, column, function = part.rsplit("|", 3)
        found.append(Spot(filename, int(line), int(column), function))
    return found


def users(spots: list[Spot]) -> Spot | None:
    """The place in the user's source: the innermost one outside of numjit."""
    return next((spot for spot in spots if spot.line and not is_ours(spot.filename)), None)


def name_in_library(spots: list[Spot]) -> str:
    """The library's function that the user's line calls, empty if it is the user's own code."""
    before = ""
    for spot in spots:
        if not is_ours(spot.filename):
            return before
        before = spot.function
    return before


# -- loops of source files -------------------------------------------------------------------------

LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@functools.lru_cache(maxsize=256)
def _loops_of(filename: str, source: str) -> list[LoopNode]:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return []
    return [
        LoopNode(filename, node.lineno, node.end_lineno or node.lineno, node)
        for node in ast.walk(tree)
        if isinstance(node, LOOPS)
    ]


def loops_in(filename: str) -> list[LoopNode]:
    """All loops of a file, outer ones before those in them."""
    return _loops_of(filename, "".join(linecache.getlines(filename)))


def holds(loop: LoopNode, spot: Spot) -> bool:
    node = loop.node
    if not spot.column:
        return loop.line <= spot.line <= loop.end_line
    start = node.lineno, node.col_offset
    end = node.end_lineno, node.end_col_offset
    return start <= (spot.line, spot.column - 1) <= end


def loop_of(spots: list[Spot]) -> LoopNode | None:
    """The loop that an operation is in."""
    for spot in spots:
        around = [loop for loop in loops_in(spot.filename) if holds(loop, spot)]
        if around:
            return around[-1]
    return None


def vector_width(remark: Remark) -> tuple[int, int] | None:
    """(elements at once, vectors at once) in the remark "vectorized loop"."""
    found = re.search(r"vectorization width: (\d+), interleaved count: (\d+)", remark.text)
    return (int(found[1]), int(found[2])) if found else None
