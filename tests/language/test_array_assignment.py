"""Writing a[...] = b: elements, scalars and arrays into slices, broadcasting, overlap."""

import numpy as np
import pytest
from language.arrays import DTYPES, layouts, values
from language.support import assert_same, compiled
from numjit import njit
from numjit.errors import NumbaError

pytestmark = pytest.mark.one_python


def test_elements_of_every_dtype():
    def f(a, x):
        a[1] = x
        a[-1] = 1
        a[0] = a[1]

    for dtype in DTYPES:
        assert_same(f, values(4, dtype), values(9, dtype)[8])


def test_elements_convert():
    def f(a, x):
        a[0] = x

    for target in (np.int8, np.uint8, np.int32, np.float32, np.complex64):
        assert_same(f, np.zeros(2, target), 3)
        assert_same(f, np.zeros(2, target), np.float64(3.7))
    a = np.zeros(2, np.int8)
    compiled(f)(a, 300)
    assert a[0] == 44


def test_complex_into_real_is_refused():
    with pytest.raises(NumbaError):

        @njit
        def f(a, x):
            a[0] = x

        f(np.zeros(2), 1j)


def test_in_place_elements():
    def f(a, i, x):
        a[i] += x
        a[i] *= 2
        a[-1] -= a[0]
        a[0] //= 2
        a[1] **= 2

    for a in layouts(values(4)):
        assert_same(f, a, 2, 1.5)
    assert_same(f, values(4, int), 2, 3)


def test_elements_in_every_layout():
    def f(a, i, j):
        a[i, j] = 100
        a[-1, -1] += 5
        a[j - 1, i] = a[i, j] + 1
        for k in range(a.shape[0]):
            a[k, k] = k

    for a in layouts(values((3, 4))):
        assert_same(f, a, 1, 2)


def test_scalars_into_slices():
    def f(a, x):
        a[1:] = x
        a[:1, 1:3] = x + 1
        a[::2, -1] = 0
        a[0] = 5
        a[..., 0] = 7

    for a in layouts(values((3, 4))):
        assert_same(f, a, 2.5)
        assert_same(f, a, 2)


def test_everything():
    def f(a, b, x):
        a[:] = x
        b[...] = x + 1

    for a in layouts(values((3, 4))):
        assert_same(f, a, values(()), 2.5)


def test_arrays_into_slices():
    def f(a, b, c):
        a[1:] = b
        a[0] = c
        a[:, 0] = c[:3]
        a[::-1, 1:] = a[0, 0]

    for a in layouts(values((3, 4))):
        for b in layouts(values((2, 4)) * 2):
            assert_same(f, a, b, values(4) + 1)


def test_broadcasting():
    def f(a, row, column, one):
        a[:] = row
        a[1:] = column[1:]
        a[:, 1:3] = one
        a[2] = one[0]

    a = values((3, 4))
    for b in layouts(a):
        assert_same(f, b, values(4), values((3, 1)), np.ones((1, 1)))


def test_extra_leading_ones():
    def f(a, b):
        a[1] = b

    assert_same(f, values((3, 4)), values((1, 4)))
    assert_same(f, values((3, 4)), values((1, 1, 4)))


def test_wrong_shapes():
    def f(a, b):
        a[:] = b

    def g(a, b):
        a[1:, :] = b

    assert_same(f, values(4), values(3))
    assert_same(f, values((3, 4)), values(3))
    assert_same(g, values((3, 4)), values((3, 4)))
    assert_same(f, values((3, 4)), values((2, 4)))
    assert_same(f, np.zeros(0), np.zeros(0))
    assert_same(f, np.zeros(0), np.zeros(1))


OVERLAPS = {
    "shift right": "a[1:] = a[:-1]",
    "shift left": "a[:-1] = a[1:]",
    "shift right and add": "a[1:] = a[:-1] + 1",
    "reverse": "a[:] = a[::-1]",
    "reverse and add": "a[:] = a[::-1] + a",
    "sum of neighbours": "a[1:-1] = a[:-2] + a[2:]",
    "in place": "a[1:] += a[:-1]",
    "in place reversed": "a *= a[::-1]",
    "whole": "a[:] = a + a[0]",
}


