"""CUDA arrays, textures, surfaces and pools of cupy.cuda.runtime."""

import ctypes

import numjit.cupy as cp
import numpy as np
import pytest
from numjit import cuda
from numjit.cupy import runtime_arrays as forms

runtime = cp.cuda.runtime
FLOAT32 = forms.Channels(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
UCHAR4 = forms.Channels(8, 8, 8, 8, runtime.cudaChannelFormatKindUnsigned)


@pytest.mark.parametrize(
    "form, size, field, offset",
    [
        (forms.Channels, 20, "f", 16), (forms.Copy3D, 160, "kind", 152),
        (forms.Resource, 64, "res", 8), (forms.Texture, 68, "borderColor", 24),
        (forms._Described, 40, "flags", 32), (forms._Box, 200, "width", 176),
        (forms._DriverResource, 144, "flags", 136), (forms._DriverTexture, 104, "borderColor", 40),
        (forms._Pool, 88, "most", 24), (forms._Memory, 40, "sizes", 16),
    ],
)  # fmt: skip
def test_layouts_of_the_headers(form, size, field, offset):
    assert ctypes.sizeof(form) == size and getattr(form, field).offset == offset


def array_of(channels, *extents):
    make = runtime.mallocArray if len(extents) == 2 else runtime.malloc3DArray
    return make(ctypes.addressof(channels), *extents)


@pytest.mark.parametrize("channels, dtype", [(FLOAT32, np.float32), (UCHAR4, np.uint32)])
def test_rows_of_an_array(channels, dtype):
    host = np.arange(6 * 5, dtype=dtype).reshape(6, 5)
    device = cp.array(host)
    array = array_of(channels, 5, 6)
    runtime.memcpy2DToArray(array, 0, 0, host.ctypes.data, 20, 20, 6, runtime.memcpyHostToDevice)
    found = np.zeros((4, 3), dtype)
    to_host = runtime.memcpyDeviceToHost
    runtime.memcpy2DFromArray(found.ctypes.data, 12, array, 8, 1, 12, 4, to_host)
    assert (found == host[1:5, 2:5]).all()
    stream = cp.cuda.Stream(non_blocking=True)
    runtime.memcpy2DToArrayAsync(array, 4, 2, device.data.ptr, 20, 8, 1, 3, stream.ptr)
    out = cp.zeros((6, 5), dtype)
    cp.cuda.Device().synchronize()
    stream.use()
    runtime.memcpy2DFromArrayAsync(out.data.ptr, 20, array, 0, 0, 20, 6, 4, stream.ptr)
    stream.synchronize()
    cp.cuda.Stream.null.use()
    host[2, 1:3] = host[0, :2]
    assert (out.get() == host).all()
    assert runtime.getChannelDesc(array).get_channel_format() == {
        name: getattr(channels, name) for name in "xyzwf"
    }
    runtime.freeArray(array)


def test_boxes():
    host = np.arange(2 * 3 * 4, dtype=np.float32).reshape(2, 3, 4)
    array = array_of(FLOAT32, 4, 3, 2)
    copy = forms.Copy3D(dstArray=array, extent=forms.Place(4, 3, 2), kind=1)
    copy.srcPtr = forms.Pitched(host.ctypes.data, 16, 4, 3)
    runtime.memcpy3D(ctypes.addressof(copy))
    found = np.zeros((2, 2, 2), np.float32)
    back = forms.Copy3D(srcArray=array, srcPos=forms.Place(1, 1, 0), kind=2)
    back.dstPtr, back.extent = forms.Pitched(found.ctypes.data, 8, 2, 2), forms.Place(2, 2, 2)
    runtime.memcpy3DAsync(ctypes.addressof(back), 0)
    runtime.deviceSynchronize()
    assert (found == host[:, 1:, 1:3]).all()
    # Without an array extents and positions are bytes.
    device, out = cp.array(host), cp.zeros((2, 3, 4), np.float32)
    plain = forms.Copy3D(srcPos=forms.Place(4, 0, 1), extent=forms.Place(8, 3, 1), kind=3)
    plain.srcPtr = forms.Pitched(device.data.ptr, 16, 16, 3)
    plain.dstPtr = forms.Pitched(out.data.ptr, 16, 16, 3)
    runtime.memcpy3D(ctypes.addressof(plain))
    assert (out.get()[0, :, :2] == host[1, :, 1:3]).all() and not out.get()[1].any()
    runtime.freeArray(array)


def test_errors():
    three = forms.Channels(8, 8, 8, 0, runtime.cudaChannelFormatKindUnsigned)
    with pytest.raises(runtime.CUDARuntimeError, match="20"):
        array_of(three, 4, 4)
    with pytest.raises(runtime.CUDARuntimeError, match="21"):
        runtime.memcpy2DToArray(1, 0, 0, 1, 4, 4, 1, 9)
    with pytest.raises(AttributeError, match="ask the texture object"):
        runtime.getTextureObjectResourceDesc


def test_textures_in_the_drivers_form():
    resource = forms.Resource(resType=runtime.cudaResourceTypePitch2D)
    resource.res.pitch2D = forms._Pitch2D(4096, UCHAR4, 5, 6, 32)
    made = forms._resource(ctypes.addressof(resource))
    assert (made.kind, made.res.memory.pointer, list(made.res.memory.sizes)) == (
        3,
        4096,
        [5, 6, 32],
    )
    assert (made.res.memory.format, made.res.memory.channels) == (1, 4)
    resource = forms.Resource(resType=runtime.cudaResourceTypeLinear)
    resource.res.linear = forms._Linear(8192, FLOAT32, 64)
    made = forms._resource(ctypes.addressof(resource))
    assert (made.res.memory.format, made.res.memory.channels) == (0x20, 1)
    assert made.res.memory.sizes[0] == 64
    texture = forms.Texture(
        filterMode=runtime.cudaFilterModeLinear, readMode=runtime.cudaReadModeNormalizedFloat,
        normalizedCoords=1, maxAnisotropy=3,
    )  # fmt: skip
    texture.addressMode[:] = [runtime.cudaAddressModeBorder] * 3
    texture.borderColor[:] = [0.5] * 4
    made = forms._texture(ctypes.addressof(texture))
    assert (made.flags, made.filterMode, made.maxAnisotropy) == (2, 1, 3)
    assert list(made.addressMode) == [3] * 3 and list(made.borderColor) == [0.5] * 4


@pytest.mark.skipif(cuda.is_simulated(), reason="the simulator has no textures, and no pools")
def test_objects_on_a_gpu():
    array = array_of(FLOAT32, 4, 3)
    resource = forms.Resource(resType=runtime.cudaResourceTypeArray)
    resource.res.array = array
    texture = forms.Texture()
    made = runtime.createTextureObject(ctypes.addressof(resource), ctypes.addressof(texture))
    assert made
    runtime.destroyTextureObject(made)
    runtime.freeArray(array)
    array = runtime.mallocArray(ctypes.addressof(FLOAT32), 4, 3, runtime.cudaArraySurfaceLoadStore)
    resource.res.array = array
    made = runtime.createSurfaceObject(ctypes.addressof(resource))
    assert made
    runtime.destroySurfaceObject(made)
    runtime.freeArray(array)
    pool = runtime.memPoolCreate(runtime.MemPoolProps(devId=0))
    pointer = runtime.mallocFromPoolAsync(1 << 20, pool, 0)
    assert pointer
    runtime.freeAsync(pointer, 0)
    runtime.deviceSynchronize()
    runtime.memPoolDestroy(pool)
