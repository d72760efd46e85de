"""CUDA arrays, textures and surfaces of cupy.cuda.runtime. Functions take addresses of structures
of CUDA's headers (cudaChannelFormatDesc, cudaResourceDesc, ...), as CuPy's do; here they are read
and written in the driver's form. In the simulator an array is memory in rows, and there is no
texture."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_float, c_int, c_size_t, c_uint, c_uint64, c_void_p
from typing import NamedTuple

from numjit.cuda.cudadrv import calls, devices
from numjit.cuda.cudadrv.driver import get_driver

from .driver_calls import on_a_gpu
from .pending import evaluate_all
from .runtime import CUDARuntimeError

_SIGNED, _UNSIGNED, _FLOAT = 0, 1, 2
#: (kind of a channel, its bits) -> CUarray_format
_FORMATS = {
    (_UNSIGNED, 8): 0x01, (_UNSIGNED, 16): 0x02, (_UNSIGNED, 32): 0x03, (_SIGNED, 8): 0x08,
    (_SIGNED, 16): 0x09, (_SIGNED, 32): 0x0A, (_FLOAT, 16): 0x10, (_FLOAT, 32): 0x20,
}  # fmt: skip
_HOST, _DEVICE, _ARRAY, _UNIFIED = 1, 2, 3, 4
#: cudaMemcpyKind -> kinds of memory of source and target
_KINDS = ((_HOST, _HOST), (_HOST, _DEVICE), (_DEVICE, _HOST), (_DEVICE, _DEVICE), (_UNIFIED,) * 2)


def _structure(name, doc, **fields):
    body = {"__doc__": doc, "_fields_": tuple(fields.items())}
    return type(name, (ctypes.Structure,), body)


Channels = _structure("Channels", "cudaChannelFormatDesc", x=c_int, y=c_int, z=c_int, w=c_int,
                      f=c_int)  # fmt: skip
Place = _structure("Place", "cudaPos and cudaExtent", x=c_size_t, y=c_size_t, z=c_size_t)
Pitched = _structure("Pitched", "cudaPitchedPtr", ptr=c_void_p, pitch=c_size_t, xsize=c_size_t,
                     ysize=c_size_t)  # fmt: skip
Copy3D = _structure("Copy3D", "cudaMemcpy3DParms", srcArray=c_void_p, srcPos=Place, srcPtr=Pitched,
                    dstArray=c_void_p, dstPos=Place, dstPtr=Pitched, extent=Place,
                    kind=c_int)  # fmt: skip
_Linear = _structure("_Linear", "of cudaResourceDesc", devPtr=c_void_p, desc=Channels,
                     sizeInBytes=c_size_t)  # fmt: skip
_Pitch2D = _structure("_Pitch2D", "of cudaResourceDesc", devPtr=c_void_p, desc=Channels,
                      width=c_size_t, height=c_size_t, pitchInBytes=c_size_t)  # fmt: skip


class _OneOf(ctypes.Union):
    _fields_ = (("array", c_void_p), ("linear", _Linear), ("pitch2D", _Pitch2D))


Resource = _structure("Resource", "cudaResourceDesc", resType=c_int, res=_OneOf)
Texture = _structure(
    "Texture", "cudaTextureDesc", addressMode=c_int * 3, filterMode=c_int, readMode=c_int,
    sRGB=c_int, borderColor=c_float * 4, normalizedCoords=c_int, maxAnisotropy=c_uint,
    mipmapFilterMode=c_int, mipmapLevelBias=c_float, minMipmapLevelClamp=c_float,
    maxMipmapLevelClamp=c_float, disableTrilinearOptimization=c_int,
)  # fmt: skip

# -- the driver's forms ---------------------------------------------------------------------------

_Described = _structure("_Described", "CUDA_ARRAY3D_DESCRIPTOR", width=c_size_t, height=c_size_t,
                        depth=c_size_t, format=c_int, channels=c_uint, flags=c_uint)  # fmt: skip
_Side = _structure("_Side", "of CUDA_MEMCPY3D", x=c_size_t, y=c_size_t, z=c_size_t, lod=c_size_t,
                   kind=c_int, host=c_void_p, device=c_uint64, array=c_void_p, reserved=c_void_p,
                   pitch=c_size_t, height=c_size_t)  # fmt: skip
_Box = _structure("_Box", "CUDA_MEMCPY3D", source=_Side, target=_Side, width=c_size_t,
                  height=c_size_t, depth=c_size_t)  # fmt: skip
_Memory = _structure("_Memory", "of CUDA_RESOURCE_DESC", pointer=c_uint64, format=c_int,
                     channels=c_uint, sizes=c_size_t * 3)  # fmt: skip


class _OneOfDriver(ctypes.Union):
    _fields_ = (("array", c_void_p), ("memory", _Memory), ("reserved", c_int * 32))


_DriverResource = _structure("_DriverResource", "CUDA_RESOURCE_DESC", kind=c_int, res=_OneOfDriver,
                             flags=c_uint)  # fmt: skip
_DriverTexture = _structure(
    "_DriverTexture", "CUDA_TEXTURE_DESC", addressMode=c_int * 3, filterMode=c_int, flags=c_uint,
    maxAnisotropy=c_uint, mipmapFilterMode=c_int, mipmapLevelBias=c_float,
    minMipmapLevelClamp=c_float, maxMipmapLevelClamp=c_float, borderColor=c_float * 4,
    reserved=c_int * 12,
)  # fmt: skip
_Pool = _structure("_Pool", "CUmemPoolProps", allocation=c_int, handles=c_int, location=c_int,
                   device=c_int, security=c_void_p, most=c_size_t,
                   reserved=ctypes.c_ubyte * 56)  # fmt: skip

calls._FUNCTIONS.update(
    {
        "cuArray3DCreate_v2": (POINTER(c_void_p), POINTER(_Described)),
        "cuArray3DGetDescriptor_v2": (POINTER(_Described), c_void_p),
        "cuArrayDestroy": (c_void_p,),
        "cuMemcpy3DAsync_v2": (POINTER(_Box), c_void_p),
        "cuTexObjectCreate": (
            POINTER(c_uint64), POINTER(_DriverResource), POINTER(_DriverTexture), c_void_p,
        ),
        "cuTexObjectDestroy": (c_uint64,),
        "cuSurfObjectCreate": (POINTER(c_uint64), POINTER(_DriverResource)),
        "cuSurfObjectDestroy": (c_uint64,),
        "cuMemPoolCreate": (POINTER(c_void_p), POINTER(_Pool)),
    }
)  # fmt: skip


def _format_of(channels):
    """CUarray_format and the number of channels."""
    bits = [n for n in (channels.x, channels.y, channels.z, channels.w) if n]
    found = _FORMATS.get((channels.f, channels.x))
    if found is None or len(set(bits)) != 1 or len(bits) == 3:
        raise CUDARuntimeError(20)  # cudaErrorInvalidChannelDescriptor
    return found, len(bits)


# -- arrays ---------------------------------------------------------------------------------------


class _Rows(NamedTuple):
    """An array of the simulator."""

    pointer: int
    described: _Described


_simulated: dict = {}  # address -> _Rows


def _texel(described):
    """Bytes of an element."""
    bits = next(bits for (_, bits), row in _FORMATS.items() if row == described.format)
    return bits // 8 * described.channels


def _described(array):
    if array in _simulated:
        return _simulated[array].described
    found = _Described()
    get_driver()("cuArray3DGetDescriptor_v2", ctypes.byref(found), array)
    return found


def malloc3DArray(descPtr, width, height, depth, flags=0):
    """A CUDA array of elements that a cudaChannelFormatDesc describes."""
    devices.get_context()
    wanted = _Described(width, height, depth, *_format_of(Channels.from_address(descPtr)), flags)
    driver = get_driver()
    if not driver.simulated:
        array = c_void_p()
        driver("cuArray3DCreate_v2", ctypes.byref(array), ctypes.byref(wanted))
        return array.value
    pointer = driver.alloc(width * max(height, 1) * max(depth, 1) * _texel(wanted))
    _simulated[pointer] = _Rows(pointer, wanted)
    return pointer


def mallocArray(descPtr, width, height, flags=0):
    """malloc3DArray of one or two dimensions."""
    return malloc3DArray(descPtr, width, height, 0, flags)


def freeArray(ptr):
    """Gives a CUDA array back."""
    if _simulated.pop(ptr, None):
        get_driver().free(ptr)
    elif ptr:
        on_a_gpu("CUDA arrays")("cuArrayDestroy", ptr)


class ChannelFormatDescriptor:
    """The elements of a CUDA array: bits of up to four channels, and their kind."""

    def __init__(self, x, y, z, w, f):
        self._channels = Channels(x, y, z, w, f)
        self.ptr = ctypes.addressof(self._channels)

    def get_channel_format(self):
        return {name: getattr(self._channels, name) for name in "xyzwf"}


def getChannelDesc(array):
    """The elements of a CUDA array."""
    found = _described(array)
    kind, bits = next(key for key, row in _FORMATS.items() if row == found.format)
    return ChannelFormatDescriptor(*(bits * (i < found.channels) for i in range(4)), kind)


# -- copies ---------------------------------------------------------------------------------------


def _memory(kind, place, pitch, height, x=0, y=0, z=0):
    """A side of a copy that is no array."""
    host = kind == _HOST
    return _Side(x, y, z, 0, kind, place if host else None, 0 if host else place, None, None, pitch,
                 height)  # fmt: skip


def _in_array(array, x=0, y=0, z=0):
    """A side of a copy that is an array; x in bytes."""
    return _Side(x, y, z, 0, _ARRAY, None, 0, array, None, 0, 0)


def _address(side, height, row, layer):
    """Where a row of a side begins, in the simulator."""
    if side.kind == _ARRAY:
        found = _simulated[side.array].described
        place, pitch, rows = side.array, found.width * _texel(found), found.height or 1
    else:
        place, pitch, rows = (side.host or side.device or 0), side.pitch, side.height or height
    return place + ((side.z + layer) * rows + side.y + row) * pitch + side.x


def _copy(source, target, width, height, depth, stream):
    """Copies a box of `width` bytes."""
    evaluate_all()
    devices.get_context()
    driver = get_driver()
    if not (width and height and depth):
        return
    if not driver.simulated:
        box = _Box(source, target, width, height, depth)
        driver("cuMemcpy3DAsync_v2", ctypes.byref(box), stream or None)
        return
    for layer in range(depth):
        for row in range(height):
            to, from_ = (_address(side, height, row, layer) for side in (target, source))
            ctypes.memmove(to, from_, width)


def _kinds(kind):
    if not 0 <= kind < len(_KINDS):
        raise CUDARuntimeError(21)  # cudaErrorInvalidMemcpyDirection
    return _KINDS[kind]


def memcpy2DFromArrayAsync(dst, dpitch, src, wOffset, hOffset, width, height, kind, stream):
    """Copies `height` rows of `width` bytes out of a CUDA array."""
    target = _memory(_kinds(kind)[1], dst, dpitch, height)
    _copy(_in_array(src, wOffset, hOffset), target, width, height, 1, stream)


def memcpy2DFromArray(dst, dpitch, src, wOffset, hOffset, width, height, kind):
    memcpy2DFromArrayAsync(dst, dpitch, src, wOffset, hOffset, width, height, kind, 0)
    get_driver().synchronize_stream(0)


def memcpy2DToArrayAsync(dst, wOffset, hOffset, src, spitch, width, height, kind, stream):
    """Copies `height` rows of `width` bytes into a CUDA array."""
    source = _memory(_kinds(kind)[0], src, spitch, height)
    _copy(source, _in_array(dst, wOffset, hOffset), width, height, 1, stream)


def memcpy2DToArray(dst, wOffset, hOffset, src, spitch, width, height, kind):
    memcpy2DToArrayAsync(dst, wOffset, hOffset, src, spitch, width, height, kind, 0)
    get_driver().synchronize_stream(0)


def memcpy3DAsync(Memcpy3DParmsPtr, stream):
    """The copy that a cudaMemcpy3DParms describes. Its extent is in elements if one side is an
    array, else in bytes."""
    wanted = Copy3D.from_address(Memcpy3DParmsPtr)
    array = wanted.srcArray or wanted.dstArray
    texel = _texel(_described(array)) if array else 1
    kinds = _kinds(wanted.kind)

    def side(array, pos, pitched, kind):
        if array:
            return _in_array(array, pos.x * texel, pos.y, pos.z)
        return _memory(kind, pitched.ptr or 0, pitched.pitch, pitched.ysize, pos.x, pos.y, pos.z)

    source = side(wanted.srcArray, wanted.srcPos, wanted.srcPtr, kinds[0])
    target = side(wanted.dstArray, wanted.dstPos, wanted.dstPtr, kinds[1])
    extent = wanted.extent
    _copy(source, target, extent.x * texel, extent.y, extent.z, stream)


def memcpy3D(Memcpy3DParmsPtr):
    memcpy3DAsync(Memcpy3DParmsPtr, 0)
    get_driver().synchronize_stream(0)


# -- textures and surfaces ------------------------------------------------------------------------


def _resource(address):
    """A cudaResourceDesc in the driver's form."""
    given = Resource.from_address(address)
    made = _DriverResource(kind=given.resType)
    if given.resType < 2:  # an array, or one with mipmaps
        made.res.array = given.res.array
        return made
    memory = given.res.linear if given.resType == 2 else given.res.pitch2D
    sizes = (memory.sizeInBytes,) if given.resType == 2 else (
        memory.width, memory.height, memory.pitchInBytes
    )  # fmt: skip
    made.res.memory = _Memory(memory.devPtr or 0, *_format_of(memory.desc),
                              (c_size_t * 3)(*sizes))  # fmt: skip
    return made


