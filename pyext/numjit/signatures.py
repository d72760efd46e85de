"""Signatures, in every form that the decorators take.

int32(int32, int32)        a Signature
"int32(int32, int32)"      its text, see numjit.signature_text
(int32, int32)             argument types; the result is inferred
[sig, sig, ...]            several
"""

from __future__ import annotations

from numjit.types import Type


class Signature:
    """The types of the arguments and of the result of a function."""

    __slots__ = ("return_type", "args", "recvr", "pysig")

    def __init__(self, return_type, args, recvr=None, pysig=None):
        self.return_type = return_type
        self.args = tuple(args)
        self.recvr = recvr
        self.pysig = pysig
        for type_ in (*self.args, *([] if return_type is None else [return_type])):
            if not isinstance(type_, Type):
                raise TypeError(f"a signature is made of types, not of {type_!r}")

    def replace(self, **changes) -> Signature:
        """The same signature but for the fields given."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return Signature(**{**fields, **changes})

    def as_type(self):
        """The type of functions of this signature."""
        from numjit.types import FunctionType

        return FunctionType(self)

    def is_precise(self) -> bool:
        return all(type_.is_precise() for type_ in (*self.args, self.return_type))

    def __eq__(self, other):
        if not isinstance(other, Signature):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self):
        return hash((self.args, self.return_type))

    def _key(self):
        return self.args, self.return_type, self.recvr, self.pysig

    def __str__(self):
        return f"{self.args} -> {self.return_type}"

    __repr__ = __str__

    def __reduce__(self):
        return Signature, (self.return_type, self.args, self.recvr, self.pysig)


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
        from numjit.signature_text import parse_signature

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
    from numjit.diagnostics import caller_place
    from numjit.errors import SignatureError

    place = caller_place()
    return SignatureError(
        f"invalid signature: {value!r} (type: {type(value).__name__!r}) {why}",
        places=[place] if place else [],
        hint="write it as result(arguments), e.g. float64(float64, int64), "
        "or as a tuple of argument types",
    )
