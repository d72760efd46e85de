"""Stage tests: what a stage of the compiler makes of a Python function, checked by a few lines.

A case file is a Python file below a folder of tests/stage:

    # STAGE: typed

    # TYPES: (float64[:], int64)
    def scale(a, n):
        # CHECK: func @scale
        return a[0] * n  # CHECK-NOT: call

    # TYPES: (float64, unicode_type)
    def refused(a, text):
        return a + text  # ERROR: no implementation of \\+

Every `# TYPES:` opens a section, which lasts until the next one, and names the argument types of
the first function below it: one test. The section holds either FileCheck's directives, matched
against the dump of the function at the stage, or one `# ERROR: regex` at the end of the line that
the error must blame. `# STAGE:` holds until the next `# STAGE:`; a stage is one of STAGES.
`# PYTHON: >=3.12` or `# PYTHON: <3.12` in a section restricts it to those versions.

Passes are tested on typed IR itself, in files `*.tir`:

    ; TEST: constants fold
    ; RUN: cleanup
    function @f(n: int64) -> int64 {
    b0:
      ...
    }
    ; CHECK: %5: int64 = const 42

`; TEST:` opens a case, `; RUN:` names the passes, or other words of tests/cpp/opt_main.cpp. Another
one, `; RUN: PREFIX: words`, runs other passes on the same text, whose checks have that prefix.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import operator
import os
import pathlib
import re
import subprocess
import sys
import types
from collections.abc import Callable

STAGES = ("bytecode", "ssa", "typed", "llvm", "asm")

# numjit.dump.dump_function(function, types, stage)
Dump = Callable[[types.FunctionType, str, str], str]

_STAGE = re.compile(r"^# STAGE:\s*(.*?)\s*$")
_TYPES = re.compile(r"^# TYPES:\s*(.*?)\s*$")
_PYTHON = re.compile(r"^\s*# PYTHON:\s*(>=|<)\s*(\d+)\.(\d+)\s*$")
_ERROR = re.compile(r"# ERROR:\s*(.*?)\s*$")
_CHECK = re.compile(r"\bCHECK[-A-Z0-9{},]*:")

_COMPARE = {">=": operator.ge, "<": operator.lt}


class CaseError(Exception):
    """The case file itself is wrong."""


class CaseFailure(Exception):
    """The compiler does not do what the case expects; the text is the whole report."""


@dataclasses.dataclass
class Case:
    """One section of a case file."""

    path: pathlib.Path
    stage: str
    types: str
    function: str
    first_line: int
    last_line: int
    error: tuple[int, str] | None  # line, regex
    wanted: Callable[[], bool]  # whether this Python is one the case is for
    namespace: Callable[[], dict]  # the executed file, shared by its cases

    @property
    def id(self) -> str:
        return f"{self.function}-{self.stage}"

    def run(self, dump: Dump, error_class: type[Exception]) -> None:
        function = self.namespace()[self.function]
        if self.error is None:
            self._check(dump(function, self.types, self.stage))
            return
        line, regex = self.error
        try:
            text = dump(function, self.types, self.stage)
        except error_class as error:
            self._compare_error(error, line, regex)
        else:
            raise CaseFailure(
                f"{self.path}:{line}: no error, but one was expected here: {regex}\n\n{text}"
            )

    def _compare_error(self, error: Exception, line: int, regex: str) -> None:
        blamed = getattr(error, "line", None)
        if blamed != line:
            raise CaseFailure(
                f"{self.path}:{line}: the error is expected at this line, but blames line {blamed}:"
                f"\n\n{error}"
            )
        if not re.search(regex, str(error)):
            raise CaseFailure(
                f"{self.path}:{line}: the message does not match {regex!r}:\n\n{error}"
            )

    def _check(self, text: str) -> None:
        check_lines(text, self.path, self.first_line, self.last_line)


def check_lines(
    text: str, path: pathlib.Path, first_line: int, last_line: int, prefix: str = "CHECK"
) -> None:
    """Match a text against the checks in some lines of a file. FileCheck reads the file itself, so
    that its diagnosis names our lines."""
    lines = f"{first_line}:{last_line}"
    command = [find_program("numjit-filecheck"), path, "--input", "-", "--lines", lines]
    result = subprocess.run(
        [*command, "--prefix", prefix], input=text, capture_output=True, text=True
    )
    if result.returncode:
        rule = "-" * 80
        raise CaseFailure(f"{result.stderr}\n{rule}\n{text}\n{rule}")


_TIR_TEST = re.compile(r"^; TEST:\s*(.*?)\s*$")
_TIR_RUN = re.compile(r"^; RUN:\s*(?:([A-Z][-A-Z0-9]*):\s*)?(.*?)\s*$")


@dataclasses.dataclass
class TirCase:
    """A case of a file of typed IR."""

    path: pathlib.Path
    id: str
    runs: list[tuple[str, list[str]]]  # prefix, words
    first_line: int
    last_line: int

    def run(self) -> None:
        for prefix, words in self.runs:
            lines = f"{self.first_line}:{self.last_line}"
            result = subprocess.run(
                [find_program("numjit-opt"), self.path, "--lines", lines, *words],
                capture_output=True,
                text=True,
            )
            if result.returncode:
                raise CaseFailure(result.stderr)
            check_lines(result.stdout, self.path, self.first_line, self.last_line, prefix)


def read_tir_cases(path: pathlib.Path) -> list[TirCase]:
    """The cases of a file of typed IR, in order."""
    lines = path.read_text().splitlines()
    starts = [number for number, line in enumerate(lines, 1) if _TIR_TEST.match(line)]
    if not starts:
        raise CaseError(f"{path}: no `; TEST:` line, so nothing is tested")
    cases = []
    for first, following in zip(starts, [*starts[1:], len(lines) + 1], strict=True):
        section = lines[first - 1 : following - 1]
        runs = [
            (found[1] or "CHECK", found[2].split())
            for line in section
            if (found := _TIR_RUN.match(line))
        ]
        if not runs:
            raise CaseError(f"{path}:{first}: no `; RUN:` line")
        for prefix, _ in runs:
            if not any(re.match(rf"; {prefix}(-[A-Z0-9{{}}]+)?:", line) for line in section):
                raise CaseError(f"{path}:{first}: no {prefix} line")
        cases.append(TirCase(path, _TIR_TEST.match(section[0])[1], runs, first, following - 1))
    return cases


def find_program(name: str) -> pathlib.Path:
    """numjit-filecheck or numjit-opt: of the environment, or beside the package's build."""
    variable = name.upper().replace("-", "_")
    named = os.environ.get(variable)
    if named:
        return pathlib.Path(named)
    root = pathlib.Path(__file__).resolve().parent.parent
    candidates = [root / "build" / "dev" / "bin" / name]
    package = sys.modules.get("numjit")
    if package is not None and package.__file__:
        build = pathlib.Path(os.path.abspath(package.__file__)).parent.parent.parent
        candidates.insert(0, build / "bin" / name)
    for candidate in candidates:
        if candidate.exists():
            return candidate
    raise CaseError(f"{name} is not built (make build-all), nor named by {variable}")


