"""Plans of cuFFT, and the caches of those that transforms make: one for each thread and device."""

from __future__ import annotations

import collections
import contextlib
import ctypes
import math
import sys
import threading

import numpy as np

from numjit.cuda.cudadrv import devices

from . import current
from .creation import empty
from .libraries import LibraryNotFound, check, library, newest
from .pointers import alloc
from .runtime import getDeviceCount

CUFFT_FORWARD, CUFFT_INVERSE = -1, 1
CUFFT_C2C, CUFFT_R2C, CUFFT_C2R = 0x29, 0x2A, 0x2C
CUFFT_Z2Z, CUFFT_D2Z, CUFFT_Z2D = 0x69, 0x6A, 0x6C

#: Kind of transform -> cuFFT's numbers of it for single and double precision.
TYPES = {
    "C2C": (CUFFT_C2C, CUFFT_Z2Z),
    "R2C": (CUFFT_R2C, CUFFT_D2Z),
    "C2R": (CUFFT_C2R, CUFFT_Z2D),
}
_KIND_OF = {number: kind for kind, numbers in TYPES.items() for number in numbers}
_FUNCTIONS = {
    CUFFT_C2C: "cufftExecC2C", CUFFT_Z2Z: "cufftExecZ2Z", CUFFT_R2C: "cufftExecR2C",
    CUFFT_D2Z: "cufftExecD2Z", CUFFT_C2R: "cufftExecC2R", CUFFT_Z2D: "cufftExecZ2D",
}  # fmt: skip
#: cuFFT's number of a kind of transform -> the dtypes that it reads and writes.
DTYPES = {
    number: tuple(np.dtype({"C": "FD", "R": "fd"}[side][is_double]) for side in (kind[0], kind[2]))
    for kind, numbers in TYPES.items()
    for is_double, number in enumerate(numbers)
}
#: cuFFT's numbers of complex and real data (cudaDataType).
_DATA_TYPES = {"e": 2, "f": 0, "d": 1, "E": 6, "F": 4, "D": 5}
_local = threading.local()


def _check(status):
    check("cuFFT", status)


def getVersion():
    """cuFFT's version as a number; without the library the newest that is looked for."""
    found = ctypes.c_int(1000 * newest("cufft"))
    with contextlib.suppress(LibraryNotFound):
        _check(library("cufft").cufftGetVersion(ctypes.byref(found)))
    return found.value


def _numbers(values):
    return None if values is None else (ctypes.c_longlong * len(values))(*values)


