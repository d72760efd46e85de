"""The stream that a thread works in."""

from __future__ import annotations

import contextlib
import threading

from numjit import _core


class _Streams(threading.local):
    stream = None


_streams = _Streams()


class _Current(_core.Current):
    """What this thread works in: `handle`, `eager`, and the stream's object."""

    __slots__ = ()

    @property
    def stream(self):
        """The object that was chosen; None: the default stream."""
        return _streams.stream

    @stream.setter
    def stream(self, value):
        _streams.stream = value


_current = _Current()


def handle() -> int:
    """The driver's handle of this thread's stream; 0 is the default one."""
    return _current.handle


def choose(stream, number):
    """Makes a stream that of this thread; returns what was before."""
    before = _current.stream, _current.handle
    _current.stream, _current.handle = stream, number
    return before


def chosen():
    return _current.stream


@contextlib.contextmanager
def in_stream(number):
    """Works in the stream with a handle for a while."""
    before, _current.handle = _current.handle, number
    try:
        yield
    finally:
        _current.handle = before
