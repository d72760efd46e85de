"""Global dicts whose keys are of several types."""

import cmath
import math

import numpy as np
import pytest
from language.support import Programs, assert_same
from numjit import njit
from numjit.errors import TypingError

PROGRAMS = Programs()
program = PROGRAMS.add


WHEN = {"end": 0, "begin": 1, "e": 0, 0: 0, 1: 1}
NORMS = {None: 0, "backward": 0, "ortho": 1}
COMPLEX_OF = {np.float32: np.complex64, np.float64: np.complex128}
LETTERS = {int: "i", float: "f"}
PAIRS = {0: (1, 2), 1: (3, 4), "x": (5, 6)}


@program("begin")
def by_name(when):
    return WHEN[when]


@program(1)
def by_number(when):
    return WHEN[when]


@program("zz")
def missing(when):
    try:
        return WHEN[when]
    except KeyError as e:
        return -1


@program(3.5)
def methods(x):
    return (
        WHEN.get("end"),
        WHEN.get("q"),
        WHEN.get(7, 5),
        "e" in WHEN,
        1 in WHEN,
        2 in WHEN,
        None in NORMS,
        len(WHEN),
    )


@program(None)
def by_none(norm):
    return NORMS[norm]


@program("ortho")
def by_text(norm):
    return NORMS[norm]


@program(np.zeros(2, np.float32))
def by_dtype(x):
    return np.zeros(2, COMPLEX_OF.get(x.dtype.type, np.float64)).dtype == np.complex64


@program(1)
def by_type(x):
    return LETTERS[type(x)], LETTERS[type(x * 0.5)]


@program("x")
def items_of_several_kinds(k):
    return PAIRS[k], PAIRS[0][1]


@program(1)
def loops(k):
    return (
        list(WHEN.values()),
        sum([v for v in WHEN.values()]),
        [k for k in NORMS if k is None] == [None],
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    f, args = PROGRAMS[name]
    assert_same(f, *args)


def test_missing_key():
    with pytest.raises(KeyError, match="zz"):
        njit(by_number)("zz")


def test_nothing_changes_them():
    def f():
        WHEN["b"] = 2

    with pytest.raises(TypingError, match="cannot be assigned"):
        njit(f)()


def test_they_are_dicts_in_python():
    assert njit(lambda: NORMS)() == NORMS
    assert njit(lambda: {int: 1, float: 2.5})() == {int: 1, float: 2.5}


def test_displays_with_classes_for_keys():
    def unsigned(a):
        of = {np.byte: np.ubyte, np.short: np.ushort, np.intc: np.uintc, np.int_: np.uint}
        try:
            found = of[a.dtype.type]
        except KeyError:
            return a.astype(np.float32)
        return a.astype(found)

    for dtype in (np.int8, np.int16, np.int64, np.float64):
        assert_same(unsigned, np.ones(2, dtype))

    def f(x):
        kinds = {int: "i", float: 2.5, type(3): "int", str: None}
        return kinds[type(x)], kinds.get(bool, 7), str in kinds, bool in kinds, len(kinds)

    assert_same(f, 1)
    assert_same(f, 0.5)
    with pytest.raises(KeyError):
        njit(lambda x: {int: 1}[type(x)])(0.5)


def test_dicts_of_classes_are_equal_whatever_their_order():
    def f():
        d = {int: 1, float: 2}
        return (
            d == {float: 2, int: 1},
            d != {float: 2, int: 1},
            d == {float: 2, int: 2},
            d == {int: 1},
        )

    assert njit(f)() == f() == (True, False, False, False)


def test_copies():
    def f():
        local = {"a": 1, "b": 2j, "c": "d"}
        one, other = local.copy(), WHEN.copy()
        return one["a"], one["b"], len(one), "c" in one, other["begin"], other[0]

    assert_same(f)


@pytest.mark.parametrize("text, known", [("a", True), ("b", True), ("z", True), ("a", False)])
def test_defaults_for_keys_that_may_be_none(text, known):
    def f(text, known):
        key = text[:1] if known else None
        return (
            {"a": 1, "b": "x"}.get(key, "none"),
            {"a": 1, "b": 2}.get(key),
            {"a": 1.5}.get(key, 2.5),
        )

    assert_same(f, text, known)


DTYPES = {1: ("f", np.dtype("f4")), 2: ("d", np.dtype("f8"))}
SCORES = {"f": 1, "d": 2}
BY_MODULE = {np: "arrays", math: "numbers"}
OF_DTYPES = {np.dtype("f4"): 1, np.dtype("c16"): "complex"}


def test_dtypes_and_modules():
    def converted(x):
        letter, dtype = DTYPES[SCORES.get(x.dtype.char, 2)]
        return letter, x.astype(dtype)

    def looked_up(x):
        return BY_MODULE[np], BY_MODULE.get(cmath, "none"), math in BY_MODULE, OF_DTYPES[x.dtype]

    for dtype in ("f4", "f8", "i2"):
        assert_same(converted, np.ones(3, dtype))
    assert_same(looked_up, np.ones(2, "f4"))
    assert_same(looked_up, np.ones(2, "c16"))


CODES = {"f": 0, "d": 1, "D": 2}
NAMES = {0: "a", 1: "b"}


def test_known_keys():
    """What is found under a key that is known is known, too."""

    def f(x):
        code = CODES.get(x.dtype.char, 1)
        return (1, "d", x)[code], (1.5, "e", 2)[CODES[x.dtype.char]], NAMES.get(code, "c")

    for dtype in "fdD":
        assert_same(f, np.ones(2, dtype))

    def missing(x):
        return ("a", 1)[CODES.get(x.dtype.char, 1)], CODES.get(x.dtype.char) is None

    assert_same(missing, np.ones(2, "i4"))
    with pytest.raises(KeyError):
        njit(lambda x: CODES[x.dtype.char])(np.ones(2, "i4"))


def test_displays_with_none():
    def looked_up(kind):
        codes = {None: -1, "general": 0, "gen": 0, "diagonal": 11}
        return codes.get(kind, 99), kind in codes, len(codes)

    def under_key(kind):
        return {"general": 2.5, None: -1.0}[kind]

    for kind in (None, "gen", "diagonal", "x"):
        assert_same(looked_up, kind)
    for kind in (None, "general"):
        assert_same(under_key, kind)
    with pytest.raises(KeyError):
        njit(under_key)("x")
