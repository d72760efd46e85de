"""The kernels of a dispatcher that are compiled and loaded for one context, and what a launch asks
of them."""

from __future__ import annotations

import linecache
import math
import threading
import time
import weakref

import numpy as np

from numjit import _core, config
from numjit.signatures import Signature
from numjit.types import void
from numjit.types.wrap import wrap_all

from . import kept, launchconfig, scratch
from .cudadrv import driver
from .cudadrv.error import CudaAPIError
from .cudadrv.linkable import PTXSource, declared_links, load
from .device_code import capability_of, default_cc
from .toolchain import disassembly, find_libdevice

#: Of one kernel for the types of its arguments, that are made for their values; then one for all.
_MOST_VARIANTS = 8


class LoadedKernels:
    """What is compiled of a dispatcher for the device of a context."""

    def __init__(self, dispatcher, context):
        # The dispatcher owns this: a reference back would keep both alive.
        self._dispatcher = weakref.ref(dispatcher)
        self.context = context
        self.kernels = {}  # rows of the argument types -> CompiledKernel
        self.variants = {}  # rows -> those for other values of the arguments
        self._making = {}  # rows -> the lock of the thread that compiles for them
        self.table = _core.KernelTable(simulated=driver.simulated())

    def _found(self, rows, slots):
        """The kernel for types and values of arguments, or None."""
        made = self.kernels.get(rows)
        if made is None or not slots or made.fits(slots):
            return made
        return next((each for each in self.variants.get(rows, ()) if each.fits(slots)), None)

    def kernel(self, rows, slots=()):
        """The kernel for types of arguments, and for the values of a launch, compiled once,
        whichever threads ask."""
        made = self._found(rows, slots)
        if made is not None:
            return made
        with self._making.setdefault(rows, threading.RLock()):
            made = self._found(rows, slots)
            if made is None:
                variants = self.variants.setdefault(rows, [])
                if len(variants) >= _MOST_VARIANTS:
                    slots = ()
                with self.context.entered():
                    made = CompiledKernel(self._dispatcher(), self.context, rows, slots)
                if self.kernels.setdefault(rows, made) is not made:
                    variants.append(made)
                self._making.pop(rows, None)
        return made

    def compiled_for(self, rows, launcher=None, args=(), slots=()):
        """The kernel for what a launch is given; pyext/gpu/launcher.cpp asks. `slots`: the values
        of the arguments, as it passes them."""
        dispatcher = self._dispatcher()
        code = dispatcher.py_func.__code__
        if len(rows) != code.co_argcount and not code.co_flags & 0x04:
            raise TypeError(
                f"{dispatcher.__name__}() takes {code.co_argcount} arguments, but {len(rows)} were "
                "given"
            )
        accepted = dispatcher._accepted(rows)
        made = self._found(accepted, slots)
        if made is None:
            with launchconfig.compiling(dispatcher, launcher, args):
                made = self.kernel(accepted, slots)
        if launcher is not None and dispatcher.per_configuration is not None:
            own = dispatcher._loaded_in(self.context, launchconfig.key_of(launcher))
            if own is not self:  # another thread found out meanwhile that each has its own
                return own.compiled_for(rows, launcher, args, slots)
        return made


