"""outer, reduceat, at, and reduce and accumulate of ufuncs that have no identity."""

import numpy as np
import pytest
from language import arrays
from language.support import assert_same, check, compiled
from numjit import njit, vectorize
from numjit.errors import TypingError

UFUNCS = "add subtract multiply divide maximum fmin hypot arctan2 power less logical_or".split()
MATRIX = arrays.values((3, 4))


@pytest.mark.parametrize("name", UFUNCS)
def test_outer(name):
    check(f"np.{name}.outer(a, b)", abs(MATRIX) + 1, np.array([3, 1, 2]), rtol=1e-14)
    check(f"np.{name}.outer(2, a), np.{name}.outer(a, 2.5)", np.array([3.0, 1]), rtol=1e-14)


@pytest.mark.parametrize("dtype", "?bHilLfdFD")
def test_outer_of_dtypes(dtype):
    check("np.add.outer(a, b)", arrays.values(3, dtype), arrays.values((2, 2), "l"))


def test_outer_of_other_operands():
    check("np.add.outer([1, 2], (3, 4.5))")
    check("np.add.outer(a, b), np.add.outer(b, a)", np.array(2.5), np.arange(3))
    check("np.add.outer(a, b)", np.zeros((0, 3)), np.arange(2))
    check("np.multiply.outer(a, a[0])", arrays.strided(MATRIX))
    check("np.add.outer(a, a, out=b)", np.arange(3.0), np.zeros((3, 3)))
    check("np.add.outer(a, a, dtype=np.float32)", np.arange(3.0))


# NumPy's own power and arctan2 go wrong in reductions where it has vector instructions for them.
@pytest.mark.parametrize("name", "add subtract multiply divide maximum fmin hypot".split())
def test_reduceat(name):
    check(f"np.{name}.reduceat(a, [0, 2, 1, 4])", np.arange(6.0) + 1, rtol=1e-14)
    for axis in (0, 1, -1):
        check(f"np.{name}.reduceat(a, b, axis={axis})", abs(MATRIX) + 1, np.array([2, 0, 1]),
              rtol=1e-14)  # fmt: skip


@pytest.mark.parametrize("dtype", "?bHilLfdFD")
def test_reduceat_of_dtypes(dtype):
    a = arrays.values((3, 4), dtype)
    check("np.add.reduceat(a, [0, 2, 1]), np.multiply.reduceat(a, [1], -1)", a, rtol=1e-5)


def test_reduceat_arguments():
    check("np.add.reduceat(a, b, c)", MATRIX, np.array([0, 1], "B"), 1)
    check("np.add.reduceat(a, b, dtype=np.float32)", np.arange(5), np.array([0, 3]))
    check("np.add.reduceat(a, b, out=c)", np.arange(5.0), np.array([0, 3]), np.zeros(2))
    check("np.add.reduceat(a, b)", arrays.f_order(MATRIX), np.array([1, 0]))
    check("np.add.reduceat(a, b)", np.arange(5.0), np.zeros(0, int))


@pytest.mark.parametrize("index", [[0, 5], [-1], [7]])
def test_reduceat_outside(index):
    def f(a, indices):
        return np.add.reduceat(a, indices)

    assert_same(f, np.arange(5.0), np.array(index))


@pytest.mark.parametrize("name", "subtract divide".split())
def test_reductions_without_identity(name):
    a = abs(MATRIX) + 1
    check(f"np.{name}.reduce(a), np.{name}.reduce(a, axis=1)", a)
    check(f"np.{name}.reduce(a, axis=1, keepdims=True)", a)
    check(f"np.{name}.reduce(a[0], keepdims=True), np.{name}.accumulate(a, axis=1)", a)
    check(f"np.{name}.reduce(a, axis=()), np.{name}.reduce(a, axis=(1,))", a)
    for axis in (0, 1, -1, (0,), (-1,)):
        check(f"np.{name}.reduce(a, axis=b)", a, axis)
        check(f"np.{name}.reduce(a, axis=b, keepdims=True)", a, axis)


IDENTITIES = [None, 0, 1, "reorderable"]


