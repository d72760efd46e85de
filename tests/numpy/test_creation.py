"""Functions that make arrays: filled ones, sequences of numbers, grids, diagonals."""

import itertools

import numpy as np
import pytest
from language.arrays import DTYPES, layouts, values
from language.support import assert_same, compiled
from numjit import njit
from numjit.errors import NumbaError

A = values((3, 4))
V = values(4)


def check(text, **arguments):
    """The expression gives what it gives in the interpreter; None where one of both refuses it."""
    scope = {"np": np}
    exec(f"def f({', '.join(arguments)}):\n    return {text}\n", scope)
    f, values = scope["f"], arguments.values()
    try:
        return assert_same(f, *values, rtol=1e-14)
    except NumbaError as error:
        try:
            f(*values)
        except Exception:
            return None
        raise error


FILLED = [
    "np.ones(n), np.ones((n, 2), np.int32), np.ones((2, n), dtype='f4', order='F')",
    "np.zeros(n), np.zeros((n, n), np.bool_), np.zeros((), np.complex64)",
    "np.empty((n, 2), np.int8).shape, np.empty(n).dtype == np.float64",
    "np.full(n, 7), np.full((n, 2), 1.5), np.full(n, 3, dtype=np.float32), np.full((), True)",
    "np.full((2, 3), [1, 2, 3]), np.full((2, 3), v[:3], np.int64)",
    "np.zeros_like(a), np.zeros_like(a, np.int8), np.zeros_like(a, shape=(2,))",
    "np.ones_like(a), np.ones_like(a, dtype=np.bool_), np.ones_like(5), np.ones_like([1, 2])",
    "np.full_like(a, 3), np.full_like(a, 2.9, np.int64), np.full_like(a, v)",
    "np.empty_like(a).shape, np.empty_like(a, np.int16, shape=n).shape, np.zeros_like(2.5)",
    "np.full(n, np.nan), np.full((n,), 1j), np.full(n, -1, np.int8)",
    "np.ones(-1)",
    "np.zeros((n, -1))",
]


@pytest.mark.parametrize("text", FILLED)
def test_filled(text):
    for a in layouts(A):
        check(text, a=a, v=V, n=3)


SEQUENCES = [
    "np.arange(n), np.arange(2, n), np.arange(n, 0, -2), np.arange(0), np.arange(5, 2)",
    "np.arange(2.5), np.arange(1, 2, 0.25), np.arange(1.0, 0, -0.3), np.arange(0, 1, 0.1)",
    "np.arange(n, dtype=np.float32), np.arange(0, n, 2, dtype=np.int8)",
    "np.arange(1, step=0.5), np.arange(3, stop=9), np.arange(x), np.arange(-x, x)",
    "np.linspace(0, 1), np.linspace(0, 1, 5), np.linspace(x, 2 * x, n)",
    "np.linspace(0, 1, 5, endpoint=False), np.linspace(5, 1, 1), np.linspace(0, 1, 0)",
    "np.linspace(0, 10, 4, dtype=np.int64), np.linspace(0, 1, 3, dtype=np.float32)",
    "np.linspace(0, 1, 5, retstep=True), np.linspace(0, 1, 4, False, True)",
    "np.linspace(1j, 2, 3), np.linspace(2, 2, 3), np.linspace(-1, 0, 7)",
    "np.linspace(0, 1, -n)",
    "np.logspace(0, 2, 5), np.logspace(1, 3, 4, base=2), np.logspace(0, 1, 3, endpoint=False)",
    "np.geomspace(1, 1000, 4), np.geomspace(1, 256, 9), np.geomspace(-1, -8, 4)",
    "np.geomspace(2.0, 32.0, 4, endpoint=False), np.geomspace(0, 1)",
]


@pytest.mark.parametrize("text", SEQUENCES)
def test_sequences(text):
    check(text, n=6, x=2.75)


COPIES = [
    "np.array([1, 2, 3]), np.array([1, 2.5]), np.array((1, 2), np.float32), np.array([True])",
    "np.array([[1, 2], [3, 4]]), np.array(((1, 2.0), (3, 4))), np.array([(1, 2), (3, 4)])",
    "np.array([[[1], [2]], [[3], [4]]]), np.array([a[0], a[1]]), np.array([a, a * 2])",
    "np.array(3), np.array(2.5, dtype=np.int64), np.array([1, 2], dtype=np.complex64)",
    "np.array(a), np.array(a, np.int64), np.array(a, ndmin=3), np.array([1, 2], ndmin=2)",
    "np.array(a, order='F'), np.array(a, copy=False), np.array(a, dtype='f4', order='C')",
    "np.asarray(a), np.asarray(a, np.float32), np.asarray(5), np.asarray([[1, 2]], np.int8)",
    "np.asarray(a, order='F'), np.asarray(a, order='C')",
    "np.copy(a), np.copy(a, order='F'), a.copy(), a.copy('F'), np.copy(3)",
    "np.ascontiguousarray(a), np.ascontiguousarray(a, np.int64), np.ascontiguousarray(2)",
    "np.asfortranarray(a), np.asfortranarray(a, dtype=np.float32)",
    "np.array([[1, 2], [3]])",
    "np.array([a, a[:2]])",
]


