"""Arrays of other libraries, and NumPy's functions: the protocols that ndarray has."""

from __future__ import annotations

import warnings

import numpy as np

import numjit.cupy
from numjit.cuda.cudadrv.driver import get_driver

from . import current, upcalls, util_names
from .ufuncs import NotAnOperand, wrapped


class Interchange:
    """What ndarray inherits."""

    __slots__ = ()

    @property
    def __cuda_array_interface__(self):
        array = self._for_writing()
        self._buffer.exposed = True
        found = array.__cuda_array_interface__
        found["version"] = util_names.CUDA_ARRAY_INTERFACE_EXPORT_VERSION
        if found["version"] > 2:
            found["stream"] = current.handle() or 1
        else:
            found.pop("stream", None)
        return found

    def __array__(self, dtype=None, copy=None):
        raise TypeError(
            "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct "
            "a NumPy array explicitly."
        )

    def __array_ufunc__(self, function, method, *inputs, **keywords):
        out = keywords.get("out")
        if isinstance(out, tuple) and len(out) == 1:
            keywords["out"] = out[0]
        if function.signature is not None:
            named = getattr(upcalls.linalg_functions, function.__name__, None)
            return NotImplemented if named is None else named(*inputs, **keywords)
        called = wrapped(function)
        try:
            if method == "__call__":
                return called(*inputs, **keywords)
            return getattr(called, method)(*inputs, **keywords)
        except NotAnOperand:
            return NotImplemented

    def __array_function__(self, function, types, args, keywords):
        found = upcalls.device_function(function)
        if found is None:
            return NotImplemented
        return found(*args, **keywords)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            return upcalls.export_to(self, tuple(dl_device), max_version, copy)
        source = self.copy() if copy else self
        array = source._for_writing()
        source._buffer.exposed = True
        if stream == 0:
            warnings.warn(
                "Stream 0 is ambiguous: it is taken as the legacy default stream, 1",
                UserWarning,
                stacklevel=2,
            )
            stream = 1
        if stream not in (None, -1) and int(stream) != (current.handle() or 1):
            get_driver().synchronize_stream(current.handle() or 1)
        return upcalls.export(source, array, max_version, bool(copy))

    def __dlpack_device__(self):
        return upcalls.device_kind(), self._context().device.id


def asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
    """An array of the host with the elements."""
    if isinstance(a, upcalls.ndarray):
        return a.get(stream, order, out, blocking)
    if hasattr(a, "__cuda_array_interface__"):
        return upcalls.asarray(a).get(stream, order, out, blocking)
    found = np.asarray(a, order=order)
    if out is None:
        return found
    np.copyto(out, found)
    return out


def get_array_module(*args):
    """This package if one of the arguments is a device array, NumPy otherwise."""
    return numjit.cupy if any(map(_on_a_device, args)) else np


def _on_a_device(value):
    """Arrays, and sparse matrices of numjit.cupyx."""
    return isinstance(value, upcalls.ndarray) or hasattr(type(value), "_numjit_host")
