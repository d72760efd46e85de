"""np.roots and numpy.polynomial."""

import numpy as np
import numpy.polynomial.polynomial as P
import numpy.polynomial.polyutils as pu
import pytest
from language.support import assert_same, check_same
from numjit import njit
from numpy.polynomial import Polynomial

A, B = np.array([1.0, 2.0, 3.0]), np.array([3.0, 4.0])
PAIRS = [
    (A, B),
    (B, A),
    (np.array([1, 2, 3]), np.array([2, 1])),
    (A + 1j, B),
    (A.astype("f4"), B.astype("f4")),
    (np.array([1.0, 0.0, 0.0]), np.array([1.0, 0.0])),
    (A, 2.0),
    (3, A),
    ([1.0, 2.0], (1.0, 2.0, 3.0)),
]


def add(x, y):
    return P.polyadd(x, y)


def subtract(x, y):
    return P.polysub(x, y)


def multiply(x, y):
    return P.polymul(x, y)


def divide(x, y):
    return P.polydiv(x, y)


@pytest.mark.parametrize("f", [add, subtract, multiply, divide])
def test_arithmetic(f):
    for x, y in PAIRS:
        assert_same(f, x, y, rtol=1e-5)


def test_division_by_zero():
    with pytest.raises(ZeroDivisionError):
        njit(divide)(A, np.array([0.0, 0.0]))


def test_integration():
    def f(c):
        return P.polyint(c), P.polyint(c, 2), P.polyint(c, m=0)

    for c in A, np.array([1, 2, 3]), A + 1j, np.arange(6.0).reshape(3, 2):
        assert_same(f, c)


def test_values():
    def f(x, c):
        return P.polyval(x, c)

    def without_tensor(x, c):
        return P.polyval(x, c, tensor=False)

    matrix = np.arange(12.0).reshape(3, 4)
    for x, c in (
        (B, A),
        (matrix, A),
        (np.array([1, 2]), np.array([1, 2])),
        (B, matrix),
        ([1.0, 2.0], A),
    ):
        assert_same(f, x, c)
    assert njit(f)(2.0, A) == f(2.0, A)
    assert njit(f)(2, [1.0, 2.0, 3.0]) == 17
    assert_same(without_tensor, np.arange(4.0), matrix)


def test_series():
    def trimmed(c):
        return pu.trimseq(c)

    def series(x, y):
        return pu.as_series((x, y)), pu.as_series([x, x], False)

    for c in np.array([1.0, 2, 0, 0]), np.array([0.0, 0.0]), np.array([1, 2]):
        assert_same(trimmed, c)
    assert_same(series, np.array([1.0, 0.0]), A)
    assert_same(series, np.array([1, 0]), A)


def test_roots():
    def f(p):
        return np.roots(p)

    for p in ([1.0, -3, 2], [1.0, 0j, 1], [0.0, 0, 1, -2, 0, 0], [1, -6, 11, -6], [1, 2j, 3]):
        expected = np.roots(np.array(p))
        result = njit(f)(np.array(p))
        check_same(np.sort(result), np.sort(expected), rtol=1e-9)
    with pytest.raises(ValueError, match="pass complex coefficients"):
        njit(f)(np.array([1.0, 0.0, 1.0]))
    assert njit(f)(np.array([3.0])).size == 0
    assert njit(f)(np.array([0.0, 0.0])).size == 0


def test_polynomials_are_values():
    @njit
    def made(c, domain):
        return Polynomial(c, domain)

    @njit
    def parts(p):
        return p.coef, p.domain, p.window

    for c in A, np.array([1, 2, 3]), A.astype("f4"):
        p, expected = made(c, np.array([0, 2])), Polynomial(c, [0, 2])
        assert type(p) is Polynomial
        check_same(p.coef, c.astype(np.promote_types(c.dtype, "f4")))
        assert p == Polynomial(p.coef, [0, 2])
        check_same(parts(p), (p.coef, expected.domain, expected.window))

    @njit
    def total(c):
        return np.polynomial.Polynomial(c).coef.sum()

    assert total(A) == 6
    with pytest.raises(ValueError, match="wrong number of elements"):
        made(A, np.array([0.0, 1.0, 2.0]))


def test_values_of_a_polynomial():
    def values(p, x, points):
        return p(x), p(points), p(2), p([0.5, 1.5]), p.degree()

    for p in (Polynomial([1.0, -2.0, 3.0]), Polynomial([1.0, 2.0], [0.0, 4.0], [-1.0, 1.0])):
        check_same(njit(values)(p, 0.75, np.arange(3.0)), values(p, 0.75, np.arange(3.0)), 1e-15)


def several(x, y, z, degrees):
    return np.polynomial.hermite.hermvander2d(x, y, degrees[:2]), P.polyvander3d(x, y, z, degrees)


def test_vandermonde_matrices_of_several_dimensions():
    x, y, z = np.arange(4.0), np.arange(4.0) ** 2, np.ones(4) * 0.5
    for degrees in ([2, 1, 3], (0, 2, 1)):
        assert_same(several, x, y, z, degrees)
        assert_same(several, x.reshape(2, 2), y.reshape(2, 2), z.reshape(2, 2), degrees)
    assert_same(several, np.arange(3), np.arange(3) * 1j, np.arange(3), [1, 1, 1])
    assert_same(lambda x: P.polyvander2d(x, x, [1, 2, 3]), x)
