"""What tests of CUDA programs use, under Numba's names."""

from __future__ import annotations

import contextlib
import ctypes
import io
import os
import sys
import tempfile
import unittest

import numpy as np

from numjit import config

from .api import current_context, is_available
from .cudadrv import devices, driver, nvrtc
from .cudadrv.error import NvrtcError, NvrtcSupportError
from .toolchain import find_tool, toolkit_roots


class CUDATestCase(unittest.TestCase):
    """A test case without warnings of small grids and of copies."""

    FLOAT16_RTOL = np.finfo(np.float16).eps

    def setUp(self):
        self._warnings = config.CUDA_LOW_OCCUPANCY_WARNINGS, config.CUDA_WARN_ON_IMPLICIT_COPY
        config.CUDA_LOW_OCCUPANCY_WARNINGS = config.CUDA_WARN_ON_IMPLICIT_COPY = False

    def tearDown(self):
        config.CUDA_LOW_OCCUPANCY_WARNINGS, config.CUDA_WARN_ON_IMPLICIT_COPY = self._warnings

    def skip_if_lto(self, reason):
        """Kernels are never linked by LTO."""

    def assertPreciseEqual(self, first, second, prec="exact", ulps=1, msg=None, **_):
        """Equal values; equal types and layouts too if `prec` is "exact"."""
        if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
            if prec == "exact":
                self.assertEqual(np.asarray(first).dtype, np.asarray(second).dtype, msg)
                np.testing.assert_array_equal(first, second, err_msg=msg or "")
            else:
                np.testing.assert_array_almost_equal_nulp(first, second, nulp=4 * ulps)
        elif prec == "exact" or not isinstance(first, float | complex | np.inexact):
            np.testing.assert_equal(first, second, err_msg=msg or "")
        else:
            np.testing.assert_allclose(first, second, rtol=1e-6 if prec == "single" else 1e-13)


class ContextResettingTestCase(CUDATestCase):
    """A test case that destroys its context."""

    def tearDown(self):
        super().tearDown()
        devices.reset()


class ForeignArray:
    """An object that shows nothing of an array but its __cuda_array_interface__."""

    def __init__(self, arr):
        self._arr = arr
        self.__cuda_array_interface__ = arr.__cuda_array_interface__


def ensure_supported_ccs_initialized():
    """Nothing needs to be looked up here."""


def _has_nvrtc():
    try:
        nvrtc.version()
    except (NvrtcError, NvrtcSupportError):
        return False
    return True


def skip_on_cudasim(reason):
    return unittest.skipIf(driver.simulated(), reason)


def skip_unless_cudasim(reason):
    return unittest.skipUnless(driver.simulated(), reason)


def xfail_unless_cudasim(function):
    return function if driver.simulated() else unittest.expectedFailure(function)


def skip_unless_conda_cudatoolkit(reason):
    return unittest.skip(reason)


def skip_if_external_memmgr(reason):
    return unittest.skipIf(config.CUDA_MEMORY_MANAGER != "default", reason)


def _never(reason=None):
    """A condition that does not arise: the decorator of tests, with or without a reason."""
    return reason if callable(reason) else lambda function: function


skip_under_cuda_memcheck = skip_on_arm = skip_on_wsl2 = _never
skip_on_standalone_numba_cuda = skip_with_cuda_python = skip_with_nvjitlink = _never
skip_if_cudadevrt_missing = _never
skip_on_nvjitlink_13_1_sm_120 = _never
skip_if_mvc_enabled = skip_if_mvc_libraries_unavailable = _never


def _skip_without(tool):
    return unittest.skipUnless(find_tool(tool), f"there is no {tool}")


def skip_without_nvdisasm(reason):
    return _skip_without("nvdisasm")


def skip_if_nvdisasm_in_path(reason):
    return unittest.skipIf(find_tool("nvdisasm"), reason)


skip_with_nvdisasm = skip_if_nvdisasm_in_path


def skip_if_nvjitlink_missing(reason):
    return unittest.skipIf(not driver._have_nvjitlink(), reason)


def skip_if_cuda_includes_missing(function):
    return unittest.skipUnless(_has_nvrtc(), "there is no NVRTC")(function)


def skip_if_curand_kernel_missing(function):
    paths = (os.path.join(root, "include", "curand_kernel.h") for root in toolkit_roots())
    found = any(map(os.path.isfile, paths))
    return unittest.skipUnless(found, "there is no curand_kernel.h")(function)


def cc_X_or_above(major, minor):
    return not driver.simulated() and current_context().device.compute_capability >= (major, minor)


def _skip_unless_cc(major, minor):
    def skip(function):
        old = is_available() and not driver.simulated() and not cc_X_or_above(major, minor)
        return unittest.skipIf(old, f"requires compute capability {major}.{minor}")(function)

    return skip


skip_unless_cc_32 = _skip_unless_cc(3, 2)
skip_unless_cc_50 = _skip_unless_cc(5, 0)
skip_unless_cc_53 = _skip_unless_cc(5, 3)
skip_unless_cc_60 = _skip_unless_cc(6, 0)
skip_unless_cc_75 = _skip_unless_cc(7, 5)
skip_unless_cc_80 = _skip_unless_cc(8, 0)
skip_unless_cc_90 = _skip_unless_cc(9, 0)


@contextlib.contextmanager
def captured_cuda_stdout():
    """What Python and kernels print, as an object with getvalue()."""
    stream, text = sys.stdout, io.StringIO()
    stream.flush()
    libc = ctypes.CDLL(None)
    libc.fflush(None)
    with tempfile.TemporaryFile() as file:
        saved = os.dup(1)
        os.dup2(file.fileno(), 1)
        sys.stdout = text
        try:
            yield text
        finally:
            current_context().synchronize()
            sys.stdout = stream
            libc.fflush(None)
            os.dup2(saved, 1)
            os.close(saved)
            file.seek(0)
            text.write(file.read().decode(errors="replace"))
