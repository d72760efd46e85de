"""numjit.cuda: kernels for NVIDIA's GPUs in Python, under the names of numba.cuda.

    from numjit import cuda

    @cuda.jit
    def axpy(a, x, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i] += a * x[i]

    axpy[blocks, threads](2.0, x, y)

With NUMJIT_CUDA_SIMULATOR=1 kernels run on the processor, compiled, and no GPU is needed.
"""

import importlib

import numjit
from numjit.cuda.kernel_names import *  # noqa: F403

_PLACES = {
    "api": (
        "current_context to_device device_array device_array_like pinned_array pinned_array_like "
        "mapped_array mapped_array_like managed_array pinned mapped stream default_stream "
        "legacy_default_stream per_thread_default_stream external_stream event "
        "event_elapsed_time synchronize is_available is_simulated cuda_error is_supported_version "
        "is_float16_supported is_bfloat16_supported is_fp8_supported detect "
        "profile_start profile_stop profiling runtime open_ipc_array "
        "as_cuda_array is_cuda_array from_cuda_array_interface close defer_cleanup "
        "get_current_device gpus list_devices require_context select_device"
    ),
    "decorators": "jit declare_device vectorize guvectorize",
    "args": "In Out InOut",
    "compilation": (
        "compile compile_ptx compile_for_current_device compile_ptx_for_current_device compile_all"
    ),
    "algorithms": "transform scan select sort sort_by_key unique histogram",
    "graphs": "graph Graph",
    "reduction": "Reduce",
    "races": "RaceError",
    "cudadrv.error": "CudaSupportError",
    "cudadrv.linkable": "LinkableCode Archive CUSource Cubin Fatbin Object PTXSource",
    "cudadrv.devicearray": "DeviceNDArray",
    "cudadrv.memory": (
        "BaseCUDAMemoryManager HostOnlyCUDAMemoryManager GetIpcHandleMixin IpcHandle "
        "MappedMemory PinnedMemory MemoryInfo MemoryPointer set_memory_manager"
    ),
}
#: The names of the package numba are there, as numjit's.
HAS_NUMBA = True

_FROM = {name: place for place, names in _PLACES.items() for name in names.split()}
_SUBMODULES = frozenset(
    (
        "algorithms api args bf16 compilation cudadrv decorators devicearray dispatcher fp8 "
        "graphs launchconfig libdevice races random testing"
    ).split()
)


def __getattr__(name):
    if name in ("types", "config", "errors") or name in numjit._TYPE_NAMES:
        value = getattr(numjit, name)
    elif name == "reduce":
        value = __getattr__("Reduce")
    elif name in ("devices", "gpus"):
        devices = importlib.import_module("numjit.cuda.cudadrv.devices")
        value = devices if name == "devices" else devices.gpus
    elif name == "devicearray":
        value = importlib.import_module("numjit.cuda.cudadrv.devicearray")
    elif name == "autojit":
        value = __getattr__("jit")
    elif name == "cgutils":
        value = importlib.import_module("numjit.compat.cgutils")
    elif name == "compiler":
        value = importlib.import_module("numjit.cuda.compilation")
    elif name in _FROM:
        value = getattr(importlib.import_module(f"numjit.cuda.{_FROM[name]}"), name)
    elif name in _SUBMODULES:
        value = importlib.import_module(f"numjit.cuda.{name}")
    else:
        value = importlib.import_module("numjit.compat.numba_paths").part_of(__name__, name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_FROM, *numjit._TYPE_NAMES, "config", "reduce", "types"})
