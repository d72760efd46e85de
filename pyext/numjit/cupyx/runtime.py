"""cupyx: what is installed, and when the host waits."""

from __future__ import annotations

import numpy

import numjit.cupy
from numjit import cuda
from numjit.cupy import runtime


class get_runtime_info:
    """Versions of the libraries in use; its text is a table."""

    def __init__(self, *, full=False):
        self.cupy_version = numjit.cupy.__version__  # whose names these are
        self.numpy_version = numpy.__version__
        self.cuda_driver_version = _version(lambda: runtime.driverGetVersion())
        self.cuda_runtime_version = _version(lambda: runtime.runtimeGetVersion())
        self._rows = {
            "numjit Version": numjit.__version__,
            "CuPy Version": self.cupy_version,
            "NumPy Version": self.numpy_version,
            "CUDA Driver Version": self.cuda_driver_version,
            "CUDA Runtime Version": self.cuda_runtime_version,
            "Device count": _version(lambda: runtime.getDeviceCount()),
        }
        if full:
            self._rows["Device"] = _version(lambda: cuda.get_current_device().name)
            self._rows["CUDA Root"] = numjit.cupy.cuda.get_cuda_path()

    def __str__(self):
        width = max(map(len, self._rows))
        return "\n".join(f"{key:<{width}} : {value}" for key, value in self._rows.items())


def _version(function):
    """What a function of the runtime returns, or its error."""
    try:
        return function()
    except runtime.CUDARuntimeError as error:
        return f"CUDARuntimeError({str(error)!r})"
