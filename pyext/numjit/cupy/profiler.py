"""cupy.cuda.profiler: what a profiler records."""

import contextlib
import sys

from .runtime import profilerStart as start
from .runtime import profilerStop as stop

__all__ = ["profile", "start", "stop"]


@contextlib.contextmanager
def profile():
    """A context in which a profiler records."""
    module = sys.modules[__name__]
    module.start()
    try:
        yield
    finally:
        module.stop()
