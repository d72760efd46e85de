"""What programs ask of dtypes."""

import numpy as np
import pytest
from numjit import njit
from numjit.errors import TypingError

ARRAYS = [np.zeros(1, code) for code in ("?", "i1", "u4", "f2", "f8", "c8", "M8[s]", "m8[D]")]
TEXTS = [np.zeros(1, "U3"), np.zeros(1, "S2")]


@njit
def asked(x):
    d = x.dtype
    return (
        d.byteorder,
        d.isnative,
        d.hasobject,
        d.metadata is None,
        d.base == d,
        d.shape,
        d.ndim,
        d.newbyteorder("=") == d,
        d == np.object_,
        d is np.dtype("O"),
        d == np.dtype(object),
        isinstance(d, np.dtype),
        isinstance(x, np.dtype),
    )


@pytest.mark.parametrize("x", ARRAYS + TEXTS, ids=lambda x: x.dtype.str)
def test_answers(x):
    assert asked(x) == asked.py_func(x)


@pytest.mark.parametrize("x", ARRAYS[:6], ids=lambda x: x.dtype.str)
def test_numbers_have_no_parts(x):
    @njit
    def f(x):
        return x.dtype.fields, x.dtype.subdtype, x.dtype.names

    assert f(x) == (None, None, None)


def test_records():
    @njit
    def f(x):
        return x.dtype.byteorder, x.dtype.fields

    with pytest.raises(TypingError, match="fields"):
        f(np.zeros(1, [("a", "i4")]))


@pytest.mark.parametrize("x", ARRAYS, ids=lambda x: x.dtype.str)
def test_kinds(x):
    @njit
    def f(x):
        return (
            np.isdtype(x.dtype, "bool"),
            np.isdtype(x.dtype, "signed integer"),
            np.isdtype(x.dtype, "unsigned integer"),
            np.isdtype(x.dtype, "integral"),
            np.isdtype(x.dtype, ("real floating", np.int8, "complex floating")),
            np.isdtype(x.dtype, kind="numeric"),
            np.isdtype(x.dtype, np.float64),
        )

    assert f(x) == f.py_func(x)


def test_names_of_dtypes():
    @njit
    def f():
        return np.dtype("long"), np.dtype("ulong"), np.zeros(2, "long"), np.dtype(None)

    ours, due = f(), f.py_func()
    assert ours[:2] == due[:2] and ours[3] == due[3] and ours[2].dtype == due[2].dtype


def test_other_orders_of_bytes():
    @njit
    def f(x):
        return x.dtype.newbyteorder(">")

    with pytest.raises(TypingError, match="foreign byte order"):
        f(np.zeros(1))
