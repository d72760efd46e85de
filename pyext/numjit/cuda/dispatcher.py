"""Kernels and device functions: what @cuda.jit returns.

The road of a launch: `kernel[grid, block]` finds a launcher in a dict; calling that scans the
arguments, finds the compiled kernel by their types and calls the driver, all in
pyext/gpu/launcher.cpp. It comes back for types that were not seen before (loaded.py), and for
arguments that a kernel cannot take as they are (`_launch_copies`).

Threads share all of it. What is filled when it is first needed is one object for all of them: each
kernel is compiled and loaded once, by the thread that comes first, while others with the same types
wait for it and the rest go on.
"""

from __future__ import annotations

import copyreg
import functools
import math
import pickle
import re
import warnings
from collections import Counter

import numpy as np

from numjit import _core, config
from numjit.caching import home
from numjit.errors import NumbaPerformanceWarning
from numjit.functions import FunctionLike, frameless
from numjit.signatures import normalize_signature
from numjit.timing import total
from numjit.types.rows import handle_of
from numjit.types.wrap import wrap, wrap_all
from numjit.upcalls import ask

from . import graphs, launchconfig
from .args import ArgHint, In, Out, exports_device_memory
from .cudadrv import devices, driver
from .cudadrv.devicearray import (
    DeviceNDArray,
    DeviceRecord,
    MappedNDArray,
    as_cuda_array,
    auto_device,
    is_cuda_array,
)
from .device_code import device_llvm, device_ptx
from .launch_bounds import checked_bounds
from .loaded import LoadedKernels
from .matching import distance, is_array, signed_as, viewed_as
from .reports import report
from .toolchain import find_libdevice

_local = devices._local
_NO_CONFIGURATION = (None,)

_NOT_CONFIGURED = """
Kernel launch configuration was not specified. Use the syntax:

kernel_function[blockspergrid, threadsperblock](arg0, arg1, ..., argn)

with the numbers of blocks and of threads in a block, each an int or a tuple of up to three.
"""


