"""cupy.cuda.texture: CUDA arrays, and the objects by which kernels as text read and write them."""

from __future__ import annotations

import contextlib
import ctypes
import weakref

import numpy as np

from . import runtime
from .creation import ascontiguousarray
from .ndarrays import ndarray
from .runtime_arrays import (
    ChannelFormatDescriptor,
    Copy3D,
    Pitched,
    Place,
    Resource,
    Texture,
    createSurfaceObject,
    createTextureObject,
    destroySurfaceObject,
    destroyTextureObject,
    freeArray,
    malloc3DArray,
    memcpy3D,
    memcpy3DAsync,
)

_ARRAY, _LINEAR, _PITCH2D = 0, 2, 3


class CUDAarray:
    """Memory that textures and surfaces read: `width` elements, rows of them, or layers of rows."""

    def __init__(self, desc, width, height=0, depth=0, flags=0):
        if depth and not height:
            raise ValueError("an array with a depth has a height")
        self.desc, self.flags = desc, flags
        self.width, self.height, self.depth = width, height, depth
        self.ndim = 3 if depth else 2 if height else 1
        self.ptr = malloc3DArray(desc.ptr, width, height, depth, flags)
        weakref.finalize(self, freeArray, self.ptr).atexit = False

    def _shape(self):
        channels = sum(bool(bits) for bits in list(self.desc.get_channel_format().values())[:4])
        return *((self.depth, self.height)[3 - self.ndim :]), channels * self.width

    def _side(self, array):
        """Whether an array is on a device, how it lies in memory, and the extent."""
        shape = self._shape()
        if array.shape != shape:
            raise ValueError(f"the shape {array.shape} is not that of the array, {shape}")
        if not array.flags.c_contiguous:
            raise ValueError("the array has to be C-contiguous")
        device = isinstance(array, ndarray)
        address = array.data.ptr if device else array.ctypes.data
        row = shape[-1] * array.dtype.itemsize
        extent = Place(self.width, max(self.height, 1), max(self.depth, 1))
        return device, Pitched(address, row, row, extent.y), extent

    def _run(self, copy, stream):
        if stream is None:
            memcpy3D(ctypes.addressof(copy))
        else:
            memcpy3DAsync(ctypes.addressof(copy), stream.ptr)

    def copy_from(self, in_arr, stream=None):
        """Takes the elements of an array of the host or the device, whose last axis has the
        channels."""
        if not in_arr.flags.c_contiguous:
            with stream or contextlib.nullcontext():
                of = ascontiguousarray if isinstance(in_arr, ndarray) else np.ascontiguousarray
                in_arr = of(in_arr)
        device, pitched, extent = self._side(in_arr)
        kind = runtime.memcpyDeviceToDevice if device else runtime.memcpyHostToDevice
        self._run(Copy3D(srcPtr=pitched, dstArray=self.ptr, extent=extent, kind=kind), stream)

    def copy_to(self, out_arr, stream=None):
        """Puts the elements into an array of the host or the device."""
        device, pitched, extent = self._side(out_arr)
        kind = runtime.memcpyDeviceToDevice if device else runtime.memcpyDeviceToHost
        self._run(Copy3D(srcArray=self.ptr, dstPtr=pitched, extent=extent, kind=kind), stream)


class ResourceDescriptor:
    """What a texture or a surface reads: a CUDAarray, or memory of a device array."""

    def __init__(self, restype, cuArr=None, arr=None, chDesc=None, sizeInBytes=0, width=0,
                 height=0, pitchInBytes=0):  # fmt: skip
        self.cuArr, self.arr, self.chDesc = cuArr, arr, chDesc
        self._resource = made = Resource(resType=restype)
        if restype == _ARRAY:
            made.res.array = _needed(cuArr, "cuArr").ptr
        elif restype in (_LINEAR, _PITCH2D):
            memory = made.res.linear if restype == _LINEAR else made.res.pitch2D
            memory.devPtr = _needed(arr, "arr").data.ptr
            memory.desc = _needed(chDesc, "chDesc")._channels
            if restype == _LINEAR:
                memory.sizeInBytes = sizeInBytes
            else:
                memory.width, memory.height = width, height
                memory.pitchInBytes = pitchInBytes
        else:
            raise ValueError("restype is cudaResourceTypeArray, -Linear or -Pitch2D")
        self.ptr = ctypes.addressof(made)

    def get_resource_desc(self):
        """What was given, by the names of CUDA's structure."""
        kind, res = self._resource.resType, self._resource.res
        if kind == _ARRAY:
            return {"resType": kind, "array": {"array": self.cuArr}}
        if kind == _LINEAR:
            found = {"sizeInBytes": res.linear.sizeInBytes}
        else:
            found = {name: getattr(res.pitch2D, name) for name in ("width", "height")}
            found["pitchInBytes"] = res.pitch2D.pitchInBytes
        name = "linear" if kind == _LINEAR else "pitch2D"
        return {"resType": kind, name: {"devPtr": self.arr.data.ptr, "desc": self.chDesc, **found}}


def _needed(value, name):
    if value is None:
        raise ValueError(f"{name} is needed for this restype")
    return value


class TextureDescriptor:
    """How a texture is read."""

    def __init__(self, addressModes=None, filterMode=0, readMode=0, sRGB=None, borderColors=None,
                 normalizedCoords=None, maxAnisotropy=None):  # fmt: skip
        self._texture = made = Texture(filterMode=filterMode, readMode=readMode)
        for i, mode in enumerate(addressModes or ()):
            made.addressMode[i] = mode
        for i, color in enumerate(borderColors or ()):
            made.borderColor[i] = color
        made.sRGB, made.normalizedCoords = sRGB or 0, normalizedCoords or 0
        made.maxAnisotropy = maxAnisotropy or 0
        self.ptr = ctypes.addressof(made)

    def get_texture_desc(self):
        """All settings, by the names of CUDA's structure."""
        names = "filterMode readMode sRGB normalizedCoords maxAnisotropy".split()
        found = {name: getattr(self._texture, name) for name in names}
        found["addressMode"] = tuple(self._texture.addressMode)
        found["borderColor"] = tuple(self._texture.borderColor)
        return found


class TextureObject:
    """A texture, as kernels take it."""

    def __init__(self, ResDesc, TexDesc):
        self.ResDesc, self.TexDesc = ResDesc, TexDesc
        self.ptr = createTextureObject(ResDesc.ptr, TexDesc.ptr)
        weakref.finalize(self, destroyTextureObject, self.ptr).atexit = False


class SurfaceObject:
    """A surface, as kernels take it: the array has the flag cudaArraySurfaceLoadStore."""

    def __init__(self, ResDesc):
        self.ResDesc = ResDesc
        self.ptr = createSurfaceObject(ResDesc.ptr)
        weakref.finalize(self, destroySurfaceObject, self.ptr).atexit = False


__all__ = [
    "CUDAarray",
    "ChannelFormatDescriptor",
    "ResourceDescriptor",
    "SurfaceObject",
    "TextureDescriptor",
    "TextureObject",
]