def read_cases(path: pathlib.Path) -> list[Case]:
    """The cases of a file, in order."""
    source = path.read_text()
    lines = source.splitlines()
    functions = [
        (min([node.lineno, *(d.lineno for d in node.decorator_list)]), node.name)
        for node in ast.parse(source, filename=str(path)).body
        if isinstance(node, ast.FunctionDef)
    ]

    @functools.cache
    def namespace() -> dict:
        module = types.ModuleType(path.stem)
        module.__file__ = str(path)
        exec(compile(source, str(path), "exec", dont_inherit=True), module.__dict__)
        return module.__dict__

    starts = [number for number, line in enumerate(lines, 1) if _TYPES.match(line)]
    if not starts:
        raise CaseError(f"{path}: no `# TYPES:` line, so nothing is tested")
    cases = []
    for first, following in zip(starts, [*starts[1:], len(lines) + 1], strict=True):
        last = following - 1
        names = [name for line, name in functions if first < line <= last]
        if not names:
            raise CaseError(f"{path}:{first}: no function below `# TYPES:`")
        cases.append(
            Case(
                path=path,
                stage=_stage_at(path, lines, first),
                types=_TYPES.match(lines[first - 1])[1],
                function=names[0],
                first_line=first,
                last_line=last,
                error=_expected_error(path, lines, first, last),
                wanted=_version_test(lines[first - 1 : last]),
                namespace=namespace,
            )
        )
    return cases


def _stage_at(path: pathlib.Path, lines: list[str], number: int) -> str:
    for line in reversed(lines[:number]):
        found = _STAGE.match(line)
        if found:
            if found[1] not in STAGES:
                raise CaseError(
                    f"{path}: {found[1]!r} is no stage; the stages: {', '.join(STAGES)}"
                )
            return found[1]
    raise CaseError(f"{path}:{number}: no `# STAGE:` line above")


def _expected_error(
    path: pathlib.Path, lines: list[str], first: int, last: int
) -> tuple[int, str] | None:
    section = list(enumerate(lines[first - 1 : last], first))
    errors = [(number, found[1]) for number, line in section if (found := _ERROR.search(line))]
    checked = any(_CHECK.search(line) for _, line in section)
    if len(errors) > 1:
        raise CaseError(f"{path}:{errors[1][0]}: a second `# ERROR:` in one section")
    if bool(errors) == checked:
        problem = "both CHECK and ERROR lines" if checked else "neither a CHECK nor an ERROR line"
        raise CaseError(f"{path}:{first}: the section holds {problem}")
    return errors[0] if errors else None


def _version_test(lines: list[str]) -> Callable[[], bool]:
    limits = [
        (_COMPARE[found[1]], (int(found[2]), int(found[3])))
        for line in lines
        if (found := _PYTHON.match(line))
    ]
    return lambda: all(compare(sys.version_info[:2], version) for compare, version in limits)