class CUDADispatcher(_core.KernelDispatcher, FunctionLike):
    """A kernel, or a function of the device."""

    def __init__(self, py_func, compiler_options, targetoptions):
        functools.update_wrapper(self, py_func)
        self.targetoptions = targetoptions
        self.extensions = targetoptions.get("extensions") or []
        self._declared = []  # argument types of signatures that were given
        self._launchers = {}  # (context, configuration) -> Launcher
        self._loaded = {}  # context -> LoadedKernels
        self._specialized = {}
        self.specialized = False
        self.per_configuration = None  # or LoadedKernels by context and configuration

    # -- launching ----------------------------------------------------------------------------

    def _configured(self, configuration, warn=True):
        """kernel[configuration], which the C class asks where it is not that of the last launch."""
        if configuration is _NO_CONFIGURATION:
            return None
        try:
            return self._launchers[_local.context, configuration]
        except (KeyError, AttributeError, TypeError):
            return self._configure(configuration, warn)

    def launch_quietly(self, configuration, *args):
        """kernel[configuration](*args) without a warning of a small grid."""
        self._configured(configuration, warn=False)(*args)

    @frameless
    def configure(self, griddim, blockdim, stream=0, sharedmem=0):
        """The kernel with a launch configuration."""
        return self[griddim, blockdim, stream, sharedmem]

    def _configure(self, configuration, warn):
        if not isinstance(configuration, tuple) or len(configuration) not in (2, 3, 4):
            raise ValueError("must specify at least the griddim and blockdim")
        if self._is_device:
            raise RuntimeError("Cannot compile a device function as a kernel")
        grid, block, stream, shared = (*configuration, 0, 0)[:4]
        grid, block = _dimensions(grid, "griddim"), _dimensions(block, "blockdim")
        context = devices.get_context()
        if warn:
            self._warn_of_low_occupancy(grid)
        loaded = self._loaded_in(context, (grid, block, int(shared)))
        launcher = _core.Launcher(
            self,
            loaded,
            loaded.table,
            grid,
            block,
            None if isinstance(stream, int) else stream,
            driver.stream_handle(stream) or _default_stream(),
            int(shared),
        )
        if len(self._launchers) > 512:
            self._launchers.clear()
        try:
            self._launchers[context, configuration] = launcher
        except TypeError:  # a list among the dimensions
            pass
        return launcher

    def _warn_of_low_occupancy(self, grid):
        blocks = math.prod(grid)
        if blocks < 128 and config.CUDA_LOW_OCCUPANCY_WARNINGS and not driver.simulated():
            warnings.warn(
                f"Grid size {blocks} will likely result in GPU under-utilization due to low "
                "occupancy.",
                NumbaPerformanceWarning,
                stacklevel=4,
            )

    @frameless
    def forall(self, ntasks, tpb=0, stream=0, sharedmem=0):
        """The kernel for at least `ntasks` threads, in blocks of a size that suits it."""
        return ForAll(self, ntasks, tpb, stream, sharedmem)

    def __call__(self, *args, **kwargs):
        if self._is_device:
            raise RuntimeError(f"{self.__name__} is a device function: only kernels can call it")
        raise ValueError(_NOT_CONFIGURED)

    @property
    def _is_device(self):
        return self.targetoptions.get("device", False)

    # -- compiling ----------------------------------------------------------------------------

    def for_configurations(self):
        """Compiles for each launch configuration from now on; the launch that is being compiled has
        what was there before."""
        if self.per_configuration is None:
            config = launchconfig.ensure_current_launch_config()
            context = config.launcher.loaded.context
            self.per_configuration = {(context, config.key): config.launcher.loaded}
            for launcher in list(self._launchers.values()):
                loaded = self._loaded_in(launcher.loaded.context, launchconfig.key_of(launcher))
                launcher.compile_in(loaded, loaded.table)

    def _loaded_in(self, context, configuration=None):
        context.note_dispatcher(self)
        if configuration is not None and self.per_configuration is not None:
            made = LoadedKernels(self, context)
            return self.per_configuration.setdefault((context, configuration), made)
        found = self._loaded.get(context)
        if found is None:
            for other in list(self._loaded):
                if not other.alive:
                    self._loaded.pop(other, None)
            found = self._loaded.setdefault(context, LoadedKernels(self, context))
        return found

    def forget(self, context):
        """Drops the kernels that are loaded in a context; launchers that a program holds stay."""
        self._loaded.pop(context, None)
        for kept in self._launchers, self._specialized, self.per_configuration or {}:
            for key in [key for key in list(kept) if key[0] is context]:
                kept.pop(key, None)
        self[_NO_CONFIGURATION]  # in place of the launcher that the C class remembers

    def _accepted(self, rows):
        """The types to compile for: declared scalars win over what is given, and layouts that are
        better than declared ones stay."""
        if not self._declared:
            return tuple(rows)
        given = wrap_all(rows)
        if self.specialized:
            given = signed_as(given, self._declared[0])
            rows = [row if each == wrap(row) else handle_of(each) for row, each in zip(rows, given)]
        costs = [(distance(given, declared), declared) for declared in self._declared]
        costs = [each for each in costs if each[0] is not None]
        best = min(costs, key=lambda each: each[0], default=None)
        if best is not None and any(best[0]):
            self._refuse_ambiguous(given, [each for cost, each in costs if cost == best[0]])
        if best is None:
            raise TypeError(
                "No matching definition for argument type(s) " + ", ".join(map(str, given))
            )
        return tuple(
            row if is_array(type_) else handle_of(wanted)
            for row, type_, wanted in zip(rows, given, best[1])
        )

    def _refuse_ambiguous(self, given, equal):
        """Raises if several signatures suit arguments equally well, by other conversions."""
        equal = [each for each in equal if not all(map(is_array, each))]
        scalars = {tuple(each for each in row if not is_array(each)) for row in equal}
        if len(scalars) > 1:
            rows = "\n".join(f"({', '.join(map(repr, row))}) -> none" for row in equal)
            raise TypeError(
                f"Ambiguous overloading for {self.py_func} ({', '.join(map(repr, given))}):\n{rows}"
            )

    def _options(self, **more):
        """Options of numjit._core.compile_kernel."""
        given = self.targetoptions
        debug = bool(given.get("debug"))
        threads, blocks, cluster = checked_bounds(given.get("launch_bounds"))
        options = {
            "name": re.sub(r"\W", "_", self.__name__),
            "opt": given.get("opt") is not False,
            # What is raised reaches the host.
            "debug": debug or bool(given.get("boundscheck")),
            "lineinfo": debug or bool(given.get("lineinfo")),
            "registers": int(given.get("max_registers") or 0),
            "block_threads": threads,
            "blocks": blocks,
            "cluster": cluster,
            "fma": bool(given.get("fma", True)),
        }
        if driver.simulated():
            options["simulated"] = True
        else:
            options["libdevice"] = find_libdevice()
        return {**options, **more}

    @frameless
    def compile(self, sig):
        """Compiles for a signature."""
        arguments, result = normalize_signature(sig)
        if result is not None and str(result) not in ("none", "void") and not self._is_device:
            raise TypeError(f"CUDA kernel must have void return type, not {result}.")
        rows = tuple(handle_of(type_) for type_ in arguments)
        if self._is_device:
            code = self.py_func.__code__
            if self.__name__ in code.co_names + code.co_freevars:
                return None  # it calls itself, by a name that it has once it is decorated
            _core.dump_kernel(self, rows, self._options(device=True), "typed")
            return None
        made = self._loaded_in(devices.get_context()).kernel(rows)
        if arguments not in self._declared:
            self._declared.append(arguments)
        return made

    compile_device = compile

    def like(self, py_func):
        """Another function with the same options."""
        made = CUDADispatcher(py_func, self._compiler_options, self.targetoptions)
        made._compiler_options = self._compiler_options
        return made

    @frameless
    def specialize(self, *args):
        """A kernel for the types of these arguments alone."""
        if self.specialized:
            raise RuntimeError("Dispatcher already specialized")
        rows = _core.kernel_types(tuple(self._converted(args)[0]))
        key = devices.get_context(), rows
        made = self._specialized.get(key)
        if made is None:
            made = self.like(self.py_func)
            made._declared = [wrap_all(rows)]
            made.specialized = True
            made = self._specialized.setdefault(key, made)
            made._loaded_in(key[0]).kernel(rows)
        return made

    # -- arguments that a kernel cannot take as they are --------------------------------------

    def _converted(self, args, stream=0, back=None):
        """Arguments as kernels take them, and whether any was changed. What is to be copied to the
        host after the launch is added to `back`."""
        changed, converted = False, []
        for value in args:
            for extension in reversed(self.extensions):
                _, value = extension.prepare_args(None, value, stream=stream, retr=back)
            new = self._converted_one(value, stream, back)
            changed = changed or new is not value
            converted.append(new)
        return converted, changed

    def _converted_one(self, value, stream, back):
        if isinstance(value, DeviceNDArray):
            return value
        if isinstance(value, tuple):
            items = [self._converted_one(item, stream, back) for item in value]
            if all(new is old for new, old in zip(items, value)):
                return value
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        hint = type(value) if isinstance(value, ArgHint) else None
        if hint is not None:
            value = value.value
        if isinstance(value, MappedNDArray) or is_cuda_array(value):
            return auto_device(value, stream)[0]
        if exports_device_memory(value):
            return as_cuda_array(ask("array of DLPack")(value))
        simulated = driver.simulated()
        if not isinstance(value, np.ndarray) and (simulated or not isinstance(value, np.void)):
            return value
        if simulated and hint is None and type(value) is np.ndarray and value.dtype.num < 16:
            return value
        if hint is None and config.CUDA_WARN_ON_IMPLICIT_COPY and not simulated:
            warnings.warn(
                "Host array used in CUDA kernel will incur copy overhead to/from device.",
                NumbaPerformanceWarning,
                stacklevel=3,
            )
        array, new = auto_device(value, stream, copy=hint is not Out)
        if new and hint is not In and back is not None:
            back.append(lambda: _copy_back(array, value, stream))
        return array

    def _launch_copies(self, launcher, args):
        """Launches with copies of host arrays on the device, which are copied back."""
        back = []
        converted, changed = self._converted(args, 0, back)
        if not changed:
            _core.kernel_types(tuple(converted))  # raises for what has no type
            raise TypeError(f"{self.__name__}: an argument cannot be passed to a kernel")
        result = launcher.launch_quietly(*converted)
        for copy in back:
            copy()
        return result

    def _call_back(self, launcher, args, callbacks):
        """Before a launch, calls what was added to `pre_launch_callbacks`."""
        if callbacks:
            rows = _core.kernel_types(tuple(self._converted(args)[0]))
            made = launcher.loaded.compiled_for(rows, launcher, args)
            for callback in list(callbacks):
                callback(made, launcher)

    def _launch_simulated(self, grid, block, shared, args, launcher):
        """A launch in the simulator, whose device arrays are arrays of the host."""
        back = []
        converted, _ = self._converted(args, 0, back)
        rows = _core.kernel_types(tuple(converted))
        made = launcher.loaded.compiled_for(rows, launcher, args)
        values = [_on_host(value) for value in converted]
        if self.specialized:
            values = list(map(viewed_as, values, self._declared[0]))
        launch = functools.partial(made.launch_simulated, grid, block, shared, values)
        if not graphs.recorded(launch):
            launch()
        for copy in back:
            copy()

    # -- looking inside -----------------------------------------------------------------------

    @property
    def _kernels(self):
        if self.specialized or self._loaded:
            return self._loaded_in(devices.get_context()).kernels
        return {}

    @property
    def specializations(self):
        """(compute capability, argument types) -> what specialize() has made."""
        return {
            (context.device.compute_capability, made._declared[0]): made
            for (context, _), made in list(self._specialized.items())
        }

    @property
    def overloads(self):
        """Argument types -> compiled kernel, on the current device."""
        return {made.argtypes: made for made in self._kernels.values()}

    @property
    def signatures(self):
        return list(self.overloads)

    nopython_signatures = signatures

    @property
    def definition(self):
        """The only compiled kernel."""
        kernels = list(self._kernels.values())
        if len(kernels) != 1:
            raise ValueError(f"{self.__name__} has {len(kernels)} compiled kernels, not 1")
        return kernels[0]

    @property
    def stats(self):
        """Cache statistics (cache_path, cache_hits, cache_misses)."""
        from numjit.inspection import Stats

        hits, misses = Counter(), Counter()
        for types, made in self.overloads.items():
            (hits if made.from_cache else misses)[types] += 1
        path = home(self.py_func)[0] if self.targetoptions.get("cache") else None
        return Stats(path, hits, misses)

    def _inspected(self, signature, question):
        if signature is not None:
            return question(self.overloads[normalize_signature(signature)[0]])
        return {types: question(made) for types, made in self.overloads.items()}

    def _figure(self, signature, question):
        if signature is None and self.specialized:
            # The first one; others are for arrays of better layouts.
            return question(next(iter(self._kernels.values())))
        return self._inspected(signature, question)

    @frameless
    def inspect_asm(self, signature=None):
        """PTX: of one signature, or a dict by signature."""
        if self._is_device and signature is not None:
            return device_ptx(self, signature)
        return self._inspected(signature, lambda made: made.inspect_asm())

    @frameless
    def inspect_llvm(self, signature=None):
        """LLVM IR: of one signature, or a dict by signature."""
        if self._is_device and signature is not None:
            return device_llvm(self, signature)
        return self._inspected(signature, lambda made: made.inspect_llvm())

    @frameless
    def inspect_sass(self, signature=None):
        """Machine code, by nvdisasm or cuobjdump: of one signature, or a dict by signature."""
        if self._is_device:
            raise RuntimeError("Cannot inspect SASS of a device function")
        return self._inspected(signature, lambda made: made.inspect_sass())

    @frameless
    def inspect_lto_ptx(self, signature=None):
        return self.inspect_asm(signature)

    @frameless
    def inspect_types(self, file=None):
        """Prints the typed form of each compiled kernel."""
        for types, made in self.overloads.items():
            print(f"{self.__name__} {types}", file=file)
            print("-" * 80, file=file)
            print(made._dump("typed"), file=file)
            print("=" * 80, file=file)

    @frameless
    def get_regs_per_thread(self, signature=None):
        return self._figure(signature, lambda made: made.regs_per_thread)

    @frameless
    def get_const_mem_size(self, signature=None):
        return self._figure(signature, lambda made: made.const_mem_size)

    @frameless
    def get_shared_mem_per_block(self, signature=None):
        return self._figure(signature, lambda made: made.shared_mem_per_block)

    @frameless
    def get_local_mem_per_thread(self, signature=None):
        return self._figure(signature, lambda made: made.local_mem_per_thread)

    @frameless
    def get_max_threads_per_block(self, signature=None):
        return self._figure(signature, lambda made: made.max_threads_per_block)

    @frameless
    def report(self, threads=256, sharedmem=0, signature=None):
        """Registers, memory and occupancy with blocks of so many threads, and what limits it:
        text of one signature, or of all."""
        found = self._inspected(signature, lambda made: report(made, threads, sharedmem))
        return found if isinstance(found, str) else "\n".join(found.values())

    @frameless
    def timings(self, signature=None):
        """Milliseconds of compilation by stage: of one signature, or summed over all."""
        found = self.overloads
        chosen = found.values() if signature is None else [found[tuple(signature)]]
        return total(iter(made.timings) for made in chosen)

    def __repr__(self):
        return f"<numjit.cuda {'device function' if self._is_device else 'kernel'} {self.__name__}>"

    #: What makes one of a function, signatures and options, and compiles it (decorators.py).
    _makers: tuple

    def __reduce__(self):
        from numjit.pickling import reduce_kernel

        return reduce_kernel(self)


