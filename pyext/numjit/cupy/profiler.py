"""cupy.cuda.profiler: what a profiler records."""

from .runtime import profilerStart as start
from .runtime import profilerStop as stop

__all__ = ["start", "stop"]
