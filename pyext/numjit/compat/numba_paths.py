"""The import paths of Numba's modules, for programs that name them.

`import numjit.core.typing.typeof`, `from numjit.typed.typedlist import List`: a row of _MODULES
says where such a module finds its names. numjit's `__init__` installs the finder.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

from .cupy_paths import MODULES as _OF_CUPY

# A module -> the modules of numjit whose names it has, the first that knows a name. With "=" it is
# that very module.
_MODULES = {
    "_helperlib": "=compat.helperlib",
    "core.types": "=types",
    "core.errors": "=errors",
    "core.config": "=config",
    "core.extending": "=extending",
    "core.dispatcher": "dispatcher decorators",
    "core.decorators": "decorators callbacks",
    "core.registry": "compat.core_names dispatcher compat.ir_names",
    "core.ccallback": "callbacks",
    "core.sigutils": "signatures",
    "core.typing": "signatures types extending compat.ir_names",
    "core.typing.templates": "compat.templates",
    "core.typing.context": "compat.ir_names",
    "core.typing.ctypes_utils": "compat.ctypes_names",
    "core.typing.cffi_utils": "=compat.cffi_names",
    "core.typing.typeof": "types extending",
    "core.typing.asnumbatype": "extending",
    "core.typeconv": "compat.conversions",
    "core.typeconv.castgraph": "compat.conversions",
    "core.utils": "compat.core_names",
    "core.cgutils": "=compat.cgutils",
    "cgutils": "=compat.cgutils",
    "core.datamodel": "compat.models compat.builtin_models",
    "core.datamodel.models": "=compat.models",
    "core.datamodel.registry": "compat.models",
    "core.imputils": "compat.native_types compat.lowering_registry",
    "core.base": "compat.ir_names",
    "core.cpu": "compat.ir_names compat.compile_extra",
    "core.bytecode": "compat.core_names",
    "core.codegen": "",
    "core.callconv": "",
    "core.interpreter": "",
    "core.ir": "",
    "core.pythonapi": "compat.native_types compat.registries",
    "core.boxing": "compat.ir_arrays",
    "core.typing.arraydecl": "compat.ir_arrays",
    "core.typing.npydecl": "compat.templates",
    "core.typing.builtins": "compat.templates",
    "core.unsafe": "",
    "core.unsafe.nrt": "compat.ir_arrays",
    "core.runtime": "compat.core_names",
    "core.runtime._nrt_python": "compat.core_names",
    "core.runtime.nrt": "compat.core_names",
    "core.withcontexts": "with_objmode",
    "core.compiler_lock": "compat.compiler_lock",
    "core.compiler": "compat.core_names compat.compile_extra inspection",
    "core.options": "options compat.compile_extra",
    "core.caching": "caching",
    "core.serialize": "pickling",
    "core.entrypoints": "=compat.entrypoints",
    "np.arraymath": "compat.core_names",
    "np.arrayobj": "np.numpy_support compat.ir_arrays",
    "np.ufunc": "ufuncs special compat.ufunc_builders",
    "np.ufunc.decorators": "ufuncs compat.ufunc_builders",
    "np.ufunc.dufunc": "ufuncs",
    "np.ufunc.gufunc": "ufuncs",
    "np.ufunc.ufuncbuilder": "ufuncs",
    "np.ufunc.parallel": "special",
    "np.unsafe": "",
    "np.unsafe.ndarray": "np.numpy_support library.python.tuples",
    "misc": "",
    "misc.special": "special types with_objmode debugging",
    "misc.gdb_hook": "debugging",
    "misc.literal": "special",
    "misc.numba_sysinfo": "sysinfo",
    "parfors": "",
    "parfors.parfor": "compat.core_names special parallel_diagnostics",
    "cpython": "",
    "cpython.listobj": "compat.ir_arrays",
    "cpython.charseq": "compat.string_names",
    "cpython.unicode": "compat.string_names",
    "cpython.unsafe": "",
    "cpython.unsafe.tuple": "library.python.tuples",
    "typing": "signatures types extending compat.ir_names",
    "runtime": "compat.core_names",
    "stencils.stencil": "stencils",
    "stencils.stencilparfor": "stencils",
    "typed.typedlist": "typed",
    "typed.typeddict": "typed",
    "typed.listobject": "typed compat.core_names",
    "typed.dictobject": "typed compat.core_names",
    "experimental.jitclass": "jitclasses",
    "experimental.jitclass.base": "jitclasses",
    "experimental.jitclass.decorators": "jitclasses",
    "experimental.function_type": "types",
    "pycc.cc": "pycc",
}
# Of numba.cuda.
_MODULES |= {
    "cuda._internal": "",
    "cuda._internal.cuda_bf16": "=cuda.bf16",
    "cuda._internal.cuda_fp8": "=cuda.fp8",
    "cuda.cgutils": "=compat.cgutils",
    "cuda.compiler": "cuda.compilation cuda.dispatcher",
    "cuda.cudadecl": "compat.templates",
    "cuda.cudaimpl": "compat.lowering_registry",
    "cuda.core": "compat.core_names",
    "cuda.cudadrv.runtime": "cuda.api",
    "cuda.cudadrv.linkable_code": "cuda.cudadrv.linkable",
    "cuda.cudadrv.ndarray": "cuda.cudadrv.devicearray",
    "cuda.descriptor": "compat.ir_names",
    "cuda.device_init": "cuda",
    "cuda.errors": "cuda.dispatcher errors",
    "cuda.extending": "=extending",
    "cuda.kernels": "",
    "cuda.kernels.reduction": "cuda.reduction",
    "cuda.kernels.transpose": "cuda.algorithms",
    "cuda.libdevicefuncs": "cuda.libdevice",
    "cuda.memory_management": "compat.core_names",
    "cuda.memory_management.nrt": "compat.core_names",
    "cuda.np": "np",
    "cuda.np.numpy_support": "np.numpy_support",
    "cuda.serialize": "pickling",
    "cuda.simulator": "cuda",
    "cuda.simulator.vector_types": "=cuda.vector_types",
    "cuda.simulator_init": "cuda.api",
    "cuda.stubs": "cuda.kernel_names",
    "cuda.target": "compat.ir_names",
    "cuda.types": "=types",
    "cuda.utils": "compat.core_names",
    "cuda.vectorizers": "cuda.ufuncs",
}
# numba-cuda has copies of Numba's packages.
for _package, _copy in {
    "core": "cuda.core",
    "core.typing": "cuda.typing",
    "core.typeconv": "cuda.typeconv",
    "core.datamodel": "cuda.datamodel",
    "misc": "cuda.misc",
    "np": "cuda.np",
}.items():
    for _name, _sources in list(_MODULES.items()):
        if _name == _package or _name.startswith(f"{_package}."):
            _MODULES.setdefault(_copy + _name[len(_package) :], _sources)
for _name in "abstract containers misc scalars".split():
    _MODULES[f"core.types.{_name}"] = f"=types.{_name}"
for _name in "common function_type functions iterators npytypes".split():
    _MODULES[f"core.types.{_name}"] = _MODULES[f"types.{_name}"] = "types"


_MODULES |= _OF_CUPY


class _Module(ModuleType):
    """A module whose names are those of others. Numba has functions of the same name as the module
    that holds them, and in whose place it may come to stand: it can be called like them."""

    def __getattr__(self, name):
        if name[:2] != "__":
            for source in self._sources:
                module = importlib.import_module(f"numjit.{source}")
                if hasattr(module, name):
                    return getattr(module, name)
            inner = f"{self.__name__}.{name}"
            if inner.removeprefix("numjit.") in _MODULES:  # Numba's packages import their modules
                return importlib.import_module(inner)
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")

    def __call__(self, *args, **kwargs):
        return getattr(self, self.__name__.rpartition(".")[2])(*args, **kwargs)


def part_of(package, name):
    """`package.name` for a package whose `__getattr__` is asked for a module of Numba's."""
    found = inner(package, name)
    if found is None:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    return found