class Plan:
    """A plan of transforms: of `batch` arrays of a shape. cuFFT's own plan is made when it is first
    used. As a context it is what transforms are compared with.

    `layouts` are cuFFT's (inembed, istride, idist) and (onembed, ostride, odist), by default those
    of contiguous arrays.
    """

    axes = None  #: of the array that it was made for, where that is known
    callbacks = ()
    gpus = None
    _handle = _stream = _work_area = None

    def __init__(self, shape, fft_type, batch, layouts=((None, 1, 0), (None, 1, 0))):
        self.shape, self.fft_type, self.batch = tuple(shape), fft_type, batch
        self._layouts = layouts
        self._lock = threading.RLock()  # threads may share a plan that a program holds

    # -- cuFFT's plan ---------------------------------------------------------------------------

    @property
    def handle(self):
        """The number of cuFFT's plan."""
        with self._lock:
            if self._handle is None:
                self._make()
            return self._handle

    @property
    def work_area(self):
        """The memory that transforms need beside their arrays."""
        with self._lock:
            _ = self.handle  # which brings it
            return self._work_area

    def _make(self):
        made, self._size = ctypes.c_int(), ctypes.c_size_t()
        _check(library("cufft").cufftCreate(ctypes.byref(made)))
        try:
            for callback in self.callbacks:
                callback.set(made.value, self.fft_type)
            _check(library("cufft").cufftSetAutoAllocation(made, 0))
            self._describe(made, ctypes.byref(self._size))
            self._work_in(current.handle(), made.value)
        except BaseException:
            library("cufft").cufftDestroy(made)
            raise
        self._handle = made.value

    def _work_in(self, stream, handle):
        """Lets transforms be computed in the stream in use, with memory that goes back to it."""
        area = alloc(self._size.value)
        _check(library("cufft").cufftSetStream(handle, ctypes.c_void_p(stream)))
        _check(library("cufft").cufftSetWorkArea(handle, ctypes.c_void_p(area.ptr)))
        self._stream, self._work_area = stream, area

    def _sides(self):
        """cuFFT's parameters of the layouts of input and output."""
        for embed, stride, distance in self._layouts:
            yield _numbers(embed), ctypes.c_longlong(stride), ctypes.c_longlong(distance)

    def _describe(self, made, size):
        given, result = self._sides()
        _check(
            library("cufft").cufftMakePlanMany64(
                made, len(self.shape), _numbers(self.shape), *given, *result, self.fft_type,
                ctypes.c_longlong(self.batch), size,
            )
        )  # fmt: skip

    def __del__(self):
        if self._handle is not None and not sys.is_finalizing():
            with contextlib.suppress(Exception):
                library("cufft").cufftDestroy(self._handle)

    def fft(self, a, out, direction):
        """Transforms a device array into another."""
        self._check_room(a, out)
        # cuFFT overwrites what it makes real numbers of.
        source = a._for_writing() if self.fft_type in TYPES["C2R"] else a._force()
        places = [ctypes.c_void_p(each._pointer) for each in (source, out._for_writing())]
        with self._lock:
            handle, stream = self.handle, current.handle()
            if self._stream != stream:
                self._work_in(stream, handle)
            self._run(handle, places, direction)

    def _check_room(self, a, out):
        """Raises ValueError for contiguous arrays that are too small for the plan."""
        *before, last = self.shape
        for array, layout, halved in zip((a, out), self._layouts, ("C2R", "R2C")):
            length = last // 2 + 1 if self.value_type == halved else last
            needed = self.batch * math.prod(before) * length
            if layout[0] is None and array.nbytes < needed * self._itemsize(array):
                raise ValueError(f"the plan needs {needed} elements, and an array has {array.size}")

    def _itemsize(self, array):
        return array.itemsize

    def _run(self, handle, places, direction):
        sign = () if self.fft_type not in TYPES["C2C"] else (ctypes.c_int(direction),)
        _check(getattr(library("cufft"), _FUNCTIONS[self.fft_type])(handle, *places, *sign))

    def get_output_array(self, a, order="C"):
        """An array for the result of a transform of `a`."""
        sizes, shape = list(self.shape), list(a.shape)
        if self.fft_type in TYPES["R2C"]:
            sizes[-1] = sizes[-1] // 2 + 1
        axes = range(a.ndim - len(sizes), a.ndim) if self.axes is None else self.axes
        for axis, size in zip(axes, sizes):
            shape[axis] = size
        return empty(tuple(shape), self._result())

    def _result(self):
        return DTYPES[self.fft_type][1]

    # -- what transforms are compared with --------------------------------------------------------

    @property
    def value_type(self):
        return _KIND_OF[self.fft_type]

    def __enter__(self):
        _contexts().append(self)
        return self

    def __exit__(self, *exception):
        _contexts().pop()

    def _check_sizes(self, sizes, axes, x_shape):
        if sizes != self.shape or self.axes not in (None, axes):
            raise ValueError(
                f"The cuFFT plan and a.shape do not match: plan.shape = {self.shape}, "
                f"expected_shape = {sizes}, a.shape = {x_shape}"
            )

    def check(self, name, x, sizes=None, axes=None):
        """Raises ValueError unless the plan is for a transform of x."""
        ndim, kind = x.ndim, "R2C" if name[0] == "r" else "C2R" if name[:2] == "ir" else "C2C"
        last_is_given = sizes is not None and sizes[-1] is not None
        if axes is None:
            axes = range(ndim - (ndim if sizes is None else len(sizes)), ndim)
        axes = tuple(axis % ndim for axis in axes)
        sizes = [None] * len(axes) if sizes is None else sizes
        sizes = [x.shape[axis] if n is None else n for n, axis in zip(sizes, axes)]
        if kind == "C2R" and sizes and not last_is_given:
            if self.shape[-1] in (sizes[-1], 2 * (sizes[-1] - 1), 2 * sizes[-1] - 1):
                sizes[-1] = self.shape[-1]
        self._check_sizes(tuple(sizes), axes, x.shape)
        if self.fft_type != TYPES[kind][not is_single(x.dtype)]:
            raise ValueError("cuFFT plan dtype mismatch.")
        if batch_of(x.shape, axes) != self.batch:
            raise ValueError("Batch size does not match the plan.")


