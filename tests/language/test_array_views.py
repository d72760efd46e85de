"""What shares memory: slices, transposes, reshapes, and what leaves the function."""

import gc
import sys
import weakref

import numpy as np
import pytest
from language.arrays import layouts, values
from language.engine import live_blocks
from language.support import assert_same, check_same
from numjit import njit

VIEWS = {
    "slice": lambda a: a[1:, ::2],
    "row": lambda a: a[1],
    "column": lambda a: a[:, 1],
    "transpose": lambda a: a.T,
    "newaxis": lambda a: a[:, None],
    "reshape": lambda a: a.reshape(4, 3),
    "ravel": lambda a: a.ravel(),
    "itself": lambda a: a,
    "ellipsis": lambda a: a[...],
    "backwards": lambda a: a[::-1, ::-1],
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_share_memory(name):
    f = VIEWS[name]
    a = values((3, 4))
    view = njit(f)(a)
    expected = f(a)
    check_same(view, expected)
    assert np.shares_memory(view, a)
    for mine, numpys, extent in zip(view.strides, expected.strides, expected.shape):
        assert mine == numpys or extent == 1
    view[...] = 7
    assert np.array_equal(f(a), view)
    del a
    gc.collect()
    assert np.all(view == 7)  # the view keeps the memory


def test_parts_of_complex_arrays_share_memory():
    def f(a):
        a.real[0] = 5
        a.imag[1:] = 7
        return a.real, a.imag

    for a in layouts(values((3, 4), complex)):
        assert_same(f, a)
    a = values(4, np.complex64)
    real, imag = njit(f)(a)
    assert np.shares_memory(real, a) and np.shares_memory(imag, a)


def test_copies_do_not_share():
    def f(a):
        return a.copy(), a + 0, a[1:].copy(), np.array(a), a.flatten(), a.astype(np.float64)

    a = values((3, 4))
    for b in njit(f)(a):
        assert not np.shares_memory(a, b)


def test_writing_through_views():
    def f(a):
        b = a[1:]
        c = b[:, ::2]
        c[0, 0] = 100
        c[1] = -1
        b.T[0] += 1
        a[0][1] = 55
        return a

    for a in layouts(values((3, 4))):
        assert_same(f, a)


def test_views_of_views_in_a_loop():
    def f(a, n):
        v = a
        for i in range(n):
            v = v[1:]
            v[0] = i
        return v, a

    assert_same(f, values(8), 4)


def test_the_same_argument_comes_back_as_itself():
    a = values(3)
    assert njit(lambda a: a)(a) is a


def test_two_views_of_one_new_array():
    @njit
    def f(n):
        a = np.zeros(n)
        return a[:2], a[2:], a

    b, c, a = f(5)
    a[:] = 3
    assert np.all(b == 3) and np.all(c == 3)
    before = live_blocks()
    del a, b
    assert np.all(c == 3)
    del c
    assert live_blocks() == before - 1 or before == 0


def test_result_keeps_its_memory():
    @njit
    def f(n):
        return np.arange(n)[n // 2 :]

    results = [f(1000) for _ in range(50)]
    for r in results:
        assert r[0] == 500 and r[-1] == 999


def test_arguments_are_released():
    @njit
    def f(a):
        return a[1:].sum()

    a = values(5)
    f(a)
    count = sys.getrefcount(a)
    for _ in range(10):
        f(a)
    assert sys.getrefcount(a) == count
    alive = weakref.ref(a)
    del a
    gc.collect()
    assert alive() is None


def test_returned_arguments_are_counted():
    @njit
    def f(a, b):
        return (a, b[1:]), a

    a, b = values(3), values(4)
    counts = sys.getrefcount(a), sys.getrefcount(b)
    for _ in range(10):
        f(a, b)
    assert (sys.getrefcount(a), sys.getrefcount(b)) == counts


def test_swapping_arrays_in_a_loop():
    def f(a, n):
        b = np.zeros_like(a)
        for _ in range(n):
            for i in range(1, len(a) - 1):
                b[i] = (a[i - 1] + a[i + 1]) / 2
            a, b = b, a
        return a, b

    for n in (0, 1, 2, 5):
        assert_same(f, values(8), n)


def test_conditional_arrays():
    def f(a, c):
        if c > 1:
            b = a
        elif c == 1:
            b = a * 2
        else:
            b = np.ones(2)
        b[0] = 9
        return b, a

    for c in (0, 1, 2):
        assert_same(f, values(3), c)


def test_reshape():
    def f(a, n):
        return (
            a.reshape(n, -1), a.reshape((n, 2, 3)), a.reshape(-1), np.reshape(a, (2, n * 3)),
            a.reshape(1, 1, -1), a.ravel(),
        )  # fmt: skip

    for a in layouts(values((3, 4))):
        assert_same(f, a, 2)
    assert_same(f, values(12), 2)


RESHAPED = """
a[1:3].reshape(-1)           a[:,1:3].reshape(-1)          a[:,::2].reshape((2,2,3))
a[::2].reshape((2,3,2))      a[:,0].reshape((2,2))         a[:,0].reshape((4,1))
a[:,:1].reshape(-1)          a[0:1].T.reshape(-1)          a.T.reshape(-1)
a.T.reshape((3,2,4))         a.T.reshape((6,4))            a.T.reshape((6,2,2))
a[:,::-1].reshape((4,3,2))   np.reshape(a[:,2:4],(4,2))    a[None,:,1].reshape(-1)
a[:,1:1].reshape((3,0))      a.reshape((6,4),order="F")    a.swapaxes(0,1).reshape((2,3,4))
a[0:1].T.ravel()             a[1:].ravel()                 a[::-1,::-1].reshape((2,2,3,2))
a[::-1].ravel()              a.T.ravel(order="F")          a.reshape((2,2,6))[:,1].reshape(12)
np.split(a,2)[1].ravel()     a[:,1:3].ravel()              a[1].reshape(2,3).T.reshape(3,2)
a.T.flatten()                a[::2].reshape(2,6).reshape(3,4)
"""


@pytest.mark.parametrize("expression", RESHAPED.split())
def test_another_shape_is_a_view_where_it_is_one_of_numpy(expression):
    space = {"np": np}
    exec(f"def f(a):\n    r = {expression}\n    r[...] = -1.0\n    return r", space)
    ours, theirs = (np.arange(24.0).reshape(4, 6) for _ in range(2))
    np.testing.assert_array_equal(njit(space["f"])(ours), space["f"](theirs))
    np.testing.assert_array_equal(ours, theirs)


def test_impossible_reshapes():
    def f(a, n):
        return a.reshape(n, 5)

    assert_same(f, values(10), 2)
    assert_same(f, values(10), 3)
    assert_same(f, values(10), -1)
    assert_same(f, values(9), -1)


def test_reshapes_of_nothing():
    def f(a, m, n):
        return a.reshape(m, n)

    a = np.zeros((0, 3))
    for m, n in ((0, 5), (5, 0), (3, -1), (0, -1), (2, 2), (-1, -1)):
        assert_same(f, a, m, n)


def test_view_of_another_dtype():
    def f(a):
        return a.view(np.int64), a.view(np.uint8)

    assert_same(f, values(3))


def test_readonly_arrays():
    def read(a):
        return a[1] + a.sum(), a[1:]

    def write(a):
        a[0] = 1.0

    a = values(4)
    a.flags.writeable = False
    total, part = njit(read)(a)
    assert total == a[1] + a.sum() and not part.flags.writeable
    with pytest.raises(Exception, match="readonly|read-only|setitem"):
        njit(write)(a)
    for indirect in (
        lambda a: a[1:].fill(0.0),
        lambda a: np.add(a, a, a),
    ):
        with pytest.raises(Exception, match="readonly|read-only|setitem|mutable|signature"):
            njit(indirect)(a)


def test_other_byte_orders_are_refused():
    a = values(3).astype(">f8")
    with pytest.raises(Exception, match="byte|unsupported|Unsupported|dtype"):
        njit(lambda a: a[0])(a)


def test_unsupported_dtypes_are_refused():
    for a in (np.array(["a"], dtype=object), np.zeros(2, np.longdouble)):
        with pytest.raises(Exception) as caught:
            njit(lambda a: a[0])(a)
        assert not isinstance(caught.value, (SystemError, AssertionError))


def test_broadcast_arguments():
    def f(a):
        return a.sum(), a[1, 2], a.copy(), a.strides

    assert_same(f, np.broadcast_to(np.arange(3.0), (2, 3)))


def test_sixteen_dimensions():
    def f(a):
        return a.ndim, a.shape, a.sum(), a[0].ndim

    assert_same(f, np.ones((1, 2) * 5))


@pytest.mark.parametrize(
    "f",
    [
        lambda x, y, k: [x, y][k],
        lambda x, y, k: (x, y)[k],
        lambda x, y, k: {0: x, 1: y}[k],
        lambda x, y, k: [(x, y), (y, x)][k][0],
        lambda x, y, k: x if k else y,
        lambda x, y, k: max((p[0, 0], p) for p in (x, y))[0] + [x, y][k],
    ],
)
@pytest.mark.parametrize("k", [0, 1])
def test_contiguous_rows_and_others_are_of_one_type(f, k):
    """What users see as the same type may be mixed, though one of them has contiguous rows."""
    rows, strided = values((4, 6))[1:, 1:5], values((6, 8))[::2, ::2]
    for x, y in ((rows, strided), (strided, rows)):
        check_same(njit(f)(x, y, k), f(x, y, k))


def test_an_item_of_a_list_is_replaced_by_one_of_other_strides():
    def f(x, y):
        items = [x, x]
        items[1] = y
        return items[0], items[1]

    rows, strided = values((4, 6))[1:, 1:5], values((6, 8))[::2, ::2]
    for mine, expected in zip(njit(f)(rows, strided), (rows, strided)):
        check_same(mine, expected)
