"""Methods of strings, over all sizes of characters."""

import itertools

import pytest
from language.support import assert_same, compiled
from numjit import njit
from numjit.errors import TypingError

TEXTS = [
    "",
    " ",
    "abc",
    "aAbB cC\tdD\n",
    "  two words  ",
    "a,b,,c,",
    "ab" * 5,
    "äÖß straße ÿ",
    "€ wide\u2003text\u3000x€",
    "😀 astral 𝒳a😀",
    "Hello World",
    "x1 ²③ Ⅷ ٣",
    "ﬁ ΑΣ ǆ İ",
    "l1\nl2\r\nl3\rl4\x0bl5\u2028l6",
    "1\t22\t\t333\nx\ty",
]
PARTS = ["a", "b", "ab", ",", "", "ß", "€", "😀", " ", "x€", "zz"]


def cases(*iterables):
    return itertools.product(*iterables)


def test_searching():
    def f(s, p, i, j):
        return (
            s.find(p),
            s.find(p, i),
            s.find(p, i, j),
            s.rfind(p),
            s.rfind(p, i, j),
            s.count(p),
            s.count(p, i, j),
            s.startswith(p),
            s.startswith(p, i),
            s.startswith(p, i, j),
            s.endswith(p),
            s.endswith(p, i, j),
            s.find(p, None, j),
            p in s,
        )

    for s, p in cases(TEXTS, PARTS):
        for i, j in ((0, 3), (-4, -1), (2, 100), (50, 60)):
            assert_same(f, s, p, i, j)


def test_indices():
    def f(s, p):
        return s.index(p), s.rindex(p)

    for s, p in cases(TEXTS[:6], PARTS[:5]):
        assert_same(f, s, p)


def test_prefixes_in_tuples():
    def f(s, a, b):
        return s.startswith((a, b)), s.endswith((a, b, "c")), s.startswith(("ab", "€"), 1)

    for s in TEXTS:
        assert_same(f, s, "a", "€")


def test_splitting():
    def f(s, p, n):
        return s.split(p), s.split(p, n), s.rsplit(p), s.rsplit(p, n), s.split(sep=p, maxsplit=n)

    def space(s, n):
        return s.split(), s.split(None, n), s.rsplit(), s.rsplit(maxsplit=n)

    for s in TEXTS:
        for p in PARTS:
            for n in (-1, 0, 1, 2):
                assert_same(f, s, p, n)
        for n in (-1, 0, 1, 2):
            assert_same(space, s, n)


def test_lines():
    def f(s):
        return s.splitlines(), s.splitlines(True), s.splitlines(keepends=False)

    for s in TEXTS + ["\n", "a\n\nb", "\r\n"]:
        assert_same(f, s)


def test_partition():
    def f(s, p):
        return s.partition(p), s.rpartition(p)

    for s, p in cases(TEXTS, PARTS):
        assert_same(f, s, p)


def test_join():
    def f(sep, l):
        return (
            sep.join(l),
            sep.join(("x", l[0], "€")),
            sep.join([c + "." for c in l]),
            sep.join(sep),
        )

    for sep in ("", ",", "€", "ab"):
        assert_same(f, sep, ["a", "ä", "bc"])
        assert_same(f, sep, ["😀"])


def test_replace():
    def f(s, a, b, n):
        return s.replace(a, b), s.replace(a, b, n)

    for s, a in cases(TEXTS, PARTS):
        for b in ("", "X", "€€"):
            for n in (-1, 0, 1, 2):
                assert_same(f, s, a, b, n)


def test_stripping():
    def f(s, c):
        return (
            s.strip(),
            s.lstrip(),
            s.rstrip(),
            s.strip(c),
            s.lstrip(c),
            s.rstrip(c),
            s.strip(None),
            s.removeprefix(c),
            s.removesuffix(c),
        )

    for s, c in cases(TEXTS, [*PARTS, " \tx€"]):
        assert_same(f, s, c)


def test_padding():
    def f(s, n, c):
        return (
            s.center(n),
            s.ljust(n),
            s.rjust(n),
            s.center(n, c),
            s.ljust(n, c),
            s.rjust(n, c),
            s.zfill(n),
            s.expandtabs(),
            s.expandtabs(n),
        )

    for s, n in cases([*TEXTS, "-12", "+€", "-"], (-1, 0, 3, 8, 20, 21)):
        assert_same(f, s, n, "€")
    assert_same(f, "a", 5, "xy")


def test_case():
    def f(s):
        return (
            s.upper(),
            s.lower(),
            s.title(),
            s.capitalize(),
            s.swapcase(),
            s.casefold(),
        )

    for s in [*TEXTS, "they're BILL's 3rd"]:
        assert_same(f, s)


def test_questions():
    def f(s):
        return (
            s.isalpha(),
            s.isdecimal(),
            s.isdigit(),
            s.isnumeric(),
            s.isalnum(),
            s.isspace(),
            s.isprintable(),
            s.islower(),
            s.isupper(),
            s.istitle(),
            s.isascii(),
            s.isidentifier(),
        )

    words = "abc ABC Abc 123 x1 _x ²③ ٣ Ⅷ ß ǅ Ǆ é1 9a".split()
    for s in [*TEXTS, *words, *(c for text in TEXTS for c in text)]:
        assert_same(f, s)


@pytest.mark.parametrize("step", [97])
def test_every_kind_of_character(step):
    def f(s):
        return s.isalpha(), s.isnumeric(), s.isprintable(), s.isspace(), s.upper(), s.casefold()

    for start in range(0, step, 13):
        assert_same(f, "".join(chr(c) for c in range(start, 0x3000, step)))
    for c in range(0, 0x3100, 7):
        assert_same(f, chr(c))


def test_on_literals():
    def f():
        return (
            "abc".upper(),
            "a-b".split("-"),
            "{}".replace("{", "€"),
            "x".join(["1", "2"]),
            "12".zfill(5),
            "abc"[1],
            "abc"[::-1],
            len("ä€"),
            [c for c in "äb"],
            "ab" * 2,
        )

    assert_same(f)


def test_methods_are_one_specialisation_each():
    """Words decide nothing, so that no word is compiled for."""

    @njit
    def f(s):
        return s.replace("a", "b").replace("c", "d").replace("e", "f")

    assert f("ace") == "bdf"
    typed = f.inspect_llvm(f.signatures[0])
    assert typed.count("define") <= 3


def test_words_of_a_text():
    def f(text):
        longest = ""
        for line in text.splitlines():
            for word in line.split():
                word = word.strip(".,;").lower()
                if len(word) > len(longest):
                    longest = word
        return longest

    assert_same(f, "The quick brown fox;\n jumps over the laziest dog.\nΑΒΓΔ ΕΖΗΘΙΚΛΜΝ\n")


def test_errors():
    def split(s):
        return s.split("")

    def index(s):
        return s.index("q")

    def center(s):
        return s.center(5, "ab")

    for f in (split, index, center):
        assert_same(f, "abc")
    with pytest.raises(ValueError, match="empty separator"):
        compiled(split)("abc")
    with pytest.raises(ValueError, match="substring not found"):
        compiled(index)("abc")


def test_join_of_no_strings():
    def empty(s):
        return s.join(())

    def numbers(s):
        return s.join([1, 2])

    assert_same(empty, "-")
    with pytest.raises(TypingError, match="join"):
        compiled(numbers)("-")
