"""pycuda.compiler: SourceModule, whose C++ NVRTC compiles."""

from __future__ import annotations

import os

from numjit.cuda.cudadrv.driver import get_driver
from numjit.cuda.cudadrv.linkable import LinkableCode
from numjit.cuda.toolchain import toolkit_roots
from numjit.cupy.text_compiler import CompileException, capability, compiled
from numjit.cupy.text_kernels import check_device

from .errors import CompileError, Error
from .flags import jit_input_type
from .functions import Module

#: Options of nvcc that mean nothing to NVRTC.
_DROPPED = tuple(
    "-O -Xptxas -Xcompiler --ptxas-options --compiler-options -ccbin -arch -code -gencode "
    "--gpu-architecture -cubin -w --keep -m64 -lcu".split()
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


#: Names of the host's headers, which nvcc always reads.
_TYPES = "typedef unsigned int uint; typedef unsigned short ushort; typedef unsigned long ulong;\n"


def _source(source, no_extern_c):
    begin, end = ("", "") if no_extern_c else ('extern "C" {', "}")
    return f'{_TYPES}{begin}\n#line 1 "kernel.cu"\n{source}\n{end}\n'


def compile(
    source, nvcc="nvcc", options=None, keep=False, no_extern_c=False, arch=None, code=None,
    cache_dir=None, include_dirs=(), target="cubin",
):  # fmt: skip
    """A cubin of C++."""
    options = [*_kept(options), *(f"-I{path}" for path in include_dirs)]
    cc = tuple(map(int, (arch[3:-1], arch[-1:]))) if arch else None
    try:
        return compiled(_source(source, no_extern_c), options, (), cc)[0]
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


def _library(name, folder=None):
    """The path of a library of device code of the CUDA toolkit."""
    places = [os.path.join(root, lib) for root in toolkit_roots() for lib in ("lib", "lib64")]
    for place in [folder, *places] if folder else places:
        path = os.path.join(place, f"lib{name}.a")
        if os.path.isfile(path):
            return path
    raise Error(
        f"there is no lib{name}.a: install a CUDA toolkit, or say where it is by cuda_libdir="
    )


class DynamicModule(Module):
    """A module linked of several pieces of code, whose kernels may launch kernels."""

    def __init__(
        self, nvcc="nvcc", link_options=None, keep=False, no_extern_c=False, arch=None, code=None,
        cache_dir=None, include_dirs=(), message_handler=None, log_verbose=False, cuda_libdir=None,
    ):  # fmt: skip
        self.cuda_libdir = cuda_libdir
        self._compiled_as = no_extern_c, arch, include_dirs
        self._pieces, self._module = [], None

    def add_source(self, source, nvcc_options=None, name="kernel.ptx"):
        """Adds C++."""
        check_device()
        no_extern_c, arch, include_dirs = self._compiled_as
        options = ["-rdc=true", *(each for each in nvcc_options or () if each != "-rdc=true")]
        made = compile(source, options=options, no_extern_c=no_extern_c, arch=arch,
                       include_dirs=include_dirs)  # fmt: skip
        return self.add_data(made, jit_input_type.CUBIN, name)

    def add_data(self, data, input_type, name="unknown"):
        """Adds code of a kind of jit_input_type."""
        piece = LinkableCode(data, name)
        piece.kind = int(input_type)
        self._pieces.append(piece)
        return self

    def add_file(self, filename, input_type):
        with open(filename, "rb") as file:
            return self.add_data(file.read(), input_type, filename)

    def add_stdlib(self, libname, libtype=None):
        """Adds a library of the toolkit: "cudadevrt" where kernels launch kernels."""
        kind = jit_input_type.LIBRARY if libtype is None else libtype
        return self.add_file(_library(libname, self.cuda_libdir), kind)

    def link(self):
        """Links and loads: functions are found from here on."""
        check_device()
        super().__init__(get_driver().link(self._pieces, capability()))
        self._pieces = []
        return self


class DynamicSourceModule(DynamicModule):
    """A module of C++ whose kernels may launch kernels."""

    def __init__(
        self, source, nvcc="nvcc", options=None, keep=False, no_extern_c=False, arch=None,
        code=None, cache_dir=None, include_dirs=(), cuda_libdir=None,
    ):  # fmt: skip
        super().__init__(no_extern_c=no_extern_c, arch=arch, include_dirs=include_dirs,
                         cuda_libdir=cuda_libdir)  # fmt: skip
        self.add_source(source, options).add_stdlib("cudadevrt").link()
