"""What error reports take from the Python objects of the program: near names, and the place
of a definition or parameter where the compiler only knows the function."""

from __future__ import annotations

import ast
import builtins
import linecache
import re
import sys

from numjit.places import Place, near

_UNDEFINED = re.compile(r"name '(\w+)' is not defined")
_NO_ATTRIBUTE = re.compile(r"Unknown attribute '(\w+)' of type module ([\w.]+)")
_NO_FIELD = re.compile(r"Unknown attribute '(\w+)' of type [\w.]+\((\w+: .*)\)")
_FIELD = re.compile(r"(?:^|, )(\w+): ")
_NOT_CALLED = re.compile(r"BoundFunction\('[\w.]*?(\w+)' for")
_ARGUMENT = re.compile(r"\(argument '(\w+)' of ")
_DEFINITION = re.compile(r"\s*(async\s+)?def\s+\w+|.*\blambda\b")


def near_hint(message: str, places: list[Place]) -> str:
    """A hint with names like the one that isn't there; empty if there are none."""
    found = _NO_ATTRIBUTE.match(message)
    if found:
        module = sys.modules.get(found[2])
        return near(found[1], [name for name in dir(module) if name[:1] != "_"]) if module else ""
    found = _NO_FIELD.match(message)
    if found:
        fields = _FIELD.findall(found[2])
        return near(found[1], fields) or (
            "of an object of a plain class, compiled code sees the attributes whose values have a "
            f"type there: {', '.join(fields)}"
        )
    found = _UNDEFINED.match(message)
    if found and places:
        names = _names_around(places[0]) | {name for name in dir(builtins) if name[:1] != "_"}
        return near(found[1], names - {found[1]})
    found = _NOT_CALLED.search(message)
    if found:
        return f"it is a method: call it, .{found[1]}()"
    return ""


def _names_around(place: Place) -> set[str]:
    """Names that the function binds, and those that its file binds at its top level."""
    try:
        tree = ast.parse("".join(linecache.getlines(place.filename)))
    except SyntaxError:
        return set()
    names = _bound(tree.body)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and _first_line(node) == place.first_line:
            names |= _bound(node.body)
            names |= {item.arg for item in ast.walk(node.args) if isinstance(item, ast.arg)}
    return names


def _first_line(node: ast.FunctionDef) -> int:
    return min([node.lineno, *(item.lineno for item in node.decorator_list)])


def _bound(body: list[ast.stmt]) -> set[str]:
    names = set()
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            names.add(statement.name)
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            names |= {(item.asname or item.name).partition(".")[0] for item in statement.names}
        else:
            names |= {
                node.id
                for node in ast.walk(statement)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            }
    return names


def pinned(place: Place, message: str) -> Place:
    """A place without columns in a function's first line blames the definition: its `def` line
    rather than a decorator, and the parameter that the message names."""
    if place.column >= 0 or place.line != place.first_line:
        return place
    for number in range(place.line, place.line + 50):
        text = linecache.getline(place.filename, number)
        if not text:
            return place
        if _DEFINITION.match(text):
            break
    else:
        return place
    argument = _ARGUMENT.search(message)
    if argument:
        for line in range(number, number + 20):
            text = linecache.getline(place.filename, line)
            found = re.search(rf"[(,\s*]({argument[1]})\s*[,:=)]", text)
            if found:
                start = len(text[: found.start(1)].encode())
                end = start + len(argument[1].encode())
                return place._replace(line=line, end_line=line, column=start, end_column=end)
    return place._replace(line=number, end_line=number)
