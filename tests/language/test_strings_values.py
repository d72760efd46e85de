"""Strings as values: in and out, items, parts, operators, over all sizes of characters."""

import numpy as np
import pytest
from language.support import assert_same, compiled
from numjit import njit, typeof, types
from numjit.errors import TypingError
from numjit.extending import overload, overload_method

ASCII, LATIN, WIDE, ASTRAL = "abcabc", "abcäöü\xffabc", "abc€αβγabc", "abc😀𝒳abc"
STRINGS = ["", "a", ASCII, LATIN, WIDE, ASTRAL, "ä", "€", "😀", "\0", "\ud800x"]


@pytest.mark.parametrize("s", STRINGS, ids=ascii)
def test_pass_and_return(s):
    def f(s):
        return s

    assert compiled(f)(s) is s  # nothing is copied


def test_one_specialisation_serves_all_strings():
    @njit
    def f(s):
        return len(s)

    assert [f(s) for s in STRINGS] == [len(s) for s in STRINGS]
    assert f.signatures == [(types.unicode_type,)]
    assert f.nopython_signatures[0].return_type == types.int64


def test_signatures():
    @njit(types.unicode_type(types.unicode_type, types.int64))
    def f(s, n):
        return s * n

    @njit("unicode_type(unicode_type)")
    def g(s):
        return s

    assert f("äb", 2) == "äbäb"
    assert g(WIDE) == WIDE
    with pytest.raises(TypeError):
        g(1)


def test_typeof():
    assert typeof("a") is types.unicode_type
    assert str(typeof(("a", 1))) == "Tuple(unicode_type, int64)"
    assert str(typeof(["a"])) == "reflected list(unicode_type)<iv=None>" or str(
        typeof(["a"])
    ).startswith("reflected list(unicode_type)")


@pytest.mark.parametrize("s", STRINGS, ids=ascii)
def test_items_and_iteration(s):
    def f(s, i):
        return s[i], s[-i - 1]

    def g(s):
        seen = []
        for c in s:
            seen.append(c)
        for i, c in enumerate(s):
            seen.append(c * i)
        return seen, [c for c in reversed(s)], len(s), bool(s), not s

    for i in range(len(s)):
        assert_same(f, s, i)
    if s:
        assert_same(g, s)
    with pytest.raises(IndexError, match="string index out of range"):
        compiled(f)(s, len(s))


@pytest.mark.parametrize("s", [ASCII, LATIN, WIDE, ASTRAL, ""], ids=ascii)
def test_slices(s):
    def f(s, i, j):
        return s[i:j], s[i:], s[:j], s[:], s[i:j:2], s[j:i:-1], s[::-1], s[i:j][1:], s[::3]

    def stepped(s, i, j, k):
        return s[i:j:k]

    for i in range(-8, 9, 3):
        for j in range(-8, 9, 2):
            assert_same(f, s, i, j)
            assert_same(stepped, s, i, j, 2)
    assert_same(stepped, s, 5, 1, -2)
    assert_same(stepped, s, 0, 5, 0)


@pytest.mark.parametrize("a", STRINGS, ids=ascii)
def test_comparisons(a):
    def f(a, b):
        return a == b, a != b, a < b, a <= b, a > b, a >= b, a in b, a not in b, a + b

    def views(a, b, c):  # a part of a wide string may hold narrow characters
        part = (c + b)[len(c) :]
        return a == part, part == a, a < part, part in a, a in part, hash(part) == hash(b)

    for b in STRINGS:
        assert_same(f, a, b)
        assert_same(views, a, b, "😀")
        assert_same(views, a, b, "€")
    assert_same(f, a, a + "x")


def test_with_literals():
    def f(s):
        return (
            s == "a",
            "a" == s,
            s == "",
            s != "€",
            s == "abcäöü\xffabc",
            s < "b",
            "b" < s,
            s in "abc",
            "b" in s,
            s + "x",
            "€" + s,
            s in ("a", "€"),
            "a" == "a",
            "a" == "b",
            "a" < "b",
            s == 1,
            s is None,
        )

    for s in STRINGS:
        assert_same(f, s)


def test_literals_become_strings_where_they_meet():
    def choose(n):
        s = "none"
        if n == 1:
            s = "ein"
        elif n > 1:
            s = "mehr als €"
        return s

    def grow(n):
        s = ""
        for i in range(n):
            s += "ä" if i % 2 else "b"
        return s

    def one():
        return "only"

    def maybe(n):
        s = None
        if n:
            s = "x"
        return s, s == "x", s != "x"

    for n in range(4):
        assert_same(choose, n)
        assert_same(grow, n)
        assert_same(maybe, n)
    assert_same(grow, 100)
    assert_same(one)
    assert str(compiled(one).nopython_signatures[0].return_type) == "unicode_type"


def test_tuples_and_lists():
    def f(s, i):
        names = ("eins", "zwei", "drei")
        mixed = (s, "lit", 3)
        lit = ["a", s, "c"]
        lit.append(s + "!")
        lit.sort()
        return names[i], mixed, lit, [n for n in names], names[i] in names, len(names)

    for i in (0, 2, -1):
        assert_same(f, "bä", i)


