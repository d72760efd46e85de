"""Dispatcher.report: how each loop was compiled. NUMJIT_REPORT=1 prints it at exit."""

from __future__ import annotations

import atexit
import functools
import html
import linecache
import sys
from typing import Any, NamedTuple

from numjit.dump import dump_types
from numjit.inspection import html_table, overloads
from numjit.options import compiler_options
from numjit.places import display_path, is_ours
from numjit.reasons import Facts, Reason, moves_a_block, reason_of
from numjit.remarks import (
    LOOPS,
    Dump,
    LoopNode,
    Remark,
    loop_of,
    loops_in,
    name_in_library,
    read,
    users,
    vector_width,
)
from numjit.types import Array

_ALLOCATES = ("numjit_new", "nj_alloc", "nj_list_new", "nj_list_grow", "nj_table_new", "nj_str")
_COPIES = ("copy_method", "copy", "ascontiguousarray", "astype", "ravel", "flatten", "rearranged")


class Loop(NamedTuple):
    """A loop of the source, and what became of it."""

    line: int
    width: int  # elements at once; 0 where the loop is scalar
    interleaved: int  # vectors at once
    reason: Reason | None  # why it is scalar
    blamed: int  # the line that is the reason, 0: the whole loop
    note: str  # of loops that the vectoriser was not asked about

    def __str__(self):
        if self.width > 1:
            at_once = f"{self.width} elements at once"
            more = f", {self.interleaved} times" if self.interleaved > 1 else ""
            return f"vectorised: {at_once}{more}"
        if self.reason is None:
            return self.note or "not vectorised"
        where = f" (line {self.blamed})" if self.blamed and self.blamed != self.line else ""
        return f"not vectorised: {self.reason.why}{where}\nhint: {self.reason.advice}"


class Specialisation:
    """The report on one list of argument types."""

    def __init__(self, dispatcher, item):
        self.arguments = item.signature.args
        self.result = item.signature.return_type
        self.objectmode = item.objectmode
        self.timings = dict(item.metadata["timings"])
        self.code_bytes = item.metadata["code_bytes"]
        self._code = dispatcher.py_func.__code__
        self._options = dispatcher.targetoptions
        self._function = dispatcher.py_func
        self._class = type(dispatcher)
        self._tried: dict[Any, list[Remark]] = {}
        self.loops: list[Loop] = []
        self.inlined: list[tuple[int, str]] = []
        self.allocations: list[tuple[int, str]] = []
        self.upcalls: list[int] = []
        if not self.objectmode:
            self._read(read(dump_types(dispatcher, self.arguments, "remarks")))

    @property
    def milliseconds(self) -> float:
        return sum(self.timings.values())

    def _read(self, dump: Dump):
        strided = any(isinstance(each, Array) and each.layout == "A" for each in self.arguments)
        said: dict[LoopNode, list[Remark]] = {}
        for remark in dump.remarks:
            loop = loop_of(remark.spots) if remark.passes.startswith("loop-") else None
            if loop is not None and not loop.is_ours:
                said.setdefault(loop, []).append(remark)
        for loop in self._own_loops():
            trial = functools.partial(self._vectorised_with, loop)
            facts = Facts(said.get(loop, []), dump.calls, loop, self._options, strided, trial)
            self.loops.append(_judged(loop, facts, loop in dump.left))
        self._read_inlined(dump.remarks)
        self._read_calls(dump.calls)

    def _vectorised_with(self, loop: LoopNode, fastmath) -> bool:
        """Whether a loop is vectorised if the function is compiled so."""
        key = str(fastmath)
        if key not in self._tried:
            options = {**self._options, "fastmath": fastmath, "cache": False}
            trial = self._class(self._function, compiler_options(options), options)
            self._tried[key] = read(dump_types(trial, self.arguments, "remarks")).remarks
        return any(
            (vector_width(each) or (0, 0))[0] > 1 and loop_of(each.spots) == loop
            for each in self._tried[key]
        )

    def _own_loops(self) -> list[LoopNode]:
        """The loops of the function, in the order of the source."""
        code = self._code
        last = max([line for _, _, line in code.co_lines() if line], default=0)
        inner = [each for each in code.co_consts if hasattr(each, "co_lines")]
        last = max([last, *(line for each in inner for _, _, line in each.co_lines() if line)])
        first = code.co_firstlineno
        found = [each for each in loops_in(code.co_filename) if first <= each.line <= last]
        return sorted(found, key=lambda each: (each.line, each.node.col_offset))

    def _read_inlined(self, remarks):
        found = {}
        for remark in remarks:
            if remark.passes == "inline" and remark.kind == "passed" and remark.spots:
                name = remark.text.split("'")[1].removeprefix("python.").partition("$")[0]
                spot = remark.spots[0]
                if spot.line and spot.filename == self._code.co_filename:
                    found[spot.line, name] = None
        self.inlined = sorted(found)

    def _read_calls(self, calls):
        allocations, upcalls = {}, {}
        for call in calls:
            spot = users(call.spots)
            if spot is None or not call.depth:
                continue
            around = loop_of(call.spots)
            if call.callee.startswith(("nj_call_python", "nj_python_call")):
                upcalls[spot.line] = None
            elif call.callee.startswith(_ALLOCATES) and around and not around.is_ours:
                names = {each.function for each in call.spots}
                what = name_in_library(call.spots).removesuffix("_method")
                is_copy = not names.isdisjoint(_COPIES)
                allocations[spot.line] = f"copy of an array ({what})" if is_copy else what
        self.allocations = sorted(allocations.items())
        self.upcalls = sorted(upcalls)

    def source(self, line: int) -> str:
        return linecache.getline(self._code.co_filename, line).strip()

    def __str__(self):
        arguments = ", ".join(map(str, self.arguments))
        lines = [f"({arguments}) -> {self.result}"]
        if self.objectmode:
            return f"{lines[0]}\n  object mode: the interpreter runs this function"
        stages = ", ".join(f"{name} {ms:.1f}" for name, ms in self.timings.items())
        if self.timings:
            lines.append(f"  compiled in {self.milliseconds:.1f} ms ({stages})")
        else:
            lines.append("  loaded from the cache")
        lines[-1] += f", {self.code_bytes} bytes of code"
        for title, rows in self._sections():
            lines.append(f"  {title}:")
            for line, text in rows:
                lines.append(f"    {line}: {self.source(line)}")
                lines += [f"        {part}" for part in text.split("\n") if part]
        return "\n".join(lines)

    def _sections(self):
        rows = {
            "loops": [(loop.line, str(loop)) for loop in self.loops],
            "allocations in loops": self.allocations,
            "calls of the interpreter in loops": [(line, "") for line in self.upcalls],
            "inlined": [(line, name) for line, name in self.inlined],
        }
        return [(title, found) for title, found in rows.items() if found]

    def _repr_html_(self):
        arguments = html.escape(", ".join(map(str, self.arguments)))
        parts = [f"<p><code>({arguments}) -> {html.escape(str(self.result))}</code>"]
        if self.objectmode:
            return f"{parts[0]}: object mode, the interpreter runs this function</p>"
        took = f"{self.milliseconds:.1f} ms" if self.timings else "loaded from the cache"
        parts.append(f": {took}, {self.code_bytes} bytes of code</p>")
        for title, found in self._sections():
            rows = [(line, self.source(line), text) for line, text in found]
            parts.append(html_table([("line", title, ""), *rows]))
        return "".join(parts)


