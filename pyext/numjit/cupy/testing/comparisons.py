"""numpy.testing's comparisons over device arrays."""

from __future__ import annotations

import numpy as np

from ..interchange import asnumpy

_NAMES = (
    "assert_allclose assert_array_almost_equal assert_array_almost_equal_nulp "
    "assert_array_max_ulp assert_array_equal assert_array_less assert_equal assert_almost_equal"
).split()


def on_host(value):
    """A value with arrays of the host."""
    if type(value) in (list, tuple):
        return type(value)(map(on_host, value))
    if hasattr(value, "__cuda_array_interface__"):
        return asnumpy(value)
    if type(value).__name__ == "poly1d":
        return on_host(value.coeffs)
    return value.toarray() if hasattr(value, "toarray") and hasattr(value, "format") else value


def _compared(name):
    function = getattr(np.testing, name)

    def compare(*args, **keywords):
        if keywords.pop("strides_check", False):
            one, other = (each.strides for each in args[:2])
            assert one == other, f"the strides are {one} and {other}"
        return function(*map(on_host, args), **keywords)

    compare.__name__ = name
    compare.__doc__ = function.__doc__
    return compare


for _name in _NAMES:
    globals()[_name] = _compared(_name)


def assert_array_list_equal(xlist, ylist, err_msg="", verbose=True):
    """Compares lists of arrays, one by one."""
    assert len(xlist) == len(ylist), f"lists of {len(xlist)} and {len(ylist)} arrays"
    for x, y in zip(xlist, ylist):
        np.testing.assert_array_equal(on_host(x), on_host(y), err_msg, verbose)


def assert_warns(expected):
    """A context in which a warning has to be given."""
    import pytest

    return pytest.warns(expected)
