"""Texts that are numbers, tables of characters, digits of bytes, methods of classes."""

import math

import numpy as np
import pytest
from numjit import njit
from numjit.errors import TypingError


def outcome(function, *arguments):
    try:
        return function(*arguments)
    except (ValueError, OverflowError, TypeError) as error:
        return type(error), str(error)


def alike(a, b):
    if isinstance(b, float) and isinstance(a, float):
        return math.copysign(1, a) == math.copysign(1, b) and (a == b or (a != a and b != b))
    if isinstance(b, complex) and isinstance(a, complex):
        return alike(a.real, b.real) and alike(a.imag, b.imag)
    if isinstance(b, dict):
        return dict(a) == b
    return type(a) is type(b) and a == b


@njit
def as_complex(text):
    return complex(text)


@pytest.mark.parametrize("text", """
    1+2j -1.5e3-2.25j j -j +j 3 -0.0 (1+2j) nan+infj 1e3j +1-j 1_0+2j infinity-nanj
    1e-5-1e+5J -0.0-0.0j 1+2 abc 1+2jj j1 1+j2 (1 1) () + ++1j 1e 1e+j
    """.split() + ["", " ", " ( 1+2j ) ", "1 + 2j", "1+2j\n", "(1+2j", "1 2"])  # fmt: skip
def test_complex_of_texts(text):
    assert alike(outcome(as_complex, text), outcome(complex, text))
    assert alike(outcome(njit(eval(f"lambda: complex({text!r})"))), outcome(complex, text))


@njit
def from_hex(text):
    return float.fromhex(text)


HEX = """0x1.8p0 0x1p-1074 -0x1.fffffffffffffp+1023 1.8 0x.8p1 inf -Infinity 0x1p1024 zz
    0xAp3 0x 0x1p 0x1.00000000000008p0 0x1.00000000000018p0 0x1.000000000000080000000000001p0
    0x1p-1075 0x1.8p-1075 -0x0p0 0x1.fffffffffffff7p+1023 0x1.fffffffffffff8p+1023 0x1.8.8p1
    0x123456789abcdef0123456789p-20 0x0.0000000000000000000000000000123p200 0x.p1 p1 +0x1 -
    0x1p+ 0x1p99999999999 0x1p-99999999999 nan"""


@pytest.mark.parametrize("text", [*HEX.split(), "", "  0x1p3\n", "0x1 p3", "0x1p 3"])
def test_floats_of_digits(text):
    got, wanted = outcome(from_hex, text), outcome(float.fromhex, text)
    assert alike(got, wanted)


def test_digits_of_floats_lead_back():
    for x in np.random.default_rng(5).integers(0, 2**63, 200).view(np.float64).tolist():
        if x == x:
            assert alike(from_hex(x.hex()), x)


PROGRAMS = """
    "abc".translate({97: 98})
    "abc".translate({97: "xy"})
    "abc".translate({97: None})
    "abc".translate("x" * 98)
    "abc".translate(str.maketrans("ab", "xy"))
    "abc".translate(str.maketrans("ab", "xy", "c"))
    "abc".translate(str.maketrans({"a": "b"}))
    "abc".translate(str.maketrans({97: "b", 99: ""}))
    "hello".translate(str.maketrans("", "", "l"))
    "äb€".translate(str.maketrans("ä€", "a$"))
    "ab".translate(str.maketrans("a", "日"))
    str.maketrans("ab", "xy")
    str.maketrans("ab", "x")
    b"abc".translate(bytes.maketrans(b"ab", b"xy"))
    b"abc".translate(None, b"a")
    b"abc".translate(None, delete=b"a")
    b"abc".translate(b"abc")
    bytearray(b"abc").translate(None, b"ab")
    bytes.maketrans(b"ab", b"x")
    b"abc".hex(":")
    b"abcde".hex("-", 2)
    b"abcde".hex("-", -2)
    b"abcde".hex(sep="_", bytes_per_sep=3)
    b"".hex(":")
    b"abc".hex(":", 0)
    b"abc".hex(b" ", 7)
    b"abc".hex("::")
    b"abc".hex("é")
    bytearray(b"ab").hex(" ")
    bytes.fromhex("61 62\\t63")
    bytes.fromhex("6g")
    bytes.fromhex("")
    bytearray.fromhex("FF00")
    3 * b"ab"
    2 * bytearray(b"ab")
    """.strip().split("\n")


@pytest.mark.parametrize("text", [line.strip() for line in PROGRAMS])
def test_tables_and_digits(text):
    function = eval(f"lambda: {text}")
    assert alike(outcome(njit(function)), outcome(function))


METHODS = """
    sorted(["b", "A", "c"], key=str.lower)
    sorted(["b", "A", "c"], key=str.upper, reverse=True)
    max(["b", "A", "c"], key=str.lower)
    min(["b", "A", "c"], key=str.casefold)
    list(map(str.strip, [" a", " b "]))
    list(filter(str.isdigit, ["a", "1"]))
    [str.lower(s) for s in ["A", "b"]]
    str.join(",", ["a", "b"])
    str.split("a b")
    str.replace("aba", "a", "c")
    str.split("a-b-c", "-", maxsplit=1)
    list(map(float.is_integer, [1.0, 2.5]))
    list(map(int.bit_length, [1, 20]))
    list(map(bytes.hex, [b"a", b"b"]))
    list(map(list.copy, [[1], [2]]))
    list.index([1, 2], 2)
    list(map(len, map(str.split, ["a b", "c"])))
    sorted(set.union({1}, {2}))
    dict.get({1: 2}, 3, 4)
    tuple.count((1, 2, 1), 1)
    complex.conjugate(1 + 2j)
    """.strip().split("\n")


@pytest.mark.parametrize("text", [line.strip() for line in METHODS])
def test_methods_of_classes(text):
    function = eval(f"lambda: {text}")
    assert alike(njit(function)(), function())


def test_methods_of_classes_in_variables_and_arguments():
    @njit
    def shown(words, loud):
        change = str.upper if loud else str.lower
        return [change(word) for word in words]

    assert shown(["Ab"], True) == ["AB"]
    assert shown(["Ab"], False) == ["ab"]

    @njit
    def total(a):
        return np.ndarray.sum(a), np.ndarray.reshape(a, (2, 2))[1, 0]

    assert total(np.arange(4)) == (6, 2)


def test_methods_of_another_class():
    with pytest.raises(TypingError, match="'lower' of builtins.str does not apply to int64"):
        njit(lambda x: str.lower(x))(3)


@pytest.mark.parametrize("n", [1, 3, 5, 15])
def test_bools_repeat(n):
    def fizz(n):
        return "Fizz" * (n % 3 == 0) + (n % 5 == 0) * "Buzz" or str(n)

    def lists(n):
        return [1] * (n > 3), (n > 3) * [2, 3], (1, 2) * True, b"a" * (n < 3)

    assert njit(fizz)(n) == fizz(n)
    assert njit(lists)(n) == lists(n)


KINDS = ["[1]", "(1,)", "{1: 2}", "{1}", "'a'", "b'a'", "1", "2.5", "frozenset({1})", "None"]


@pytest.mark.parametrize("a", KINDS)
def test_values_of_different_classes_differ(a):
    for b in KINDS:
        if not ({a, b} & {"1", "2.5"} and {a, b} & {"[1]", "(1,)"}):  # NumPy's compare with items
            function = eval(f"lambda: ({a} == {b}, {a} != {b})")
            assert njit(function)() == function(), b
