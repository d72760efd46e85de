"""Methods of scipy.stats' distributions, by the functions of scipy.special that SciPy's
documentation of each names. They are element-wise over values and parameters.

A row gives formulas of the standard distribution (loc 0, scale 1) in its parameters and in `x`, a
value, or `q`, a probability. What a row lacks is made of the others: a density of its logarithm,
`sf` of `cdf`, `isf` of `ppf`.
"""

import functools
import math
from dataclasses import dataclass, fields

import numpy as np

from .intrinsics import map_elements, refuse


@dataclass(frozen=True)
class Row:
    """Formulas as text; `valid` says which parameters there are, `low` and `high` where values."""

    cdf: str
    logpdf: str
    ppf: str = ""
    sf: str = "1.0 - cdf({x})"
    isf: str = "ppf({q})"
    pdf: str = "exp(logpdf({x}))"
    logcdf: str = "log1p(-sf({x})) if cdf({x}) > 0.5 else log(cdf({x}))"
    logsf: str = "log1p(-cdf({x})) if sf({x}) > 0.5 else log(sf({x}))"
    valid: str = "True"
    low: str = "-inf"
    high: str = "inf"


_PI = "3.141592653589793"
_ROWS = {
    "norm": Row(
        "ndtr(x)",
        "-x * x / 2.0 - 0.9189385332046727",  # log(sqrt(2 * pi))
        "ndtri(q)",
        "ndtr(-x)",
        "-ndtri(q)",
        pdf="exp(-x * x / 2.0) / 2.5066282746310002",
        logcdf="log_ndtr(x)",
        logsf="log_ndtr(-x)",
    ),
    "t": Row(
        "stdtr(df, x)",
        f"gammaln((df + 1.0) / 2.0) - gammaln(df / 2.0) - log(df * {_PI}) / 2.0"
        " - (df + 1.0) / 2.0 * log1p(x * x / df) if df < inf"
        " else -x * x / 2.0 - 0.9189385332046727",
        "stdtrit(df, q)",
        "stdtr(df, -x)",
        "-stdtrit(df, q)",
        valid="df > 0",
    ),
    "chi2": Row(
        "chdtr(df, x)",
        "xlogy(df / 2.0 - 1.0, x) - x / 2.0 - gammaln(df / 2.0) - 0.6931471805599453 * df / 2.0",
        "2.0 * gammaincinv(df / 2.0, q)",
        "chdtrc(df, x)",
        "chdtri(df, q)",
        valid="df > 0",
        low="0.0",
    ),
    "f": Row(
        "fdtr(dfn, dfd, x)",
        "dfd / 2.0 * log(dfd) + dfn / 2.0 * log(dfn) + xlogy(dfn / 2.0 - 1.0, x)"
        " - (dfn + dfd) / 2.0 * log(dfd + dfn * x) - betaln(dfn / 2.0, dfd / 2.0)",
        "fdtri(dfn, dfd, q)",
        "fdtrc(dfn, dfd, x)",
        valid="dfn > 0 and dfd > 0",
        low="0.0",
    ),
    "beta": Row(
        "betainc(a, b, x)",
        "xlog1py(b - 1.0, -x) + xlogy(a - 1.0, x) - betaln(a, b)",
        "betaincinv(a, b, q)",
        "betaincc(a, b, x)",
        "betainccinv(a, b, q)",
        valid="a > 0 and b > 0",
        low="0.0",
        high="1.0",
    ),
    "gamma": Row(
        "gammainc(a, x)",
        "xlogy(a - 1.0, x) - x - gammaln(a)",
        "gammaincinv(a, q)",
        "gammaincc(a, x)",
        "gammainccinv(a, q)",
        valid="a > 0",
        low="0.0",
    ),
    "expon": Row("-expm1(-x)", "-x", "-log1p(-q)", "exp(-x)", "-log(q)", logsf="-x", low="0.0"),
    "uniform": Row("x", "0.0 * x", "q", "1.0 - x", "1.0 - q", pdf="1.0", low="0.0", high="1.0"),
    "lognorm": Row(
        "ndtr(log(x) / s)",
        "-log(x) ** 2 / (2.0 * s * s) - log(s * x * 2.5066282746310002) if x > 0.0 else -inf",
        "exp(s * ndtri(q))",
        "ndtr(-log(x) / s)",
        "exp(-s * ndtri(q))",
        valid="s > 0",
        low="0.0",
    ),
    "logistic": Row(
        "expit(x)", "-abs(x) - 2.0 * log1p(exp(-abs(x)))", "logit(q)", "expit(-x)", "-logit(q)"
    ),
    "laplace": Row(
        "1.0 - 0.5 * exp(-x) if x > 0 else 0.5 * exp(x)",
        "-abs(x) - 0.6931471805599453",
        "-log(2.0 * (1.0 - q)) if q > 0.5 else log(2.0 * q)",
        "0.5 * exp(-x) if x > 0 else 1.0 - 0.5 * exp(x)",
        "log(2.0 * (1.0 - q)) if q > 0.5 else -log(2.0 * q)",
        pdf="0.5 * exp(-abs(x))",
    ),
    "cauchy": Row(
        f"atan2(1.0, -x) / {_PI}",
        f"-log({_PI} * (1.0 + x * x))",
        f"-1.0 / tan({_PI} * q) if q < 0.25 else 1.0 / tan({_PI} * (1.0 - q)) if q > 0.75"
        f" else tan({_PI} * q - {_PI} / 2.0)",
        f"atan2(1.0, x) / {_PI}",
        "-ppf(q)",
        pdf=f"1.0 / {_PI} / (1.0 + x * x)",
    ),
    "weibull_min": Row(
        "-expm1(-(x**c))",
        "log(c) + xlogy(c - 1.0, x) - x**c",
        "(-log1p(-q)) ** (1.0 / c)",
        "exp(-(x**c))",
        "(-log(q)) ** (1.0 / c)",
        pdf="c * x ** (c - 1.0) * exp(-(x**c))",
        logsf="-(x**c)",
        valid="c > 0",
        low="0.0",
    ),
    "binom": Row(
        "betainc(n - x, x + 1.0, 1.0 - p)",
        "gammaln(n + 1.0) - gammaln(x + 1.0) - gammaln(n - x + 1.0)"
        " + xlogy(x, p) + xlog1py(n - x, -p)",
        ppf="_binom_ppf(q, n, p)",
        sf="betainc(x + 1.0, n - x, p)",
        isf="_binom_isf(q, n, p)",
        valid="n >= 0 and floor(n) == n and 0 <= p and p <= 1",
        low="0.0",
        high="1.0 * n",
    ),
    "poisson": Row(
        "pdtr(x, mu)",
        "xlogy(x, mu) - gammaln(x + 1.0) - mu",
        "max(ceil(pdtrik(q, mu)), 1.0) - 1.0 if pdtr(max(ceil(pdtrik(q, mu)), 1.0) - 1.0, mu) >= q"
        " else ceil(pdtrik(q, mu))",
        sf="pdtrc(x, mu)",
        valid="mu >= 0",
        low="0.0",
    ),
    "invgamma": Row(
        "gammaincc(a, 1.0 / x) if x > 0.0 else 0.0",
        "-(a + 1.0) * log(x) - gammaln(a) - 1.0 / x if x > 0.0 else -inf",
        "1.0 / gammainccinv(a, q)",
        "gammainc(a, 1.0 / x) if x > 0.0 else 1.0",
        "1.0 / gammaincinv(a, q)",
        valid="a > 0",
        low="0.0",
    ),
    "fatiguelife": Row(
        "ndtr((sqrt(x) - 1.0 / sqrt(x)) / c) if x > 0.0 else 0.0",
        "log(x + 1.0) - (x - 1.0) ** 2 / (2.0 * x * c * c) - log(2.0 * c)"
        " - 0.9189385332046727 - 1.5 * log(x) if 0.0 < x and x < inf else -inf",
        "0.25 * (c * ndtri(q) + sqrt((c * ndtri(q)) ** 2 + 4.0)) ** 2",
        "ndtr((1.0 / sqrt(x) - sqrt(x)) / c) if x > 0.0 else 1.0",
        "0.25 * (-c * ndtri(q) + sqrt((c * ndtri(q)) ** 2 + 4.0)) ** 2",
        valid="c > 0",
        low="0.0",
    ),
    "invgauss": Row(
        "ndtr((x / mu - 1.0) / sqrt(x))"
        " + exp(2.0 / mu + log_ndtr(-(x / mu + 1.0) / sqrt(x))) if x > 0.0 else 0.0",
        "-0.9189385332046727 - 1.5 * log(x) - (x / mu - 1.0) ** 2 / (2.0 * x)"
        " if 0.0 < x and x < inf else -inf",
        pdf="1.0 / sqrt(6.283185307179586 * x**3.0) * exp(-1.0 / (2.0 * x) * (x / mu - 1.0) ** 2)"
        " if 0.0 < x and x < inf else 0.0",
        sf="exp(log_ndtr((1.0 - x / mu) / sqrt(x)) + log1p(-exp(2.0 / mu"
        " + log_ndtr(-(x / mu + 1.0) / sqrt(x)) - log_ndtr((1.0 - x / mu) / sqrt(x)))))"
        " if x > 0.0 else 1.0",
        valid="mu > 0",
        low="0.0",
    ),
    "recipinvgauss": Row(
        "ndtr((x - 1.0 / mu) / sqrt(x)) - exp(2.0 / mu) * ndtr(-(x + 1.0 / mu) / sqrt(x))"
        " if x > 0.0 else 0.0",
        "-((1.0 - mu * x) ** 2) / (2.0 * x * mu * mu) - 0.9189385332046727 - 0.5 * log(x)"
        " if x > 0.0 else -inf",
        sf="ndtr((1.0 / mu - x) / sqrt(x)) + exp(2.0 / mu) * ndtr(-(x + 1.0 / mu) / sqrt(x))"
        " if x > 0.0 else 1.0",
        valid="mu > 0",
        low="0.0",
    ),
    "kstwobign": Row(
        "_kolmogc(x)",
        "log(-_kolmogp(x))",
        "_kolmogci(q)",
        "kolmogorov(x)",
        "kolmogi(q)",
        pdf="-_kolmogp(x)",
        low="0.0",
    ),
    "ncx2": Row(
        "chndtr(x, df, nc) if nc > 0.0 else chdtr(df, x)",
        "-inf if x == inf else log(_ncx2_pdf(x, df, nc)) if nc > 0.0"
        " else xlogy(df / 2.0 - 1.0, x) - x / 2.0 - gammaln(df / 2.0)"
        " - 0.6931471805599453 * df / 2.0",
        "chndtrix(q, df, nc) if nc > 0.0 else 2.0 * gammaincinv(df / 2.0, q)",
        "_ncx2_sf(x, df, nc) if nc > 0.0 else chdtrc(df, x)",
        "_ncx2_isf(q, df, nc) if nc > 0.0 else chdtri(df, q)",
        pdf="_ncx2_pdf(x, df, nc) if nc > 0.0 else exp(logpdf({x}))",
        valid="df > 0 and nc >= 0",
        low="0.0",
    ),
}
_DISCRETE = {"pmf": "pdf", "logpmf": "logpdf"}


