"""Joining, splitting, moving, repeating and picking parts of arrays."""

import itertools

import numpy as np
import pytest
from language.arrays import DTYPES, layouts, values
from language.support import assert_same, check_same, compiled
from numjit import njit
from numjit.errors import NumbaError

A = values((3, 4))
CUBE = values((2, 3, 4))
LINE = values(6)
I = np.array([2, 0, -1, 1])


def program(text, names):
    scope = {"np": np}
    exec(f"def f({', '.join(names)}):\n    return {text}\n", scope)
    return scope["f"]


def check(text, **arguments):
    """As assert_same; where NumPy raises, the compiler may refuse."""
    f, values = program(text, arguments), arguments.values()
    try:
        assert_same(f, *values)
    except NumbaError as error:
        try:
            f(*values)
        except Exception:
            return
        raise error


def check_layouts(text, a, **arguments):
    for each in layouts(a):
        check(text, a=each, **arguments)


JOINS = [
    "np.concatenate((a, a))",
    "np.concatenate((a, a[:1], a), axis=0)",
    "np.concatenate((a, a[:, :2]), axis=1)",
    "np.concatenate((a, a), axis=-1)",
    "np.concatenate((a, a[0]), axis=None)",
    "np.concatenate([a, a], axis=1)",
    "np.concatenate((a, a.astype(np.int32)), 1)",
    "np.concatenate((a, a), dtype=np.float32)",
    "np.concatenate((a, a), axis=n)",
    "np.concatenate((a, a[0]))",
    "np.concatenate((a, a[:2]), axis=1)",
    "np.concatenate((a, a), axis=n + 2)",
    "np.concatenate(a)",
    "np.stack((a, a))",
    "np.stack((a, a * 2, a), axis=1)",
    "np.stack((a, a), axis=-1)",
    "np.stack([a, a], axis=n)",
    "np.stack((a, a[:2]))",
    "np.vstack((a, a[0]))",
    "np.vstack((a[0], a[1], a[2]))",
    "np.hstack((a, a))",
    "np.hstack((a[0], a[1, :2]))",
    "np.hstack((1, 2.5, a[0]))",
    "np.dstack((a, a))",
    "np.dstack((a[0], a[1]))",
    "np.column_stack((a, a[:, 0]))",
    "np.column_stack((a[0], a[1]))",
    "np.append(a, a[0])",
    "np.append(a, 5)",
    "np.append(a, a, axis=0)",
    "np.append(a, [[1.0, 2.0, 3.0, 4.0]], 0)",
]


@pytest.mark.parametrize("text", JOINS)
def test_join(text):
    check_layouts(text, A, n=1)


def test_layouts_of_joined_arrays():
    """In the order of memory that NumPy chooses where all operands have one."""

    def f(a, b, n):
        rows, columns = np.concatenate((a, b), 0), np.concatenate((a, a), axis=n)
        return rows, columns, np.vstack((a, b)), np.hstack((a, a)), np.append(a, b, 0)

    compiled = njit(f)
    for shape in (3, 4), (2, 3, 4):
        c = np.arange(float(np.prod(shape))).reshape(shape)
        for a in c, np.asfortranarray(c), c.T:
            for b in a, np.ascontiguousarray(a):
                for n in -1, 1:
                    for made, expected in zip(compiled(a, b, n), f(a, b, n), strict=True):
                        assert np.array_equal(made, expected)
                        assert made.strides == expected.strides


def test_join_into():
    def f(a, out):
        r = np.concatenate((a, a), 0, out)
        np.stack((a, a), out=out.reshape((2, 3, 4)))
        return r

    assert_same(f, A, np.zeros((6, 4)))
    assert_same(f, A, np.zeros((6, 5)))


def test_join_long_rows():
    def f(a, b):
        return np.concatenate((a, b), 1), np.stack((a, a), 2), np.vstack((a, a)), np.hstack((b, a))

    assert_same(f, values((5, 100)), values((5, 33)))


