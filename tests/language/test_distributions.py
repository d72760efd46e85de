"""Methods of scipy.stats' distributions in compiled code, beside SciPy's own."""

import numpy as np
import pytest
from numjit import njit
from numjit.errors import TypingError

stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")

PARAMETERS = {
    "norm": (), "t": (3.5,), "chi2": (4.0,), "f": (3.0, 7.0), "beta": (2.0, 3.5), "gamma": (2.3,),
    "expon": (), "uniform": (), "lognorm": (0.7,), "logistic": (), "laplace": (), "cauchy": (),
    "weibull_min": (1.7,), "binom": (10, 0.3), "poisson": (3.2,), "invgamma": (2.5,),
    "fatiguelife": (1.5,), "invgauss": (1.3,), "recipinvgauss": (0.8,), "kstwobign": (),
    "ncx2": (3.0, 2.0),
}  # fmt: skip
DISCRETE = "binom", "poisson"
WITHOUT_QUANTILES = "invgauss", "recipinvgauss"
OF_VALUES = "pdf", "logpdf", "cdf", "sf", "logcdf", "logsf"
VALUES = [-np.inf, -3.0, -1, -0.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2, 3, 7.3, 10, 11, np.inf, np.nan]
PROBABILITIES = [-0.1, 0, 1e-9, 0.1, 0.25, 0.5, 0.9, 0.999, 1, 1.2, np.nan]


def methods():
    for name in PARAMETERS:
        quantiles = () if name in WITHOUT_QUANTILES else ("ppf", "isf")
        for method in (*OF_VALUES, *quantiles):
            yield name, method.replace("pdf", "pmf") if name in DISCRETE else method


def function_of(name, method):
    """f(x, parameters, loc, scale), with the method in its source."""
    more = "".join(f", p[{i}]" for i in range(len(PARAMETERS[name])))
    place = "loc" if name in DISCRETE else "loc=loc, scale=scale"
    namespace = {"distribution": getattr(stats, name)}
    exec(
        f"def f(x, p, loc, scale):\n    return distribution.{method}(x{more}, {place})\n", namespace
    )
    return namespace["f"]


@pytest.mark.parametrize("name, method", list(methods()))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_method(name, method):
    f, p = function_of(name, method), PARAMETERS[name]
    x = np.array(PROBABILITIES if method in ("ppf", "isf") else VALUES)
    g = njit(f)
    for loc, scale in ((0, 1), (0.5, 2.0), (1, 3), (0, -1.0)):
        if name in DISCRETE:
            loc, scale = int(loc), 1
        got, wanted = g(x, p, loc, scale), f(x, p, loc, scale)
        np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-25, err_msg=f"{loc} {scale}")
    one = g(0.7, p, 0, 1)
    assert isinstance(one, float) and one == pytest.approx(f(0.7, p, 0, 1), rel=1e-12)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_parameters_broadcast_and_may_be_wrong():
    def f(x, df, scale):
        return stats.t.cdf(x, df, scale=scale), stats.chi2.sf(x, df)

    x, df = np.linspace(-2, 2, 5), np.array([[1.0], [2.5], [-1.0], [np.inf]])
    for arguments in ((x, df, 2), (0.5, df, 1.0), (x, 3, 1), (x.astype("f4"), 3, 1)):
        for got, wanted in zip(njit(f)(*arguments), f(*arguments), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-12)
            assert got.shape == wanted.shape


def test_ways_of_naming_it():
    from scipy.stats import norm

    def price(s, k, t, r, v):
        d1 = (np.log(s / k) + (r + v * v / 2) * t) / (v * np.sqrt(t))
        return s * norm.cdf(d1) - k * np.exp(-r * t) * stats.norm.cdf(d1 - v * np.sqrt(t))

    arguments = (np.array([90.0, 100.0, 110.0]), 100.0, 1.0, 0.05, 0.2)
    np.testing.assert_allclose(njit(price)(*arguments), price(*arguments), rtol=1e-12)
    compiled = njit(lambda x: (norm.ppf(q=x), norm.pdf(1), stats.t.sf(x, df=4)))
    assert compiled(0.3) == pytest.approx((norm.ppf(0.3), norm.pdf(1), stats.t.sf(0.3, 4)))


def test_what_cannot_be_compiled_says_so():
    for f, text in (
        (lambda x: stats.norm.rvs(x), "scipy.stats.norm.rvs cannot be compiled"),
        (lambda x: stats.gengamma.cdf(x, 2.0, 3.0), "scipy.stats.gengamma.cdf cannot be compiled"),
        (lambda x: stats.invgauss.ppf(x, 3), "scipy.stats.invgauss.ppf cannot be compiled"),
        (lambda x: stats.invgauss.isf(x, 3), "scipy.stats.invgauss.isf cannot be compiled"),
        (lambda x: stats.norm.cdf(), "missing 1 required positional argument: 'x'"),
    ):
        with pytest.raises(TypingError, match=text):
            njit(f)(0.5)
