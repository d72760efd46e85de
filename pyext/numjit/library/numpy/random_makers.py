"""``np.random.default_rng`` and normal distributions of several dimensions.

A generator that compiled code makes is made by NumPy in Python, so its stream is NumPy's; that
takes some 20 microseconds and the GIL, once.
"""

import numpy as np

from numjit import types
from numjit.with_objmode import PythonCall

from ..core.intrinsics import is_scalar, promote, refuse
from ..core.registry import function
from .methods import product
from .random_arguments import shape_of_size
from .random_generator import method
from .random_generator import standard_normal as generator_normal

_make = PythonCall(
    lambda seed: (np.random.default_rng(seed),),
    types.Tuple((types.NumPyRandomGeneratorType(),)),
)


@function("numpy.random.default_rng")
def default_rng(seed: "given seed" = None):
    """Seeds are integers, arrays of them, or a generator, which is given back."""
    if seed is None or isinstance(seed, np.ndarray):
        return _make(seed)[0]
    elif is_scalar(seed):
        if promote(seed).kind not in "iub":
            return refuse("SeedSequence expects int or sequence of ints for entropy")
        else:
            return _make(seed)[0]
    elif isinstance(seed, (tuple, list)):
        return _make(np.asarray(seed))[0]
    else:
        return seed


# -- normal distributions of several dimensions ----------------------------------------------------


def check_parameters(mean, cov):
    if mean.ndim != 1:
        raise ValueError("mean must be 1 dimensional")
    if cov.ndim != 2:
        raise ValueError("cov must be 2 dimensional and square")
    elif cov.shape[0] != cov.shape[1]:
        raise ValueError("cov must be 2 dimensional and square")
    if mean.shape[0] != cov.shape[0]:
        raise ValueError("mean and cov must have same length")


def is_symmetric_part(product_of_parts, cov, tol):
    return np.allclose(product_of_parts, cov, tol, tol)


@function("numpy.random.multivariate_normal")
def multivariate_normal(mean, cov, size=None, check_valid="warn", tol=1e-8):
    """check_valid="warn" does not warn in compiled code."""
    m, c = np.asarray(mean).astype(np.float64), np.asarray(cov).astype(np.float64)
    check_parameters(m, c)
    shape = () if size is None else shape_of_size(size)
    x = np.random.standard_normal((product(shape), m.shape[0]))
    u, s, v = np.linalg.svd(c)
    if check_valid == "raise":
        if not is_symmetric_part(np.dot(v.T * s, v), c, tol):
            raise ValueError("covariance is not symmetric positive-semidefinite.")
    elif check_valid != "warn" and check_valid != "ignore":
        raise ValueError("check_valid must equal 'warn', 'raise', or 'ignore'")
    samples = np.dot(x, np.sqrt(s)[:, None] * v) + m
    return samples.reshape(shape + (m.shape[0],))


def factor_of(cov, method, check_valid, tol):
    if method == "svd":
        u, s, vh = np.linalg.svd(cov)
        check_positive(np.dot(vh.T * s, vh), cov, check_valid, tol)
        return u * np.sqrt(s)
    elif method == "eigh":
        s, u = np.linalg.eigh(cov)
        check_positive(np.dot(u * s, u.T), cov, check_valid, tol)
        return u * np.sqrt(np.abs(s))
    else:
        return np.linalg.cholesky(cov)


def check_positive(parts, cov, check_valid, tol):
    if check_valid == "raise":
        if not is_symmetric_part(parts, cov, tol):
            raise ValueError("covariance is not symmetric positive-semidefinite.")


@method("multivariate_normal")
def generator_multivariate_normal(
    self, mean, cov, size=None, check_valid="warn", tol=1e-8, *, method="svd"
):
    """check_valid="warn" does not warn in compiled code."""
    if method != "svd" and method != "eigh" and method != "cholesky":
        raise ValueError("method must be one of {'eigh', 'svd', 'cholesky'}")
    if check_valid != "warn" and check_valid != "ignore" and check_valid != "raise":
        raise ValueError("check_valid must equal 'warn', 'raise', or 'ignore'")
    m, c = np.asarray(mean).astype(np.float64), np.asarray(cov).astype(np.float64)
    check_parameters(m, c)
    shape = () if size is None else shape_of_size(size)
    x = generator_normal(self, (product(shape), m.shape[0]))
    samples = m + np.dot(x, factor_of(c, method, check_valid, tol).T)
    return samples.reshape(shape + (m.shape[0],))