def test_join_every_dtype():
    def f(a, b):
        return np.concatenate((a, b)), np.stack((a, a)), np.append(a, b)

    for dtype in DTYPES:
        assert_same(f, values(5, dtype), values(4, dtype))
        assert_same(f, values(5, dtype), values(4, np.float32))


MOVES = [
    "np.expand_dims(a, 0)",
    "np.expand_dims(a, -1)",
    "np.expand_dims(a, (0, 2))",
    "np.expand_dims(a, n)",
    "np.squeeze(a[:, None], 1)",
    "np.squeeze(a[None, :, None], axis=(0, 2))",
    "a[None].squeeze(axis=0)",
    "np.squeeze(a, n)",
    "np.swapaxes(a, 0, 1)",
    "a.swapaxes(-1, 0)",
    "np.swapaxes(a, n, 0)",
    "np.swapaxes(a, n, 5)",
    "np.transpose(a)",
    "np.transpose(a, (1, 0))",
    "np.transpose(a, (-1, 0))",
    "np.transpose(a, (n, 1))",
    "np.atleast_1d(a, a[0, 0], a[0])",
    "np.atleast_2d(a[0])",
    "np.atleast_3d(a, a[0], 3.0)",
    "np.ravel(a)",
    "np.ravel(a, 'F')",
    "a.ravel('F')",
    "a.flatten('F')",
    "np.reshape(a, (2, 6))",
    "np.reshape(a, (2, -1), order='F')",
    "a.reshape(4, 3, order='F')",
    "a.reshape(-1)",
    "np.reshape(a, n + 11)",
    "a.reshape((5, 2))",
    "np.flip(a)",
    "np.flip(a, 0)",
    "np.flip(a, (0, 1))",
    "np.flip(a, n)",
    "np.flipud(a)",
    "np.fliplr(a)",
    "np.rot90(a)",
    "np.rot90(a, 2)",
    "np.rot90(a, n - 2, (1, 0))",
    "np.rot90(a, 0)",
    "np.roll(a, 2)",
    "np.roll(a, -5)",
    "np.roll(a, 1, axis=0)",
    "np.roll(a, n, axis=1)",
    "np.roll(a, 1, axis=n)",
    "np.roll(a, (1, 2), axis=(0, 1))",
    "np.roll(a, 1, axis=(0, 1))",
    "np.shape(a), np.ndim(a), np.size(a), np.size(a, 1), np.shape(3.0)",
    "a.astype(np.int32, order='F'), a.astype(np.float64, copy=False)",
]


@pytest.mark.parametrize("text", MOVES)
def test_move(text):
    check_layouts(text, A, n=1)


CUBES = [
    "np.moveaxis(a, 0, -1)",
    "np.moveaxis(a, 2, 0)",
    "np.moveaxis(a, (0, 1), (2, 0))",
    "np.moveaxis(a, n, 0)",
    "np.rollaxis(a, 2)",
    "np.rollaxis(a, 0, 3)",
    "np.swapaxes(a, 0, 2)",
    "np.transpose(a, (2, 0, 1))",
    "a.transpose(1, 2, 0)",
    "np.matrix_transpose(a)",
    "np.flip(a, (0, 2))",
    "np.rot90(a, 1, (1, 2))",
    "np.roll(a, 3, axis=1)",
    "np.repeat(a, 2, axis=1)",
    "np.take(a, [1, 0], axis=1)",
    "np.take(a, [1, 0], axis=n)",
    "np.concatenate((a, a), axis=n)",
    "np.stack((a, a), axis=2)",
    "np.delete(a, 1, axis=1)",
    "np.insert(a, 1, 5, axis=2)",
    "np.diagonal(a)",
    "np.diagonal(a, 1, 0, 2)",
    "a.diagonal(-1, 1, 2)",
    "np.tril(a)",
    "np.triu(a, 1)",
    "np.expand_dims(a, (0, -1))",
    "np.dstack((a, a))",
    "np.tile(a, 2)",
    "np.broadcast_to(a, (2, 2, 3, 4))",
]