def _reduce_launcher(launcher):
    if launcher.pre_launch_callbacks:
        raise pickle.PicklingError("Cannot pickle configured launches with pre-launch callbacks")
    return launcher.__reduce__()


copyreg.pickle(_core.Launcher, _reduce_launcher)


class ForAll:
    """A kernel for a number of tasks."""

    def __init__(self, dispatcher, ntasks, tpb, stream, sharedmem):
        if ntasks < 0:
            raise ValueError(f"Can't create ForAll with negative task count: {ntasks}")
        self.dispatcher, self.ntasks, self.thread_per_block = dispatcher, ntasks, tpb
        self.stream, self.sharedmem = stream, sharedmem

    @frameless
    def __call__(self, *args):
        if self.ntasks == 0:
            return
        threads = self.thread_per_block or self._block_size(args)
        blocks = (self.ntasks + threads - 1) // threads
        # No warning of small grids: the number of tasks is what it is.
        configuration = blocks, threads, self.stream, self.sharedmem
        self.dispatcher.launch_quietly(configuration, *args)

    def _block_size(self, args):
        kernels = list(self.dispatcher._kernels.values())
        if len(kernels) == 1:
            made = kernels[0]
        else:
            rows = _core.kernel_types(tuple(self.dispatcher._converted(args)[0]))
            made = self.dispatcher._loaded_in(devices.get_context()).compiled_for(rows)
        return driver.get_driver().best_block_size(made.function, self.sharedmem)