@pytest.mark.parametrize("identity", IDENTITIES)
def test_reductions_of_vectorized_functions(identity):
    larger = vectorize(identity=identity)(lambda x, y: x if x > y else y)

    @njit
    def f(a, axis):
        return larger.reduce(a, axis=axis)

    @njit
    def kept(a, axis):
        return larger.reduce(a, axis=axis, keepdims=True)

    a = arrays.values((2, 3, 4))
    start = identity if isinstance(identity, int) else -np.inf
    for axis in (0, -1, (0,), (), (0, 2), (1, -1), (0, 1, 2), None):
        many = 3 if axis is None else len(axis) if isinstance(axis, tuple) else 1
        if identity is None and many > 1:
            for call in (f, kept, larger.reduce):
                with pytest.raises((TypingError, ValueError), match="not reorderable, so at most"):
                    call(a, axis)
            continue
        wanted = np.maximum.reduce(a, axis=axis, initial=start)
        np.testing.assert_array_equal(f(a, axis), wanted)
        assert kept(a, axis).shape == (a if axis == () else a.sum(axis, keepdims=True)).shape
        np.testing.assert_array_equal(larger.reduce(a, axis), wanted)


@pytest.mark.parametrize("identity", IDENTITIES)
def test_reductions_of_nothing(identity):
    add = vectorize(identity=identity)(lambda x, y: x + y)
    f = njit(boundscheck=True)(lambda a, axis: add.reduce(a, axis=axis))
    for a, axis in ((np.zeros(0), 0), (np.zeros((0, 3)), 0), (np.zeros((3, 0)), 1)):
        if isinstance(identity, int):
            np.testing.assert_array_equal(f(a, axis), np.full(a.sum(axis).shape, identity))
        else:
            with pytest.raises(ValueError, match="zero-size array to reduction operation"):
                f(a, axis)
    assert f(np.zeros((0, 3)), 1).shape == (0,)


def test_what_ufuncs_are():
    add = vectorize(identity=0)(lambda x, y: x + y)

    @njit
    def f():
        return add.nin, add.nout, add.nargs, add.identity, np.hypot.nin, np.multiply.identity

    assert f() == (2, 1, 3, 0, 2, 1)
    assert njit(lambda: (np.add.__name__, f.__name__))() == ("add", "f")


@pytest.mark.parametrize("name", ["less", "equal"])
def test_comparisons_of_numbers_do_not_chain(name):
    namespace = {"np": np}
    exec(f"def f(a):\n    return np.{name}.reduceat(a, [0])", namespace)
    with pytest.raises(TypingError, match="No loop matching"):
        compiled(namespace["f"])(np.arange(3.0))
    assert_same(namespace["f"], np.array([True, False]))


def test_at():
    def f(a, b):
        np.add.at(a, b, 1.5)
        np.negative.at(a, [0])
        return a

    assert_same(f, np.arange(4.0), np.array([1, 1, 3]))
    assert_same(lambda a: np.add.at(a, (), 2), np.array(3))
    assert_same(lambda a: np.negative.at(a, ...), np.array(3.5))


add_up, highest, running, outer = (
    np.add.reduce,
    np.maximum.reduce,
    np.multiply.accumulate,
    np.multiply.outer,
)


def test_methods_that_variables_hold():
    def f(a, where):
        return (
            add_up(a),
            add_up(a, 1, None, None, True),
            add_up(a, axis=None, where=where, initial=2.0),
            add_up(a, 0, initial=np._NoValue),
            highest(a, (0, 1)),
            running(a, 1),
            outer(a, a[0]),
        )

    assert_same(f, MATRIX, MATRIX > 0)

    def given(reduce, a):
        return reduce(a, axis=0)

    assert_same(lambda a: given(add_up, a), MATRIX)


def test_subclasses_may_be_asked_for():
    assert_same(lambda a: np.add(a, a, a.copy(), subok=False), MATRIX)


def test_out_may_ask_for_an_array():
    assert_same(lambda a: (np.sqrt(a, out=...), np.add(2.0, a[0, 0], out=...)), abs(MATRIX))
