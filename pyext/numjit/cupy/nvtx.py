"""Ranges for profilers (NVTX)."""

from __future__ import annotations

import contextlib
import ctypes
import functools


@functools.cache
def _library():
    for name in ("libnvToolsExt.so.1", "libnvToolsExt.so"):
        with contextlib.suppress(OSError):
            return ctypes.CDLL(name)
    return None


def __getattr__(name):
    """`available`: whether there is the library, without which ranges mark nothing."""
    if name == "available":
        return _library() is not None
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def RangePush(message, id_color=-1):
    if _library() is not None:
        _library().nvtxRangePushA(message.encode())


RangePushC = RangePush


def RangePop():
    if _library() is not None:
        _library().nvtxRangePop()


def RangeStart(message, id_color=-1):
    """Begins a range that may end in another thread; returns its number."""
    if _library() is None:
        return 0
    _library().nvtxRangeStartA.restype = ctypes.c_uint64
    return _library().nvtxRangeStartA(message.encode())


def RangeEnd(range_id):
    if _library() is not None:
        _library().nvtxRangeEnd(ctypes.c_uint64(range_id))


def Mark(message, id_color=-1):
    if _library() is not None:
        _library().nvtxMarkA(message.encode())


MarkC = Mark
