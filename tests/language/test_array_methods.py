"""Methods and reductions: copy ravel reshape transpose fill astype view sum mean min max."""

import numpy as np
import pytest
from language.arrays import DTYPES, layouts, values
from language.support import assert_same
from numjit import njit
from numjit.errors import NumbaError

pytestmark = pytest.mark.one_python


def test_copies():
    def f(a):
        return a.copy(), a.ravel(), a.flatten(), np.ravel(a), np.copy(a), np.ascontiguousarray(a)

    for shape in ((5,), (3, 4), (2, 3, 2)):
        for a in layouts(values(shape)):
            assert_same(f, a)


def test_calls_that_always_raise_end_the_way_that_they_are_on():
    """The axis of an array that has none: the branch is for others."""

    def f(a, columns):
        if columns:
            return a.sum(axis=1) + 1
        return a.sum(axis=0) + np.mean(a, axis=0)

    def caught(a):
        try:
            found = np.sum(a, axis=3) + a.cumsum(1)[0]
        except ValueError:
            found = -1.0
        return found

    line, table = np.arange(4.0), np.arange(6.0).reshape(2, 3)
    assert_same(f, line, False)
    assert_same(f, line, True)
    assert_same(f, table, True)
    assert_same(f, table, False)
    assert_same(caught, line)
    assert_same(lambda a: float(a.sum(axis=1) + 1), line)


def test_layout_of_copies():
    @njit
    def f(a):
        return a.copy(), np.ascontiguousarray(a)

    for a in layouts(values((3, 4))):
        for b in f(a):
            assert b.flags.c_contiguous or b.flags.f_contiguous


def test_astype():
    def f(a):
        return (
            a.astype(np.int32), a.astype(np.float32), a.astype(np.float64), a.astype(np.complex128),
            a.astype(np.bool_), a.astype(np.int8),
        )  # fmt: skip

    for dtype in "?bhilfd":
        assert_same(f, values((2, 3), dtype))
    for a in layouts(values((2, 3))):
        assert_same(f, a)


def test_astype_names():
    def f(a):
        return a.astype("f4"), a.astype("int16"), a.astype(float), a.astype(int), a.astype(a.dtype)

    assert_same(f, values(4))


def test_fill():
    def f(a, x):
        a.fill(x)
        return a

    for dtype in DTYPES:
        assert_same(f, values((2, 3), dtype), 3)
    for a in layouts(values((2, 3))):
        assert_same(f, a, 1.5)


def test_item():
    def f(a):
        return a.item(0), a.item(-1), a.item(1, 2), a[:1, :1].item()

    for a in layouts(values((2, 3))):
        assert_same(f, a)


def test_item_checks_its_index():
    """Even without bounds checks: an item is no indexing."""

    def at(a, i):
        return a.item(i)

    for a in (values((2, 3)), values(6), np.zeros((0, 3)), np.array(2.5)):
        for i in (0, -1, 5, 6, -7, 10**9):
            assert_same(at, a, i)
    assert_same(lambda a: a.item(10), np.array(2.5))
    assert_same(lambda a: a.item((1, -1)), values((2, 3)))
    for i, j in ((1, 3), (2, 0), (-3, 0), (0, -4)):
        assert_same(lambda a, i, j: a.item(i, j), values((2, 3)), i, j)
    with pytest.raises(NumbaError, match="incorrect number of indices for array"):
        njit(lambda a: a.item(0, 1))(values((2, 3, 2)))


def test_item_of_many_raises():
    assert_same(lambda a: a.item(), values(3))


def sums(a):
    return a.sum(), np.sum(a)


def means(a):
    return a.mean(), np.mean(a)


def extremes(a):
    return a.min(), a.max(), np.min(a), np.max(a)


@pytest.mark.parametrize("reduce", [sums, means, extremes])
def test_reductions_over_dtypes(reduce):
    for dtype in DTYPES:
        if reduce is extremes and dtype.kind == "c":
            continue
        assert_same(reduce, values(10, dtype), rtol=1e-6 if dtype.char in "fF" else 1e-14)


@pytest.mark.parametrize("reduce", [sums, means, extremes])
def test_reductions_over_layouts(reduce):
    for shape in ((7,), (3, 4), (2, 3, 4)):
        for a in layouts(values(shape)):
            assert_same(reduce, a, rtol=1e-14)


