"""Loops over arrays become packed instructions; a sum does so where the order may change."""

import numpy as np
import pytest
from numjit import njit

pytestmark = pytest.mark.one_python


def assembly(function, *arguments):
    function(*arguments)
    return function.inspect_asm(function.signatures[0])


def test_element_wise_loop_is_packed():
    @njit
    def f(a, b, c, d):
        for i in range(len(a)):
            a[i] = b[i] * c + d[i]

    x = np.zeros(100)
    text = assembly(f, x, x, 2.0, x)
    assert "vmulpd" in text or "mulpd" in text
    assert "vaddpd" in text or "addpd" in text


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
def test_a_loop_over_a_part_of_a_picture_is_packed(dtype):
    """A slice from Python whose rows are contiguous; users see it as one with any strides."""

    @njit
    def f(a, b):
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                b[i, j] = a[i, j] + b[i, j]

    picture = np.arange(40 * 50, dtype=dtype).reshape(40, 50)
    part, other = picture[3:-3, 5:-5], np.ones((34, 40), dtype)
    text = assembly(f, part, other)
    assert "padd" in text or "addp" in text
    f(picture[3:-3, 5:-5].T, other.T)
    f(picture[::2, ::3], np.ones((20, 17), dtype))
    assert np.array_equal(other, part + part + dtype(1))
    kinds = [tuple(a.layout for a in signature) for signature in f.signatures]
    assert sorted(kinds) == [("A", "C"), ("A", "F")]


def test_fastmath_sum_is_packed_and_a_strict_one_is_not():
    def f(a):
        total = 0.0
        for i in range(len(a)):
            total += a[i]
        return total

    assert "addpd" in assembly(njit(fastmath=True)(f), np.zeros(100))
    assert "addpd" not in assembly(njit(f), np.zeros(100))


def test_fastmath_search_of_the_largest_is_packed():
    @njit(fastmath=True)
    def largest(a):
        found = a[0]
        for i in range(1, len(a)):
            if a[i] > found:
                found = a[i]
        return found

    a = np.arange(100.0)
    assert "maxpd" in assembly(largest, a)
    assert largest(a[::-1].copy()) == largest(a) == 99.0


@pytest.mark.parametrize("n", range(1, 19))
def test_narrowed_items_are_stored_alone(n):
    """Loops over a known number of items leave a rest of one lane of a vector."""

    def f(x):
        a = np.full(n, x) % 65536
        bytes_, words = np.zeros(40, np.uint8), np.zeros(40, np.uint16)
        bytes_[:n] = a
        words[:n] = a
        return bytes_, words

    got = njit(f)(-5)
    for array, value in zip(got, (251, 65531)):
        assert array[:n].tolist() == [value] * n
        assert not array[n:].any()


def test_a_new_array_is_no_argument():
    """Storing to it leaves what was read of the arguments as it is."""

    def store(a, out):
        before = a[0]
        out[0] = 2.0
        return before + a[0], out

    new = njit(inline="always")(lambda: np.empty(1))
    store_in = njit(inline="always")(store)

    def store_in_new(a):
        return store_in(a, new())

    x, y = np.array([3.0]), np.array([4.0])
    one, other = njit(store_in_new), njit(store)
    assert (one(x), other(x, y), other(x, x)) == ((6, [2]), (6, [2]), (5, [2]))
    loads = [f.inspect_llvm(f.signatures[0]).count("load double") for f in (one, other)]
    assert loads == [1, 2]
