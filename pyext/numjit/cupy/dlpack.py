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


class _Versioned(ctypes.Structure):
    """A tensor as version 1 of DLPack has it."""


_VersionedDeleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Versioned))
_Versioned._fields_ = (
    ("major", ctypes.c_uint32),
    ("minor", ctypes.c_uint32),
    ("context", ctypes.c_void_p),
    ("deleter", _VersionedDeleter),
    ("flags", ctypes.c_uint64),
    ("tensor", _Tensor),
)
_READ_ONLY, _COPIED = 1, 2

_api = ctypes.pythonapi
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
_api.PyCapsule_GetPointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
_api.PyCapsule_IsValid.argtypes = (ctypes.py_object, ctypes.c_char_p)
_api.PyCapsule_SetName.argtypes = (ctypes.py_object, ctypes.c_char_p)

#: What is exported, by the address of its structure, until the consumer's deleter is called.
_exported: dict[int, tuple] = {}
#: Name of a fresh capsule -> its structure, and the name that it has when it is consumed.
_FORMS = {
    b"dltensor": (_Managed, b"used_dltensor"),
    b"dltensor_versioned": (_Versioned, b"used_dltensor_versioned"),
}


def _forget(managed):
    _exported.pop(ctypes.addressof(managed.contents), None)


_delete, _delete_versioned = _Deleter(_forget), _VersionedDeleter(_forget)


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
    for name in _FORMS:
        if valid(capsule, name):
            _exported.pop(pointer(capsule, name), None)


def device_kind():
    """The kind of device of arrays; those of the simulator are in memory of the host."""
    return _CPU if simulated() else _CUDA


def export(array, device, max_version=None, copied=False):
    """A capsule over the memory of an array, or of a copy that is made for it."""
    place = device_kind(), array._context().device.id
    flags = _COPIED if copied else 0
    return _capsule(array.dtype, device, device._pointer, place, max_version, flags)


def export_to(array, place, max_version, copy):
    """A capsule for memory of the host, to which the array is copied."""
    if place != (_CPU, 0):
        raise BufferError(f"an array on {array.__dlpack_device__()} is not exported to {place}")
    if copy is False:
        raise ValueError("an array is not exported to the host without a copy")
    host = array.get()
    return _capsule(host.dtype, host, host.ctypes.data, place, max_version, _COPIED)


def _capsule(dtype, array, pointer, place, max_version, flags=0):
    """A capsule of the newest version that is asked for, over memory that `array` keeps."""
    versioned = max_version is not None and tuple(max_version) >= (1, 0)
    managed = _Versioned(1, 0, flags=flags) if versioned else _Managed()
    tensor, ndim = managed.tensor, len(array.shape)
    tensor.data, (tensor.device_type, tensor.device_id) = pointer, place
    tensor.ndim, tensor.bits, tensor.lanes = ndim, 8 * dtype.itemsize, 1
    tensor.code = _CODES[dtype.kind]
    shape = (ctypes.c_int64 * max(ndim, 1))(*array.shape)
    steps = [step // dtype.itemsize for step in array.strides]
    strides = (ctypes.c_int64 * max(ndim, 1))(*steps)
    tensor.shape, tensor.strides, tensor.byte_offset = shape, strides, 0
    managed.deleter = _delete_versioned if versioned else _delete
    address = ctypes.addressof(managed)
    _exported[address] = managed, shape, strides, array
    name = b"dltensor_versioned" if versioned else b"dltensor"
    return _api.PyCapsule_New(address, name, ctypes.cast(_end, ctypes.c_void_p))


class _Foreign:
    """Memory of another library, given back with the last reference."""

    def __init__(self, managed):
        self._managed = managed

    def __del__(self):
        if self._managed.deleter:
            self._managed.deleter(ctypes.pointer(self._managed))


def from_dlpack(x, *, device=None, copy=None):
    """An array over the memory of another library's. Arrays cannot be read-only: the flag of
    memory that must not be written is not kept."""
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
    name = next((each for each in _FORMS if _api.PyCapsule_IsValid(capsule, each)), None)
    if name is None:
        raise ValueError("a capsule of DLPack cannot be consumed multiple times")
    structure, used = _FORMS[name]
    managed = structure.from_address(_api.PyCapsule_GetPointer(capsule, name))
    if structure is _Versioned and managed.major > 1:  # what follows the number may differ
        raise BufferError(f"DLPack {managed.major}.{managed.minor} is not supported, only 1 and 0")
    tensor = managed.tensor
    letter = {code: letter for letter, code in _CODES.items()}.get(tensor.code)
    if letter is None or tensor.lanes != 1:
        raise TypeError(f"DLPack's dtype {tensor.code}, {tensor.bits} bits is not supported")
    dtype = np.dtype(bool) if letter == "b" else np.dtype(f"{letter}{tensor.bits // 8}")
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    strides = None
    if tensor.strides:
        strides = tuple(tensor.strides[i] * dtype.itemsize for i in range(tensor.ndim))
    _api.PyCapsule_SetName(capsule, used)
    size = int(np.prod(shape)) * dtype.itemsize
    pointer = (tensor.data or 0) + tensor.byte_offset
    context = devices.get_context()
    if tensor.device_type == _CUDA and tensor.device_id != context.device.id:
        context = devices.gpus.lst[tensor.device_id].get_primary_context()
    memory = Memory(pointer, size, context, owner=_Foreign(managed))
    found = DeviceNDArray(shape, strides, dtype, 0, memory)
    made = ndarray._over(found, Buffer(root_of(found), exposed=True))
    return array(made) if copy else made
