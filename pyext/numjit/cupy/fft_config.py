"""cupy.fft.config: plans of transforms."""

from __future__ import annotations

import sys
import types
import warnings

from .cufft import forget_plans

use_multi_gpus = False


class _PlanCache:
    """cupy.fft.config.get_plan_cache()."""

    def _nothing(self, *args):
        return 0

    get_size = get_memsize = get_curr_size = get_curr_memsize = set_size = set_memsize = _nothing
    show_info = _nothing

    def clear(self):
        forget_plans()


_cache = _PlanCache()


def get_plan_cache():
    return _cache


def clear_plan_cache():
    _cache.clear()


def set_cufft_callbacks(*args, **keywords):
    """Not there."""
    raise NotImplementedError(
        "cuFFT's callbacks, device code that a transform is linked with, are not supported: "
        "compute on the array before and after the transform"
    )


class _Module(types.ModuleType):
    """The module, with a setting that CuPy deprecates."""

    _nd_planning = True

    def _warn(self):
        warnings.warn(
            "enable_nd_planning is deprecated: how transforms of several axes are computed is not "
            "chosen by it",
            DeprecationWarning,
            stacklevel=3,
        )

    @property
    def enable_nd_planning(self):
        self._warn()
        return self._nd_planning

    @enable_nd_planning.setter
    def enable_nd_planning(self, value):
        self._warn()
        self._nd_planning = value


sys.modules[__name__].__class__ = _Module