def test_lists_of_strings_from_python():
    def f(l):
        l.append("neu")
        l[0] = l[0] + l[-1]
        return sorted(l), max(l), min(l), l.index("neu"), l.count("b"), "b" in l

    assert_same(f, ["b", "€", "a", "b", "😀"])


def test_sorting():
    def f(l):
        return sorted(l), sorted(l, reverse=True)

    assert_same(f, ["b", "", "€x", "a", "b", "ab", "😀", "ä", "z", "a"])

    def smallest(a, b, c):
        return min(a, b, c), max(a, b, c)

    assert_same(smallest, "b", "ä", "a")


def test_hash():
    def f(s):
        return hash(s), hash(s[1:])

    for s in STRINGS[:-1]:
        assert_same(f, s)


def test_ord_and_chr():
    def f(s):
        return [ord(c) for c in s], [chr(ord(c)) for c in s]

    for s in STRINGS:
        if s:
            assert_same(f, s)

    def g(n):
        return chr(n)

    for n in (0, 65, 255, 256, 0xFFFF, 0x10000, 0x10FFFF, 0x110000, -1):
        assert_same(g, n)

    def h(s):
        return ord(s)

    with pytest.raises(TypeError, match="expected a character"):
        compiled(h)("ab")


def test_repetition():
    def f(s, n):
        return s * n, n * s

    for n in (-1, 0, 1, 3):
        assert_same(f, "äb", n)
        assert_same(f, "€", n)


def test_calls_between_functions():
    @njit
    def shout(s, mark="!"):
        return s + mark

    @njit
    def f(s):
        return shout(s), shout("lit"), shout(s, "?"), shout(mark="€", s=s)

    assert f("a") == ("a!", "lit!", "a?", "a€")


def test_modes_decide_as_before():
    def f(a, how):
        if how == "sum":
            return a.sum()
        elif how == "max":
            return a.max()
        return -1.0

    def g(a):
        return np.zeros(3, dtype="f4"), a.flatten("F"), a.astype("int64")

    a = np.arange(6.0).reshape(2, 3)
    for how in ("sum", "max", "other"):
        assert_same(f, a, how)
    assert_same(g, a)


def test_recursion():
    def reversed_text(s):
        return s if len(s) < 2 else jitted(s[1:]) + s[0]

    jitted = njit(reversed_text)
    assert jitted("abc€") == "€cba"


def test_strings_outlive_their_parts():
    @njit
    def f(n):
        parts = []
        for i in range(n):
            whole = "x" * i + "€"
            parts.append(whole[i:])
        return parts

    assert f(50) == ["€"] * 50


def test_print(capfd):
    @njit
    def f(s):
        print(s, "lit", s[1:], 3)

    f("äb€")
    assert capfd.readouterr().out == "äb€ lit b€ 3\n"


def test_raise_with_a_string():
    def f(s):
        raise ValueError("no " + s)

    with pytest.raises(ValueError, match="^no ä€$"):
        compiled(f)("ä€")


def test_wrong_operands_are_explained():
    @njit
    def f(s, n):
        return s + n

    with pytest.raises(TypingError, match=r"(?s)unicode_type, int64.*str\("):
        f("a", 1)

    @njit
    def g(s):
        s[0] = "x"

    with pytest.raises(TypingError, match="setitem"):
        g("a")

    @njit
    def h(s):
        return s.nothing()

    with pytest.raises(TypingError, match="Unknown attribute 'nothing'"):
        h("a")

    @njit
    def k(s):
        return s.find(1)

    with pytest.raises(TypingError, match="a string is wanted"):
        k("a")


def test_overloads_for_strings():
    @overload_method(types.UnicodeType, "shouted")
    def shouted(self, times=1):
        return lambda self, times=1: self.upper() + "!" * times

    def width(x):
        raise NotImplementedError

    @overload(width)
    def width_callback(x):
        if isinstance(x, types.UnicodeType):
            return lambda x: len(x)
        if isinstance(x, types.Integer):
            return lambda x: 0

    @njit
    def f(s):
        return s.shouted(), "lit".shouted(2), width(s), width("four"), width(3)

    assert f("ä") == ("Ä!", "LIT!!", 1, 4, 0)


def test_texts_of_dicts_sets_and_ranges():
    def f(x):
        d = {x: "a", x + 1: "it's"}
        s = {x}
        s.discard(x)
        return str(d), f"{ {x} }", str(s), str(range(x)), repr(range(1, x, 2)), str([{x: 1.5}])

    assert_same(f, 5)


def test_known_characters():
    def f(x):
        letters = "fd"
        return x.astype(letters[0]), x.astype(letters[-1]), "añb"[1], letters[True]

    x = np.arange(3)
    for got, wanted in zip(njit(f)(x), f(x), strict=True):
        assert np.array_equal(got, wanted)
    assert njit(f)(x)[0].dtype == np.float32
    with pytest.raises(IndexError):
        njit(lambda: "ab"[2])()