def _default_stream():
    return driver.PER_THREAD_STREAM if config.CUDA_PER_THREAD_DEFAULT_STREAM else 0


def normalize_kernel_dimensions(griddim, blockdim):
    """Grid and block of a launch configuration with three extents each."""
    return _dimensions(griddim, "griddim"), _dimensions(blockdim, "blockdim")


def _dimensions(value, name):
    """Three extents of a grid or a block."""
    given = value if isinstance(value, tuple | list) else (value,)
    if not 1 <= len(given) <= 3:
        raise ValueError(f"{name} must be a sequence of 1, 2 or 3 integers, got {list(given)}")
    extents = []
    for each in given:
        if isinstance(each, float) or not hasattr(each, "__index__"):
            raise TypeError(f"{name} must be a sequence of integers, got {list(given)}")
        extents.append(each.__index__())
    if any(n < 0 for n in extents):
        raise ValueError(f"{name} must not be negative, got {value!r}")
    return (*extents, 1, 1)[:3]


def _copy_back(array, value, stream):
    if not isinstance(array, DeviceRecord):
        array.copy_to_host(value, stream)
        return
    found = array.copy_to_host(stream=stream)
    for name in found.dtype.names:
        value[name] = found[name]


def _on_host(value):
    """A device array of the simulator as an array of the host."""
    if isinstance(value, DeviceNDArray):
        shadow = value._shadow()
        return shadow[()] if isinstance(value, DeviceRecord) else shadow
    if isinstance(value, tuple):
        items = [_on_host(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value
