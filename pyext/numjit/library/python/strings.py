"""Methods and operators of strings and bytes.

Most are thin covers of functions of the runtime (``runtime/strings.h``), which work on characters
of any size; parts of a string are views of it.
"""

import numpy as np

from ..core.intrinsics import (
    call_runtime,
    code_point,
    is_text,
    latin1,
    new_string,
    part,
    refuse,
    string_list,
)
from ..core.registry import function

_TO_THE_END = 9223372036854775807

# What nj_str_is and nj_str_convert take, in the order of runtime/strings.h.
_IS_ALPHA, _IS_DECIMAL, _IS_DIGIT, _IS_NUMERIC, _IS_ALNUM, _IS_SPACE = range(6)
_IS_PRINTABLE, _IS_LOWER, _IS_UPPER, _IS_TITLE, _IS_ASCII, _IS_IDENTIFIER = range(6, 12)
_UPPER, _LOWER, _TITLE, _CAPITALIZED, _SWAPPED, _FOLDED = range(6)


def bound(given, default):
    """``start`` or ``end`` of a search, which may be None."""
    return default if given is None else given


# -- operators -----------------------------------------------------------------------------------


@function("operator.add", operands=("String", "String"))
def add(a, b):
    return new_string(call_runtime("nj_str_concat", a, b))


@function("operator.mul", operands=("String", "Integer"))
def mul(s, n):
    return new_string(call_runtime("nj_str_repeat", s, n))


@function("operator.mul", operands=("Integer", "String"))
def rmul(n, s):
    return mul(s, n)


@function("String.__hash__")
def hash_of(self):
    return call_runtime("nj_str_hash", self)


@function("String.__int__")
def to_int(self, base):
    return call_runtime("nj_str_to_int", self, base)


@function("String.__float__")
def to_float(self):
    return call_runtime("nj_str_to_double", self)


@function("String.__complex__")
def to_complex(self):
    """What complex() reads: a real part, an imaginary one, or both, perhaps in parentheses."""
    text = strip(self)
    if len(text) > 1 and text[0] == "(" and text[len(text) - 1] == ")":
        text = strip(text[1 : len(text) - 1])
    n = len(text)
    for i in range(n):
        if text[i].isspace():
            raise ValueError("complex() arg is a malformed string")
    if n == 0 or (text[n - 1] != "j" and text[n - 1] != "J"):
        return complex(part_of_complex(text), 0.0)
    at = n - 2
    while at > 0 and not ((text[at] == "+" or text[at] == "-") and text[at - 1] not in "eE"):
        at -= 1
    at = max(at, 0)
    real = part_of_complex(text[:at]) if at > 0 else 0.0
    imag = text[at : n - 1]
    if imag == "" or imag == "+" or imag == "-":
        return complex(real, -1.0 if imag == "-" else 1.0)
    return complex(real, part_of_complex(imag))


def part_of_complex(text):
    try:
        return float(text)
    except ValueError:
        raise ValueError("complex() arg is a malformed string")  # noqa: B904


@function("String.translate")
def translate(self, table, /):
    """The table is a dict of code points, or a string; what it holds are of one type."""
    parts = []
    for c in self:
        code = ord(c)
        if isinstance(table, dict):
            if code in table:
                parts.append(translation(table[code]))
            else:
                parts.append(c)
        else:
            parts.append(translation(table[code]) if code < len(table) else c)
    return "".join(parts)


def translation(x):
    if x is None:
        return ""
    elif isinstance(x, int):
        return chr(x)
    else:
        return x


@function("builtins.str.maketrans")
def maketrans(x, y=None, z=None, /):
    """With characters to delete, these and all others are strings in the table."""
    if y is None:
        if not isinstance(x, dict):
            raise TypeError("if you give only one argument to maketrans it must be a dict")
        table = {}
        for key in x:
            table[key if isinstance(key, int) else ord(key)] = x[key]
        return table
    else:
        if len(x) != len(y):
            raise ValueError("the first two maketrans arguments must have equal length")
        table = {}
        for i in range(len(x)):
            table[ord(x[i])] = ord(y[i]) if z is None else y[i]
        if z is not None:
            for c in z:
                table[ord(c)] = ""
        return table


