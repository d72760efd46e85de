"""Numbers as text and back; f-strings and format specifications."""

import math
from collections import Counter, deque
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from language.support import assert_same, compiled
from numjit import njit

FLOATS = [
    0.0, -0.0, 1.0, -1.5, 0.1, 1 / 3, 1e15, 1e16, 123456789012345680.0, 1e-4, 9.9e-5, 1e22, 1e100,
    5e-324, 1.7976931348623157e308, math.inf, -math.inf, math.nan, 100.0, 12345.678, 2.5, 0.5,
]  # fmt: skip


def test_str_of_numbers():
    def f(i, x, b):
        return str(i), repr(i), str(x), repr(x), str(b), str(None), str(x * 1j)

    for x in FLOATS:
        for i, b in ((0, True), (-(2**63), False), (2**63 - 1, True), (42, False)):
            assert_same(f, i, x, b)


def test_str_of_small_types():
    @njit
    def f(a):
        return [str(x) for x in a]

    for dtype in ("i1", "u1", "u8", "f4", "?", "c16", "i4"):
        a = np.array([0, 1, 7, 100], dtype)
        assert f(a) == [str(x) for x in a.tolist()]
    small = np.array([0.1, 1e10, 1e-5, 3.4e38, 1 / 3], "f4")
    assert f(small) == [str(x) for x in small]
    assert f(np.array([2**64 - 1], "u8")) == [str(2**64 - 1)]


def test_format_of_small_types():
    @njit
    def f(a):
        return [f"{x} {x!s} {x!r}" for x in a], [format(x) for x in a], ["{}".format(x) for x in a]

    def expected(a):
        reprs = [repr(x.item()) if a.dtype in ("f8", "c16") else str(x) for x in a]
        pairs = list(zip(a, reprs, strict=True))
        return [f"{x} {x!s} {r}" for x, r in pairs], *([format(x) for x in a] for _ in range(2))

    for dtype in ("f2", "f4", "f8", "c8", "c16"):
        a = np.array([0.1, -1.1, 3, np.nan], dtype)
        assert f(a) == expected(a)


def test_str_of_tuples_and_lists():
    def f(i, x, s):
        return (
            str((i, x, s)),
            str((i,)),
            str([i, i]),
            repr(s),
            str(()),
            str([s, "a'b"]),
            str((s, None)),
        )

    assert_same(f, 1, 2.5, "ä'\"\n\x00\u200b😀")
    assert_same(f, -1, math.nan, "")


@settings(max_examples=300, deadline=None)
@given(st.floats())
def test_repr_of_any_float(x):
    assert _repr(x) == repr(x)


@njit
def _repr(x):
    return str(x)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=12))
def test_repr_of_any_string(s):
    assert _repr_of_string(s) == (repr(s), ascii(s), s)


@njit
def _repr_of_string(s):
    return repr(s), ascii(s), str(s)


def test_ascii_of_what_holds_texts():
    def f(s, n):
        return (
            ascii([s, "b"]), ascii({s: n}), ascii({s}), ascii((s, n)), ascii([(s, [s])]),
            ascii(deque([s])), ascii(Counter([s])), ascii([n]), ascii(n), ascii(None),
            f"{[s]!a} {n!a} {s}", "%a %s" % ([s], s),
        )  # fmt: skip

    for s in ("a", "é", "€\n", "😀", "'\"\xff", "\ud800"):
        assert_same(f, s, 1)


def test_ascii_of_objects():
    @dataclass
    class Named:
        name: str

        def __repr__(self):
            return "<" + self.name + ">"

    def f(s):
        return ascii(Named(s)), ascii([Named(s)]), repr(Named(s))

    for s in ("a", "é", "😀"):
        assert_same(f, s)


INTEGERS = [
    "0", "12", "-7", "+5", " 42\n", "1_000", "9223372036854775807", "-9223372036854775808",
    "9223372036854775808", "", " ", "x", "1__0", "_1", "1_", "0x10", "٣٤", "12.5", "-", "ff", "0b1",
    "\u20033\u2003", "1 2", "010", "00",
]  # fmt: skip


def test_int_of_strings():
    def f(s):
        return int(s)

    def with_base(s, base):
        return int(s, base)

    for s in INTEGERS:
        if s == "9223372036854775808":
            with pytest.raises(OverflowError):
                compiled(f)(s)
            continue
        assert_same(f, s)
        for base in (0, 2, 8, 10, 16, 36, 1, 37):
            if len(s) < 19 or base < 16 or base > 36:
                assert_same(with_base, s, base)
    with pytest.raises(ValueError, match=r"^invalid literal for int\(\) with base 10: 'x€'$"):
        compiled(f)("x€")


def test_float_of_strings():
    def f(s):
        return float(s)

    for s in [
        *INTEGERS, "1.5", ".5", "5.", "1e5", "1E-5", "inf", "-Infinity", "nan", "NaN", "1e400",
        "1e-400", "1.7976931348623159e308", "0.1e", "e5", "1_0.2_5", "0x1p3", "nan(1)", ".", "+-1",
        "١.٥", "infinit", "2.4703282292062328e-324", "1.5.2",
    ]:  # fmt: skip
        assert_same(f, s)
    with pytest.raises(ValueError, match=r"^could not convert string to float: 'x'$"):
        compiled(f)("x")


@settings(max_examples=200, deadline=None)
@given(st.floats(allow_nan=False))
def test_float_round_trip(x):
    assert _round_trip(x) == x


