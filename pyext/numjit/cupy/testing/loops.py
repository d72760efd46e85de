"""Decorators that run a test for several dtypes, orders or axes."""

from __future__ import annotations

import functools
import inspect
import itertools
import os

import numpy as np

_FLOATS = (np.float64, np.float32)
_COMPLEX = (np.complex64, np.complex128)
_SIGNED = (np.int8, np.int16, np.int32, np.int64)
_UNSIGNED = (np.uint8, np.uint16, np.uint32, np.uint64)


def _looped(rows):
    """Runs a test with each of several dicts of keywords; the failing ones are named."""

    def decorator(function):
        @functools.wraps(function)
        def test(*args, **keywords):
            import pytest

            for row in rows:
                try:
                    function(*args, **(keywords | row))
                except pytest.skip.Exception:
                    continue
                except Exception as error:
                    named = {key: getattr(v, "__name__", v) for key, v in row.items()}
                    error.add_note(f"with {named}")
                    raise

        test.__signature__ = without(function, set(rows[0]) if rows else set())
        return test

    return decorator


def without(function, names):
    """The signature that a test runner sees, without what a decorator passes."""
    signature = inspect.signature(function)
    kept = [each for key, each in signature.parameters.items() if key not in names]
    return signature.replace(parameters=kept)


def _wraps_partial(wrapped, *names):
    """functools.wraps for a test to which a decorator passes arguments of these names."""

    def decorator(test):
        test = functools.wraps(wrapped)(test)
        test.__signature__ = without(wrapped, names)
        return test

    return decorator


def _wraps_partial_xp(wrapped, name, sp_name=None, scipy_name=None):
    return _wraps_partial(wrapped, name, sp_name, scipy_name)


def _contains_signed_and_unsigned(keywords):
    """Whether arguments have both unsigned dtypes and others."""
    found = {np.dtype(each) for each in keywords.values() if isinstance(each, (type, np.dtype))}
    unsigned = {each for each in found if each.kind == "u"}
    return bool(unsigned) and any(each.kind in "ifc" for each in found)


def _floats(no_float16):
    return _FLOATS if no_float16 else (*_FLOATS, np.float16)


def _integers(no_bool):
    return (*_SIGNED, *_UNSIGNED) if no_bool else (*_SIGNED, *_UNSIGNED, np.bool_)


def _all(no_float16, no_bool, no_complex):
    found = (*_floats(no_float16), *_integers(no_bool))
    return found if no_complex else (*found, *_COMPLEX)


def for_dtypes(dtypes, name="dtype"):
    """Runs a test for each dtype."""
    return _looped([{name: each if each is None else np.dtype(each).type} for each in dtypes])


def for_all_dtypes(
    name="dtype", no_float16=False, no_bool=False, no_complex=False, additional_args=()
):
    return for_dtypes((*_all(no_float16, no_bool, no_complex), *additional_args), name)


def for_float_dtypes(name="dtype", no_float16=False):
    return for_dtypes(_floats(no_float16), name)


def for_signed_dtypes(name="dtype"):
    return for_dtypes(_SIGNED, name)


def for_unsigned_dtypes(name="dtype"):
    return for_dtypes(_UNSIGNED, name)


def for_int_dtypes(name="dtype", no_bool=False):
    return for_dtypes(_integers(no_bool), name)


def for_complex_dtypes(name="dtype"):
    return for_dtypes(_COMPLEX, name)


def for_dtypes_combination(types, names=("dtype",), full=None):
    """Runs a test for combinations of dtypes: all of them, or each dtype beside a few others."""
    types = list(types)
    if full is None:
        full = int(os.environ.get("CUPY_TEST_FULL_COMBINATION", "0")) != 0
    if full:
        rows = [dict(zip(names, row)) for row in itertools.product(types, repeat=len(names))]
    else:
        rows = [
            {name: types[(i + shift * k) % len(types)] for k, name in enumerate(names)}
            for shift in (0, 1, 5) for i in range(len(types))
        ]  # fmt: skip
    return _looped(rows)


def for_all_dtypes_combination(
    names=("dtyes",), no_float16=False, no_bool=False, full=None, no_complex=False
):
    return for_dtypes_combination(_all(no_float16, no_bool, no_complex), names, full)


def for_signed_dtypes_combination(names=("dtype",), full=None):
    return for_dtypes_combination(_SIGNED, names, full)


def for_unsigned_dtypes_combination(names=("dtype",), full=None):
    return for_dtypes_combination(_UNSIGNED, names, full)


def for_int_dtypes_combination(names=("dtype",), no_bool=False, full=None):
    return for_dtypes_combination(_integers(no_bool), names, full)


def for_orders(orders, name="order"):
    """Runs a test for each order of memory."""
    return _looped([{name: each} for each in orders])


def for_CF_orders(name="order"):
    return for_orders([None, "C", "F", "c", "f"], name)


def for_contiguous_axes(name="axis"):
    """Runs a test of a class with `shape` and `order_of_array` for the axes that are contiguous."""

    def decorator(function):
        @functools.wraps(function)
        def test(self, *args, **keywords):
            count = len(self.shape)
            for n in range(1, count):
                first = self.order in ("f", "F")
                axes = tuple(range(n)) if first else tuple(range(count - n, count))
                function(self, *args, **keywords, **{name: axes})

        test.__signature__ = without(function, {name})
        return test

    return decorator