@function("builtins.chr")
def chr(i):
    if 0 <= i and i < 256:
        return latin1(i)
    return new_string(call_runtime("nj_str_chr", i))


@function("numjit.one_character")
def one_character(text):
    if len(text) != 1:
        raise TypeError("%c requires int or char")
    return text


@function("numjit.whole_part")
def whole_part(x):
    if x - x != 0.0:
        if x != x:
            raise ValueError("cannot convert float NaN to integer")
        raise OverflowError("cannot convert float infinity to integer")
    return np.trunc(x) + 0.0  # -0.0 is the integer 0


# -- searching -----------------------------------------------------------------------------------


def sought(self, sub):
    """What is looked for: in bytes, a number is a byte."""
    if isinstance(sub, int) and isinstance(self, (bytes, bytearray)):
        if sub < 0 or sub > 255:
            raise ValueError("byte must be in range(0, 256)")
        return bytes((sub,))
    else:
        return sub


@function("String.find")
@function("Bytes.find")
@function("ByteArray.find")
def find(self, sub, start=0, end=None):
    return call_runtime(
        "nj_str_find", self, sought(self, sub), bound(start, 0), bound(end, _TO_THE_END), 0
    )


@function("String.rfind")
@function("Bytes.rfind")
@function("ByteArray.rfind")
def rfind(self, sub, start=0, end=None):
    return call_runtime(
        "nj_str_find", self, sought(self, sub), bound(start, 0), bound(end, _TO_THE_END), 1
    )


@function("String.index")
def index(self, sub, start=0, end=None):
    found = find(self, sub, start, end)
    if found < 0:
        raise ValueError("substring not found")
    return found


@function("String.rindex")
def rindex(self, sub, start=0, end=None):
    found = rfind(self, sub, start, end)
    if found < 0:
        raise ValueError("substring not found")
    return found


@function("String.count")
@function("Bytes.count")
@function("ByteArray.count")
def count(self, sub, start=0, end=None):
    return call_runtime(
        "nj_str_count", self, sought(self, sub), bound(start, 0), bound(end, _TO_THE_END)
    )


def matches(self, texts, start, end, at_end):
    if isinstance(texts, tuple):
        for text in texts:
            if call_runtime("nj_str_matches", self, text, start, end, at_end):
                return True
        return False
    else:
        return call_runtime("nj_str_matches", self, texts, start, end, at_end)


@function("String.startswith")
@function("Bytes.startswith")
@function("ByteArray.startswith")
def startswith(self, prefix, start=0, end=None):
    return matches(self, prefix, bound(start, 0), bound(end, _TO_THE_END), 0)


@function("String.endswith")
@function("Bytes.endswith")
@function("ByteArray.endswith")
def endswith(self, suffix, start=0, end=None):
    return matches(self, suffix, bound(start, 0), bound(end, _TO_THE_END), 1)


# -- splitting and joining -----------------------------------------------------------------------


def split_at(self, sep, maxsplit, from_end):
    if sep is None:
        space = part("", 0, -1)  # of length -1
        return string_list(call_runtime("nj_str_split", self, space, maxsplit, from_end))
    else:
        return string_list(call_runtime("nj_str_split", self, sep, maxsplit, from_end))


@function("String.split")
def split(self, sep=None, maxsplit=-1):
    return split_at(self, sep, maxsplit, 0)


@function("String.rsplit")
def rsplit(self, sep=None, maxsplit=-1):
    return split_at(self, sep, maxsplit, 1)


@function("String.splitlines")
def splitlines(self, keepends=False):
    return string_list(call_runtime("nj_str_splitlines", self, keepends))


def check_separator(sep):
    if len(sep) == 0:
        raise ValueError("empty separator")