@pytest.mark.parametrize("text", CUBES)
def test_cube(text):
    check_layouts(text, CUBE, n=1)


PICKS = [
    "np.repeat(a, 2)",
    "np.repeat(a, n)",
    "np.repeat(a, 3, axis=0)",
    "np.repeat(a, 2, axis=n)",
    "a.repeat([1, 0, 2], axis=0)",
    "np.repeat(a, [1, 2], axis=0)",
    "np.repeat(a, -1)",
    "np.repeat(7, 3)",
    "np.tile(a, 2)",
    "np.tile(a, (2, 1))",
    "np.tile(a, (2, 1, 3))",
    "np.tile(a[0], 3)",
    "np.tile(a, (0, 2))",
    "np.tile(a[0], (2, 2))",
    "np.resize(a, (2, 3))",
    "np.resize(a, (5, 5))",
    "np.resize(a[:0], 3)",
    "np.take(a, 5)",
    "np.take(a, i)",
    "np.take(a, i, axis=0)",
    "np.take(a, 1, axis=1)",
    "np.take(a, i[:2].reshape((1, 2)), axis=1)",
    "np.take(a, [[1, 2], [3, 4]])",
    "a.take(i, 1)",
    "np.take(a, i * 9, mode='wrap')",
    "np.take(a, i * 9 - 4, mode='clip')",
    "np.take(a, [1, 7], axis=0)",
    "np.take(a, i, axis=n)",
    "np.compress([True, False, True], a, axis=0)",
    "np.compress(a[0] > 0, a, axis=1)",
    "np.compress([False, True], a)",
    "a.compress([False, True], axis=1)",
    "np.extract(a > 0, a)",
    "np.nonzero(a)",
    "a.nonzero()",
    "np.nonzero(a > 1)[0]",
    "np.argwhere(a > 1)",
    "np.flatnonzero(a)",
    "np.take_along_axis(a, i.reshape((1, 4)) % 3, axis=0)",
    "np.take_along_axis(a, i.reshape((1, 4)) % 3, 1)",
    "np.take_along_axis(a, i, None)",
    "np.delete(a, 1)",
    "np.delete(a, -1, axis=0)",
    "np.delete(a, [0, 2], axis=1)",
    "np.delete(a, slice(1, 3), axis=1)",
    "np.delete(a, a[0] > 0, 1)",
    "np.delete(a, 3, axis=0)",
    "np.delete(a, n, axis=n)",
    "np.insert(a, 2, 9.0)",
    "np.insert(a, 1, 9.0, axis=0)",
    "np.insert(a, 1, a[:, 0], axis=1)",
    "np.insert(a, -1, a[0], axis=0)",
    "np.insert(a, n, a[:2], axis=0)",
    "np.insert(a, 9, 1.0, axis=0)",
    "np.select([a > 3, a < 0], [a, a * 2], 7)",
    "np.select((a > 3, a < 0), (a, 1))",
    "np.choose(i % 2, (i, a[0]))",
    "np.clip(a, -1, 2)",
    "np.clip(a, None, 2)",
    "np.clip(a, a_min=0, a_max=a[0])",
    "np.clip(a, max=1.5)",
    "a.clip(0, 1)",
    "a.clip(min=0)",
    "np.clip(n, 2, 3), np.clip(0.5, 0.0, 0.25)",
    "np.clip(np.where(a > 0, np.nan, a), 0, 1)",
    "np.trim_zeros(np.where(a[0] > 2, a[0], 0))",
    "np.trim_zeros(np.array([0, 0, 1, 0, 2, 0]), 'f')",
    "np.trim_zeros(np.array(['', 'a', '', 'b', '']))",
    "np.flip(a[0, 0])",
    "(np.hanning(3.4), np.hamming(3.5), np.blackman(2.6), np.bartlett(4.5), np.kaiser(3.5, 2.0))",
    "np.unravel_index(7, a.shape)",
    "np.unravel_index(i + 1, a.shape)",
    "np.unravel_index(i + 1, a.shape, order='F')",
    "np.unravel_index(12, a.shape)",
    "np.ravel_multi_index((1, 2), a.shape)",
    "np.ravel_multi_index((i % 3, i % 4), a.shape)",
    "np.ravel_multi_index((i, i), a.shape, mode='wrap')",
    "np.ravel_multi_index((i % 3, i % 4), a.shape, order='F')",
    "np.ravel_multi_index((5, 2), a.shape)",
]


