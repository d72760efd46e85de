"""Reductions: every axis, layout and dtype, and the keyword arguments."""

import warnings

import numpy as np
import pytest
from language import arrays
from language.support import assert_same, check, compiled, expression
from numjit import njit
from numjit.errors import NumbaError

REDUCTIONS = ["sum", "prod", "max", "min", "any", "all", "mean", "var", "std"]
TOLERANCE = 1e-12


MATRIX = np.random.default_rng(3).normal(size=(5, 7))
CUBE = np.random.default_rng(4).normal(size=(3, 4, 5))
LONG = np.random.default_rng(5).normal(size=5000)  # several blocks, and a rest


# -- which axes --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("axis", ["None", "0", "1", "-1", "(0, 2)", "(2, 1)", "()"])
def test_axes(name, axis):
    check(f"np.{name}(a, axis={axis})", CUBE)


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("axis", ["None", "1", "(0, -1)"])
def test_keepdims(name, axis):
    check(f"np.{name}(a, {axis}, keepdims=True)", CUBE)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_axis_known_at_run_time(name):
    f = expression(f"np.{name}(a, axis=b)")
    for axis in (0, 1, 2, -1, -3):
        assert_same(f, CUBE, axis, rtol=TOLERANCE)


@pytest.mark.parametrize("name", ["sum", "max", "var", "argmax", "median", "cumsum"])
@pytest.mark.parametrize("axis", [3, -4])
def test_axis_out_of_bounds_at_run_time(name, axis):
    f = compiled(expression(f"np.{name}(a, axis=b)"))
    with pytest.raises(np.exceptions.AxisError, match="out of bounds for array of dimension 3"):
        f(CUBE, axis)


def test_axes_out_of_bounds_are_told_before_duplicates():
    f = compiled(expression("np.sum(a, axis=b)"))
    with pytest.raises(np.exceptions.AxisError, match="axis 3 is out of bounds"):
        f(CUBE, (0, 1, 2, 3))
    with pytest.raises(ValueError, match="duplicate value in 'axis'"):
        f(CUBE, (0, 1, 2, -1))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("np.max(a, axis=(1, -2))", "duplicate value in 'axis'"),
        ("np.sum(a, axis=1.0)", "axis must be None, an integer or a tuple"),
        ("np.median(a, axis=(0, b))", "integers in a tuple of axes must be constants"),
        ("np.subtract.reduce(a, axis=None)", "not reorderable"),
        ("np.max(a, where=a > 0)", "need `initial`"),
    ],
)
def test_errors_at_compile_time(call, message):
    with pytest.raises(NumbaError, match=message) as caught:
        compiled(expression(call))(CUBE, 1)
    assert "library" not in str(caught.value)  # the user's call is blamed


def test_methods():
    for name in REDUCTIONS:
        check(f"(a.{name}(), a.{name}(1), a.{name}(axis=0, keepdims=True))", MATRIX)


# -- what is reduced ---------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", arrays.DTYPES, ids=str)
@pytest.mark.parametrize("name", ["sum", "max", "any", "mean"])
def test_dtypes(name, dtype):
    a = arrays.values((4, 3), dtype)
    rtol = 1e-5 if dtype.itemsize == 4 or dtype.char == "F" else TOLERANCE
    check(f"np.{name}(a)", a, rtol=rtol)
    check(f"np.{name}(a, axis=0)", a, rtol=rtol)
    check(f"np.{name}(a, axis=1)", a, rtol=rtol)


@pytest.mark.parametrize("name", ["sum", "max", "std"])
@pytest.mark.parametrize(
    "layout",
    [
        np.asfortranarray,
        arrays.strided,
        lambda a: a[::-1, ::-1],
        lambda a: a.transpose(1, 2, 0),
        lambda a: np.broadcast_to(a[:1], (4, *a.shape[1:])),
    ],
    ids=["F", "strided", "reversed", "transposed", "readonly broadcast"],
)
def test_layouts(name, layout):
    a = layout(arrays.values((3, 4, 5)))
    for axis in ("None", "0", "1", "2", "(0, 2)"):
        check(f"np.{name}(a, axis={axis})", a)


def test_result_of_column_order_stays_in_it():
    result = compiled(expression("np.sum(a, axis=0)"))(np.asfortranarray(CUBE))
    assert result.flags.f_contiguous


