"""Arrays in device memory, streams, events, devices."""

import os

import numpy as np
import pytest
from numjit import cuda, float64, typeof
from numjit.cuda.cudadrv.devicearray import DeviceNDArray

LAYOUTS = [
    np.arange(24.0).reshape(4, 6),
    np.asfortranarray(np.arange(24.0).reshape(4, 6)),
    np.arange(5, dtype=np.int16),
    np.array(3.5),
    np.zeros((0, 3)),
]


@pytest.mark.parametrize("a", LAYOUTS, ids=lambda a: f"{a.shape}{'F' * a.flags.fnc}")
def test_there_and_back(a):
    d = cuda.to_device(a)
    assert (d.shape, d.dtype, d.ndim, d.size, d.nbytes) == (
        a.shape,
        a.dtype,
        a.ndim,
        a.size,
        a.nbytes,
    )
    back = d.copy_to_host()
    assert np.array_equal(back, a) and back.dtype == a.dtype
    if a.size:
        assert back.strides == a.strides
    out = np.empty_like(a)
    assert d.copy_to_host(out) is out and np.array_equal(out, a)
    other = cuda.device_array_like(a)
    other.copy_to_device(d)
    assert np.array_equal(other.copy_to_host(), a)


def test_views():
    a = np.arange(60.0).reshape(3, 4, 5)
    d = cuda.to_device(a)
    assert np.array_equal(d.T.copy_to_host(), a.T)
    assert np.array_equal(d.transpose((2, 0, 1)).copy_to_host(), a.transpose(2, 0, 1))
    assert np.array_equal(d.reshape(12, 5).copy_to_host(), a.reshape(12, 5))
    assert np.array_equal(d.reshape((5, 12), order="C").copy_to_host(), a.reshape(5, 12))
    assert np.array_equal(d.ravel().copy_to_host(), a.ravel())
    assert np.array_equal(d.view(np.int64).copy_to_host(), a.view(np.int64))
    for index in (
        1,
        -1,
        (1, 2),
        slice(1, 3),
        (slice(None), 2),
        (..., slice(None, None, 2)),
        (slice(None, None, -1), None),
    ):
        assert np.array_equal(d[index].copy_to_host(), a[index])
    assert d[1, 2, 3] == a[1, 2, 3] and isinstance(d[1, 2, 3], np.float64)
    assert [part.copy_to_host().tolist() for part in cuda.to_device(np.arange(5)).split(2)] == [
        [0, 1],
        [2, 3],
        [4],
    ]
    assert len(d) == 3 and len(list(d)) == 3
    with pytest.raises(IndexError):
        d[3]
    with pytest.raises(NotImplementedError, match="integers and slices"):
        d[[0, 1]]
    with pytest.raises(NotImplementedError, match="require copy"):
        d.T.reshape(60)
    with pytest.raises(TypeError, match="unsized"):
        len(cuda.to_device(np.array(1.0)))


def test_assignment():
    a = np.arange(24.0).reshape(4, 6)
    d = cuda.to_device(a)
    for index, value in [
        ((0, 0), 7),
        (1, np.ones(6)),
        ((slice(None), 2), np.arange(4)),
        ((slice(None, None, 2), slice(1, None, 3)), 5.5),
        (slice(None), cuda.to_device(np.full((4, 6), 2.0))),
    ]:
        d[index] = value
        a[index] = value.copy_to_host() if isinstance(value, DeviceNDArray) else value
        assert np.array_equal(d.copy_to_host(), a)
    with pytest.raises(ValueError):
        d[0] = np.ones(5)
    d.setitem((3, 3), 9)
    assert d.getitem((3, 3)) == 9


def test_refusals():
    d = cuda.to_device(np.zeros(3))
    with pytest.raises(ValueError, match="incompatible shape"):
        d.copy_to_host(np.zeros(4))
    with pytest.raises(TypeError, match="incompatible dtype"):
        d.copy_to_host(np.zeros(3, "f4"))
    with pytest.raises(ValueError, match="non-contiguous"):
        cuda.to_device(np.zeros(6)[::2])
    with pytest.raises(TypeError, match="cuda array interface"):
        cuda.as_cuda_array(np.zeros(3))
    with pytest.raises(ValueError, match="negative dimensions"):
        cuda.device_array(-1)


