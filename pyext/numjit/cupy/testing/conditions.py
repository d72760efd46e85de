"""Tests of what is random: they may fail some of several times."""

from __future__ import annotations

import functools
import unittest

import numpy as np


def repeat_with_success_at_least(times, min_success):
    """Runs a test so many times, of which so many have to succeed."""
    assert times >= min_success, "more successes than runs"

    def decorator(test):
        @functools.wraps(test)
        def repeated(*args, **keywords):
            first = None
            successes = failures = 0
            while successes < min_success and failures <= times - min_success:
                try:
                    test(*args, **keywords)
                    successes += 1
                except _skips():
                    raise
                except Exception as error:
                    failures += 1
                    first = first or error
            if successes < min_success:
                raise AssertionError(
                    f"{successes} of {successes + failures} runs succeeded, at least "
                    f"{min_success} of {times} have to\n\nfirst error message: {first}"
                ) from first

        return repeated

    return decorator


def repeat(times, intensive_times=None):
    """Runs a test so many times; each has to succeed."""
    return repeat_with_success_at_least(times, times)


def retry(times):
    """Runs a test until it succeeds, at most so many times."""
    return repeat_with_success_at_least(times, 1)


def _skips():
    import pytest

    return unittest.SkipTest, pytest.skip.Exception


#: Quantiles of the normal distribution.
_NORMAL = {0.05: 1.6448536269514722, 0.01: 2.3263478740408408}


def chi_square_test(observed, expected, alpha=0.05, df=None):
    """Whether counts may come from a distribution with the expected ones: Pearson's test, with the
    limit of Wilson and Hilferty."""
    if alpha not in _NORMAL:
        raise ValueError("alpha is 0.05 or 0.01")
    observed, expected = np.asarray(observed, float), np.asarray(expected, float)
    freedom = observed.size - 1 if df is None else df
    part = 2 / (9 * freedom)
    limit = freedom * (1 - part + _NORMAL[alpha] * part**0.5) ** 3
    return bool(((observed - expected) ** 2 / expected).sum() < limit)
