"""The module operator in full: each function does what its operator does."""

import operator

import numpy as np
import pytest
from language.support import assert_same, clone
from numjit import njit
from numjit.errors import TypingError

INTEGERS = "add sub mul floordiv mod pow lshift rshift and_ or_ xor truediv".split()
COMPARISONS = "lt le gt ge eq ne".split()
UNARY = "neg pos invert inv not_ truth abs index".split()
INPLACE = "iadd isub imul ifloordiv imod ipow ilshift irshift iand ior ixor itruediv".split()


@pytest.mark.parametrize("name", INTEGERS + COMPARISONS + INPLACE)
def test_binary(name):
    f = getattr(operator, name)

    def call(a, b):
        return f(a, b)

    assert_same(call, 13, 3)
    if "shift" not in name and name.strip("i_") not in ("and", "or", "xor"):
        assert_same(call, -7.5, 2.0)


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
    f = getattr(operator, name)

    def call(a):
        return f(a)

    for a in (5, 0, -3):
        assert_same(call, a)
    if name not in ("invert", "inv", "index"):
        assert_same(call, -2.5)


def test_identity():
    def f(a, b):
        return operator.is_(a, b), operator.is_not(a, b)

    assert_same(f, None, None)
    assert_same(f, 3, None)


def test_items():
    def f(a, i):
        operator.setitem(a, i, 7)
        return operator.getitem(a, i) + operator.getitem(a, 0), operator.contains(a, 7)

    assert_same(f, np.array([1, 2, 3]), 1)
    assert_same(f, [1, 2, 3], -1)


def test_delitem():
    def f(a):
        operator.delitem(a, 1)
        return len(a)

    assert_same(f, [1, 2, 3])


def test_sequences():
    def f(a, b):
        return (
            operator.concat(a, b), operator.countOf(a, 1), operator.indexOf(a, 2),
            operator.length_hint(a),
        )  # fmt: skip

    assert_same(f, (1, 2, 1), (3, 4))
    assert_same(f, [1, 2, 1], [3, 4])


def test_inplace_on_arrays():
    for name in ("iadd", "isub", "imul", "itruediv"):
        f = getattr(operator, name)

        def call(a, b):
            f(a, b)
            return a

        assert_same(call, np.array([1.0, 2.0]), 2.0)


def test_inplace_on_lists():
    def f(a, b):
        c = operator.iconcat(a, b)
        return len(c), len(a)

    args = ([1, 2], [3])
    assert njit(f)(*clone(args)) == f(*clone(args))


def test_matmul():
    def f(a, b):
        return operator.matmul(a, b), a @ b

    a = np.arange(6.0).reshape(2, 3)
    for x, y in ((a, a.T), (a, np.arange(3.0)), (np.arange(2.0), a), (a[0], a[1])):
        assert_same(f, x, y, rtol=1e-15)


def test_matmul_needs_arrays():
    for wrong in (lambda a: a @ a, lambda a: np.zeros(2) @ a, lambda a: operator.matmul(a, 2)):
        with pytest.raises(TypingError):
            njit(wrong)(3)


def test_as_arguments():
    def reduce_with(f, a, start):
        total = start
        for x in a:
            total = f(total, x)
        return total

    g = njit(reduce_with)

    def run(a):
        return g(operator.add, a, 0.0), g(operator.mul, a, 1.0), g(operator.sub, a, 0.0)

    a = np.array([1.5, 2.0, 4.0])
    assert njit(run)(a) == (7.5, 12.0, -7.5)
