"""cupy.cuda.texture: arrays, and what kernels as text read and write through them."""

import gc
from concurrent.futures import ThreadPoolExecutor

import numjit.cupy as cp
import numpy as np
import pytest
from numjit import cuda
from numjit.cupy import elementwise
from numjit.cupy.cuda import runtime, texture

FLOAT = runtime.cudaChannelFormatKindFloat
SHAPES = {1: (12,), 2: (5, 12), 3: (3, 5, 12)}


def array_for(shape, bits=(32, 0, 0, 0), kind=FLOAT, flags=0):
    channels = sum(map(bool, bits))
    desc = texture.ChannelFormatDescriptor(*bits, kind)
    return texture.CUDAarray(desc, shape[-1] // channels, *reversed(shape[:-1]), flags=flags)


@pytest.mark.parametrize("ndim", SHAPES)
@pytest.mark.parametrize("module", [np, cp], ids=["host", "device"])
@pytest.mark.parametrize("bits", [(32, 0, 0, 0), (32, 32, 0, 0), (32, 32, 32, 32)])
def test_copies(ndim, module, bits):
    shape = SHAPES[ndim]
    array = array_for(shape, bits)
    assert array.ndim == ndim and array.width == 12 // sum(map(bool, bits))
    values = module.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    out, other = module.zeros(shape, np.float32), cp.zeros(shape, np.float32)
    array.copy_from(values)
    array.copy_to(out)
    stream = cp.cuda.Stream()
    array.copy_to(other, stream)
    stream.synchronize()
    assert (out == values).all() and (other.get() == cp.asnumpy(values)).all()


@pytest.mark.unwatched("racecheck", reason="it loses track of launches of several threads")
def test_threads():
    def work(n):
        values = cp.full((5, 12), n, np.float32)
        for _ in range(10):
            array, out = array_for((5, 12)), np.zeros((5, 12), np.float32)
            array.copy_from(values)
            array.copy_to(out)
            assert (out == n).all()
        return True

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(work, range(16)))


def test_errors():
    array = array_for((5, 12))
    with pytest.raises(ValueError, match="shape"):
        array.copy_from(np.zeros((12, 5), np.float32))
    with pytest.raises(ValueError, match="contiguous"):
        array.copy_to(np.zeros((5, 12), np.float32, order="F"))
    with pytest.raises(ValueError, match="cuArr"):
        texture.ResourceDescriptor(runtime.cudaResourceTypeArray)
    with pytest.raises(ValueError, match="restype"):
        texture.ResourceDescriptor(9)
    with pytest.raises(ValueError, match="height"):
        texture.CUDAarray(array.desc, 4, 0, 3)


def test_descriptors():
    array, memory = array_for((5, 12)), cp.arange(12, dtype=np.float32)
    found = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, array).get_resource_desc()
    assert found == {"resType": 0, "array": {"array": array}}
    linear = texture.ResourceDescriptor(
        runtime.cudaResourceTypeLinear, arr=memory, chDesc=array.desc, sizeInBytes=48
    ).get_resource_desc()["linear"]
    assert (linear["devPtr"], linear["sizeInBytes"]) == (memory.data.ptr, 48)
    rows = texture.ResourceDescriptor(
        runtime.cudaResourceTypePitch2D, arr=memory, chDesc=array.desc, width=3, height=2,
        pitchInBytes=32,
    ).get_resource_desc()["pitch2D"]  # fmt: skip
    assert (rows["width"], rows["height"], rows["pitchInBytes"]) == (3, 2, 32)
    how = texture.TextureDescriptor(
        (runtime.cudaAddressModeBorder,) * 2, runtime.cudaFilterModeLinear,
        borderColors=(0.5, 0.25), normalizedCoords=1,
    ).get_texture_desc()  # fmt: skip
    assert how["addressMode"] == (3, 3, 0) and how["borderColor"] == (0.5, 0.25, 0, 0)
    assert (how["filterMode"], how["normalizedCoords"], how["sRGB"]) == (1, 1, 0)


def test_arrays_are_given_back():
    from numjit.cupy import runtime_arrays

    array = array_for((5, 12))
    if cuda.is_simulated():
        assert array.ptr in runtime_arrays._simulated
        pointer = array.ptr
        del array
        gc.collect()
        assert pointer not in runtime_arrays._simulated


needs_a_gpu = pytest.mark.skipif(cuda.is_simulated(), reason="the simulator has no textures")

KERNELS = r"""
extern "C" __global__ void read(cudaTextureObject_t from, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < width) out[y * width + x] = tex2D<float>(from, x + 0.5f, y + 0.5f);
}
extern "C" __global__ void negate(cudaSurfaceObject_t at, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  float value;
  if (x < width) {
    surf2Dread(&value, at, x * 4, y);
    surf2Dwrite(-value, at, x * 4, y);
  }
}
"""


@needs_a_gpu
def test_textures_and_surfaces():
    values = np.random.default_rng(0).random((5, 12)).astype(np.float32)
    array = array_for((5, 12), flags=runtime.cudaArraySurfaceLoadStore)
    array.copy_from(values)
    resource = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, array)
    kernels = cp.RawModule(code=KERNELS)
    surface = texture.SurfaceObject(resource)
    kernels.get_function("negate")((1, 5), (32,), (surface, np.int32(12)))
    reader = texture.TextureObject(resource, texture.TextureDescriptor())
    out = cp.zeros((5, 12), np.float32)
    kernels.get_function("read")((1, 5), (32,), (reader, out, np.int32(12), np.int32(5)))
    assert (out.get() == -values).all()


SHIFTED = cp.ElementwiseKernel(
    "T x, U from, uint64 width", "T y", "y = x + tex2D<T>(from, i % width + .5f, i / width + .5f);"
)


@needs_a_gpu
def test_textures_are_arguments_of_elementwise_kernels():
    values = np.random.default_rng(0).random((5, 12)).astype(np.float32)
    for factor in 1, 2:  # a second texture is not taken for the first one
        array = array_for((5, 12))
        array.copy_from(values * factor)
        resource = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, array)
        reader = texture.TextureObject(resource, texture.TextureDescriptor())
        found = SHIFTED(cp.ones((5, 12), np.float32), reader, 12)
        np.testing.assert_array_equal(found.get(), 1 + values * np.float32(factor))


@pytest.mark.skipif(not cuda.is_simulated(), reason="the handle is none of the driver's")
def test_textures_are_numbers_for_elementwise_kernels(monkeypatch):
    reader = object.__new__(texture.TextureObject)
    reader.ptr, seen = 77, []
    monkeypatch.setattr(elementwise, "check_device", lambda: None)
    monkeypatch.setattr(
        cp.ElementwiseKernel, "_launch", lambda self, values, dtypes, *more: seen.append(dtypes)
    )
    SHIFTED(cp.ones((5, 12), np.float32), reader, 12, cp.zeros((5, 12), np.float32))
    assert seen == [[np.float32, np.uint64, np.uint64, np.float32]]