@pytest.mark.parametrize("text", COPIES)
def test_copies(text):
    for a in layouts(A):
        check(text, a=a)


def test_order_of_results():
    def f(a):
        return (
            np.asfortranarray(a), np.ascontiguousarray(a), np.zeros_like(a), np.array(a),
            np.copy(a), a.copy(), a.astype(np.float32), np.asarray(a, order="F"),
        )  # fmt: skip

    for a in (A, np.asfortranarray(A)):
        for mine, theirs in zip(compiled(f)(a), f(a)):
            assert mine.flags.f_contiguous == theirs.flags.f_contiguous
            assert mine.flags.c_contiguous == theirs.flags.c_contiguous


def test_what_is_copied():
    def f(a):
        b, c, d = np.asarray(a), np.array(a), np.ascontiguousarray(a)
        b[0] += 1
        c[0] += 10
        d[0] += 100
        return a

    assert_same(f, V)


DIAGONALS = [
    "np.eye(3), np.eye(2, 4), np.eye(4, 3, 1), np.eye(3, k=-1), np.eye(n, dtype=np.int8)",
    "np.eye(2, 3, order='F'), np.eye(3, k=5), np.eye(0), np.identity(3), np.identity(n, bool)",
    "np.diag(v), np.diag(v, 1), np.diag(v, -2), np.diag([1, 2])",
    "np.diag(a), np.diag(a, 1), np.diag(a, -1), np.diag(a, 9), np.diag(a, -9)",
    "np.diagflat(a), np.diagflat(v, 1), np.diagonal(a), a.diagonal(1)",
    "np.tri(3), np.tri(3, 5), np.tri(3, 4, 1), np.tri(3, k=-1, dtype=np.int64), np.tri(2, 2, -9)",
    "np.tril(a), np.tril(a, 1), np.tril(a, -1), np.triu(a), np.triu(a, 1), np.triu(a, -2)",
    "np.tril(v), np.triu(v, 1), np.tril(a, 9), np.triu(a, 9), np.tril(a, -9), np.triu(a, n)",
    "np.tril_indices(3), np.tril_indices(3, 1), np.tril_indices(3, -1, 4)",
    "np.triu_indices(3), np.triu_indices(3, 1), np.triu_indices(3, -1, 4)",
    "np.tril_indices_from(a), np.triu_indices_from(a, 1), np.diag_indices(3)",
    "np.diag_indices(2, 3), np.diag_indices_from(a[:, :3])",
    "np.vander(v), np.vander(v, 2), np.vander(v, 3, increasing=True), np.vander([1, 2, 3])",
    "np.diag_indices_from(a)",
]


@pytest.mark.parametrize("text", DIAGONALS)
def test_diagonals(text):
    for a in layouts(A):
        check(text, a=a, v=V, n=2)


GRIDS = [
    "np.meshgrid(v, v[:2]), np.meshgrid(v, v[:2], indexing='ij'), np.meshgrid(v)",
    "np.meshgrid(v, v[:2], v[:3]), np.meshgrid(v, v[:2], sparse=True)",
    "np.meshgrid(v, v[:2], v[:3], indexing='ij', sparse=True), np.meshgrid(v, v, copy=False)",
    "np.meshgrid(v, 3.0), np.meshgrid([1, 2], v)",
    "np.indices((2, 3)), np.indices((2, n), dtype=np.float32), np.indices((2, 3), sparse=True)",
    "np.ix_(v.astype(np.int64), np.arange(2)), np.ix_([1, 2], v > 0)",
]


@pytest.mark.parametrize("text", GRIDS)
def test_grids(text):
    check(text, v=V, n=2)


def test_limits():
    def f(a):
        i, s, d = np.iinfo(np.int8), np.finfo(np.float32), np.finfo(a.dtype)
        return (
            i.min, i.max, i.bits, np.iinfo(np.uint16).max, np.iinfo(np.int64).min,
            np.iinfo(np.uint64).max, s.eps, s.max, s.tiny, d.eps, d.max, d.min, d.bits, d.precision,
            np.iinfo(np.int32(3)).max, d.smallest_subnormal, np.pi, np.e, np.inf, np.euler_gamma,
        )  # fmt: skip

    assert_same(f, A)
    for text in ("np.iinfo(np.float64).max", "np.finfo(np.int64).eps"):
        assert check(text) is None


def test_dtypes():
    for dtype in DTYPES:

        def f(a, n):
            return (
                np.zeros_like(a), np.ones_like(a), np.full_like(a, 1), np.diag(a), np.array(a),
                np.tril(a), np.asarray(a, np.float64) if a.dtype.kind != "c" else a,
            )  # fmt: skip

        assert_same(f, values(4, dtype), 3)


