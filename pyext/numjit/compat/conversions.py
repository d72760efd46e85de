"""How well values of one type become those of another one, as typing callbacks ask."""

from __future__ import annotations

import enum

from numjit import types

__all__ = ["Conversion", "best_case", "conversion"]


class Conversion(enum.IntEnum):
    """The best is the least."""

    exact = 1
    promote = 2  #: to more bits of the same kind
    safe = 3  #: to another kind that has all values
    unsafe = 4
    nil = 99


def conversion(context, fromty, toty):
    """The Conversion of a type to another one; None if there is none."""
    if fromty == toty:
        return Conversion.exact
    for type_, name, other in (toty, "can_convert_from", fromty), (fromty, "can_convert_to", toty):
        found = hasattr(type_, name) and getattr(type_, name)(context, other)
        if found:
            return found
    for kinds, rule in _RULES.items():
        if isinstance(fromty, kinds[0]) and isinstance(toty, kinds[1]):
            return rule(context, fromty, toty)
    return None


def _of_literal(context, fromty, toty):
    least = Conversion.safe if isinstance(fromty, types.StringLiteral) else Conversion.promote
    return _worst([conversion(context, fromty.literal_type, toty)], least)


def _to_optional(context, fromty, toty):
    if fromty == types.none:
        return Conversion.promote
    return _worst([conversion(context, fromty, toty.type)], Conversion.promote)


def _of_optional(context, fromty, toty):
    return _worst([conversion(context, fromty.type, toty)], Conversion.safe)


def _between_optionals(context, fromty, toty):
    return conversion(context, fromty.type, toty.type)


def _of_tuple(context, fromty, toty):
    if len(fromty) != len(toty):
        return None
    least = Conversion.exact if len(fromty) else Conversion.safe
    return _worst([conversion(context, a, b) for a, b in zip(fromty, toty, strict=True)], least)


def _worst(conversions, least):
    return None if None in conversions else max([*conversions, least])


def _of_array(context, fromty, toty):
    fits = (
        (fromty.dtype, fromty.ndim) == (toty.dtype, toty.ndim)
        and toty.layout in ("A", fromty.layout)
        and fromty.mutable >= toty.mutable
        and fromty.aligned >= toty.aligned
    )
    return Conversion.safe if fits else None


def _of_number(context, fromty, toty):
    if isinstance(toty, types.Boolean):
        return Conversion.unsafe
    if isinstance(fromty, types.Boolean):
        return Conversion.safe
    if isinstance(fromty, types.Complex) and not isinstance(toty, types.Complex):
        return None
    if type(fromty) is type(toty) and getattr(fromty, "signed", 0) == getattr(toty, "signed", 0):
        return Conversion.promote if fromty.bitwidth < toty.bitwidth else Conversion.unsafe
    return Conversion.safe if _has_all_values(fromty, toty) else Conversion.unsafe


#: Bits of integers that floats of so many bits have exactly; Numba counts 64 among them.
_WHOLE_BITS = {16: 11, 32: 24, 64: 64}


def _has_all_values(fromty, toty):
    """Whether a number of another kind has the values of a type."""
    if isinstance(toty, types.Integer):  # of the other sign
        return isinstance(fromty, types.Integer) and toty.signed and fromty.bitwidth < toty.bitwidth
    bits = toty.bitwidth // 2 if isinstance(toty, types.Complex) else toty.bitwidth
    if isinstance(fromty, types.Float):
        return fromty.bitwidth <= bits
    return fromty.bitwidth <= _WHOLE_BITS[bits]


_NUMBERS = (types.Number, types.Boolean)
_RULES = {
    (types.Literal, types.Type): _of_literal,
    (types.Optional, types.Optional): _between_optionals,
    (types.Type, types.Optional): _to_optional,
    (types.Optional, types.Type): _of_optional,
    (types.BaseTuple, types.BaseTuple): _of_tuple,
    (types.Array, types.Array): _of_array,
    (_NUMBERS, _NUMBERS): _of_number,
}


def best_case(context, name, cases, args, allow_ambiguous=True, unsafe_casting=True):
    """The signature that arguments of types are converted to with the least loss, the first one of
    several; None if none takes them."""
    rated = []
    for case in cases:
        found = [conversion(context, a, b) for a, b in zip(args, case.args)]
        refused = None in found or (Conversion.unsafe in found and not unsafe_casting)
        if len(case.args) == len(args) and not refused:
            rating = [found.count(kind) for kind in reversed(Conversion) if kind > Conversion.exact]
            rated.append((rating, case))
    if not rated:
        return None
    best = min(rating for rating, _ in rated)
    equal = [case for rating, case in rated if rating == best]
    if len(equal) > 1 and not allow_ambiguous:
        shown = "\n".join(map(str, equal))
        raise TypeError(f"Ambiguous overloading for {name} ({', '.join(map(str, args))}):\n{shown}")
    return equal[0]