@function("String.partition")
def partition(self, sep):
    check_separator(sep)
    n = len(self)
    at = find(self, sep)
    if at < 0:
        return self, part(self, n, n), part(self, n, n)
    return part(self, 0, at), sep, part(self, at + len(sep), n)


@function("String.rpartition")
def rpartition(self, sep):
    check_separator(sep)
    n = len(self)
    at = rfind(self, sep)
    if at < 0:
        return part(self, 0, 0), part(self, 0, 0), self
    return part(self, 0, at), sep, part(self, at + len(sep), n)


@function("String.join")
def join(self, iterable):
    if isinstance(iterable, tuple) and len(iterable) == 0:
        return part(self, 0, 0)
    elif isinstance(iterable, list):
        return joined(self, iterable)
    else:
        return joined(self, [x for x in iterable])  # noqa: C416


def joined(self, items):
    for item in items:
        if not is_text(item):
            return joined_of_given(self, items)
        break
    return new_string(call_runtime("nj_str_join", self, items, len(items)))


def joined_of_given(self, items):
    """Of items that may be None, which is an error."""
    texts = []
    for i in range(len(items)):
        item = items[i]
        if item is None:
            raise TypeError(f"sequence item {i}: expected str instance, NoneType found")
        elif isinstance(item, (int, float, complex, bytes, tuple, list, dict, set, np.ndarray)):
            return refuse("join() needs strings: make them of the items first, str(x)")
        else:
            texts.append(item + "")
    return new_string(call_runtime("nj_str_join", self, texts, len(texts)))


@function("String.replace")
def replace(self, old, new, count=-1):
    return new_string(call_runtime("nj_str_replace", self, old, new, count))


# -- stripping and padding -----------------------------------------------------------------------


def skip(self, chars, from_end):
    """The first position of what stays, or the one behind it."""
    if chars is None:
        return call_runtime("nj_str_skip", self, part("", 0, -1), from_end)
    else:
        return call_runtime("nj_str_skip", self, chars, from_end)


@function("String.strip")
def strip(self, chars=None):
    start = skip(self, chars, 0)
    return part(self, start, max(start, skip(self, chars, 1)))


@function("String.lstrip")
def lstrip(self, chars=None):
    return part(self, skip(self, chars, 0), len(self))


@function("String.rstrip")
def rstrip(self, chars=None):
    return part(self, 0, skip(self, chars, 1))


@function("String.removeprefix")
def removeprefix(self, prefix):
    return part(self, len(prefix) if startswith(self, prefix) else 0, len(self))


@function("String.removesuffix")
def removesuffix(self, suffix):
    return part(self, 0, len(self) - len(suffix) if endswith(self, suffix) else len(self))


def fill_character(fillchar):
    if len(fillchar) != 1:
        raise TypeError("The fill character must be exactly one character long")
    return code_point(fillchar, 0)


def pad(self, left, right, fill):
    return new_string(call_runtime("nj_str_pad", self, left, right, fill))


@function("String.ljust")
def ljust(self, width, fillchar=" "):
    return pad(self, 0, width - len(self), fill_character(fillchar))


@function("String.rjust")
def rjust(self, width, fillchar=" "):
    return pad(self, width - len(self), 0, fill_character(fillchar))


@function("String.center")
def center(self, width, fillchar=" "):
    missing = max(width - len(self), 0)
    left = missing // 2 + (missing & width & 1)
    return pad(self, left, missing - left, fill_character(fillchar))


@function("String.zfill")
def zfill(self, width):
    n = len(self)
    missing = width - n
    if n > 0 and missing > 0:
        first = code_point(self, 0)
        if first == 43 or first == 45:  # + or -
            zeros = pad(part(self, 1, n), missing, 0, 48)
            return add(part(self, 0, 1), zeros)
    return pad(self, missing, 0, 48)


@function("String.expandtabs")
def expandtabs(self, tabsize=8):
    return new_string(call_runtime("nj_str_expandtabs", self, tabsize))


