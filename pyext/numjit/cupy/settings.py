"""Settings with NumPy's and CuPy's names."""

from __future__ import annotations

import contextlib
import importlib
import sys
import threading

from numjit import cuda


def is_available():
    """Whether there is a device, or the simulator."""
    return cuda.is_available()


_OF_FLOATS = ("divide", "over", "under", "invalid")


class _Errors(threading.local):
    """What programs set for errors. Kernels report none of floating-point numbers."""

    def __init__(self):
        self.kept = dict.fromkeys(_OF_FLOATS)
        self.kept |= {"linalg": "raise", "fallback_mode": "ignore"}


_errors = _Errors()


def geterr():
    """What happens after errors; None: nothing."""
    return dict(_errors.kept)


def seterr(*, all=None, **settings):
    """np.seterr; returns what was set before. Functions of linalg read `linalg`: with "ignore" they
    give NaN where they raise LinAlgError otherwise, without a look at the device. Other settings
    are kept for geterr."""
    before = geterr()
    unknown = set(settings) - set(before)
    if unknown:
        raise TypeError(f"seterr() got an unexpected keyword argument {unknown.pop()!r}")
    if any(each not in (None, "ignore", "raise", "warn") for each in (all, *settings.values())):
        raise ValueError("unknown setting")
    if all is not None:
        settings = dict.fromkeys(_OF_FLOATS, all) | settings
    _errors.kept = before | {key: each for key, each in settings.items() if each is not None}
    return before


def raises_in_linalg():
    """Whether a matrix that is singular raises LinAlgError."""
    return _errors.kept["linalg"] != "ignore"


@contextlib.contextmanager
def errstate(**settings):
    """np.errstate: a context of settings of seterr."""
    before = seterr(**settings)
    try:
        yield
    finally:
        _errors.kept = before


def show_config(*, _full=False):
    """Prints what is installed, as cupyx.get_runtime_info(full=_full) has it."""
    runtime = importlib.import_module("numjit.cupyx.runtime")
    sys.stdout.write(str(runtime.get_runtime_info(full=_full)))
