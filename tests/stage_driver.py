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
        # FileCheck reads the case file itself, so that its diagnosis names our lines.
        command = [
            str(find_filecheck()),
            str(self.path),
            "--input",
            "-",
            "--lines",
            f"{self.first_line}:{self.last_line}",
        ]
        result = subprocess.run(command, input=text, capture_output=True, text=True)
        if result.returncode:
            rule = "-" * 80
            raise CaseFailure(f"{result.stderr}\n{rule}\n{text}\n{rule}")


def find_filecheck() -> pathlib.Path:
    """The program numjit-filecheck: of the environment, or beside the package's build."""
    named = os.environ.get("NUMJIT_FILECHECK")
    if named:
        return pathlib.Path(named)
    root = pathlib.Path(__file__).resolve().parent.parent
    candidates = [root / "build" / "dev" / "bin" / "numjit-filecheck"]
    package = sys.modules.get("numjit")
    if package is not None and package.__file__:
        build = pathlib.Path(os.path.abspath(package.__file__)).parent.parent.parent
        candidates.insert(0, build / "bin" / "numjit-filecheck")
    for candidate in candidates:
        if candidate.exists():
            return candidate
    raise CaseError("numjit-filecheck is not built (make build-all), nor named by NUMJIT_FILECHECK")


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
