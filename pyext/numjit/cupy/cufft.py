"""Transforms of cuFFT along the last axis."""

from __future__ import annotations

import ctypes
import threading

import numpy as np

from numjit.cuda.cudadrv import devices

from . import current
from .creation import ascontiguousarray, empty
from .libraries import check, library

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
    single = a.dtype.char in "fFe"
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
    names what it is for, and is a context in which transforms find them."""

    def __init__(self, shape, axes, value_type):
        self.shape, self.axes, self.value_type = shape, axes, value_type

    def __enter__(self):
        _contexts().append(self)
        return self

    def __exit__(self, *exception):
        _contexts().pop()


def _contexts():
    return _local.__dict__.setdefault("contexts", [])


def get_current_plan():
    """The plan whose context this is; None if there is none."""
    return _contexts()[-1] if _contexts() else None