@pytest.mark.parametrize("text", PICKS)
def test_pick(text):
    check_layouts(text, A, i=I, n=1)


@pytest.mark.parametrize(
    "text",
    [
        "np.insert(a, i, 9.0)",
        "np.insert(a, [1, 1, 3], [7.0, 8.0, 9.0])",
        "np.insert(a, slice(0, 4, 2), 1.5)",
        "np.insert(a, [0, 9], 1.0)",
        "np.union1d(a, b)",
        "np.intersect1d(a, b)",
        "np.setdiff1d(a, b)",
        "np.setxor1d(a, b)",
        "np.isin(a, b)",
        "np.isin(a, b, invert=True)",
        "np.isin(a, [1.0, 2.0])",
    ],
)
def test_with_sorting(text):
    check(text, a=values(8), b=values(5) + 1.5, i=I)


BROADCASTS = [
    "np.broadcast_to(a, (2, 3, 4))",
    "np.broadcast_to(a[0], (3, 4))",
    "np.broadcast_to(5, 3)",
    "np.broadcast_to(a, (3, 3))",
    "np.broadcast_to(a, (4,))",
    "np.broadcast_arrays(a, a[0], a[:, :1])",
    "np.broadcast_arrays(a, a[:2])",
    "np.broadcast_shapes((3, 1), (1, 4), 4)",
    "np.broadcast_shapes(a.shape, (2, 1, 1))",
    "np.broadcast_shapes(a.shape, (5,))",
    "np.array_equal(a, a), np.array_equal(a, a[0]), np.array_equal(a, a + 1)",
    "np.array_equal(a, a * np.nan), np.array_equal(a * np.nan, a * np.nan, equal_nan=True)",
    "np.array_equiv(a, a), np.array_equiv(a, a[0]), np.array_equiv(a[0], a[:2])",
    "np.isclose(a, a + 1e-9)",
    "np.isclose(a, a[0], rtol=0.5)",
    "np.isclose(1.0, 1.0 + 1e-9), np.isclose(np.inf, np.inf), np.isclose(np.nan, 1.0)",
    "np.isclose(a / 0, a / 0, equal_nan=True)",
    "np.allclose(a, a + 1e-9), np.allclose(a, a + 1)",
]


@pytest.mark.parametrize("text", BROADCASTS)
def test_broadcast(text):
    check_layouts(text, A, n=1)


SPLITS = [
    "np.split(a, 2)",
    "np.split(a, 4, axis=1)",
    "np.split(a, [1, 2], axis=1)",
    "np.split(a, (1, 3))",
    "np.split(a, 3, axis=n)",
    "np.split(a, 5)",
    "np.array_split(a, 3)",
    "np.array_split(a, 3, axis=1)",
    "np.array_split(a, [1, -1], 1)",
    "np.hsplit(a, 2)",
    "np.vsplit(a, 2)",
    "np.array_split(a, 0)",
]


@pytest.mark.parametrize("text", SPLITS)
def test_split(text):
    check_layouts(text, values((4, 4)), n=0)


def test_dsplit():
    check("np.dsplit(a, 2)", a=CUBE)
    check("np.hsplit(a, 3)", a=CUBE)


