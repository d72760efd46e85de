"""re in compiled code: what the interpreter finds, as compiled values."""

import re

import pytest
from numjit import njit

DIGITS = re.compile(r"(\d+)(x)?")
NAMED = re.compile(r"(?P<key>\w+)=(?P<value>\d+)?", re.I)
TEXTS = ["", "12x", "a 3x, 45", "key=7 Other=", "äöü 12 é", "x" * 20 + "9"]


def truth(text):
    return bool(re.match(r"\s*\d", text)), re.search("x", text) is None


def flags(text):
    return re.match("KEY", text, re.I) is not None, re.findall("^.", text, flags=re.M | re.S)


def group(text):
    found = DIGITS.search(text)
    if found is None:
        return None
    return found.group(), found.group(1), found[0]


def optional_group(text):
    found = DIGITS.search(text)
    return None if found is None else found.group(2)


def several_groups(text):
    found = DIGITS.search(text)
    return found.group(1, 0) if found else None


def groups(text):
    found = DIGITS.search(text)
    return found.groups() if found else None


def default_groups(text):
    found = DIGITS.search(text)
    return found.groups("none") if found else ("", "")


def named(text):
    found = NAMED.search(text)
    return found.group("key").upper() if found else ""


def groupdict(text):
    found = NAMED.search(text)
    return found.groupdict() if found else None


def unpacked(text):
    found = DIGITS.search(text)
    if not found:
        return 0
    number, x = found.groups()
    return int(number) * (1 if x is None else 10)


def places(text):
    found = NAMED.search(text)
    if not found:
        return (-1, -1), 0, 0, 0
    return found.span("key"), found.start(), found.end(1), found.start("value")


def bounds(text):
    found = [DIGITS.search(text), DIGITS.search(text, -5, 99), DIGITS.search(text, 1, 4)]
    return [(m.pos, m.endpos, m.string) for m in found if m is not None]


def whole(text):
    return re.fullmatch(r"\w*", text) is not None, DIGITS.fullmatch(text) is not None


def begun(text):
    return DIGITS.match(text, 2) is None, DIGITS.search(text, pos=1, endpos=3) is None


def all_found(text):
    return re.findall(r"\d", text), re.findall(r"(\d)x", text), DIGITS.findall(text)


def iterated(text):
    return [(m.start(), m.group()) for m in DIGITS.finditer(text)]


def divided(text):
    return re.split(r"\s*,\s*|\s", text), re.split("x", text, maxsplit=1)


def divided_with_groups(text):
    return re.split(r"(,)|(\s)", text)


def replaced(text):
    return re.sub(r"(\d)", r"<\1>", text), DIGITS.sub("", text, count=1), re.subn("x", "y", text)


def computed(text):
    return DIGITS.sub(lambda m: str(int(m.group(1)) + 1), text)


def escaped(text):
    return re.escape(text)


def made(text):
    word = "|".join(["x", "key"])
    pattern = re.compile(rf"({word})(=)?", re.I)
    found = pattern.search(text)
    return pattern.findall("only key")[:0] if found is None else [found.group(1)]


FUNCTIONS = [truth, flags, group, optional_group, several_groups, groups, default_groups, named,
             groupdict, unpacked, places, bounds, whole, begun, all_found, iterated, divided,
             divided_with_groups, replaced, computed, escaped]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
def test_as_python(function):
    compiled = njit(function)
    for text in TEXTS:
        wanted = function(text)
        assert compiled(text) == wanted
        assert isinstance(wanted, dict) or type(compiled(text)) is type(wanted)


def test_patterns_and_matches_in_python():
    @njit
    def find(pattern, text):
        return pattern, pattern.search(text), [m for m in pattern.finditer(text)]

    pattern, found, every = find(DIGITS, "a 3x, 45")
    assert pattern == DIGITS
    assert isinstance(found, re.Match) and found.span() == (2, 4) and found.groups() == ("3", "x")
    assert [m.span() for m in every] == [(2, 4), (6, 8)]


@pytest.mark.parametrize("pattern", ["a", "(a)b", "[", "(?P<n>b)"])
def test_pattern_of_run_time(pattern):
    @njit
    def find(pattern, text):
        found = re.search(pattern, text)
        return re.findall(pattern, text), re.sub(pattern, "-", text), found.groups()

    try:
        wanted = find.py_func(pattern, "abab")
    except re.error as error:
        with pytest.raises(re.error, match=re.escape(str(error))):
            find(pattern, "abab")
    else:
        assert find(pattern, "abab") == wanted


def test_bad_literal_pattern():
    with pytest.raises(re.error, match="unterminated"):
        njit(lambda text: re.match("(", text) is None)("a")


def test_unknown_groups():
    for group in (3, -1, "other"):
        with pytest.raises(IndexError, match="no such group"):
            njit(lambda text, group: DIGITS.search(text).group(group))("1", group)


def test_errors_of_none():
    with pytest.raises((AttributeError, TypeError)):
        njit(lambda text: DIGITS.search(text).group(1))("none")


def test_several_groups_of_run_time_pattern():
    with pytest.raises(TypeError, match="several groups"):
        njit(lambda pattern: re.findall(pattern, "ab"))("(a)(b)")


def test_refused():
    with pytest.raises(Exception, match="takes a str or a function"):
        njit(lambda text: re.sub("a", 1, text))("a")


def joined_groups(text):
    return "-".join(NAMED.match(text).groups())


def joined_iterator(text):
    return " ".join([found.group(1) for found in re.finditer("(a)|b", text)])


def joined_split(text):
    return "".join(re.split("(b)", text)), "-".join(re.match("(.)(.)", text).group(1, 2))


@pytest.mark.parametrize("function", [joined_groups, joined_iterator, joined_split])
@pytest.mark.parametrize("text", ["key=7", "key=", "aaa", "ab"])
def test_groups_that_may_be_none_are_joined(function, text):
    try:
        expected = function(text)
    except TypeError as error:
        with pytest.raises(TypeError, match=str(error)):
            njit(function)(text)
    except AttributeError:  # no match
        with pytest.raises(Exception):
            njit(function)(text)
    else:
        assert njit(function)(text) == expected


def test_a_function_that_gives_none_puts_nothing_in():
    @njit
    def replaced(text):
        return re.subn("(a)|b", lambda found: found.group(1), text)

    assert replaced("abc") == replaced.py_func("abc") == ("ac", 2)


def test_patterns_are_compared():
    @njit
    def compare(text):
        other = re.compile(text)
        return DIGITS == DIGITS, DIGITS != DIGITS, other == re.compile(text), other == DIGITS

    for text in (DIGITS.pattern, "b"):
        assert compare(text) == compare.py_func(text)


def test_many_matches_are_returned():
    @njit
    def found(text):
        return [each for each in re.finditer("a", text)]

    assert [each.span() for each in found("ba" * 3)] == [(1, 2), (3, 4), (5, 6)]
