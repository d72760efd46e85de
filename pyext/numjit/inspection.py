"""Looking into dispatchers: overloads, types, LLVM IR, assembly, control flow."""

from __future__ import annotations

import html
import inspect
import linecache
import re
import shutil
import subprocess
import sys
from collections import Counter, OrderedDict
from typing import Any, NamedTuple

from numjit.dump import dump_types
from numjit.parallel_diagnostics import ParforDiagnostics
from numjit.places import display_path
from numjit.signatures import Signature, normalize_signature
from numjit.types import literal, pyobject, unliteral
from numjit.types.wrap import wrap, wrap_all


class Stats(NamedTuple):
    """Dispatcher.stats."""

    cache_path: str | None
    cache_hits: Counter
    cache_misses: Counter

    @classmethod
    def of(cls, dispatcher):
        hits: Counter = Counter()
        misses: Counter = Counter()
        for item in dispatcher._specializations():
            (hits if item.loaded else misses)[wrap_all(item.arguments)] += 1
        path = dispatcher._cache_home()[0] if dispatcher._caches else None
        return cls(path, hits, misses)


class CodeLibrary(NamedTuple):
    """The machine code of a specialisation, as text."""

    dispatcher: Any
    arguments: tuple

    @property
    def name(self) -> str:
        return self.dispatcher.__qualname__

    def get_llvm_str(self) -> str:
        return self.dispatcher.inspect_llvm(self.arguments)

    def get_asm_str(self) -> str:
        return self.dispatcher.inspect_asm(self.arguments)

    def get_function_cfg(self, name=None, py_func=None, **kwargs):
        return self.dispatcher.inspect_cfg(self.arguments, **kwargs)

    def get_disasm_cfg(self, mangled_name=None):
        return self.dispatcher.inspect_disasm_cfg(self.arguments)


class CompileResult(NamedTuple):
    """One specialisation, as `Dispatcher.overloads` holds it."""

    entry_point: object
    signature: Signature
    objectmode: bool
    lifted: tuple
    metadata: dict
    typing_error: Exception | None = None
    type_annotation: str | None = None
    library: CodeLibrary | None = None


def compiled_with_callers(dispatcher) -> list[Signature]:
    """For which types a function was compiled as part of functions that call it."""
    return [
        Signature(unliteral(wrap(result)), tuple(unliteral(each) for each in wrap_all(arguments)))
        for arguments, result in dispatcher._compiled_with_callers()
    ]


def overloads(dispatcher) -> OrderedDict:
    """Dispatcher.overloads."""
    found: OrderedDict = OrderedDict()
    for item in dispatcher._specializations():
        arguments = _with_literals(wrap_all(item.arguments), item.values)
        in_object_mode = item.result is None
        result = pyobject if in_object_mode else unliteral(wrap(item.result))
        signature = Signature(result, arguments)
        found.setdefault(
            arguments,
            CompileResult(
                entry_point=item.entry_point,
                signature=signature,
                objectmode=in_object_mode,
                lifted=dispatcher._lifted if in_object_mode else (),
                metadata=_metadata(dispatcher, item, arguments),
                library=None if in_object_mode else CodeLibrary(dispatcher, arguments),
            ),
        )
    ran_untyped = dispatcher._untyped or not any(item.objectmode for item in found.values())
    if dispatcher._interpreted is not None and ran_untyped:
        arguments = (pyobject,) * dispatcher.func_code.co_argcount
        found.setdefault(
            arguments,
            CompileResult(
                entry_point=dispatcher._interpreted,
                signature=Signature(pyobject, arguments),
                objectmode=True,
                lifted=dispatcher._lifted,
                metadata={"timings": {}, "code_bytes": 0},
            ),
        )
    return found


def _metadata(dispatcher, item, arguments) -> dict:
    found = {"timings": dict(item.timings), "code_bytes": item.code_bytes}
    if dispatcher.targetoptions.get("parallel"):
        found["parfor_diagnostics"] = ParforDiagnostics(dispatcher, arguments)
    return found


def _with_literals(arguments, values):
    """Types of arguments, literal ones where code was made for a value."""
    if not values:
        return arguments
    return tuple(
        type_ if value is None else literal(value)
        for type_, value in zip(arguments, values, strict=True)
    )


