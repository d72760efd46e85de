"""cupy.fft.config: plans of transforms that are kept, and callbacks."""

from __future__ import annotations

import sys
import types
import warnings

from .cufft_plans import PlanCache, get_plan_cache, show_plan_cache_info  # noqa: F401
from .fft_callbacks import get_current_callback_manager, set_cufft_callbacks  # noqa: F401

use_multi_gpus = False
_devices = None


def clear_plan_cache():
    """Forgets the plans of this thread on this device."""
    get_plan_cache().clear()


def get_plan_cache_size():
    """How many plans are kept."""
    return get_plan_cache().get_size()


def set_plan_cache_size(size):
    """Lets so many plans be kept; -1: any number."""
    get_plan_cache().set_size(size)


def get_plan_cache_max_memsize():
    """How many bytes the plans that are kept may have."""
    return get_plan_cache().get_memsize()


def set_plan_cache_max_memsize(size):
    """Lets plans of so many bytes be kept; -1: of any number."""
    get_plan_cache().set_memsize(size)


def set_cufft_gpus(gpus):
    """Not there: a transform is one device's."""
    raise NotImplementedError("transforms over several devices are not supported")


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
