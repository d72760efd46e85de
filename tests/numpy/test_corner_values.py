"""Values at the ends of dtypes: NaN beside infinities, divisors of zero, literals that wrap."""

import itertools

import numpy as np
import pytest
from numjit import njit

NAN, INF = np.nan, np.inf


def same(a, b):
    return (
        type(a) is type(b) and np.asarray(a).dtype == np.asarray(b).dtype and np.array_equal(a, b)
    )


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("name", ["nanargmax", "nanargmin"])
def test_positions_of_extremes_beside_nan(name, dtype):
    function = getattr(np, name)
    compiled = njit(eval(f"lambda a: np.{name}(a)", {"np": np}))
    along = njit(eval(f"lambda a: np.{name}(a, axis=1)", {"np": np}))
    for values in itertools.product([NAN, INF, -INF, 1.0, 2.0], repeat=3):
        a = np.array(values, dtype)
        if not np.isnan(a).all():
            assert compiled(a) == function(a), values
            assert np.array_equal(along(np.stack([a, a])), function(np.stack([a, a]), axis=1))


PARTS = [0.0, -0.0, 1.0, -2.5, INF, -INF, NAN]


def alike(a, b):
    """With the signs of zeros; NaN are all one. Finite numbers differ in their last bits."""
    for x, y in ((a.real, b.real), (a.imag, b.imag)):
        finite = np.isfinite(y) & (y != 0)
        if not (np.array_equal(np.isnan(x), np.isnan(y)) and np.allclose(x[finite], y[finite])):
            return False
        kept = ~finite & ~np.isnan(y)
        if not np.array_equal(x[kept], y[kept]) or (np.signbit(x) != np.signbit(y))[kept].any():
            return False
    return a.dtype == b.dtype


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize(
    "text", ["a / b", "np.divide(a, b)", "a / 0", "np.reciprocal(a)", "np.sign(a)"]
)
def test_complex_quotients(text, dtype):
    z = np.array([complex(x, y) for x in PARTS for y in PARTS], dtype)
    a, b = np.repeat(z, len(z)), np.tile(z, len(z))
    function = eval(f"lambda a, b: {text}", {"np": np})
    with np.errstate(all="ignore"):
        wanted = function(a, b)
    assert alike(njit(function)(a, b), wanted)


def test_complex_quotients_in_place():
    def divide(a, b):
        a /= b
        return a

    z = np.array([complex(x, y) for x in PARTS for y in PARTS])
    with np.errstate(all="ignore"):
        wanted = divide(z.copy(), np.zeros(len(z), complex))
    assert alike(njit(divide)(z.copy(), np.zeros(len(z), complex)), wanted)


DTYPES = ["bool", "int8", "uint8", "int16", "uint32", "int64", "float32", "complex64", "float16"]
DEFAULTS = ["300", "-1", "70000", "2.5", "1j", "2**40", "True", "np.int16(7)", "np.float32(3)"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("default", DEFAULTS)
def test_defaults_of_select(dtype, default):
    a = np.array([5, 0, 100]).astype(dtype)
    texts = (
        f"np.select([a < 6], [a], {default})",
        f"np.select((a < 6, a > 50), (a, a), default={default})",
        f"np.select([a < 6, a > 50], [a, a], {default})",
        f"np.select([a < 6 for i in range(2)], [a for i in range(2)], {default})",
    )
    first = (DTYPES.index(dtype) + DEFAULTS.index(default)) % 4
    for text in texts[first::4]:
        function = eval(f"lambda a: {text}", {"np": np})
        with np.errstate(all="ignore"):
            wanted = function(a)
        assert same(njit(function)(a), wanted), text


def test_choices_of_several_dtypes():
    a = np.array([5, 0, 100], np.uint8)
    for text in (
        "np.select([a < 6, a > 6], [a, a * 2.5])",
        "np.select([a < 6, a > 6], [a * 2.5, a], default=7)",
        "np.select([a < 6 for i in range(2)], (a, a * 2.5))",
        "np.choose([0, 1, 1], [a, a * 2.5])",
    ):
        function = eval(f"lambda a: {text}", {"np": np})
        assert same(njit(function)(a), function(a)), text

    def in_variables(a):
        conditions, choices = [a < 6, a > 6], [a, a * 2.5]
        return np.select(conditions, choices)

    assert same(njit(in_variables)(a), in_variables(a))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("literal", DEFAULTS)
def test_result_type_beside_literals(dtype, literal):
    a = np.array([5, 0, 100]).astype(dtype)
    for text in (
        f"a, {literal}",
        f"{literal}, a.dtype",
        f"{literal}, {literal}",
        f"a, 3, {literal}",
    ):
        function = eval(f"lambda a: np.zeros(1, np.result_type({text}))", {"np": np})
        assert same(njit(function)(a), function(a)), text


def test_literals_that_do_not_fit_where_they_are_stored():
    def pieces(a):
        return np.piecewise(a, [a < 6], [300, 1])

    for dtype in ("int8", "uint8"):
        a = np.array([5, 100], dtype)
        for each in (pieces, njit(pieces)):
            with pytest.raises(OverflowError, match="300 out of bounds"):
                each(a)


PAIRS = "((1, 'a'), (2, 'b'))", "zip((1, 2), ('a', 'b'))", "((1, 2), (3, 4))", "[(1, 'a')]"


@pytest.mark.parametrize("text", ["3", "None", "()", "'ab'", *PAIRS])
def test_dict_of_anything(text):
    function = eval(f"lambda: dict({text})")
    try:
        wanted = function()
    except (TypeError, ValueError) as error:
        wanted = error
    try:
        got = njit(function)()
    except Exception as error:
        assert "internal error" not in str(error) and type(error).__name__ != "InternalError"
        assert isinstance(wanted, Exception) or wanted == {}
    else:
        assert dict(got) == wanted
