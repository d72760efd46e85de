"""Names of Numba's that programs import, settings, and code that is linked with kernels."""

import importlib
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from numjit import _core, config, cuda, errors, float32, float64, int32, types
from numjit.cuda import cuda_paths, libdevice, toolchain
from numjit.cuda.cudadrv import libs, linkable, nvrtc, nvvm

PLACES = {
    "numjit.cuda.compiler": "compile_ptx",
    "numjit.cuda.core.config": "CUDA_DEFAULT_PTX_CC",
    "numjit.cuda.cudadrv.devicearray": "DeviceNDArray is_cuda_ndarray auto_device",
    "numjit.cuda.cudadrv.driver": "Context Device Stream Event LinkerError MemoryPointer",
    "numjit.cuda.cudadrv.enums": "CUDA_SUCCESS CU_DEVICE_ATTRIBUTE_WARP_SIZE",
    "numjit.cuda.cuda_paths": "get_conda_ctk_libdir get_cuda_paths get_system_ctk",
    "numjit.cuda.cudadecl": "registry register_attr",
    "numjit.cuda.cudadrv.libs": "test get_libdevice",
    "numjit.cuda.cudaimpl": "lower lower_attr lower_constant registry",
    "numjit.cuda.cudadrv.nvvm": "NvvmSupportError get_arch_option",
    "numjit.cuda.cudadrv.runtime": "runtime",
    "numjit.cuda.core.sigutils": "normalize_signature",
    "numjit.cuda.datamodel": "models",
    "numjit.cuda.descriptor": "cuda_target",
    "numjit.cuda.dispatcher": "CUDADispatcher",
    "numjit.cuda.errors": "normalize_kernel_dimensions",
    "numjit.cuda.extending": "overload",
    "numjit.cuda.kernels.reduction": "Reduce",
    "numjit.cuda.libdevicefuncs": "create_signature functions",
    "numjit.cuda.random": "xoroshiro128p_type init_xoroshiro128p_state",
    "numjit.cuda.simulator_init": "is_available",
    "numjit.cuda.target": "CUDATargetContext CUDATypingContext",
    "numjit.cuda.testing": "CUDATestCase skip_on_cudasim skip_unless_cc_60 unittest",
    "numjit.cuda.types": "float32 Array",
}


@pytest.mark.parametrize("module", PLACES)
def test_import_paths(module):
    found = importlib.import_module(module)
    for name in PLACES[module].split():
        assert getattr(found, name) is not None, name


def test_what_tests_use():
    from numjit.cuda.testing import CUDATestCase, captured_cuda_stdout, skip_on_cudasim, unittest

    @cuda.jit
    def k():
        print("thread", cuda.threadIdx.x)

    with captured_cuda_stdout() as text:
        k[1, 2]()
    assert text.getvalue() == "thread 0\nthread 1\n"

    class Tests(CUDATestCase):
        def test_warnings(self):
            assert not config.CUDA_LOW_OCCUPANCY_WARNINGS
            self.assertPreciseEqual(np.arange(3), np.arange(3))
            with self.assertRaises(AssertionError):
                self.assertPreciseEqual(np.arange(3), np.arange(3.0))

        @skip_on_cudasim("only on a GPU")
        def test_on_a_gpu(self):
            assert not cuda.is_simulated()

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Tests)(result)
    assert result.wasSuccessful() and len(result.skipped) == cuda.is_simulated()
    assert config.CUDA_LOW_OCCUPANCY_WARNINGS


def test_the_compute_capability_of_ptx(monkeypatch):
    def target():
        return cuda.compile_ptx(lambda x: x + 1, (float64,), device=True)[0]

    monkeypatch.setattr(config, "CUDA_DEFAULT_PTX_CC", (8, 0))
    assert ".target sm_80" in target()
    monkeypatch.setattr(config, "FORCE_CUDA_CC", (9, 0))
    assert ".target sm_90" in target()
    assert nvrtc.get_arch_option(7, 5) == "compute_90"
    monkeypatch.setattr(config, "FORCE_CUDA_CC", (9, 0, "a"))
    assert nvrtc.get_arch_option(7, 5) == "compute_90a" and ".target sm_90a" in target()
    monkeypatch.setattr(config, "FORCE_CUDA_CC", None)
    assert nvvm.get_arch_option(9, 3) == "compute_90" and nvrtc.find_closest_arch((9, 3)) == (9, 0)
    assert nvrtc.get_arch_option(9, 0, "a") == "compute_90a"
    with pytest.raises(ValueError, match="Can't use arch-specific compute_990a"):
        nvrtc.get_arch_option(99, 0, "a")
    with pytest.raises(nvvm.NvvmSupportError):
        nvvm.find_closest_arch((3, 5))


