"""cupy.cuda.memory_hooks: objects that are told what memory pools do.

A hook hears of the memory that its thread asks for inside `with hook:`, and when that is given back
while there is a hook. Arrays that were made before are not reported.
"""

from __future__ import annotations

import json
import sys
import threading

from . import upcalls

_of_thread = threading.local()
_counted = threading.Lock()
entered = 0  #: how many hooks all threads are inside of


def current():
    """The hooks of this thread, the outermost first."""
    return tuple(getattr(_of_thread, "hooks", {}).values()) if entered else ()


def tell(hooks, event, **what):
    """Calls a method of hooks: malloc_preprocess, ..."""
    for hook in hooks:
        getattr(hook, event)(**what)


def _change(count):
    global entered
    with _counted:
        entered += count
    upcalls.choose_quick()


class MemoryHook:
    """A hook that does nothing: the base of others."""

    name = "MemoryHook"

    def __enter__(self):
        hooks = _of_thread.__dict__.setdefault("hooks", {})
        if self.name in hooks:
            raise KeyError(f"memory hook {self.name} already exists")
        upcalls.evaluate_all()  # what was asked for before gets its memory before
        _change(1)
        hooks[self.name] = self
        return self

    def __exit__(self, *exception):
        try:
            upcalls.evaluate_at_end(*exception)
        finally:
            _change(-1)
            del _of_thread.hooks[self.name]

    def alloc_preprocess(self, **what):
        """Before the driver is asked for memory: device_id, mem_size."""

    def alloc_postprocess(self, **what):
        """After that: device_id, mem_size, mem_ptr."""

    def malloc_preprocess(self, **what):
        """Before a pool is asked: device_id, size, mem_size."""

    def malloc_postprocess(self, **what):
        """After that: device_id, size, mem_size, mem_ptr, pmem_id."""

    def free_preprocess(self, **what):
        """Before memory is given back to its pool: device_id, mem_size, mem_ptr, pmem_id."""

    def free_postprocess(self, **what):
        """After that."""


class DebugPrintHook(MemoryHook):
    """Prints each event as a line of JSON."""

    name = "DebugPrintHook"

    def __init__(self, file=sys.stdout, flush=True):
        self.file, self.flush = file, flush

    def _print(self, hook, what):
        if "pmem_id" in what:
            what["pmem_id"] = hex(what["pmem_id"])
        print(json.dumps({"hook": hook, **what}), file=self.file, flush=self.flush)

    def alloc_postprocess(self, **what):
        self._print("alloc", what)

    def malloc_postprocess(self, **what):
        self._print("malloc", what)

    def free_postprocess(self, **what):
        self._print("free", what)


class _Line:
    """A line of a program that asked for memory, by itself or by what it called."""

    def __init__(self, text):
        self.text, self.used, self.acquired, self.inner = text, 0, 0, {}

    def print(self, file, max_depth, depth=0):
        sizes = f"({_readable(self.used)}, {_readable(self.acquired)})"
        print(f"{'  ' * depth}{self.text} {sizes}", file=file)
        if not max_depth or depth + 1 < max_depth:
            for each in self.inner.values():
                each.print(file, max_depth, depth + 1)


def _readable(size):
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1024 or unit == "GB":
            return f"{size:.2f}{unit}"
        size /= 1024
    return None


class LineProfileHook(MemoryHook):
    """Counts for each line how much it took of the pool, and the pool of the driver."""

    name = "LineProfileHook"

    def __init__(self, max_depth=0):
        self._max_depth, self._root = max_depth, _Line("_root")

    def malloc_preprocess(self, device_id, size, mem_size):
        for line in self._lines():
            line.used += mem_size

    def alloc_preprocess(self, device_id, mem_size):
        for line in self._lines():
            line.acquired += mem_size

    def _lines(self):
        """The lines that are being run, the outermost first, without those of this package."""
        frames, frame = [], sys._getframe(2)
        while frame is not None:
            if frame.f_globals.get("__name__", "").partition(".")[0] != "numjit":
                frames.append(frame)
            frame = frame.f_back
        found = [self._root]
        for frame in reversed(frames):
            code = frame.f_code
            text = f"{code.co_filename}:{frame.f_lineno}:{code.co_name}"
            inner = found[-1].inner
            found.append(inner.get(text) or inner.setdefault(text, _Line(text)))
        return found

    def print_report(self, file=sys.stdout):
        """Prints lines with what was used of the pool and acquired of the driver, as a tree."""
        self._root.print(file, self._max_depth)
