"""Errors and warnings of the compiler: it calls `make_error`, with places as plain tuples."""

from __future__ import annotations

import warnings

from numjit import errors, suggestions
from numjit.places import Place, caller_place, is_ours

REPORT = (
    "this is a bug of numjit; please report it with the program and the output of\n"
    "python -m numjit dump FILE.py::function --types '(...)' --stage typed"
)


def make_error(cls_name: str, message: str, places=(), hint: str = "") -> Exception:
    """The exception of a CompileError of the compiler (what _core.set_error_maker installs)."""
    cls = getattr(errors, cls_name, None)
    if not (isinstance(cls, type) and issubclass(cls, errors.NumbaError)):
        cls = errors.NumbaError
    if cls is errors.RequireLiteralValue:  # whose name Numba's reports have
        message = f"{cls.__name__}: {message}"
    places = [Place(*place) for place in places]
    if places and all(is_ours(place.filename) for place in places):
        # Of no use to users: a function of ours that stands between theirs and the compiler.
        caller = caller_place()
        places = [caller] if caller else places
    places = [suggestions.pinned(place, message) for place in places]
    if issubclass(cls, errors.InternalError):
        hint = hint or REPORT
    else:
        hint = suggestions.near_hint(message, places) or hint
    return errors.make_exception(cls, message, places, hint)


class DeferredError(BaseException):
    """Stands for an error of the compiler until a call reaches the place where it is: no handler
    of a program's takes it."""


def deferred_error(cls_name: str, message: str, places: tuple, hint: str) -> type:
    """A class that makes the error."""
    error = make_error(cls_name, message, places, hint)
    return type("DeferredError", (DeferredError,), {"__new__": lambda cls: error})


def warn_user(message: str, category: type[Warning]) -> None:
    """Warns at the innermost caller outside numjit."""
    place = caller_place()
    if place is None:
        warnings.warn(message, category, stacklevel=2)
    else:
        warnings.warn_explicit(message, category, place.filename, place.line)


def warn_of_order(reason: str, filename: str, line: int) -> None:
    """A loop over prange runs in one thread."""
    warnings.warn_explicit(
        f"loop over prange runs in one thread: {reason}",
        errors.NumbaParallelSafetyWarning,
        filename,
        line,
    )


_integers_warned: set = set()


def warn_of_integers(message: str, filename: str, line: int) -> None:
    """config.warn_int_to_float: once for each line of the user's."""
    if (filename, line) not in _integers_warned:
        _integers_warned.add((filename, line))
        warnings.warn_explicit(message, errors.NumbaTypeSafetyWarning, filename, line)