@pytest.mark.parametrize("name", ["NUMBA_DISABLE_CUDA=1", "NUMJIT_CUDA_DRIVER=/nowhere"])
def test_settings_that_keep_the_driver_away(name):
    setting, _, value = name.partition("=")
    program = (
        "from numjit import cuda\n"
        "from numjit.cuda.cudadrv.driver import driver\n"  # it says so when it is used
        "try: driver.device_count()\n"
        "except cuda.CudaSupportError as error: assert str(error) == cuda.cuda_error()\n"
        "print(cuda.is_available(), cuda.cuda_error())"
    )
    environment = {**os.environ, "NUMJIT_CUDA_SIMULATOR": "0", setting: value}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    found, _, error = done.stdout.partition(" ")
    assert found == "False" and setting.replace("NUMJIT_CUDA_DRIVER", "/nowhere") in error


def test_where_the_toolkit_is(tmp_path, monkeypatch):
    (tmp_path / "include").mkdir()
    (tmp_path / "lib64").mkdir()
    (tmp_path / "include" / "cuda.h").touch()
    (tmp_path / "lib64" / "libsome.a").touch()
    monkeypatch.setattr(libs, "include_folders", lambda: iter([str(tmp_path / "include")]))
    assert libs.get_cuda_include_dir() == str(tmp_path / "include")
    monkeypatch.setattr(libs, "include_folders", lambda: iter([str(tmp_path)]))
    with pytest.raises(FileNotFoundError):
        libs.get_cuda_include_dir()
    monkeypatch.setattr(toolchain, "toolkit_roots", lambda: iter([str(tmp_path)]))
    path = libs.get_cudalib("some", static=True)
    assert path == str(tmp_path / "lib64" / "libsome.a")
    libs.check_static_lib(path)
    assert libs.get_cudalib("other") == "libother.so"
    with pytest.raises(FileNotFoundError, match="libother.a not found"):
        libs.check_static_lib(libs.get_cudalib("other", static=True))


def test_where_headers_of_the_toolkit_are(tmp_path, monkeypatch):
    given = tmp_path / "given"
    for folder in given, tmp_path / "include" / "cccl":
        folder.mkdir(parents=True)
    monkeypatch.setattr(toolchain, "toolkit_roots", lambda: iter([str(tmp_path)]))
    monkeypatch.setattr(config, "CUDA_INCLUDE_PATH", str(given))
    monkeypatch.setattr(config, "CUDA_NVRTC_EXTRA_SEARCH_PATHS", "")
    include = tmp_path / "include"
    assert list(nvrtc.include_paths()) == [str(given), str(include), str(include / "cccl")]


def test_names_of_functions_in_kernels():
    assert cuda.fp8.fp8_e5m2.__name__ == "fp8_e5m2" and cuda.grid.__name__ == "grid"
    assert cuda.atomic.add.__name__ == "add"
    assert cuda.devices.get_context() is cuda.current_context()


def test_parts_of_the_toolkit(tmp_path, monkeypatch):
    monkeypatch.setattr(toolchain, "toolkit_roots", lambda: iter([str(tmp_path)]))
    monkeypatch.setattr(cuda_paths, "find_libdevice", lambda: "")  # what it finds is kept
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    (tmp_path / "lib64").mkdir()
    for name in "libcudart.so.13", "libcudadevrt.a":
        (tmp_path / "lib64" / name).touch()
    found = cuda_paths.get_cuda_paths()
    assert found["cudalib_dir"] == ("CUDA_HOME", str(tmp_path / "lib64"))
    assert found["static_cudalib_dir"].info == str(tmp_path / "lib64")
    assert found["include_dir"].info is None is found["nvvm"].info
    assert cuda_paths.get_cuda_home("bin") == str(tmp_path / "bin")
    assert cuda_paths.get_system_ctk("no such folder") is None
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert cuda_paths.get_conda_ctk_libdir() is None
    for path in "conda-meta", "lib", "lib/libnvrtc.so.13":
        (tmp_path / path).mkdir()
    assert cuda_paths.get_conda_ctk_libdir() == str(tmp_path / "lib")


