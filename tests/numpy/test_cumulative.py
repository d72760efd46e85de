"""Running results, differences, gradients and convolutions."""

import numpy as np
import pytest
from language import arrays
from language.support import assert_same, check, compiled, expression

LINE = np.random.default_rng(7).normal(size=50)
SHORT = np.random.default_rng(8).normal(size=7)
MATRIX = np.random.default_rng(9).normal(size=(5, 7))
CUBE = np.random.default_rng(10).normal(size=(3, 4, 5))
PLACES = np.cumsum(np.random.default_rng(11).random(50) + 0.1)


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
@pytest.mark.parametrize("axis", ["None", "0", "1", "-1"])
@pytest.mark.parametrize("layout", [np.asarray, np.asfortranarray, arrays.strided])
def test_running_results(name, axis, layout):
    check(f"np.{name}(a, axis={axis})", layout(CUBE))


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "nancumsum", "nancumprod"])
def test_running_results_of_dtypes(name):
    for dtype in "?bBilfdFD":
        check(f"np.{name}(a)", arrays.values(6, dtype), rtol=1e-5)
    check(f"np.{name}(a, axis=b)", CUBE, -2)
    check(f"np.{name}(a, 1, np.float32)", arrays.values((3, 4), int), rtol=1e-5)
    check(f"np.{name}([1, 2, 3])")
    check(f"np.{name}(a), np.{name}(a, axis=0)", np.empty((0, 3)))
    check(f"np.{name}(a)", np.array([1, np.nan, 2, np.inf]))


def test_running_methods_and_ufuncs():
    check("a.cumsum(), a.cumsum(0), a.cumprod(axis=1)", MATRIX)
    check("np.add.accumulate(a), np.maximum.accumulate(a, axis=1)", MATRIX)
    check("np.logical_or.accumulate(a)", arrays.values((3, 4), bool))
    check("np.cumsum(a)", np.array([-0.0, -0.0]))


def test_cumulative_sum():
    check("np.cumulative_sum(a), np.cumulative_prod(a)", LINE)
    check("np.cumulative_sum(a, axis=1, include_initial=True)", MATRIX)
    check("np.cumulative_prod(a, axis=0, include_initial=True)", MATRIX)


# -- differences -------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_diff(n):
    check(f"np.diff(a, {n})", LINE)
    check(f"np.diff(a, {n}, 0), np.diff(a, n={n}, axis=1)", CUBE)
    check("np.diff(a, b)", LINE, n)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_diff_along_an_axis_known_at_run_time(axis):
    check("np.diff(a, axis=b)", CUBE, axis)


def test_diff_of_dtypes():
    for dtype in "?bBQfD":
        check("np.diff(a)", arrays.values(6, dtype))
    check("np.diff([1, 4, 9])")


def test_diff_with_more_at_the_ends():
    check("np.diff(a, prepend=0), np.diff(a, append=b)", LINE, SHORT)
    check("np.diff(a, axis=0, prepend=b, append=1.5)", MATRIX, MATRIX[:2])


def test_diff_of_little():
    check("np.diff(a), np.diff(a, 5)", LINE[:1])
    check("np.diff(a)", np.empty(0))
    check("np.diff(a, b)", LINE, -1)
    check("np.ediff1d(a)", np.empty(0))


def test_ediff1d():
    check("np.ediff1d(a)", MATRIX)
    check(
        "np.ediff1d(a, to_end=b), np.ediff1d(a, SHORT, b)".replace("SHORT", "c"), LINE, 9.0, SHORT
    )


@pytest.mark.parametrize("order", [1, 2])
def test_gradient(order):
    check(f"np.gradient(a, edge_order={order})", LINE)
    check(f"np.gradient(a, 2.0, edge_order={order})", LINE)
    check(f"np.gradient(a, b, edge_order={order})", LINE, PLACES, rtol=1e-10)


def test_gradient_of_several_dimensions():
    check("np.gradient(a, axis=0), np.gradient(a, 0.5, axis=-1)", MATRIX)
    check("np.gradient(a)[1]", np.arange(6).reshape(2, 3) ** 2)

    def f(a):
        rows, columns = np.gradient(a, 1.0, 2.0)
        return rows, columns

    assert_same(f, MATRIX)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint64, np.int8])
def test_gradient_of_integers_does_not_wrap(dtype):
    check("np.gradient(a), np.gradient(a, 2, edge_order=2)", np.array([7, 100, 3, 0, 90], dtype))


def test_gradient_of_too_few():
    check("np.gradient(a)", LINE[:1])


def test_trapezoid():
    check("np.trapezoid(a), np.trapezoid(a, b), np.trapezoid(a, dx=0.5)", LINE, PLACES)
    check("np.trapezoid(a, axis=0), np.trapezoid(a, b), np.trapezoid(a, a)", MATRIX, SHORT)
    check("np.trapezoid(a, b, axis=0)", MATRIX, SHORT[:5])
    check("np.trapezoid(a)", arrays.values(6, int))
    check("np.trapezoid(a, axis=b), np.trapezoid(a, a, axis=b)", CUBE, 1, rtol=1e-10)


# -- convolutions ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["convolve", "correlate"])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_convolutions(name, mode):
    text = f"np.{name}(a, b, {mode!r})"
    for n, m in [(50, 7), (7, 50), (50, 4), (4, 50), (7, 7), (50, 1), (1, 1)]:
        check(text, LINE[:n], LINE[:m][::-1], rtol=1e-9)
    for dtypes in ["ll", "bB", "??", "fd", "DD", "dF"]:
        a, b = (arrays.values(n, c) for n, c in zip((9, 4), dtypes))
        check(text, a, b, rtol=1e-6)


def test_convolution_of_more_than_a_piece():
    a = np.random.default_rng(1).integers(-5, 5, 5000)
    check("np.convolve(a, b), np.correlate(a, b)", a, a[:33])


def test_convolution_arguments():
    check("np.convolve([1, 2, 3], [0, 1, 0.5]), np.correlate((1, 2), [3.0])")
    check("np.convolve(a, b)", LINE, np.empty(0))
    with pytest.raises(ValueError, match="mode must be"):
        compiled(expression("np.convolve(a, a, 'circular')"))(LINE)


@pytest.mark.parametrize("a", [np.array(3.5), np.array(np.nan), 2.5], ids=repr)
def test_running_sums_without_dimensions(a):
    check("np.nancumsum(a), np.nancumprod(a), np.cumsum(a)", a)
