"""Settings with NumPy's and CuPy's names."""

from __future__ import annotations

import contextlib

import numpy as np

import numjit
from numjit import cuda


def is_available():
    """Whether there is a device, or the simulator."""
    return cuda.is_available()


@contextlib.contextmanager
def errstate(**settings):
    """np.errstate: kernels report no floating-point errors."""
    unknown = set(settings) - {
        "divide",
        "over",
        "under",
        "invalid",
        "linalg",
        "fallback_mode",
        "all",
    }
    if unknown:
        raise TypeError(f"errstate() got an unexpected keyword {unknown.pop()!r}")
    yield


def geterr():
    """What happens after errors: nothing."""
    return {"divide": "ignore", "over": "ignore", "under": "ignore", "invalid": "ignore",
            "linalg": "raise", "fallback_mode": "ignore"}  # fmt: skip


def seterr(**settings):
    """np.seterr; only `ignore` has a meaning here."""
    if any(value not in (None, "ignore", "raise", "warn") for value in settings.values()):
        raise ValueError("unknown setting")
    return geterr()


def show_config(*, _full=False):
    """Prints what is installed."""
    print("numjit               :", numjit.__version__)
    print("NumPy                :", np.__version__)
    print("device               :", cuda.get_current_device().name)