def test_tables_of_functions_and_vectors():
    functions, signature = libdevice.functions, libdevice.create_signature
    assert signature(*functions["__nv_powf"]) == float32(float32, float32)
    assert signature(*functions["__nv_frexp"]) == types.Tuple((float64, int32))(float64)
    assert signature(*functions["__nv_sincos"]) == types.UniTuple(float64, 2)(float64)
    assert [each.name for each in functions["__nv_sincos"][1]] == ["x0", "sptr", "cptr"]
    assert all(hasattr(libdevice, name.removeprefix("__nv_")) for name in functions)
    row = importlib.import_module("numjit.cuda.vector_types").vector_types["int64x3"]
    assert row[:3] == ("int64x3", types.int64, 3) and row.user_facing_object is cuda.long3
    assert row.user_facing_object.aliases == ["long3", "longlong3"]


def test_importing_the_package_loads_no_types():
    program = "import sys, numjit.cuda; print('numjit.types' in sys.modules)"
    command = [sys.executable, "-c", program]
    assert subprocess.run(command, capture_output=True, text=True).stdout == "False\n"


def test_slices_of_the_list_of_devices():
    assert [device.id for device in cuda.gpus[:1]] == [0] and cuda.gpus[:0] == []


# -- linking ------------------------------------------------------------------------------------

HALF = 'extern "C" __device__ int half(int *r, int x) { *r = x / 2; return 0; }'
TWICE = 'extern "C" __device__ int twice(int x) { return 2 * x; }'


def test_what_can_be_linked(tmp_path):
    file = tmp_path / "f.ptx"
    file.write_text("// nothing")
    assert linkable.as_linkable(str(file)).for_linker((8, 0)) == (1, b"// nothing\0", str(file))
    assert cuda.Cubin(b"\x7fELF").for_linker((8, 0))[:2] == (0, b"\x7fELF")
    with pytest.raises(linkable.LinkerError, match="none.cubin not found"):
        linkable.as_linkable(tmp_path / "none.cubin")
    with pytest.raises(
        linkable.LinkerError, match="file with extension .txt.*by their suffixes .cu"
    ):
        linkable.as_linkable("f.txt")


def test_declared_functions_are_linked_where_they_are_called():
    source = cuda.CUSource('extern "C" __device__ double thrice(double x) { return 3 * x; }')
    thrice = cuda.declare_device("thrice_in_test", "float64(float64)", link=source, abi="c")

    def k(x):
        x[0] = thrice(x[0])

    ptx = cuda.compile_ptx(k, (float64[::1],))[0]
    assert linkable.declared_links(ptx) == [source]
    assert linkable.declared_links(cuda.compile_ptx(lambda x: None, (float64,))[0]) == []
    if cuda.is_simulated():
        with pytest.raises(errors.TypingError, match="exists on a GPU only"):
            cuda.jit(k)[1, 1](np.zeros(1))


@pytest.mark.skipif(cuda.is_simulated(), reason="linked code runs on a GPU only")
def test_linked_code():
    twice = cuda.declare_device("twice", "int32(int32)", link=cuda.CUSource(TWICE), abi="c")
    half = cuda.declare_device("half", "int32(int32)", link=cuda.CUSource(HALF))

    @cuda.jit
    def k(x):
        x[0] = half(x[0]) + twice(x[0])

    x = np.array([16], np.int32)
    k[1, 1](x)
    assert x[0] == 40


def test_conventions_of_declared_functions():
    """Numba's returns a status, and the result through a pointer."""

    def ptx(abi, signature):
        declared = cuda.declare_device("declared", signature, abi=abi)
        assert declared.name == "declared" and declared.sig.args == (float64, int32)

        def k(x, n):
            declared(x[0], n)

        return cuda.compile_ptx(k, (float64[::1], int32))[0].partition(".entry")[0]

    numba = ptx("numba", "float32(float64, int32)")
    assert ".param .b32 func_retval0" in numba and "declared_param_2" in numba
    assert "declared_param_2" in ptx("numba", "void(float64, int32)")
    c = ptx("c", "float32(float64, int32)")
    assert ".param .b32 func_retval0" in c and "declared_param_2" not in c
    assert "func_retval0" not in ptx("c", "void(float64, int32)")
    with pytest.raises(NotImplementedError, match="Unsupported ABI: fortran"):
        cuda.declare_device("declared", "int32()", abi="fortran")