_MATH = "exp log log1p expm1 sqrt tan atan2 ceil inf nan"
_SPECIAL = """ndtr ndtri log_ndtr stdtr stdtrit gammaln betaln chdtr chdtrc chdtri gammainc
    gammaincc gammaincinv gammainccinv fdtr fdtrc fdtri betainc betaincc betaincinv betainccinv
    xlogy xlog1py expit logit pdtr pdtrc pdtrik kolmogorov kolmogi _kolmogc _kolmogci _kolmogp
    _binom_ppf _binom_isf chndtr chndtrix _ncx2_sf _ncx2_isf _ncx2_pdf"""
_QUANTILES = ("ppf", "isf")
#: What there is below and above all values.
_OUTSIDE = {
    "pdf": ("0.0", "0.0"), "logpdf": ("-inf", "-inf"), "cdf": ("0.0", "1.0"),
    "sf": ("1.0", "0.0"), "logcdf": ("-inf", "0.0"), "logsf": ("0.0", "-inf"),
}  # fmt: skip


@functools.cache
def _namespace(name, shapes):
    """The formulas of a row as functions, and what they call."""
    import scipy.special

    namespace = {each: getattr(math, each) for each in _MATH.split()}
    special = vars(scipy.special._ufuncs) | vars(scipy.special)  # an older SciPy lacks some
    namespace |= {each: special[each] for each in _SPECIAL.split() if each in special}
    namespace |= {"float64": np.float64, "floor": np.floor}
    row = _ROWS[name]
    calls = {"x": ", ".join(("x", *shapes)), "q": ", ".join(("1.0 - q", *shapes))}
    for each in fields(row):
        text = getattr(row, each.name)
        missing = each.name in _QUANTILES and not row.ppf
        if not missing and each.name not in ("valid", "low", "high"):
            listed = ", ".join(("q" if each.name in _QUANTILES else "x", *shapes))
            exec(f"def {each.name}({listed}):\n    return {text.format(**calls)}\n", namespace)
    return namespace


