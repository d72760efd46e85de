"""Searching, distinct elements, bins and interpolation, compared with NumPy."""

import numpy as np
import pytest
from language.support import assert_same, compiled
from numjit import njit

RANDOM = np.random.RandomState(0)
FLOATS = np.array([3, 1, np.nan, 2, 1, np.nan, -0.0, 0.0, np.inf])
INTEGERS = RANDOM.randint(0, 8, 40)
COMPLEX = np.array([1 + 2j, 1, np.nan, 1 + 2j, complex(1, np.nan), complex(np.nan, 2), 0.5])
NOTHING = np.zeros(0)
functions = {}


def same(expression, *args):
    """The expression over a, b, c gives compiled what NumPy gives."""
    key = expression, len(args)
    if key not in functions:
        scope = {"np": np}
        exec(f"def f({', '.join('abcd'[: len(args)])}):\n    return {expression}", scope)
        functions[key] = scope["f"]
    return assert_same(functions[key], *args)


# -- unique ------------------------------------------------------------------------------------

ARRAYS = [
    FLOATS,
    FLOATS.astype("f4"),
    INTEGERS,
    INTEGERS[::-2],
    INTEGERS.astype("u1"),
    INTEGERS.reshape(8, 5).T,
    COMPLEX,
    NOTHING,
    np.array([True, False, True]),
    np.array(3.5),
]


@pytest.mark.parametrize(
    "flags",
    [
        "",
        ", return_index=True",
        ", return_inverse=True",
        ", return_counts=True",
        ", True, True, True",
        ", return_index=True, return_counts=True",
        ", return_counts=True, equal_nan=False",
    ],
)
def test_unique(flags):
    stable = "return_index" in flags or "True, True, True" in flags
    for a in ARRAYS:
        if a.dtype.kind == "f" and not stable:
            a = a + a.dtype.type(0)  # which zero is kept hangs on the sort, that on the processor
        if "equal_nan" not in flags or a.dtype.kind != "c":
            same(f"np.unique(a{flags})", a)


def test_unique_of_a_list():
    same("np.unique([3, 1, 3])")


# -- searchsorted and digitize -----------------------------------------------------------------


@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted(side):
    floats, integers, numbers = np.sort(FLOATS), np.sort(INTEGERS), np.sort(COMPLEX)
    for v in (2.0, 2, np.nan, FLOATS, FLOATS.reshape(3, 3), FLOATS[::-1], INTEGERS, [1.0, 2.5]):
        same(f"np.searchsorted(a, b, side='{side}')", floats, v)
        same(f"a.searchsorted(b, side='{side}')", floats, v)
    for a, v in [
        (integers, INTEGERS),
        (integers, 2.5),
        (integers, INTEGERS.astype("i1")),
        (integers[::3], INTEGERS),
        (integers[::-1][::-1], 3),
        (NOTHING, 2.5),
        (NOTHING, FLOATS),
        (integers, NOTHING),
        (floats[:1], FLOATS),
        (numbers, COMPLEX),
        (numbers, 1 + 2j),
        (np.array([np.nan, np.nan]), FLOATS),
    ]:
        same(f"np.searchsorted(a, b, '{side}')", a, v)


@pytest.mark.parametrize("n", range(1, 20))
def test_searchsorted_lengths(n):
    a = np.arange(n) * 2
    for count in (1, 2, 3, 4, 5, 9):
        v = RANDOM.randint(-1, 2 * n + 1, count)
        same("np.searchsorted(a, b)", a, v)
        same("np.searchsorted(a, b, 'right')", a, v)


def test_searchsorted_arguments():
    order = np.argsort(FLOATS)
    same("np.searchsorted(a, b, sorter=c)", FLOATS, FLOATS, order)
    same("np.searchsorted(a, b, 'left', c)", FLOATS, 1.0, order)
    same("np.searchsorted(a, b, 'left', c)", FLOATS, 1.0, order[:3])
    same("np.searchsorted(a, b, 'middle')", np.sort(FLOATS), 1.0)


@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted_texts(side):
    words = np.array(["a", "b", "b", "cd"])
    for v in ("b", "", "zz", np.array(["cd", "b", "bb"])):
        same(f"np.searchsorted(a, b, side='{side}')", words, v)
        same("np.searchsorted(a, b, c)", words, v, side)
    same("np.searchsorted((1, 2, 5), b)", 0, np.array([0, 3, 9]))


