"""What programs written for numba-cuda use beside kernels: addresses, records, streams, signatures
that compete, inspection of device functions."""

import functools
import importlib
import pickle
import warnings

import numpy as np
import pytest
from numjit import cuda, guvectorize, int32, typeof, types, vectorize
from numjit.errors import NumbaPerformanceWarning, RequireLiteralValue, TypingError

_FLOATS = types.CPointer(types.float32)


@cuda.jit(types.void(_FLOATS, _FLOATS, types.intp))
def doubled(out, x, n):
    i = cuda.grid(1)
    if i < n:
        out[i] = 2 * x[i]


def _address(array):
    return int(array.gpu_data.device_pointer)


def test_integers_are_addresses_where_pointers_are_declared():
    x = cuda.to_device(np.arange(5, dtype=np.float32))
    out = cuda.to_device(np.zeros(5, np.float32))
    doubled[1, 32](_address(out), _address(x), 5)
    assert out.copy_to_host().tolist() == [0, 2, 4, 6, 8]
    with pytest.raises(TypeError, match="No matching definition"):
        doubled[1, 32](1.5, _address(x), 5)


@pytest.mark.parametrize("name, letters", [("ldcs", "ld.global.cs"), ("ldca", "ld.global.ca")])
def test_cache_hints_take_pointers(name, letters):
    load = getattr(cuda, name)

    def kernel(out, x, i):
        out[i] = load(x, i)

    ptx, _ = cuda.compile_ptx(kernel, (_FLOATS, _FLOATS, types.intp))
    assert f"{letters}.b32" in ptx


def test_cache_hints_take_numbers_only():
    def kernel(out, x):
        out[0] = cuda.ldcs(x, 0)

    given = typeof(np.zeros(1, np.complex64))
    with pytest.raises(TypingError, match="ldcs requires array of integer or float type"):
        cuda.compile_ptx(kernel, (given, given))


@cuda.jit
def matched(values, out):
    i = cuda.grid(1)
    lanes, all_equal = cuda.match_all_sync(0xFFFFFFFF, values[i])
    out[i] = lanes if all_equal else 0


def test_lanes_that_do_not_exist_are_not_matched():
    values, out = np.zeros(10, np.int32), np.zeros(10, np.int64)
    matched[1, 10](values, out)
    assert (out == 0b1111111111).all()
    values[1] = 4
    matched[1, 10](values, out)
    assert (out == 0).all()


@pytest.mark.parametrize("alignment", [-1, 0, 3, 33])
def test_alignments_are_powers_of_two(alignment):
    @cuda.jit
    def kernel(out):
        out[0] = cuda.local.array(4, types.uint8, alignment=alignment).size

    with pytest.raises(ValueError, match="Alignment must be a positive power of 2"):
        kernel[1, 1](np.zeros(1))


@pytest.mark.parametrize("alignment", ["16", 1.5])
def test_alignments_are_integers(alignment):
    @cuda.jit
    def kernel(out):
        out[0] = cuda.local.array(4, types.uint8, alignment=alignment).size

    with pytest.raises(RequireLiteralValue, match="RequireLiteralValue: .*alignment must be a co"):
        kernel[1, 1](np.zeros(1))


def test_dimensions_of_a_grid_are_literals():
    for function in cuda.grid, cuda.gridsize:
        message = r"RequireLiteralValue: cuda.grid(size)?\(\) takes 1, 2 or 3"
        with pytest.raises(RequireLiteralValue, match=message):
            cuda.jit("void(int32)")(lambda n: function(n))


def _add(out, x, y):
    out[0] = x + y


def test_signatures_that_suit_equally_well_are_an_error():
    kernel = cuda.jit(
        [
            "(float64[::1], float32, float64)",
            "(float64[::1], float64, float32)",
            "(float64[::1], int64, int64)",
        ]
    )(_add)
    out = np.zeros(1)
    with pytest.raises(TypeError, match="Ambiguous overloading for <function _add"):
        kernel[1, 1](out, 1.0, 2.0)
    kernel[1, 1](out, 1, 2)
    assert out[0] == 3


