"""`a op= b` on arrays writes where NumPy writes, and is refused where NumPy refuses it."""

import itertools

import numpy as np
import pytest
from numjit import njit
from numjit.errors import TypingError

SYMBOLS = ["+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>", "@"]
DTYPES = ["int64", "int8", "uint8", "float64", "float32", "complex128", "bool", "m8[s]", "m8[D]"]


def operation(symbol):
    scope: dict = {}
    exec(f"def f(a, b):\n    c = a\n    c {symbol}= b\n    return c", scope)
    return scope["f"]


def matrix(dtype):
    numbers = np.array([[1, 0], [1, 1]]) if dtype == "bool" else np.arange(1, 5).reshape(2, 2)
    return numbers.astype(dtype)


def outcome(f, a, b):
    """What is in the array afterwards; None where the operation is refused."""
    a = a.copy()
    try:
        with np.errstate(all="ignore"):
            result = f(a, b)
    except (TypeError, ValueError, TypingError):
        return None
    assert np.shares_memory(result, a)
    assert result.dtype == a.dtype and np.array_equal(result, a, equal_nan=a.dtype.kind != "b")
    return a


def check(symbol, compiled, a, b):
    expected = outcome(operation(symbol), a, b)
    found = outcome(compiled, a, b)
    assert (found is None) == (expected is None), (symbol, a.dtype, b, expected, found)
    if expected is not None and expected.dtype.kind in "fc":
        np.testing.assert_allclose(found, expected)
    elif expected is not None:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.one_python
@pytest.mark.parametrize("symbol", SYMBOLS)
def test_dtypes(symbol):
    """Half of the pairs, and the others with the next symbol."""
    compiled = njit(operation(symbol))
    pairs = list(itertools.product(DTYPES, DTYPES))
    for left, right in pairs[SYMBOLS.index(symbol) % 2 :: 2]:
        check(symbol, compiled, matrix(left), matrix(right))


@pytest.mark.parametrize("symbol", ["+", "*", "/", "//"])
def test_scalars(symbol):
    compiled = njit(operation(symbol))
    for left in DTYPES:
        for right in (3, 2.5, 2j, True, np.timedelta64(3, "s")):
            check(symbol, compiled, matrix(left), right)
    check(symbol, compiled, matrix("uint64"), 3)


SHAPES = [(3,), (1, 3), (2, 1), (), (1, 2, 3), (3, 2), (3, 3), (2,), (1, 3, 3)]


@pytest.mark.parametrize("symbol", ["-", "@"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_shapes(symbol, shape):
    compiled = njit(operation(symbol))
    for left in [(2, 3), (3,), (1, 3), (2, 2, 3)]:
        a = np.arange(1.0, 1 + np.prod(left)).reshape(left)
        check(symbol, compiled, a, np.arange(np.prod(shape)).reshape(shape) + 1.0)


@pytest.mark.parametrize("symbol", ["+", "@"])
def test_readonly_arrays_are_refused(symbol):
    a = np.ones((2, 2))
    a.flags.writeable = False
    with pytest.raises(TypingError, match="readonly"):
        njit(operation(symbol))(a, np.ones((2, 2)))


def test_operands_that_share_memory():
    @njit
    def f(a):
        a @= a.T
        a += a[::-1]
        return a

    a = np.arange(4.0).reshape(2, 2)
    expected = a @ a.T
    expected = expected + expected[::-1]
    np.testing.assert_allclose(f(a), expected)
    np.testing.assert_allclose(a, expected)


def test_views_and_items():
    @njit
    def f(a, rows):
        a[1:] @= np.array([[0.0, 1.0], [1.0, 0.0]])
        a[0] *= 2
        a[rows] += 1
        return a

    a = np.arange(6.0).reshape(3, 2)
    f(a, np.array([0, 2]))
    assert a.tolist() == [[1, 3], [3, 2], [6, 5]]


def test_operator_functions():
    import operator

    @njit
    def f(a, b):
        c = operator.imatmul(a, b)
        return c is a

    a = np.ones((2, 2))
    assert f(a, np.ones((2, 2)))
    assert a[0, 0] == 2


def test_the_message_says_which_types():
    with pytest.raises(TypingError, match=r"'/=' from float64 to int64 .*'same_kind'"):
        njit(operation("/"))(np.arange(3), 2)