class CompiledKernel:
    """A kernel for argument types, loaded on a device."""

    def __init__(self, dispatcher, context, rows, slots=()):
        self.argtypes, self.device, self.context = wrap_all(rows), context.device, context
        self.cooperative, self.scratch, self._record = False, None, None
        self.from_cache = False
        self._launching = threading.Lock()
        if driver.simulated():
            self._simulate(dispatcher, rows)
            return
        major, minor, suffix = capability_of(
            config.FORCE_CUDA_CC or context.device.compute_capability
        )
        self._options = {
            **dispatcher._options(major=major, minor=minor, suffix=suffix),
            **scratch.options(dispatcher.targetoptions.get("scratch")),
        }
        self._dispatcher, self._rows = weakref.ref(dispatcher), rows
        entry, cubin = kept.entry_of(dispatcher, rows, self._options), b""
        if not entry:  # what is kept serves all launches
            self._options["slots"] = slots
        found = entry.load(dispatcher, rows) if entry else None
        self.from_cache = found is not None
        if found:
            self.kernel, cubin = found
        else:
            self.kernel = _core.compile_kernel(dispatcher, rows, self._options, entry)
        self.timings = list(self.kernel.timings)
        self.entry_name = self._options["name"]
        self.cooperative = self.kernel.cooperative
        start = time.perf_counter()
        self._load(dispatcher.targetoptions, cubin, keep=bool(entry) and not found)
        self.timings.append(("load", 1e3 * (time.perf_counter() - start)))
        if entry and not found and dispatcher.per_configuration is None:
            kept.store(dispatcher, entry, self.kernel, self._cubin)

    def _simulate(self, dispatcher, rows):
        given = dispatcher.targetoptions
        self._options = dispatcher._options()
        self._dispatcher, self._rows = weakref.ref(dispatcher), rows
        races = given.get("racecheck")
        self._check_races = config.CUDA_RACECHECK if races is None else bool(races)
        self.kernel = _core.SimulatedKernel(
            dispatcher, rows, race_check=self._check_races, scratch=given.get("scratch") or 0
        )
        self.timings = list(self.kernel.timings)
        self.cooperative = self.kernel.cooperative

    def fits(self, slots):
        """Whether it was made for the values of the arguments of a launch."""
        return driver.simulated() or self.kernel.fits(slots)

    def launch_simulated(self, grid, block, shared, values):
        # What the driver refuses: empty launches, and those beyond the limits of all GPUs.
        if (
            not all(1 <= n <= most for n, most in zip(grid, (2**31 - 1, 65535, 65535), strict=True))
            or not all(1 <= n <= most for n, most in zip(block, (1024, 1024, 64), strict=True))
            or math.prod(block) > 1024
            or shared + self.kernel.static_shared > 48 * 1024
        ):
            raise CudaAPIError(1, "Call to cuLaunchKernel results in CUDA_ERROR_INVALID_VALUE")
        self.kernel.launch(grid, block, shared, *values)

    def _load(self, options, cubin=b"", keep=False):
        """Loads the kernel: from its PTX, or a cubin. `keep`: notes a cubin for the cache."""
        context, cuda = self.context, driver.get_driver()
        image = self.kernel.ptx.encode() + b"\0"
        assembler = {
            "registers": int(options.get("max_registers") or 0),
            "debug": bool(options.get("debug")) and options.get("opt") is False,
            "lines": bool(options.get("lineinfo")),
        }
        links = [*(options.get("link") or ()), *declared_links(self.kernel.ptx)]
        if cubin:
            image, assembler = cubin, {}
        elif links or keep:
            capability = self._options["major"], self._options["minor"]
            image = cuda.link([PTXSource(image, "kernel"), *links], capability, **assembler)
            assembler = {}
        # What is linked may change: then the cache has PTX alone.
        self._cubin = image if keep and not links else b""
        uses_scratch = " numjit_scratch[" in self.kernel.ptx
        if uses_scratch and self._options["heap"]:
            scratch.make_heap(context)
        try:
            self._module, unload = load(cuda, image, links, **assembler)
        except driver.LinkerError:
            if not cubin:
                raise
            # Of a newer driver than this one.
            self._load(options)
            return
        weakref.finalize(self, driver.pending.add, context, unload, self._module).atexit = False
        function = cuda.function(self._module, self.entry_name)
        self.kernel.function, self.kernel.context = function, context.for_launches
        if "numjit_dynamic_shared" in self.kernel.ptx:
            most = context.device.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
            cuda.set_function_attribute(
                function, driver.MAX_DYNAMIC_SHARED, max(0, most - self.shared_mem_per_block)
            )
        if options.get("shared_memory_carveout") is not None:
            percent = options["shared_memory_carveout"]
            cuda.set_function_attribute(function, driver.SHARED_CARVEOUT, percent)
        if uses_scratch:
            given = {name: self._options[name] for name in ("scratch", "heap")}
            self.scratch = scratch.Scratch(self, self._module, given)
        if self.kernel.checked and self.kernel.raises:
            self._record = cuda.module_global(self._module, "numjit_raised")
        else:
            self.kernel.checked = False

    def load_again(self, options):
        """Compiles with other options, for the launches to come."""
        dispatcher = self._dispatcher()
        if dispatcher is None:
            return
        self._options = {**self._options, **options}
        self.kernel.ptx = _core.compile_kernel(dispatcher, self._rows, self._options).ptx
        with self.context.entered():
            self._load(dispatcher.targetoptions)

    # -- launches, as pyext/gpu/launcher.cpp makes them --------------------------------------------

    def begin_launch(self):
        """Before a launch of a kernel that has state in device memory, what it raises: waits until
        there is no other one. Each begin has its end, or fails."""
        self._launching.acquire()

    def launch_failed(self, status, begun):
        """Raises what the driver reports of a launch."""
        if begun:
            self._launching.release()
        driver.get_driver().fail("cuLaunchKernel", status)

    def end_launch(self, stream):
        """Raises at the host what a kernel with debug=True raised."""
        try:
            with self.context.entered():
                driver.get_driver().synchronize_stream(stream)
                self._raise_recorded()
        finally:
            self._launching.release()

    def _raise_recorded(self):
        cuda = driver.get_driver()
        pointer, size = self._record
        words = np.zeros(size // 4, np.uint32)
        cuda.copy("DtoH", words.ctypes.data, pointer, size, None)
        if words[0]:
            cuda.fill(pointer, 0, size, None)
            raise self._recorded(words)

    def _recorded(self, words):
        """The exception that a record stands for: its number among the kernel's raises, the thread,
        the block, and from the eighth word on the numbers in its text."""
        cls, message, function, filename, line, count = self.kernel.raises[words[0] - 1]
        text = f"tid={[int(n) for n in words[1:4]]} ctaid={[int(n) for n in words[4:7]]}"
        if filename:
            text = f"In function {function!r}, file {filename}, line {line}, {text}"
        if count:
            message = message.format(*words[8:].view(np.int64)[:count].tolist())
        if message is not None:
            text += f": {message}"
        source = linecache.getline(filename, line).strip() if filename else ""
        if source:
            text += f"\n  in kernel {self._kernel_name()}: {source}"
        return cls(text)

    def _kernel_name(self):
        dispatcher = self._dispatcher()
        return dispatcher.__name__ if dispatcher else "?"

    # -- looking inside -----------------------------------------------------------------------

    @property
    def function(self):
        """The driver's handle; the simulator has none."""
        return None if driver.simulated() else self.kernel.function

    @property
    def signature(self):
        return Signature(void, self.argtypes)

    def _dump(self, stage):
        return _core.dump_kernel(self._dispatcher(), self._rows, self._options, stage)

    def inspect_asm(self, cc=None):
        """PTX, in the simulator what a GPU would be given; `cc` is that of the device."""
        if not driver.simulated():
            return self.kernel.ptx
        major, minor = default_cc()
        options = {**self._options, "major": major, "minor": minor, "simulated": False}
        options["libdevice"] = find_libdevice()
        return _core.compile_kernel(self._dispatcher(), self._rows, options).ptx

    def inspect_llvm(self):
        return self._dump("llvm")

    def inspect_sass(self):
        return disassembly(self.inspect_asm(), self.device.compute_capability)

    def _attribute(self, number):
        if driver.simulated():
            known = {driver.MAX_THREADS: 1024, driver.SHARED_BYTES: self.kernel.static_shared}
            return known.get(number, 0)
        return driver.get_driver().function_attribute(number, self.function)

    @property
    def regs_per_thread(self):
        return self._attribute(driver.REGISTERS)

    @property
    def const_mem_size(self):
        return self._attribute(driver.CONST_BYTES)

    @property
    def shared_mem_per_block(self):
        return self._attribute(driver.SHARED_BYTES)

    @property
    def local_mem_per_thread(self):
        return self._attribute(driver.LOCAL_BYTES)

    @property
    def max_threads_per_block(self):
        return self._attribute(driver.MAX_THREADS)

    def max_cooperative_grid_blocks(self, blockdim, dynsmemsize=0):
        """The most blocks of a launch that synchronises its whole grid."""
        threads = math.prod(blockdim) if hasattr(blockdim, "__iter__") else blockdim
        per_processor = driver.get_driver().occupancy(self.function, threads, dynsmemsize)
        return per_processor * self.device.MULTIPROCESSOR_COUNT
