"""Reading a[...]: integers, slices, ellipsis, newaxis, and mixtures of them."""

import numpy as np
import pytest
from language.arrays import DTYPES, layouts, values
from language.support import assert_same, check_same, compiled
from numjit import njit
from numjit.errors import NumbaError


def test_elements_of_every_dtype():
    def f(a, i):
        return a[i], a[0], a[-1]

    for dtype in DTYPES:
        assert_same(f, values(5, dtype), 3)
        assert_same(f, values(5, dtype), -2)


def test_elements_of_every_layout():
    def f(a, i, j):
        return a[i, j], a[-1, 0], a[i][j], a[(i, j)], a[i, -1]

    for a in layouts(values((3, 4))):
        for i, j in ((0, 0), (2, 3), (-1, -4), (1, -2)):
            assert_same(f, a, i, j)


def test_higher_dimensions():
    def f(a, i, j, k):
        return a[i, j, k, 1], a[i][j][k][0], a[i, j][k, 1]

    for a in layouts(values((2, 3, 4, 2))):
        assert_same(f, a, 1, 2, 3)
        assert_same(f, a, -1, 0, -2)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint32, np.uint64, np.bool_])
def test_index_types(kind):
    def f(a, i):
        return a[i], a[i, :].sum(), a[1, i]

    a = values((3, 3))
    if kind is np.bool_:
        return  # a[True] is a mask for NumPy
    check_same(compiled(f)(a, kind(2)), f(a, 2))


def test_slices():
    def f(a, i, j, k):
        return a[i:j], a[i:], a[:j], a[:], a[::k], a[i:j:k], a[j:i:-1], a[-3:-1]

    for i, j, k in ((1, 4, 2), (0, 0, 1), (-2, 100, 3), (4, 1, -1), (-100, -1, -2), (5, 6, 7)):
        for a in layouts(values(6)):
            assert_same(f, a, i, j, k)


def test_slices_in_two_dimensions():
    def f(a, i, j):
        return (
            a[i], a[:, j], a[i:], a[:, j:], a[i:, j:], a[::2, ::-1], a[i, j:], a[i:, j],
            a[::-1], a[1:2, :], a[i:i], a[-2:, :-1],
        )  # fmt: skip

    for a in layouts(values((3, 4))):
        for i, j in ((0, 0), (2, 1), (-1, -2)):
            assert_same(f, a, i, j)


def test_ellipsis_and_newaxis():
    def f(a, i):
        return (
            a[...], a[..., i], a[i, ...], a[..., None], a[None], a[None, :, None], a[:, None],
            a[np.newaxis, ..., i, np.newaxis], a[i, ..., i], a[..., 1:, None],
        )  # fmt: skip

    for a in layouts(values((3, 4, 2))):
        assert_same(f, a, 1)
        assert_same(f, a, -1)


def test_newaxis_alone():
    def f(a):
        return a[None], a[..., None], a[None, None, :], a[:, None, None]

    for a in layouts(values(4)):
        assert_same(f, a)


def test_zero_dimensional():
    def f(a):
        return a[()], a[...], a[None], a[..., None, None], a.item()

    for dtype in "dlF":
        assert_same(f, values((), dtype))


def test_empty_arrays():
    def f(a):
        return a[1:], a[::-1], a[None], a[5:9], len(a), a.size

    for shape in ((0,), (0, 3), (3, 0)):
        assert_same(f, np.zeros(shape))


def test_slice_objects():
    def f(a, i):
        s = slice(i, None, 2)
        t = slice(1, 3)
        return a[s], a[s, t], a[t], a[slice(None)], a[slice(2)]

    assert_same(f, values((5, 4)), 1)


def test_tuple_indices():
    def f(a, t, u):
        return a[t], a[u], a[(0,)], a[t[:1]]

    assert_same(f, values((3, 4)), (1, -1), (slice(1, 3), 2))


def test_constant_slices_of_constant_bounds():
    def f(a):
        return a[1:3], a[-2:], a[:-2], a[0:0], a[3:1], a[2:100], a[-100:2], a[::3], a[-1:0:-2]

    for n in (0, 1, 2, 5):
        assert_same(f, values(n))


def test_slices_of_slices():
    def f(a, n):
        b = a[1:][::2]
        c = b[::-1][1:]
        d = a[:, 1:][1:, ::2].T[::-1]
        for i in range(n):
            a = a[1:-1]
        return b, c, d, a

    for a in layouts(values((7, 5))):
        assert_same(f, a, 2)


def test_windows():
    def f(x, h, w):
        out = np.zeros((x.shape[1] - h + 1, x.shape[2] - w + 1))
        for j in range(out.shape[0]):
            for k in range(out.shape[1]):
                out[j, k] = np.sum(x[1, j : j + h, k : k + w])
        return out

    for x in layouts(values((2, 5, 6))):
        assert_same(f, x, 2, 3)


def test_membership():
    def f(a, x):
        return x in a, x not in a

    for a in layouts(values((3, 4))):
        assert_same(f, a, 0.5)
        assert_same(f, a, 77.0)


def test_iteration_over_two_dimensions():
    def f(a):
        out = 0.0
        for i, row in enumerate(a):
            for x, y in zip(row, row[1:]):
                out = out * 0.5 + x * y + i
        return out

    for a in layouts(values((3, 4))):
        assert_same(f, a)


def test_loops_with_negative_indices():
    def f(a):
        t = 0.0
        for i in range(len(a)):
            t = t * 0.5 + a[-i] - a[i - 1] + a[-i - 1]
        return t

    for a in layouts(values(6)):
        assert_same(f, a)


WRONG = {
    "too many": lambda a: a[0, 0, 0],
    "float": lambda a: a[1.5],
    "two ellipses": lambda a: a[..., 0, ...],
    "string": lambda a: a["x"],
    "float slice": lambda a: a[0.5:],
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_indices_are_typing_errors(case):
    with pytest.raises(NumbaError):
        njit(WRONG[case])(np.zeros((2, 2)))


def test_boundscheck():
    def f(a, i, j):
        return a[i, j]

    checked = njit(boundscheck=True)(f)
    a = values((2, 3))
    assert checked(a, -2, 2) == a[-2, 2]
    for i, j in ((2, 0), (0, 3), (-3, 0), (0, -4)):
        with pytest.raises(IndexError):
            checked(a, i, j)


def test_slices_with_huge_parts():
    def f(a, i, j):
        return a[j:i], a[i:j:-1], a[::i], a[::j], a[i::j], a[9223372036854775807:]

    assert_same(f, values(5), 2**63 - 1, -(2**63 - 1))


def test_step_zero():
    def f(a, k):
        return a[::k]

    assert_same(f, values(4), 0)
    assert_same(f, values(4), 2)


def test_slices_at_integers_in_arrays():
    def f(x, n):
        n = np.asarray(n)
        return x[n:], x[:n, :], x[::n], x[slice(n, None)]

    for n in (1, 2):
        assert_same(f, values((3, 4)), n)
    with pytest.raises(NumbaError, match="slice indices"):
        njit(lambda x, n: x[np.asarray(n) :])(values(3), 1.5)
