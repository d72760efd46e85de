"""The stream that a thread works in."""

from __future__ import annotations

import contextlib
import threading

from numjit import _core
from numjit.cuda.cudadrv.devices import context_of_number
from numjit.cuda.cudadrv.driver import get_driver


class _Streams(threading.local):
    """The streams that were chosen, by the number of the context: each has its own."""

    def __init__(self):
        self.chosen = {}
        self.may_wait = True


_streams = _Streams()

#: Streams whose launches are captured; others may have joined one of them.
capturing: set[int] = set()


class DeviceSynchronized(RuntimeError):
    """The host waited where it was not allowed to."""


@contextlib.contextmanager
def allow_synchronize(allow):
    """A context in which arrays may be read by the host, or may not: that waits for the device."""
    before, _streams.may_wait = _streams.may_wait, bool(allow)
    try:
        yield
    finally:
        _streams.may_wait = before


def check_copies(handle: int) -> None:
    """Refuses to wait for the device where that is not allowed, and for a stream that captures,
    which would end its capture."""
    if not _streams.may_wait:
        raise DeviceSynchronized("the host waits for the device inside of allow_synchronize(False)")
    if capturing and handle and get_driver().is_capturing(handle):
        raise RuntimeError("the current stream is capturing: nothing can be copied to the host")


class _Current(_core.Current):
    """What this thread works in: `handle`, `place`, `context`, `eager`, and the stream's object."""

    __slots__ = ()

    @property
    def stream(self):
        """The object that was chosen; None: the default stream."""
        return _streams.chosen.get(self.context)

    @stream.setter
    def stream(self, value):
        _streams.chosen[self.context] = value


_current = _Current()


def handle() -> int:
    """The driver's handle of this thread's stream; 0 is the default one."""
    return _current.handle


def place() -> int:
    """The number of this thread's context and stream."""
    return _current.place


def choose(stream, number):
    """Makes a stream that of this thread; returns what was before."""
    before = _current.stream, _current.handle
    _current.stream, _current.handle = stream, number
    return before


def entered():
    """The streams of this thread's device that `with` has entered, the innermost last."""
    stacks = _streams.__dict__.setdefault("entered", {})
    return stacks.setdefault(_current.context, [])


def chosen():
    return _current.stream


@contextlib.contextmanager
def at_place(place):
    """Works in a context and stream (`_current.place` of then) for a while."""
    context = context_of_number(place >> 48)
    with contextlib.nullcontext() if context is None else context.entered():
        before, _current.handle = _current.handle, place & (1 << 48) - 1
        try:
            yield
        finally:
            _current.handle = before
