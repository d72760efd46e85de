"""``"...".format(x)`` and ``"..." % x`` with texts that are known at compile time."""

import random
from collections import namedtuple

import pytest
from language.support import assert_same
from numjit import njit, typed
from numjit.errors import TypingError, UnsupportedError

Point = namedtuple("Point", "x y")
GREETING = "{greeting}, {0}!"


def plain(n, x, s):
    return "{} of {}".format(s, n), "{1}{0}{1}".format(s, n), "{{{}}}".format(x), "".format()


def specified(n, x, s):
    return "{:>8.2f}|{:<8}|{:^8}|{:+d}|{:#x}".format(x, s, s, n, n), "{!r:>12}{!s}{!a}".format(
        s, s, s
    )


def nested(n, x, s):
    return "{:{}.{}f}|{:>{width}}".format(x, 10, 3, s, width=n), "{0:{1}}{0}".format(n, 7)


def parts(n, x, s):
    p = Point(n, x)
    return "{0.x} {0.y:.1f} {0[0]} {1[2]}{k[a]}".format(p, [1, 2, n], k={"a": s}), "{.real}".format(
        x
    )


def constants(n, x, s):
    return GREETING.format(s, greeting="Hello"), "{} {}".format(*(n, x)), "%s" % GREETING


def printf(n, x, s):
    texts = "%5.1f%%|%-8s|%8.2s|%c%c" % (x, s, s, s[0], 65), "%x" % n
    return "%d %s %r %a" % (n, s, s, s), "%s %s" % Point(n, x), texts


def of_mapping(n, x, s):
    d = typed.Dict()
    d["a"] = n
    return "%(a)04d %(a)s" % d, "%(n)s %(x).2f" % {"n": s, "x": x}


@pytest.mark.parametrize("f", [plain, specified, nested, parts, constants, printf, of_mapping])
def test_formats(f):
    for arguments in ((12, 2.5, "Zürich"), (30, -0.0, "ab")):
        assert_same(f, *arguments)


def test_optional():
    def f(n):
        found = n if n > 0 else None
        return "{} {!r}".format(found, found), "%s" % found, f"{found}"

    assert_same(f, 1)
    assert_same(f, 0)


VALUES = [42, -7, 0, True, 3.75, -0.3, 1e20, float("inf"), float("nan"), "ab", "é", "", 1234567]


def test_random_directives():
    """One error only for what the interpreter refuses, then of its class or a TypingError."""
    chosen = random.Random(7)
    for _ in range(60):
        directive = "%" + "".join(chosen.sample("-+ #0", chosen.randint(0, 2)))
        directive += chosen.choice(["", "3", "12"]) + chosen.choice(["", "", ".3", ".0", ".", ".7"])
        directive += chosen.choice("diuoxXeEfFgGsrac")
        value = chosen.choice(VALUES)
        f = njit(eval(f"lambda x: {directive!r} % x"))
        try:
            expected = f.py_func(value)
        except (TypeError, ValueError, OverflowError) as error:
            with pytest.raises((type(error), TypingError)):
                f(value)
        else:
            assert f(value) == expected, (directive, value)


@pytest.mark.parametrize("text, message", [
    ("'{'.format(x)", "Single '{' encountered in format string"),
    ("'}'.format(x)", "Single '}' encountered in format string"),
    ("'{0'.format(x)", "expected '}' before end of string"),
    ("'{} {}'.format(x)", "Replacement index 1 out of range for positional args tuple"),
    ("'{a}'.format(x)", r"format\(\) got no argument 'a'"),
    ("'{} {0}'.format(x)", "cannot switch from automatic field numbering to manual"),
    ("'{0} {}'.format(x)", "cannot switch from manual field specification to automatic"),
    ("'{!x}'.format(x)", "unknown conversion !x"),
    ("'{!rr}'.format(x)", "expected ':' after conversion specifier"),
    ("'{0.}'.format(x)", "Empty attribute in format string"),
    ("'{0[1}'.format(x)", "Missing ']' in format string"),
    ("'{0[0]a}'.format((x, 1))", r"Only '.' or '\[' may follow '\]' in format field specifier"),
    ("'{:{:{}}}'.format(x, x, x)", "Max string recursion exceeded"),
    ("'%d %d' % x", "not enough arguments for format string"),
    ("'a' % x", "not all arguments converted during string formatting"),
    ("'%d' % (x, x)", "not all arguments converted during string formatting"),
    ("'%d' % 'a'", "%d format: an integer is required, not Literal"),
    ("'%x' % 2.5", "%x format: an integer is required, not float64"),
    ("'%f' % 2j", "%f format: must be real number, not complex128"),
    ("'%' % x", "incomplete format"),
    ("'%(a' % {'a': 1}", "incomplete format key"),
    ("'%y' % x", "unsupported format character 'y'"),
])  # fmt: skip
def test_wrong_texts(text, message):
    with pytest.raises(TypingError, match=message):
        njit(eval(f"lambda x: {text}"))(3)


def test_values_that_do_not_fit():
    for text, value, error in [
        ("'{:d}'.format(x)", "a", "Unknown format code 'd' for object of type 'str'"),
        ("'%d' % x", float("nan"), "cannot convert float NaN to integer"),
        ("'%c' % x", "ab", "%c requires int or char"),
        ("'%2c' % 'ab'", 1, "%c requires int or char"),
        ("'%c' % x", -1, r"%c arg not in range\(0x110000\)"),
    ]:
        with pytest.raises((ValueError, TypeError, OverflowError), match=error):
            njit(eval(f"lambda x: {text}"))(value)


def test_texts_that_are_not_known():
    for text, template in [
        ("s % x", "%05d|"),
        ("s % (x, 2.5)", "%s and %.3f"),
        ("s % ('a', x)", "%s%d"),
        ("s.format(x)", "<{:>6}>"),
        ("s.format(x, 'b', 1.5)", "{1}{0}{2:.2f}"),
        ("(s + '{}').format(x, x)", "{}-"),
        ("s.format()", "{{}}"),
    ]:
        f = eval(f"lambda s, x: {text}")
        assert njit(f)(template, 7) == f(template, 7)
    for f, error in [
        (lambda s: s % 1, ValueError),
        (lambda s: s % (1, 2), TypeError),
        (lambda s: s.format(), IndexError),
    ]:
        template = "{} %d" if error is not ValueError else "%y"
        with pytest.raises(error):
            f(template)
        with pytest.raises(error):
            njit(f)(template)


def test_widths_that_are_arguments():
    with pytest.raises(UnsupportedError, match="use an f-string"):
        njit(lambda n: "%*d" % (n, n))(3)
