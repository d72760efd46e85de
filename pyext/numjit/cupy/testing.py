"""cupy.testing: numpy.testing's comparisons over device arrays."""

from __future__ import annotations

import numpy as np

from .interchange import asnumpy

_NAMES = (
    "assert_allclose assert_array_almost_equal assert_array_almost_equal_nulp "
    "assert_array_max_ulp assert_array_equal assert_array_less assert_equal assert_almost_equal"
).split()


def _compared(name):
    function = getattr(np.testing, name)

    def compare(*args, **keywords):
        return function(*map(_on_host, args), **keywords)

    compare.__name__ = name
    compare.__doc__ = function.__doc__
    return compare


def _on_host(value):
    return asnumpy(value) if hasattr(value, "__cuda_array_interface__") else value


for _name in _NAMES:
    globals()[_name] = _compared(_name)


def assert_array_list_equal(xlist, ylist, err_msg="", verbose=True):
    """Compares lists of arrays, one by one."""
    assert len(xlist) == len(ylist), f"lists of {len(xlist)} and {len(ylist)} arrays"
    for x, y in zip(xlist, ylist):
        np.testing.assert_array_equal(_on_host(x), _on_host(y), err_msg, verbose)


def shaped_arange(shape, xp=None, dtype=np.float32, order="C"):
    """Numbers from 1 in a shape."""
    import numjit.cupy

    found = np.arange(1, int(np.prod(shape)) + 1).reshape(shape).astype(dtype)
    return (xp or numjit.cupy).array(found, order=order)


def shaped_random(shape, xp=None, dtype=np.float32, scale=10, seed=0, order="C"):
    """Random numbers in a shape."""
    import numjit.cupy

    generator = np.random.RandomState(seed)
    found = np.asarray(generator.rand(*shape) * scale).astype(dtype)
    return (xp or numjit.cupy).array(found, order=order)