@pytest.mark.parametrize("case", OVERLAPS)
def test_overlap(case):
    namespace = {}
    exec(f"def f(a):\n    {OVERLAPS[case]}\n    return a\n", namespace)
    for a in layouts(values(9)):
        assert_same(namespace["f"], a)


def test_overlap_with_other_strides():
    """As if the right side was copied first; NumPy reads elements that it has overwritten."""

    def f(a):
        a[::2] = a[: (len(a) + 1) // 2]

    for a in layouts(values(9)):
        expected = a.copy()
        expected[::2] = a[:5].copy()
        compiled(f)(a)
        assert np.array_equal(a, expected)


def test_overlap_in_two_dimensions():
    def f(a):
        a[1:, 1:] = a[:-1, :-1] * 2
        a[:] = a[::-1]
        a[:3, :3] = a[:3, :3].T
        a[0] = a[:, 0][:4]
        a[:, 1] += a[1, 0]
        return a

    for a in layouts(values((4, 4))):
        assert_same(f, a)


def test_overlap_between_arguments():
    def f(a, b):
        b[:] = a + 1
        a += b
        return a

    base = values(10)
    for a, b in ((base[:8], base[2:]), (base[2:], base[:8]), (base[::-1], base), (base, base)):
        assert_same(f, a, b)


def test_disjoint_parts_of_one_array():
    def f(a):
        a[: len(a) // 2] = a[len(a) // 2 :] * 2
        return a

    for a in layouts(values(8)):
        assert_same(f, a)


def test_dtypes_convert():
    def f(a, b):
        a[:] = b

    for target in "bBlLfdD":
        for source in "?bhldf":
            if np.can_cast(source, target, "same_kind"):
                assert_same(f, np.zeros(4, target), values(4, source))


def test_lists_and_tuples_into_slices():
    def f(a, t):
        a[1:4] = t

    assert_same(f, values(5), (1.0, 2.0, 3.0))
    assert_same(f, values(5), [1.0, 2.0, 3.0])


def test_assign_rows():
    def f(a, n):
        for i in range(n):
            a[i] = np.arange(4) * i
            a[i, 1:] = a[i, :-1] + 0.5
            a[i][2] = i
        return a

    assert_same(f, np.zeros((3, 4)), 3)


def test_zero_dimensional():
    def f(a, x):
        a[()] = x
        a[...] = a + 1
        a += 1
        return a

    assert_same(f, values(()), 3.5)


def test_flat_and_fill():
    def f(a, x):
        a.fill(x)
        a.flat[1] = 9
        a.flat[-1] = x + 2
        return a, a.flat[1]

    for a in layouts(values((2, 3))):
        if a.flags.c_contiguous:
            assert_same(f, a, 2.0)


def test_writing_through_flat_of_any_layout():
    def f(a):
        for i in range(a.size):
            a.flat[i] = i
        return a

    for a in layouts(values((2, 3))):
        assert_same(f, a)


def test_swap_of_elements_and_rows():
    def f(a):
        a[0, 0], a[1, 1] = a[1, 1], a[0, 0]
        row = a[0].copy()
        a[0] = a[1]
        a[1] = row
        return a

    for a in layouts(values((2, 3))):
        assert_same(f, a)


def test_assignment_evaluates_the_right_side_first():
    def f(a):
        i = 0
        i, a[i] = 2, 5.0
        return a, i

    assert_same(f, values(4))


def test_ranges():
    def f(a, n):
        a[0] = range(n)
        a[1:, 1] = range(1, n)
        a[a > 8] = range(1)
        return a

    assert_same(f, np.full((4, 4), 7), 4)
    assert_same(f, np.full((4, 4), 9.5), 4)
    with pytest.raises(ValueError):
        njit(f)(np.zeros((4, 4)), 3)