PUTS = {
    "put": "np.put(a, i, [5.0, 6.0])",
    "put method": "a.put(i, 3.5)",
    "put outside": "np.put(a, [0, 50], 1.0)",
    "put clip": "np.put(a, [0, 50], [1.0, 2.0], mode='clip')",
    "put wrap": "np.put(a, [0, 50], [1.0, 2.0], mode='wrap')",
    "put itself": "np.put(a, [3, 0, 1, 2], a)",
    "place": "np.place(a, a > 1, [7.0, 8.0])",
    "putmask": "np.putmask(a, a > 1, [7.0, 8.0, 9.0])",
    "put_along_axis": "np.put_along_axis(a, i.reshape((1, 4)) % 3, 99.0, axis=0)",
    "put_along_axis of arrays": "np.put_along_axis(a, i.reshape((1, 4)) % 3, a[:1] + 50, 0)",
    "copyto": "np.copyto(a, a[0])",
    "copyto scalar": "np.copyto(a, 3)",
    "copyto where": "np.copyto(a, a[::-1], where=a > 0)",
    "copyto scalar where": "np.copyto(a, 3.0, where=a[0] > 0)",
    "fill_diagonal": "np.fill_diagonal(a, 7)",
    "fill_diagonal array": "np.fill_diagonal(a, [7, 8])",
    "flat": "a.flat = 3",
    "flat array": "a.flat = [1.0, 2.0, 3.0]",
    "flat item": "a.flat[5] = 3",
    "flat slice": "a.flat[2:9:3] = [1.0, 2.0]",
    "flat indices": "a.flat[[3, 1]] = 8",
}


