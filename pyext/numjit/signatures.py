"""Signatures, in every form that the decorators take.

int32(int32, int32)        a Signature
"int32(int32, int32)"      its text, see numjit.signature_text
(int32, int32)             argument types; the result is inferred
[sig, sig, ...]            several
"""

from __future__ import annotations

import inspect

from numjit.errors import NumbaError, SignatureError
from numjit.places import Place, caller_place
from numjit.signature_text import parse_signature
from numjit.types import Type
from numjit.types.signature import Signature


def signature(return_type, *args, recvr=None) -> Signature:
    """Signature from its parts, under the name of numba.core.typing."""
    return Signature(return_type, args, recvr=recvr)


def is_signature(value) -> bool:
    """Whether the first argument of a decorator is one signature (not a list of them)."""
    return isinstance(value, Signature | str | tuple)


def normalize_signature(value) -> tuple[tuple, Type | None]:
    """(argument types, result type or None) of one signature in any form."""
    parsed = value
    if isinstance(value, str):
        parsed = parse_signature(value)
    if isinstance(parsed, Signature):
        return parsed.args, parsed.return_type
    if isinstance(parsed, tuple):
        for item in parsed:
            if not isinstance(item, Type):
                raise _invalid(value, f"holds {item!r}, which is no type")
        return parsed, None
    raise _invalid(value, f"evaluates to {type(parsed).__name__!r} instead of tuple or Signature")


def annotated_signature(function) -> Signature | tuple:
    """The signature that the annotations of a function are: annotations=True of the decorators. The
    result may be without one; then it is inferred."""
    from numjit.extending import as_numba_type

    try:
        annotations = inspect.get_annotations(function, eval_str=True)
    except Exception as error:
        raise _unread(function, f"{type(error).__name__}: {error}") from None
    types_ = {}
    for name, annotation in annotations.items():
        try:
            types_[name] = as_numba_type(annotation)
        except NumbaError:
            raise _unread(function, f"{name}: {annotation!r} says no type") from None
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    missing = [name for name in names if name not in types_]
    if code.co_flags & 0x0C or missing:
        raise _unread(function, f"{missing[0]} has none" if missing else "stars have no type")
    arguments = tuple(types_[name] for name in names)
    return Signature(types_["return"], arguments) if "return" in types_ else arguments


def _unread(function, why):
    code = function.__code__
    line = code.co_firstlineno
    place = Place(code.co_filename, code.co_qualname, line, line, line, -1, -1)
    return SignatureError(
        f"no signature can be made of the annotations of {function.__name__}(): {why}",
        places=[place],
        hint="annotate every parameter with a type such as float64[:], float or numpy.float32",
    )


def _invalid(value, why):
    place = caller_place()
    return SignatureError(
        f"invalid signature: {value!r} (type: {type(value).__name__!r}) {why}",
        places=[place] if place else [],
        hint="write it as result(arguments), e.g. float64(float64, int64), "
        "or as a tuple of argument types",
    )
