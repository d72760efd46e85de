"""RawModule and RawKernel: C++ with __global__ functions, PTX or cubins."""

from __future__ import annotations

import contextlib
import functools
import threading
import weakref

from numjit import _core
from numjit.cuda.cudadrv import devices, driver
from numjit.cuda.cudadrv.driver import get_driver
from numjit.cuda.cudadrv.error import CudaAPIError

from .current import _current
from .headers import with_operators
from .text_arguments import Arguments
from .text_compiler import CompileException, JitifyException, compiled


def check_device():
    """Raises in the simulator."""
    if get_driver().simulated:
        raise RuntimeError(
            "kernels given as C++ need a GPU: the simulator (NUMJIT_CUDA_SIMULATOR) runs Python"
        )


class LoadedModule:
    """Machine code or PTX in a context."""

    def __init__(self, image):
        self.context = devices.get_context()
        self.handle = get_driver().load_module(image)
        weakref.finalize(
            self, driver.pending.add, self.context, get_driver().unload_module, self.handle
        ).atexit = False

    def function(self, name):
        return Function(self, get_driver().function(self.handle, name), name)

    get_function = function

    def global_(self, name):
        return get_driver().module_global(self.handle, name)


class LoadedOnce:
    """What was loaded for keys. Two threads that ask for one at the same time get the same: code
    that another's replaced would be unloaded while plans still launch it."""

    def __init__(self):
        self._found, self._lock = {}, threading.RLock()

    def get(self, key, load):
        found = self._found.get(key)
        if found is None:
            with self._lock:
                found = self._found.get(key)
                if found is None:
                    found = self._found[key] = load()
        return found


class MadeAgain:
    """An object that pickles as what it was made of."""

    def __new__(cls, *args, **keywords):
        self = super().__new__(cls)
        self._made_of = args, keywords
        return self

    def __reduce__(self):
        args, keywords = self._made_of
        return functools.partial(type(self), *args, **keywords), ()


_ATTRIBUTES = {
    "max_threads_per_block": 0,
    "shared_size_bytes": 1,
    "const_size_bytes": 2,
    "local_size_bytes": 3,
    "num_regs": 4,
    "ptx_version": 5,
    "binary_version": 6,
    "cache_mode_ca": 7,
    "max_dynamic_shared_size_bytes": 8,
    "preferred_shared_memory_carveout": 9,
}