def copy_as(casting):
    names = {"np": np}
    exec(f"def f(a, b):\n    np.copyto(a, b, casting={casting!r})\n    return a", names)
    return names["f"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
@pytest.mark.filterwarnings("ignore:Casting complex values")
def test_copyto_converts_arrays_as_casting_says(casting, dtype):
    for source in DTYPES:
        value = values(3, source)
        if source.kind in "fc" and dtype.kind == "u":  # C leaves negative ones undefined
            value = abs(value)
        try:
            expected = copy_as(casting)(np.zeros(3, dtype), value)
        except TypeError:
            with pytest.raises(TypeError):
                njit(copy_as(casting))(np.zeros(3, dtype), value)
        else:
            got = njit(copy_as(casting))(np.zeros(3, dtype), value)
            np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.filterwarnings("ignore:Casting complex values")
def test_copyto_of_numbers_where_nothing_is_checked(dtype):
    for value in ("-7.5", "300.7", "2.5j", "5", "True", "np.float64(-7.5)", "x", "x + 1j"):
        names = {"np": np}
        exec(f"def f(a, x):\n    np.copyto(a, {value}, casting='unsafe')\n    return a", names)
        is_undefined = dtype == np.uint64 and value in ("-7.5", "np.float64(-7.5)", "x", "x + 1j")
        if not is_undefined and (dtype.itemsize > 1 or value != "300.7"):
            assert_same(names["f"], np.zeros(3, dtype), -2.5)


@pytest.mark.parametrize("case", PUTS)
def test_put(case):
    scope = {"np": np}
    exec(f"def f(a, i):\n    {PUTS[case]}\n", scope)
    for a in layouts(A):
        assert_same(scope["f"], a, I)


def test_fill_diagonal_wraps():
    def f(a):
        np.fill_diagonal(a, 5, wrap=True)

    assert_same(f, np.zeros((7, 3)))
    assert_same(f, np.zeros((3, 3)))


def test_flat_is_read_by_slices_and_arrays():
    def f(a, i):
        return a.flat[2:7], a.flat[i], a.flat[-1]

    for a in layouts(A):
        assert_same(f, a, I)


def test_walks():
    def f(a):
        s = 0.0
        for index, x in np.ndenumerate(a):
            s += x * (index[0] * 10 + index[1])
        for i, j in np.ndindex(a.shape):
            s += a[i, j] * i
        for i, j in np.ndindex(2, 3):
            s = s * 2 + a[i, j]
        for x in np.nditer(a):
            s += x.item() ** 2
        for k in np.ndindex(3):
            s += k[0]
        return s

    for a in layouts(A):
        assert_same(f, a)

    def g(a):
        n = 0
        for index in np.ndindex(a.shape):
            n += 1
        for index, x in np.ndenumerate(a):
            n += 10
        return n

    for shape in ((), (0,), (2, 0), (2, 3, 2)):
        assert_same(g, np.ones(shape))


def test_walks_in_handlers_and_functions():
    def f(a, k):
        found = []
        try:
            for index, x in np.ndenumerate(a):
                found.append(index)
                if 10 // (int(x) - k) == 5:
                    break
            for i, j in np.ndindex(a.shape):
                found.append((i, 10 // (j - 1)))
        except ZeroDivisionError:
            found.append((-1, k))
        return found

    def g(a):
        def total(walk):
            s = 0.0
            for x in walk:
                s = s * 2 + x
            return s

        for row, x in zip(a, a.flat):
            row[0] += x
        return total(a.flat), total(a[::-1].flat), [i for (i,) in np.ndindex(3)], list(a.T.flat)

    for k in (1, 5, 100):
        assert_same(f, np.arange(6.0).reshape(2, 3), k)
    for a in layouts(A):
        assert_same(g, a)


def test_flat_sees_what_the_loop_writes():
    def f(a):
        s = 0.0
        for x in a.flat:
            a.flat[-1] = 7.0
            s += x
        return s, a.flat[a.size - 1]

    for a in layouts(A):
        assert_same(f, a)


def test_results_are_copies():
    def f(a, i):
        b = np.concatenate((a,))
        c = np.roll(a, 0)
        d = np.tile(a, 1)
        e = np.repeat(a, 1)
        g = np.take(a, i)
        b[0] = c[0] = d[0] = e[0] = g[0] = 100
        return a

    assert_same(f, LINE, I)


def test_results_are_views():
    def f(a):
        np.flip(a)[0] = 1
        np.expand_dims(a, 0)[0, 1] = 2
        np.split(a, 2)[1][0] = 3
        np.atleast_2d(a)[0, 4] = 4
        return a

    assert_same(f, LINE)


def test_every_dtype():
    def f(a, i):
        return (
            np.roll(a, 1), np.tile(a, 2), np.repeat(a, 2), np.take(a, i), np.flip(a),
            np.nonzero(a), np.delete(a, 0), np.clip(a, a[1], a[2]), np.diag(a),
        )  # fmt: skip

    for dtype in DTYPES:
        if np.dtype(dtype).kind == "c":
            continue  # clip orders complex numbers
        assert_same(f, values(6, dtype), I)


def test_refused():
    for text in (
        "np.squeeze(a[None, None, None, :2])",
        "np.take(a, 0.5)",
        "np.concatenate((a, 'x'))",
    ):
        with pytest.raises(NumbaError):
            njit(program(text, ["a"]))(A)


def test_broadcast_to_is_readonly():
    def f(a):
        b = np.broadcast_to(a, (2, 4))
        b[0, 0] = 1

    with pytest.raises(NumbaError):
        compiled(f)(values(4))


WRONG_AXES = [
    "np.moveaxis(a, 0, 5)", "np.swapaxes(a, 0, 5)", "a.transpose(0, 2)", "np.transpose(a, (1, 2))",
    "np.flip(a, 5)", "a.sum(axis=5)", "np.max(a, -3)", "np.cumsum(a, axis=5)",
    "np.argmax(a, axis=5)",
    "np.count_nonzero(a, axis=2)", "np.concatenate((a, a), 5)", "np.stack((a, a), 5)",
    "np.expand_dims(a, 5)", "np.take(a, 0, 7)", "np.repeat(a, 2, 7)", "np.delete(a, 1, 7)",
    "np.sort(a, 5)", "np.diff(a, axis=4)", "np.sum(a, axis=(0, 5))",
    "np.sum(a, k)", "np.roll(a, 1, k)",
]  # fmt: skip


@pytest.mark.parametrize("text", WRONG_AXES)
def test_wrong_axes_raise_when_called(text):
    f = program(text, "ak")
    with pytest.raises(np.exceptions.AxisError) as expected:
        f(A, 7)
    with pytest.raises(np.exceptions.AxisError) as info:
        njit(f)(A, 7)
    assert str(expected.value).endswith(str(info.value))


AS_ARRAYS = [
    "np.argwhere([0, 1, 2])", "np.argwhere(5)", "np.flatnonzero([1, 0, 2])", "np.where([0, 1, 2])",
    "np.partition([3, 1, 2], 1)", "np.argpartition([3, 1, 2], 1)", "np.arange(np.uint8(3))",
    "np.arange(0j, 3 + 2j)", "np.bincount(a > 0)", "np.tri(-2)", "np.tri(2, -1)",
    "np.insert(a, [1], [7, 8, 9])", "np.partition(a[:0], 0)", "np.nan_to_num(a, copy)",
    "np.convolve(a, a, mode)", "np.arange(6).reshape(-2)", "np.arange(6).reshape(3, -2)",
    "np.moveaxis(a.reshape(1, 2, 3), (0, source), (2, 1))",
]  # fmt: skip


@pytest.mark.parametrize("text", AS_ARRAYS)
def test_unusual_arguments(text):
    f = program(text, ["a", "copy", "mode", "source"])
    assert_same(f, LINE, False, "same", 1)


MISUSED = [
    ("np.sort(a, kind='foo')", ValueError), ("a.argsort(kind='foo')", ValueError),
    ("np.hstack(())", ValueError), ("np.stack(())", ValueError),
    ("np.cov(a, ddof=1.5)", ValueError),
    ("np.convolve(a, a, 'foo')", ValueError), ("np.broadcast_shapes((-1,))", ValueError),
    ("np.zeros((2**40, 2**40))", ValueError), ("np.random.choice(a.reshape(2, 3))", ValueError),
    ("np.fill_diagonal(np.ones((2, 2), np.int64), np.nan)", ValueError),
    ("np.lib.stride_tricks.sliding_window_view(a.reshape(2, 3), 2)", ValueError),
    ("np.linalg.matrix_power(np.ones((2, 2)), 1.5)", TypeError),
    ("a.reshape(2, 3).T.view(np.int32)", ValueError),
]  # fmt: skip


@pytest.mark.parametrize("text, error", MISUSED)
def test_misuse(text, error):
    f = program(text, "a")
    for g in f, njit(f):
        with pytest.raises(error):
            g(LINE.copy())


@pytest.mark.parametrize("join", ["concatenate", "stack", "vstack", "hstack"])
def test_casting_of_what_is_joined(join):
    function, a = getattr(np, join), np.array([[1.7, -2.2]])

    def unsafe(a):
        return function((a, a + 1), dtype=np.int32, casting="unsafe")

    assert_same(unsafe, a)
    assert_same(unsafe, a.T)
    with pytest.raises(NumbaError, match="according to the rule 'same_kind'"):
        njit(lambda a: function((a, a), dtype=np.int32))(a)


def test_several_new_axes_that_are_known_at_run_time():
    def f(a, i, j):
        return np.expand_dims(a, (i, j))

    new = njit(f)
    for a in (np.array(3.0), LINE[::-2], A, A.T, np.zeros((0, 2), np.int8)):
        for i, j in itertools.product(range(-a.ndim - 3, a.ndim + 3), repeat=2):
            try:
                expected = f(a, i, j)
            except ValueError as error:  # AxisError is one
                with pytest.raises(type(error)):
                    new(a, i, j)
                continue
            check_same(new(a, i, j), expected)
