"""bytes and bytearray: conversion from and to text, operators, methods."""

import numpy as np

from ..core.intrinsics import call_runtime, is_text, new_bytearray, new_bytes, new_string, set_byte
from ..core.registry import function
from .lists import slice_bounds
from .strings import _TO_THE_END, find


@function("String.encode")
def encode(self, encoding="utf-8", errors="strict"):
    codec = codec_of(encoding, errors)
    if codec == "utf-8":
        return new_bytes(call_runtime("nj_str_encode", self))
    else:
        end = 128 if codec == "ascii" else 256
        made = bytearray(len(self))
        n = 0
        for character in self:
            code = ord(character)
            if code < end:
                made[n] = code
            elif errors == "replace":
                made[n] = ord("?")
            elif errors == "ignore":
                continue
            else:
                raise ValueError(f"{codec} cannot encode character {code:#x} at position {n}")
            n += 1
        return bytes(made[:n])


@function("Bytes.decode")
@function("ByteArray.decode")
def decode(self, encoding="utf-8", errors="strict"):
    codec = codec_of(encoding, errors)
    if codec == "utf-8":
        return new_string(call_runtime("nj_str_decode", self))
    else:
        end = 128 if codec == "ascii" else 256
        characters = []
        for i in range(len(self)):
            if self[i] < end:
                characters.append(chr(self[i]))
            elif errors == "replace":
                characters.append("\ufffd")
            elif errors != "ignore":
                raise ValueError(f"{codec} cannot decode byte {self[i]:#x} at position {i}")
        return "".join(characters)


def codec_of(encoding, errors):
    """The name of one of three codecs."""
    name = encoding.lower().replace("_", "-")
    if name == "utf-8" or name == "utf8":
        if errors != "strict":
            raise LookupError("compiled code supports only the error handler 'strict' of utf-8")
        return "utf-8"
    if name == "ascii" or name == "us-ascii":
        known = "ascii"
    elif name == "latin-1" or name == "latin1" or name == "iso-8859-1" or name == "iso8859-1":
        known = "latin-1"
    else:
        raise LookupError("compiled code supports only the encodings utf-8, ascii and latin-1")
    if errors != "strict" and errors != "ignore" and errors != "replace":
        raise LookupError("compiled code supports the error handlers strict, ignore and replace")
    return known


@function("Bytes.index")
@function("ByteArray.index")
def index_in_bytes(self, sub, start=0, end=None):
    found = find(self, sub, start, end)
    if found < 0:
        raise ValueError("subsection not found")
    return found


@function("Bytes.hex")
@function("ByteArray.hex")
def hex_of(self, sep=None, bytes_per_sep=1):
    digits = "0123456789abcdef"
    if sep is None:
        text = ""
        for byte in self:
            text += digits[byte >> 4] + digits[byte & 15]
        return text
    else:
        between = separator(sep)
        n, group = len(self), abs(bytes_per_sep)
        first = n % group if bytes_per_sep > 0 else 0
        text = ""
        for i in range(n):
            if i > 0 and group > 0 and (i - first) % group == 0:
                text += between
            text += digits[self[i] >> 4] + digits[self[i] & 15]
        return text


def separator(sep):
    """Of digits of bytes: one character of ASCII."""
    if len(sep) != 1:
        raise ValueError("sep must be length 1.")
    code = ord(sep) if is_text(sep) else sep[0]
    if code > 127:
        raise ValueError("sep must be ASCII.")
    return chr(code)


@function("builtins.bytes.fromhex")
def bytes_from_hex(string, /):
    return bytes(bytearray_from_hex(string))


