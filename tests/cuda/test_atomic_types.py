"""Atomic operations on elements of 8 and 16 bits and on complex numbers."""

import numpy as np
import pytest
from numjit import cuda, errors

NARROW = [np.int8, np.uint8, np.int16, np.uint16]
OPERATIONS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "max": np.maximum,
    "min": np.minimum,
    "nanmax": np.fmax,
    "nanmin": np.fmin,
    "and_": lambda a, b: a & b,
    "or_": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "exch": lambda a, b: b,
}
PLACES = np.array([0, 1, 2, 3, 5, 1, 0, 5] * 16)


@pytest.mark.parametrize("dtype", [*NARROW, np.float16])
@pytest.mark.parametrize("name", OPERATIONS)
def test_operations(name, dtype):
    if dtype is np.float16 and name in ("and_", "or_", "xor"):
        return check_refused(name, dtype)
    operation, combine = getattr(cuda.atomic, name), OPERATIONS[name]
    values = (np.arange(PLACES.size) * 7 % 23).astype(dtype)
    if name == "exch":
        values[:] = 9

    @cuda.jit
    def k(x, places, values, olds):
        i = cuda.grid(1)
        olds[i] = operation(x, places[i], values[i])

    # Neighbours in the same word stay what they are. (Whole words: they are read.)
    x = np.array([3, 100, 50, 7, 11, 20, 33, 1], dtype)
    expected = x.copy()
    for place, value in zip(PLACES, values):
        expected[place] = dtype(combine(expected[place], value))
    olds = np.zeros(PLACES.size, dtype)
    k[4, 32](x, PLACES, values, olds)
    assert x.tolist() == expected.tolist()
    if name == "exch":
        assert sorted(olds)[:1] == [3] and (olds != 9).sum() == 5


def check_refused(name, dtype):
    operation = getattr(cuda.atomic, name)

    @cuda.jit
    def k(x):
        operation(x, 0, x[1])

    with pytest.raises(errors.TypingError, match="works on integers"):
        k[1, 1](np.zeros(2, dtype))


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_counting(dtype):
    @cuda.jit
    def k(x):
        cuda.atomic.inc(x, 0, 9)
        cuda.atomic.dec(x, 1, 9)

    x = np.zeros(4, dtype)
    k[1, 33](x)
    assert x.tolist() == [3, 7, 0, 0]


@pytest.mark.parametrize("dtype", [*NARROW, np.float16])
def test_compare_and_swap(dtype):
    @cuda.jit
    def k(x, olds):
        i = cuda.grid(1)
        olds[i] = cuda.atomic.cas(x, 1, 5, 6)
        if i == 0:
            cuda.atomic.compare_and_swap(x, 4, 9)

    x, olds = np.array([4, 5, 6, 7], dtype), np.zeros(16, dtype)
    k[1, 16](x, olds)
    assert x.tolist() == [9, 6, 6, 7] and sorted(olds.tolist()) == [5] + [6] * 15


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex(dtype):
    @cuda.jit
    def k(x, y):
        i = cuda.grid(1)
        cuda.atomic.add(x, i % 2, 1 + 2j)
        cuda.atomic.sub(x, i % 2, 1j)
        cuda.atomic.add(y, (i % 2, 1), y.dtype.type(3j))

    x, y = np.zeros(2, dtype), np.zeros((2, 3), dtype)
    k[2, 32](x, y)
    assert x.tolist() == [32 + 32j] * 2 and y[:, 1].tolist() == [96j] * 2
    assert not y[:, ::2].any()


def test_shared_memory():
    @cuda.jit
    def k(x):
        counts = cuda.shared.array(8, np.uint8)
        i = cuda.threadIdx.x
        if i < 8:
            counts[i] = 0
        cuda.syncthreads()
        cuda.atomic.add(counts, x[i] % 8, 1)
        cuda.syncthreads()
        if i < 8:
            x[i] = counts[i]

    x = np.arange(64)
    k[1, 64](x)
    assert x[:8].tolist() == [8] * 8


def test_index_of_mixed_integers():
    @cuda.jit
    def k(x, flag):
        where = (cuda.threadIdx.x, np.uint64(1))
        if flag:
            where = (where[0], np.int64(0))
        cuda.atomic.add(x, where, 1)

    x = np.zeros((4, 2), np.int32)
    k[1, 4](x, False)
    assert x.tolist() == [[0, 1]] * 4


def test_other_elements_are_refused():
    @cuda.jit
    def k(x):
        cuda.atomic.max(x, 0, x[1])

    for dtype in (np.complex64, np.bool_):
        with pytest.raises(errors.TypingError, match="atomics work on integers and floats"):
            k[1, 1](np.zeros(2, dtype))