def test_cuda_array_interface():
    d = cuda.to_device(np.arange(12).reshape(3, 4))
    interface = d.__cuda_array_interface__
    assert (
        interface["shape"] == (3, 4) and interface["strides"] is None and interface["version"] == 3
    )
    assert d.T.__cuda_array_interface__["strides"] == (8, 32)

    class Foreign:
        __cuda_array_interface__ = interface

    same = cuda.as_cuda_array(Foreign())
    assert cuda.is_cuda_array(Foreign()) and not cuda.is_cuda_array(np.zeros(1))
    same[0, 0] = 100
    assert d[0, 0] == 100

    @cuda.jit
    def k(x):
        x[0, 1] = 50

    k[1, 1](Foreign())
    assert d[0, 1] == 50
    masked = dict(interface, mask=d)
    with pytest.raises(NotImplementedError, match="Masked"):
        cuda.from_cuda_array_interface(masked)


@pytest.mark.parametrize("make", [cuda.mapped_array, cuda.managed_array, cuda.pinned_array])
def test_memory_of_the_host(make):
    @cuda.jit
    def k(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] += 1

    a = make(10, np.float32)
    a[:] = 1
    k[1, 32](a)
    cuda.synchronize()
    assert isinstance(a, np.ndarray) and (a == 2).all()
    assert (a[:5] == 2).all()


def test_pinned_and_mapped_contexts():
    a = np.arange(10.0)
    with cuda.pinned(a):
        cuda.to_device(a)
    with cuda.mapped(a) as d:
        assert (d.copy_to_host() == a).all()


def test_streams_and_events():
    stream = cuda.stream()
    a = np.arange(1000.0)
    start, end = cuda.event(), cuda.event()
    with stream.auto_synchronize():
        start.record(stream)
        d = cuda.to_device(a, stream=stream)
        out = np.empty_like(a)
        d.copy_to_host(out, stream=stream)
        end.record(stream)
    assert (out == a).all()
    end.synchronize()
    assert start.query() and cuda.event_elapsed_time(start, end) >= 0
    end.wait(stream)
    stream.synchronize()
    for each in (
        cuda.default_stream(),
        cuda.per_thread_default_stream(),
        cuda.legacy_default_stream(),
    ):
        each.synchronize()
    calls = []
    stream.add_callback(lambda *args: calls.append(args), "x")
    stream.synchronize()
    assert calls and calls[0][2] == "x"


def test_devices():
    assert cuda.is_available() and len(cuda.gpus) >= 1
    device = cuda.get_current_device()
    assert device.compute_capability >= (7, 5) and device.WARP_SIZE == 32
    assert device.uuid.startswith("GPU-") and device.MULTIPROCESSOR_COUNT > 0
    with cuda.gpus[0]:
        assert cuda.current_context().device.id == 0
    assert cuda.select_device(0).id == 0
    free, total = cuda.current_context().get_memory_info()
    assert 0 < free <= total
    assert cuda.runtime.get_version() >= (11, 0)
    with pytest.raises(AttributeError):
        device.NO_SUCH_ATTRIBUTE


def test_detect(capsys):
    assert cuda.detect()
    assert "Found" in capsys.readouterr().out


@pytest.mark.skipif(
    "NUMJIT_TEST_SANITIZER" in os.environ, reason="other processes use the GPU meanwhile"
)
def test_memory_is_freed():
    import gc

    cuda.to_device(np.zeros(1))
    before = cuda.current_context().get_memory_info().free
    with cuda.defer_cleanup():
        for _ in range(4):
            cuda.device_array(1 << 22)
        assert cuda.current_context().get_memory_info().free <= before - (1 << 26)
    gc.collect()
    assert cuda.current_context().get_memory_info().free >= before - (1 << 24)