def test_signatures_without_loss_come_first():
    kernel = cuda.jit(["(float64[::1], int32, int32)", "(float64[::1], float64, float64)"])(_add)
    out = np.zeros(1)
    kernel[1, 1](out, np.float32(1.5), np.float32(2.25))
    assert out[0] == 3.75


def test_records_are_copied_to_records():
    from numjit.cuda.cudadrv.devicearray import auto_device, from_record_like

    dtype = np.dtype([("a", np.int32), ("b", np.float32)], align=True)
    given = np.zeros(1, dtype)[0]
    given["a"], given["b"] = 10, 11.5
    on_device, new = auto_device(given)
    assert new and on_device.dtype == dtype and on_device._numba_type_ == types.from_dtype(dtype)
    for found in (np.zeros(1, dtype)[0], np.recarray(1, dtype)[0]):
        assert on_device.copy_to_host(found) is found
        assert found["a"] == 10 and found["b"] == 11.5
    other = from_record_like(on_device)
    assert other.gpu_data is not on_device.gpu_data


def test_handles_are_numbers():
    stream = cuda.stream()
    assert int(stream.handle) == int(stream) == stream.__cuda_stream__()[1]
    assert not stream.external
    with cuda.list_devices()[0] as device:
        assert cuda.get_current_device().id == device.id
    array = cuda.to_device(np.zeros((2, 3), np.float32))
    assert typeof(array) == typeof(np.zeros((2, 3), np.float32))


def test_handles_of_memory_are_bytes():
    from numjit.cuda.cudadrv.driver import IpcBits

    bits = IpcBits(b"\1" * 64)
    assert pickle.loads(pickle.dumps(bits)).reserved == bits.reserved == b"\1" * 64


def test_device_functions_show_their_code():
    @cuda.jit(device=True)
    def added(x, y):
        return x + y

    arguments = types.float64, types.float64
    assert "add.f64" in added.inspect_asm(arguments)
    assert "fadd" in added.inspect_llvm(arguments)
    with pytest.raises(RuntimeError, match="Cannot inspect SASS of a device function"):
        added.inspect_sass(arguments)


def test_line_numbers_alone_ask_for_no_debugger():
    def kernel(x):
        x[0] = 1

    ptx, _ = cuda.compile_ptx(kernel, (types.float64[::1],), lineinfo=True)
    assert ".loc" in ptx and ", debug" not in ptx
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ptx, _ = cuda.compile_ptx(kernel, (types.float64[::1],), debug=True, opt=False)
    assert ", debug" in ptx


def _copied(x, out):
    for i in range(x.size):
        out[i] = x[i]


def test_gufuncs_count_their_arguments():
    copied = guvectorize(["void(float64[:], float64[:])"], "(n)->(n)", target="cuda")(_copied)
    x = np.arange(4.0)
    with pytest.raises(TypeError, match=r"accepts 1 positional arguments .* Got 3 positional arg"):
        copied(x, x, x)
    with pytest.raises(ValueError, match="as both positional and keyword"):
        copied(x, x.copy(), out=x.copy())
    with pytest.raises(TypeError, match="specifies int32 return type"):
        guvectorize(["int32(int32[:], int32[:])"], "(n)->(n)", target="cuda")(_copied)
    with pytest.raises(TypeError, match="nopython flag must be True"):
        guvectorize(["void(int32[:], int32[:])"], "(n)->(n)", target="cuda", nopython=False)(
            _copied
        )


