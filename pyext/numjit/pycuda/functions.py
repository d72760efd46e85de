"""Modules and their functions: the results of SourceModule and module_from_buffer."""

from __future__ import annotations

import struct
import time

import numpy as np

from numjit.cuda.cudadrv.driver import get_driver
from numjit.cupy.pending import evaluate_all
from numjit.cupy.text_arguments import Arguments
from numjit.cupy.text_kernels import _ATTRIBUTES, LoadedModule, check_device

from . import host_memory, memory


class ArgumentHandler:
    """An array of the host as an argument: copied before, after, or both."""

    before = after = True

    def __init__(self, array):
        self.array = array

    def _pass(self, arguments):
        self._place = memory.mem_alloc(self.array.nbytes)
        if self.before:
            memory.memcpy_htod(self._place, self.array)
        arguments.add_pointer(int(self._place))

    def _finish(self):
        if self.after:
            memory.memcpy_dtoh(self.array, self._place)


class In(ArgumentHandler):
    """Copied to the device."""

    after = False


class Out(ArgumentHandler):
    """Copied from the device."""

    before = False


class InOut(ArgumentHandler):
    """Copied both ways."""


def _add(arguments, value):
    if isinstance(value, ArgumentHandler):
        value._pass(arguments)
    elif isinstance(value, host_memory.PointerHolderBase):
        arguments.add_pointer(int(value))
    elif isinstance(value, np.number | np.bool_ | np.void):
        arguments.add_bytes(value.tobytes())
    elif hasattr(value, "_for_writing") or isinstance(value, memory.DeviceAllocation):
        arguments.add(value)
    elif hasattr(value, "gpudata"):
        arguments.add_pointer(int(value.gpudata))
    elif isinstance(value, (bytes, bytearray, memoryview)):
        arguments.add_bytes(bytes(value))
    elif host_memory.address_in_both(value) is not None:
        arguments.add_pointer(host_memory.address_in_both(value))
    elif hasattr(value, "__cuda_array_interface__") or hasattr(value, "ptr"):
        arguments.add(value)
    elif isinstance(value, np.ndarray):  # a struct, say: gpuarray.vec.make_float3(1, 2, 3)
        arguments.add_bytes(value.tobytes())
    else:
        raise TypeError(
            f"invalid type on parameter: {type(value).__name__} has no size; pass a NumPy scalar, "
            "such as np.int32(3)"
        )


class Function:
    """A kernel: function(*args, block=(x, y, z), grid=(x, y))."""

    def __init__(self, function):
        self._function, self._formats = function, None

    def __call__(
        self, *args, block=None, grid=(1, 1), stream=None, shared=0, texrefs=(), time_kernel=False,
        **unknown,
    ):  # fmt: skip
        if unknown:
            raise ValueError(f"extra keyword arguments: {','.join(unknown)}")
        if block is None:
            raise ValueError("must specify block size")
        if texrefs:
            raise NotImplementedError("texture references are gone from CUDA; read arrays instead")
        arguments = Arguments()
        for each in args:
            _add(arguments, each)
        if time_kernel:
            get_driver().synchronize()
        start = time.perf_counter()
        self._function.launch(tuple(grid), tuple(block), arguments, shared, _handle(stream))
        if time_kernel:
            get_driver().synchronize()
            elapsed = time.perf_counter() - start
        for each in args:
            if isinstance(each, ArgumentHandler):
                each._finish()
        return elapsed if time_kernel else None

    def prepare(self, arg_types, shared=None, texrefs=()):
        """Says the types of arguments once: "P" is an address, others are struct's or NumPy's."""
        self._formats = tuple(_format(each) for each in arg_types)
        return self

    def prepared_call(self, grid, block, *args, shared_size=0):
        self.prepared_async_call(grid, block, None, *args, shared_size=shared_size)

    def prepared_async_call(self, grid, block, stream, *args, shared_size=0):
        if self._formats is None:
            raise RuntimeError("the function is not prepared")
        if len(args) != len(self._formats):
            raise TypeError(f"{len(self._formats)} arguments are wanted, not {len(args)}")
        evaluate_all()
        arguments = Arguments()
        for format_, value in zip(self._formats, args):
            if format_ == "P":
                arguments.add_pointer(memory.address(value))
            elif isinstance(format_, np.dtype):
                arguments.add_bytes(np.array(value, format_).tobytes())
            else:
                arguments.add_bytes(struct.pack(format_, value))
        self._function.launch(tuple(grid), tuple(block), arguments, shared_size, _handle(stream))

    def prepared_timed_call(self, grid, block, *args, shared_size=0):
        start = time.perf_counter()
        self.prepared_call(grid, block, *args, shared_size=shared_size)
        get_driver().synchronize()
        elapsed = time.perf_counter() - start
        return lambda: elapsed

    def set_cache_config(self, config):
        """Nothing: the driver chooses."""

    set_shared_config = set_cache_config

    def get_attribute(self, attribute):
        return get_driver().function_attribute(attribute, self._function.ptr)

    def set_attribute(self, attribute, value):
        get_driver().set_function_attribute(self._function.ptr, attribute, value)

    def __getattr__(self, name):
        if name in _ATTRIBUTES:
            return self._function.attribute(name)
        raise AttributeError(name)


def _handle(stream):
    return 0 if stream is None else stream.handle


def _format(kind):
    if isinstance(kind, str) and len(kind) == 1:
        return kind
    dtype = np.dtype(kind)
    return "P" if dtype == np.intp and kind is np.intp else dtype


class Module:
    """Machine code on the device."""

    def __init__(self, image):
        check_device()
        self._module = LoadedModule(image)

    def get_function(self, name):
        return Function(self._module.function(name))

    def get_global(self, name):
        """(address, bytes) of a variable."""
        return self._module.global_(name)

    def get_texref(self, name):
        raise NotImplementedError("texture references are gone from CUDA; read arrays instead")


def module_from_buffer(buffer, options=(), message_handler=None):
    """A module of a cubin or PTX."""
    return Module(bytes(buffer) + b"\0")


def module_from_file(filename):
    with open(filename, "rb") as file:
        return module_from_buffer(file.read())