def test_no_driver(tmp_path):
    """One clear error, at the first use."""
    import os
    import subprocess
    import sys

    program = (
        "import sys, ctypes\n"
        "real = ctypes.CDLL\n"
        "def missing(name, *args, **kwargs):\n"
        "    if name == 'libcuda.so.1': raise OSError('libcuda.so.1: cannot open')\n"
        "    return real(name, *args, **kwargs)\n"
        "ctypes.CDLL = missing\n"
        "from numjit import cuda\n"
        "assert not cuda.is_available()\n"
        "@cuda.jit\ndef k(x): x[0] = 1\n"
        "try:\n    k[1, 1](None)\n"
        "except cuda.CudaSupportError as error:\n    print(error)\n"
    )
    environment = {**os.environ, "NUMJIT_CUDA_SIMULATOR": "0", "NUMBA_ENABLE_CUDASIM": "0"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True
    )
    assert "CUDA driver library cannot be found" in done.stdout, done.stderr


def test_an_element_of_a_record_array_is_a_view():
    d = cuda.to_device(np.zeros(3, [("a", np.int32), ("b", np.float64)]))
    record = d[1]
    record["a"] = 9
    assert record["a"] == 9 and d[1]["a"] == 9 and d["a"].copy_to_host().tolist() == [0, 9, 0]
    d[2] = record
    assert d.copy_to_host().tolist() == [(0, 0.0), (9, 0.0), (9, 0.0)]


VIEWS = {
    "whole": lambda x: x,
    "transposed": lambda x: x.T,
    "axes": lambda x: x.transpose(1, 0, 2),
    "axes of a tuple": lambda x: x.transpose((2, 0, 1)),
    "strided": lambda x: x[:, ::2],
    "strided and transposed": lambda x: x[:, ::2].T,
    "reversed": lambda x: x[::-1],
    "reversed inside": lambda x: x[:, :, ::-1].transpose(2, 0, 1),
    "an axis of one": lambda x: x[:, :1].transpose(1, 0, 2),
    "empty": lambda x: x[:0].T,
    "empty inside": lambda x: x[:, :0, ::2].transpose(1, 2, 0),
    "element": lambda x: x[1, 2, 3:4].squeeze(),
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("order", "CF")
def test_views_and_what_is_like_them_have_numpy_s_strides(view, order):
    host = np.asfortranarray(np.zeros((2, 3, 4))) if order == "F" else np.zeros((2, 3, 4))
    wanted, found = view(host), view(cuda.to_device(host))
    assert (found.shape, found.strides) == (wanted.shape, wanted.strides)
    like = np.empty_like(wanted)
    for new in (cuda.device_array_like(found), cuda.device_array_like(wanted)):
        assert new.shape == like.shape
        assert new.strides == like.strides or not like.size
    for new in (cuda.pinned_array_like(wanted), cuda.mapped_array_like(found)):
        assert new.shape == like.shape and (new.strides == like.strides or not like.size)


def test_axes_of_equal_strides_are_in_order():
    repeated = np.broadcast_to(np.zeros((3, 1)), (2, 3, 4))
    assert cuda.device_array_like(repeated).strides == np.empty_like(repeated).strides


@pytest.mark.parametrize("shape", [2.0, (2, 3.0), "ab", None, np.float64(2), [1.5]])
@pytest.mark.parametrize("make", [cuda.device_array, cuda.pinned_array, cuda.mapped_array])
def test_extents_are_integers(make, shape):
    with pytest.raises(TypeError):
        make(shape)


def test_what_a_device_array_takes():
    host = np.arange(12.0).reshape(3, 4)
    d = cuda.to_device(np.zeros((3, 4)))
    for source in (host, host[::-1], np.asfortranarray(host), host.T.copy().T, host.tolist()):
        d.copy_to_device(source)
        assert np.array_equal(d.copy_to_host(), source)
    d.copy_to_device(np.broadcast_to(np.arange(4.0), (3, 4)))
    assert np.array_equal(d.copy_to_host(), [np.arange(4.0)] * 3)
    d.copy_to_device(cuda.to_device(host))
    d.copy_to_device(host[:, None])  # axes of one element do not count
    assert np.array_equal(d.copy_to_host(), host)
    with pytest.raises(TypeError, match="incompatible dtype: float64 vs. int64"):
        d.copy_to_device(np.zeros((3, 4), np.int64))
    with pytest.raises(ValueError, match="incompatible shape"):
        d.copy_to_device(np.zeros((4, 3)))
    with pytest.raises(ValueError, match="incompatible strides"):
        d.copy_to_device(cuda.to_device(np.asfortranarray(host)))
    twice = cuda.to_device(np.zeros((3, 8)))
    with pytest.raises(ValueError, match="non-contiguous buffer"):
        d.copy_to_device(twice[:, ::2])
    with pytest.raises(ValueError, match="non-contiguous buffer"):
        twice[:, ::2].copy_to_device(host)
    twice[:, ::2] = d
    assert np.array_equal(twice.copy_to_host()[:, ::2], host)


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::-1],
        lambda a: a[:, ::-1],
        lambda a: a[::-1, :, ::-1],
        lambda a: np.broadcast_to(a, (3, *a.shape)),
        lambda a: np.broadcast_to(a[:1], a.shape),
        lambda a: a.transpose(1, 0, 2),
        lambda a: np.broadcast_to(a[0, 0, ::-1], (5, 4)).T,
    ],
)
def test_arrays_that_are_one_piece_of_memory(view):
    host = view(np.arange(24.0).reshape(2, 3, 4))
    device = cuda.to_device(host)
    assert device.shape == host.shape and device.strides == host.strides
    np.testing.assert_array_equal(device.copy_to_host(), host)

    @cuda.jit
    def sums(x, out):
        out[0] = np.sum(x)

    out = np.zeros(1)
    sums[1, 1](device, out)
    assert out[0] == host.sum()


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_empty_arrays_in_signatures(shape):
    ran = cuda.to_device(np.zeros(1))

    @cuda.jit((float64[:, ::1], float64[:]))
    def k(x, ran):
        ran[0] = 1 + x.size

    k[1, 1](cuda.to_device(np.empty(shape)), ran)
    assert ran.copy_to_host()[0] == 1