@pytest.mark.parametrize(
    "bins", [[0.0, 1, 2.5, 4], [4.0, 2, 2, 0], [1.0, 1, 1], [1.0], [], [1.0, 3, 2]]
)
def test_digitize(bins):
    bins = np.array(bins, float)
    for x in (FLOATS, INTEGERS, 2.0, INTEGERS.reshape(8, 5), NOTHING):
        same("np.digitize(a, b)", x, bins)
        same("np.digitize(a, b, right=True)", x, bins)


# -- counting ----------------------------------------------------------------------------------


def test_bincount():
    weights = RANDOM.rand(40)
    same("np.bincount(a)", INTEGERS)
    same("np.bincount(a)", INTEGERS.astype("u1"))
    same("np.bincount(a)", INTEGERS[::-3])
    same("np.bincount(a, minlength=20)", INTEGERS)
    same("np.bincount(a, b)", INTEGERS, weights)
    same("np.bincount(a, weights=b, minlength=3)", INTEGERS, weights)
    same("np.bincount(a, b)", INTEGERS, INTEGERS)
    same("np.bincount(a)", np.zeros(0, int))
    same("np.bincount(a, minlength=5)", np.zeros(0, int))
    same("np.bincount([1, 2, 3])")
    same("np.bincount(a)", np.array([True, False]))


def test_bincount_errors():
    same("np.bincount(a)", np.array([1, -1]))
    same("np.bincount(a, b)", INTEGERS, np.ones(3))
    same("np.bincount(a, minlength=-1)", INTEGERS)


SAMPLES = [
    RANDOM.rand(3000),
    RANDOM.rand(1000).astype("f4"),
    INTEGERS,
    INTEGERS.reshape(8, 5).T,
    INTEGERS.astype("u1"),
    np.array([2.0]),
    NOTHING,
    RANDOM.rand(30) * 1e-300,
    np.arange(11) / 10,  # on the edges
]


@pytest.mark.parametrize("a", SAMPLES, ids=range(len(SAMPLES)))
def test_histogram(a):
    edges = np.array([0, 0.1, 0.5, 0.5, 3, 9])
    same("np.histogram(a)", a)
    same("np.histogram(a, 7)", a)
    same("np.histogram(a, bins=5, range=(0.2, 0.9))", a)
    same("np.histogram(a, b)", a, edges)
    same("np.histogram(a, b)", a, np.array([0, 1, 3, 7, 7]))
    same("np.histogram(a, b)", a, edges[:1])
    if a.size:
        same("np.histogram(a, 5, density=True)", a)
        same("np.histogram(a, b, density=True)", a, edges[[0, 1, 2, 4, 5]])
    same("np.histogram(a, b, weights=c)", a, edges, np.full(a.shape, 0.5))
    same("np.histogram(a, 4, (0, 1), None, b)", a, np.arange(a.size).reshape(a.shape))


def test_histogram_errors():
    same("np.histogram(a)", np.array([1.0, np.nan]))
    same("np.histogram(a)", np.array([np.inf, 1.0]))
    same("np.histogram(a, b)", INTEGERS, 0)
    same("np.histogram(a, 0)", INTEGERS)
    same("np.histogram(a, b)", INTEGERS, np.array([3, 2.0]))
    same("np.histogram(a, 3, (2, 1))", INTEGERS)
    same("np.histogram(a, 3, None, None, b)", INTEGERS, np.ones(3))


def test_histogram_of_nan_in_given_bins():
    same("np.histogram(a, b)", FLOATS, np.array([0.0, 1, 3]))
    same("np.histogram(a, 3, (0, 3))", FLOATS)