@pytest.mark.parametrize("name", ["sum", "max", "count_nonzero", "any", "mean"])
def test_expressions(name):
    row, column = MATRIX[0], MATRIX[:, :1]
    check(f"np.{name}(a * b + 1)", MATRIX, MATRIX[::-1])
    check(f"np.{name}(a - b, axis=0)", MATRIX, row)  # another number of dimensions
    check(f"np.{name}(a - b, axis=1)", MATRIX, column)  # an extent of one
    check(f"np.{name}((a[:, None] - b[None, :]) ** 2)", LONG[:40], LONG[:30])
    check(f"np.{name}(a > 0, axis=0)", MATRIX)


def test_shapes_that_do_not_fit():
    check("np.sum(a + b)", LONG[:3], LONG[:4])


def test_sequences_and_numbers():
    check("np.sum([1.5, 2.5]), np.max((3, 1, 2)), np.mean([1, 2])")
    check("np.sum(a), np.max(a), np.mean(a), np.any(a), np.prod(a)", 3.5)
    check("np.sum(a), np.max(a), np.var(a), np.count_nonzero(a)", np.array(3.5))
    check("np.std(a), np.nanvar(a), np.nanstd(a * 2), np.mean(a + 1)", np.array(3.5))


# -- values ------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 1, 7, 248, 249, 1023, 1024, 1025, 5000])
def test_blocks(n):
    check("np.sum(a), np.any(a > 9), np.all(a < 9), np.count_nonzero(a > 0)", LONG[:n], rtol=1e-11)
    if n:
        check("np.max(a), np.min(a), np.argmax(a), np.argmin(a)", LONG[:n])


def test_any_and_all_find_a_late_element():
    a = np.zeros(3000)
    a[2999] = np.nan
    check("np.any(a), np.all(a == 0), np.any(a, axis=0)", a)


def test_counts_of_more_than_a_byte_holds():
    a = np.ones((3, 1000), bool)
    check("np.sum(a), np.count_nonzero(a), np.sum(a, axis=1), np.sum(a, axis=0)", a)


@pytest.mark.parametrize("dtype", ["f4", "f8", "F", "D"])
def test_sums_are_as_exact_as_pairwise_ones(dtype):
    a = np.full(1_000_000, 0.1, dtype)
    exact = float(a[0].real) * a.size
    total = compiled(expression("np.sum(a)"))(a)
    eps = np.finfo(dtype).eps
    assert abs(total - exact) <= 8 * eps * exact
    cancelling = np.concatenate([[1e16, 1.0, -1e16] * 3, np.zeros(2000), [1.0]])
    mine = compiled(expression("np.sum(a)"))(cancelling)
    assert abs(mine - 4.0) <= 8.0


@pytest.mark.parametrize(
    "values",
    [
        [np.inf, 1, 2],
        [np.inf, -np.inf],
        [1e308, 1e308, -1e308],
        [np.nan, 1, 2],
        [1, np.nan, np.inf],
        [-0.0, -0.0],
        [0.0, -0.0],
        [],
    ],
)
def test_special_floats(values):
    a = np.array(values)
    check("np.sum(a), np.mean(a), np.prod(a), np.any(a), np.all(a)", a)
    check("np.sum(a), np.prod(a)", a * (1 + 0j) if np.isfinite(a).all() else a)
    if a.size:
        check("np.max(a) + 0.0, np.min(a) + 0.0, np.argmax(a), np.argmin(a)", a)


def test_nan_wins_along_axes():
    a = np.array([[1, np.nan, 3], [4, 5, np.nan], [7, 8, 9]])
    check("np.max(a, axis=0), np.min(a, axis=1), np.argmax(a, axis=0), np.argmin(a, axis=1)", a)
    check("np.max(a), np.argmax(a), np.ptp(a, axis=0)", a)


def test_small_integers():
    a = np.full((3, 100), 100, np.int8)
    check("np.sum(a), np.sum(a, axis=0), np.prod(a[:, :2])", a)
    check("np.sum(a, dtype=np.int8), np.max(a), np.min(a)", a)
    check("np.max(a), np.min(a)", np.array([2**64 - 1, 5], np.uint64))
    check("np.max(a), np.min(a)", np.array([-(2**63), 5], np.int64))


def test_complex_order():
    a = np.array([[1 + 2j, 1 - 2j], [0.5 + 9j, 1 + 2j]])
    check("np.max(a), np.min(a), np.max(a, axis=0), np.argmax(a), np.argmin(a)", a)


