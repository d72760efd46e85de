"""Places in source text, and error reports that point at them:

    cannot add float64 and unicode_type
      model.py:12, in scale
        return a[0] + text
               ^^^^^^^^^^^
      model.py:7, in scale
        text = "x"
        ^^^^ unicode_type here
    hint: convert one of the operands

A report has at most MAX_LINES lines: the message and the hint are never cut, the source of later
places gives way first.
"""

from __future__ import annotations

import linecache
import os
import sys
from types import FrameType
from typing import NamedTuple

MAX_LINES = 12
MAX_MESSAGE_LINES = 6
TAB = 8


class Place(NamedTuple):
    """A range of source text. Columns are UTF-8 byte offsets from 0, -1 where unknown, as CPython's
    code objects hold them; `text` stands in for the file's line where there is no file."""

    filename: str
    function: str
    first_line: int
    line: int
    end_line: int
    column: int
    end_column: int
    label: str = ""
    text: str | None = None


def render(message: str, places=(), hint: str = "") -> str:
    """The whole report."""
    head = message.split("\n")
    tail = ("hint: " + hint).split("\n") if hint else []
    if len(head) > MAX_MESSAGE_LINES:
        left_out = len(head) - (MAX_MESSAGE_LINES - 1)
        head = [*head[: MAX_MESSAGE_LINES - 1], f"  ... and {left_out} more lines"]
    body: list[str] = []
    room = MAX_LINES - len(head) - len(tail)
    previous = None
    for place in places:
        lines = describe(place, previous)
        if len(lines) > room and body:
            break
        lines = lines[: max(room, 1)]
        body += lines
        room -= len(lines)
        previous = place
    return "\n".join([*head, *body, *tail])


def describe(place: Place, previous: Place | None = None) -> list[str]:
    """The lines of one place; its first line is left out where it repeats that of `previous`."""
    lines = []
    where = _where(place)
    if previous is None or _where(previous) != where:
        lines.append(f"  {where}")
    source = source_line(place)
    if not source.strip():
        if place.label:
            lines.append(f"    {place.label}")
        return lines
    text, start, end = _underlined(place, source)
    indent = len(text) - len(text.lstrip(" "))
    carets = " " * (4 + start - indent) + "^" * max(1, end - start)
    lines.append("    " + text[indent:].rstrip())
    lines.append(carets + (" " + place.label if place.label else ""))
    return lines


def source_line(place: Place) -> str:
    """The text of the place's first line without its line end, empty if there is none."""
    if place.text is not None:
        return place.text
    if place.line < 1:
        return ""
    return linecache.getline(place.filename, place.line).rstrip("\r\n\f")


def column_of(place: Place) -> int | None:
    """The column in characters from 1, None where it isn't known."""
    if place.column < 0:
        return None
    return len(_decoded(source_line(place).encode()[: place.column])) + 1


def _where(place: Place) -> str:
    if place.line < 1:
        return f"in {place.function}" if place.function else place.filename
    where = f"{display_path(place.filename)}:{place.line}"
    return f"{where}, in {place.function}" if place.function else where


def display_path(filename: str) -> str:
    """Files below the working directory are named from there, cells of notebooks by number."""
    if cell := _cell_of(filename):
        return cell
    try:
        relative = os.path.relpath(filename)
    except (ValueError, OSError):
        return filename
    return filename if relative.startswith(os.pardir) or filename.startswith("<") else relative


def _cell_of(filename: str) -> str | None:
    """What IPython calls the file that it made of a cell."""
    ipython = sys.modules.get("IPython")
    if ipython is None:
        return None
    shell = ipython.get_ipython()
    try:
        kind, name = shell.compile.format_code_name(filename)
    except (AttributeError, TypeError):  # another program, or an older one
        return None
    return f"{kind} {name}" if kind == "Cell" else None


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def _underlined(place: Place, source: str) -> tuple[str, int, int]:
    """The line with its tabs expanded, and the display columns that are underlined in it. Of a
    range over several lines its part in the first is underlined; without columns, the line."""
    raw = source.encode()
    first, last = place.column, place.end_column
    if first < 0:
        first, last = len(raw) - len(raw.lstrip()), len(raw.rstrip())
    elif place.end_line > place.line or last < 0:
        last = _end_of_code(source)
    before, blamed = _decoded(raw[:first]), _decoded(raw[first : max(first, last)])
    start = _width(before, 0)
    return source.expandtabs(TAB), start, _width(blamed, start)


def _end_of_code(source: str) -> int:
    """Byte column behind the last character of the line that is no comment."""
    quote = ""
    for index, char in enumerate(source):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char == "#":
            source = source[:index]
            break
    return len(source.rstrip().encode())


def _width(text: str, column: int) -> int:
    """The display column behind `text` that starts at `column`."""
    for char in text:
        if char == "\t":
            column += TAB - column % TAB
        else:
            column += 2 if _is_wide(char) else 1
    return column


def _is_wide(char: str) -> bool:
    if char < "\u1100":
        return False
    import unicodedata

    return unicodedata.east_asian_width(char) in "WF"


def near(name: str, candidates) -> str:
    """'did you mean ...?' for the candidates that look like `name`, else an empty text."""
    import difflib

    found = difflib.get_close_matches(name, list(candidates), n=3, cutoff=0.6)
    return f"did you mean {' or '.join(found)}?" if found else ""


# -- calls of our decorators in the user's source ------------------------------------------------

_PACKAGE = os.path.dirname(os.path.abspath(__file__))


def caller_place() -> Place | None:
    """Where the innermost caller outside numjit stands: the range of its present call."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return None
    code = frame.f_code
    positions = list(code.co_positions())
    line, end_line, column, end_column = positions[frame.f_lasti // 2]
    if line is None:
        line = frame.f_lineno
    return Place(
        code.co_filename,
        "" if code.co_name == "<module>" else code.co_qualname,
        code.co_firstlineno,
        line,
        end_line or line,
        -1 if column is None else column,
        -1 if end_column is None else end_column,
    )


def is_ours(filename: str) -> bool:
    """Whether a code object's file belongs to the numjit package."""
    return filename.startswith((_PACKAGE + os.sep, "<numjit"))


def place_within(place: Place, wanted: str) -> Place | None:
    """The place narrowed to the only occurrence of `wanted` in its text, None without one."""
    last = max(place.line, place.end_line)
    found = []
    for number in range(place.line, last + 1):
        raw = linecache.getline(place.filename, number).encode()
        first = place.column if number == place.line and place.column >= 0 else 0
        end = place.end_column if number == last and place.end_column >= 0 else len(raw)
        text = raw[first:end]
        at = text.find(wanted.encode())
        while at >= 0:
            found.append((number, first + at))
            at = text.find(wanted.encode(), at + 1)
    if len(found) != 1:
        return None
    number, column = found[0]
    return place._replace(
        line=number, end_line=number, column=column, end_column=column + len(wanted.encode())
    )
