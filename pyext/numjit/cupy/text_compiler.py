"""C++ of programs made cubins by NVRTC, kept on disk."""

from __future__ import annotations

import ctypes
import functools
import os
from ctypes import byref, c_char_p, c_size_t, c_void_p

from numjit import _core, config
from numjit.cuda.cudadrv import devices, nvrtc
from numjit.cuda.cudadrv.error import NvrtcError
from numjit.cuda.toolchain import toolkit_roots

from .headers import HEADERS

#: The name that the compiler's messages give to a program's text.
NAME = "kernel.cu"


class CompileException(Exception):
    """C++ that cannot be compiled: the compiler's messages, with lines of the program's text."""

    def __init__(self, message, source, name, options, backend="nvrtc"):
        super().__init__(message)
        self._msg, self.source, self.name = message, source, name
        self.options, self.backend = options, backend

    def get_message(self):
        return self._msg

    def dump(self, file):
        for number, line in enumerate(self.source.splitlines(), 1):
            file.write(f"{number:4} {line}\n")


def _folder():
    base = config.CACHE_DIR or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "numjit"
    )
    return os.path.join(base, "cuda-text")


def _library_folders():
    """Where the loader looks for NVRTC, toolkits first."""
    for root in filter(os.path.isdir, toolkit_roots()):
        yield from (os.path.join(root, place) for place in ("lib", "lib64"))
    yield from filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep))
    yield from ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/local/lib")


@functools.cache
def _compiler():
    """Which NVRTC there is, without opening it: that takes longer than to read what is kept."""
    for folder in _library_folders():
        for name in nvrtc._NAMES:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                state = os.stat(path)
                return path, state.st_size, state.st_mtime_ns
    return nvrtc.version()


@functools.cache
def _headers():
    """What stands for the text of all headers in the names of files."""
    return _core.digest(repr(sorted(HEADERS.items())).encode())


def capability():
    """The kind of GPU that code is compiled for."""
    return config.FORCE_CUDA_CC or devices.get_context().device.compute_capability


def compiled(source, options=(), names=(), cc=None):
    """(cubin, {name: its name in the cubin}) for the templates in `names`."""
    major, minor = cc or capability()
    options = [f"--gpu-architecture=sm_{major}{minor}", *_with_standard(options)]
    key = _core.digest(repr((source, options, tuple(names), _compiler(), _headers())).encode())
    path = os.path.join(_folder(), key)
    if os.path.isfile(path):
        return _read(path)
    made = _compile(source, options, names)
    _write(path, made)
    return made


def _with_standard(options):
    options = list(options)
    if not any(each.startswith(("--std", "-std")) for each in options):
        options.append("--std=c++17")
    if "-default-device" not in options and "--device-as-default-execution-space" not in options:
        options.append("-default-device")
    return options


def _read(path):
    with open(path, "rb") as file:
        names, _, cubin = file.read().partition(b"\0\0")
    rows = [row.split(b"\0") for row in names.split(b"\n") if row]
    return cubin, {name.decode(): lowered.decode() for name, lowered in rows}


def _write(path, made):
    """Writes a file whole; without a place to write nothing is kept."""
    from tempfile import NamedTemporaryFile

    cubin, names = made
    rows = b"\n".join(b"\0".join((k.encode(), v.encode())) for k, v in names.items())
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder, exist_ok=True)
        with NamedTemporaryFile(dir=folder, delete=False) as file:
            file.write(rows + b"\0\0" + cubin)
        os.replace(file.name, path)
    except OSError:
        pass


def _compile(source, options, names):
    library = nvrtc._library()
    options = [*options, *(f"-I{path}" for path in _include_paths())]
    program = c_void_p()
    count = len(HEADERS)
    nvrtc._check(
        library.nvrtcCreateProgram(
            byref(program),
            source.encode(),
            NAME.encode(),
            count,
            (c_char_p * count)(*(text.encode() for text in HEADERS.values())),
            (c_char_p * count)(*(name.encode() for name in HEADERS)),
        )
    )
    try:
        for name in names:
            nvrtc._check(library.nvrtcAddNameExpression(program, name.encode()))
        texts = (c_char_p * len(options))(*(option.encode() for option in options))
        if library.nvrtcCompileProgram(program, len(options), texts):
            log = nvrtc._bytes(library.nvrtcGetProgramLogSize, library.nvrtcGetProgramLog, program)
            message = log.rstrip(b"\0").decode(errors="replace")
            raise CompileException(message, source, NAME, tuple(options))
        lowered = {}
        for name in names:
            found = c_char_p()
            nvrtc._check(library.nvrtcGetLoweredName(program, name.encode(), byref(found)))
            lowered[name] = found.value.decode()
        return _cubin(library, program), lowered
    finally:
        library.nvrtcDestroyProgram(byref(program))


def _cubin(library, program):
    size = c_size_t()
    nvrtc._check(library.nvrtcGetCUBINSize(program, byref(size)))
    if not size.value:
        raise NvrtcError("NVRTC made no machine code")
    data = ctypes.create_string_buffer(size.value)
    nvrtc._check(library.nvrtcGetCUBIN(program, data))
    return data.raw


def _include_paths():
    for path in nvrtc._include_paths():
        yield path
        if os.path.isdir(os.path.join(path, "cccl")):
            yield os.path.join(path, "cccl")
