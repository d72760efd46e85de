"""Arrays in the memory of a device as globals and captured variables of kernels."""

import numpy as np
import pytest
from numjit import cuda, errors, njit
from numjit.cuda.testing import ForeignArray

TABLE = cuda.to_device(np.arange(6, dtype=np.float32))


@cuda.jit(device=True)
def looked_up(i):
    return TABLE[i]


def test_global_of_a_device_function():
    @cuda.jit
    def k(x):
        x[cuda.grid(1)] = looked_up(cuda.grid(1))

    x = np.zeros(6, np.float32)
    k[1, 6](x)
    assert x.tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "f2", "f4", "f8", "c8", "c16", "?", "M8[s]"])
def test_dtypes(dtype, wrapped):
    host = np.arange(8).astype("i8").astype(dtype)
    device = cuda.to_device(host)
    table = ForeignArray(device) if wrapped else device

    @cuda.jit
    def k(x):
        i = cuda.grid(1)
        x[i] = table[i]

    x = np.zeros_like(host)
    k[1, 8](x)
    np.testing.assert_array_equal(x, host)


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a,
        lambda a: np.asfortranarray(a),
        lambda a: a[0:0],
        lambda a: a[1],
    ],
)
def test_layouts(view):
    host = view(np.arange(24.0).reshape(4, 6))
    device = cuda.to_device(host)

    @cuda.jit
    def k(x, shape):
        shape[0], shape[1] = device.ndim, device.size
        for i in range(device.size):
            x[i] = device.flat[i]

    x, shape = np.zeros(24), np.zeros(2, np.int64)
    k[1, 1](x, shape)
    assert x.tolist()[: host.size] == host.ravel().tolist()
    assert shape.tolist() == [host.ndim, host.size]


def test_strided_view():
    device = cuda.to_device(np.arange(24.0).reshape(4, 6))[::2, 1::3]

    @cuda.jit
    def k(x):
        i, j = cuda.grid(2)
        x[i, j] = device[i, j]

    x = np.zeros((2, 2))
    k[1, (2, 2)](x)
    np.testing.assert_array_equal(x, np.arange(24.0).reshape(4, 6)[::2, 1::3])


def test_stores_reach_the_array():
    device = cuda.to_device(np.zeros(4))

    @cuda.jit
    def k(value):
        device[cuda.grid(1)] += value

    k[1, 4](1.5)
    k[1, 4](2)
    assert device.copy_to_host().tolist() == [3.5] * 4


def test_atomics_and_library():
    device = cuda.to_device(np.arange(5))

    @cuda.jit
    def k(x):
        cuda.atomic.add(device, 0, 1)
        x[0] = np.max(device)

    x = np.zeros(1)
    k[1, 8](x)
    assert device.copy_to_host()[0] == 8


def test_kept_alive():
    def made():
        device = cuda.to_device(np.full(1 << 12, 7))

        @cuda.jit
        def k(x):
            x[cuda.grid(1)] = device[cuda.grid(1)]

        return k

    k = made()
    others = [cuda.to_device(np.zeros(1 << 12)) for _ in range(4)]
    x = np.zeros(32)
    k[1, 32](x)
    assert x.tolist() == [7] * 32 and len(others) == 4


def test_records():
    dtype = np.dtype([("a", "i4"), ("b", "f8")])
    host = np.array([(1, 2.5), (3, 4.5)], dtype)
    device = cuda.to_device(host)

    @cuda.jit
    def k(x):
        i = cuda.grid(1)
        x[i] = device[i].a + device[i].b
        device[i].a = -1

    x = np.zeros(2)
    k[1, 2](x)
    assert x.tolist() == [3.5, 7.5] and device.copy_to_host()["a"].tolist() == [-1, -1]


def test_refused_on_the_processor():
    with pytest.raises(errors.TypingError, match="memory of a GPU"):
        njit(lambda: TABLE[0])()
