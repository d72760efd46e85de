"""Arrays of every dtype and layout, on the host and on the device, and how they are compared."""

import numjit.cupy as cp
import numpy as np

INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
DTYPES = ["?", *INTEGERS, "f2", "f4", "f8", "c8", "c16"]


def sample(dtype, shape=(3, 4), seed=0):
    """Numbers that most functions are defined for, some of them equal."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind == "u":
        return rng.integers(0, 9, shape).astype(dtype)
    if dtype.kind == "i":
        return rng.integers(-4, 9, shape).astype(dtype)
    found = rng.integers(-12, 30, shape) / 8
    if dtype.kind == "c":
        found = found + 1j * rng.integers(-12, 30, shape) / 8
    return found.astype(dtype)


def layouts(array):
    """The same elements in memory in several ways, as (host, device)."""
    yield array, cp.array(array)
    yield np.asfortranarray(array), cp.asfortranarray(cp.array(array))
    wide = np.repeat(array, 2, axis=-1)
    yield wide[..., ::2], cp.array(wide)[..., ::2]
    yield array[::-1], cp.array(array)[::-1]
    yield array.T, cp.array(array).T


def tolerance(dtype):
    return {2: 4e-3, 4: 2e-6, 8: 1e-13, 16: 1e-13}.get(np.dtype(dtype).itemsize, 0)


def check(got, want, rtol=None):
    """Compares a device array, or a tuple of them, with what NumPy gives."""
    if isinstance(want, tuple | list):
        assert len(got) == len(want)
        for one, other in zip(got, want):
            check(one, other, rtol)
        return
    want = np.asarray(want)
    assert isinstance(got, cp.ndarray), type(got)
    assert (got.shape, got.dtype) == (want.shape, want.dtype)
    host = got.get()
    if want.dtype.kind in "fc":
        rtol = tolerance(want.dtype) if rtol is None else rtol
        np.testing.assert_allclose(host, want, rtol=rtol, atol=rtol)
    else:
        np.testing.assert_array_equal(host, want)


def both(function, *arrays):
    """function(module, *arrays) with NumPy and with the package, compared: values, dtypes, shapes
    and the classes of errors."""
    try:
        want = function(np, *arrays)
    except Exception as error:
        expected = error
    else:
        check(function(cp, *map(cp.asarray, arrays)), want)
        return
    try:
        found = function(cp, *map(cp.asarray, arrays))
    except Exception as error:
        assert isinstance(error, type(expected)) or isinstance(expected, type(error)), (
            f"{type(error).__name__}: {error}, not {type(expected).__name__}: {expected}"
        )
        return
    raise AssertionError(f"no {type(expected).__name__} ({expected}), but {found}")
