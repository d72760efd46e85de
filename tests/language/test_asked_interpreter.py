"""Functions that the interpreter executes for compiled code: library/python/asked_names.py."""

import gc
import os
import platform
import struct
import unicodedata
import zlib

import numpy as np
import pytest
from numjit import njit
from numjit.library.python.asked_names import ASKED


def texts(x):
    return np.array2string(x, precision=2), np.array_repr(x), np.array_str(x, max_line_width=40)


def numbers(x):
    return np.format_float_positional(x), np.format_float_scientific(x, precision=3)


def paths(text):
    parts = os.path.join(text, "b"), os.path.dirname(text), os.path.splitext(text)
    return parts, os.path.exists(text), os.path.isdir("/"), os.fspath(text), os.getcwd()


def characters(text):
    return [unicodedata.category(c) for c in text], unicodedata.normalize("NFD", text)


def sizes(text):
    return struct.calcsize(text), os.getpid(), platform.system(), gc.isenabled()


def sums(data):
    return zlib.crc32(data), zlib.adler32(data, 1)


@pytest.mark.parametrize(
    "function, argument",
    [
        (texts, np.arange(6.0).reshape(2, 3) / 7),
        (numbers, 0.1),
        (paths, "/tmp/a.txt"),
        (characters, "aÄ 1"),
        (sizes, "iid"),
        (sums, b"abc"),
    ],
)
def test_as_python(function, argument):
    assert njit(function)(argument) == function(argument)


def test_errors_are_pythons():
    @njit
    def look_up(name):
        try:
            return unicodedata.lookup(name)
        except KeyError:
            return "none"

    assert look_up("GREEK SMALL LETTER ALPHA") == "α"
    assert look_up("no such character") == "none"


def test_assertions():
    @njit
    def compare(x, y, rtol):
        np.testing.assert_allclose(x, y, rtol=rtol)
        np.testing.assert_array_equal(x, x, err_msg="the same")
        return x.sum()

    x = np.arange(1.0, 4.0)
    assert compare(x, x + 1e-9, 1e-3) == 6.0
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        compare(x, x + 1, 1e-3)


def test_every_name_is_found():
    import importlib

    for names in ASKED.values():
        for name in names.split():
            module, _, attribute = name.rpartition(".")
            assert callable(getattr(importlib.import_module(module), attribute)), name


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "u4"])
def test_numbers_keep_their_dtypes(dtype):
    @njit
    def write(x):
        return np.format_float_positional(x[0] / x[1])

    x = np.array([1, 3], dtype)
    assert write(x) == np.format_float_positional(x[0] / x[1])

    @njit
    def compare(x, y):
        np.testing.assert_array_almost_equal_nulp(x[0], y[0], nulp=1)

    if x.dtype.kind == "f":
        compare(x, np.nextafter(x, x.dtype.type(9)))
        with pytest.raises(AssertionError):
            compare(x, np.nextafter(np.nextafter(x, x.dtype.type(9)), x.dtype.type(9)))