# -- nothing to reduce -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [*REDUCTIONS, "argmax", "nanargmin", "nanmin", "ptp", "count_nonzero", "median", "average"],
)
def test_no_elements(name):
    for empty in (np.empty((0, 3)), np.empty((3, 0)), np.empty((0, 0))):
        check(f"np.{name}(a)", empty)
        check(f"np.{name}(a, axis=0)", empty)
        check(f"np.{name}(a, axis=1)", empty)


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_message_of_empty_extremes(name):
    f = compiled(expression(f"np.{name[:3]}(a)"))
    with pytest.raises(ValueError, match=f"zero-size array to reduction operation {name} which"):
        f(np.empty(0))
    with pytest.raises(ValueError, match="no identity"):
        compiled(expression(f"np.{name[:3]}(a, axis=0)"))(np.empty((0, 2)))


# -- dtype, out, initial, where ----------------------------------------------------------------


def test_dtype():
    check("np.sum(a, dtype=np.float32)", arrays.values((3, 4), int))
    check("np.sum(a, axis=0, dtype=np.float64)", arrays.values((3, 4), "f4"))
    check("np.prod(a, dtype='f8'), np.mean(a, dtype=np.float32)", arrays.values((3, 4), int))
    check("np.add.reduce(a, 0, np.int16)", arrays.values((3, 4), int))


def test_out():
    check("np.sum(a, axis=0, out=b)", MATRIX, np.zeros(7))
    check("a.max(1, b)", MATRIX, np.zeros(5))
    check("np.sum(a, out=b)", MATRIX, np.zeros(()))
    check("np.mean(a, axis=0, out=b), np.std(a, axis=0, out=c)", MATRIX, np.zeros(7), np.zeros(7))
    check("np.cumsum(a, axis=0, out=b)", MATRIX, np.zeros((5, 7)))
    check("np.argmax(a, axis=1, out=b)", MATRIX, np.zeros(5, int))
    result = np.zeros(7)
    assert compiled(expression("np.sum(a, axis=0, out=b)"))(MATRIX, result) is not None


@pytest.mark.parametrize("shape", [(5,), (1, 7), ()])
def test_out_of_another_shape(shape):
    with pytest.raises(ValueError, match="output parameter"):
        compiled(expression("np.sum(a, axis=0, out=b)"))(MATRIX, np.zeros(shape))


def test_initial():
    check("np.sum(a, initial=10), np.prod(a, axis=0, initial=b)", MATRIX, 2.5)
    check("np.max(a, initial=0.5), np.min(a, axis=0, initial=-3)", np.empty((0, 3)))
    check("np.max(a, initial=100), np.min(a, axis=1, initial=-0.5)", MATRIX)


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var", "std", "any", "all"])
def test_where(name):
    check(f"np.{name}(a, where=a > 0.3)", MATRIX)
    check(f"np.{name}(a, axis=0, where=a > 0.3)", MATRIX)
    check(f"np.{name}(a, axis=1, where=b)", MATRIX, np.arange(7) % 2 == 0)


def test_where_with_initial():
    check("np.max(a, initial=-1.0, where=a < 0.5)", MATRIX)
    check("np.min(a, axis=0, initial=1.0, where=a > 0.5)", MATRIX)


def test_memory_of_out_that_is_read():
    def f(a):
        np.sum(a, axis=0, out=a[0])
        return a

    assert_same(f, MATRIX, rtol=TOLERANCE)


# -- ufuncs ------------------------------------------------------------------------------------


@pytest.mark.parametrize("ufunc", ["add", "multiply", "maximum", "minimum", "fmax", "hypot"])
def test_reduce_of_ufuncs(ufunc):
    check(f"np.{ufunc}.reduce(a)", MATRIX)
    check(f"np.{ufunc}.reduce(a, axis=1, keepdims=True)", MATRIX)
    check(f"np.{ufunc}.reduce(a, axis=None)", MATRIX)


@pytest.mark.parametrize("ufunc", ["bitwise_and", "bitwise_or", "bitwise_xor", "gcd"])
def test_reduce_of_integer_ufuncs(ufunc):
    check(f"np.{ufunc}.reduce(a), np.{ufunc}.reduce(a, axis=None)", arrays.values((4, 5), int))


