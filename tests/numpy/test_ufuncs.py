"""Element-wise functions: result types, keywords, functions with two results, np.where."""

import itertools

import numpy as np
import pytest
from language.support import assert_same, check_same, compiled
from numjit import njit, typeof, types
from numjit.errors import NumbaError

DTYPES = "?bBhHiIlLfdFD"
SKIPPED = {
    "isnat": "is about datetimes",
    "matmul": "is no element-wise function",
    "matvec": "is no element-wise function",
    "vecmat": "is no element-wise function",
    "vecdot": "is no element-wise function",
}


def ufuncs(nin):
    names = []
    for name in dir(np):
        function = getattr(np, name)
        numeric = isinstance(function, np.ufunc) and any(t[0] in DTYPES for t in function.types)
        if numeric and function.nin == nin and name not in SKIPPED:
            names.append(name)
    return names


def numbers(dtype):
    values = [0, 1, 2, 3, 5, 100]
    if np.dtype(dtype).kind in "ifc":
        values += [-1, -3]
    if np.dtype(dtype).kind in "fc":
        values += [0.5, -0.0, 2.75, np.inf, -np.inf, np.nan]
    if np.dtype(dtype).kind == "c":
        values += [1 + 2j, -0.5j]
    return np.array(values).astype(dtype)


def finite_numbers(dtype):
    values = numbers(dtype)
    return values[np.isfinite(values)]


def compare(name, *operands):
    """Compiled and NumPy's function agree; float32 stands for float16, which numjit lacks."""
    function = getattr(np, name)
    arity = len(operands)
    source = f"lambda {', '.join('ab'[:arity])}: function({', '.join('ab'[:arity])})"
    f = njit(eval(source, {"function": function}))
    single = any(a.dtype.char in "hHfF" for a in operands)
    with np.errstate(all="ignore"):
        try:
            expected = function(*operands)
            parts = expected if isinstance(expected, tuple) else (expected,)
            if any(part.dtype == np.float16 for part in parts):
                single = True
                expected = function(operands[0].astype(np.float32), *operands[1:])
        except TypeError:
            with pytest.raises(NumbaError):
                f(*operands)
            return
    check_same(f(*operands), expected, rtol=2e-5 if single else 1e-13)


@pytest.mark.parametrize("name", ufuncs(1))
def test_unary_functions_take_every_dtype(name):
    for dtype in DTYPES:
        # The parts of complex results that overflow or are nan differ between libraries.
        values = finite_numbers(dtype) if dtype in "FD" else numbers(dtype)
        if name == "reciprocal" and values.dtype.kind in "iu":
            values = values[values != 0]  # 1 / 0 of integers means nothing
        compare(name, values)


@pytest.mark.parametrize("name", ufuncs(2))
def test_binary_functions_take_every_dtype(name):
    for dtype in DTYPES:
        values = finite_numbers(dtype)
        second = values[::-1].copy()
        if name in ("pow", "power") and values.dtype.kind == "i":
            second = abs(second)  # negative ones raise
        if name in ("pow", "power") and dtype in "FD":  # whose parts overflow in other ways
            with np.errstate(all="ignore"):
                is_finite = np.isfinite(values**second)
            values, second = values[is_finite], second[is_finite]
        compare(name, values, second)


@pytest.mark.parametrize("name", ["add", "true_divide", "maximum", "less", "power", "bitwise_or"])
def test_pairs_of_dtypes(name):
    for first, second in itertools.permutations("?bHiLfdF", 2):
        compare(name, np.array([1, 2, 3]).astype(first), np.array([3, 1, 2]).astype(second))


# -- keywords --------------------------------------------------------------------------------------


def test_out_and_where():
    def f(a, b, out, mask):
        np.add(a, b, out=out, where=mask)
        np.sqrt(a, out, where=b > 1)
        return np.multiply(a, b, out=(out,))

    a = np.arange(6.0)
    mask = np.array([True, False] * 3)
    assert_same(f, a, a + 1, np.full(6, 9.0), mask)
    assert_same(f, a, a + 1, a, mask)  # aliasing


