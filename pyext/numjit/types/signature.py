"""Signatures: the types of a function, made by calling the type of its result."""

from __future__ import annotations

from .abstract import Type
from .misc import FunctionType


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


Type._signature_class = Signature