def test_histogram2d():
    x, y = RANDOM.rand(300), RANDOM.rand(300) * 3
    edges = np.array([0, 0.5, 1, 2.0])
    for bins in ("", ", 4", ", (4, 3)", ", (c, 3)", ", c", ", (4, 3), ((0, 0.5), (1, 2))"):
        same(f"(np.histogram2d(a, b{bins}), c)[0]", x, y, edges)
    same("np.histogram2d(a, b, 4, density=True)", x, y)
    same("np.histogram2d(a, b, 4, weights=a)", x, y)
    same("np.histogram2d(a, b, 4)", x, x)
    same("np.histogram2d(a, b)", x, y[:3])
    for bins in ("[4, 3]", "np.array([4, 3])", "[0, 0.5, 1, 3]", "[c, c]"):
        same(f"(np.histogram2d(a, b, {bins}), c)[0]", x, y, edges)
    same("np.histogram2d(a, b, np.array([0, 1, 2, 3]))[0]", x, y)
    for bins in ([2.0, 3.0], np.array([2.0, 3.0])):
        with pytest.raises(TypeError, match="must be integers"):
            njit(lambda a, b, bins: np.histogram2d(a, b, bins))(x, y, bins)


# -- interpolation -----------------------------------------------------------------------------

XP, FP = np.array([0.0, 1, 2, 5]), np.array([1.0, 3, -1, 0])
POINTS = [2.5, 1, np.nan, -1.0, 9.0, 5.0, np.array([[0, 0.5], [4, 5.5]]), FLOATS,
          np.arange(6), RANDOM.rand(3000) * 6]  # fmt: skip


@pytest.mark.parametrize("x", POINTS, ids=range(len(POINTS)))
def test_interp(x):
    same("np.interp(a, b, c)", x, XP, FP)
    same("np.interp(a, b, c, left=-7, right=8.5)", x, XP, FP)
    same("np.interp(a, b, c, period=4)", x, XP, FP)
    same("np.interp(a, b, c)", x, XP[:1], FP[:1])
    same("np.interp(a, b, c)", x, XP.astype(int), FP.astype(int))
    same("np.interp(a, b, c)", x, XP, FP * (1 + 2j))
    same("np.interp(a, b, c)", x, np.linspace(0, 5, 7)[::2], FP[::-1])


@pytest.mark.parametrize(
    "xp, fp",
    [
        (XP, [1, 2, np.nan, 3]),
        (XP, [1, np.inf, np.inf, 3]),
        ([0, 1, 1, 4], FP),
        ([0, 3, np.inf], FP[:3]),
        ([-np.inf, 3, 4], FP[:3]),
    ],
)
def test_interp_without_a_finite_slope(xp, fp):
    for x in POINTS:
        same("np.interp(a, b, c)", x, np.array(xp, float), np.array(fp, float))
        same("np.interp(a, b, c)", x, np.array(xp, float), np.array(fp, complex))
        same("np.interp(a, b, c)", x, np.array(xp, float), 1 - 2j * np.array(fp)[::-1])


def test_interp_errors():
    same("np.interp(a, b, c)", 1.0, XP, FP[:2])
    same("np.interp(a, b, c)", 1.0, NOTHING, NOTHING)
    same("np.interp(a, b, c, period=0)", 1.0, XP, FP)
    same("np.interp(1.5, [0, 1, 2], [1.0, 2.0, 4.0])")


# -- lexsort -----------------------------------------------------------------------------------


def test_lexsort():
    same("np.lexsort((a, b))", INTEGERS, INTEGERS[::-1])
    same("np.lexsort((a, b, c))", FLOATS, FLOATS[::-1], np.arange(9) % 2)
    same("np.lexsort(a)", INTEGERS.reshape(4, 10))
    same("np.lexsort((a, b))", INTEGERS, INTEGERS[1:])


def test_bins_that_come_late():
    """The number of bins is no part of the type: one compilation serves all."""

    @njit
    def f(a, bins):
        return np.histogram(a, bins)[0]

    for bins in (1, 3, 50):
        assert np.array_equal(f(SAMPLES[0], bins), np.histogram(SAMPLES[0], bins)[0])
    assert len(f.signatures) == 1


def test_places_for_an_expression():
    def f(a, v):
        return np.searchsorted(np.sort(a * 2), v + 1)

    assert_same(f, RANDOM.rand(100), RANDOM.rand(33))
    assert compiled(f) is compiled(f)


@pytest.mark.skipif(not hasattr(np, "in1d"), reason="NumPy 2.4 and later have no in1d")
@pytest.mark.parametrize("a", [INTEGERS.reshape(8, 5), FLOATS, NOTHING])
def test_in1d(a):
    same("np.in1d(a, b), np.in1d(a, b, invert=True)", a, np.array([2, 5]))