class Function:
    """A __global__ function."""

    def __init__(self, module, handle, name, cooperative=False):
        self.module, self.ptr, self.name = module, handle, name
        self.cooperative = cooperative

    def attribute(self, name):
        return get_driver().function_attribute(_ATTRIBUTES[name], self.ptr)

    def set_attribute(self, name, value):
        get_driver().set_function_attribute(self.ptr, _ATTRIBUTES[name], value)

    def launch(self, grid, block, arguments, shared=0, stream=None, cooperative=False):
        """Launches with Arguments."""
        name = "cuLaunchCooperativeKernel" if cooperative else "cuLaunchKernel"
        more = () if cooperative else (None,)
        get_driver()(
            name, self.ptr, *_three(grid), *_three(block), shared, _handle(stream),
            arguments.pointers(), *more,
        )  # fmt: skip

    def __call__(self, grid, block, args, *, shared_mem=0, stream=None):
        arguments = Arguments()
        for each in args:
            arguments.add(each)
        self.launch(grid, block, arguments, shared_mem, stream, self.cooperative)

    def linear_launch(
        self, size, args, shared_mem=0, block_max_size=128, stream=None,
        enable_cooperative_groups=False,
    ):  # fmt: skip
        """Launches at least `size` threads in blocks of at most block_max_size."""
        threads = max(1, min(size, block_max_size))
        arguments = Arguments()
        for each in args:
            arguments.add(each)
        self.launch(
            max(1, -(-size // threads)), threads, arguments, shared_mem, stream,
            self.cooperative or enable_cooperative_groups,
        )  # fmt: skip


def _handle(stream):
    return (_current.handle if stream is None else getattr(stream, "ptr", stream)) or None


def _three(extents):
    if type(extents) is tuple and len(extents) == 1 and type(extents[0]) is int:
        return extents[0], 1, 1
    extents = extents if hasattr(extents, "__len__") else (extents,)
    if not 1 <= len(extents) <= 3:
        raise ValueError("a grid and a block have 1, 2 or 3 extents")
    return (*map(int, extents), 1, 1)[:3]


def _file(path):
    """What a file with a cubin or PTX holds; errors are the driver's."""
    try:
        with open(path, "rb") as file:
            return file.read() + b"\0"
    except FileNotFoundError as error:
        raise CudaAPIError(301, f"CUDA_ERROR_FILE_NOT_FOUND: {error}") from None


class RawModule(MadeAgain):
    """A module of C++ (`code`), or of a file with a cubin or PTX (`path`)."""

    def __init__(
        self,
        code=None,
        *,
        path=None,
        options=(),
        backend="nvrtc",
        translate_cucomplex=False,
        enable_cooperative_groups=False,
        name_expressions=None,
        jitify=False,
    ):
        if (code is None) == (path is None):
            raise TypeError("Exactly one of `code` and `path` keyword arguments must be given.")
        if backend not in ("nvrtc", "nvcc"):
            raise ValueError(f"unknown backend {backend!r}")
        if path is not None and name_expressions:
            raise ValueError("name_expressions need the text of the module")
        if isinstance(options, str):
            raise TypeError("options must be a tuple of strings")
        self.code, self.file_path, self.options = code, path, tuple(options)
        self.backend, self.name_expressions = backend, tuple(name_expressions or ())
        self.enable_cooperative_groups = enable_cooperative_groups
        self._translate, self._jitify = translate_cucomplex, jitify
        self._loaded, self._lock = weakref.WeakKeyDictionary(), threading.RLock()

    def _module(self, log_stream=None):
        check_device()
        context = devices.get_context()
        with self._lock:
            found = self._loaded.get(context)
            if found is None:
                names = {}
                if self.code is None:
                    image = _file(self.file_path)
                elif isinstance(self.code, bytes):
                    image = self.code + b"\0"
                else:
                    image, names = self._compiled(log_stream)
                found = self._loaded[context] = LoadedModule(image), names
            return found

    def _compiled(self, log_stream):
        code = with_operators(self.code) if self._translate else self.code
        try:
            return compiled(code, self.options, self.name_expressions, log_stream=log_stream)
        except CompileException as error:
            if self._jitify:
                raise JitifyException(*error.__reduce__()[1]) from None
            raise

    def compile(self, log_stream=None):
        """Compiles and loads at once; what the compiler says is written to a stream."""
        self._module(log_stream)

    @property
    def module(self):
        return self._module()[0]

    def get_function(self, name):
        """A kernel, by its name or by one of name_expressions."""
        module, names = self._module()
        return RawKernel._of(self, module.function(names.get(name, name)), name)

    def get_global(self, name):
        """The address of a global variable."""
        from .pointers import MemoryPointer, UnownedMemory

        module, names = self._module()
        pointer, size = module.global_(names.get(name, name))
        return MemoryPointer(UnownedMemory(pointer, size, module), 0)


class RawKernel(MadeAgain, _core.RawLauncher):
    """A __global__ function of C++: kernel(grid, block, args)."""

    def __init__(
        self,
        code,
        name,
        options=(),
        backend="nvrtc",
        *,
        translate_cucomplex=False,
        enable_cooperative_groups=False,
        jitify=False,
    ):
        self._raw = RawModule(
            code,
            options=options,
            backend=backend,
            enable_cooperative_groups=enable_cooperative_groups,
            translate_cucomplex=translate_cucomplex,
            jitify=jitify,
        )
        self.name, self._functions, self._in_module = name, {}, False

    @classmethod
    def _of(cls, module, function, name):
        self = cls.__new__(cls)
        self._raw, self.name = module, name
        self._functions, self._in_module = {function.module.context: function}, True
        return self

    def __reduce__(self):
        if self._in_module:
            return RawModule.get_function, (self._raw, self.name)
        return super().__reduce__()

    @property
    def code(self):
        return self._raw.code

    @property
    def options(self):
        return self._raw.options

    @property
    def backend(self):
        return self._raw.backend

    @property
    def enable_cooperative_groups(self):
        return self._raw.enable_cooperative_groups

    def _function(self, log_stream=None):
        check_device()
        context = devices.get_context()
        found = self._functions.get(context)
        if found is None:
            module, names = self._raw._module(log_stream)
            found = module.function(names.get(self.name, self.name))
            self._functions[context] = found
        return found

    @property
    def kernel(self):
        return self._function()

    def compile(self, log_stream=None):
        """Compiles and loads at once; what the compiler says is written to a stream."""
        self._function(log_stream)

    # kernel(grid, block, args) is C++ (pyext/gpu/text_launch.cpp), which asks for this:

    def _bind(self):
        """Says which function is launched in the context of this thread."""
        self._launches_in_context(self._function().ptr, self.enable_cooperative_groups)

    def _launch_failed(self, status):
        get_driver().fail("cuLaunchKernel", status)

    def _call_slowly(self, grid, block, args=(), *, shared_mem=0, stream=None):
        """The same for arguments of any kind."""
        function = self._function()
        arguments = Arguments()
        for each in args:
            arguments.add(each)
        function.launch(grid, block, arguments, shared_mem, stream, self.enable_cooperative_groups)

    @property
    def attributes(self):
        function, found = self._function(), {}
        for name in _ATTRIBUTES:
            with contextlib.suppress(Exception):
                found[name] = function.attribute(name)
        return found


def _attribute(name):
    def get(self):
        return self._function().attribute(name)

    def set_(self, value):
        self._function().set_attribute(name, value)

    return property(get, set_ if "max_dynamic" in name or "carveout" in name else None)


for _name in _ATTRIBUTES:
    setattr(RawKernel, _name, _attribute(_name))