class Plan1d(Plan):
    """A plan of transforms along one axis."""

    def __init__(self, nx, fft_type, batch, *, devices=None, out=None):
        if devices is not None:
            raise NotImplementedError("transforms over several devices are not supported")
        super().__init__((nx,), fft_type, batch)

    nx = property(lambda self: self.shape[0])

    def _check_sizes(self, sizes, axes, x_shape):
        if sizes != self.shape:
            raise ValueError(
                f"Target array size does not match the plan.: {sizes[0]}, {self.shape[0]}"
            )


class PlanNd(Plan):
    """A plan of transforms along several axes."""

    def __init__(
        self, shape, inembed, istride, idist, onembed, ostride, odist, fft_type, batch,
        order="C", last_axis=-1, last_size=None,
    ):  # fmt: skip
        layouts = (inembed, istride, idist), (onembed, ostride, odist)
        super().__init__(shape, fft_type, batch, layouts)
        self.order, self.last_axis, self.last_size = order, last_axis, last_size


class XtPlanNd(PlanNd):
    """A plan that names the types of its input, its output and the computation: "E" is complex of
    half precision, else they are dtypes."""

    def __init__(
        self, shape, inembed, istride, idist, idtype, onembed, ostride, odist, odtype,
        batch, edtype, *, order="C", last_axis=-1, last_size=None,
    ):  # fmt: skip
        self._dtypes = [
            each if each == "E" else np.dtype(each).char for each in (idtype, odtype, edtype)
        ]
        super().__init__(
            shape, inembed, istride, idist, onembed, ostride, odist, None, batch,
            order, last_axis, last_size,
        )  # fmt: skip

    @property
    def value_type(self):
        given, result, _ = self._dtypes
        return "2".join("C" if each in "EFD" else "R" for each in (given, result))

    def _itemsize(self, array):
        return 4 if "E" in self._dtypes else array.itemsize  # a complex of half precision

    def _result(self):
        if self._dtypes[1] == "E":
            raise ValueError("arrays have no complex numbers of half precision")
        return np.dtype(self._dtypes[1])

    def _describe(self, made, size):
        given, result = self._sides()
        read, written, computed = (_DATA_TYPES[each] for each in self._dtypes)
        _check(
            library("cufft").cufftXtMakePlanMany(
                made, len(self.shape), _numbers(self.shape), *given, read, *result, written,
                ctypes.c_longlong(self.batch), size, computed,
            )
        )  # fmt: skip

    def _run(self, handle, places, direction):
        _check(library("cufft").cufftXtExec(handle, *places, ctypes.c_int(direction)))


def plan_of(shape, fft_type, batch):
    """A plan of transforms of contiguous arrays."""
    if len(shape) == 1:
        return Plan1d(shape[0], fft_type, batch)
    return PlanNd(shape, None, 1, 0, None, 1, 0, fft_type, batch)


def batch_of(shape, axes):
    """How many transforms along these axes an array has."""
    return math.prod(n for axis, n in enumerate(shape) if axis not in axes)


def is_single(dtype):
    """Whether transforms of a dtype are of single precision."""
    return dtype.char in "fFe"


def _contexts():
    return _local.__dict__.setdefault("contexts", [])


def get_current_plan():
    """The plan whose context this is; None if there is none."""
    return _contexts()[-1] if _contexts() else None


# -- plans that are kept -------------------------------------------------------------------------


