"""A program for PyCUDA: arrays, and a kernel that is C++. It needs a GPU; in the simulator only the
part with arrays runs.

    python examples/cuda/source_module.py
"""

import numjit.pycuda.autoinit  # noqa: F401
import numjit.pycuda.driver as drv
import numpy as np
from numjit import cuda
from numjit.pycuda import gpuarray
from numjit.pycuda.compiler import SourceModule

SOURCE = """
__global__ void blend(float *out, const float *a, const float *b, float weight, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = weight * a[i] + (1 - weight) * b[i];
}
"""


def with_arrays(a, b, weight):
    return (weight * gpuarray.to_gpu(a) + (1 - weight) * gpuarray.to_gpu(b)).get()


def with_a_kernel(a, b, weight):
    blend = SourceModule(SOURCE).get_function("blend")
    out = np.empty_like(a)
    start, end = drv.Event(), drv.Event()
    start.record()
    blend(
        drv.Out(out), drv.In(a), drv.In(b), np.float32(weight), np.int32(a.size),
        block=(256, 1, 1), grid=((a.size + 255) // 256, 1),
    )  # fmt: skip
    end.record().synchronize()
    print(f"kernel and copies: {end.time_since(start):.3f} ms")
    return out


def main():
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 100_000), np.float32)
    expected = np.float32(0.25) * a + np.float32(0.75) * b
    assert np.allclose(with_arrays(a, b, np.float32(0.25)), expected)
    if cuda.is_simulated():
        print("the simulator runs no C++: arrays only")
    else:
        assert np.allclose(with_a_kernel(a, b, 0.25), expected)
    print("right")


if __name__ == "__main__":
    main()
