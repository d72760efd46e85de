"""pycuda.compiler: SourceModule, whose C++ NVRTC compiles."""

from __future__ import annotations

from numjit.cupy.text_compiler import CompileException, compiled
from numjit.cupy.text_kernels import check_device

from .errors import CompileError
from .functions import Module

#: Options of nvcc that mean nothing to NVRTC.
_DROPPED = tuple(
    "-O -Xptxas -Xcompiler --ptxas-options --compiler-options -ccbin -arch -code -gencode "
    "--gpu-architecture -cubin -w --keep -m64".split()
)


def _kept(options):
    found, skip = [], False
    for each in options or ():
        if skip:
            skip = False
        elif each.startswith(_DROPPED):
            skip = each in ("-Xptxas", "-Xcompiler", "-arch", "-code", "-gencode", "-ccbin")
        else:
            found.append(each)
    return found


def _source(source, no_extern_c):
    return source if no_extern_c else f'extern "C" {{\n#line 1 "kernel.cu"\n{source}\n}}\n'


def compile(
    source, nvcc="nvcc", options=None, keep=False, no_extern_c=False, arch=None, code=None,
    cache_dir=None, include_dirs=(), target="cubin",
):  # fmt: skip
    """A cubin of C++."""
    options = [*_kept(options), *(f"-I{path}" for path in include_dirs)]
    capability = tuple(map(int, (arch[3:-1], arch[-1:]))) if arch else None
    try:
        return compiled(_source(source, no_extern_c), options, (), capability)[0]
    except CompileException as error:
        message = f"nvrtc compilation of the source failed\n{error.get_message()}"
        raise CompileError(message, stderr=error.get_message()) from None


class SourceModule(Module):
    """A module of C++."""

    def __init__(
        self, source, nvcc="nvcc", options=None, keep=False, no_extern_c=False, arch=None,
        code=None, cache_dir=None, include_dirs=(),
    ):  # fmt: skip
        check_device()
        super().__init__(compile(source, nvcc, options, keep, no_extern_c, arch, code, cache_dir,
                                 include_dirs))  # fmt: skip


DEFAULT_NVCC_FLAGS: list = []


class DynamicSourceModule(SourceModule):
    """A module that may launch kernels itself: that needs a linker of device code."""

    def __init__(self, *args, **keywords):
        raise NotImplementedError("kernels that launch kernels are not there")
