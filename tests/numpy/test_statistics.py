"""Variances, order statistics, functions that ignore NaN, covariances."""

import numpy as np
import pytest
from language import arrays
from language.support import assert_same, check, compiled, expression
from numjit.errors import NumbaError

LINE = np.random.default_rng(12).normal(size=50)
MATRIX = np.random.default_rng(13).normal(size=(5, 7))
CUBE = np.random.default_rng(14).normal(size=(3, 4, 5))
WEIGHTS = np.random.default_rng(15).random(7)
GAPS = MATRIX.copy()
GAPS[[0, 1, 1], [3, 0, 6]] = np.nan
GAPS[3] = np.nan


# -- means and variances -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["var", "std", "nanvar", "nanstd"])
def test_degrees_of_freedom(name):
    check(f"np.{name}(a, ddof=1), np.{name}(a, axis=0, ddof=1)", MATRIX)
    check(f"np.{name}(a, 1, ddof=b), np.{name}(a, correction=2)", MATRIX, 2)
    check(f"np.{name}(a, ddof=50), np.{name}(a, axis=1, ddof=7)", MATRIX)


def test_variance_does_not_cancel():
    check("np.var(a), np.std(a, axis=0)", 1e9 + arrays.values((6, 4)), rtol=1e-6)


def test_variance_around_a_given_mean():
    check("np.var(a, axis=0, mean=b)", MATRIX, MATRIX.mean(0, keepdims=True))
    check("np.std(a, mean=b)", MATRIX, MATRIX.mean(keepdims=True))


def test_variance_of_complex_numbers():
    a = arrays.values((4, 5), complex)
    check("np.var(a), np.std(a, axis=0), np.var(a, axis=1, keepdims=True)", a)


def test_variance_of_expressions():
    check("(a - a.mean(axis=0)).std(), np.var(a * 2, axis=0)", MATRIX)


def test_average():
    check("np.average(a), np.average(a, axis=1)", arrays.values((3, 4), int))
    check("np.average(a, weights=b)", MATRIX, MATRIX**2)
    check("np.average(a, axis=1, weights=b), np.average(a, weights=c, keepdims=True)",
          MATRIX, WEIGHTS, MATRIX**2)  # fmt: skip
    check("np.average(a, axis=1, weights=b, returned=True)", MATRIX, WEIGHTS)
    check("np.average(a, axis=0, returned=True), np.average(a, returned=True)", MATRIX)
    check("np.average([1, 2, 3], weights=[1, 0, 1])")


def test_average_of_wrong_weights():
    check("np.average(a, weights=b)", WEIGHTS, WEIGHTS * 0)
    check("np.average(a, axis=0, weights=b)", MATRIX, WEIGHTS)
    with pytest.raises(NumbaError, match="axis must be specified"):
        compiled(expression("np.average(a, weights=b)"))(MATRIX, WEIGHTS)


# -- order statistics --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["median", "nanmedian"])
def test_median(name):
    for a in (LINE, LINE[:1], LINE[:2], LINE[:49], arrays.values(8, "f4"), arrays.values(9, int)):
        check(f"np.{name}(a)", a, rtol=1e-6)
    check(f"np.{name}(a), np.{name}(a, axis=0), np.{name}(a, axis=-1, keepdims=True)", CUBE)
    check(f"np.{name}(a, axis=(0, 2)), np.{name}(a, (0, 1), keepdims=True)", CUBE)
    check(f"np.{name}(a, axis=b), np.{name}(a, axis=1, out=c)", MATRIX, 0, np.zeros(5))
    check(f"np.{name}(a), np.{name}(a, axis=1)", GAPS)
    check(f"np.{name}(a)", np.empty(0))
    check(f"np.{name}([3, 1, 2])")


@pytest.mark.parametrize(
    "a",
    [
        np.zeros(1000),
        np.arange(1000.0),
        np.arange(1000.0)[::-1],
        np.arange(1000) % 3.0,
        np.repeat([np.inf, 1.0, -np.inf], 300),
    ],
    ids=["equal", "rising", "falling", "three values", "infinities"],
)
def test_selection(a):
    before = a.copy()
    check("np.median(a), np.percentile(a, b)", a, np.array([0.0, 33, 50, 99.9, 100]))
    assert np.array_equal(a, before)


@pytest.mark.parametrize(
    "method",
    "linear lower higher nearest midpoint hazen weibull median_unbiased normal_unbiased "
    "interpolated_inverted_cdf".split(),
)
def test_quantile_methods(method):
    qs = np.linspace(0, 1, 11)
    for a in (LINE[:5], LINE[:6], LINE, arrays.values(7, int)):
        check(f"np.quantile(a, b, method={method!r})", a, qs)


