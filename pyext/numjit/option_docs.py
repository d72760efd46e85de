"""Lists the options of decorators in their signatures and docstrings."""

from __future__ import annotations

import inspect

#: Options that mean nothing where machine code is what is asked for.
NOT_OF_FIXED_TYPES = ("nopython", "forceobj", "looplift")


def shown(rows):
    """The rows for users; the others are there for programs written for Numba's internals."""
    return [row for row in rows if not row.name.startswith(("_", "no_"))]


def annotation_of(row) -> str:
    """What an option takes, in the words of type checkers."""
    return row.check.__annotations__["value"]


def text_of(rows) -> str:
    """A paragraph for each option."""
    lines = ["Options:"]
    for row in shown(rows):
        lines += ["", f"{row.name}: {annotation_of(row)} = {row.default!r}", f"    {row.doc}"]
    return "\n".join(lines)


def with_options(rows, like=None, left_out=()):
    """Gives a decorator that takes `**options` those of `rows`. It has the positional parameters of
    `like`, or its own."""

    def decorate(decorator):
        own = inspect.signature(decorator)
        parameters = [
            each
            for each in inspect.signature(like or decorator).parameters.values()
            if each.kind is each.POSITIONAL_OR_KEYWORD
        ]
        names = {each.name for each in parameters} | set(left_out)
        wanted = [row for row in rows if row.name not in left_out]
        parameters += [
            inspect.Parameter(row.name, inspect.Parameter.KEYWORD_ONLY, default=row.default)
            for row in shown(wanted)
            if row.name not in names
        ]
        decorator.__signature__ = own.replace(parameters=parameters)
        text = inspect.cleandoc(decorator.__doc__)
        decorator.__doc__ = f"{text}\n\n{text_of(wanted)}\n"
        return decorator

    return decorate
