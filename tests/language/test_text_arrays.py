"""Arrays of dtype U and S: truth, comparison, sorting, assignment, dtypes by name."""

import numpy as np
import pytest
from language.support import assert_same
from numjit import njit, typed, types
from numjit.errors import TypingError

pytestmark = pytest.mark.one_python

TEXTS = [
    np.array(["a", "", "b", "a\u03c0", " ", "0"]),
    np.array([b"a", b"", b"b", b"a\xff", b" ", b"0"]),
    np.array([["b", ""], ["", "a"]]),
    np.array([[b"b", b""], [b"", b"a"]])[:, ::-1],
    np.array(["", ""]),
    np.array([], "S3"),
]
WHOLE = [
    lambda x: x.nonzero(),
    lambda x: np.argwhere(x),
    lambda x: np.flatnonzero(x),
    lambda x: np.where(x),
    lambda x: np.where(x, 1, 2),
    lambda x: (bool(np.any(x)), bool(np.all(x)), int(np.count_nonzero(x))),
    lambda x: np.any(x, axis=0),
    lambda x: (x == x, x != x[::-1], x < x[::-1], x <= x, x > x[::-1], x >= x[::-1]),
    lambda x: (np.sort(x), np.argsort(x)),
    lambda x: x.copy(),
    lambda x: np.zeros_like(x),
]


@pytest.mark.parametrize("x", TEXTS, ids=repr)
@pytest.mark.parametrize("f", WHOLE)
def test_whole_arrays(f, x):
    assert_same(f, x)


def test_items():
    def f(x, i, j):
        return bool(x[i]), x[i] == x[j], x[i] < x[j], {x[i]: 1}.get(x[j], 0), 1 if x[i] else 2

    for x in TEXTS[:2]:
        for i in range(len(x)):
            for j in range(len(x)):
                assert_same(f, x, i, j)


def test_comparison_with_one_string_and_broadcasting():
    assert_same(lambda x: (x == "b", "b" != x, x < "a\u03c1", x == x[0]), TEXTS[0])
    assert_same(lambda x: (x == b"b", b"b" != x, x < b"a1", x == x[0]), TEXTS[1])
    wide = np.array(["a", "bcd"])
    assert_same(lambda x, y: (x == y, x.reshape(2, 1) < y), np.array(["a", "b"]), wide)


def test_comparison_with_something_else():
    for f in (lambda x: x == b"a", lambda x: x == 1, lambda x: x < x.view(np.uint32)):
        with pytest.raises(TypingError, match="No implementation of function operator"):
            njit(f)(TEXTS[0])


@pytest.mark.parametrize("kind", "US")
def test_assignment_of_other_widths(kind):
    def item(x, y):
        x[0] = y[1]
        return x

    def all_of_them(x, y):
        x[:] = y
        return x

    def a_row(x, y):
        out = np.zeros((2, 3), x.dtype)
        out[:] = y
        return out

    narrow = np.array(["abc", "d", ""]).astype(kind + "3")
    wide = np.array(["d", "abcdef", "xyz"]).astype(kind + "6")
    for f in (item, all_of_them, a_row):
        for x, y in ((narrow, wide), (wide, narrow)):
            np.testing.assert_array_equal(njit(f)(x.copy(), y), f(x.copy(), y))


def test_dtypes_by_name():
    for f in (
        lambda: np.zeros(3, "U5"),
        lambda: np.zeros((2, 1), "<U2"),
        lambda: np.zeros(2, "S4"),
    ):
        assert_same(f)


def test_fields_of_records():
    dtype = [("a", "S4"), ("b", "U3"), ("n", "i4")]
    records = np.array([(b"ab", "cd", 1), (b"", "x", 2)], dtype)
    assert_same(
        lambda r: (r["a"] == b"ab", r["b"].nonzero(), bool(r[1]["a"]), r["b"] < "d"), records
    )


def test_typed_containers_of_texts_of_a_width():
    """Their items are strings: a container holds what reading the array gives."""
    for seq, x in ((types.UnicodeCharSeq(3), np.array(["ab", "c", "xyz"])),
                   (types.CharSeq(3), np.array([b"ab", b"c", b"xyz"]))):  # fmt: skip

        @njit
        def f(x, key):
            d = typed.Dict.empty(seq, types.int64)
            names, seen = typed.List.empty_list(seq), typed.Set.empty(seq)
            for i in range(len(x)):
                d[x[i]] = i
                names.append(x[i])
                seen.add(x[i])
            d[key] += 10
            return d, names, seen, x[1] in d

        expected = {item.item(): i for i, item in enumerate(x)}
        expected[x[0].item()] += 10
        d, names, seen, there = f(x, x[0].item())
        assert dict(d) == expected and list(names) == x.tolist() and there
        assert set(seen) == set(x.tolist())
        outside = typed.Dict.empty(seq, types.int64)
        outside[x[0]] = outside[x[1].item()] = 5
        assert f.py_func is not None and dict(outside) == {x[0].item(): 5, x[1].item(): 5}


MADE = """np.array(("a", "bcd"));np.array(["a", "bcd"]);np.asarray(["äß", "x"]);np.array([""])
np.array([["a", "b"], ["c", "ddd"]]);np.array(["a", "b"])[1];np.array(["a", "bc"]).size
np.asarray("ab\u03c0");np.array("ab", "U5");np.array("", ndmin=1);np.atleast_1d("abc")
np.array(["abc", x], dtype="U2");np.array([x, x], "U9");np.array([str(i) for i in range(3)], "U4")
np.array([b"a", b"bcd"], "S3");np.array(("a", x), dtype="U3");np.array(["a", "b"]) == "b"
np.array([["a"], [x]], "U2")"""


@pytest.mark.parametrize("text", [each for line in MADE.splitlines() for each in line.split(";")])
def test_made_of_texts(text):
    f = eval(f"lambda x: {text}", {"np": np})
    expected, got = f("word"), njit(f)("word")
    if isinstance(expected, np.ndarray):
        assert got.dtype == expected.dtype
        assert got.tolist() == expected.tolist()
    else:
        assert got == expected


def test_texts_whose_width_only_the_values_tell_need_a_dtype():
    with pytest.raises(TypingError, match="must be array-like"):
        njit(lambda x: np.array([x + "s", "b"]))("word")
    assert_same(lambda x: np.array([x, "b"]), "word")


def test_filled_with_a_text():
    assert_same(lambda: (np.full(2, "ab"), np.full((2, 1), "x"), np.full(2, "abc", "U2")))
    assert_same(lambda x: (np.full(2, x, "U5"), np.full(1, b"ab", "S3")), "text")
    with pytest.raises(TypingError, match="must be array-like"):
        njit(lambda x: np.full(2, x + "s"))("text")