def test_quantile_arguments():
    qs = np.array([10.0, 50, 90])
    check("np.percentile(a, 30), np.percentile(a, [10, 20]), np.quantile(a, (0.5,))", LINE)
    check("np.percentile(a, b), np.percentile(a, b, axis=0)", MATRIX, qs)
    check("np.percentile(a, b, axis=1, keepdims=True)", MATRIX, qs)
    check("np.percentile(a, b, axis=(0, 2), keepdims=True)", CUBE, qs)
    check("np.percentile(a, 25, axis=(0, 2)), np.quantile(a, 0.5, axis=b)", CUBE, 1)
    check("np.percentile(a, b)", LINE, np.array([[10.0, 20], [30, 40]]))
    check("np.percentile(a, 30), np.percentile(a, b)", arrays.values(9, "f4"), qs, rtol=1e-6)


def test_quantile_errors():
    check("np.percentile(a, 101)", LINE)
    check("np.percentile(a, b)", LINE, np.array([50.0, -1]))
    check("np.quantile(a, b)", LINE, 1.5)
    check("np.quantile(a, b)", LINE, np.nan)
    check("np.percentile(a, 50)", np.empty(0))
    with pytest.raises(NumbaError, match="not supported"):
        compiled(expression("np.quantile(a, 0.5, method='cleverest')"))(LINE)


def test_quantiles_of_nan():
    check("np.percentile(a, 50), np.percentile(a, 50, axis=1)", GAPS)
    check("np.nanpercentile(a, 30), np.nanpercentile(a, 30, axis=0)", GAPS)
    check("np.nanquantile(a, b, axis=1)", GAPS, np.array([0.2, 0.8]))


# -- without NaN -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean", "var", "std"])
def test_ignoring_nan(name):
    check(f"np.nan{name}(a), np.nan{name}(a, axis=0), np.nan{name}(a, axis=1)", GAPS)
    check(f"np.nan{name}(a, axis=b), np.nan{name}(a, axis=1, keepdims=True)", GAPS, 0)
    check(f"np.nan{name}(a)", np.array([np.nan, np.nan]))
    check(f"np.nan{name}(a), np.nan{name}(a, axis=0)", arrays.values((3, 4), int))
    if name not in ("max", "min"):
        check(f"np.nan{name}(a)", np.array([1 + 1j, complex(np.nan, 2), 3]))
        check(f"np.nan{name}(a)", np.empty(0))


@pytest.mark.parametrize("name", ["nanargmax", "nanargmin"])
def test_places_ignoring_nan(name):
    check(f"np.{name}(a), np.{name}(a, axis=0)", GAPS[:3])
    check(f"np.{name}(a, axis=1)", GAPS)  # raises
    check(f"np.{name}(a)", np.array([np.nan, np.inf, -np.inf, np.nan]))
    check(f"np.{name}(a)", np.array([np.nan, np.nan]))
    check(f"np.{name}(a)", arrays.values(9, int))


@pytest.mark.parametrize(("name", "infinity"), [("nanargmax", -np.inf), ("nanargmin", np.inf)])
def test_infinities_among_nan(name, infinity):
    # As NumPy, which takes NaN for this infinity and finds the first of both.
    a = np.array([np.nan, infinity])
    assert compiled(expression(f"np.{name}(a)"))(a) == getattr(np, name)(a) == 0


# -- covariances -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cov", "corrcoef"])
def test_covariances(name):
    check(f"np.{name}(a), np.{name}(a, rowvar=False)", MATRIX, rtol=1e-9)
    check(f"np.{name}(a, b), np.{name}(a)", LINE, LINE**2, rtol=1e-9)
    check(f"np.{name}(a, b)", MATRIX, MATRIX[::-1] ** 2, rtol=1e-9)
    check(f"np.{name}(a)", MATRIX + 1j * MATRIX[::-1] ** 2, rtol=1e-9)
    check(f"np.{name}(a)", np.random.default_rng(2).integers(-5, 5, (3, 9)), rtol=1e-9)
    check(f"np.{name}(a, b)", LINE, LINE[:-1])


def test_covariance_arguments():
    counts = np.arange(1, 8)
    check("np.cov(a, bias=True), np.cov(a, ddof=0)", MATRIX, rtol=1e-9)
    check("np.cov(a, fweights=b), np.cov(a, aweights=c)", MATRIX, counts, WEIGHTS, rtol=1e-9)
    check("np.cov(a, None, True, False, None, b, c)", MATRIX, counts, WEIGHTS, rtol=1e-9)
    check("np.cov(a, aweights=b)", MATRIX, -WEIGHTS)
    check("np.cov(a)", LINE[:1])


def test_correlations_stay_in_range():
    a = np.array([[1.0, 2, 3], [2, 4, 6], [-1, -2, -3]]) / 3
    result = compiled(expression("np.corrcoef(a)"))(a)
    assert np.all(np.abs(result) <= 1)


def test_means_divide_in_double_precision():
    def f(a):
        return np.mean(a), np.mean(a, axis=0), a.mean()

    n = 2**24 + 1  # no float32
    for kind in (np.float32, np.complex64):
        a = np.zeros(n, kind)
        a[0] = 2**24 - 1
        assert_same(f, a)


def test_quantiles_of_an_array_without_dimensions():
    def f(a, q):
        return np.quantile(a, q), np.percentile(a, q, axis=0), np.nanquantile(a, q)

    for a in (np.arange(5.0), np.arange(6.0).reshape(2, 3)):
        assert_same(f, a, np.array(0.25))