@pytest.mark.parametrize("shape", [(1, 1), (3, 70), (64, 32), (33, 65)])
@pytest.mark.parametrize("dtype", [np.bool_, np.float64, np.complex128, [("i", "i4"), ("j", "f8")]])
def test_transpose(shape, dtype):
    from numjit.cuda.kernels.transpose import transpose

    x = np.arange(shape[0] * shape[1]).reshape(shape).astype(dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error", NumbaPerformanceWarning)
        found = transpose(cuda.to_device(x))
    assert (found.copy_to_host() == x.T).all()
    with pytest.raises(ValueError, match="does not fit into"):
        transpose(cuda.to_device(x), cuda.device_array((shape[1] + 1, shape[0]), dtype))


@pytest.mark.parametrize(
    "name",
    "HAS_NUMBA cgutils cudadrv.linkable_code.CUSource utils.PYVERSION extending.core_models "
    "memory_management.rtsys args.wrap_arg typing.typeof.typeof "
    "cudadrv.devicearray.is_contiguous cudadrv.driver.is_device_memory "
    "cudadrv.nvrtc.get_arch_option testing.skip_if_nvjitlink_missing".split(),
)
def test_names(name):
    module, _, last = f"numjit.cuda.{name}".rpartition(".")
    assert hasattr(importlib.import_module(module), last)


class _Foreign:
    """An array of another library."""

    def __init__(self, array):
        self.array = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__


def test_options_and_results_of_ufuncs():
    make = functools.partial(vectorize, ["float64(float64, float64)"], target="cuda")
    with pytest.raises(KeyError, match="Unrecognized options: {'nopyton'}"):
        make(nopyton=True)(lambda a, b: a + b)
    with pytest.warns(RuntimeWarning, match="nopython kwarg for cuda target is redundant"):
        make(nopython=True)(lambda a, b: a + b)
    with pytest.raises(TypeError, match="target options are not supported: 'what', 'ever'"):
        guvectorize(["void(int32[:], int32[:])"], "(n)->(n)", target="cuda", what=1, ever=2)(
            _copied
        )
    add, x, out = make()(lambda a, b: a + b), np.arange(5.0), cuda.device_array(5)
    result = add(x, 2, out=_Foreign(out))
    assert (result.copy_to_host() == x + 2).all() and (out.copy_to_host() == x + 2).all()


def test_gufuncs_take_an_array_of_one_element_for_a_scalar():
    @guvectorize(["void(int32[:], int32[:], int32[:])"], "(n),()->(n)", target="cuda")
    def add(x, y, result):
        for i in range(x.size):
            result[i] = x[i] + y[0]

    x, out = np.arange(4, dtype=np.int32), np.zeros(4, np.int32)
    add(x, np.array([2], np.int32), out=out)
    assert (out == x + 2).all()


def test_a_kernel_of_one_signature_takes_integers_of_the_other_sign():
    @cuda.jit("void(int32[:])")
    def negate(a):
        i = cuda.grid(1)
        if i < a.size:
            a[i] = -(a[i] >> np.int32(1))

    x = np.array([4, -4], np.int32).view(np.uint32)
    d = cuda.to_device(x)
    negate[1, 2](x)
    negate[1, 2](d)
    assert x.view(np.int32).tolist() == [-2, 2] and (np.asarray(d) == x).all()
    with pytest.raises(TypeError, match="No matching definition"):
        negate[1, 2](x.astype(np.uint64))
    with pytest.raises(TypeError, match="No matching definition"):
        cuda.jit(["void(int32[:])"])(negate.py_func)[1, 2](x)
    with pytest.raises(ValueError, match="launch configuration was not specified"):
        negate(x)


def test_signatures_with_classes_of_numbers():
    @cuda.jit((int32[::1], typeof(np.int32)))
    def fill(a, dtype):
        local = cuda.local.array(4, dtype)
        local[cuda.threadIdx.x] = 7
        a[cuda.threadIdx.x] = local[cuda.threadIdx.x]

    a = np.zeros(4, np.int32)
    fill[1, 4](a, np.int32)
    assert a.tolist() == [7] * 4
    with pytest.raises(TypeError, match="No matching definition"):
        fill[1, 4](a, np.int64)


@pytest.mark.parametrize(
    ("given", "message"),
    [(150, "must be between -1 and 100"), (-2, "between -1"), ("Some", "Invalid carveout value")],
)
def test_carveouts_that_are_none(given, message):
    with pytest.raises(ValueError, match=message):
        cuda.jit(shared_memory_carveout=given)


def test_launches_with_callbacks_are_not_pickled():
    configured = doubled[1, 32]
    assert pickle.loads(pickle.dumps(configured)).blockdim == (32, 1, 1)
    configured.pre_launch_callbacks.append(lambda kernel, launch: None)
    with pytest.raises(pickle.PicklingError, match="with pre-launch callbacks"):
        pickle.dumps(configured)
    configured.pre_launch_callbacks.clear()
