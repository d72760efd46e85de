"""CUDA C++ made PTX or machine code by NVIDIA's NVRTC, a library of the CUDA toolkit that is looked
for when it is needed."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import warnings
from ctypes import byref, c_char_p, c_int, c_size_t, c_void_p

from numjit import config
from numjit.cuda.toolchain import include_folders, toolkit_roots

from . import nvvm
from .error import NvrtcError, NvrtcSupportError

_NAMES = ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so")


@functools.cache
def _library():
    folders = [os.path.join(root, place) for root in toolkit_roots() for place in ("lib", "lib64")]
    paths = [os.path.join(folder, name) for folder in folders for name in _NAMES]
    for path in [*filter(os.path.isfile, paths), *_NAMES]:
        with contextlib.suppress(OSError):
            library = ctypes.CDLL(path)
            library.nvrtcGetErrorString.restype = c_char_p
            return library
    raise NvrtcSupportError(
        "NVRTC cannot be found: CUDA C++ in link= needs libnvrtc.so of a CUDA toolkit "
        "(pip install nvidia-cuda-nvrtc, or set CUDA_HOME)"
    )


def _check(status, log=""):
    if status:
        text = _library().nvrtcGetErrorString(status).decode()
        raise NvrtcError(f"{text}\n{log}" if log else text)


def _bytes(size_of, get, program):
    size = c_size_t()
    _check(size_of(program, byref(size)))
    text = ctypes.create_string_buffer(size.value)
    _check(get(program, text))
    return text.raw


def version():
    """Of NVRTC, as (major, minor)."""
    major, minor = c_int(), c_int()
    _check(_library().nvrtcVersion(byref(major), byref(minor)))
    return major.value, minor.value


def get_supported_ccs():
    """Compute capabilities that kernels can be compiled for."""
    return nvvm.get_supported_ccs()


_get_nvrtc_version = version  # by this name programs ask which processors there are


def find_closest_arch(mycc):
    """The best of them for a device."""
    return nvvm.find_closest_arch(mycc)


def get_arch_option(major, minor, arch=""):
    """The name of the best of them for a device, or of the one that is set by FORCE_CUDA_CC:
    compute_75. `arch` is "a" for what this device alone has."""
    return nvvm.get_arch_option(major, minor, arch)


def include_paths():
    """Where headers are looked for: also where a toolkit has those of cuda/std."""
    given = config.CUDA_NVRTC_EXTRA_SEARCH_PATHS.split(":") + config.CUDA_INCLUDE_PATH.split(":")
    for path in (*filter(None, given), *include_folders()):
        yield path
        if os.path.isdir(os.path.join(path, "cccl")):
            yield os.path.join(path, "cccl")


def compile(source, name, capability) -> bytes:
    """PTX of device functions. The errors of the compiler are in the NvrtcError, its warnings are
    warnings."""
    return _compiled(source, name, capability, "compute", "PTX")


def compile_cubin(source, name, capability) -> bytes:
    """The same as machine code that is still to be linked: for a driver that is older than NVRTC,
    and does not know its PTX."""
    return _compiled(source, name, capability, "sm", "CUBIN")


def _compiled(source, name, capability, architecture, form):
    library = _library()
    if isinstance(source, str):
        source = source.encode()
    major, minor = capability
    options = [f"--gpu-architecture={architecture}_{major}{minor}", "-rdc", "true"]
    options += [f"-I{path}" for path in include_paths()]
    program = c_void_p()
    _check(library.nvrtcCreateProgram(byref(program), source, name.encode(), 0, None, None))
    try:
        texts = (c_char_p * len(options))(*(option.encode() for option in options))
        status = library.nvrtcCompileProgram(program, len(options), texts)
        log = _bytes(library.nvrtcGetProgramLogSize, library.nvrtcGetProgramLog, program)
        log = log.rstrip(b"\0\n").decode(errors="replace")
        if status:
            _check(status, f"{name} cannot be compiled:\n{log}")
        elif log:
            warnings.warn(f"NVRTC says of {name}:\n{log}", stacklevel=2)
        size, get = (getattr(library, f"nvrtcGet{form}{what}") for what in ("Size", ""))
        return _bytes(size, get, program)
    finally:
        library.nvrtcDestroyProgram(byref(program))
