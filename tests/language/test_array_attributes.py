"""Attributes of arrays, over dtypes and layouts."""

import numpy as np
import pytest
from language.arrays import DTYPES, layouts, values
from language.support import assert_same, check_same, compiled
from numjit import njit


def numbers(a):
    return a.ndim, a.size, a.itemsize, a.nbytes, a.shape, a.strides, len(a), a.shape[-1]


def test_numbers():
    for shape in ((5,), (3, 4), (2, 3, 4)):
        for a in layouts(np.zeros(shape)):
            assert_same(numbers, a)


def test_numbers_of_empty_arrays():
    def f(a):
        return a.ndim, a.size, a.nbytes, a.shape, len(a), a.T.shape

    for shape in ((0,), (3, 0), (0, 3), (2, 0, 3)):
        for a in layouts(np.zeros(shape)):
            assert_same(f, a)


def test_item_sizes():
    def f(a):
        return a.itemsize, a.dtype.itemsize, a.nbytes

    for dtype in DTYPES:
        assert_same(f, values(3, dtype))


def test_zero_dimensional():
    def f(a):
        return a.ndim, a.size, a.shape, a.strides, a.T, a.nbytes

    assert_same(f, values(()))


def test_dtype():
    def f(a):
        return (
            np.zeros(2, a.dtype), a.dtype.type(1), a.dtype == np.float64, a.dtype.kind == "f",
            a.dtype == np.dtype(np.int8), a.dtype != np.float64,
        )  # fmt: skip

    for dtype in DTYPES:
        assert_same(f, values(3, dtype))


def test_dtype_prunes_branches():
    def f(a):
        if a.dtype == np.float64:
            return a[0] * 0.5
        elif a.dtype.kind == "c":
            return a[0].imag
        return a[0] * 3

    for dtype in (float, complex, np.int16):
        check_same(compiled(f)(values(3, dtype)), f(values(3, dtype)))


def test_transpose():
    def f(a):
        return a.T, a.T.T, a.transpose(), np.transpose(a), a.T.strides, a.T.shape

    for shape in ((5,), (3, 4), (2, 3, 4)):
        for a in layouts(values(shape)):
            assert_same(f, a)


def test_transpose_with_axes():
    def f(a):
        return a.transpose(2, 0, 1), a.transpose((1, 0, 2)), np.transpose(a, (0, 2, 1))

    for a in layouts(values((2, 3, 4))):
        assert_same(f, a)


def test_real_and_imag():
    def f(a):
        return a.real, a.imag

    for dtype in "dfFDl":
        for a in layouts(values((2, 3), dtype)):
            assert_same(f, a)


def test_imaginary_parts_of_real_arrays_are_readonly():
    @njit
    def f(a):
        return a.imag.flags.writeable, np.imag(a).flags.writeable, a.real.flags.writeable

    for dtype in "dlD":
        a = values(3, dtype)
        assert f(a) == (a.imag.flags.writeable, np.imag(a).flags.writeable, True)


def test_flags():
    def f(a):
        return a.flags.c_contiguous, a.flags.f_contiguous, a.flags.contiguous

    for a in layouts(values((3, 4))):
        assert_same(f, a)
    for a in (values(5), values(10)[::2], values((1, 5)).T, values((2, 3, 4))):
        check_same(compiled(f)(a)[0], a.flags.c_contiguous)


def test_flat():
    def f(a):
        total = 0.0
        for x in a.flat:
            total = total * 0.5 + x
        return total, a.flat[3], a.flat[-1], len(a.flat)

    for a in layouts(values((3, 4))):
        assert_same(f, a)


def test_ufuncs_of_flat():
    def f(a):
        return np.isnan(a.flat), np.sqrt(a.flat), np.add(a.flat, 1), np.maximum(a.flat, a.ravel())

    for a in layouts(values((3, 4))):
        assert_same(f, np.abs(a))


def test_of_expressions():
    def f(a, b):
        return (a + b).shape, (a * 2).ndim, (a + b).sum(), (a - b).T, (a > b).size, len(a + b)

    for a in layouts(values((3, 4))):
        assert_same(f, a, values(4))


def test_of_new_arrays():
    @njit
    def f(n):
        a = np.zeros((n, 3))
        b = a[:, 1]
        return a.shape, a.strides, b.shape, b.strides, b.flags.c_contiguous, a.T.flags.f_contiguous

    check_same(f(4), ((4, 3), (24, 8), (4,), (24,), False, True))


def test_shape_drives_loops():
    def f(a):
        m, n = a.shape
        total = 0.0
        for i in range(m):
            for j in range(n):
                total = total * 0.9 + a[i, j]
        for extent in a.shape:
            total += extent
        for i in range(a.ndim):
            total += a.shape[i] * a.strides[i]
        return total

    for a in layouts(values((3, 4))):
        assert_same(f, a)


def test_flags_of_axes_of_length_one():
    def f(a):
        return a.flags.c_contiguous, a.flags.f_contiguous, a.flags.contiguous

    x = np.arange(24.0).reshape(2, 3, 4)
    arrays = [x, x.T, x[:1], x[:, :1], x[:, :, :1], x[:0], x[::2], x[0, :1], x[1:1, ::2]]
    arrays += [np.ones((1, 3)), np.ones((3, 1)), np.ones((3, 0)), np.ones((1, 3)).T]
    arrays += [np.asfortranarray(np.ones((2, 3))), np.ones(3)[::2], np.ones(3)[::3]]
    for a in arrays:
        assert_same(f, a)
    assert_same(lambda n: np.ones((1, n)).flags.f_contiguous, 3)


def test_matrix_transpose():
    def f(a):
        return a.mT, a.mT.shape

    for shape in ((2, 3), (2, 3, 4)):
        assert_same(f, values(shape))
    with pytest.raises(ValueError, match="ndim < 2"):
        njit(lambda a: a.mT)(values(3))
