"""Sequences of launches that are captured from a stream and replayed: cupy.cuda.Graph."""

from __future__ import annotations

import ctypes
import os
import tempfile
import weakref

from numjit.cuda.cudadrv import devices, driver
from numjit.cuda.cudadrv.error import CudaAPIError

from . import current
from .driver_calls import on_a_gpu
from .pending import evaluate_all

GLOBAL, THREAD_LOCAL, RELAXED = range(3)


class Graph:
    """What was captured. The arrays that it reads and writes are to be kept while it is used."""

    def __init__(self, graph):
        calls = on_a_gpu("graphs")
        context = devices.get_context()
        self.graph = graph
        self.graphExec = calls.get("cuGraphInstantiateWithFlags", ctypes.c_void_p, graph, 0)
        for name, handle in (("cuGraphExecDestroy", self.graphExec), ("cuGraphDestroy", graph)):
            weakref.finalize(self, driver.pending.add, context, calls, name, handle).atexit = False

    def launch(self, stream=None):
        """Replays it in a stream."""
        evaluate_all()
        on_a_gpu("graphs")("cuGraphLaunch", self.graphExec, _handle(stream))

    def upload(self, stream=None):
        """Prepares a launch."""
        on_a_gpu("graphs")("cuGraphUpload", self.graphExec, _handle(stream))

    def debug_dot_str(self, flags=0):
        """What it launches, in the language of Graphviz."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "graph.dot")
            on_a_gpu("graphs")("cuGraphDebugDotPrint", self.graph, os.fsencode(path), flags)
            with open(path, encoding="utf-8") as file:
                return file.read()


def _handle(stream):
    return (current.handle() if stream is None else stream.ptr) or None


def begin(stream, mode=None):
    """Captures what is launched in a stream from now on."""
    if not stream.ptr:
        raise RuntimeError("cannot capture on the default (legacy) stream")
    begin_capture(stream.ptr, RELAXED if mode is None else mode)


def begin_capture(handle, mode):
    calls = on_a_gpu("graphs")
    evaluate_all()  # what was asked for before is no part of it
    calls("cuStreamBeginCapture_v2", handle or None, mode)
    current.capturing.add(handle)


def end(stream):
    """The Graph of what was launched since begin()."""
    try:
        graph = Graph(end_capture(stream.ptr))
    except CudaAPIError:
        driver.forget_callbacks(driver.captured_callbacks(stream.ptr))
        raise
    numbers = driver.captured_callbacks(stream.ptr)
    weakref.finalize(graph, driver.forget_callbacks, numbers).atexit = False
    return graph


def end_capture(handle):
    """The address of the graph of what was launched since begin_capture()."""
    evaluate_all()
    graph = ctypes.c_void_p()
    try:
        on_a_gpu("graphs")("cuStreamEndCapture", handle or None, ctypes.byref(graph))
    finally:
        current.capturing.discard(handle)
    return graph.value


def is_capturing(stream):
    return on_a_gpu("graphs").is_capturing(stream.ptr)
