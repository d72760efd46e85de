"""ProgressBar: compiled loops, parallel ones too, tell how far they are. The names are those of
numba-progress.

    with ProgressBar(total=len(a)) as progress:
        f(a, progress)  # calls progress.update(1)

What compiled code gets of a bar is a dataclass with one field, an array of three words: what
compiled code counted, how often somebody looked at that, and what the interpreter counted. A loop
keeps its count in a register; it adds it to the first word by an atomic operation when the second
one has changed, and at its end (codegen/passes/loop_counts.h). A thread looks now and then and
draws.
"""

from __future__ import annotations

import shutil
import sys
import threading
import time
from dataclasses import dataclass

import numpy as np

from numjit import types
from numjit.extending import overload
from numjit.library.core.intrinsics import device, item_pointer

_COMPILED, _LOOKS, _PYTHON = 0, 1, 2  # the words
_lock = threading.Lock()


def _add(hook, n):
    with _lock:
        hook[_PYTHON] += n


@overload(_add)
def _add_in_compiled_code(hook, n):
    def add(hook, n):
        device("atomic_count", item_pointer(hook, (_COMPILED,)), n)

    return add


def _set(hook, n):
    with _lock:
        hook[_COMPILED] = n
        hook[_PYTHON] = 0


@overload(_set)
def _set_in_compiled_code(hook, n):
    def set(hook, n):
        device("atomic_exch", item_pointer(hook, (_COMPILED,)), n)
        hook[_PYTHON] = 0

    return set


def _count(hook):
    with _lock:
        hook[_LOOKS] += 1
        return int(hook[_COMPILED] + hook[_PYTHON])


@overload(_count)
def _count_in_compiled_code(hook):
    def count(hook):
        return device("atomic_add", item_pointer(hook, (_COMPILED,)), 0) + hook[_PYTHON]

    return count


@dataclass(init=False, eq=False, repr=False)
class ProgressBar:
    """A bar that shows how many of `total` steps are done, in a terminal or a notebook.

    `update(n)` counts steps, `set(n)` says how many are done; both may be called from compiled
    code, in loops over prange too, and from any thread. The other arguments are tqdm's: `desc`
    stands in front of the bar, `unit` names the steps, `ncols` is the width, `leave=False` removes
    the bar at the end, `disable=True` shows nothing. `update_interval` is the time between two
    drawings.

    The bar moves while a function runs that lets other threads run: one with `nogil=True`, or a
    parallel loop. Around other functions it shows the result.
    """

    hook: np.ndarray

    def __init__(
        self,
        iterable=None,
        total=None,
        file=None,
        update_interval=0.1,
        notebook=None,
        dynamic_ncols=True,
        ncols=None,
        desc="",
        unit="it",
        leave=True,
        disable=False,
    ):
        if total is None and hasattr(iterable, "__len__"):
            total = len(iterable)
        if total is not None and total < 0:
            raise ValueError(f"total must not be negative: {total}")
        if not update_interval > 0:
            raise ValueError(f"update_interval must be positive: {update_interval}")
        self.hook = np.zeros(3, np.int64)
        self.iterable, self.total, self.file = iterable, total, file or sys.stderr
        self.desc, self.unit, self.leave, self.disable = desc, unit, leave, disable
        self.ncols, self.update_interval = ncols, update_interval
        self.is_notebook = bool(notebook)
        self._start, self._drawn = time.monotonic(), ""
        self._closed = threading.Event()
        self._thread = None
        if not disable:
            self._thread = threading.Thread(target=self._draw_often, daemon=True)
            self._thread.start()

    def update(self, n=1):
        """Counts `n` more steps."""
        _add(self.hook, n)

    def set(self, n):
        """Says that `n` steps are done."""
        _set(self.hook, n)

    @property
    def n(self) -> int:
        """How many steps are done. Of a loop that another thread runs, as many as it had done when
        one asked before."""
        return _count(self.hook)

    # -- drawing ------------------------------------------------------------------------------

    def _draw_often(self):
        while not self._closed.wait(self.update_interval):
            self.refresh()

    def refresh(self):
        """Draws the bar as it is now."""
        if not self.disable:
            text = str(self)
            if text != self._drawn:
                self._write(text)

    def _write(self, text):
        padding = " " * max(len(self._drawn) - len(text), 0)
        self._drawn = text
        try:
            self.file.write(f"\r{text}{padding}")
            self.file.flush()
        except ValueError:  # the file is closed
            self.disable = True

    def __str__(self):
        done, total = self.n, self.total
        took = time.monotonic() - self._start
        speed = f"{done / took:.1f}{self.unit}/s" if took and done else f"?{self.unit}/s"
        head = f"{self.desc}: " if self.desc else ""
        if not total:
            return f"{head}{done}{self.unit} [{_clock(took)}, {speed}]"
        part = min(max(done / total, 0.0), 1.0)
        left = _clock(took / part - took) if part else "?"
        tail = f" {done}/{total} [{_clock(took)}<{left}, {speed}]"
        head += f"{int(part * 100):3d}%"
        width = self.ncols or shutil.get_terminal_size().columns - 1
        cells = max(width - len(head) - len(tail) - 2, 4)
        full = int(part * cells)
        return f"{head}|{'█' * full}{' ' * (cells - full)}|{tail}"

    def __repr__(self):
        return f"<numjit.ProgressBar {self.n}/{self.total}>"

    # -- beginning and end --------------------------------------------------------------------

    def close(self):
        """Draws the bar a last time."""
        if self._closed.is_set():
            return
        self._closed.set()
        if self._thread is not None:
            self._thread.join()
        if self.disable:
            return
        if self.leave:
            self._write(str(self))
            self._write_end("\n")
        else:
            self._write("")
            self._write_end("\r")

    def _write_end(self, text):
        if not self.disable:
            self.file.write(text)
            self.file.flush()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __iter__(self):
        """The items of the iterable, each counted when the next one is asked for."""
        if self.iterable is None:
            raise TypeError("this ProgressBar was made without an iterable")
        with self:
            for item in self.iterable:
                yield item
                self.update()


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes:02d}:{seconds:02d}"


def __getattr__(name):
    if name == "ProgressBarType":
        return types.typeof(ProgressBar(total=0, disable=True))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