def has_nvrtc():
    try:
        return bool(nvrtc.version())
    except nvrtc.NvrtcSupportError:
        return False


@pytest.mark.skipif(
    not has_nvrtc() and not os.environ.get("CI"),
    reason="there is no NVRTC: pip install numjit[test-cuda]",
)
def test_cuda_source():
    kind, ptx, _ = cuda.CUSource(TWICE, "twice.cu").for_linker((8, 0))
    assert kind == 1 and b".visible .func" in ptx and b"twice" in ptx and b"sm_80" in ptx
    with pytest.raises(nvrtc.NvrtcError, match="wrong.cu cannot be compiled:\nwrong.cu.1.: error"):
        cuda.CUSource("__device__ int x = ;", "wrong.cu").for_linker((8, 0))


def test_names_that_numjit_has_too():
    import numjit
    from numjit import types

    assert cuda.float32 is types.float32 and cuda.void is types.void
    assert cuda.types is types and cuda.config is numjit.config
    assert {"float32", "types", "void", "config", "vectorize", "guvectorize"} <= set(dir(cuda))

    @cuda.jit
    def k(out):
        part = cuda.local.array(2, cuda.float32)
        part[0] = 0.1
        out[0] = part[0]

    out = np.zeros(1)
    k[1, 1](out)
    assert out[0] == np.float32(0.1)


def test_ufuncs_of_cuda():
    @cuda.vectorize(["float64(float64, float64)"])
    def add(a, b):
        return a + b

    @cuda.guvectorize(["void(float64[:], float64[:])"], "(n)->()")
    def total(a, out):
        out[0] = 0
        for each in a:
            out[0] += each

    assert np.array_equal(add(np.arange(3.0), 1.0), [1, 2, 3])
    assert np.array_equal(total(np.ones((2, 3))), [3, 3])


@pytest.mark.parametrize(
    "options, inlined",
    [
        ({}, False),
        ({"inline": "always"}, True),
        ({"inline": True}, True),
        ({"forceinline": True}, True),
    ],
)
def test_options_that_inline_functions(options, inlined):
    @cuda.jit(device=True, **options)
    def f(x):
        return x + 1

    assert f._compiler_options["inline_always"] is inlined


@pytest.mark.parametrize("compile", [cuda.compile, cuda.compile_ptx])
def test_compile_hands_on_forceinline(compile, monkeypatch):
    from numjit.cuda import decorators

    seen = []
    made = decorators._make
    monkeypatch.setattr(decorators, "_make", lambda f, s, o: seen.append(o) or made(f, s, o))
    compile(lambda x: x + 1, (float64,), device=True, forceinline=True)
    compile(lambda x: x + 1, (float64,), device=True)
    assert [options["forceinline"] for options in seen] == [True, False]


@pytest.mark.parametrize("row", _core.device_operations(), ids=lambda row: row[0])
def test_rows_of_device_operations_have_their_name(row):
    name, form, _ = row
    found = cuda
    for part in name.split("."):
        found = getattr(found, part)
    assert type(found).__name__ == ("DeviceValue" if form == "value" else "DeviceName")
    assert name.partition(".")[0] in cuda.kernel_names.__all__


class Kernel:
    """As a dispatcher whose kernels are loaded."""

    def forget(self, context):
        pass


def test_contexts_are_reset_while_threads_load_kernels():
    context, kernels, interval = cuda.current_context(), [], sys.getswitchinterval()

    def load():
        for _ in range(6000):
            kernels.append(Kernel())
            context.note_dispatcher(kernels[-1])

    sys.setswitchinterval(1e-6)
    try:
        thread = threading.Thread(target=load)
        thread.start()
        while thread.is_alive():
            context.reset()
        thread.join()
    finally:
        sys.setswitchinterval(interval)
