"""Types and signatures from text: "int32(int32, int32)", "void(f8[:, ::1], Tuple((i8, f8)))".

The text is a Python expression over the names of numjit.types, read as a syntax tree and never
executed. Every error points at the part of the text that is wrong: in the user's source when the
text stands there in one piece, else in the text itself.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from typing import NamedTuple

from numjit import types
from numjit.errors import SignatureError, SignatureNameError
from numjit.places import Place, caller_place, near, place_within
from numjit.types import Signature


class _Bad(Exception):
    def __init__(self, message, node, hint="", cls=SignatureError):
        super().__init__(message)
        self.message, self.node, self.hint, self.cls = message, node, hint, cls


class _Range(NamedTuple):
    """Stands in for a node where Python itself refuses the text."""

    col_offset: int
    end_col_offset: int
    lineno: int = 1


EXAMPLE = "a signature reads result(arguments), e.g. 'float64(float64[:], int64)'"


@functools.lru_cache(maxsize=512)
def _cached(text: str):
    return _evaluate(_tree(text))


def parse_type(text: str):
    """The type, Signature or tuple of types that the text names."""
    try:
        return _cached(text)
    except _Bad as bad:
        raise _located(text, bad) from None


def parse_signature(text: str) -> Signature | tuple:
    """As parse_type, but the text must name a Signature or a tuple of types."""
    try:
        tree = _tree(text)
        value = _cached(text)
        if isinstance(value, Signature | tuple):
            return value
        raise _Bad(
            f"invalid signature: {text!r} (type: 'str') evaluates to {type(value).__name__!r} "
            "instead of tuple or Signature",
            tree,
            f"for one argument write '({text.strip()},)'; {EXAMPLE}"
            if not text.strip().startswith("(")
            else f"a tuple of one type needs a comma: '({text.strip('() ')},)'",
        )
    except _Bad as bad:
        raise _located(text, bad) from None


def _tree(text: str) -> ast.expr:
    try:
        return ast.parse(text.strip(" \t"), mode="eval").body
    except SyntaxError as error:
        start = max((error.offset or 1) - 1, 0)
        end = (error.end_offset or 0) - 1
        where = _Range(start, end if end > start else start + 1, error.lineno or 1)
        raise _Bad(f"signature text: {error.msg}", where, EXAMPLE) from None
    except ValueError as error:  # null bytes
        raise _Bad(f"signature text: {error}", _Range(0, len(text)), EXAMPLE) from None


# -- meaning of the tree --------------------------------------------------------------------------


def _evaluate(node: ast.AST):
    rule = _RULES.get(type(node))
    if rule is None:
        raise _Bad("this is not part of a signature", node, EXAMPLE)
    return rule(node)


def _name(node: ast.Name):
    if node.id.startswith("_") or not hasattr(types, node.id):
        raise _unknown(node.id, node)
    return getattr(types, node.id)


def _unknown(name, node):
    known = [
        n
        for n, value in vars(types).items()
        if isinstance(value, types.Type | type) and not n.startswith(("c_", "np_", "py_", "_"))
    ]
    hint = near(name, known) or "the names are those of numjit.types, e.g. int64, f8, Tuple"
    return _Bad(f"unknown type name {name!r} in a signature", node, hint, SignatureNameError)


def _attribute(node: ast.Attribute):
    """types.int64, numjit.types.int64, numba.int64, nb.int64, np.int64: the last name decides."""
    base = node.value
    while isinstance(base, ast.Attribute):
        base = base.value
    if not isinstance(base, ast.Name):
        raise _Bad("this is not part of a signature", node, EXAMPLE)
    if node.attr.startswith("_") or not hasattr(types, node.attr):
        raise _unknown(node.attr, node)
    return getattr(types, node.attr)


def _tuple(node: ast.Tuple):
    return tuple(_evaluate(item) for item in node.elts)


def _constant(node: ast.Constant):
    if node.value is None:
        return types.none
    return node.value


def _call(node: ast.Call):
    function = _evaluate(node.func)
    arguments = [_evaluate(item) for item in node.args]
    if isinstance(function, types.Type):
        if node.keywords:
            raise _Bad("a signature has no keyword arguments", node.keywords[0], EXAMPLE)
        for argument, source in zip(arguments, node.args):
            if not isinstance(argument, types.Type):
                raise _Bad("an argument of a signature must be a type", source, EXAMPLE)
        return Signature(function, arguments)
    if not (isinstance(function, type) and issubclass(function, types.Type)):
        raise _Bad("this cannot be called in a signature", node.func, EXAMPLE)
    keywords = {str(keyword.arg): _evaluate(keyword.value) for keyword in node.keywords}
    try:
        return function(*arguments, **keywords)
    except Exception as error:
        raise _Bad(f"{function.__name__}: {error}", node) from None


def _subscript(node: ast.Subscript):
    item = _evaluate(node.value)
    if item in (types.ListType, types.DictType, types.SetType):  # as they print: ListType[int64]
        inner = _evaluate(node.slice)
        return item(*inner) if isinstance(inner, tuple) else item(inner)
    if not isinstance(item, types.Type):
        raise _Bad("only types have axes, as in float64[:, ::1]", node, EXAMPLE)
    try:
        return item[_evaluate(node.slice)]
    except (KeyError, IndexError, TypeError) as error:
        raise _Bad(
            str(error.args[0]), node.slice, "axes are written [:], [:, :] or [:, ::1]"
        ) from None


def _slice(node: ast.Slice):
    parts = (node.lower, node.upper, node.step)
    return slice(*(None if part is None else _evaluate(part) for part in parts))


_RULES: dict[type, Callable] = {
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Tuple: _tuple,
    ast.List: _tuple,
    ast.Constant: _constant,
    ast.Call: _call,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
}


# -- where the error is ---------------------------------------------------------------------------


def _located(text: str, bad: _Bad) -> SignatureError:
    lines = text.strip(" \t").splitlines() or [""]
    row = min(max(bad.node.lineno, 1), len(lines)) - 1
    line = lines[row]
    start = bad.node.col_offset
    end = bad.node.end_col_offset
    if getattr(bad.node, "end_lineno", row + 1) != row + 1 or end is None:
        end = len(line.encode())
    # A caret behind the last character is fine in a terminal, and no place in a string.
    start = min(start, max(len(line.encode()) - 1, 0))
    caller = caller_place()
    place = caller and place_within(caller, line)
    if place:
        place = place._replace(end_column=place.column + max(end, start + 1))
        place = place._replace(column=place.column + start)
        return bad.cls(bad.message, places=[place], hint=bad.hint)
    place = Place("<signature>", "", 1, row + 1, row + 1, start, end, text=line)
    return bad.cls(bad.message, places=[place], hint=bad.hint)
