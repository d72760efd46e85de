"""cupyx.time: repeat, the older name of cupyx.profiler.benchmark."""

from __future__ import annotations

from .profiler import _PerfCaseResult  # noqa: F401
from .profiler import benchmark as repeat  # noqa: F401
