"""What programs take from Numba's `cpython.unicode` and `.charseq`: strings by their characters.

A string's kind is the size of its characters in bytes: 1, 2 or 4. These are for compiled code, but
for those that Python can do too.
"""

from __future__ import annotations

from numjit.extending import register_jitable
from numjit.library.core.intrinsics import call_runtime, new_string, set_code_point
from numjit.types import Bytes, uint8

__all__ = ["bytes_type"]

bytes_type = Bytes(uint8, 1, "C", readonly=True)

_MAX_UNICODE = 0x10FFFF


@register_jitable
def _get_code_point(a, i):
    """The number of a character of a string."""
    return ord(a[i])


@register_jitable
def _codepoint_is_ascii(ch):
    return ch < 0x80


@register_jitable
def _codepoint_to_kind(cp):
    """The kind of strings that hold a character; ValueError where there is none such."""
    if cp < 0x100:
        return 1
    if cp < 0x10000:
        return 2
    if cp > _MAX_UNICODE:
        raise ValueError("Invalid codepoint. Found value greater than Unicode maximum")
    return 4


@register_jitable
def _kind_to_byte_width(kind):
    return kind


@register_jitable
def _pick_kind(kind1, kind2):
    """The kind of strings that hold the characters of both kinds."""
    return max(kind1, kind2)


@register_jitable
def _empty_string(kind, length, is_ascii=0):
    """A string of so many characters, which are to be set."""
    filler = "\x00" if kind == 1 else "\u0100" if kind == 2 else "\U00010000"
    return new_string(call_runtime("nj_str_repeat", filler, length))


@register_jitable
def _set_code_point(a, i, ch):
    """Sets a character of a string that _empty_string() made."""
    set_code_point(a, i, ch)


@register_jitable
def _strncpy(dst, dst_offset, src, src_offset, n):
    """Copies characters to a string that _empty_string() made."""
    for i in range(n):
        set_code_point(dst, dst_offset + i, ord(src[src_offset + i]))
