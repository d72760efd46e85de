"""Algorithms over whole arrays on the device."""

import operator

import numpy as np
import pytest
from numjit import cuda

RNG = np.random.default_rng(13)
SIZES = [0, 1, 31, 512, 513, 3000, 70_000]


def host(array):
    return array.copy_to_host()


@pytest.mark.parametrize("n", SIZES)
def test_scan(n):
    x = RNG.integers(0, 100, n)
    np.testing.assert_array_equal(host(cuda.scan(cuda.to_device(x))), np.cumsum(x))
    found = cuda.scan(x, max, initial=50)
    np.testing.assert_array_equal(host(found), np.maximum(np.maximum.accumulate(x), 50))
    found = cuda.scan(x, operator.add, initial=7, inclusive=False)
    np.testing.assert_array_equal(host(found), 7 + np.cumsum(x) - x)


@pytest.mark.parametrize("dtype", ["i4", "u1", "f4", "f8"])
def test_scan_types(dtype):
    x = RNG.integers(0, 2, 1500).astype(dtype)
    out = cuda.device_array(x.size, np.float64)
    assert cuda.scan(x, out=out) is out
    np.testing.assert_array_equal(host(out), np.cumsum(x, dtype="f8"))
    np.testing.assert_array_equal(host(cuda.scan(x)), np.cumsum(x, dtype=dtype))


def test_scan_keeps_the_order():
    """Of two digits the last one that is not 0: associative and not commutative."""
    x = RNG.integers(0, 3, 5000) * RNG.integers(0, 2, 5000)
    found = host(cuda.scan(x, lambda a, b: b if b != 0 else a))
    last, expected = 0, []
    for each in x:
        last = each or last
        expected.append(last)
    assert found.tolist() == expected


@pytest.mark.parametrize("n", SIZES)
def test_select(n):
    x = RNG.normal(size=n)
    np.testing.assert_array_equal(host(cuda.select(x, lambda v: v > 0.5)), x[x > 0.5])
    flags = RNG.integers(0, 2, n).astype(bool)
    np.testing.assert_array_equal(host(cuda.select(cuda.to_device(x), flags)), x[flags])


KEYS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "?", "M8[s]"]


@pytest.mark.parametrize("dtype", KEYS)
@pytest.mark.parametrize("descending", [False, True])
def test_sort(dtype, descending):
    for n in (0, 1, 600, 5000):
        bits = RNG.integers(0, 256, n * 8, dtype=np.uint8).view(np.uint64)
        if dtype == "?":
            x = bits.view("i8") < 0
        elif dtype[0] == "f":
            x = np.where(bits % 7 == 0, 0, RNG.normal(size=n)).astype(dtype)
        else:
            x = bits.view("i8").astype("i8").astype(dtype)
        expected = np.sort(x)[::-1] if descending else np.sort(x)
        found = cuda.sort(x, descending=descending)
        np.testing.assert_array_equal(host(found), expected)


def test_sort_special_floats():
    x = np.array([np.nan, 1, -np.inf, np.inf, -1, 0, 5e-324, -5e-324], np.float64)
    np.testing.assert_array_equal(host(cuda.sort(x)), np.sort(x))
    found = host(cuda.sort(x, descending=True))
    np.testing.assert_array_equal(found, [*np.sort(x)[:-1][::-1], np.nan])


@pytest.mark.parametrize("dtype", ["u1", "i4", "f8"])
def test_sort_by_key_is_stable(dtype):
    keys = RNG.integers(0, 9, 3000).astype(dtype)
    items = np.arange(3000, dtype=np.float32)
    found_keys, found_items = cuda.sort_by_key(keys, cuda.to_device(items))
    order = np.argsort(keys, kind="stable")
    assert host(found_keys).tolist() == keys[order].tolist()
    assert host(found_items).tolist() == items[order].tolist()


def test_sort_in_place():
    x = RNG.integers(0, 1000, 2000)
    device = cuda.to_device(x)
    assert cuda.sort(device, out=device) is device
    assert host(device).tolist() == sorted(x.tolist())


@pytest.mark.parametrize("n", SIZES)
def test_unique(n):
    x = RNG.integers(0, 50, n)
    np.testing.assert_array_equal(host(cuda.unique(x)), np.unique(x))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("bins, ends", [(1, (0, 1)), (10, (-1, 1)), (300, (-2, 3))])
def test_histogram(n, bins, ends):
    x = np.r_[RNG.normal(size=n), ends, np.nan]
    found = host(cuda.histogram(x, bins, ends))
    assert found.tolist() == np.histogram(x[:-1], bins, ends)[0].tolist()


def test_transform():
    a, b, c = (RNG.normal(size=1000) for _ in range(3))
    np.testing.assert_array_equal(host(cuda.transform(lambda x: x * 2, a)), a * 2)
    np.testing.assert_array_equal(host(cuda.transform(operator.sub, a, b)), a - b)
    out = cuda.device_array(1000, np.float32)
    cuda.transform(lambda x, y, z: x if y < z else 0.0, a, b, c, out=out)
    np.testing.assert_array_equal(host(out), np.where(b < c, a, 0).astype("f4"))


def test_kernels_are_made_once():
    from numjit.cuda.algorithms import _scan_kernels

    def add(a, b):
        return a + b

    cuda.scan(np.arange(5), add)
    before = _scan_kernels.cache_info().misses
    cuda.scan(np.arange(900), add)
    assert _scan_kernels.cache_info().misses == before


def test_refusals():
    x = np.arange(4)
    with pytest.raises(TypeError, match="one dimension"):
        cuda.sort(x.reshape(2, 2))
    with pytest.raises(TypeError, match="initial value"):
        cuda.scan(x, inclusive=False)
    with pytest.raises(ValueError, match="out has the shape"):
        cuda.sort(x, out=cuda.device_array(3, np.int64))
    with pytest.raises(TypeError, match="keys are integers"):
        cuda.sort(np.zeros(3, np.complex64))
    with pytest.raises(ValueError, match="flags for 4 elements"):
        cuda.select(x, np.zeros(3, bool))
    with pytest.raises(ValueError, match="bins are counted"):
        cuda.histogram(x, 0, (0, 1))
    with pytest.raises(ValueError, match="different lengths"):
        cuda.transform(operator.add, x, x[:2])
    with pytest.raises(ValueError, match="items"):
        cuda.sort_by_key(x, x[:2])
