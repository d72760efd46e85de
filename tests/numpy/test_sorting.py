"""Sorting, searching and counting, compared with NumPy."""

import numpy as np
import pytest
from language.support import assert_same, compiled
from numjit import njit
from numjit.errors import NumbaError, TypingError

DTYPES = "?bhilBHILfdFD"


def sample(dtype, shape=(4, 50)):
    random = np.random.RandomState(0)
    a = (random.rand(*shape) * 12 - 6) * (20 if dtype in "il" else 1)
    if dtype in "FD":
        a = np.rint(a / 3) + 1j * np.rint(random.rand(*shape) * 3)
    with np.errstate(invalid="ignore"):
        a = a.astype(dtype)
    if dtype in "fdFD":
        a.flat[:7] = np.nan, 3, -0.0, np.inf, 0.0, -np.inf, -np.nan
    if dtype in "FD":
        a.flat[7:9] = complex(1, np.nan), complex(np.nan, 1)
    return a


def layouts(a):
    return a, a.T, np.asfortranarray(a), a[:, ::-3], a[1]


def in_order(a, axis=-1):
    return np.sort(a, axis, kind="stable")


# -- sort and argsort --------------------------------------------------------------------------


def sort(a):
    return np.sort(a)


def sort_along(a, axis):
    return np.sort(a, axis)


def sort_all(a):
    return np.sort(a, axis=None)


def argsort(a):
    return np.argsort(a, kind="stable")


def argsort_along(a, axis):
    return a.argsort(axis, kind="stable")


def argsort_all(a):
    return np.argsort(a, axis=None, kind="stable")


def sort_in_place(a):
    a.sort()


