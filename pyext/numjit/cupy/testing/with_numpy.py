"""Decorators that call a test with NumPy's module and with this package's, and compare."""

from __future__ import annotations

import functools
import unittest
import warnings

import numpy as np
from numpy.exceptions import AxisError

import numjit.cupy
from numjit.cupyx import scipy as ours
from numjit.cupyx.scipy import sparse

from .comparisons import on_host
from .loops import without


def _modules(name, sp_name, scipy_name):
    """Keywords of the two calls."""
    device, host = {name: numjit.cupy}, {name: np}
    if sp_name:
        import scipy.sparse

        device[sp_name], host[sp_name] = sparse, scipy.sparse
    if scipy_name:
        import scipy

        device[scipy_name], host[scipy_name] = ours, scipy
    return device, host


def _skipped():
    import pytest

    return unittest.SkipTest, pytest.skip.Exception


def _called(test, args, keywords):
    """A result or the error that was raised."""
    try:
        return test(*args, **keywords), None
    except _skipped():
        raise
    except Exception as error:
        return None, error


def _same_errors(one, other, accepted):
    if one is None and other is None:
        return False
    if one is None or other is None:
        raise AssertionError(f"only one raises: on the device {one!r}, NumPy {other!r}") from (
            one or other
        )
    classes = accepted if isinstance(accepted, tuple) else (accepted,)
    if accepted is False:
        raise AssertionError(f"errors are not accepted: {one!r}, NumPy's {other!r}") from one
    if accepted is not True and not all(isinstance(each, classes) for each in (one, other)):
        raise AssertionError(f"errors that are not accepted: {one!r}, {other!r}") from one
    if any(isinstance(one, each) != isinstance(other, each) for each in _KINDS):
        raise AssertionError(f"errors of different kinds: {one!r}, NumPy's {other!r}") from one
    return True


#: An error on the device is of these classes where NumPy's is.
_KINDS = AttributeError, IndexError, TypeError, ValueError, NotImplementedError, AxisError


def _decorated(compare, name, accept_error, sp_name=None, scipy_name=None):
    def decorator(function):
        @functools.wraps(function)
        def test(*args, **keywords):
            device, host = _modules(name, sp_name, scipy_name)
            got, error = _called(function, args, {**keywords, **device})
            want, expected = _called(function, args, {**keywords, **host})
            if not _same_errors(error, expected, accept_error):
                compare(got, want)

        test.__signature__ = without(function, {name, sp_name, scipy_name})
        return test

    return decorator


def _pairs(got, want, type_check):
    """Arrays to compare, one by one."""
    if isinstance(want, (tuple, list)) or isinstance(got, (tuple, list)):
        assert type(got) is type(want) or isinstance(got, type(want)), (type(got), type(want))
        assert len(got) == len(want), f"{len(got)} results, NumPy has {len(want)}"
        for one, other in zip(got, want):
            yield from _pairs(one, other, type_check)
        return
    if hasattr(want, "toarray"):
        got, want = got.toarray(), want.toarray()
    got = on_host(got)
    if type_check and hasattr(want, "dtype"):
        assert np.asarray(got).dtype == want.dtype, f"{np.asarray(got).dtype}, not {want.dtype}"
    yield got, want


def _comparing(assertion, type_check=True):
    def compare(got, want):
        if got is None or want is None:
            assert got is want, (got, want)
            return
        for one, other in _pairs(got, want, type_check):
            assert np.shape(one) == np.shape(other), (np.shape(one), np.shape(other))
            assertion(one, other)

    return compare


def _tolerance(given, dtype):
    if isinstance(given, dict):
        for key, value in given.items():
            if key != "default" and np.dtype(key) == dtype:
                return value
        return given["default"]
    return given


def numpy_cupy_allclose(
    rtol=1e-7, atol=0, err_msg="", verbose=True, name="xp", type_check=True, accept_error=False,
    sp_name=None, scipy_name=None, contiguous_check=True, *, _check_sparse_format=True,
):  # fmt: skip
    """The results are close; rtol and atol may be dicts by dtype."""
    for given in (rtol, atol):
        for key in given if isinstance(given, dict) else ():
            if key != "default" and not isinstance(key, (type, np.dtype)):
                raise TypeError(f"tolerances are by dtypes, not {key!r}")

    def assertion(got, want):
        dtype = np.asarray(want).dtype
        np.testing.assert_allclose(
            got, want, _tolerance(rtol, dtype), _tolerance(atol, dtype), err_msg=err_msg,
            verbose=verbose,
        )  # fmt: skip

    return _decorated(_comparing(assertion, type_check), name, accept_error, sp_name, scipy_name)


def _with(function, first=None, key=None):
    """A decorator for a comparison of numpy.testing, whose limit is `first`."""

    def decorator(
        limit=first, err_msg="", verbose=True, name="xp", type_check=True, accept_error=False,
        sp_name=None, scipy_name=None, strides_check=False, **keywords,
    ):  # fmt: skip
        if key in keywords:
            limit = keywords[key]

        def assertion(got, want):
            found = {} if key is None else {key: limit}
            if function not in ("assert_array_almost_equal_nulp", "assert_array_max_ulp"):
                found |= {"err_msg": err_msg, "verbose": verbose}
            getattr(np.testing, function)(got, want, **found)

        return _decorated(_comparing(assertion, type_check), name, accept_error, sp_name,
                          scipy_name)  # fmt: skip

    return decorator


numpy_cupy_array_almost_equal = _with("assert_array_almost_equal", 6, "decimal")
numpy_cupy_array_almost_equal_nulp = _with("assert_array_almost_equal_nulp", 1, "nulp")
numpy_cupy_array_max_ulp = _with("assert_array_max_ulp", 1, "maxulp")


def _plain(function):
    inner = _with(function)

    def decorator(err_msg="", verbose=True, name="xp", type_check=True, **keywords):
        return inner(None, err_msg, verbose, name, type_check, **keywords)

    return decorator


numpy_cupy_array_equal = _plain("assert_array_equal")
numpy_cupy_array_list_equal = _plain("assert_array_equal")
numpy_cupy_array_less = _plain("assert_array_less")


def numpy_cupy_equal(name="xp", sp_name=None, scipy_name=None):
    """The results are equal, as Python compares."""

    def compare(got, want):
        assert on_host(got) == want or (got != got and want != want), f"{got!r}, not {want!r}"

    return _decorated(compare, name, False, sp_name, scipy_name)


def numpy_cupy_raises(name="xp", sp_name=None, scipy_name=None, accept_error=Exception):
    """Both raise."""
    warnings.warn(
        "numpy_cupy_raises is deprecated: call the function with each module",
        DeprecationWarning,
        stacklevel=2,
    )

    def compare(got, want):
        raise AssertionError("neither raises")

    return _decorated(compare, name, accept_error, sp_name, scipy_name)


def numpy_satisfies(requirement):
    """Whether the version of NumPy is one of a requirement."""
    from packaging.specifiers import SpecifierSet

    return np.__version__ in SpecifierSet(requirement)
