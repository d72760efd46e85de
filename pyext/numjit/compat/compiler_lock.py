"""Numba's lock of its compiler, which programs and extensions hold while they touch its state.

numjit compiles without it: those that hold it keep each other out, and nothing else.
"""

from __future__ import annotations

import functools
import threading

__all__ = ["global_compiler_lock", "require_global_compiler_lock"]


class _CompilerLock:
    """A reentrant lock: a context manager, and a decorator of functions that hold it."""

    def __init__(self):
        self._lock = threading.RLock()

    def acquire(self):
        self._lock.acquire()

    def release(self):
        self._lock.release()

    def is_locked(self):
        """Whether this thread holds it."""
        return self._lock._is_owned()

    def __enter__(self):
        self.acquire()

    def __exit__(self, *error):
        self.release()

    def __call__(self, function):
        @functools.wraps(function)
        def locked(*args, **kwargs):
            with self:
                return function(*args, **kwargs)

        return locked


global_compiler_lock = _CompilerLock()


def require_global_compiler_lock():
    """AssertionError if this thread does not hold the lock."""
    assert global_compiler_lock.is_locked(), "the compiler's lock is not held"