def _texture(address):
    """A cudaTextureDesc in the driver's form."""
    given = Texture.from_address(address)
    flags = (
        (given.readMode == 0)  # elements as they are
        | bool(given.normalizedCoords) << 1
        | bool(given.sRGB) << 4
        | bool(given.disableTrilinearOptimization) << 5
    )
    made = _DriverTexture(flags=flags)
    for name, _ in _DriverTexture._fields_:
        if name not in ("flags", "reserved"):
            setattr(made, name, getattr(given, name))
    return made


def createTextureObject(ResDescPtr, TexDescPtr):
    """The number by which kernels read a texture."""
    devices.get_context()
    number, resource = c_uint64(), _resource(ResDescPtr)
    texture = _texture(TexDescPtr)
    on_a_gpu("textures")("cuTexObjectCreate", ctypes.byref(number), ctypes.byref(resource),
                         ctypes.byref(texture), None)  # fmt: skip
    return number.value


def destroyTextureObject(texObject):
    on_a_gpu("textures")("cuTexObjectDestroy", texObject)


def createSurfaceObject(ResDescPtr):
    """The number by which kernels read and write a CUDA array."""
    devices.get_context()
    number, resource = c_uint64(), _resource(ResDescPtr)
    on_a_gpu("surfaces")("cuSurfObjectCreate", ctypes.byref(number), ctypes.byref(resource))
    return number.value


def destroySurfaceObject(surfObject):
    on_a_gpu("surfaces")("cuSurfObjectDestroy", surfObject)


# -- pools ----------------------------------------------------------------------------------------


class MemPoolProps:
    """What memPoolCreate() makes: pinned memory (1) of a device (location 1), how it is shared."""

    def __init__(self, allocType=1, handleType=0, locationType=1, devId=0):
        self.allocType, self.handleType = allocType, handleType
        self.locationType, self.devId = locationType, devId


def memPoolCreate(props):
    """A pool of memory in the order of streams."""
    devices.get_context()
    wanted = _Pool(props.allocType, props.handleType, props.locationType, props.devId)
    pool = c_void_p()
    on_a_gpu("pools")("cuMemPoolCreate", ctypes.byref(pool), ctypes.byref(wanted))
    return pool.value
