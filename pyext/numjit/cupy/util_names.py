"""cupy._util: settings and a warning."""

from __future__ import annotations

import os

from . import upcalls

#: The version of ndarray.__cuda_array_interface__: from 3 on it names a stream.
CUDA_ARRAY_INTERFACE_EXPORT_VERSION = int(
    os.environ.get("CUPY_CUDA_ARRAY_INTERFACE_EXPORT_VERSION") or 3
)
#: Slices of arrays of the host are assigned as other values are.
ENABLE_SLICE_COPY = False


class PerformanceWarning(RuntimeWarning):
    """Something takes longer than it has to."""


def memoize(for_each_device=False):
    """cupy.memoize."""
    return upcalls.memoize(for_each_device)


def clear_memo():
    """cupy.clear_memo."""
    upcalls.clear_memo()
