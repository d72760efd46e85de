"""np.squeeze without axis: functions are compiled for the extents of arguments that are one."""

import numpy as np
import pytest
from language.support import assert_same
from numjit import njit
from numjit.errors import TypingError

SHAPES = [(), (1,), (3,), (1, 3), (3, 1), (1, 1), (2, 1, 3), (1, 2, 1, 3), (0, 1), (1, 1, 1)]


@njit
def squeezed(a):
    return np.squeeze(a)


@njit
def through_a_callee(a):
    return squeezed(a) * 2


def values(shape, dtype):
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["f8", "i4", "?", "c8", "M8[D]"])
def test_one_function_for_all_shapes(dtype):
    for shape in SHAPES:
        a = values(shape, dtype)
        for each in (a, a.T, np.asfortranarray(a), np.stack([a, a])[:1]):
            got, wanted = squeezed(each), np.squeeze(each)
            assert got.shape == wanted.shape and got.dtype == wanted.dtype
            assert (got == wanted).all()


def test_it_is_a_view():
    a = np.zeros((1, 3))
    njit(lambda a: a.squeeze())(a)[1] = 5
    assert a[0, 1] == 5


@pytest.mark.parametrize(
    "text",
    [
        "np.squeeze(a) + 1",
        "(a * 2 - b).squeeze()",
        "np.sqrt(a).squeeze().shape",
        "np.squeeze(a.T)",
        "np.squeeze(a.sum(axis=1))",
        "np.squeeze(a.mean(axis=1, keepdims=True))",
        "np.squeeze(a.max(axis=(0, 1), keepdims=True)).ndim",
        "np.squeeze(a[0])",
        "np.squeeze(a[..., None, 0])",
        "np.squeeze(a[None])",
        "np.squeeze(np.asarray(a)), np.squeeze(np.ascontiguousarray(a))",
        "np.atleast_2d(np.squeeze(a)).shape",
        "len(np.squeeze(a).shape)",
        "a.astype(np.float32).squeeze()",
        "np.squeeze(a.copy()), np.squeeze(a.T.copy()), np.copy(a, order='F').squeeze()",
        "np.zeros_like(a).squeeze(), np.squeeze(np.ones_like(a, dtype=np.int8))",
        "np.full_like(a.T, 2.0).squeeze()",
    ],
)
def test_what_is_computed_from_arguments(text):
    f = eval(f"lambda a, b: ({text})", {"np": np})
    compiled = njit(f)
    for shape in ((1, 4, 1), (2, 1, 3), (1, 1, 1), (2, 2, 2)):
        a = values(shape, "f8")
        assert_same(f, a, a + 1)
        got, wanted = compiled(a, a), f(a, a)
        assert np.shape(got) == np.shape(wanted) if not isinstance(wanted, tuple) else True


def test_products():
    assert_same(lambda a, x: np.squeeze(a @ x), np.ones((3, 2)), np.ones((2, 1)))
    assert_same(lambda a, x: np.squeeze(a @ x), np.ones((1, 2)), np.ones((2, 3)))
    assert_same(lambda a, x: np.squeeze(np.dot(a, x)), np.ones((1, 2)), np.ones(2))


def test_through_callees_and_on_two_arguments():
    for shape in SHAPES:
        a = values(shape, "f8")
        assert np.array_equal(through_a_callee(a), np.squeeze(a) * 2)
    both = njit(lambda a, n, b: np.squeeze(a).ndim * 10 + np.squeeze(b).ndim + n)
    for _ in range(2):
        assert both(np.ones((1, 2)), 0, np.ones((2, 1, 2))) == 12
        assert both(np.ones((2, 2)), 100, np.ones((1, 1))) == 120
        assert both(np.ones(1), 0, np.ones(3)) == 1


TABLE = np.arange(3.0).reshape(1, 3, 1)


def test_global_arrays():
    assert_same(lambda: np.squeeze(TABLE))
    assert_same(lambda x: np.squeeze(TABLE) * x, 2.0)


def test_results_meet_other_arrays():
    def f(a, b, n):
        c = np.squeeze(a)
        if n > 0:
            c = b
        found = [np.squeeze(a)]
        found.append(b)
        return c, found

    for n in (0, 1):
        assert_same(f, np.ones((1, 3)), np.arange(3.0), n)


@pytest.mark.parametrize(
    "text",
    [
        "np.squeeze(a[:n])",
        "a[:n].squeeze()",
        "np.squeeze(np.zeros((n, 2))) + 1",
        "a[:n].squeeze().sum()",
        "np.sqrt(np.squeeze(a[:, :n]))",
        "np.squeeze(a.T[n:]).shape",
        "outer(a[:n], n)",
        "np.squeeze(np.zeros((n, 1, 3)))",
    ],
)
def test_extents_that_are_known_at_run_time(text):
    f = eval(f"lambda a, n: {text}", {"np": np, "outer": outer})
    compiled = njit(f)
    for shape in ((1, 2), (2, 1), (1, 1), (3, 2), (2, 3)):
        for n in (1, 2):
            a = values(shape, "f8")
            got, wanted = compiled(a, n), f(a, n)
            np.testing.assert_array_equal(got, wanted)
            assert np.shape(got) == np.shape(wanted)


def outer(a, n):
    b = np.squeeze(a)
    return b * 2 if b.ndim == 1 else b + n


def test_too_many_axes_of_unknown_extents_are_refused():
    with pytest.raises(TypingError, match="extents are not known"):
        njit(lambda a, n: np.squeeze(a[:n]))(np.ones((2, 2, 1, 2)), 1)


ROW, CUBE, FLAT = np.arange(6.0).reshape(1, 6), np.ones((1, 2, 1)), np.arange(3)


def test_global_arrays_have_known_extents():
    def methods():
        return ROW.squeeze(), CUBE.squeeze(), FLAT.squeeze(), CUBE.squeeze().shape

    def of_a_local():
        table = ROW
        return table.squeeze() * 2, table.squeeze().sum()

    captured = np.full((2, 1), 3)

    def of_a_captured():
        return captured.squeeze(), captured.T.squeeze(), np.squeeze(captured)

    for f in (methods, of_a_local, of_a_captured):
        assert_same(f)
