"""Records as what ufuncs and generalised ufuncs give."""

import numpy as np
import pytest
from numjit import float64, from_dtype, guvectorize, int64, njit, vectorize
from numjit.errors import TypingError

POINT = np.dtype([("x", np.float64), ("n", np.int64)])
PACKED = np.dtype([("flag", np.bool_), ("x", np.float64), ("parts", np.int32, (2,))])
P, Q = from_dtype(POINT), from_dtype(PACKED)


def points(n):
    made = np.zeros(n, POINT)
    made["x"], made["n"] = np.arange(n) * 1.5, np.arange(n)
    return made


@vectorize([P(P)])
def same(p):
    return p


@vectorize([P(P, P)])
def larger(p, q):
    if p.x > q.x:
        return p
    return q


@guvectorize([(float64[:], P[:])], "(n)->(n)")
def made_of(x, out):
    for i in range(len(x)):
        out[i].x = x[i]
        out[i].n = i


@guvectorize([(float64[:], int64, P[:], Q[:])], "(n),()->(),(n)")
def several(x, k, total, parts):
    total[0].x = x.sum()
    total[0].n = k
    for i in range(len(x)):
        parts[i].flag = x[i] > 0
        parts[i].x = x[i] * k
        parts[i].parts[0] = i
        parts[i].parts[1] = -i


@guvectorize([(P[:], P[:])], "(n)->(n)")
def turned(p, out):
    for i in range(len(p)):
        out[i].x = p[len(p) - 1 - i].x
        out[i].n = p[len(p) - 1 - i].n


def test_ufuncs():
    p = points(6)
    for given in (p, p[::2], p.reshape(2, 3).T, p[:0]):
        result = same(given)
        assert result.dtype == POINT and np.array_equal(result, given)
    q = p[::-1].copy()
    expected = np.where(p["x"] > q["x"], p, q)
    assert np.array_equal(larger(p, q), expected)
    assert np.array_equal(larger(p, q[2]), np.where(p["x"] > q[2]["x"], p, q[2]))
    out = np.zeros(6, POINT)
    assert larger(p, q, out) is out and np.array_equal(out, expected)
    out = np.zeros(6, POINT)
    assert larger(p, q, out=out) is out and np.array_equal(out, expected)
    assert type(same(p[2])) is np.void and same(p[2]) == p[2]


def test_generalised():
    x = np.arange(12.0).reshape(3, 4)
    result = made_of(x)
    assert result.dtype == POINT and result.shape == x.shape
    assert np.array_equal(result["x"], x) and (result["n"] == np.arange(4)).all()
    assert np.array_equal(made_of(x.T)["x"], x.T)
    assert np.array_equal(made_of([1, 2])["x"], [1, 2])
    out = np.zeros((3, 4), POINT)
    assert made_of(x, out) is out and np.array_equal(out["x"], x)
    out = np.zeros((3, 8), POINT)[:, ::2]
    assert made_of(x, out=out) is out and np.array_equal(out["x"], x)
    p = points(5)
    assert np.array_equal(turned(p), p[::-1])


def test_several_outputs():
    x = np.array([[1.0, -2.0, 3.0], [0.0, 5.0, -6.0]])
    total, parts = several(x, np.array([2, 3]))
    assert total.dtype == POINT and parts.dtype == PACKED
    assert np.array_equal(total["x"], x.sum(axis=1)) and total["n"].tolist() == [2, 3]
    assert np.array_equal(parts["x"], x * [[2], [3]]) and np.array_equal(parts["flag"], x > 0)
    assert parts["parts"][1].tolist() == [[0, 0], [1, -1], [2, -2]]


def test_dynamic():
    @guvectorize("(n)->(n)")
    def made(x, out):
        for i in range(len(x)):
            out[i].x = x[i]

    out = np.zeros(3, POINT)
    made(np.arange(3), out)
    assert out["x"].tolist() == [0, 1, 2]

    @vectorize
    def first(p, q):
        return p

    p = points(3)
    assert np.array_equal(first(p, p[::-1]), p)


def test_loops_of_numbers_beside():
    @vectorize([float64(float64), P(P)])
    def f(x):
        return x

    assert f(1.5) == 1.5 and np.array_equal(f(points(3)), points(3))


def test_refused():
    with pytest.raises(TypeError, match="dtype"):
        made_of(np.arange(3.0), np.zeros(3, PACKED))
    with pytest.raises(TypingError, match="No conversion"):

        @vectorize([Q(P)])
        def other(p):
            return p

        other(points(2))


def test_in_compiled_code():
    @njit
    def inside(p, q):
        return larger(p, q), same(p)

    p = points(5)
    q = p[::-1].copy()
    for mine, python in zip(inside(p, q), (larger(p, q), p), strict=True):
        assert np.array_equal(mine, python)
