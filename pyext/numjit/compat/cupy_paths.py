"""The import paths of CuPy's modules, private ones included, for programs that name them.

`from cupy.cuda import driver`, `from cupy._core import internal`: a row of MODULES says where such
a module finds its names, as the rows of numba_paths.py do. `cupy_backends.cuda.api.runtime` is
`numjit.cupy_backends...` here, for which there are rows, too.
"""

from __future__ import annotations

_CUDA = {
    "runtime": "=cupy.runtime",
    "nvtx": "=cupy.nvtx",
    "profiler": "=cupy.profiler",
    "texture": "=cupy.texture",
    "memory": "cupy.memory_names cupy.pool cupy.pointers cupy.async_pool",
    "memory_hook": "cupy.memory_hooks",
    "memory_hooks": "=cupy.memory_hooks",
    "pinned_memory": "cupy.pinned",
    "stream": "cupy.devices",
    "device": "cupy.devices cupy.cuda",
    "function": "cupy.text_kernels",
    "graph": "cupy.graphs",
    "driver": "=cupy.driver_names",
    "compiler": "=cupy.text_compiler",
    "nvrtc": "cupy.text_compiler",
    "_compiler_cache": "=cupy.text_cache",
    "cublas": "cupy.libraries cupy.blas",
    "cusolver": "cupy.libraries cupy.cusolver",
    "cufft": "cupy.libraries cupy.cufft cupy.cufft_plans",
    "curand": "=cupy.curand",
    "cusparse": "cupy.libraries",
}
# Optional parts of CuPy that are not here: `available` is false.
_CUDA |= dict.fromkeys("cub cutensor cusparselt jitify nccl thrust".split(), "cupy.absent")

MODULES = {f"cupy.cuda.{name}": source for name, source in _CUDA.items()}
MODULES |= {
    "cupy._core": "cupy.core_names cupy.typed_kernels cupy.internal cupy",
    "cupy._core.core": "cupy.core_names cupy.typed_kernels cupy",
    "cupy._core.internal": "=cupy.internal",
    "cupy._core.flags": "cupy.flags",
    "cupy._core._accelerator": "cupy.core_names",
    "cupy._core._cub_reduction": "cupy.core_names",
    "cupy._core._dtype": "cupy.core_names",
    "cupy._core._gufuncs": "=cupy.gufuncs",
    "cupy._core._kernel": "cupy.typed_kernels cupy",
    "cupy._core._reduction": "cupy.typed_kernels cupy",
    "cupy._core._routines_linalg": "cupy.core_names cupy",
    "cupy._core._routines_math": "cupy.core_names cupy",
    "cupy._core._routines_statistics": "cupy.core_names cupy",
    "cupy._core._scalar": "cupy.core_names",
    "cupy._core.dlpack": "cupy.dlpack",
    "cupy._core.fusion": "cupy.functional",
    "cupy._core.raw": "cupy.text_kernels",
    "cupy._creation": "",
    "cupy._creation.from_data": "cupy",
    "cupy._environment": "cupy.environment",
    "cupy._indexing": "",
    "cupy._indexing.generate": "cupy.grids cupy",
    "cupy._util": "=cupy.util_names",
    "cupy.fft._fft": "cupy.fft_plans cupy.fft",
    "cupy.fft.config": "=cupy.fft_config",
    "cupy.fft._callback": "=cupy.fft_callbacks",
    "cupy.fft._cache": "cupy.cufft_plans cupy.fft_config",
    "cupy.lib.stride_tricks": "=cupy.stride_tricks",
    "cupy.linalg._util": "cupy.core_names cupy.linalg",
    "cupy.polynomial.polynomial": "",
    "cupy.random._bit_generator": "cupy.random",
    "cupy.random._distributions": "cupy.random",
    "cupy.random._generator": "cupy.random",
    "cupy.random._sample": "cupy.random",
    "cupy.testing._array": "cupy.testing",
    "cupy.testing._condition": "=cupy.testing.conditions",
    "cupy.testing._helper": "cupy.testing",
    "cupy.testing._hypothesis": "cupy.testing.conditions",
    "cupy.testing._loops": "cupy.testing.loops cupy.testing.with_numpy",
    "cupy.testing._parameterized": "cupy.testing",
    "cupy.testing._protocol_helpers": "cupy.testing.samples",
    "cupy.testing._random": "cupy.testing",
    # What CuPy's compiled modules are.
    "cupy_backends": "",
    "cupy_backends.cuda": "",
    "cupy_backends.cuda.api": "",
    "cupy_backends.cuda.libs": "",
    "cupy_backends.cuda.api.driver": "=cupy.driver_names",
    "cupy_backends.cuda.api.runtime": "=cupy.runtime",
    "cupy_backends.cuda.stream": "cupy.devices",
}
for _name in "cublas cufft curand cusolver cusparse nccl nvrtc nvtx".split():
    MODULES[f"cupy_backends.cuda.libs.{_name}"] = _CUDA[_name]