def html_of(dispatcher) -> str:
    """A table of the specialisations: types, time of compilation, size, and where it came from."""
    code = dispatcher.py_func.__code__
    place = f"{display_path(code.co_filename)}:{code.co_firstlineno}"
    name = f"{dispatcher.__name__}{inspect.signature(dispatcher)}"
    head = f"<b><code>{html.escape(name)}</code></b> compiled by numjit, {html.escape(place)}"
    loaded = dispatcher.stats.cache_hits
    rows = [("arguments", "result", "compiled in", "code", "")]
    for types_, item in overloads(dispatcher).items():
        timings = item.metadata["timings"]
        rows.append(
            (
                ", ".join(map(str, types_)),
                "object mode" if item.objectmode else str(item.signature.return_type),
                f"{sum(timings.values()):.1f} ms" if timings else "",
                f"{item.metadata['code_bytes']} bytes" if item.metadata["code_bytes"] else "",
                "from the cache" if loaded[tuple(map(unliteral, types_))] else "",
            )
        )
    if len(rows) == 1:
        return f"<div>{head}: nothing yet, it was not called</div>"
    return f"<div>{head}{html_table(rows)}</div>"


def html_table(rows) -> str:
    """The first row is the head."""
    lines = []
    for number, row in enumerate(rows):
        tag = "td" if number else "th"
        cells = (f'<{tag} style="text-align: left">{html.escape(str(x))}</{tag}>' for x in row)
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table>{''.join(lines)}</table>"


def _chosen(dispatcher, signature) -> list[CompileResult]:
    found = overloads(dispatcher)
    if signature is None:
        return list(found.values())
    arguments = normalize_signature(signature)[0]
    if arguments not in found:
        raise KeyError(arguments)
    return [found[arguments]]


def dump_overloads(dispatcher, stage: str, signature=None):
    """A stage's text: of one signature, or a dict by argument types."""
    texts = {
        item.signature.args: _dump(dispatcher, stage, item.signature.args)
        for item in _chosen(dispatcher, signature)
        if not item.objectmode
    }
    return texts if signature is None else next(iter(texts.values()), "")


def _dump(dispatcher, stage, arguments) -> str:
    return dump_types(dispatcher, arguments, stage)


# -- types of values beside the source ------------------------------------------------------------

_RULE = "-" * 80
_LINE = re.compile(r"\s!(\d+):-?\d+$")


def inspect_types(dispatcher, file=None, signature=None, pretty=False):
    """Dispatcher.inspect_types: each source line with the typed operations made of it."""
    if pretty:
        if file is not None:
            raise ValueError("`file` must be None if `pretty=True`")
        texts = [annotated_source(dispatcher, item) for item in _chosen(dispatcher, signature)]
        return AnnotatedSource("\n\n".join(texts))
    if file is None:
        file = sys.stdout
    for item in _chosen(dispatcher, signature):
        print(f"{dispatcher.__name__} {item.signature.args}", file=file)
        print(_RULE, file=file)
        print(annotated_source(dispatcher, item), file=file)
        print("=" * 80, file=file)


class AnnotatedSource(str):
    """inspect_types(pretty=True): notebooks show it as it stands."""

    def _repr_html_(self):
        return f"<pre>{html.escape(self)}</pre>"


def annotation_info(dispatcher, signature=None) -> dict:
    """Dispatcher.get_annotation_info: what inspect_types prints, as data."""
    code = dispatcher.py_func.__code__
    numbers = range(code.co_firstlineno, _last_line(code) + 1)
    found = {}
    for item in _chosen(dispatcher, signature):
        operations = {} if item.objectmode else _operations_by_line(dispatcher, item)
        key = f"{code.co_filename}:{code.co_firstlineno + 1}", str(item.signature)
        found[key] = {
            "filename": code.co_filename,
            "funcname": dispatcher.__name__,
            "python_lines": [
                (number, linecache.getline(code.co_filename, number).rstrip("\n"))
                for number in numbers
            ],
            "ir_lines": {number: list(operations.get(number, ())) for number in numbers},
        }
    return found


def annotated_source(dispatcher, item: CompileResult) -> str:
    """The function's source; above each line, as comments, the typed operations made of it."""
    code = dispatcher.py_func.__code__
    lines = [f"# File: {code.co_filename}", f"# Result: {item.signature.return_type}"]
    operations = {} if item.objectmode else _operations_by_line(dispatcher, item)
    if item.objectmode:
        lines.append("# object mode: the interpreter runs this function")
    first, last = code.co_firstlineno, _last_line(code)
    for number in range(first, last + 1):
        text = linecache.getline(code.co_filename, number).rstrip("\n")
        indent = " " * (len(text) - len(text.lstrip()))
        made = operations.get(number, ())
        if made:
            lines.append(f"{indent}# --- LINE {number} ---")
            lines += [f"{indent}#   {operation}" for operation in made]
        lines.append(text)
    return "\n".join(lines)


def _last_line(code) -> int:
    numbers = [line for _, _, line in code.co_lines() if line]
    inner = [_last_line(item) for item in code.co_consts if hasattr(item, "co_lines")]
    return max([code.co_firstlineno, *numbers, *inner])


