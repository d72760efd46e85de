"""Reports of errors in colours, for the terminals and notebooks of IPython."""

from __future__ import annotations

import os
import re
import sys

_RESET, _BOLD, _RED, _GREEN, _BLUE = "\x1b[0m", "\x1b[1m", "\x1b[31;1m", "\x1b[32m", "\x1b[34m"

# What the lines of a report look like (places.py), and the colours of their parts.
_RULES = (
    (re.compile(r"^( +)(\^+)(.*)$"), rf"\1{_RED}\2{_RESET}{_RED}\3{_RESET}"),
    (re.compile(r"^(hint:)"), rf"{_GREEN}\1{_RESET}"),
    (re.compile(r"^  (\S.*:\d+(?:, in .+)?)$"), rf"  {_BLUE}\1{_RESET}"),
)


def are_wanted(shell) -> bool:
    """Whether an IPython shell shows colours: the user may refuse them by NO_COLOR
    (no-color.org), or by IPython's own setting."""
    refused = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not refused and getattr(shell, "colors", "").lower() != "nocolor"


def coloured(report: str) -> str:
    """The text of a report with carets, places and the hint in colours."""
    first, *lines = report.split("\n")
    found = [f"{_BOLD}{first}{_RESET}"]
    for line in lines:
        for pattern, colours in _RULES:
            line, changed = pattern.subn(colours, line)
            if changed:
                break
        found.append(line)
    return "\n".join(found)


def ipython_traceback(error) -> list[str]:
    """What IPython shows of an exception: its own traceback, with our report in colours."""
    given = type(error), error, error.__traceback__
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None:
        from traceback import format_exception

        return "".join(format_exception(*given)).split("\n")
    lines = shell.InteractiveTB.structured_traceback(*given)
    if not are_wanted(shell):
        return lines
    report = str(error)
    return "\n".join(lines).replace(report, coloured(report)).split("\n")