def distribution_method(method):
    """The function in the subset that is called for a method of a distribution of scipy.stats."""
    import scipy.stats

    distribution, what = method.__self__, method.__name__
    name = distribution.name
    discrete = isinstance(distribution, scipy.stats.rv_discrete)
    formula = _DISCRETE.get(what, what)
    shapes = tuple(distribution.shapes.split(", ")) if distribution.shapes else ()
    known = name in _ROWS and getattr(scipy.stats, name, None) is distribution
    namespace = dict(_namespace(name, shapes)) if known else {}
    if formula not in namespace or (formula not in _OUTSIDE and what not in _QUANTILES):
        return _refused(f"scipy.stats.{name}.{what} cannot be compiled")
    first = "q" if what in _QUANTILES else "k" if discrete else "x"
    row, scale = _ROWS[name], () if discrete else ("scale",)
    given = ", ".join((first, *shapes, "loc", *scale))
    defaults = ", ".join((first, *shapes, "loc=0", *(f"{each}=1" for each in scale)))
    call = f"{formula}({', '.join(('q' if what in _QUANTILES else 'x', *shapes))})"
    lines = [
        *(f"{each} = float64({each})" for each in shapes),
        f"scale = float64({'scale' if scale else '1'})",
        f"if not (scale > 0 and ({row.valid})):",
        "    return nan",
    ]
    if what in _QUANTILES:
        lines += _of_probability(row, what, call, discrete)
    else:
        lines += _of_value(row, first, formula, call)
    exec(f"def element({given}):\n" + "".join(f"    {line}\n" for line in lines), namespace)
    outer = {"map_elements": map_elements, "element": namespace["element"]}
    exec(f"def {what}({defaults}):\n    return map_elements(element, (), {given})\n", outer)
    return outer[what]


