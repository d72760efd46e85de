"""np.zeros ones empty full *_like array asarray arange linspace."""

import numpy as np
import pytest
from language.arrays import DTYPES, layouts, values
from language.support import assert_same, check_same, compiled
from numjit import njit


def test_shapes():
    def f(n, t):
        return (
            np.zeros(n), np.ones(n), np.full(n, 7.5), np.zeros((n, 2)), np.ones((2, n, 1)),
            np.zeros(t), np.full(t, 3), np.zeros(()), np.empty((n, 3)).shape, np.zeros((n,)),
        )  # fmt: skip

    assert_same(f, 3, (2, 3))
    assert_same(f, 0, (0, 4))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dtypes(dtype):
    kind = dtype.type

    def f(n):
        return (
            np.zeros(n, kind),
            np.ones(n, dtype=kind),
            np.full(n, 1, kind),
            np.empty(n, kind).dtype.itemsize,
        )

    assert_same(f, 3)


def test_names_of_dtypes():
    def f(n):
        return (
            np.zeros(n, "f4"), np.zeros(n, "int8"), np.zeros(n, float), np.zeros(n, int),
            np.zeros(n, bool), np.zeros(n, complex), np.zeros(n, np.dtype("u2")), np.zeros(n, "?"),
        )  # fmt: skip

    assert_same(f, 2)


def test_order():
    @njit
    def f(n):
        return (
            np.zeros((n, 3), order="F"),
            np.ones((n, 3), np.int32, "F"),
            np.empty((2, n), order="C"),
        )

    a, b, c = f(4)
    assert a.flags.f_contiguous and b.flags.f_contiguous and c.flags.c_contiguous
    assert a.shape == (4, 3) and b.dtype == np.int32


def test_full_infers_the_dtype():
    def f(n):
        return np.full(n, 1), np.full(n, 1.5), np.full(n, True), np.full(n, 1j), np.full((n, 2), -1)

    assert_same(f, 2)


def test_alike():
    def f(a):
        return (
            np.zeros_like(a), np.ones_like(a), np.full_like(a, 3), np.empty_like(a).shape,
            np.zeros_like(a, np.int8), np.ones_like(a, dtype=np.complex64),
        )  # fmt: skip

    for a in layouts(values((2, 3))):
        assert_same(f, a)
    for dtype in DTYPES:
        assert_same(f, values(3, dtype))


def test_alike_keeps_the_layout():
    g = njit(lambda a: (np.zeros_like(a), np.empty_like(a)))
    for b in g(np.asfortranarray(values((2, 3)))):
        assert b.flags.f_contiguous


def test_arange():
    def f(a, b, c):
        return np.arange(b), np.arange(a, b), np.arange(a, b, c)

    for a, b, c in ((0, 5, 1), (2, 10, 3), (5, 0, -2), (3, 3, 1), (5, 2, 1), (-4, 4, 3)):
        assert_same(f, a, b, c)
    for a, b, c in ((0.0, 1.0, 0.25), (1.0, 0.0, -0.3), (0.0, 1.0, 0.1), (0.5, 0.5, 1.0)):
        assert_same(f, a, b, c)


def test_arange_dtypes():
    def f(n):
        return (
            np.arange(n, dtype=np.float32),
            np.arange(0, n, 2, np.int16),
            np.arange(1, n, dtype=float),
        )

    assert_same(f, 6)


def test_linspace():
    def f(a, b, n):
        return np.linspace(a, b, n)

    for a, b, n in (
        (0.0, 1.0, 11),
        (1, 5, 5),
        (3.0, -2.0, 7),
        (0.0, 1.0, 1),
        (0.0, 1.0, 0),
        (0.1, 0.7, 50),
    ):
        assert_same(f, a, b, n, rtol=1e-14)


def test_linspace_defaults():
    def f(a, b):
        return np.linspace(a, b)

    assert_same(f, 0.0, 3.0, rtol=1e-14)