def _judged(loop: LoopNode, facts: Facts, is_left: bool) -> Loop:
    widths = [found for each in facts.remarks if (found := vector_width(each))]
    if widths:
        return Loop(loop.line, *max(widths), None, 0, "")
    if any(each.name == "FullyUnrolled" for each in facts.remarks):
        return Loop(loop.line, 0, 0, None, 0, "unrolled: its iterations stand one after another")
    if not any(each.passes == "loop-vectorize" for each in facts.remarks):
        has_loops = any(each is not loop.node for each in facts.nodes(*LOOPS))
        inside = "there are loops in it" if has_loops else "there are loops in what it calls"
        note = inside if is_left else "no loop is left of it"
        return Loop(loop.line, 0, 0, None, 0, note)
    if moves_a_block(facts):
        return Loop(loop.line, 0, 0, None, 0, "it copies or fills memory: memcpy, memset")
    reason, blamed = reason_of(facts)
    return Loop(loop.line, 0, 0, reason, blamed, "")


class Report:
    """What `f.report()` returns: text when it is printed, a table in a notebook."""

    def __init__(self, dispatcher, signature=None):
        self.name = dispatcher.__name__
        code = dispatcher.py_func.__code__
        self.place = f"{display_path(code.co_filename)}:{code.co_firstlineno}"
        found = overloads(dispatcher)
        chosen = found.values() if signature is None else [found[tuple(signature)]]
        self.specialisations = [Specialisation(dispatcher, item) for item in chosen]

    def __str__(self):
        head = f"{self.name}, {self.place}"
        if not self.specialisations:
            return f"{head}: nothing is compiled, it was not called"
        return "\n".join([head, *map(str, self.specialisations)])

    __repr__ = __str__

    def _repr_html_(self):
        head = f"<h4>{html.escape(self.name)}, {html.escape(self.place)}</h4>"
        parts = [each._repr_html_() for each in self.specialisations]
        return head + ("".join(parts) or "<p>Nothing is compiled: it was not called.</p>")


_kept: list = []


def print_at_exit(dispatcher):
    """NUMJIT_REPORT=1: the report on a function is printed when the program ends."""
    if is_ours(dispatcher.py_func.__code__.co_filename):
        return
    if not _kept:
        atexit.register(_print_all)
    _kept.append(dispatcher)


def _print_all():
    for dispatcher in _kept:
        if dispatcher._specializations():
            print(Report(dispatcher), file=sys.stderr)