def inner(package, name):
    """A module of a package of ours that the table has; None if there is none."""
    path = f"{package}.{name}"
    known = path.removeprefix("numjit.") in _MODULES
    return importlib.import_module(path) if known else None


def inner_names(package):
    """What inner() knows for a package."""
    start = package.removeprefix("numjit.") + "."
    return [name[len(start) :] for name in _MODULES if name.startswith(start)]


def find_spec(fullname):
    if fullname.removeprefix("numjit.") not in _MODULES:
        return None
    return ModuleSpec(fullname, _Loader, is_package=True)


class _AliasLoader:
    """`numba.core.types` is `numjit.core.types` where numjit goes by Numba's name, `cupy.cuda` is
    `numjit.cupy.cuda` where that package goes by CuPy's."""

    def __init__(self, name):
        self._name = name

    def create_module(self, spec):
        module = importlib.import_module(self._name)
        self._own = module.__spec__, getattr(module, "__loader__", None)
        return module

    def exec_module(self, module):
        module.__spec__, module.__loader__ = self._own


def alias_of(fullname, name):
    """How a module is loaded by the name that numjit has for it; None if there is none."""
    try:
        known = name in sys.modules or importlib.util.find_spec(name) is not None
    except ImportError:
        known = False
    return ModuleSpec(fullname, _AliasLoader(name), is_package=True) if known else None


class _Loader:
    @staticmethod
    def create_module(spec):
        return _Module(spec.name, __doc__)

    @staticmethod
    def exec_module(module):
        source = _MODULES[module.__name__.removeprefix("numjit.")]
        if source[:1] == "=":
            sys.modules[module.__name__] = importlib.import_module(f"numjit.{source[1:]}")
            return
        module._sources = source.split()
        parent, _, name = module.__name__.rpartition(".")
        if name in vars(sys.modules[parent]):  # the function whose place the module takes
            setattr(module, name, vars(sys.modules[parent])[name])
