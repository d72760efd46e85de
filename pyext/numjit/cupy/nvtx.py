"""Ranges for profilers. Without NVIDIA's library for them nothing is marked."""

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


def RangePush(message, id_color=-1):
    if _library() is not None:
        _library().nvtxRangePushA(message.encode())


RangePushC = RangePush


def RangePop():
    if _library() is not None:
        _library().nvtxRangePop()


def Mark(message, id_color=-1):
    if _library() is not None:
        _library().nvtxMarkA(message.encode())


MarkC = Mark