class _Node:
    """A plan of a cache."""

    def __init__(self, key, plan):
        self.key, self.plan = key, plan
        self.memsize = plan.work_area.mem.size
        self.gpus = plan.gpus

    def __repr__(self):
        kind = type(self.plan).__name__
        return f"key: {self.key}, plan type: {kind}, memory usage: {self.memsize}"


class PlanCache:
    """The plans of a thread on a device, the last used ones. A size or a number of bytes of -1 is
    without limit; of size 0 nothing is kept."""

    def __init__(self, size=16, memsize=-1, dev=-1):
        self._nodes = collections.OrderedDict()  # the last used one is the last
        self._size, self._memsize, self._device = size, memsize, dev

    def __getitem__(self, key):
        node = self._nodes[key]
        self._nodes.move_to_end(key)
        return node.plan

    def get(self, key, default=None):
        return self[key] if key in self._nodes else default

    def __contains__(self, key):
        return key in self._nodes

    def __setitem__(self, key, plan):
        node = _Node(key, plan)
        self._nodes.pop(key, None)
        if self._size == 0 or self._memsize == 0:
            return
        if 0 <= self._memsize < node.memsize:
            raise RuntimeError(
                f"the plan takes {node.memsize} bytes, more than the plan cache may have in all "
                f"({self._memsize}): set_memsize() allows more"
            )
        self._nodes[key] = node
        self._shrink()

    def __delitem__(self, key):
        del self._nodes[key]

    def __len__(self):
        return len(self._nodes)

    def __iter__(self):
        """(key, node), the last used first; what is used meanwhile comes to the front."""
        keys = list(reversed(self._nodes))
        key = keys[0] if keys else None
        while key is not None:
            yield key, self._nodes[key]
            keys = list(reversed(self._nodes))
            place = keys.index(key) + 1 if key in self._nodes else len(keys)
            key = keys[place] if place < len(keys) else None

    def _shrink(self):
        while self._nodes and (
            0 <= self._size < len(self._nodes) or 0 <= self._memsize < self.get_curr_memsize()
        ):
            self._nodes.popitem(last=False)

    def get_size(self):
        return self._size

    def set_size(self, size):
        self._size = size
        self._shrink()

    def get_curr_size(self):
        return len(self._nodes)

    def get_memsize(self):
        return self._memsize

    def set_memsize(self, memsize):
        self._memsize = memsize
        self._shrink()

    def get_curr_memsize(self):
        return sum(node.memsize for node in self._nodes.values())

    def clear(self):
        self._nodes.clear()

    def show_info(self):
        print(self)

    def __repr__(self):
        size, memsize = (
            "(unlimited)" if most < 0 else most for most in (self._size, self._memsize)
        )
        lines = [
            f"------------------- cuFFT plan cache (device {self._device}) -------------------",
            f"cache enabled? {self._size != 0 and self._memsize != 0}",
            f"current / max size   : {self.get_curr_size()} / {size} (counts)",
            f"current / max memsize: {self.get_curr_memsize()} / {memsize} (bytes)",
            "",
            "cached plans (most recently used first):",
            *(str(node) for _, node in self),
        ]
        return "\n".join(lines)


def _caches():
    """Of this thread: by the numbers of devices."""
    return _local.__dict__.setdefault("caches", {})


def get_plan_cache():
    """This thread's, for the device in use."""
    number = devices.get_context().device.id
    found = _caches().get(number)
    if found is None:
        found = _caches()[number] = PlanCache(dev=number)
    return found


def kept_plan(shape, fft_type, batch, callbacks=()):
    """The plan of transforms of contiguous arrays in the stream in use. A plan is one stream's, as
    transforms of two streams would share its memory."""
    cache = get_plan_cache()
    key = shape, fft_type, batch, current.handle(), callbacks
    plan = cache.get(key)
    if plan is None:
        plan = plan_of(shape, fft_type, batch)
        plan.callbacks = callbacks
        cache[key] = plan
    return plan


def show_plan_cache_info():
    """Prints what this thread's caches hold."""
    print("=============== cuFFT plan cache info (all devices) ===============")
    for number in range(getDeviceCount()):
        print(_caches().get(number, f"cuFFT plan cache (device {number}): uninitialized"))