def test_where_keeps_what_out_holds():
    def f(a, out, mask):
        return np.negative(a, out=out, where=mask)

    mask = np.array([[True], [False]])
    assert_same(f, np.arange(6.0).reshape(2, 3), np.full((2, 3), 7.0), mask)
    assert_same(f, np.arange(3), np.full((2, 3), 7), mask)
    assert_same(f, np.arange(3), np.full((2, 3), 7), False)


def test_where_without_out():
    def f(a, mask):
        return np.exp(a, where=mask)

    a, mask = np.arange(4.0), np.array([True, False, True, False])
    np.testing.assert_allclose(compiled(f)(a, mask)[mask], np.exp(a[mask]))
    with pytest.raises(NumbaError, match="where must be a bool"):
        njit(f)(a, a)


def test_dtype():
    def f(a, b):
        return (
            np.add(a, b, dtype=np.float64),
            np.multiply(a, b, dtype="f4"),
            np.sqrt(a, dtype=np.float32),
            np.add(a, 1, dtype=np.complex128),
            np.add(a, b, dtype=None),
        )

    for dtype in "bhilBf":
        assert_same(f, np.arange(5).astype(dtype), np.arange(5).astype(dtype))


def test_dtype_of_operands_that_are_broadcast():
    def f(a, b):
        return np.add(a, b, dtype=np.int64), np.multiply(a, b, dtype=np.float64)

    a, b = np.array([[100, 0], [100, 100]], np.int8), np.array([100, 2], np.int8)
    assert_same(f, a, b)

    def chosen(a, b, where):
        return np.add(a, b, dtype=np.int64, where=where, out=np.zeros(2, np.int64))

    assert_same(chosen, b, b, np.array([True, False]))


def test_dtype_without_a_loop():
    with pytest.raises(NumbaError, match="No loop matching the specified signature"):
        njit(lambda a: np.arccosh(a, dtype=np.int32))(np.arange(3))
    with pytest.raises(NumbaError, match="No loop matching the specified signature"):
        njit(lambda a: np.less(a, a, dtype=np.float64))(np.arange(3))


def test_casting():
    def into(a, out):
        return np.add(a, a, out=out)

    assert_same(into, np.arange(3, dtype=np.float32), np.zeros(3))
    assert_same(into, np.arange(3), np.zeros(3, np.int8))
    with pytest.raises(NumbaError, match="Cannot cast ufunc 'add' output from float64 to int64"):
        njit(into)(np.arange(3.0), np.zeros(3, np.int64))

    def forced(a, out):
        return np.add(a, a, out=out, casting="unsafe")

    assert_same(forced, np.arange(3.0) + 0.5, np.zeros(3, np.int64))

    def safely(a):
        return np.add(a, a, dtype=np.int32, casting="safe")

    with pytest.raises(NumbaError, match="input from int64 to int32"):
        njit(safely)(np.arange(3))


def test_unknown_keywords_are_refused():
    with pytest.raises(NumbaError, match="has no argument 'extobj'"):
        njit(lambda a: np.add(a, a, extobj=[]))(np.arange(3))
    with pytest.raises(NumbaError, match="has no argument 'out'"):
        import math

        njit(lambda a: math.sin(a, out=a))(1.0)


def test_ldexp_with_a_literal():
    def f(a):
        return np.ldexp(a, 3)

    assert_same(f, np.array([1.5, np.inf, -0.0]))


# -- np.where --------------------------------------------------------------------------------------


def test_where_chooses():
    def f(c, x, y):
        return np.where(c, x, y), np.where(c, x, 1), np.where(c, 2.5, y), np.where(x > 1, x, -x) * 2

    c = np.array([True, False, True])
    for first, second in itertools.product("?ilfdD", repeat=2):
        if first != "?":
            assert_same(f, c, np.arange(3).astype(first), np.arange(3, 6).astype(second))


def test_where_of_literals_and_scalars():
    def f(c, s):
        return np.where(c, 1, 0), np.where(c, 1.0, 0), np.where(c, s, 0), np.where(c, 0, s)

    assert_same(f, np.array([[True], [False]]), 2.5)
    assert_same(f, np.array([0.0, -0.0, np.nan, 3.0]), 7)


