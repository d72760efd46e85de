"""The form of the golden tests of error reports.

A file of errors/cases holds several programs. Each starts with `#%% name`, and ends with what it
must raise: the class and the whole text, in lines that start with `#!`:

    #%% unknown_name
    @njit
    def f(x):
        return x + y

    f(1)
    #! TypingError: name 'y' is not defined
    #!   unknown_name.py:3, in f
    #!     return x + y
    #!                ^

Entries of the traceback behind that of the module itself follow as "traceback:" lines: there are
none but for errors raised by running code. The program runs as a file `name.py` of its own, so its
line numbers start at 1 and stay the same when cases around it change. NUMJIT_REWRITE=1 writes the
present texts into the files.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import linecache
import os
import pathlib
import re
import traceback
import warnings

FILES = sorted((pathlib.Path(__file__).resolve().parent / "errors" / "cases").glob("*.cases"))
PRELUDE = "import math\nimport numpy as np\nfrom numjit import float64, int64, jit, njit, types\n"
MAX_LINES = 12


@dataclasses.dataclass
class Case:
    """One program and what it must raise."""

    path: pathlib.Path
    name: str
    program: str
    expected: str

    def run(self) -> str:
        """The report of what the program raises, and the traceback behind its module."""
        filename = f"{self.name}.py"
        linecache.cache[filename] = (
            len(self.program),
            None,
            self.program.splitlines(keepends=True),
            filename,
        )
        namespace = {"__name__": "case", "__file__": filename}
        exec(PRELUDE, namespace)
        try:
            with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
                warnings.simplefilter("error")
                exec(compile(self.program, filename, "exec", dont_inherit=True), namespace)
        except Exception as error:
            return _report(error, filename)
        finally:
            del linecache.cache[filename]
        return "no error"


def _report(error: Exception, filename: str) -> str:
    lines = f"{type(error).__name__}: {error}".splitlines()
    # The first entry is ours; behind it come the program and whatever should not be seen.
    frames = [
        f"traceback: {os.path.basename(frame.filename)}:{frame.lineno}, in {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)[1:]
        if frame.name != "<module>"
    ]
    return re.sub(r"\bat 0x[0-9a-f]+", "at 0x...", "\n".join([*lines, *frames]))


def read_cases(path: pathlib.Path) -> list[Case]:
    cases = []
    for section in path.read_text().split("#%% ")[1:]:
        name, _, body = section.partition("\n")
        program, expected = [], []
        for line in body.splitlines():
            if line.startswith("#!"):
                expected.append(line[3:])
            elif not expected:
                program.append(line)
        text = "\n".join(program).rstrip() + "\n"
        cases.append(Case(path, name.strip(), text, "\n".join(expected)))
    return cases


def write_cases(path: pathlib.Path, cases: list[Case]) -> None:
    head = path.read_text().split("#%% ")[0]
    sections = [
        f"#%% {case.name}\n{case.program}"
        + "".join(f"#! {line}".rstrip() + "\n" for line in case.expected.splitlines())
        for case in cases
    ]
    path.write_text(head + "\n".join(sections))
