"""The layout of error reports, by itself."""

import linecache
import pickle

import pytest
from numjit import errors
from numjit.diagnostics import make_error
from numjit.places import MAX_LINES, Place, near, render


@pytest.fixture
def source():
    """Registers the lines of a file; gives a maker of places in it."""
    made = []

    def register(text, name="prog.py"):
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        made.append(name)

        def place(line, column=-1, end_column=-1, label="", end_line=None, function="f"):
            return (name, function, 1, line, end_line or line, column, end_column, label)

        return place

    yield register
    for name in made:
        linecache.cache.pop(name, None)


def test_one_place(source):
    place = source("def f(a):\n    return a + 'x'\n")
    error = make_error("TypingError", "no + here", [place(2, 11, 18)], "leave it")
    assert str(error) == (
        "no + here\n  prog.py:2, in f\n    return a + 'x'\n           ^^^^^^^\nhint: leave it"
    )
    assert (error.msg, error.filename, error.line, error.column) == ("no + here", "prog.py", 2, 12)
    assert (error.loc.filename, error.loc.line, error.loc.col) == ("prog.py", 2, 12)
    assert make_error("TypingError", "nowhere", [], "").loc is None


def test_places_on_one_line_share_its_head(source):
    place = source("x = a + b\n")
    text = render("m", [Place(*place(1, 4, 9)), Place(*place(1, 8, 9, "int64 here"))])
    assert text.splitlines() == [
        "m",
        "  prog.py:1, in f",
        "    x = a + b",
        "        ^^^^^",
        "    x = a + b",
        "            ^ int64 here",
    ]


def test_columns_are_bytes_of_utf8(source):
    place = source("é = 'ß' + größe\n")
    line = "é = 'ß' + größe".encode()
    text = render("m", [Place(*place(1, line.index("größe".encode()), len(line)))])
    assert text.splitlines()[-1] == "    " + " " * 10 + "^" * 5


def test_wide_characters_take_two_columns(source):
    place = source("x = '日本' + y\n")
    start = len("x = '日本' + ".encode())
    text = render("m", [Place(*place(1, start, start + 1))])
    assert text.splitlines()[-1] == "    " + " " * 13 + "^"


def test_tabs(source):
    place = source("\tx =\ty\n")
    text = render("m", [Place(*place(1, 5, 6))])
    assert text.splitlines()[1:] == ["  prog.py:1, in f", "    x =     y", "            ^"]


def test_a_range_over_lines_is_underlined_to_the_end_of_its_first(source):
    place = source("y = f(1,  # one\n      2)\n")
    text = render("m", [Place(*place(1, 4, 8, end_line=2))])
    assert text.splitlines()[-2:] == ["    y = f(1,  # one", "        ^^^^"]


def test_without_columns_the_statement_is_underlined(source):
    place = source("    x = 1   \n")
    assert render("m", [Place(*place(1))]).splitlines()[-1] == "    ^^^^^"


def test_without_source_the_place_is_named():
    place = Place("<nowhere>", "f", 1, 3, 3, 0, 1, "int64 here")
    assert render("m", [place]).splitlines() == ["m", "  <nowhere>:3, in f", "    int64 here"]


def test_at_most_twelve_lines(source):
    place = source("\n".join(f"line{i}" for i in range(40)))
    places = [Place(*place(i, 0, 4)) for i in range(1, 30)]
    text = render("\n".join("abcdefghij"), places, "a\nb")
    assert len(text.splitlines()) <= MAX_LINES
    assert "... and 5 more lines" in text
    assert text.endswith("hint: a\nb")
    assert "line0\n    ^^^^" in text


@pytest.mark.parametrize(
    ("cls", "base"),
    [
        ("TypingError", TypeError),
        ("UnsupportedError", NotImplementedError),
        ("NumbaValueError", ValueError),
        ("NumbaIndexError", IndexError),
        ("NumbaNameError", NameError),
        ("UntypedAttributeError", AttributeError),
        ("NoSuchClass", errors.NumbaError),
        ("NumbaWarning", errors.NumbaError),
    ],
)
def test_classes(cls, base):
    error = make_error(cls, "m")
    assert isinstance(error, base) and isinstance(error, errors.NumbaError)
    assert str(error) == "m"


def test_every_error_can_be_raised_with_a_message_and_pickled():
    for name in errors.__all__:
        cls = getattr(errors, name)
        if cls is errors.ForceLiteralArg:
            continue
        error = pickle.loads(pickle.dumps(cls("text")))
        assert type(error) is cls and str(error) == "text"


def test_internal_errors_ask_for_a_report():
    assert "report it" in str(make_error("InternalError", "phi without operands"))


def test_context():
    error = errors.TypingError("m")
    assert error.add_context("During: typing of call") is error
    assert str(error) == "m\nDuring: typing of call"


def test_force_literal_arguments_add_up():
    both = errors.ForceLiteralArg([0]) | errors.ForceLiteralArg([2])
    assert both.requested_args == {0, 2}


def test_near_names():
    assert near("shap", ["shape", "size", "ndim"]) == "did you mean shape?"
    assert near("zzz", ["shape"]) == ""
