"""Memory as arrays of other shapes, strides and types, and as bytes."""

import numpy as np
import pytest
from language.support import assert_same
from numjit import njit
from numjit.errors import TypingError
from numpy.lib.stride_tricks import as_strided, sliding_window_view

A, M = np.arange(5.0), np.arange(12.0).reshape(3, 4)


def test_as_strided():
    def f(a):
        return (
            as_strided(a, (3, 2), (a.strides[0], 0)).sum(),
            as_strided(a, shape=(2, 2), strides=(a.strides[0], a.strides[0])),
            np.lib.stride_tricks.as_strided(a, strides=(0,)),
        )

    assert_same(f, A)
    assert_same(f, A[::2])


def test_sliding_window_view():
    def line(a):
        return sliding_window_view(a, 3), sliding_window_view(a, window_shape=(2,)).sum(axis=-1)

    def matrix(m):
        return (
            sliding_window_view(m, (2, 2)),
            sliding_window_view(m, 2, 1),
            sliding_window_view(m, 2, axis=-1),
            sliding_window_view(m, (2, 1), axis=(1, 0)),
        )

    assert_same(line, A)
    assert_same(line, A[::-1])
    assert_same(matrix, M)
    assert_same(matrix, np.asfortranarray(M))

    def along(m, window, axis):
        return sliding_window_view(m, window, axis)

    for axis in (0, 1, -1, (1,)):
        assert_same(along, M, 2, axis)
    assert_same(along, M, (2, 1), (1, 1))

    def wide(a, n):
        return sliding_window_view(a, n)

    assert_same(wide, A, 9)
    assert_same(wide, A, -1)


@pytest.mark.parametrize("buffer", [b"", bytes(range(24)), bytearray(range(24)), b"abc", A, M])
def test_frombuffer(buffer):
    def plain(b):
        return np.frombuffer(b)

    def small(b):
        return np.frombuffer(b, dtype=np.int16)

    def part(b):
        return np.frombuffer(b, np.uint8, 2, offset=1)

    for f in plain, small, part:
        assert_same(f, buffer)


def test_frombuffer_keeps_and_shares_memory():
    @njit
    def made():
        return np.frombuffer(np.arange(3).tobytes(), np.int64)

    assert made().tolist() == [0, 1, 2]
    assert not made().flags.writeable

    @njit
    def set_first(b):
        np.frombuffer(b, np.uint8)[0] = 7

    memory = bytearray(3)
    set_first(memory)
    assert memory[0] == 7


@pytest.mark.parametrize("a", [A, M, M.T, M[::2, ::2], np.array(2.5), A > 2, A.astype("c8")])
def test_tobytes_and_tolist(a):
    def f(a):
        return a.tobytes(), a.tobytes(order="F")

    def items(a):
        return a.tolist()

    assert_same(f, a)
    assert njit(items)(a) == a.tolist()


@pytest.mark.parametrize(
    "value, dtype",
    [
        (np.int64(-1), np.uint64),
        (np.float64(1.5), np.int64),
        (np.float32(1.5), np.uint32),
        (np.uint8(200), np.int8),
        (np.int32(7), np.float32),
        (np.complex64(1 + 2j), np.uint64),
    ],
)
def test_view_of_a_number(value, dtype):
    def f(x):
        return x.view(dtype)

    assert_same(f, value)
    with pytest.raises(TypingError, match="only supported if the itemsize is unchanged"):
        njit(lambda x: x.view(np.int16))(value)


def test_itemset():
    @njit
    def f(a, m, z):
        a.itemset(1, 9)
        m.itemset((1, 2), 8)
        m.itemset(0, 1, 7)
        z.itemset(6)

    a, m, z = A.copy(), M.copy(), np.array(0.0)
    f(a, m, z)
    assert (a[1], m[1, 2], m[0, 1], z[()]) == (9, 8, 7, 6)


def test_parts_of_complex_numbers_are_targets():
    def f(a, x):
        a.real = 3
        a.imag = x

    assert_same(f, np.array([1 + 1j, 2 + 2j]), np.array([5.0, 6.0]))


def test_attributes_of_dtypes_and_flags():
    def f(a):
        return a.dtype.name, a.dtype.char, a.flags.writeable, a.flat.copy()

    for a in A, M.astype(np.int32).T, A > 2:
        assert_same(f, a)


LAID_OUT = [A, A[::2], A[:1], M, M.T, M[:, ::2], np.asfortranarray(M)[::2], np.zeros((0, 3)).T]


