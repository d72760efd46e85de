"""Each row of the table "Not yet" in docs/language.md is refused with the error that it names."""

import io
import pathlib
import re

import numpy as np
import pytest
from numjit import njit, prange

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "language.md"


def with_number(x):
    with x:
        return 1


def except_star(x):
    try:
        x = 1 // x
    except* ZeroDivisionError:
        x = 2
    return x


def prange_in_try(x):
    try:
        for i in prange(3):
            x += i
    except ValueError:
        x = 1
    return x


def mixed_values(x):
    d = {}
    d[1] = x
    d["text"] = x
    return d


def width_argument(x):
    return "%*d" % (3, x)


def keyword_of_format(text):
    return text.format(a=1)


def local_class(x):
    class C:
        pass

    return x


def captured_and_changed(x):
    c = 1
    f = (lambda y: y + c,)
    c = 2
    return f[0](x)


def nonlocal_in_a_loop(x):
    for _ in range(2):
        t = 0

        def add(y):
            nonlocal t
            t += y
            return t

        list(map(add, [x]))
    return t


def callee(a, b):
    return a + b


def unpacked(d):
    return callee(**d)


def squeezed(a):
    return np.squeeze(a[:1])


def keepdims(a):
    return a.sum(axis=0, keepdims=a[0, 0] > 0)


def unlisted(a):
    return np.lib.scimath.sqrt(a)


def not_reorderable(a):
    return np.subtract.reduce(a, axis=(0, 1))


def same(x):
    return x


def two_types(x):
    if x:
        y = (1, 2)
    else:
        y = 2.0
    return sum([item for item in y])


# The beginning of a row -> a program and its arguments. Callbacks of extensions, which
# may need llvmlite, have tests of their own.
PROGRAMS = {
    "`with` of anything but": (with_number, 1),
    "`except*`": (except_star, 0),
    "a loop over `prange` in a `try` block": (prange_in_try, 0),
    "dicts with keys of several types": (mixed_values, 1),
    "`%*d`": (width_argument, 1),
    "keywords of `str.format`": (keyword_of_format, "{a}"),
    "`class`": (local_class, 1),
    "changing a variable after": (captured_and_changed, 1),
    "`nonlocal` in functions": (nonlocal_in_a_loop, 1),
    "`f(**d)`": (unpacked, {"a": 1, "b": 2}),
    "`np.squeeze(x)`": (squeezed, np.ones((1, 2, 1, 2))),
    "`keepdims`": (keepdims, np.ones((1, 2))),
    "NumPy functions that": (unlisted, np.ones(2)),
    "`.reduce` of functions": (not_reorderable, np.ones((2, 2))),
    "arguments without a type": (same, io.StringIO()),
    "sets, and lists of more": (same, {1, "a"}),
    "arrays of foreign byte order": (same, np.ones(2, ">f8")),
    "a variable of more than": (two_types, 1),
}


def rows():
    """The rows of the table: what is refused, and the error."""
    section = PAGE.read_text().partition("## Not yet")[2].partition("\n## ")[0]
    found = re.findall(r"^\| (?!construct|---)(.*) \| (.*) \|$", section, re.MULTILINE)
    return [row for row in found if not row[0].startswith("extension callbacks")]


def test_each_row_has_one_program():
    assert len(rows()) == len(PROGRAMS) > 15
    for construct, _ in rows():
        assert sum(map(construct.startswith, PROGRAMS)) == 1, construct


@pytest.mark.parametrize("construct, error", rows())
def test_refused_as_the_page_has_it(construct, error):
    (key,) = filter(construct.startswith, PROGRAMS)
    function, *arguments = PROGRAMS[key]
    if error.startswith("none"):
        assert njit(function)(*arguments) == function(*arguments)
        return
    with pytest.raises(Exception) as caught:
        njit(function)(*arguments)
    name, text = re.match(r"`(\w+): (.*?)`", error).groups()
    assert name in [cls.__name__ for cls in type(caught.value).__mro__]
    wanted = ".*".join(re.escape(part.strip()) for part in text.split("..."))
    assert re.search(wanted, str(caught.value), re.DOTALL)