def test_reductions_of_nothing():
    def f(a):
        return a.sum(), np.sum(a[:, :1])

    assert_same(f, np.zeros((0, 3)))
    assert_same(extremes, np.zeros(0))
    assert np.isnan(njit(lambda a: a.mean())(np.zeros(0)))


def test_reductions_of_zero_dimensions():
    def f(a):
        return a.sum(), a.mean(), a.min(), a.max()

    assert_same(f, values(()))


def test_extremes_with_nan():
    def f(a):
        return a.min(), a.max(), np.sum(a)

    for position in (0, 2, 4):
        a = values(5)
        a[position] = np.nan
        assert_same(f, a)
    assert_same(f, np.array([np.inf, -np.inf, 0.0])[:1])


def test_sum_wraps():
    assert_same(sums, np.full(4, 2**62))
    assert_same(sums, np.full(4, 2**63, np.uint64))
    assert_same(sums, np.full(300, 100, np.int8))


def test_sum_of_many_is_accurate():
    a = np.random.default_rng(0).random(10**5)
    assert njit(lambda a: a.sum())(a) == pytest.approx(np.sum(a), rel=1e-12)


def test_reductions_of_expressions():
    def f(a, b):
        return (
            np.sum(a * b),
            (a + b).mean(),
            np.max(np.abs(a - b)),
            (a > b).sum(),
            np.sum(a[1:] * b[1:]),
        )

    for a in layouts(values((3, 4))):
        assert_same(f, a, values((3, 4)) + 1, rtol=1e-14)


def test_reductions_of_broadcasts():
    def f(a, b):
        return np.sum(a * b), (a[:, None] + b).sum(), np.min(a[:, None] - b[None, :])

    assert_same(f, values(3), values(3) * 2, rtol=1e-14)


def test_any_and_all():
    def f(a):
        return a.any(), a.all(), np.any(a), np.all(a), (a > 0).any(), (a > -100).all()

    for a in layouts(values((2, 3))):
        assert_same(f, a)
    assert_same(f, np.zeros((2, 2)))


def test_prod_and_arg_extremes():
    def f(a):
        return a.prod(), a.argmin(), a.argmax(), np.argmax(a), np.prod(a)

    for a in layouts(values((2, 3)) + 0.25):
        assert_same(f, a, rtol=1e-14)


def test_truth_of_arrays():
    def f(a):
        if a:
            return 1
        return 2

    assert_same(f, np.array([3.0]))
    assert_same(f, np.array([0.0]))
    assert_same(f, np.array([[0.5]]))
    for a, which in ((values(3), "array with more than one element"), (values(0), "empty array")):
        with pytest.raises(ValueError, match=f"^The truth value of an {which} is ambiguous. Use "):
            njit(f)(a)


def test_complex_methods():
    def f(a):
        return a.conjugate(), a.conj(), np.conj(a), a.real.sum(), abs(a)

    assert_same(f, values(4, complex), rtol=1e-15)


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
def test_astype_casts_by_the_rule(casting):
    kinds = ["bool", "int8", "uint8", "int64", "float32", "float64", "complex128"]
    for to in kinds:
        scope = {"np": np}
        exec(f"def f(a):\n    return a.astype(np.{to}, casting='{casting}')", scope)
        f, g = scope["f"], njit(scope["f"])
        for kind in ("bool", "uint8", "int64", "float64"):
            a = np.ones(2, kind)
            if np.can_cast(kind, to, casting):
                assert_same(f, a)
            else:
                with pytest.raises(TypeError, match="Cannot cast array data"):
                    g(a)


def test_types_of_arrays_without_dimensions_give_what_is_in_them():
    def f(x):
        return x.dtype.type(x)

    for x in (True, 3, np.float32(12.5), 2j, np.timedelta64(3, "h"), np.datetime64("2016-01-01")):
        expected = f(np.array(x))
        assert_same(f, np.array(x))
        assert not isinstance(njit(f)(np.array(x)), np.ndarray) and expected == x
    assert njit(f)(np.array("ABC")) == "ABC"

    def truncated(x):
        return np.int32(x), np.float32(x)

    assert_same(truncated, np.array(3.75))
    assert_same(truncated, np.array([3.75]))