def test_where_broadcasts():
    def f(c, x, y):
        return np.where(c, x, y)

    assert_same(f, np.array([[True], [False]]), np.arange(3), np.arange(6.0).reshape(2, 3))
    assert_same(f, np.array([True, False]), np.arange(6).reshape(3, 2).T[:, :1] * 1.0, np.zeros(2))
    with pytest.raises(ValueError):
        compiled(f)(np.array([True, False]), np.arange(3), np.zeros(2))


def test_where_is_part_of_expressions():
    def f(a, b):
        return np.sum(np.where(a > b, a, b) * 2) + np.where(a > b, np.sqrt(a), 0.0).sum()

    assert_same(f, np.arange(8.0), np.arange(8.0)[::-1].copy(), rtol=1e-14)


# -- several results -------------------------------------------------------------------------------


def test_two_results():
    def f(a, b):
        return np.divmod(a, b), np.modf(a), np.frexp(a)

    a = np.array([7.5, -7.5, 0.0, -0.0, 1e300, np.inf, -np.inf, np.nan])
    assert_same(f, a, np.full(8, 2.0))
    assert_same(f, a.astype(np.float32), np.full(8, -2, np.float32))
    assert_same(f, np.array([[7, -7]]), np.array([[2], [-2]]))


def test_two_results_of_scalars():
    def f(a, b):
        return np.divmod(a, b), np.modf(a), np.frexp(a)

    for a in (7.5, -7.5, -0.0, 3):
        assert_same(f, a, 2)


# -- rounding --------------------------------------------------------------------------------------

ROUGH = np.array([0.5, 1.5, -2.5, 2.675, 1234.5678, -0.04, np.inf, np.nan, 0.125])


@pytest.mark.parametrize("decimals", [0, 1, 2, -2])
def test_round(decimals):
    f = eval("lambda a: (np.round(a, d), np.around(a, d), a.round(d))", {"np": np, "d": decimals})
    for dtype in "fdD":
        assert_same(f, ROUGH.astype(dtype))
    for dtype in "bil":
        if not (dtype == "b" and decimals < 0):
            assert_same(f, np.array([15, 25, -25, 125, 99]).astype(dtype))


def test_round_by_default_and_into_out():
    def f(a, out):
        return np.round(a), a.round(), np.round(a, 1, out=out)

    assert_same(f, ROUGH, np.zeros(9))


def test_round_checks_its_arguments():
    def f(a, out):
        return np.round(a, 1, out=out)

    with pytest.raises(ValueError, match="invalid output shape"):
        compiled(f)(ROUGH, np.zeros((9, 9)))
    with pytest.raises(TypeError):
        compiled(f)(np.array([True]), np.zeros(1))


def test_round_to_places_known_at_run_time():
    def f(a, decimals):
        return np.round(a, decimals)

    for decimals in (0, 2, -1):
        assert_same(f, ROUGH, decimals)
        assert_same(f, np.array([15, 25, -35]), decimals)


def test_fix_and_scalars():
    def f(x):
        return np.fix(x), np.round(x, 1), np.sinc(x), np.isreal(x), np.isposinf(x), np.nan_to_num(x)

    for x in (2.55, -2.5, 0.0):
        assert_same(f, x)


# -- tests and parts -------------------------------------------------------------------------------


def test_tests_of_numbers():
    def f(a):
        return np.isposinf(a), np.isneginf(a), np.isreal(a), np.iscomplex(a)

    for dtype in "?ilfd":
        assert_same(f, numbers(dtype))

    def parts(a):
        return np.isreal(a), np.iscomplex(a)

    assert_same(parts, numbers("D"))


def test_angle():
    def f(z):
        return np.angle(z), np.angle(z, deg=True), np.angle(z, True)

    for dtype in "ilfdFD":
        assert_same(f, finite_numbers(dtype), rtol=1e-6 if dtype in "fF" else 1e-15)


