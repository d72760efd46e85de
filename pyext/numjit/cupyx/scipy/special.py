"""cupyx.scipy.special: functions of elements that the library or the language has."""

from __future__ import annotations

from ..elements import function_of

erf, erfc = function_of("erf", "math.erf({0})"), function_of("erfc", "math.erfc({0})")
gamma = function_of("gamma", "math.gamma({0})")
gammaln = loggamma = function_of("gammaln", "math.lgamma({0})")
expit = function_of("expit", "1 / (1 + np.exp(-{0}))")
logit = function_of("logit", "np.log({0} / (1 - {0}))")
log_ndtr = function_of("log_ndtr", "np.log(0.5 * math.erfc(-{0} / np.sqrt(2.0)))")
ndtr = function_of("ndtr", "0.5 * math.erfc(-{0} / np.sqrt(2.0))")
exp2 = function_of("exp2", "np.exp2({0})")
exp10 = function_of("exp10", "10.0 ** {0}")
expm1, log1p = function_of("expm1", "np.expm1({0})"), function_of("log1p", "np.log1p({0})")
cbrt = function_of("cbrt", "np.cbrt({0})")


def xlogy(x, y):
    """x log(y), 0 where x is 0."""
    from numjit.cupy import log, where

    return where(x == 0, 0.0, x * log(where(x == 0, 1.0, y)))


def entr(x):
    """-x log(x)."""
    from numjit.cupy import inf, where

    return where(x < 0, -inf, -xlogy(x, x))


def softmax(x, axis=None):
    """exp(x) by its sum."""
    from numjit.cupy import exp

    found = exp(x - x.max(axis=axis, keepdims=True))
    return found / found.sum(axis=axis, keepdims=True)


def logsumexp(a, axis=None, keepdims=False):
    """log(sum(exp(a)))."""
    from numjit.cupy import exp, log

    most = a.max(axis=axis, keepdims=True)
    found = log(exp(a - most).sum(axis=axis, keepdims=True)) + most
    return found if keepdims else found.squeeze(axis)


def log_softmax(x, axis=None):
    """log(softmax(x))."""
    return x - logsumexp(x, axis, True)


def __getattr__(name):
    from ..code import from_host

    found = globals()[name] = from_host("scipy.special", name)
    return found