@pytest.mark.parametrize("ufunc", ["logical_and", "logical_or", "logical_xor"])
def test_reduce_of_logical_ufuncs(ufunc):
    check(f"np.{ufunc}.reduce(a)", arrays.values((4, 5), bool))
    check(f"np.{ufunc}.reduce(a, axis=1)", arrays.values((4, 5), int))


# -- the rest ----------------------------------------------------------------------------------


def test_ptp():
    check("np.ptp(a), np.ptp(a, axis=0), np.ptp(a, 1, None, True)", MATRIX)
    check("np.ptp(a)", np.array([-100, 100], np.int8))


@pytest.mark.parametrize("dtype", ["?", "i4", "f8", "D"])
def test_count_nonzero(dtype):
    a = arrays.values((4, 5), dtype)
    check("np.count_nonzero(a), np.count_nonzero(a, axis=0)", a)
    check("np.count_nonzero(a, axis=1, keepdims=True)", a)
    check("np.count_nonzero([0, 1, 2])")


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f4", "f8", "D"])
def test_places_of_extremes(name, dtype):
    a = arrays.values((4, 6), dtype)
    check(f"np.{name}(a), a.{name}(), np.{name}(a, axis=0), np.{name}(a, -1)", a)
    check(f"np.{name}(a), np.{name}(a, 0)", np.asfortranarray(a))
    check(f"np.{name}(a, axis=1, keepdims=True), np.{name}(a, axis=b)", a, 0)


def test_first_of_equal_extremes():
    a = np.zeros(3000)
    check("np.argmax(a), np.argmin(a)", a)
    a[[700, 2900]] = 1
    check("np.argmax(a), np.argmin(-a)", a)
    a[[600, 2000]] = np.nan
    check("np.argmax(a), np.argmin(a)", a)


TUPLES_OF_AXES = [(0,), (-1,), (1, 2), (-1, 0), (0, 1, 2), (2, 0)]


@pytest.mark.parametrize(
    "f",
    [
        lambda a, axis: np.sum(a, axis=axis),
        lambda a, axis: a.max(axis=axis),
        lambda a, axis: np.any(a > 48, axis=axis, keepdims=True),
        lambda a, axis: np.count_nonzero(a, axis=axis),
        lambda a, axis: np.sum(a, axis=axis, where=a > 3, keepdims=True),
        lambda a, axis: np.mean(a, axis=axis, keepdims=True),
        lambda a, axis: np.std(a, axis=axis),
        lambda a, axis: np.var(a, axis=axis, ddof=1, keepdims=True),
    ],
)
def test_axes_known_at_run_time(f):
    a = np.random.default_rng(1).integers(0, 50, (2, 3, 4)).astype(np.float64)
    for array in (a, a.T, a[:, ::-2]):
        for axes in TUPLES_OF_AXES:
            expected, result = f(array, axes), compiled(f)(array, axes)
            assert np.shape(result) == np.shape(expected)
            np.testing.assert_allclose(result, expected, rtol=1e-13)


def test_wrong_axes_known_at_run_time():
    def f(a, axis):
        return a.sum(axis=axis)

    a = np.ones((2, 3, 4))
    for axes in [(0, 0), (0, -3), (3,), (-4, 1), (0, 1, 2, 0)]:
        with pytest.raises(ValueError) as expected:  # AxisError is one
            f(a, axes)
        with pytest.raises(type(expected.value)) as raised:
            njit(f)(a, axes)
        assert str(raised.value) == str(expected.value)


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.int32, np.float32])
def test_reductions_by_functions_of_floats(dtype):
    def f(a):
        return np.hypot.reduce(a), np.hypot.reduce(a, axis=(0, 1)), np.logaddexp.reduce(a, axis=1)

    a = np.arange(12).reshape(3, 4).astype(dtype)
    for x, y in zip(compiled(f)(a), f(a)):
        np.testing.assert_allclose(x, y, rtol=1e-3 if dtype == np.uint8 else 1e-6)


def test_masks_of_complex_numbers_that_become_real():
    def f(a, mask):
        return (
            np.sum(a, dtype=np.float64, where=mask),
            np.prod(a, axis=0, dtype=np.float64, where=mask, initial=2),
            np.mean(a, dtype=np.float64, keepdims=True, where=mask),
            np.var(a, axis=1, dtype=np.float64, where=mask),
        )

    a = np.array([[1 + 2j, 3 - 1j], [0.5, 2j]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        assert_same(f, a, np.array([[True, False], [True, True]]), rtol=1e-12)
