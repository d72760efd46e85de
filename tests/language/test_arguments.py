"""Every kind of argument in arguments.py: the interpreter's result, or an error that names it."""

import enum
import math
import re
import runpy
from pathlib import Path

import numpy as np
import pytest
from language.arguments import KINDS, Size
from numjit import njit, typed, types
from numjit.errors import NumbaError

PAGE = Path(__file__).resolve().parents[2] / "docs" / "make_arguments_page.py"
TAKEN = [each for each in KINDS if not each.refused]
REFUSED = [each for each in KINDS if each.refused]


def identity(x):
    return x


def both(x):
    return x, x


def parts(x):
    return [each for each in x]


def copied(x):
    return x.copy(), x.shape, x.ndim, x.size


same = {function: njit(function) for function in (identity, both, parts, copied)}


def programs(kind, value):
    yield identity
    yield both
    if isinstance(value, np.ndarray):
        yield copied
    elif isinstance(value, (list, set, frozenset, range, dict)) and kind.comes_as != "LiteralList":
        yield parts  # a list of its items has one type


def equal(a, b):
    """Of equal values; numbers with equal bits, but for the payload of NaN."""
    if isinstance(b, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(equal, a, b))
    if isinstance(b, dict):
        return type(a) is type(b) and equal(list(a.items()), list(b.items()))
    if isinstance(b, (float, np.floating)) and not isinstance(a, complex):
        sign = math.copysign(1, a) == math.copysign(1, b)
        return (a != a and b != b) or (a == b and sign)
    if isinstance(b, enum.Enum) and not isinstance(b, Size):
        return a is b
    return a == b


@pytest.mark.parametrize("kind", TAKEN, ids=[each.name for each in TAKEN])
def test_taken(kind):
    for value, again in zip(kind.make(), kind.make()):
        for function in programs(kind, value):
            got, wanted = same[function](value), function(again)
            if isinstance(value, (set, frozenset)) and function is parts:
                got, wanted = set(got), set(wanted)
            assert equal(got, wanted), (function.__name__, value)
        assert equal(value, again), "the argument has changed"


@pytest.mark.parametrize("kind", REFUSED, ids=[each.name for each in REFUSED])
def test_refused(kind):
    for value in kind.make():
        with pytest.raises((NumbaError, TypeError, OverflowError)) as raised:
            same[identity](value)
        assert re.search(kind.refused, str(raised.value).split("\n")[0]), str(raised.value)


SCALARS = [each for each in TAKEN if each.group == "scalars" and each.comes_as[-1].isdigit()]


@pytest.mark.parametrize("kind", SCALARS, ids=[each.name for each in SCALARS])
def test_scalars_in_every_container(kind):
    """Alone, in lists, tuples and typed containers they are of one type, which holds the value."""
    type = getattr(types, kind.comes_as)
    for value in kind.make():
        assert equal(same[identity](value), value)
        assert equal(same[parts]([value, value]), [value, value])
        assert equal(same[identity]((value, (value,))), (value, (value,)))
        assert equal(list(same[identity](typed.List([value]))), [value])
        assert typed.List([value])._dtype == type
        table = typed.Dict.empty(types.int64, type)
        table[5] = value
        assert equal(table[5], value)
        if value == value:
            keys = typed.Dict.empty(type, types.int64)
            keys[value] = 1
            assert equal(list(keys), [value]) and keys[value] == 1
        assert equal(list(same[parts](typed.Set([value]))), [value])
        assert equal(njit(lambda x=value: x)(), value)
        assert equal(njit(lambda: value)(), value)


def test_page_is_current():
    made = runpy.run_path(str(PAGE))["page"]()
    assert PAGE.with_name("arguments.md").read_text() == made, (
        "run python docs/make_arguments_page.py"
    )


def test_matrices_are_arrays():
    def f(a):
        return isinstance(a, np.matrix), isinstance(a, np.ndarray)

    assert njit(f)(np.eye(2)) == njit(f)(np.matrix([[1.0]])) == (False, True)
