"""Transforms of cuFFT along the last axis."""

from __future__ import annotations

import contextlib
import ctypes
import math
import threading

import numpy as np

from numjit.cuda.cudadrv import devices

from . import current
from .creation import ascontiguousarray, empty
from .libraries import LibraryNotFound, check, library, newest

_C2C, _R2C, _C2R, _Z2Z, _D2Z, _Z2D = 0x29, 0x2A, 0x2C, 0x69, 0x6A, 0x6C
_plans: dict = {}
#: Held between the choice of a plan's stream and its use: threads share plans.
_lock = threading.RLock()


def _plan(kind, length, batch):
    key = devices.get_context(), kind, length, batch
    plan = _plans.get(key)
    if plan is None:
        if len(_plans) >= 64:
            forget_plans()
        made = ctypes.c_int()
        check("cuFFT", library("cufft").cufftPlan1d(ctypes.byref(made), length, kind, batch))
        plan = _plans[key] = [made.value, 0]
    handle = current.handle()
    if plan[1] != handle:
        check("cuFFT", library("cufft").cufftSetStream(plan[0], ctypes.c_void_p(handle)))
        plan[1] = handle
    return plan[0]


def getVersion():
    """cuFFT's version as a number; without the library the newest that is looked for."""
    found = ctypes.c_int(1000 * newest("cufft"))
    with contextlib.suppress(LibraryNotFound):
        check("cuFFT", library("cufft").cufftGetVersion(ctypes.byref(found)))
    return found.value


def forget_plans():
    """Destroys the plans that are kept."""
    with _lock:
        while _plans:
            _, plan = _plans.popitem()
            library("cufft").cufftDestroy(plan[0])


def _resized(a, length):
    """The first elements of each line, and zeros behind them."""
    if a.shape[-1] == length:
        return a
    out = empty((*a.shape[:-1], length), a.dtype)
    kept = min(length, a.shape[-1])
    out[..., :kept] = a[..., :kept]
    out[..., kept:] = 0
    return out


def transform(name, a, length, axis, given=None):
    """A transform without its factor, in `given` where that can hold it, whose result has `length`
    elements along an axis; those of rfft say of how many elements by its name."""
    single = a.dtype.char in _SINGLE
    last = axis in (-1, a.ndim - 1)
    lines = a if last else a.swapaxes(axis, -1)
    if name.startswith("rfft"):
        if a.dtype.kind == "c":
            raise TypeError(
                f"ufunc '{name}' not supported for the input types, and the inputs could not be "
                "safely coerced to any supported types according to the casting rule ''safe''"
            )
        size = 2 * (length - 1) + (name == "rfft_n_odd")
        data = _resized(lines, size).astype(np.float32 if single else np.float64, copy=False)
        kind, result = (_R2C, np.complex64) if single else (_D2Z, np.complex128)
    elif name == "irfft":
        size = length
        data = _resized(lines, length // 2 + 1)
        data = data.astype(np.complex64 if single else np.complex128)  # cuFFT overwrites it
        kind, result = (_C2R, np.float32) if single else (_Z2D, np.float64)
    else:
        size = length
        data = _resized(lines, length)
        data = data.astype(np.complex64 if single else np.complex128, copy=False)
        kind, result = (_C2C, np.complex64) if single else (_Z2Z, np.complex128)
    data = data if data._c_contiguous else ascontiguousarray(data)
    out = given
    if out is None or not last or out.dtype != result or not out._c_contiguous:
        out = empty((*lines.shape[:-1], length), result)
    if out.size:
        _execute(kind, data, out, size, name)
    return out if last else out.swapaxes(axis, -1)


_FUNCTIONS = {_C2C: "cufftExecC2C", _Z2Z: "cufftExecZ2Z", _R2C: "cufftExecR2C",
              _D2Z: "cufftExecD2Z", _C2R: "cufftExecC2R", _Z2D: "cufftExecZ2D"}  # fmt: skip


def _execute(kind, data, out, size, name):
    batch = out.size // out.shape[-1]
    function = getattr(library("cufft"), _FUNCTIONS[kind])
    source = data._for_writing() if name == "irfft" else data._force()
    arguments = [ctypes.c_void_p(source._pointer), ctypes.c_void_p(out._for_writing()._pointer)]
    if kind in (_C2C, _Z2Z):
        arguments.append(ctypes.c_int(1 if name == "ifft" else -1))
    with _lock:
        check("cuFFT", function(_plan(kind, size, batch), *arguments))


_local = threading.local()


class Plan:
    """A plan of transforms. cuFFT's plans are kept by themselves, by shape and dtype: this one
    names what it is for, and is a context in which transforms are compared with it."""

    def __init__(self, x_shape, shape, axes, value_type, dtype):
        self.shape, self.value_type = shape, value_type
        self.axes = tuple(axis % len(x_shape) for axis in axes)
        self.single = np.dtype(dtype).char in _SINGLE
        self.batch = _batch(x_shape, self.axes)
        self.fft_type = TYPES[value_type][not self.single]

    def __enter__(self):
        _contexts().append(self)
        return self

    def __exit__(self, *exception):
        _contexts().pop()

    def _check_sizes(self, sizes, axes, x_shape):
        if sizes != self.shape or axes != self.axes:
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
        if kind != self.value_type or (x.dtype.char in _SINGLE) != self.single:
            raise ValueError("cuFFT plan dtype mismatch.")
        if _batch(x.shape, axes) != self.batch:
            raise ValueError("Batch size does not match the plan.")


_SINGLE = "fFe"
#: Kind of transform -> cuFFT's numbers of it for single and double precision.
TYPES = {"C2C": (_C2C, _Z2Z), "R2C": (_R2C, _D2Z), "C2R": (_C2R, _Z2D)}


def _batch(shape, axes):
    return math.prod(n for axis, n in enumerate(shape) if axis not in axes)


class Plan1d(Plan):
    """A plan of transforms along one axis."""

    nx = property(lambda self: self.shape[0])

    def _check_sizes(self, sizes, axes, x_shape):
        if sizes != self.shape:
            raise ValueError(
                f"Target array size does not match the plan.: {sizes[0]}, {self.shape[0]}"
            )


class PlanNd(Plan):
    """A plan of transforms along several axes."""


def _contexts():
    return _local.__dict__.setdefault("contexts", [])


def get_current_plan():
    """The plan whose context this is; None if there is none."""
    return _contexts()[-1] if _contexts() else None