def test_a_device_array_becomes_an_array_by_one_copy():
    x = np.arange(12.0).reshape(3, 4)
    d = cuda.to_device(x)
    assert (np.asarray(d) == x).all() and (np.asarray(d[::2, 1]) == x[::2, 1]).all()
    assert np.array(d, np.int32).dtype == np.int32 and np.asarray(d[0, 0:0]).shape == (0,)
    with pytest.raises(ValueError, match="`copy=False` is not possible"):
        np.array(d, copy=False)
    records = cuda.to_device(np.ones(2, [("a", np.int32)]))
    assert np.asarray(records[1])["a"] == 1


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3), (5, 0, 3), (0, 0)])
def test_empty_arrays_are_contiguous(shape):
    x = np.empty(shape)
    d = cuda.to_device(x)
    assert d.flags == {"C_CONTIGUOUS": True, "F_CONTIGUOUS": True}
    assert typeof(d) == typeof(x)


def test_streams_of_mapped_arrays():
    stream = cuda.stream()
    for make in cuda.mapped_array, cuda.managed_array:
        array = make(10, stream=stream)
        assert array.stream is stream and array[2:].stream is stream
        assert array.__cuda_array_interface__["stream"] == int(stream)
        assert make(10).__cuda_array_interface__["stream"] is None


def test_an_array_whose_protocol_does_not_tell_its_dtype():
    dtype = np.dtype([("a", np.int32), ("b", np.float32)])

    class Elsewhere:
        def __init__(self, array):
            self.dtype = array.dtype
            interface = {**array.__cuda_array_interface__, "typestr": "|V8"}
            self.__cuda_array_interface__ = {**interface, "descr": [("", "|V8")]}

    x = cuda.to_device(np.ones(3, dtype))
    assert cuda.as_cuda_array(Elsewhere(x)).dtype == dtype

    @cuda.jit
    def sums(x, out):
        out[cuda.threadIdx.x] = x[cuda.threadIdx.x].a + x[cuda.threadIdx.x].b

    out = np.zeros(3)
    sums[1, 3](Elsewhere(x), out)
    assert out.tolist() == [2, 2, 2]
