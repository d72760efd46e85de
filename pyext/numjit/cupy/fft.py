"""cupy.fft: numpy.fft's functions over device arrays."""

from __future__ import annotations

import numpy as np

from . import numpy_code
from .cufft import forget_plans


def own(name):
    """What does not come from NumPy's Python."""
    return None


class _PlanCache:
    """cupy.fft.config.get_plan_cache()."""

    def _nothing(self, *args):
        return 0

    get_size = get_memsize = get_curr_size = get_curr_memsize = set_size = set_memsize = _nothing
    show_info = _nothing

    def clear(self):
        forget_plans()


class config:
    """cupy.fft.config."""

    enable_nd_planning = True
    use_multi_gpus = False
    _cache = _PlanCache()

    @staticmethod
    def get_plan_cache():
        return config._cache

    @staticmethod
    def clear_plan_cache():
        config._cache.clear()


def __getattr__(name):
    value = None if name.startswith("_") else getattr(np.fft, name, None)
    found = None if value is None else numpy_code.from_numpy(value)
    if found is None:
        raise AttributeError(f"module 'numjit.cupy.fft' has no attribute {name!r}")
    globals()[name] = found
    return found
