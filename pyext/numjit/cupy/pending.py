"""What waits to be computed, so that it can be computed in time: before an operand is overwritten,
and before somebody waits for a stream.

There are two kinds: arrays whose elements have no memory yet, and memory that is to be overwritten
(`Buffer.write`). Lists of both that hold no references are C++ (pyext/gpu/lazy.cpp); what nobody
holds is never computed.
"""

from __future__ import annotations

import contextlib
import weakref

from numjit import _core
from numjit.cuda.cudadrv.devices import get_context

from . import nodes
from .current import _current, at_place
from .evaluate import store, turn

#: So many arrays may wait; then the oldest are computed.
_MOST = 64

mode = _current
_failed = weakref.WeakValueDictionary()  # arrays by their ids: evaluate_all() has raised for them


class Buffer(_core.Buffer):
    """Memory that arrays share, and what is to be written to it: `target`, a device array in it,
    `write`, the node for its elements, and the `place` (context and stream) to write them in."""

    __slots__ = ()


@contextlib.contextmanager
def eager(on=True):
    """A context in which each operation is computed at once."""
    before, mode.eager = mode.eager, on
    try:
        yield
    finally:
        mode.eager = before


def compute_oldest(array):
    """Computes half of what waits, but for an array."""
    for other in _core.waiting_arrays()[: _MOST // 2]:
        if other is not array:
            other._force()


def wait_to_write(buffer, target, node):
    """Notes that the elements of `target` are to become those of a node."""
    buffer.target, buffer.write, buffer.place = target, node, _current.place
    if mode.eager or buffer.exposed:
        flush(buffer)


def flush(buffer):
    """Writes what is to be written."""
    if buffer.write is None:
        return
    with turn:
        target, node = buffer.target, buffer.write
        if node is None:
            return
        buffer.target = buffer.write = None
        if buffer.place == _current.place:
            store(node, target, buffer.root)
        else:
            with at_place(buffer.place):
                store(node, target, buffer.root)


def compute_readers(root):
    """Computes the arrays that wait and read memory which is about to change."""
    if not _core.is_read(root):
        return
    for array in _core.waiting_arrays():
        if array._buffer is None and _reads(array._node, root):
            array._force()
    for buffer in _core.waiting_buffers():
        if buffer.root is not root and buffer.write is not None and _reads(buffer.write, root):
            flush(buffer)


def _reads(node, root):
    return any(leaf.root is root for leaf in nodes.leaves(node))


def asked_bytes():
    """Bytes of the arrays on this thread's device that were asked for by themselves, as by zeros(),
    and have no memory yet."""
    first = get_context().device.id == 0
    # Of the first device also those of threads that had no context yet, whose number is 0.
    here = (_current.place >> 48, 0) if first else (_current.place >> 48,)
    return sum(array.nbytes for array in _core.waiting_arrays() if _is_asked(array._node, here))


def _is_asked(node, contexts):
    if node.kind != nodes.OPERATION or node.place >> 48 not in contexts:
        return False
    return all(each.kind == nodes.SCALAR for each in node.operands)


def compute_waiting():
    """Computes everything that waits and is held by somebody, each in the stream where it was asked
    for; returns the arrays that cannot be computed, with their errors. What other threads are
    computing meanwhile is launched, too, when it returns."""
    for buffer in _core.waiting_buffers():
        flush(buffer)
    failed = []
    for array in _core.waiting_arrays():
        try:
            array._force()
        except Exception as error:
            failed.append((array, error.with_traceback(None)))  # which would hold the array
    with turn:  # what is being written no longer waits, and may not be launched yet
        pass
    return failed


def evaluate_all(*_):
    """Computes everything that waits. An array that cannot be computed is told of once here, and
    whenever it is looked at."""
    errors = [error for array, error in compute_waiting() if _is_new(array)]
    if errors:
        raise errors[0]


def _is_new(array):
    """Whether evaluate_all() has not raised for an array that cannot be computed."""
    known = _failed.get(id(array)) is array
    _failed[id(array)] = array
    return not known


def evaluate_at_end(kind, error, traceback):
    """evaluate_all() in `__exit__`: what the block raised is what its caller hears of."""
    try:
        evaluate_all()
    except Exception:
        if error is None:
            raise