@njit
def _round_trip(x):
    return float(str(x))


# -- f-strings -------------------------------------------------------------------------------------


def test_plain():
    def f(i, x, s, b):
        return f"{i} and {x}, {s!r}{s!s}{s!a} {b} {i}{x}", f"{s}", f"", f"text", f"{i}"  # noqa: F541

    for s in ("a", "ä€'", "😀"):
        assert_same(f, 3, 2.5, s, True)
    assert_same(f, -3, 1e100, "", False)


INTEGER_SPECS = [
    "d", "5d", "<5d", "^7d", "05d", "+d", " d", "+05d", ",", "_", "12,", "012,", "010_", "x", "#x",
    "X", "#X", "o", "#o", "b", "#b", "#012b", "_b", "#_x", "020_x", "c", "5c", "e", ".2f", "8.3g",
    "%", "*>8", "€^9", "=+8", "x=8", "n", "", "1", "04,", "03,", "05,", "06,", "07,", "08,d",
    "05_X", "06_x", "#07_X", "011_b", "012_o", "=#08_x",
]  # fmt: skip
FLOAT_SPECS = [
    ".3f", "10.2f", "<10.2f", "^10.1e", "010.3f", "+.2f", " .2f", ",.2f", "_.3f", "015,.2f", "e",
    ".0e", "E", ".3E", "g", ".3g", "#.3g", "G", ".10g", "%", ".1%", "f", "F", ".0f", "#.0f", "10",
    ".3", ".15", "#", "+", "n", ".20f", "z.0f", "08.1f", "*^+12.3f", "=+10", "020,", "", ".50g",
    "#.0e", "012,.1e",
]  # fmt: skip
STRING_SPECS = ["", "s", "10", "<10", ">10", "^10", "*^9", "€>6", ".2", "8.3", "010", ".0s", "x<3"]


def formatter(spec):
    """A function whose format specification is a constant."""
    space = {}
    exec(f"def f(x):\n    return f'{{x:{spec}}}'", space)
    return space["f"]


@njit
def by_run_time_spec(x, spec):
    return format(x, spec)


def test_integer_specifications():
    for value in (0, 1, -1, 42, 160, -1234567, 9**18, 65):
        for spec in INTEGER_SPECS:
            if spec.endswith("c") and value < 0:
                continue
            try:
                expected = format(value, spec)
            except (ValueError, OverflowError):
                continue
            assert by_run_time_spec(value, spec) == expected, (value, spec)


def test_float_specifications():
    for value in [*FLOATS, 1234567.891, 1e-10, -0.04, 0.05, 999999.5]:
        for spec in FLOAT_SPECS:
            assert by_run_time_spec(value, spec) == format(value, spec), (value, spec)


def test_string_specifications():
    for value in ("", "abc", "äö€", "a longer text"):
        for spec in STRING_SPECS:
            assert by_run_time_spec(value, spec) == format(value, spec), (value, spec)


def test_constant_specifications():
    for spec, value in (
        (".3f", 2.0 / 3),
        (">8,d", 12345),
        ("^7s", "ab"),
        ("#06x", 255),
        ("", True),
    ):
        assert_same(formatter(spec), value)

    def nested(x, w, p):
        return f"{x:{w}.{p}f}|{x:>{w}}|{w:0{p}d}"

    assert_same(nested, 3.14159, 10, 3)


def test_wrong_specifications():
    for value, spec in (
        (1, "s"), (1.5, "d"), ("a", "d"), ("a", "=5"), ("a", "+"), (1, ".2d"), (1, ",x"),
        ("a", ","), (1.5, ".f"), (1.5, "5.2fx"), ("a", "#"), (1, "99999999999999999999d"),
    ):  # fmt: skip
        with pytest.raises(ValueError) as caught:
            by_run_time_spec(value, spec)
        with pytest.raises(ValueError) as theirs:
            format(value, spec)
        assert str(caught.value) == str(theirs.value)


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(st.integers(-(2**63), 2**63 - 1), st.floats()),
    st.sampled_from("<>=^ "),
    st.sampled_from(["", "+", " ", "-"]),
    st.booleans(),
    st.booleans(),
    st.one_of(st.none(), st.integers(0, 40)),
    st.sampled_from(["", ",", "_"]),
    st.one_of(st.none(), st.integers(0, 30)),
    st.sampled_from(["", "d", "x", "b", "e", "f", "g", "%", "E", "G", "o", "X"]),
)
def test_any_specification(value, align, sign, alternate, zero, width, group, precision, kind):
    spec = align.strip() + sign + "#" * alternate + "0" * zero
    spec += "" if width is None else str(width)
    spec += group + ("" if precision is None else f".{precision}") + kind
    try:
        expected = format(value, spec)
    except ValueError as error:
        with pytest.raises(ValueError) as caught:
            by_run_time_spec(value, spec)
        assert str(caught.value) == str(error)
    else:
        assert by_run_time_spec(value, spec) == expected


def test_message_of_an_exception():
    def f(i):
        raise ValueError(f"value {i:03d} is wrong")

    with pytest.raises(ValueError, match="^value 007 is wrong$"):
        compiled(f)(7)


def test_other_bases():
    def f(x):
        return bin(x), oct(x), hex(x)

    for x in (0, 5, -255, 2**63 - 1, -(2**63), 2**64 - 1, True):
        assert_same(f, x)