def test_of_lists_and_tuples():
    def f(x, y):
        return (
            np.array([x, y, 3.0]), np.array((1, 2, 3)), np.array([1, 2, 3]), np.asarray([x, y]),
            np.array([1, 2], dtype=np.float32), np.array([i * x for i in range(3)]),
        )  # fmt: skip

    assert_same(f, 0.5, 1.5)


def test_of_nested_lists_and_tuples():
    def f(x):
        return (
            np.array([[1, 2], [3, 4]]),
            np.array([[x, 1.0], [2.0, x]]),
            np.array(((1, 2), (3, 4))),
        )

    assert_same(f, 0.5)


def test_of_arrays():
    def f(a):
        return np.array(a), np.asarray(a), np.array(a, dtype=np.float32), np.asarray(2.5)

    for a in layouts(values((2, 3))):
        assert_same(f, a)


def test_zeros_are_zero_again():
    @njit
    def f(n):
        a = np.empty(n)
        a[:] = 7
        return a.sum() + np.zeros(n).sum()

    for _ in range(20):
        assert f(100) == 700


def test_allocation_in_loops():
    def f(n):
        total = 0.0
        for i in range(n):
            a = np.full(i + 1, 0.5)
            if i % 3 == 0:
                continue
            b = a * 2 + np.ones(i + 1)
            if b[0] > 5:
                break
            total += b.sum()
        return total

    assert_same(f, 30)


def test_impossible_sizes():
    @njit
    def f(n):
        return np.zeros(n)[0]

    @njit
    def g(n):
        return np.empty((n, n)).size

    with pytest.raises((MemoryError, ValueError)):
        f(2**61)
    with pytest.raises((MemoryError, ValueError)):
        g(2**40)
    with pytest.raises(ValueError):
        f(-1)
    assert f(3) == 0.0


def test_impossible_lists():
    @njit
    def f(n):
        return len([0.0] * n)

    with pytest.raises((MemoryError, ValueError)):
        f(2**60)
    assert f(3) == 3


def test_results_belong_to_the_caller():
    @njit
    def f(n):
        a = np.zeros(n)
        return a, a[1:]

    a, b = f(4)
    a[1] = 5
    assert b[0] == 5 and a.flags.writeable and a.flags.aligned
    check_same(a.copy(), np.array([0.0, 5.0, 0.0, 0.0]))


def test_big_results():
    f = compiled(big)
    assert f(10**6).sum() == 10**6


def big(n):
    return np.ones(n)


# --- lengths are tested where they are used, and nothing is concluded elsewhere ---


def length_by_sign(n):
    if n < 0:
        return np.zeros(-n).size
    return np.zeros(n).size - 1000


def length_in_one_branch(n):
    total = 0
    for shift in range(-n, n + 1):
        if shift == 0:
            part = np.ones(3)
        elif shift < 0:
            part = np.ones(-shift)
        else:
            part = np.full(shift, 0.5)
        total += part.sum() + (shift >= 0)
    return total


def length_in_try(n):
    below = n < 0
    try:
        size = np.empty(n).size
    except ValueError:
        size = -1
    return size, below, n < 0


def length_of_two(n, m):
    return np.zeros((n, m)).shape


def length_of_a_view(n):
    a = np.arange(12.0)
    if n >= 0:
        return a.reshape(n, 3).shape[0]
    return a.reshape(-n, 3).shape[1] + n


@pytest.mark.parametrize("boundscheck", [False, True])
def test_lengths_that_may_be_negative(boundscheck):
    for f, calls in (
        (length_by_sign, [(3,), (-3,), (0,)]),
        (length_in_one_branch, [(4,), (0,)]),
        (length_in_try, [(3,), (-3,)]),
        (length_of_two, [(2, 3), (0, 5)]),
        (length_of_a_view, [(4,), (-4,)]),
    ):
        g = njit(boundscheck=boundscheck)(f)
        for arguments in calls:
            assert g(*arguments) == f(*arguments)
    for arguments in ((-2, -3), (-1, 5), (5, -1)):
        with pytest.raises(ValueError, match="negative dimensions"):
            njit(boundscheck=boundscheck)(length_of_two)(*arguments)