def _operations_by_line(dispatcher, item) -> dict[int, list[str]]:
    """The typed operations, by the line at the end of each in the dump."""
    result: dict[int, list[str]] = {}
    for text in _dump(dispatcher, "typed", item.signature.args).splitlines():
        if text.startswith("function ") and result:
            break  # what it calls has its own source
        found = _LINE.search(text)
        if found:
            result.setdefault(int(found[1]), []).append(text[: found.start()].strip())
    return result


# -- control flow ---------------------------------------------------------------------------------


class ControlFlowGraph:
    """The blocks of a function and the edges between them, as a Graphviz graph (`dot`)."""

    def __init__(self, name: str, blocks: dict[str, list[str]], edges: list[tuple[str, str]]):
        self.name, self.blocks, self.edges = name, blocks, edges

    @property
    def dot(self) -> str:
        title = f"CFG for {self.name!r} function"
        lines = [f'digraph "{_quoted(title)}" {{', f'\tlabel="{_quoted(title)}";', ""]
        for block, body in self.blocks.items():
            text = "\\l".join(_quoted(line) for line in [f"{block}:", *body])
            lines.append(f'\t"{_quoted(block)}" [shape=box,label="{text}\\l"];')
        lines += [f'\t"{_quoted(a)}" -> "{_quoted(b)}";' for a, b in self.edges]
        return "\n".join([*lines, "}"])

    def __repr__(self):
        return self.dot

    def __str__(self):
        return self.dot

    def _repr_svg_(self):
        return self._render("svg")

    def display(self, filename=None, format="pdf", view=False):
        """Renders the graph through the `dot` program; the path of the picture."""
        path = f"{filename or self.name}.{format}"
        with open(path, "wb") as file:
            file.write(self._render(format, text=False))
        return path

    def _render(self, format, text=True):
        if not shutil.which("dot"):
            raise RuntimeError("drawing a control-flow graph needs Graphviz's program dot")
        run = subprocess.run(
            ["dot", f"-T{format}"], input=self.dot.encode(), capture_output=True, check=True
        )
        return run.stdout.decode() if text else run.stdout


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def control_flow(dispatcher, stage: str, signature=None):
    """ControlFlowGraph of one signature, or a dict by argument types."""
    read = {"llvm": _read_llvm, "asm": _read_asm}[stage]
    texts = dump_overloads(dispatcher, stage, signature)
    if signature is not None:
        return read(texts)
    return {arguments: read(text) for arguments, text in texts.items()}


_DEFINE = re.compile(r"define [^@]*@(\"[^\"]*\"|[\w.$]+)\(")
_LABEL = re.compile(r"([\w.$-]+|\"[^\"]*\"):")
_TARGET = re.compile(r"label %([\w.$-]+|\"[^\"]*\")")


def _read_llvm(text: str) -> ControlFlowGraph:
    """The graph of the first function that an IR text defines."""
    name, block = "", "entry"
    blocks: dict[str, list[str]] = {}
    edges: list[tuple[str, str]] = []
    for line in text.splitlines():
        started = _DEFINE.match(line)
        if started:
            name = started[1].strip('"')
            blocks[block] = []
        elif name and line == "}":
            break
        elif name and (label := _LABEL.match(line)):
            if blocks == {"entry": []}:
                blocks.clear()
            block = label[1].strip('"')
            blocks[block] = []
        elif name and line.strip():
            blocks[block].append(line.strip())
            edges += [(block, target.strip('"')) for target in _TARGET.findall(line)]
    return ControlFlowGraph(name, blocks, edges)


_ASM_LABEL = re.compile(r"(\.?[\w.$]+):")
_JUMP = re.compile(r"\s+(j\w+|b(?:\.\w+)?|cbn?z|tbn?z)\s+(?:.*,\s*)?(\.?[\w.$]+)\s*$")
_UNCONDITIONAL = ("jmp", "b", "ret", "retq", "ud2")


def _read_asm(text: str) -> ControlFlowGraph:
    """The graph of an assembly text: a block starts at a label and behind a jump."""
    name, block = "", "entry"
    blocks: dict[str, list[str]] = {}
    edges: list[tuple[str, str]] = []
    falls_through = True
    for line in text.splitlines():
        line = line.split("#", 1)[0].rstrip()
        label = _ASM_LABEL.match(line)
        if label:
            if not name:
                name = block = label[1]
            elif falls_through and label[1] != block:
                edges.append((block, label[1]))
            block, falls_through = label[1], True
            blocks.setdefault(block, [])
        elif name and line.strip() and not line.strip().startswith("."):
            blocks[block].append(" ".join(line.split()))
            if jump := _JUMP.match(line):
                edges.append((block, jump[2]))
            if line.split()[0] in _UNCONDITIONAL:
                falls_through = False
    known = [(source, target) for source, target in edges if target in blocks]
    return ControlFlowGraph(name, blocks, known)
