"""What waits to be computed, so that it can be computed in time: before an operand is overwritten,
and before somebody waits for a stream.

There are two kinds: arrays whose elements have no memory yet, and memory that is to be overwritten
(`Buffer.write`). Both are found here through weak references; what has none left is never
computed.
"""

from __future__ import annotations

import contextlib
import threading
import weakref

from . import nodes
from .current import _current, in_stream

#: So many arrays may wait; then the oldest are computed.
_MOST = 64

_arrays: dict[int, weakref.ref] = {}
_buffers: dict[int, weakref.ref] = {}
lock = threading.RLock()


class _Mode(threading.local):
    eager = False


mode = _Mode()


class Buffer:
    """Memory that arrays share, and what is to be written to it."""

    __slots__ = ("root", "target", "write", "exposed", "stream", "__weakref__")

    def __init__(self, root, exposed=False):
        self.root, self.exposed = root, exposed
        # A device array in it, the node for its elements, and the stream to write them in.
        self.target = self.write = self.stream = None


class _Reference(weakref.ref):
    """A reference to an array or a buffer that waits."""

    __slots__ = ("key",)


def _gone_array(reference):
    _arrays.pop(reference.key, None)


def _gone_buffer(reference):
    _buffers.pop(reference.key, None)


@contextlib.contextmanager
def eager(on=True):
    """A context in which each operation is computed at once."""
    before, mode.eager = mode.eager, on
    try:
        yield
    finally:
        mode.eager = before


def wait(array):
    """Notes an array that has no memory yet, and its node that it stands for it."""
    reference = _Reference(array, _gone_array)
    array._node.owner = reference
    reference.key = key = id(array)
    _arrays[key] = reference
    if mode.eager:
        array._force()
    elif len(_arrays) > _MOST:
        for reference in list(_arrays.values())[: _MOST // 2]:
            other = reference()
            if other is not None and other is not array:
                other._force()


def done(array):
    _arrays.pop(id(array), None)


def wait_to_write(buffer, target, node):
    """Notes that the elements of `target` are to become those of a node."""
    buffer.target, buffer.write, buffer.stream = target, node, _current.handle
    reference = _Reference(buffer, _gone_buffer)
    reference.key = key = id(buffer)
    _buffers[key] = reference
    if mode.eager or buffer.exposed:
        flush(buffer)


def flush(buffer):
    """Writes what is to be written."""
    if buffer.write is None:
        return
    from .evaluate import store

    with lock:
        target, node = buffer.target, buffer.write
        if node is None:
            return
        buffer.target = buffer.write = None
        _buffers.pop(id(buffer), None)
        if buffer.stream == _current.handle:
            store(node, target, buffer.root)
        else:
            with in_stream(buffer.stream):
                store(node, target, buffer.root)


def compute_readers(root):
    """Computes the arrays that wait and read memory which is about to change."""
    if not _arrays and not _buffers:
        return
    for reference in list(_arrays.values()):
        array = reference()
        if array is not None and array._buffer is None and _reads(array._node, root):
            array._force()
    for reference in list(_buffers.values()):
        buffer = reference()
        if buffer is not None and buffer.root is not root and buffer.write is not None:
            if _reads(buffer.write, root):
                flush(buffer)


def _reads(node, root):
    return any(leaf.root is root for leaf in nodes.leaves(node))


def evaluate_all(*_):
    """Computes everything that waits and is held by somebody, each in the stream where it was asked
    for."""
    if not _arrays and not _buffers:
        return
    for reference in list(_buffers.values()):
        buffer = reference()
        if buffer is not None:
            flush(buffer)
    for reference in list(_arrays.values()):
        array = reference()
        if array is not None:
            array._force()
