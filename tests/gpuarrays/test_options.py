"""What a call does with its options: factors of zero, allocators, lists, versions of compilers."""

import threading
from unittest import mock

import numjit.cupy as cp
import numpy as np
import pytest
from numjit import cuda
from numjit import cupyx as cpx
from numjit.cupy import cublas, dlpack, nvtx, text_compiler, typed_kernels
from numjit.cupy.creation import has_device_array
from numjit.cupyx import profiler

NAN = float("nan")


@pytest.mark.parametrize("beta", [0, 0.0, "device"])
def test_factor_of_zero_reads_no_target(beta):
    beta = cp.zeros(()) if beta == "device" else beta
    a, x = cp.arange(9.0).reshape(3, 3), cp.arange(3.0)
    y = cp.full(3, NAN)
    cublas.gemv("N", 1, a, x, beta, y)
    np.testing.assert_array_equal(y.get(), (a @ x).get())
    y = cp.full(3, NAN)
    cublas.sbmv(0, 2, a[:1], x, beta, y)
    np.testing.assert_array_equal(y.get(), (2 * a[0] * x).get())
    found = cublas.geam("N", "T", 2, a, beta, cp.full((3, 3), NAN))
    np.testing.assert_array_equal(found.get(), 2 * a.get())
    found = cublas.gemm("N", "N", a, a, cp.full((3, 3), NAN), 1, beta)
    np.testing.assert_array_equal(found.get(), a.get() @ a.get())


def test_factor_of_zero_of_the_first_matrix():
    a = cp.arange(6.0).reshape(2, 3)
    found = cublas.geam("N", "N", 0, cp.full((2, 3), NAN), 3, a)
    np.testing.assert_array_equal(found.get(), 3 * a.get())


def test_pinned_memory_of_an_allocator_keeps_its_offset():
    pointers = []

    def allocate(size):
        pointers.append(cp.cuda.PinnedMemoryPointer(cp.cuda.PinnedMemory(size + 64), 64))
        return pointers[-1]

    cp.cuda.set_pinned_memory_allocator(allocate)
    try:
        made = cpx.zeros_pinned(4)
    finally:
        cp.cuda.set_pinned_memory_allocator(cp.get_default_pinned_memory_pool().malloc)
    assert made.ctypes.data == pointers[0].ptr == pointers[0].mem.ptr + 64


def test_allocators_of_threads_that_enter_and_leave_in_another_order():
    pools = [cp.cuda.MemoryPool() for _ in range(2)]
    entered, left = threading.Event(), threading.Event()
    before, found = cp.cuda.get_allocator(), []

    def work():
        with cp.cuda.using_allocator(pools[1].malloc):
            entered.set()
            left.wait(30)
            kept = cp.asarray(np.arange(3))
            found.append((cp.cuda.get_allocator(), pools[1].used_bytes(), kept.sum().get()))

    other = threading.Thread(target=work)
    with cp.cuda.using_allocator(pools[0].malloc):
        other.start()
        assert entered.wait(30)
        kept = cp.asarray(np.arange(4))
        assert cp.cuda.get_allocator() == pools[0].malloc
        assert (pools[0].used_bytes(), pools[1].used_bytes()) == (512, 0)
    assert cp.cuda.get_allocator() == before
    left.set()
    other.join()
    assert cp.cuda.get_allocator() == before and kept.sum() == 6
    assert found[0][0] == pools[1].malloc and found[0][1] >= 512 and found[0][2] == 3


class Converted:
    """An array of another library, which counts its conversions."""

    count = 0

    def __cupy_get_ndarray__(self):
        Converted.count += 1
        return cp.arange(2)


def test_lists_are_searched_for_device_arrays_without_conversions():
    item = Converted()
    assert has_device_array([1, [2.5, (None, item)]]) and Converted.count == 0
    assert has_device_array([[1], cp.ones(())])
    for items in ([], [1, 2.5, True, 1j, "a", b"b"], [[np.float32(1)], np.ones(2)], [object()]):
        assert not has_device_array(items)
    np.testing.assert_array_equal(cp.array([item, [3, 4]]).get(), [[0, 1], [3, 4]])
    assert Converted.count == 1


def test_options_of_typed_kernels():
    text = "out0 = in0 * two"
    doubled = typed_kernels.create_ufunc("doubled", ("d->d",), text, loop_prep="double two = 2;")
    if not cuda.is_simulated():
        np.testing.assert_array_equal(doubled(cp.arange(3.0)).get(), [0, 2, 4])
    assert doubled._kernel(0).loop_prep == "double two = 2;"
    rows = ("d->d",), ("in0", "a + b", "out0 = a", None)
    for options in ({"default_casting": "unsafe"}, {"out_ops": ("d->d",)}):
        with pytest.raises(NotImplementedError):
            typed_kernels.create_ufunc("doubled", ("d->d",), text, **options)
    with pytest.raises(NotImplementedError):
        typed_kernels.create_reduction_func("summed", *rows, 0, sort_reduce_axis=False)
    with pytest.raises(TypeError):
        typed_kernels.create_ufunc("doubled", ("d->d",), text, no_such_option=1)


def test_options_of_the_compiler():
    compile_text = text_compiler.compile_using_nvrtc
    with mock.patch.object(text_compiler, "compiled") as compiled:
        compile_text("", arch="90a", filename="mine.cu")
        compile_text("", ("-w",), "120", name_expressions=["f<int>"])
    assert compiled.call_args_list == [
        mock.call("", (), (), ("9", "0a"), "mine.cu", None),
        mock.call("", ("-w",), ["f<int>"], ("12", "0"), "kern.cu", None),
    ]
    with pytest.raises(NotImplementedError, match="jitify"):
        compile_text("", arch="90", jitify=True)
    with pytest.raises(ValueError, match="90a"):
        compile_text("", arch="sm_90")


def test_settings_for_errors():
    before = cpx.geterr()
    for settings in ({"all": "no such value"}, {"linalg": "no such value"}):
        with pytest.raises(ValueError):
            cpx.seterr(**settings)
    assert cpx.geterr() == before
    with cpx.errstate(all="ignore", over=None):
        assert cpx.geterr() == before | dict.fromkeys("divide under invalid".split(), "ignore")


def test_copies_of_dlpack_and_versions_that_are_too_new():
    x = cp.arange(6.0)
    for place in (None, x.__dlpack_device__()):
        capsule = x.__dlpack__(copy=True, dl_device=place, max_version=(1, 0))
        managed = dlpack._Versioned.from_address(
            dlpack._api.PyCapsule_GetPointer(capsule, b"dltensor_versioned")
        )
        assert managed.flags == dlpack._COPIED
        managed.major = 2
        with pytest.raises(BufferError, match="DLPack 2.0"):
            cp.from_dlpack(capsule)
        managed.major = 1
        y = cp.from_dlpack(capsule)
        y[0] = 9
        assert y.data.ptr != x.data.ptr and x[0] == 0
    assert cp.from_dlpack(x.__dlpack__(copy=False)).data.ptr == x.data.ptr


def test_ranges_need_no_library_of_markers():
    with mock.patch.object(nvtx, "_library", return_value=None):
        assert nvtx.available is False
        with profiler.time_range("nothing"):
            assert nvtx.RangeStart("nothing") == 0
    with mock.patch.object(nvtx, "_library", return_value=mock.Mock()):
        assert cp.cuda.nvtx.available is True
