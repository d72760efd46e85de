"""What numba-cuda's documentation says of the host's side, a program for each thing it describes.

The docstrings are rows of docs/cuda-guide.md: a page of numba-cuda's documentation, and what it
says.
"""

import asyncio
import ctypes
import os
import re
import subprocess
import sys
import threading

import numpy as np
import pytest
from numjit import config, cuda, float32, float64, int32, types, void


@cuda.jit
def doubled(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


def program(text, **environment):
    """What a program prints in a process of its own."""
    command = [sys.executable, "-c", text]
    variables = {**os.environ, **environment}
    done = subprocess.run(command, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# -- devices ------------------------------------------------------------------------------------


def test_detection(capsys):
    """Host API: `is_available`, `detect`, `is_supported_version`"""
    assert cuda.is_available() and cuda.detect()
    assert "Found" in capsys.readouterr().out


def test_contexts():
    """Host API: `current_context`, `Context.get_memory_info`, `push`, `pop`, `reset`"""
    context = cuda.current_context()
    free, total = context.get_memory_info()
    assert 0 < free <= total
    context.push()
    context.pop()
    assert context.device.id == cuda.get_current_device().id


def test_context_of_a_function():
    """Host API: `require_context`, `synchronize`, `close`, `select_device`"""

    @cuda.require_context
    def function(x):
        return x + 1

    assert function(1) == 2
    cuda.synchronize()
    text = """
from numjit import cuda
import numpy as np
assert cuda.select_device(0).id == 0
cuda.close()
cuda.select_device(0)
print(cuda.to_device(np.arange(3)).copy_to_host().sum())
"""
    assert program(text) == "3"


def test_device_list():
    """Host API: `gpus`, `gpus.current`, `with gpus[0]`, `list_devices`, `cudadrv.devices.gpus`"""
    from numjit.cuda.cudadrv.devices import gpus

    assert len(cuda.gpus) >= 1 and len(cuda.list_devices()) == len(gpus)
    with cuda.gpus[0]:
        assert cuda.gpus.current.id == 0
    assert [gpu.id for gpu in cuda.gpus][0] == 0
    assert gpus.current.id == cuda.gpus.current.id


def test_device_attributes():
    """Host API: `Device`: `id`, `name`, `compute_capability`, `uuid`, `supports_float16`,
    `reset`"""
    device = cuda.current_context().device
    assert device.id == 0 and len(device.compute_capability) == 2
    name = device.name.decode() if isinstance(device.name, bytes) else device.name
    assert name and device.uuid.startswith("GPU-") and device.supports_float16 in (True, False)
    assert callable(device.reset)


# -- compilation --------------------------------------------------------------------------------


def add(x, y):
    return x + y


def test_compile():
    """Host API: `compile`, `compile_for_current_device`, by default with C's convention"""
    code, result = cuda.compile(add, int32(int32, int32))
    assert ".func" in code and " add(" in code and result == int32
    code, result = cuda.compile_for_current_device(add, float64(float64, float64))
    assert " add(" in code and result == float64


def test_compile_to_ptx():
    """Host API: `compile_ptx`, `compile_ptx_for_current_device`, kernels and device functions"""
    signature = (float32[:], float32)

    def fill(x, value):
        x[cuda.grid(1)] = value

    code, result = cuda.compile_ptx(fill, signature)
    assert ".entry" in code and result == types.void
    code, result = cuda.compile_ptx_for_current_device(fill, signature)
    assert ".entry" in code


def test_compile_all():
    """Host API: `compile_all`, with the code that is linked"""
    twice = cuda.declare_device("twice", "int32(int32)", link=cuda.PTXSource(b"// twice"), abi="c")

    def function(x):
        return twice(x)

    codes, result = cuda.compile_all(function, int32(int32), device=True, abi="c")
    assert len(codes) == 2 and result == int32


@pytest.mark.parametrize(
    "options, text",
    [
        ({"debug": True, "opt": False}, ".debug"),
        ({"lineinfo": True}, ".loc"),
        ({"cc": (9, 0)}, "sm_90"),
        ({"fastmath": True}, "div.approx"),
        ({"abi_info": {"abi_name": "mine"}}, " mine("),
        ({"output": "ptx"}, ".version"),
        ({"launch_bounds": 256, "device": False}, ".maxntid"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_options_of_compile(options, text):
    """Host API: options of `compile`: `debug`, `lineinfo`, `cc`, `fastmath`, `opt`, `abi_info`,
    `launch_bounds`"""
    if options.get("device") is False:

        def kernel(x):
            x[0] = 1

        code, _ = cuda.compile(kernel, void(float32[:]), abi="numba", **options)
    else:
        code, _ = cuda.compile(
            lambda x, y: x / y, float32(float32, float32), **{"device": True, **options}
        )
    assert text in code


def test_conventions():
    """Compiling for other languages: `abi="c"`, `abi="numba"`, `abi_name`"""
    code, _ = cuda.compile_ptx(add, int32(int32, int32), device=True, abi="c")
    assert " add(" in code and "add_param_1" in code and "add_param_2" not in code
    code, _ = cuda.compile_ptx(
        add, float32(float32, float32), device=True, abi="c", abi_info={"abi_name": "add_f32"}
    )
    assert " add_f32(" in code
    code, result = cuda.compile_ptx(add, int32(int32, int32), device=True)
    (name,) = re.findall(r"(_Z\w+)\(", code)
    assert f"{name}_param_2" in code and f"{name}_param_3" not in code and result == int32
    assert "st.b32" in code
    with pytest.raises(NotImplementedError):
        cuda.compile_ptx(lambda x: None, void(int32), abi="c", device=False)
    with pytest.raises(NotImplementedError):
        cuda.compile(add, int32(int32, int32), abi="fortran")
    with pytest.raises(NotImplementedError, match="nvidia-nvvm"):
        cuda.compile(add, int32(int32, int32), output="ltoir")


# -- measurement, streams -----------------------------------------------------------------------


def test_profiling():
    """Host API: `profile_start`, `profile_stop`, `profiling`"""
    with cuda.profiling():
        doubled[1, 1](np.ones(1))
    cuda.profile_start()
    cuda.profile_stop()


def test_events():
    """Host API: `event`, `event_elapsed_time`, `Event.query`, `record`, `synchronize`, `wait`,
    `elapsed_time`"""
    stream = cuda.stream()
    start, end = cuda.event(), cuda.event(timing=True)
    start.record(stream)
    doubled[1, 32, stream](cuda.to_device(np.ones(32)))
    end.record(stream)
    end.wait(cuda.default_stream())
    end.synchronize()
    assert end.query() and cuda.event_elapsed_time(start, end) >= 0
    assert start.elapsed_time(end) >= 0


def test_streams():
    """Host API: `stream`, `default_stream`, `legacy_default_stream`, `per_thread_default_stream`,
    `external_stream`"""
    for stream in (
        cuda.stream(),
        cuda.default_stream(),
        cuda.legacy_default_stream(),
        cuda.per_thread_default_stream(),
        cuda.external_stream(int(cuda.legacy_default_stream().handle.value)),
    ):
        x = cuda.to_device(np.ones(4), stream=stream)
        doubled[1, 4, stream](x)
        with stream.auto_synchronize():
            host = x.copy_to_host(stream=stream)
        assert (host == 2).all()


def test_callbacks():
    """Host API: `Stream.add_callback`, `async_done`, `synchronize`"""
    stream, called, done = cuda.stream(), [], threading.Event()

    def callback(stream, status, arg):
        called.append(arg)
        done.set()

    stream.add_callback(callback, "arg")
    stream.synchronize()
    assert done.wait(10) and called == ["arg"]

    async def run():
        return await stream.async_done()

    assert asyncio.run(run()) is not None


# -- memory -------------------------------------------------------------------------------------


def test_transfer():
    """Memory: `to_device`, `device_array`, `device_array_like`, `copy_to_host`, `copy_to_device`"""
    host = np.arange(12.0).reshape(3, 4)
    device = cuda.to_device(host)
    assert (device.copy_to_host() == host).all()
    other = cuda.device_array_like(device)
    other.copy_to_device(device)
    out = np.empty_like(host)
    assert other.copy_to_host(out) is out and (out == host).all()
    empty = cuda.device_array((3, 4), np.float64, order="F")
    assert empty.strides == (8, 24)
    assert cuda.to_device(host, to=empty) is empty and (empty.copy_to_host() == host).all()
    assert cuda.to_device(host, copy=False).shape == host.shape


def test_device_arrays():
    """Memory: `DeviceNDArray.is_c_contiguous`, `is_f_contiguous`, `ravel`, `reshape`, `split`,
    slices"""
    host = np.arange(12.0).reshape(3, 4)
    device = cuda.to_device(host)
    assert device.is_c_contiguous() and not device.is_f_contiguous()
    assert (device.ravel().copy_to_host() == host.ravel()).all()
    assert (device.reshape(4, 3).copy_to_host() == host.reshape(4, 3)).all()
    with pytest.raises(NotImplementedError, match="copy"):
        device.reshape((2, 6), order="F")
    parts = [part.copy_to_host() for part in device.ravel().split(5)]
    assert (np.concatenate(parts) == host.ravel()).all() and parts[0].shape == (5,)
    assert (device[1:, ::2].copy_to_host() == host[1:, ::2]).all()
    device[0] = 7
    device[1:] = host[:2]
    found = device.copy_to_host()
    assert (found[0] == 7).all() and (device.T.copy_to_host() == found.T).all()
    assert (found[1:] == host[:2]).all()
    assert device.view(np.int64).dtype == np.int64 and device.squeeze().shape == (3, 4)


def test_device_records():
    """Memory: `DeviceRecord.copy_to_host`, `copy_to_device`"""
    dtype = np.dtype([("a", np.int32), ("b", np.float64)])
    host = np.array([(1, 2.5)], dtype)[0]
    device = cuda.to_device(host)
    assert device.copy_to_host()["b"] == 2.5
    device["a"] = 4
    other = np.zeros(1, dtype)[0]
    device.copy_to_host(other)
    assert other["a"] == 4 and device["b"] == 2.5
    device.copy_to_device(np.array([(9, 1.0)], dtype)[0])
    assert device.copy_to_host()["a"] == 9


def test_pinned_and_mapped():
    """Memory: `pinned`, `pinned_array`, `pinned_array_like`, `mapped`, `mapped_array`,
    `mapped_array_like`, `managed_array`"""
    host = np.ones(8)
    with cuda.pinned(host):
        assert (cuda.to_device(host).copy_to_host() == 1).all()
    for array in (
        cuda.pinned_array(8),
        cuda.pinned_array_like(host),
        cuda.pinned_array((2, 4), np.float32, strides=None, order="F"),
    ):
        array[:] = 3
        assert (cuda.to_device(array).copy_to_host() == 3).all()
    with cuda.mapped(host) as device:
        doubled[1, 8](device)
        cuda.synchronize()
    assert (host == 2).all()
    for array in (
        cuda.mapped_array(8),
        cuda.mapped_array_like(host),
        cuda.managed_array(8),
        cuda.mapped_array(8, portable=True, wc=False),
    ):
        array[:] = 1
        doubled[1, 8](array)
        cuda.synchronize()
        assert (np.asarray(array) == 2).all()


def test_mapped_methods():
    """Memory: `MappedNDArray.copy_to_host`, `copy_to_device`, `split`"""
    array = cuda.mapped_array(8)
    array.copy_to_device(np.arange(8.0))
    assert (array.copy_to_host() == np.arange(8)).all()
    assert [part.shape for part in array.split(4)] == [(4,), (4,)]


def test_interface():
    """CUDA Array Interface: `as_cuda_array`, `is_cuda_array`, `from_cuda_array_interface`,
    version 3, streams, masks"""
    stream = cuda.stream()
    device = cuda.to_device(np.arange(6.0), stream=stream)
    described = device.__cuda_array_interface__
    assert described["version"] == 3 and described["shape"] == (6,)
    assert described["stream"] and described["strides"] is None

    class Foreign:
        __cuda_array_interface__ = described

    assert cuda.is_cuda_array(Foreign()) and not cuda.is_cuda_array([1])
    view = cuda.as_cuda_array(Foreign(), sync=False)
    doubled[1, 6](view)
    doubled[1, 6](Foreign())
    assert (device.copy_to_host() == 4 * np.arange(6)).all()
    again = cuda.from_cuda_array_interface(described, owner=device, sync=True)
    assert (again.copy_to_host() == 4 * np.arange(6)).all()

    class Masked:
        __cuda_array_interface__ = {**described, "mask": view}

    with pytest.raises(NotImplementedError):
        cuda.as_cuda_array(Masked())
    assert cuda.device_array(0).__cuda_array_interface__["data"][0] == 0


def test_deallocation():
    """Memory: `defer_cleanup`, `deallocations`"""
    with cuda.defer_cleanup():
        del_me = cuda.to_device(np.ones(8))
        del del_me
    assert hasattr(cuda.current_context(), "deallocations")


def test_sharing():
    """Sharing CUDA memory: `get_ipc_handle`, `open_ipc_array`, `IpcArrayHandle.open`, `close`"""
    device = cuda.to_device(np.arange(4))
    if cuda.is_simulated():
        assert callable(device.get_ipc_handle) and callable(cuda.open_ipc_array)
        return
    handle = device.get_ipc_handle()
    assert callable(handle.open) and callable(handle.close)


def test_memory_managers():
    """External memory: `BaseCUDAMemoryManager`, `HostOnlyCUDAMemoryManager`, `GetIpcHandleMixin`,
    `MemoryPointer`, `MappedMemory`, `PinnedMemory`, `MemoryInfo`, `IpcHandle`,
    `set_memory_manager`"""
    from numjit.cuda.cudadrv.driver import AutoFreePointer

    class Manager(cuda.GetIpcHandleMixin, cuda.HostOnlyCUDAMemoryManager):
        def memalloc(self, size):
            raise NotImplementedError

        def initialize(self):
            pass

        def get_memory_info(self):
            return cuda.MemoryInfo(free=1, total=2)

        @property
        def interface_version(self):
            return 1

    assert cuda.MemoryInfo(free=1, total=2).total == 2
    names = "memalloc memhostalloc mempin initialize get_ipc_handle get_memory_info reset"
    for name in [*names.split(), "defer_cleanup"]:
        assert callable(getattr(cuda.BaseCUDAMemoryManager, name)), name
    pointer = cuda.MemoryPointer(cuda.current_context(), ctypes.c_uint64(64), 16, finalizer=None)
    assert pointer.size == 16 and issubclass(cuda.MappedMemory, AutoFreePointer)
    assert cuda.IpcHandle and cuda.PinnedMemory and callable(cuda.set_memory_manager)


# -- environment --------------------------------------------------------------------------------

SETTINGS = {
    "DISABLE_CUDA": ("1", 1),
    "FORCE_CUDA_CC": ("8.0", (8, 0)),
    "CUDA_DEFAULT_PTX_CC": ("8.6", (8, 6)),
    "ENABLE_CUDASIM": ("1", 1),
    "CUDA_DEBUGINFO_DEFAULT": ("1", 1),
    "DEBUGINFO_DEFAULT": ("1", 1),
    "CUDA_ARRAY_INTERFACE_SYNC": ("0", 0),
    "CUDA_LOG_LEVEL": ("DEBUG", "DEBUG"),
    "CUDA_LOG_API_ARGS": ("1", 1),
    "CUDA_LOG_SIZE": ("2048", 2048),
    "CUDA_VERBOSE_JIT_LOG": ("0", 0),
    "CUDA_PER_THREAD_DEFAULT_STREAM": ("1", 1),
    "CUDA_LOW_OCCUPANCY_WARNINGS": ("0", 0),
    "CUDA_WARN_ON_IMPLICIT_COPY": ("0", 0),
    "CUDA_INCLUDE_PATH": ("/nowhere", "/nowhere"),
    "CUDA_MEMORY_MANAGER": ("default", "default"),
    "CUDA_DEALLOCS_COUNT": ("20", 20),
    "CUDA_DEALLOCS_RATIO": ("0.5", 0.5),
    "CUDA_ENABLE_NRT": ("1", 1),
    "CUDA_NRT_STATS": ("1", 1),
    "CUDA_NVRTC_EXTRA_SEARCH_PATHS": ("/a:/b", "/a:/b"),
    "CUDA_DRIVER": ("/nowhere", "/nowhere"),
}
VARIABLES = {
    "CUDA_DEBUGINFO_DEFAULT": "CUDA_DEBUGINFO",
    "DEBUGINFO_DEFAULT": "DEBUGINFO",
    "CUDA_DEALLOCS_COUNT": "CUDA_MAX_PENDING_DEALLOCS_COUNT",
    "CUDA_DEALLOCS_RATIO": "CUDA_MAX_PENDING_DEALLOCS_RATIO",
}


def test_settings():
    """Environment: `NUMBA_DISABLE_CUDA`, `FORCE_CUDA_CC`, `CUDA_DEFAULT_PTX_CC`,
    `ENABLE_CUDASIM`, `CUDA_DEBUGINFO` and the other variables, also as `numba.config.*`"""
    text = "from numjit import config\n" + "".join(
        f"print(config.{name} == {wanted!r})\n" for name, (_, wanted) in SETTINGS.items()
    )
    given = {f"NUMBA_{VARIABLES.get(name, name)}": value for name, (value, _) in SETTINGS.items()}
    said = dict(zip(SETTINGS, program(text, **given).splitlines(), strict=True))
    assert set(said.values()) == {"True"}, said
    assert config.CUDA_LOW_OCCUPANCY_WARNINGS in (0, 1)


def test_debug_by_default():
    """Environment: `NUMBA_CUDA_DEBUGINFO=1` makes `debug=True` the default"""
    text = """
from numjit import cuda
import numpy as np
@cuda.jit
def k(x):
    x[5] = 1 / x[0]
try:
    k[1, 1](np.zeros(6))
    cuda.synchronize()
except ZeroDivisionError:
    print("raised")
"""
    assert program(text, NUMBA_CUDA_DEBUGINFO="1") == "raised"
    assert program(text) == ""
