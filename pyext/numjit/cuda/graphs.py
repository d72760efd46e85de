"""Graphs: launches that are recorded once, and then repeated with the cost of one.

with cuda.graph() as steps:
    advance[blocks, threads, steps.stream](x, y)
    advance[blocks, threads, steps.stream](y, x)
for _ in range(1000):
    steps.launch()
"""

from __future__ import annotations

import contextlib
import threading

from .api import current_context
from .cudadrv import driver

_recording = threading.local()


class Graph:
    """What is launched in a stream between the begin and the end of the context that this is. The
    arrays that its kernels were given must stay alive; their elements are those of each launch."""

    def __init__(self, stream=None):
        self._context = current_context()
        self.stream = self._context.create_stream() if stream is None else stream
        self._executable, self._launches = None, None

    def __enter__(self):
        if self._executable is not None or self._launches is not None:
            raise RuntimeError("a graph records once")
        if driver.simulated():
            if getattr(_recording, "launches", None) is not None:
                raise RuntimeError("a graph is being recorded in this thread")
            self._launches = _recording.launches = []
        else:
            driver.get_driver().begin_capture(driver.stream_handle(self.stream))
        return self

    def __exit__(self, kind, error, place):
        if driver.simulated():
            _recording.launches = None
            return
        try:
            self._executable = driver.get_driver().end_capture(driver.stream_handle(self.stream))
        except driver.CudaAPIError:
            if kind is None:
                raise

    def launch(self, stream=None):
        """Runs it again, in a stream: that of the recording, if none is given."""
        if self._launches is not None:
            for each in self._launches:
                each()
            return
        if self._executable is None:
            raise RuntimeError("the graph has recorded nothing yet")
        handle = driver.stream_handle(self.stream if stream is None else stream)
        driver.get_driver().launch_graph(self._executable, handle)

    __call__ = launch

    def __del__(self):
        if getattr(self, "_executable", None) is not None:
            with contextlib.suppress(Exception):
                destroy = driver.get_driver().destroy_graph
                driver.pending.add(self._context, destroy, self._executable)


def graph(stream=None):
    """A context that records launches: see Graph."""
    return Graph(stream)


def recorded(launch):
    """In the simulator: whether a launch was recorded instead of being made."""
    launches = getattr(_recording, "launches", None)
    if launches is None:
        return False
    launches.append(launch)
    return True
