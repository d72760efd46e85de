"""bytes and bytearray: conversion from and to text, operators, methods."""

import numpy as np

from ..core.intrinsics import call_runtime, is_text, new_bytearray, new_bytes, new_string, set_byte
from ..core.registry import function
from .lists import slice_bounds
from .strings import _TO_THE_END, find


@function("String.encode")
def encode(self, encoding="utf-8", errors="strict"):
    codec = codec_of(encoding)
    if codec == "utf-8" and errors == "strict":
        return new_bytes(call_runtime("nj_str_encode", self))
    parts = [bytearray(0)]
    start = 0  # of what has no character that the codec lacks
    for i in range(len(self)):
        if lacks(codec, ord(self[i])):
            parts.append(encoded(codec, self[start:i]))
            parts.append(in_place_of_character(codec, errors, self, i))
            start = i + 1
    parts.append(encoded(codec, self[start:]))
    return b"".join(parts)


def lacks(codec, code):
    if codec == "utf-8":
        return 0xD800 <= code < 0xE000
    else:
        return code >= (128 if codec == "ascii" else 256)


def encoded(codec, text):
    """Bytes of characters that the codec has."""
    if codec == "utf-8":
        return bytearray(new_bytes(call_runtime("nj_str_encode", text)))
    made = bytearray(len(text))
    for i in range(len(text)):
        made[i] = ord(text[i])
    return made


def in_place_of_character(codec, errors, text, i):
    code = ord(text[i])
    if errors == "surrogateescape" and 0xDC80 <= code < 0xDD00:
        made = bytearray(1)
        made[0] = code - 0xDC00
        return made
    elif errors == "surrogatepass" and codec == "utf-8":
        made = bytearray(3)
        made[0] = 0xE0 | code >> 12
        made[1] = 0x80 | code >> 6 & 0x3F
        made[2] = 0x80 | code & 0x3F
        return made
    elif errors == "backslashreplace":
        return encoded("ascii", escaped(code))
    elif errors == "xmlcharrefreplace":
        return encoded("ascii", f"&#{code};")
    elif errors == "replace":
        return encoded("ascii", "?")
    elif errors == "ignore":
        return bytearray(0)
    check_handler(errors)
    raise ValueError(f"{codec} cannot encode character {code:#x} at position {i}")


def escaped(code):
    """The character as a literal of Python."""
    if code < 0x100:
        return f"\\x{code:02x}"
    elif code < 0x10000:
        return f"\\u{code:04x}"
    else:
        return f"\\U{code:08x}"


def check_handler(errors):
    if errors != "strict" and errors != "surrogateescape" and errors != "surrogatepass":
        raise LookupError(f"compiled code does not know the error handler {errors!r}")


@function("Bytes.decode")
@function("ByteArray.decode")
def decode(self, encoding="utf-8", errors="strict"):
    codec = codec_of(encoding)
    if codec == "utf-8" and errors == "strict":
        return new_string(call_runtime("nj_str_decode", self))
    parts = [""]
    i = start = 0  # of what is well formed
    while i < len(self):
        length = sequence_length(codec, self, i)
        if length > 0:
            i += length
        else:
            parts.append(decoded(codec, self, start, i))
            if errors == "surrogatepass" and codec == "utf-8" and is_surrogate(self, i):
                parts.append(chr(0xD000 | (self[i + 1] & 0x3F) << 6 | self[i + 2] & 0x3F))
                length = -3
            else:
                parts.append(in_place_of_bytes(codec, errors, self, i, -length))
            i -= length
            start = i
    parts.append(decoded(codec, self, start, i))
    return "".join(parts)


def sequence_length(codec, octets, i):
    """Of the bytes of one character; negative: how many do not begin one."""
    lead = octets[i]
    if lead < 0x80 or codec == "latin-1":
        return 1
    elif lead < 0xC2 or lead >= 0xF5 or codec == "ascii":
        return -1
    low = 0xA0 if lead == 0xE0 else (0x90 if lead == 0xF0 else 0x80)
    high = 0x9F if lead == 0xED else (0x8F if lead == 0xF4 else 0xBF)
    length = 2 if lead < 0xE0 else (3 if lead < 0xF0 else 4)
    for k in range(1, length):
        if i + k >= len(octets) or not low <= octets[i + k] <= high:
            return -k
        low, high = 0x80, 0xBF
    return length


def is_surrogate(octets, i):
    return (
        i + 2 < len(octets)
        and octets[i] == 0xED
        and octets[i + 1] & 0xE0 == 0xA0
        and octets[i + 2] & 0xC0 == 0x80
    )


def decoded(codec, octets, start, end):
    """The text of bytes that are well formed."""
    if codec == "utf-8":
        return new_string(call_runtime("nj_str_decode", octets[start:end]))
    return "".join([chr(octets[i]) for i in range(start, end)])


def in_place_of_bytes(codec, errors, octets, i, length):
    if errors == "surrogateescape":
        return "".join([chr(0xDC00 + octets[i + k]) for k in range(length)])
    elif errors == "backslashreplace":
        return "".join([escaped(octets[i + k]) for k in range(length)])
    elif errors == "replace":
        return "\ufffd"
    elif errors == "ignore":
        return ""
    elif errors == "xmlcharrefreplace" or errors == "namereplace":
        raise TypeError("don't know how to handle UnicodeDecodeError in error callback")
    check_handler(errors)
    raise ValueError(f"{codec} cannot decode byte {octets[i]:#x} at position {i}")


def codec_of(encoding):
    """The name of one of three codecs."""
    name = encoding.lower().replace("_", "-")
    if name == "utf-8" or name == "utf8":
        return "utf-8"
    elif name == "ascii" or name == "us-ascii":
        return "ascii"
    elif name == "latin-1" or name == "latin1" or name == "iso-8859-1" or name == "iso8859-1":
        return "latin-1"
    raise LookupError("compiled code supports only the encodings utf-8, ascii and latin-1")


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