@pytest.mark.parametrize("dtype", DTYPES)
def test_sort(dtype):
    # Signs of zero too: equal elements keep their order, as with NumPy's stable sort.
    for a in layouts(sample(dtype)):
        actual, expected = compiled(sort)(a), in_order(a)
        assert actual.dtype == a.dtype
        np.testing.assert_array_equal(actual, expected)
        if dtype in "fd":
            zeros = expected == 0
            assert np.array_equal(np.signbit(actual[zeros]), np.signbit(expected[zeros]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_argsort(dtype):
    for a in layouts(sample(dtype)):
        assert_same(argsort, a)
        assert_same(argsort_all, a)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_axis(axis):
    a = sample("d", (4, 5, 6))
    for b in (a, a.T, a[:, ::-2]):
        np.testing.assert_array_equal(compiled(sort_along)(b, axis), in_order(b, axis))
        assert_same(argsort_along, b, axis)


def test_sort_without_axis():
    for a in layouts(sample("d")):
        np.testing.assert_array_equal(compiled(sort_all)(a), in_order(a, None))


@pytest.mark.parametrize("axis", [3, -4])
def test_wrong_axis(axis):
    assert_same(sort_along, np.zeros((2, 2, 2)), axis)
    assert_same(argsort_along, np.zeros((2, 2, 2)), axis)


def test_sort_in_place():
    for dtype in DTYPES:
        a = np.arange(20)[::-1].astype(dtype)
        assert_same(sort_in_place, a)
        assert_same(sort_in_place, a[::-3])
    assert_same(sort_in_place, np.asfortranarray(sample("l")))


def test_readonly():
    a = np.zeros(3)
    a.flags.writeable = False
    with pytest.raises(TypingError, match="Cannot modify readonly array"):
        njit(sort_in_place)(a)
    assert_same(sort, a)


@pytest.mark.parametrize("shape", [(0,), (1,), (0, 3), (3, 0), (1, 1)])
def test_no_or_one_element(shape):
    for f in (sort, sort_all, argsort, sort_in_place):
        assert_same(f, np.zeros(shape))


@pytest.mark.parametrize("n", [2, 63, 64, 65, 129, 3001, 70000])
def test_lengths(n):
    random = np.random.RandomState(n)
    for a in (random.rand(n), random.randint(0, 10, n), random.randint(-99, 99, n).astype("i1")):
        assert_same(sort, a)
        assert_same(argsort, a)


# -- partition ---------------------------------------------------------------------------------


def partition(a, kth):
    return np.partition(a, kth)


def partition_along_first(a, kth):
    return np.partition(a, kth, axis=0)


def argpartition(a, kth):
    return np.argpartition(a, kth)


def partition_in_place(a, kth):
    a.partition(kth)


def check_partition(actual, a, kth):
    expected = in_order(a)
    np.testing.assert_array_equal(in_order(actual), expected)
    for k in kth if isinstance(kth, tuple) else (kth,):
        np.testing.assert_array_equal(actual[..., k], expected[..., k])
        k %= a.shape[-1]
        np.testing.assert_array_equal(in_order(actual[..., :k]), expected[..., :k])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kth", [0, 2, -1, (3, 1), (0, 4, 4)])
def test_partition(dtype, kth):
    for a in layouts(sample(dtype, (6, 40)))[1:]:
        check_partition(compiled(partition)(a, kth), a, kth)
        positions = compiled(argpartition)(a, kth)
        assert positions.dtype == np.int64
        check_partition(np.take_along_axis(a, positions, -1), a, kth)
        b = a.copy()
        compiled(partition_in_place)(b, kth)
        check_partition(b, a, kth)


def test_partition_of_many():
    a = np.random.RandomState(0).rand(50_000)
    for b in (a, np.rint(a * 9), np.sort(a), np.zeros(1000), np.ones(1000, "u1")):
        for k in (0, b.size // 2, b.size - 1):
            check_partition(compiled(partition)(b, k), b, k)


def test_partition_axis():
    a = sample("d", (30, 4))
    actual = compiled(partition_along_first)(a, 7)
    check_partition(actual.T, a.T, 7)


def test_partition_of_a_list_of_positions():
    a = sample("d", (300,))

    def f(a):
        return np.partition(a, [10, 3]), np.partition(a, np.array([200, 5]))

    first, second = njit(f)(a)
    check_partition(first, a, (10, 3))
    check_partition(second, a, (200, 5))


@pytest.mark.parametrize("kth", [5, -6])
def test_wrong_position(kth):
    assert_same(partition, np.zeros(5), kth)
    assert_same(argpartition, np.zeros(5), kth)


WORDS = np.array(["pear", "apple", "fig", "apple", ""])


@pytest.mark.parametrize("text", [
    "np.sort(a)", "np.unique(a)", "np.union1d(a, a[:2])", "np.intersect1d(a, a[:3])",
    "np.sort(a[:4].reshape(2, 2))", "a.dtype.kind",
])  # fmt: skip
def test_arrays_of_strings(text):
    f = eval(f"lambda a: {text}", {"np": np})
    expected, actual = f(WORDS), njit(f)(WORDS)
    assert (
        np.array_equal(actual, expected) and np.asarray(actual).dtype == np.asarray(expected).dtype
    )


PEOPLE = np.array(
    [("b", 3, 1.5), ("a", 3, 0.5), ("c", 1, 1.5), ("a", 2, 0.5), ("b", 3, -1.0)],
    dtype=[("name", "U1"), ("n", "i4"), ("x", "f8")],
)


@pytest.mark.parametrize(
    "order", ["None", "'n'", "'x'", "('n', 'x')", "('x', 'name')", "('n', 'name', 'x')"]
)
def test_records(order):
    f = eval(f"lambda a: (np.sort(a, order={order}), np.argsort(a, order={order}))")
    for a in (PEOPLE, PEOPLE[::2], PEOPLE[:0]):
        got, wanted = njit(f)(a), f(a)
        assert got[0].dtype == wanted[0].dtype
        assert got[0].tolist() == wanted[0].tolist() and got[1].tolist() == wanted[1].tolist()


def test_records_in_place():
    @njit
    def f(a):
        a.sort(order="n")
        return a["n"].copy()

    a, wanted = PEOPLE.copy(), np.sort(PEOPLE, order="n")
    assert f(a).tolist() == wanted["n"].tolist() and a.tolist() == wanted.tolist()


def test_fields_that_are_not_there():
    with pytest.raises(NumbaError, match="Field 'q' was not found"):
        njit(lambda a: np.sort(a, order="q"))(PEOPLE)
    with pytest.raises(ValueError, match="Cannot specify order when the array has no fields"):
        njit(lambda a: np.sort(a, order="q"))(np.arange(3))
