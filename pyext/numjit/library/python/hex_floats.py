"""Floats of hexadecimal digits."""

import math

from ..core.registry import function
from .bytes_methods import hex_digit


@function("builtins.float.fromhex")
def float_from_hex(string, /):
    """Digits beyond 60 bits count as a bit below: what is half way between two floats rounds to the
    even one, as strtod does."""
    text = string.strip().lower()
    n, i = len(text), 0
    sign = -1.0 if text.startswith("-") else 1.0
    if text.startswith(("-", "+")):
        i = 1
    if text[i:] == "inf" or text[i:] == "infinity":
        return sign * math.inf
    if text[i:] == "nan":
        return math.nan
    if text[i:].startswith("0x"):
        i += 2
    mantissa, exponent, digits, sticky, point = 0, 0, 0, False, False
    while i < n and (text[i] == "." or hex_digit(ord(text[i])) >= 0):
        if text[i] == ".":
            if point:
                raise ValueError("invalid hexadecimal floating-point string")
            point = True
        else:
            digits += 1
            digit = hex_digit(ord(text[i]))
            if mantissa >> 56 == 0:
                mantissa = mantissa << 4 | digit
                exponent -= 4 if point else 0
            else:
                sticky = sticky or digit > 0
                exponent += 0 if point else 4
        i += 1
    if digits == 0:
        raise ValueError("invalid hexadecimal floating-point string")
    if i < n:
        if text[i] != "p" or not is_signed_number(text[i + 1 :]):
            raise ValueError("invalid hexadecimal floating-point string")
        exponent += max(-(1 << 40), min(1 << 40, int(text[i + 1 : i + 18])))
    return sign * rounded_to_float(mantissa, exponent, sticky)


def is_signed_number(text):
    first = 1 if text.startswith(("+", "-")) else 0
    for i in range(first, len(text)):
        if text[i] < "0" or text[i] > "9":
            return False
    return len(text) > first


def rounded_to_float(mantissa, exponent, sticky):
    """mantissa * 2**exponent, and a bit more if `sticky`."""
    bits = mantissa.bit_length()
    if bits == 0:
        return 0.0
    drop = max(bits - 53, -1074 - exponent, 0)
    if drop > bits:
        return 0.0
    if drop > 0:
        rest = mantissa & ((1 << drop) - 1)
        half = 1 << (drop - 1)
        mantissa >>= drop
        if rest > half or (rest == half and (sticky or mantissa & 1)):
            mantissa += 1
        exponent += drop
    if mantissa.bit_length() + exponent > 1024:
        raise OverflowError("hexadecimal value too large to represent as a float")
    return math.ldexp(float(mantissa), exponent)
