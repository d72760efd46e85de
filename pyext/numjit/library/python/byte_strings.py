"""Methods of bytes and bytearrays, whose characters are those of ASCII."""

from ..core.intrinsics import call_runtime, new_bytearray
from ..core.registry import function
from .strings import check_separator, endswith, find, rfind, startswith

_SPACE = b" \t\n\r\x0b\x0c"


def as_made(self, made):
    """What a method of bytes or of a bytearray returns, of a bytearray."""
    return bytes(made) if isinstance(self, bytes) else made


def both(name):
    """Registers a method for bytes and bytearrays."""
    return lambda routine: function(f"Bytes.{name}")(function(f"ByteArray.{name}")(routine))


def is_space_byte(c):
    return c == 32 or (9 <= c and c <= 13)


def is_upper_byte(c):
    return 65 <= c and c <= 90


def is_lower_byte(c):
    return 97 <= c and c <= 122


def is_letter(c):
    return is_upper_byte(c) or is_lower_byte(c)


def is_digit_byte(c):
    return 48 <= c and c <= 57


def every_byte(self, holds):
    for c in self:
        if not holds(c):
            return False
    return len(self) > 0


@both("isalpha")
def isalpha_bytes(self):
    return every_byte(self, is_letter)


@both("isdigit")
def isdigit_bytes(self):
    return every_byte(self, is_digit_byte)


@both("isalnum")
def isalnum_bytes(self):
    return every_byte(self, lambda c: is_letter(c) or is_digit_byte(c))


@both("isspace")
def isspace_bytes(self):
    return every_byte(self, is_space_byte)


@both("isascii")
def isascii_bytes(self):
    return len(self) == 0 or every_byte(self, lambda c: c < 128)


def has_case_only(self, other):
    """Whether there are letters, none of them of the other case."""
    found = False
    for c in self:
        if other(c):
            return False
        found = found or is_letter(c)
    return found


@both("islower")
def islower_bytes(self):
    return has_case_only(self, is_upper_byte)


@both("isupper")
def isupper_bytes(self):
    return has_case_only(self, is_lower_byte)


@both("istitle")
def istitle_bytes(self):
    found = False
    inside = False
    for c in self:
        if is_letter(c):
            if is_upper_byte(c) == inside:
                return False
            found = True
        inside = is_letter(c)
    return found


def with_case(self, wants_upper):
    """A copy in which wants_upper(byte, the one before) gives each letter's case."""
    out = bytearray(self)
    before = 0
    for i in range(len(self)):
        c = self[i]
        if is_letter(c):
            out[i] = (c & 223) if wants_upper(c, before, i) else (c | 32)
        before = c
    return as_made(self, out)


@both("upper")
def upper_bytes(self):
    return with_case(self, lambda c, before, i: True)


@both("lower")
def lower_bytes(self):
    return with_case(self, lambda c, before, i: False)


@both("swapcase")
def swapcase_bytes(self):
    return with_case(self, lambda c, before, i: is_lower_byte(c))


@both("capitalize")
def capitalize_bytes(self):
    return with_case(self, lambda c, before, i: i == 0)


@both("title")
def title_bytes(self):
    return with_case(self, lambda c, before, i: not is_letter(before))


def skip_bytes(self, chars, from_end):
    if chars is None:
        return call_runtime("nj_str_skip", self, _SPACE, from_end)
    else:
        return call_runtime("nj_str_skip", self, chars, from_end)


@both("strip")
def strip_bytes(self, chars=None):
    start = skip_bytes(self, chars, 0)
    return self[start : max(start, skip_bytes(self, chars, 1))]


@both("lstrip")
def lstrip_bytes(self, chars=None):
    return self[skip_bytes(self, chars, 0) :]


@both("rstrip")
def rstrip_bytes(self, chars=None):
    return self[: skip_bytes(self, chars, 1)]


@both("removeprefix")
def removeprefix_bytes(self, prefix):
    return self[len(prefix) if startswith(self, prefix) else 0 :]


@both("removesuffix")
def removesuffix_bytes(self, suffix):
    return self[: len(self) - len(suffix) if endswith(self, suffix) else len(self)]


@both("rindex")
def rindex_bytes(self, sub, start=0, end=None):
    found = rfind(self, sub, start, end)
    if found < 0:
        raise ValueError("subsection not found")
    return found


@both("partition")
def partition_bytes(self, sep):
    check_separator(sep)
    at = find(self, sep)
    if at < 0:
        return self[:], self[:0], self[:0]
    return self[:at], self[at : at + len(sep)], self[at + len(sep) :]


