"""Signatures, in every form that the decorators take.

int32(int32, int32)        a Signature
"int32(int32, int32)"      its text, see numjit.signature_text
(int32, int32)             argument types; the result is inferred
[sig, sig, ...]            several
"""

from __future__ import annotations

from numjit.errors import SignatureError
from numjit.places import caller_place
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


def _invalid(value, why):
    place = caller_place()
    return SignatureError(
        f"invalid signature: {value!r} (type: {type(value).__name__!r}) {why}",
        places=[place] if place else [],
        hint="write it as result(arguments), e.g. float64(float64, int64), "
        "or as a tuple of argument types",
    )
