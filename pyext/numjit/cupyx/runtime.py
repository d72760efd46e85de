"""cupyx: what is installed, and when the host waits."""

from __future__ import annotations

import contextlib

import numpy

import numjit
from numjit.cupy import runtime


class DeviceSynchronized(RuntimeError):
    """The host waited where it was not allowed to."""


@contextlib.contextmanager
def allow_synchronize(allow):
    """A context that CuPy forbids to wait in; here the host may always wait."""
    yield


class get_runtime_info:
    """Versions of the libraries in use; its text is a table."""

    def __init__(self, *, full=False):
        self._rows = {
            "numjit Version": numjit.__version__,
            "NumPy Version": numpy.__version__,
            "CUDA Driver Version": runtime.driverGetVersion(),
            "CUDA Runtime Version": runtime.runtimeGetVersion(),
            "Device count": runtime.getDeviceCount(),
        }

    def __str__(self):
        width = max(map(len, self._rows))
        return "\n".join(f"{key:<{width}} : {value}" for key, value in self._rows.items())
