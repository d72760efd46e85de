"""Dispatcher.parallel_diagnostics: a description of what runs in parallel."""

from __future__ import annotations

import linecache
import re

_LOOP = re.compile(r"(%\d+) = parallel_loop .*@(\d+)")
_RESULT = re.compile(r"= parallel_result (?:'([^']*)' )?(.*?)(?:  @|$)")
_KIND = re.compile(r"([^\s,]+)=%\d+")
_UPDATE = re.compile(r"= const numjit\.update_element  @(\d+)")
_WORDS = {
    "+": "the sum over all iterations",
    "+[]": "what all iterations add to its elements",
    "+[:]": "what all iterations add to its elements",
    "*": "the product over all iterations",
    "min": "the least value of all iterations",
    "max": "the greatest value of all iterations",
    "minimum": "the least value of all iterations",
    "maximum": "the greatest value of all iterations",
    "last": "what the last iteration that assigns it gives",
}


class ParforDiagnostics:
    """`metadata["parfor_diagnostics"]` of a specialisation."""

    def __init__(self, dispatcher, signature):
        self._asked = dispatcher, signature

    def dump(self, level=1):
        """Prints what Dispatcher.parallel_diagnostics prints of the specialisation."""
        print(report(*self._asked, level), end="")


def report(dispatcher, signature, level: int) -> str:
    """The text for one signature, or for all that are compiled."""
    if not dispatcher.targetoptions.get("parallel"):
        return (
            f"{dispatcher.__name__} is compiled without parallel=True: nothing runs in parallel.\n"
        )
    ssa, typed = (dispatcher._dumps(stage, signature) for stage in ("ssa", "typed"))
    if signature is not None:
        ssa, typed = {signature: ssa}, {signature: typed}
    code = dispatcher.py_func.__code__
    texts = []
    for arguments, text in ssa.items():
        lines = [f"{dispatcher.__name__} {arguments}, {code.co_filename}:{code.co_firstlineno}"]
        parts = re.split(r"^(?:parallel loop of )?function ", text, flags=re.M)[1:]
        loops, _ = _loops(iter(parts))
        lines += _loop_lines(code, loops, 1)
        lines += _expression_lines(code, typed[arguments])
        if len(lines) == 1:
            lines.append(
                "  nothing runs in parallel: no loop over prange, no large array expression"
            )
        texts.append("\n".join(lines) + "\n")
    return "\n".join(texts) or f"{dispatcher.__name__} is not compiled yet.\n"


def _loops(functions):
    """Of the next function: (line, results, loops inside, lines of updates) of each parallel loop,
    and the lines of updates of elements at which iterations may meet."""
    text = next(functions, "")
    found: list[list] = []
    for line in text.splitlines():
        if loop := _LOOP.search(line):
            found.append([int(loop[2]), []])
        elif (result := _RESULT.search(line)) and (kind := _KIND.search(result[2])):
            found[-1][1].append((result[1], kind[1]))
    for each in found:
        each += _loops(functions)
    return found, [int(line) for line in _UPDATE.findall(text)]


def _source(code, line: int) -> str:
    return linecache.getline(code.co_filename, line).strip()


def _loop_lines(code, loops, depth):
    indent = "  " * depth
    for line, results, inside, updates in loops:
        yield f"{indent}line {line}: {_source(code, line)}"
        if depth == 1:
            yield f"{indent}  runs in parallel"
        else:
            yield f"{indent}  runs in parallel where the loop around it leaves threads idle"
        for name, kind in results:
            if not name:
                continue
            plain = kind if kind in _WORDS else kind.removesuffix("=")
            words = _WORDS.get(plain, f"all iterations combined with {plain}")
            yield f"{indent}  {name}: {words}"
        for each in dict.fromkeys(updates):
            yield f"{indent}  line {each}: {_source(code, each)}"
            yield f"{indent}    atomic where iterations share the array: they may meet"
        yield from _loop_lines(code, inside, depth + 1)


_FUNCTION = re.compile(r"^function @([^\s(]+)\(", re.M)
_CALL = re.compile(r"@([\w.<>$]+)\(.*!(\d+):-?\d+$")


def _expression_lines(code, typed: str):
    """Lines whose array expressions come to a parallel loop of the library."""
    starts = list(_FUNCTION.finditer(typed))
    bodies = {
        start[1]: typed[start.end() : following.start() if following else len(typed)]
        for start, following in zip(starts, [*starts[1:], None], strict=True)
    }
    reaches: dict[str, bool] = {}

    def parallel(name):
        if name not in reaches:
            reaches[name] = False
            body = bodies.get(name, "")
            reaches[name] = name.split("$")[0].endswith("_in_parallel") or any(
                parallel(callee) for callee in re.findall(r"call @([\w.<>$]+)\(", body)
            )
        return reaches[name]

    lines = set()
    if starts:
        for text in bodies[starts[0][1]].splitlines():
            if (call := _CALL.search(text)) and parallel(call[1]):
                lines.add(int(call[2]))
    for line in sorted(lines):
        yield f"  line {line}: {_source(code, line)}"
        yield "    an array expression, one loop without temporaries; parallel from 32768 elements"