# -- case ----------------------------------------------------------------------------------------


@function("String.upper")
def upper(self):
    return new_string(call_runtime("nj_str_convert", self, _UPPER))


@function("String.lower")
def lower(self):
    return new_string(call_runtime("nj_str_convert", self, _LOWER))


@function("String.title")
def title(self):
    return new_string(call_runtime("nj_str_convert", self, _TITLE))


@function("String.capitalize")
def capitalize(self):
    return new_string(call_runtime("nj_str_convert", self, _CAPITALIZED))


@function("String.swapcase")
def swapcase(self):
    return new_string(call_runtime("nj_str_convert", self, _SWAPPED))


@function("String.casefold")
def casefold(self):
    return new_string(call_runtime("nj_str_convert", self, _FOLDED))


# -- questions -----------------------------------------------------------------------------------


@function("String.isalpha")
def isalpha(self):
    return call_runtime("nj_str_is", self, _IS_ALPHA)


@function("String.isdecimal")
def isdecimal(self):
    return call_runtime("nj_str_is", self, _IS_DECIMAL)


@function("String.isdigit")
def isdigit(self):
    return call_runtime("nj_str_is", self, _IS_DIGIT)


@function("String.isnumeric")
def isnumeric(self):
    return call_runtime("nj_str_is", self, _IS_NUMERIC)


@function("String.isalnum")
def isalnum(self):
    return call_runtime("nj_str_is", self, _IS_ALNUM)


@function("String.isspace")
def isspace(self):
    return call_runtime("nj_str_is", self, _IS_SPACE)


@function("String.isprintable")
def isprintable(self):
    return call_runtime("nj_str_is", self, _IS_PRINTABLE)


@function("String.islower")
def islower(self):
    return call_runtime("nj_str_is", self, _IS_LOWER)


@function("String.isupper")
def isupper(self):
    return call_runtime("nj_str_is", self, _IS_UPPER)


@function("String.istitle")
def istitle(self):
    return call_runtime("nj_str_is", self, _IS_TITLE)


@function("String.isascii")
def isascii(self):
    return call_runtime("nj_str_is", self, _IS_ASCII)


@function("String.isidentifier")
def isidentifier(self):
    return call_runtime("nj_str_is", self, _IS_IDENTIFIER)


@function("String.__str__")
def text(self):
    return self


@function("numjit.escape_non_ascii", inline=False)
def escape_non_ascii(text):
    """``ascii(x)``, from ``repr(x)``."""
    if text.isascii():
        return text
    return "".join([c if c.isascii() else ascii(c)[1:-1] for c in text])


# -- texts of containers -------------------------------------------------------------------------


@function("List.__repr__")
def repr_of_list(self):
    return "[" + ", ".join([repr(x) for x in self]) + "]"


@function("LiteralDict.__repr__")
def repr_of_literal_dict(self):
    return "{}" if len(self) == 0 else repr_of_dict(self)


@function("Dict.__repr__")
def repr_of_dict(self):
    return "{" + ", ".join([f"{key!r}: {value!r}" for key, value in self.items()]) + "}"


@function("Set.__repr__")
def repr_of_set(self):
    if len(self) == 0:
        return "set()"
    return "{" + ", ".join([repr(x) for x in self]) + "}"


@function("FrozenSet.__repr__")
def repr_of_frozen_set(self):
    if len(self) == 0:
        return "frozenset()"
    return "frozenset({" + ", ".join([repr(x) for x in self]) + "})"


@function("Range.__repr__")
def repr_of_range(self):
    start, stop, step = self.start, self.stop, self.step
    return f"range({start}, {stop})" if step == 1 else f"range({start}, {stop}, {step})"


@function("Bytes.__repr__")
def repr_of_bytes(self):
    return new_string(call_runtime("nj_bytes_repr", self, False))


@function("ByteArray.__repr__")
def repr_of_bytearray(self):
    return "bytearray(" + new_string(call_runtime("nj_bytes_repr", self, True)) + ")"
