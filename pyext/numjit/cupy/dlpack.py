"""DLPack: arrays of PyTorch, JAX and others without a copy, both ways."""

from __future__ import annotations

import ctypes

import numpy as np

from numjit.cuda.cudadrv import devices
from numjit.cuda.cudadrv.devicearray import DeviceNDArray
from numjit.cuda.cudadrv.driver import Memory, simulated

from . import current
from .creation import array
from .evaluate import root_of
from .ndarrays import ndarray
from .pending import Buffer

_CPU, _CUDA, _CUDA_HOST, _MANAGED = 1, 2, 3, 13
_INT, _UINT, _FLOAT, _COMPLEX, _BOOL = 0, 1, 2, 5, 6
_CODES = {"i": _INT, "u": _UINT, "f": _FLOAT, "c": _COMPLEX, "b": _BOOL}


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Managed(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = (("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter))

_api = ctypes.pythonapi
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
_api.PyCapsule_GetPointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
_api.PyCapsule_IsValid.argtypes = (ctypes.py_object, ctypes.c_char_p)
_api.PyCapsule_SetName.argtypes = (ctypes.py_object, ctypes.c_char_p)

#: What is exported, by the address of its structure, until the consumer's deleter is called.
_exported: dict[int, tuple] = {}
_USED, _FRESH = b"used_dltensor", b"dltensor"


@_Deleter
def _delete(managed):
    _exported.pop(ctypes.addressof(managed.contents), None)


_CapsuleEnd = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


@_CapsuleEnd
def _end(capsule):
    """Frees what was not consumed."""
    valid = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
        ("PyCapsule_IsValid", _api)
    )
    pointer = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", _api)
    )
    if valid(capsule, _FRESH):
        _exported.pop(pointer(capsule, _FRESH), None)


def device_kind():
    """The kind of device of arrays; those of the simulator are in memory of the host."""
    return _CPU if simulated() else _CUDA


def export(array, device):
    """A capsule over the memory of an array."""
    item = array.dtype.itemsize
    managed = _Managed()
    tensor = managed.tensor
    tensor.data, tensor.device_type = device._pointer, device_kind()
    tensor.device_id = array._context().device.id
    tensor.ndim, tensor.bits, tensor.lanes = array.ndim, 8 * item, 1
    tensor.code = _CODES[array.dtype.kind]
    shape = (ctypes.c_int64 * max(array.ndim, 1))(*device.shape)
    strides = (ctypes.c_int64 * max(array.ndim, 1))(*(step // item for step in device.strides))
    tensor.shape, tensor.strides, tensor.byte_offset = shape, strides, 0
    managed.deleter = _delete
    address = ctypes.addressof(managed)
    _exported[address] = managed, shape, strides, device
    return _api.PyCapsule_New(address, _FRESH, ctypes.cast(_end, ctypes.c_void_p))


class _Foreign:
    """Memory of another library, given back with the last reference."""

    def __init__(self, managed):
        self._managed = managed

    def __del__(self):
        if self._managed.deleter:
            self._managed.deleter(ctypes.pointer(self._managed))


def from_dlpack(x, *, device=None, copy=None):
    """An array over the memory of another library's."""
    if hasattr(x, "__dlpack__"):
        kind, number = x.__dlpack_device__()
        if kind not in (_CUDA, _MANAGED, device_kind()):
            raise BufferError(f"from_dlpack takes arrays of a CUDA device, not of kind {kind}")
        if kind == _CPU:
            capsule = x.__dlpack__()
        else:  # libraries export what is on the current device
            with devices.gpus.lst[number].get_primary_context().entered():
                capsule = x.__dlpack__(stream=current.handle() or 1)
    else:
        capsule = x
    if not _api.PyCapsule_IsValid(capsule, _FRESH):
        raise ValueError("a capsule of DLPack can be consumed only once")
    managed = _Managed.from_address(_api.PyCapsule_GetPointer(capsule, _FRESH))
    tensor = managed.tensor
    letter = {code: letter for letter, code in _CODES.items()}.get(tensor.code)
    if letter is None or tensor.lanes != 1:
        raise TypeError(f"DLPack's dtype {tensor.code}, {tensor.bits} bits is not supported")
    dtype = np.dtype(bool) if letter == "b" else np.dtype(f"{letter}{tensor.bits // 8}")
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    strides = None
    if tensor.strides:
        strides = tuple(tensor.strides[i] * dtype.itemsize for i in range(tensor.ndim))
    _api.PyCapsule_SetName(capsule, _USED)
    size = int(np.prod(shape)) * dtype.itemsize
    pointer = (tensor.data or 0) + tensor.byte_offset
    context = devices.get_context()
    if tensor.device_type == _CUDA and tensor.device_id != context.device.id:
        context = devices.gpus.lst[tensor.device_id].get_primary_context()
    memory = Memory(pointer, size, context, owner=_Foreign(managed))
    found = DeviceNDArray(shape, strides, dtype, 0, memory)
    made = ndarray._over(found, Buffer(root_of(found), exposed=True))
    return array(made) if copy else made