def test_refused():
    def f(n):
        return np.zeros(n, "nothing")

    with pytest.raises(NumbaError):
        njit(f)(3)


def test_arange_with_none():
    def f(n):
        return np.arange(n, None), np.arange(n, step=None), np.arange(1, n, None)

    for n in (4, 2.5):
        for x, y in zip(njit(f)(n), f(n)):
            assert x.dtype == y.dtype and x.tolist() == y.tolist()


NAMES = [*"?bBhHiIlLqQpPefdFD", "<i2", "=f8", "|b1", "<c16", "float", "complex", "int", "bool"]


@pytest.mark.parametrize("name", NAMES)
def test_names_of_dtypes(name):
    f = eval(
        f"lambda a: (np.zeros(2, {name!r}), np.ones(2, dtype={name!r}), np.array([1, 0], {name!r}),"
        f" a.astype({name!r}), np.dtype({name!r}).itemsize, np.full((1, 2), 1, {name!r}))",
        {"np": np},
    )
    assert_same(f, np.arange(3))


def test_names_that_are_no_dtypes():
    for name in ("E", "x", ">f8"):
        with pytest.raises(NumbaError):
            njit(eval(f"lambda: np.zeros(2, {name!r})", {"np": np}))()


def test_ranges_of_floats_in_integers():
    """The step is the one between the first two elements, which lose their fractions."""

    def f(start, stop, step):
        return (
            np.arange(start, stop, step, dtype=np.int8),
            np.arange(start, stop, step, dtype=np.int64),
            np.arange(start, stop, step, dtype=np.uint16),
        )

    for start, stop, step in ((0.5, 8, 1.5), (2.5, 9.75, 0.5), (7.9, 0.1, -1.25), (3.5, 3.5, 1.0)):
        assert_same(f, start, stop, step)


def test_what_does_not_fit():
    def full(a):
        return np.full(2, 2.75, np.uint8), np.full_like(a, 300.5, np.int16)

    def fill(a):
        a.fill(-7.5)

    def largest(a):
        return a.max(initial=-7.5)

    a = np.array([3, 1], np.uint8)
    for f in (full, fill, largest):
        assert_same(f, a)
    for f in (full, fill, largest):
        assert_same(f, a.astype(np.int8))


MADE = ["zeros(n)", "empty(n, np.int8)", "ones(n, complex)", "full(n, 1)"]
EXTENTS = [1 << 62, (1 << 61) - 1, (1 << 58, 64), (1 << 40, 1 << 40), (0, -1)]


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("n", EXTENTS)
def test_arrays_beyond_memory(made, n):
    for code in (f"lambda n: np.{made}", "lambda: np." + made.replace("(n", f"({n!r}")):
        f = eval(code, {"np": np})
        args = (n,) * f.__code__.co_argcount
        with pytest.raises((ValueError, MemoryError)) as wanted:
            f(*args)
        kind = ValueError if wanted.type is ValueError else MemoryError
        with pytest.raises(kind) as found:
            njit(f)(*args)
        if kind is ValueError:
            assert str(found.value) == str(wanted.value)


SCALARS = [True, -3, 2.5, 1 + 2j, np.int8(-3), np.uint64(3), np.float32(0.1), np.float16(0.1)]


@pytest.mark.parametrize("a, b", list(itertools.product(SCALARS, repeat=2)))
def test_displays_of_mixed_items(a, b):
    def row(x, y):
        return np.array([x, y])

    def rows(x, y):
        return np.array([[x, y], (y, 1)])

    def with_variables(x, y):
        first = [x, y]
        return np.asarray((first, first))

    for function in (row, rows, with_variables):
        assert_same(function, a, b)


def test_whether_to_copy_may_be_none_on_some_paths():
    def f(a, always):
        copy = True if always else None
        made = np.array(a, copy=copy), np.array(a, np.int8, copy=copy), np.array([1, 2], copy=copy)
        made[0][0] = 5
        return made, a

    for always in (True, False):
        assert_same(f, np.ones(2), always)
        assert_same(f, np.ones(2), int(always))


@pytest.mark.parametrize("kind", [np.int8, np.float32, np.complex64, np.float64])
def test_dtypes_of_geomspace(kind):
    """Without a dtype no narrower than float64, as NumPy's."""

    def f(a, b):
        return (
            np.geomspace(a, b, num=5),
            np.geomspace(a, b, 5, dtype=np.complex64),
            np.geomspace(a, b, 5, endpoint=False),
        )

    a, b = kind(1), kind(100)
    for made, expected in zip(njit(f)(a, b), f(a, b), strict=True):
        assert made.dtype == expected.dtype
        np.testing.assert_allclose(made, expected, rtol=1e-6)
