"""What parameters of distributions have to be. Arrays are looked at, for which the host waits."""

from __future__ import annotations

import numpy as np

from .creation import asarray
from .ndarrays import ndarray

_NOT_NEGATIVE, _POSITIVE, _PROBABILITY = ">= 0", "> 0", "between 0 and 1"
_FAILS = {
    _NOT_NEGATIVE: lambda value: value < 0,
    _POSITIVE: lambda value: value <= 0,
    _PROBABILITY: lambda value: (value <= 0) | (value >= 1),
}
#: Distribution -> its parameters in order, and their rules.
_RULES = {
    "exponential": {"scale": _NOT_NEGATIVE},
    "rayleigh": {"scale": _NOT_NEGATIVE},
    "weibull": {"a": _NOT_NEGATIVE},
    "power": {"a": _NOT_NEGATIVE},
    "logseries": {"p": _PROBABILITY},
    "hypergeometric": {"ngood": _NOT_NEGATIVE, "nbad": _NOT_NEGATIVE, "nsample": _NOT_NEGATIVE},
    "RandomState.hypergeometric": {
        "ngood": _NOT_NEGATIVE,
        "nbad": _NOT_NEGATIVE,
        "nsample": _POSITIVE,
    },
    "noncentral_chisquare": {"df": _POSITIVE, "nonc": _NOT_NEGATIVE},
    "noncentral_f": {"dfnum": _POSITIVE, "dfden": _POSITIVE, "nonc": _NOT_NEGATIVE},
}


def check(name, *values):
    """Raises ValueError for a parameter that a distribution cannot have."""
    for value, (parameter, rule) in zip(values, _RULES.get(name, {}).items()):
        found = _FAILS[rule](value if isinstance(value, ndarray) else np.asarray(value))
        if bool(found.any()):
            raise ValueError(f"{name}: {parameter} has to be {rule}")


def checked_population(a, p):
    """How many elements choice() has to choose from, and their probabilities on the host."""
    if isinstance(a, (int, np.integer)):
        count = int(a)
        if count < 0:
            raise ValueError("a must be greater than or equal to 0")
    elif a is None or np.ndim(a) == 0:
        raise ValueError("a must be one-dimensional or an integer")
    else:
        a = asarray(a)
        if a.ndim != 1:
            raise ValueError("a must be one-dimensional")
        count = a.size
    if p is None:
        return count, None
    p = asarray(p).get().astype(float)
    if p.ndim != 1 or p.size != count:
        raise ValueError("p has to be one-dimensional, and a and p must have same size")
    if not (p >= 0).all():
        raise ValueError("probabilities are not non-negative")
    if abs(p.sum() - 1) > 1e-8:
        raise ValueError("probabilities do not sum to 1")
    return count, p
