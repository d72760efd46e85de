"""cupy.cuda.profiler: what a profiler records."""

import contextlib

from .runtime import profilerStart as start
from .runtime import profilerStop as stop

__all__ = ["profile", "start", "stop"]


@contextlib.contextmanager
def profile():
    """A context in which a profiler records."""
    start()
    try:
        yield
    finally:
        stop()