@pytest.mark.parametrize("a", LAID_OUT, ids=range(len(LAID_OUT)))
def test_flags_by_name(a):
    def f(a):
        flags = a.flags
        return (
            (flags["C_CONTIGUOUS"], flags["F_CONTIGUOUS"], flags["WRITEABLE"], flags["ALIGNED"]),
            (flags["C"], flags["F"], flags["W"], flags["A"], flags["FNC"], flags["FORC"]),
            (flags["BEHAVED"], flags["CARRAY"], flags["FARRAY"], flags["B"], flags["CA"]),
            (flags.fnc, flags.forc, flags.behaved, flags.carray, flags.farray, flags.aligned),
        )

    assert_same(f, a)
    locked = a.view()
    locked.flags.writeable = False
    assert_same(f, locked)


def test_unknown_flags():
    with pytest.raises(KeyError, match="Unknown flag"):
        njit(lambda a: a.flags["ROUND"])(A)


@pytest.mark.parametrize("code", "? b B h H i I l L f d F D <M8[s] <m8[D] S3 U5".split())
def test_texts_of_dtypes(code):
    def f(a):
        t = a.dtype
        return str(t), repr(t), f"{t}", t.name, t.str, t.kind, t.itemsize

    assert_same(f, np.zeros(2, code))


@pytest.mark.parametrize("x", [1, 2.5, 1j, True, "s", b"s", (1, 2), None, [1.0], A, A + 1j, A > 1])
def test_kinds_of_values(x):
    def f(x):
        return np.isscalar(x), np.iscomplexobj(x), np.isrealobj(x)

    assert_same(f, x)


def test_asarray_chkfinite():
    def f(x):
        return np.asarray_chkfinite(x)

    def of_dtype(x):
        return np.asarray_chkfinite(x, np.float64)

    for x in A, np.arange(3), [1.0, 2.0], np.array([1.0, np.nan]), np.array([1.0, np.inf]):
        assert_same(f, x)
        assert_same(of_dtype, x)


def test_sequences_are_arrays():
    def f(x):
        return (
            np.sort(x), np.argsort(x), np.flip(x), np.flipud(x), np.roll(x, 1), np.round(x, 1),
            np.isclose(x, 1.0), np.isclose(1.0, x), np.allclose(x, x), np.array_split(x, 2),
        )  # fmt: skip

    def matrix():
        x = [[1, 2], [3, 4]]
        return np.trace(x), np.rot90(x), np.fliplr(x)

    assert_same(f, [3.0, 1.0, 2.0])
    assert_same(f, (3.0, 1.0, 2.0))
    assert_same(matrix)


def test_arange_by_keyword():
    def f(n):
        return np.arange(start=1, stop=n), np.arange(1, stop=n, step=2), np.arange(n, dtype="f4")

    assert_same(f, 5)


def test_nditer_of_several_arrays():
    def total(a, b):
        s = 0.0
        for x, y in np.nditer((a, b)):
            s = 2 * s + x.item() * y.item()
        return s

    def order(a):
        return [x.item() for x in np.nditer(a)]

    @njit
    def double(a, b):
        for x, y in np.nditer((a, b)):
            y[...] = 2 * x.item()

    assert_same(total, M, M + 1)
    assert_same(total, M, A[:4])
    assert_same(total, M, 3.0)
    assert_same(total, np.asfortranarray(M), np.asfortranarray(M))
    assert_same(order, np.asfortranarray(M))
    b = np.zeros((3, 4))
    double(M, b)
    assert np.array_equal(b, 2 * M)


def test_shared_memory():
    def f(a, b):
        return np.may_share_memory(a, b), np.shares_memory(a, b)

    x = np.arange(24.0).reshape(4, 6)
    small, raw = x.view("i4").reshape(4, 12), x.view("u1").reshape(-1)
    pairs = [
        (x, x), (x, x[1:]), (x[:2], x[2:]), (x[:, ::2], x[:, 1::2]), (x[:, ::2], x[:, ::3]),
        (x[::-1], x[3:]), (x.T, x[0]), (x, np.ones(3)), (x[:0], x), (small[:, ::2], x[:, ::2]),
        (small[:, 1::4], x[:, 1::2]), (raw[3:4], x[0, ::2]), (raw[9:10], x[0, ::2]),
        (np.array(3.0), x), (x[0, 0], x),
    ]  # fmt: skip
    for a, b in pairs:
        assert njit(f)(a, b) == f(a, b)
        assert njit(f)(b, a) == f(b, a)