def test_what_a_run_time_bool_chooses_between_are_arrays():
    """The library returns expressions, which differ: nothing makes a bool of a signature known."""

    def angle(z, deg):
        return np.angle(z, deg)

    for z in finite_numbers("D"), finite_numbers("f"):
        compiled = njit((typeof(z), types.boolean))(angle)
        for deg in (True, False):
            np.testing.assert_allclose(compiled(z, deg), angle(z, deg), rtol=1e-6)


def test_nan_to_num():
    def f(a):
        return np.nan_to_num(a), np.nan_to_num(a, nan=-1.0, posinf=9.0, neginf=-9.0)

    for dtype in "?ilfdFD":
        assert_same(f, numbers(dtype))

    def in_place(a):
        return np.nan_to_num(a, copy=False) is a

    assert_same(in_place, numbers("d"))


def test_sinc_and_i0():
    def f(a):
        return np.sinc(a), np.i0(a)

    assert_same(f, np.linspace(-20, 20, 41), rtol=1e-13)
    assert_same(f, np.linspace(-3, 3, 12, dtype=np.float32).reshape(3, 4), rtol=1e-5)
    assert_same(f, np.arange(5), rtol=1e-13)


def test_unwrap():
    def f(p):
        return np.unwrap(p), np.unwrap(p, 4.0), np.unwrap(p, period=4.0)

    p = np.array([0.0, 1.0, 6.0, 13.5, 3.1, 0.0, 3.5, 7.0, np.pi, -np.pi, 1e3])
    assert_same(f, p, rtol=1e-12)
    assert_same(f, np.arange(12.0).reshape(3, 4) ** 2, rtol=1e-12)
    assert_same(f, np.zeros(0))
    for dtype in "bHL?":  # differences of unsigned integers wrap
        assert_same(
            lambda p: np.unwrap(p),
            np.array([0, 7, 1, 200, 3]).astype(np.uint8).astype(dtype),
            rtol=1e-12,
        )
    assert_same(lambda p: np.unwrap(p, period=7, axis=0), np.array([[0, 5], [9, -3], [-4, 60]]))


ZERO_D = ["np.sin(a)", "-a", "a * 2 + 1", "a > 1", "a + a", "2 ** a", "np.maximum(a, b)", "a // b"]


@pytest.mark.parametrize("text", [*ZERO_D, "np.where(a > 1, a, 2)", "np.sin(a, where=True)"])
@pytest.mark.parametrize("a", [np.array(2.5), np.array(3)], ids=repr)
def test_arrays_without_dimensions_give_scalars(a, text):
    f = eval(f"lambda a, b: {text}", {"np": np})
    expected = f(a, a)
    actual = njit(f)(a, a)
    assert isinstance(actual, np.ndarray) == isinstance(expected, np.ndarray)
    check_same(actual, expected)


def test_results_without_dimensions_are_stored():
    def in_place(a):
        a += 1
        a[...] = a * 2
        return a

    def into(a, b):
        return np.add(a, 1, out=b)

    assert_same(in_place, np.array(2.5))
    assert_same(into, np.array(2.5), np.zeros(()))


@pytest.mark.parametrize("call", ["np.divmod(a, b, c, d)", "np.divmod(a, b, out=(c, d))",
                                  "np.divmod(a, b, a, b)", "np.divmod(a, b, out=(c, None))",
                                  "np.modf(a, c, d)", "np.frexp(a, c, e)"])  # fmt: skip
def test_two_results_are_stored(call):
    scope = {"np": np}
    exec(f"def f(a, b, c, d, e):\n    return {call}, a, b, c, d, e\n", scope)
    a, b = np.array([7.5, -3.25, 2.0]), np.array([2.0, 2.0, 0.75])
    assert_same(scope["f"], a, b, np.zeros(3), np.zeros(3), np.zeros(3, np.int32))


def test_comparing_arrays_with_none():
    assert njit(lambda a: (a == None, a != None))(np.ones(3)) == (False, True)  # noqa: E711


@pytest.mark.parametrize("x", [np.array(-3), np.array(2.567), np.array(2.5 + 1j), np.array([1.5])])
def test_rounded_arrays_without_axes_are_numbers(x):
    assert_same(lambda a: (np.round(a), a.round(1), np.around(a, 1), np.round(a + 1)), x)