@function("builtins.bytearray.fromhex")
def bytearray_from_hex(string, /):
    result = bytearray(len(string) // 2)
    n = i = 0
    while i < len(string):
        if string[i].isspace() and ord(string[i]) < 128:
            i += 1
            continue
        high = hex_digit(ord(string[i]))
        low = hex_digit(ord(string[i + 1])) if i + 1 < len(string) else -1
        if high < 0 or low < 0:
            at = i if high < 0 else i + 1
            raise ValueError(f"non-hexadecimal number found in fromhex() arg at position {at}")
        result[n] = high * 16 + low
        n += 1
        i += 2
    return result[:n]


def hex_digit(code):
    """The value of a hexadecimal digit; -1 of another character."""
    if 48 <= code <= 57:
        return code - 48
    elif 97 <= (code | 32) <= 102:
        return (code | 32) - 87
    else:
        return -1


@function("Bytes.translate")
def translate_bytes(self, table, /, delete=b""):
    return bytes(translated_bytes(self, table, delete))


@function("ByteArray.translate")
def translate_bytearray(self, table, /, delete=b""):
    return translated_bytes(self, table, delete)


def translated_bytes(data, table, delete):
    if table is not None and len(table) != 256:
        raise ValueError("translation table must be 256 characters long")
    result = bytearray(len(data))
    n = 0
    for byte in data:
        if byte not in delete:
            result[n] = byte if table is None else table[byte]
            n += 1
    return result[:n]


@function("builtins.bytes.maketrans")
@function("builtins.bytearray.maketrans")
def maketrans_of_bytes(frm, to, /):
    if len(frm) != len(to):
        raise ValueError("maketrans arguments must have same length")
    table = bytearray(256)
    for i in range(256):
        table[i] = i
    for i in range(len(frm)):
        table[frm[i]] = to[i]
    return bytes(table)


@function("operator.add", operands=("Bytes", "Bytes"))
def add_bytes(a, b):
    return new_bytes(call_runtime("nj_str_concat", a, b))


@function("operator.add", operands=("ByteArray", "ByteArray"))
@function("operator.add", operands=("ByteArray", "Bytes"))
def add_bytearrays(a, b):
    return new_bytearray(call_runtime("nj_str_concat", a, b))


@function("operator.mul", operands=("Bytes", "Integer"))
def mul_bytes(a, n):
    return new_bytes(call_runtime("nj_str_repeat", a, n))


@function("operator.mul", operands=("ByteArray", "Integer"))
def mul_bytearray(a, n):
    return new_bytearray(call_runtime("nj_str_repeat", a, n))


@function("operator.mul", operands=("Integer", "Bytes"))
def rmul_bytes(n, a):
    return mul_bytes(a, n)


@function("operator.mul", operands=("Integer", "ByteArray"))
def rmul_bytearray(n, a):
    return mul_bytearray(a, n)


@function("operator.eq", operands=("Bytes", "Bytes"))
@function("operator.eq", operands=("Bytes", "ByteArray"))
@function("operator.eq", operands=("ByteArray", "Bytes"))
@function("operator.eq", operands=("ByteArray", "ByteArray"))
def eq_bytes(a, b):
    return len(a) == len(b) and call_runtime("nj_str_equal", a, b)


@function("operator.ne", operands=("Bytes", "Bytes"))
@function("operator.ne", operands=("Bytes", "ByteArray"))
@function("operator.ne", operands=("ByteArray", "Bytes"))
@function("operator.ne", operands=("ByteArray", "ByteArray"))
def ne_bytes(a, b):
    return not eq_bytes(a, b)


@function("operator.lt", operands=("Bytes", "Bytes"))
@function("operator.lt", operands=("Bytes", "ByteArray"))
@function("operator.lt", operands=("ByteArray", "Bytes"))
@function("operator.lt", operands=("ByteArray", "ByteArray"))
def lt_bytes(a, b):
    return call_runtime("nj_str_compare", a, b) < 0


@function("operator.gt", operands=("Bytes", "Bytes"))
@function("operator.gt", operands=("Bytes", "ByteArray"))
@function("operator.gt", operands=("ByteArray", "Bytes"))
@function("operator.gt", operands=("ByteArray", "ByteArray"))
def gt_bytes(a, b):
    return lt_bytes(b, a)


@function("operator.le", operands=("Bytes", "Bytes"))
@function("operator.le", operands=("Bytes", "ByteArray"))
@function("operator.le", operands=("ByteArray", "Bytes"))
@function("operator.le", operands=("ByteArray", "ByteArray"))
def le_bytes(a, b):
    return not lt_bytes(b, a)


@function("operator.ge", operands=("Bytes", "Bytes"))
@function("operator.ge", operands=("Bytes", "ByteArray"))
@function("operator.ge", operands=("ByteArray", "Bytes"))
@function("operator.ge", operands=("ByteArray", "ByteArray"))
def ge_bytes(a, b):
    return not lt_bytes(a, b)


@function("Bytes.__contains__")
@function("ByteArray.__contains__")
def contains_byte(self, item):
    if isinstance(item, (bytes, bytearray)):
        return call_runtime("nj_str_find", self, item, 0, _TO_THE_END, 0) >= 0
    else:
        for byte in self:
            if byte == item:
                return True
        return False


@function("Bytes.__hash__")
def hash_of_bytes(self):
    return call_runtime("nj_str_hash", self)


@function("ByteArray.__setitem__")
def set_item(self, index, value):
    if isinstance(index, slice):
        set_part(self, index, bytes(value))
        return
    n = len(self)
    at = index + n if index < 0 else index
    if at < 0 or at >= n:
        raise IndexError("bytearray index out of range")
    if value < 0 or value > 255:
        raise ValueError("byte must be in range(0, 256)")
    set_byte(self, at, value)


def set_part(self, part, values):
    start, step, count = slice_bounds(part, len(self))
    if step != 1 and len(values) != count:
        raise ValueError(
            f"attempt to assign bytes of size {len(values)} to extended slice of size {count}"
        )
    if len(values) != count:
        raise BufferError("a bytearray keeps its length in compiled code")
    for i in range(count):
        set_byte(self, start + i * step, values[i])


@function("builtins.bytes")
def make_bytes(source=0, encoding=None, errors="strict"):
    if is_text(source):
        if encoding is None:
            raise TypeError("string argument without an encoding")
        return encode(source, encoding, errors)
    elif isinstance(source, (bytes, bytearray)):
        return new_bytes(call_runtime("nj_str_repeat", source, 1))
    else:
        return bytes(bytearray(source))


@function("builtins.bytearray")
def make_bytearray(source=0, encoding=None, errors="strict"):
    if is_text(source):
        return bytearray(bytes(source, encoding, errors))
    elif isinstance(source, (bytes, bytearray)):
        return new_bytearray(call_runtime("nj_str_repeat", source, 1))
    elif isinstance(source, np.ndarray):
        return bytearray(source.tobytes())
    elif isinstance(source, int):
        if source < 0:
            raise ValueError("negative count")
        return new_bytearray(call_runtime("nj_str_repeat", b"\0", source))
    else:
        values = list(source)
        made = bytearray(len(values))
        for i in range(len(values)):
            made[i] = values[i]
        return made
