"""C++ of programs made cubins by NVRTC, kept on disk."""

from __future__ import annotations

import functools
import os
import re
from ctypes import byref, c_char_p, c_void_p

from numjit import _core, config
from numjit.cuda.cudadrv import devices, nvrtc
from numjit.cuda.cudadrv.error import NvrtcError
from numjit.cuda.toolchain import toolkit_roots

from . import upcalls
from .headers import HEADERS
from .parameters import NAME_OF_KERNEL
from .text_cache import (  # noqa: F401
    DiskKernelCacheBackend,
    _cache_payload_magic,
    _decode_cache_payload,
    _encode_cache_payload,
)

#: The name that the compiler's messages give to a program's text.
NAME = "kernel.cu"


class CompileException(Exception):
    """C++ that cannot be compiled: the compiler's messages, with lines of the program's text."""

    def __init__(self, message, source, name, options, backend="nvrtc"):
        super().__init__(message)
        self._msg, self.source, self.name = message, source, name
        self.options, self.backend = options, backend

    def __reduce__(self):
        return type(self), (self._msg, self.source, self.name, self.options, self.backend)

    def get_message(self):
        return self._msg

    def dump(self, file):
        for number, line in enumerate(self.source.splitlines(), 1):
            file.write(f"{number:4} {line}\n")


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


#: Where kernels are kept in place of the disk, for programs that have another place.
_kernel_cache_backend = None
_empty_file_preprocess_cache: dict = {}  #: of CuPy: nothing is preprocessed here
_tegra_archs = ("32", "53", "62", "72", "87", "101", "110")  #: devices without memory of their own
_disk = functools.cache(DiskKernelCacheBackend)


def capability():
    """The kind of GPU that code is compiled for."""
    return (config.FORCE_CUDA_CC or devices.get_context().device.compute_capability)[:2]


def compiled(source, options=(), names=(), cc=None, file=NAME, log_stream=None):
    """(cubin, {name: its name in the cubin}) for the templates in `names`; messages name a file.
    With the option -dlto it is code that is still to be linked, not a cubin. What the compiler
    says is written to log_stream, if there is one: then it compiles what is kept, too."""
    major, minor = cc or capability()
    kind = "compute" if "-dlto" in options else "sm"
    options = [f"--gpu-architecture={kind}_{major}{minor}", *_with_standard(options)]
    state = source, options, tuple(names), _compiler(), _headers(), file
    key = _core.digest(repr(state).encode())
    cache, name = _kernel_cache_backend or _disk(), f"{key}.cubin"
    in_memory = _get_bool_env_variable("CUPY_CACHE_IN_MEMORY", False)
    kept = None if in_memory or log_stream is not None else cache.load(name)
    found = None if kept is None else _decode_cache_payload(kept, len(names))
    if found is None:
        cubin, lowered, log = _compile(source, options, names, file)
        if log_stream is not None:
            log_stream.write(log)
        found = [lowered[each] for each in names], cubin
        if not in_memory:
            cache.save(name, _encode_cache_payload(*found), source)
    return found[1], dict(zip(names, found[0]))


def _with_standard(options):
    options = list(options)
    if not any(each.startswith(("--std", "-std")) for each in options):
        options.append("--std=c++17")
    if "-default-device" not in options and "--device-as-default-execution-space" not in options:
        options.append("-default-device")
    return options


def _compile(source, options, names, file):
    library = nvrtc._library()
    options = [*options, *(f"-I{path}" for path in nvrtc.include_paths())]
    program = c_void_p()
    count = len(HEADERS)
    nvrtc._check(
        library.nvrtcCreateProgram(
            byref(program),
            source.encode(),
            file.encode(),
            count,
            (c_char_p * count)(*(text.encode() for text in HEADERS.values())),
            (c_char_p * count)(*(name.encode() for name in HEADERS)),
        )
    )
    try:
        for name in names:
            nvrtc._check(library.nvrtcAddNameExpression(program, name.encode()))
        texts = (c_char_p * len(options))(*(option.encode() for option in options))
        failed = library.nvrtcCompileProgram(program, len(options), texts)
        log = nvrtc._bytes(library.nvrtcGetProgramLogSize, library.nvrtcGetProgramLog, program)
        log = log.rstrip(b"\0").decode(errors="replace")
        if failed:
            raise CompileException(log, source, file, tuple(options))
        lowered = {}
        for name in names:
            found = c_char_p()
            nvrtc._check(library.nvrtcGetLoweredName(program, name.encode(), byref(found)))
            lowered[name] = found.value.decode()
        return _code(library, program, "LTOIR" if "-dlto" in options else "CUBIN"), lowered, log
    finally:
        library.nvrtcDestroyProgram(byref(program))


def _code(library, program, form):
    size, get = (getattr(library, f"nvrtcGet{form}{what}") for what in ("Size", ""))
    code = nvrtc._bytes(size, get, program)
    if not code:
        raise NvrtcError("NVRTC made no machine code")
    return code


_get_nvrtc_version = getVersion = nvrtc.version


class JitifyException(CompileException):
    """What Jitify reports, which is not used here."""


class NVRTCError(NvrtcError):
    """What NVRTC reports, by its number."""

    def __init__(self, status):
        super().__init__(status)
        self.status = status

    def __reduce__(self):
        return type(self), (self.status,)


def getSupportedArchs():
    """Compute capabilities that code can be compiled for: 75, 80, ..."""
    return [10 * major + minor for major, minor in nvrtc.get_supported_ccs()]


def _get_bool_env_variable(name, default):
    """Whether a variable of the environment is "1"; `default` where it is not set."""
    value = os.environ.get(name)
    return value == "1" if value else default


def _run_cc(cmd, cwd, backend, log_stream=None):
    """What a compiler's command prints."""
    import subprocess

    try:
        text = subprocess.check_output(cmd, cwd=cwd, stderr=subprocess.STDOUT, text=True)
    except subprocess.CalledProcessError as error:
        message = f"`{backend}` command returns non-zero exit status.\n{error.output}"
        raise RuntimeError(message) from error
    if log_stream is not None:
        log_stream.write(text)
    return text


def is_valid_kernel_name(name):
    """Whether a kernel can have a name."""
    return NAME_OF_KERNEL.fullmatch(name) is not None


def _get_arch():
    """The kind of this thread's device as the compiler's options have it: 90."""
    return "{}{}".format(*capability())


def _compile_module_with_cache(source, options=(), arch=None, cache_dir=None, extra_source=None,
                               backend="nvrtc", *, enable_cooperative_groups=False,
                               name_expressions=None, log_stream=None, jitify=False):  # fmt: skip
    """A module of C++, loaded: its functions are those of cupy.cuda.Function."""
    made = upcalls.RawModule(
        source, options=options, backend=backend, name_expressions=name_expressions,
        enable_cooperative_groups=enable_cooperative_groups, jitify=jitify,
    )  # fmt: skip
    made.compile(log_stream)
    return made.module


def compile_using_nvrtc(source, options=(), arch=None, filename="kern.cu", name_expressions=None,
                        log_stream=None, cache_in_memory=False, jitify=False):  # fmt: skip
    """Machine code of C++, and the names that templates have in it. What is compiled is kept as
    other programs are, whatever cache_in_memory is."""
    if jitify:
        raise NotImplementedError("compile_using_nvrtc: jitify")
    found = re.fullmatch(r"(\d+)(\d[af]?)", str(arch or _get_arch()))
    if found is None:
        raise ValueError(f"the kind of a GPU is a number such as 90 or 90a, not {arch!r}")
    return compiled(source, options, name_expressions or (), found.groups(), filename, log_stream)
