"""Random programs give what the interpreter gives, and leave no memory behind."""

import gc
import math

import numpy as np
from hypothesis import HealthCheck, example, given, note, settings
from hypothesis import strategies as st
from language.engine import live_blocks
from language.programs import array_programs, scalar_programs
from language.support import check_same, clone
from numjit import njit

# The number of programs is what the time allows; tests/exhaustive runs more of them.
common = dict(
    deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None
)


def load(source, decorate):
    """The program's functions, each one decorated before the next refers to it."""
    namespace = {}
    for part in source.split("\ndef "):
        text = part if part.startswith("def ") else "def " + part
        exec(compile(text, "<program>", "exec"), namespace)
        name = text[4 : text.index("(")]
        namespace[name] = decorate(namespace[name])
    return namespace["main"]


def outcome(f, args):
    try:
        return f(*args)
    except (ValueError, IndexError, ZeroDivisionError, OverflowError) as error:
        return type(error).__name__


def compare_scalars(source, inputs):
    plain, fast = load(source, lambda f: f), load(source, njit)
    for args in inputs:
        expected = outcome(plain, args)
        if isinstance(expected, tuple) and any(
            isinstance(v, int) and abs(v) >= 2**62 for v in expected
        ):
            continue
        check_same(outcome(fast, args), expected, where=f"main{args}")


INPUTS = [(3, -7, 0.5, True), (0, 0, -0.0, False), (12, 100, -2.25, False), (-5, 8, math.inf, True)]


@settings(max_examples=60, **common)
@given(scalar_programs())
def test_scalar_programs(source):
    note(source)
    compare_scalars(source, INPUTS)


def compare_arrays(source):
    plain, fast = load(source, lambda f: f), load(source, njit)
    # Strided, so that a list of them has room for views and new arrays alike.
    a, b = (np.arange(12.0) / 4)[::2], (np.arange(12.0) / 8)[::-2]
    before = live_blocks()
    for n in (0, 1, 3):
        mine, theirs = clone((a, b)), clone((a, b))
        with np.errstate(all="ignore"):
            expected = outcome(plain, (*theirs, n))
        actual = outcome(fast, (*mine, n))
        check_same(actual, expected, 1e-15, f"n = {n}")
        check_same(mine, theirs, 1e-15, f"arguments, n = {n}")
        del actual
    if live_blocks() != before:
        gc.collect()
    assert live_blocks() == before, "memory was not released"


@settings(max_examples=50, **common)
@given(array_programs())
def test_array_programs(source):
    note(source)
    compare_arrays(source)


floats = st.floats(width=64)


@njit
def mix(a, b, n):
    total = a
    for i in range(n):
        total = total * b if total < 1e3 else total - b
        if i % 2 == 0 and not total != total:
            total = -total
    return total, a < b, a == b, min(a, b), max(a, b), abs(a)


@settings(max_examples=200, **common)
@given(floats, floats, st.integers(0, 20))
@example(math.nan, -0.0, 3)
def test_float_inputs(a, b, n):
    check_same(mix(a, b, n), mix.py_func(a, b, n))


@njit
def bits(a, b):
    return a + b, a * b, a - b, a & b, a | b, a ^ b, ~a, a < b, a == b


@settings(max_examples=200, **common)
@given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1))
def test_int_inputs(a, b):
    wrapped = tuple(
        v if isinstance(v, bool) else (v + 2**63) % 2**64 - 2**63 for v in bits.py_func(a, b)
    )
    check_same(bits(a, b), wrapped)


@njit
def quotient(a, b):
    return a // b, a % b


@settings(max_examples=200, **common)
@given(st.integers(-(2**62), 2**62), st.integers(-(2**40), 2**40).filter(bool))
def test_division_inputs(a, b):
    assert quotient(a, b) == (a // b, a % b)
    x, y = a / 64, b / 16
    check_same(quotient(x, y), (x // y, x % y))
