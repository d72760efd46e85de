"""NVIDIA's libraries by ctypes, each opened when it is first asked for."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import sys

from numjit.cuda.toolchain import toolkit_roots

#: Library: versions of its file, folders of wheels, what pip installs.
_LIBRARIES = {
    "cublas": ((13, 12), ("cu13", "cublas"), "nvidia-cublas"),
    "cusolver": ((12, 11), ("cu13", "cusolver"), "nvidia-cusolver"),
    "cufft": ((12, 11), ("cu13", "cufft"), "nvidia-cufft"),
    "curand": ((10,), ("cu13", "curand"), "nvidia-curand"),
}


class LibraryNotFound(ImportError):
    """A library of the CUDA toolkit is not installed."""


def _places(name, versions, folders):
    for version in versions:
        file = f"lib{name}.so.{version}"
        for entry in sys.path:
            for folder in folders:
                yield os.path.join(entry, "nvidia", folder, "lib", file)
        for root in toolkit_roots():
            yield os.path.join(root, "lib64", file)
            yield os.path.join(root, "lib", file)
        yield file


@functools.cache
def library(name):
    """A library of the CUDA toolkit."""
    versions, folders, package = _LIBRARIES[name]
    for path in _places(name, versions, folders):
        if os.path.isfile(path) or not os.path.isabs(path):
            with contextlib.suppress(OSError):
                return ctypes.CDLL(path)
    raise LibraryNotFound(
        f"lib{name}.so cannot be found: install a CUDA toolkit, or pip install {package} (the "
        "extra numjit[cuda-libraries])"
    )


def newest(name):
    """The newest version of a library that is looked for."""
    return _LIBRARIES[name][0][0]


class LibraryError(RuntimeError):
    """What a library reports: `status`."""

    library = "a library"

    def __init__(self, status):
        self.status = status
        super().__init__(f"{self.library} reports the error {status}")

    def __reduce__(self):
        return type(self), (self.status,)


class CUBLASError(LibraryError):
    library = "cuBLAS"


class CUSOLVERError(LibraryError):
    library = "cuSOLVER"


class CuFFTError(LibraryError):
    library = "cuFFT"


class CURANDError(LibraryError):
    library = "cuRAND"


class CuSparseError(LibraryError):
    library = "cuSPARSE"


_ERRORS = {each.library: each for each in LibraryError.__subclasses__()}


def check(name, status):
    """Raises what a library reports."""
    if status:
        raise _ERRORS[name](status)