def _of_value(row, first, formula, call):
    below, above = _OUTSIDE[formula]
    density = formula in ("pdf", "logpdf")
    lines = [
        f"x = (float64({first}) - loc) / scale",
        "if x != x:",
        "    return nan",
        f"if x {'<' if density or first == 'k' else '<='} {row.low}:",
        f"    return {below}",
        f"if x {'>' if density else '>='} {row.high}:",
        f"    return {above}",
    ]
    if not density and row.low == "-inf":
        lines += ["if x == -inf:", f"    return {below}"]
    if first == "k":
        lines += ["if floor(x) != x:", f"    return {below}"] if density else ["x = floor(x)"]
    scaled = {"pdf": f"{call} / scale", "logpdf": f"{call} - log(scale)"}
    return [*lines, f"return {scaled.get(formula, call)}"]


def _of_probability(row, what, call, discrete):
    low = f"({row.low} - 1.0)" if discrete else row.low
    ends = (low, row.high) if what == "ppf" else (row.high, low)
    return [
        "if not (0 <= q and q <= 1):",
        "    return nan",
        "q = float64(q)",
        "if q == 0:",
        f"    return {ends[0]} * scale + loc",
        "if q == 1:",
        f"    return {ends[1]} * scale + loc",
        f"return {call} * scale + loc",
    ]


def _refused(message):
    def method(*arguments, **keywords):
        return refuse(message, "call it in a block of objmode")

    return method