@both("rpartition")
def rpartition_bytes(self, sep):
    check_separator(sep)
    at = rfind(self, sep)
    if at < 0:
        return self[:0], self[:0], self[:]
    return self[:at], self[at : at + len(sep)], self[at + len(sep) :]


def split_at_space(self, maxsplit):
    parts = []
    end = len(self)
    at = 0
    while True:
        while at < end and is_space_byte(self[at]):
            at += 1
        if at == end:
            return parts
        if maxsplit == 0:
            parts.append(self[at:])
            return parts
        start = at
        while at < end and not is_space_byte(self[at]):
            at += 1
        parts.append(self[start:at])
        maxsplit -= 1


def rsplit_at_space(self, maxsplit):
    parts = []
    at = len(self)
    while True:
        while at > 0 and is_space_byte(self[at - 1]):
            at -= 1
        if at == 0:
            break
        if maxsplit == 0:
            parts.append(self[:at])
            break
        end = at
        while at > 0 and not is_space_byte(self[at - 1]):
            at -= 1
        parts.append(self[at:end])
        maxsplit -= 1
    parts.reverse()
    return parts


@both("split")
def split_bytes(self, sep=None, maxsplit=-1):
    if sep is None:
        return split_at_space(self, maxsplit)
    else:
        check_separator(sep)
        parts = []
        start = 0
        at = find(self, sep)
        while at >= 0 and maxsplit != 0:
            parts.append(self[start:at])
            start = at + len(sep)
            at = find(self, sep, start)
            maxsplit -= 1
        parts.append(self[start:])
        return parts


@both("rsplit")
def rsplit_bytes(self, sep=None, maxsplit=-1):
    if sep is None:
        return rsplit_at_space(self, maxsplit)
    else:
        check_separator(sep)
        parts = []
        end = len(self)
        at = rfind(self, sep)
        while at >= 0 and maxsplit != 0:
            parts.append(self[at + len(sep) : end])
            end = at
            at = rfind(self, sep, 0, end)
            maxsplit -= 1
        parts.append(self[:end])
        parts.reverse()
        return parts


@both("splitlines")
def splitlines_bytes(self, keepends=False):
    parts = []
    start = 0
    end = len(self)
    while start < end:
        at = start
        while at < end and self[at] != 10 and self[at] != 13:
            at += 1
        behind = min(at + 1, end)
        if at + 1 < end and self[at] == 13 and self[at + 1] == 10:
            behind += 1
        parts.append(self[start : behind if keepends else at])
        start = behind
    return parts


@both("replace")
def replace_bytes(self, old, new, count=-1):
    made = new_bytearray(call_runtime("nj_str_replace", self, old, new, count))
    return as_made(self, made)


@both("join")
def join_bytes(self, iterable):
    items = [x for x in iterable]  # noqa: C416 - in the subset only the display has a type
    n = len(self) * max(len(items) - 1, 0)
    for x in items:
        n += len(x)
    out = bytearray(n)
    at = 0
    for i, x in enumerate(items):
        if i > 0:
            for c in self:
                out[at] = c
                at += 1
        for c in x:
            out[at] = c
            at += 1
    return as_made(self, out)


def pad_bytes(self, left, right, fillchar):
    if len(fillchar) != 1:
        raise TypeError("the fill character must be a byte string of length 1")
    padded = new_bytearray(call_runtime("nj_str_pad", self, left, right, fillchar[0]))
    return as_made(self, padded)


@both("ljust")
def ljust_bytes(self, width, fillchar=b" "):
    return pad_bytes(self, 0, width - len(self), fillchar)


@both("rjust")
def rjust_bytes(self, width, fillchar=b" "):
    return pad_bytes(self, width - len(self), 0, fillchar)


@both("center")
def center_bytes(self, width, fillchar=b" "):
    missing = max(width - len(self), 0)
    left = missing // 2 + (missing & width & 1)
    return pad_bytes(self, left, missing - left, fillchar)


@both("zfill")
def zfill_bytes(self, width):
    missing = width - len(self)
    if len(self) > 0 and missing > 0 and (self[0] == 43 or self[0] == 45):  # + or -
        return self[:1] + pad_bytes(self[1:], missing, 0, b"0")
    return pad_bytes(self, missing, 0, b"0")


@both("expandtabs")
def expandtabs_bytes(self, tabsize=8):
    out = new_bytearray(call_runtime("nj_str_expandtabs", self, tabsize))
    return as_made(self, out)
