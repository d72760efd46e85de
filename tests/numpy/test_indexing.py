"""a[...] with masks and arrays of integers, read and written."""

import itertools

import numpy as np
import pytest
from language.arrays import DTYPES, layouts, values
from language.support import assert_same, compiled
from numjit import njit
from numjit.errors import NumbaError

I1 = np.array([2, 0, -1, 1, 2])
I2 = np.array([[0, -1], [1, 0], [2, 2]])
COLUMN = np.array([[1], [0], [-2]])


def indexing(text):
    """Functions that read and write ``a[text]``; names p, q, r are arguments."""
    scope = {"np": np}
    exec(
        f"def get(a, p, q, r):\n    return a[{text}]\n"
        f"def put(a, p, q, r, v):\n    a[{text}] = v\n"
        f"def add(a, p, q, r):\n    a[{text}] += 100\n",
        scope,
    )
    return scope["get"], scope["put"], scope["add"]


INDICES = [
    "p",
    "q",
    "p, p",
    "p, r[0]",
    "q, r",
    "q, r, 1",
    "p, :",
    ":, p",
    "..., p",
    ":, :, q",
    ":, q",
    "p, :, p",
    "q, :, r",
    "1, :, p",
    "p, :, 1",
    "0, p",
    "p, 0",
    ":, 0, p",
    ":, p, 0",
    "p, None, :, 1",
    "None, p",
    "p, None, p",
    ":, None, q, 1",
    "1:, p, ::2",
    "::-1, ::2, q",
    "..., p, 1",
    "p, ..., p",
    "p[0], q",
    "p, r[0]",
    "[1, 0], :, [2, 2]",
    "[[1], [0]], [0, 2]",
    "(1, 0), :",
]


@pytest.mark.parametrize("text", INDICES)
def test_arrays_of_integers(text):
    get, put, add = indexing(text)
    for a in layouts(values((3, 3, 4))):
        assert_same(get, a, I1, I2, COLUMN)
    assert_same(add, a, I1, I2, COLUMN)
    shape = get(a, I1, I2, COLUMN).shape
    assert_same(put, a, I1, I2, COLUMN, 7)
    v = values(shape) + 50
    assert_same(put, a, I1, I2, COLUMN, v)
    assert_same(put, a, I1, I2, COLUMN, v[..., :1])
    assert_same(put, a, I1, I2, COLUMN, v[:1])
    assert_same(put, a, I1, I2, COLUMN, v[0])
    assert_same(put, a, I1, I2, COLUMN, v[None])
    assert_same(put, a, I1, I2, COLUMN, np.ones(shape + (2,)))


MASKS = [
    ("a[p]", (4,), [(4,)]),
    ("a[p]", (3, 4), [(3, 4)]),
    ("a[p]", (3, 4), [(3,)]),
    ("a[p, :]", (3, 4), [(3,)]),
    ("a[:, p]", (3, 4), [(4,)]),
    ("a[..., p]", (3, 4, 2), [(2,)]),
    ("a[p, ...]", (3, 4, 2), [(3, 4)]),
    ("a[1, p]", (3, 4), [(4,)]),
    ("a[p, 1]", (3, 4), [(3,)]),
    ("a[p, :, 1]", (3, 4, 2), [(3,)]),
    ("a[:, p, None]", (3, 4), [(4,)]),
    ("a[:, p]", (2, 3, 4), [(3, 4)]),
    ("a[p, 1:3]", (3, 4), [(3,)]),
    ("a[p[:, 0], [0]]", (3, 4), [(3, 2)]),
]


@pytest.mark.parametrize("text, shape, masks", MASKS)
def test_masks(text, shape, masks):
    get, put, add = indexing(text[2:-1])
    arrays, chosen = layouts(values(shape)), layouts(values(masks[0], bool))
    for i in range(max(len(arrays), len(chosen))):  # each layout, beside some of the other's
        a, p = arrays[i % len(arrays)], chosen[(2 * i + 1) % len(chosen)]
        assert_same(get, a, p, 0, 0)
        assert_same(add, a, p, 0, 0)
        assert_same(put, a, p, 0, 0, 5)
        result = get(a, p, 0, 0)
        stored = [result[::-1] * 2 + 1, result[:1], np.ones(result.shape[0] + 2)]
        assert_same(put, a, p, 0, 0, stored[i % 3])
    for value in (True, False):
        assert_same(get, a, np.full(masks[0], value), 0, 0)
        assert_same(put, a, np.full(masks[0], value), 0, 0, 3.5)


def test_mask_expressions():
    def f(a, b, x):
        return a[a > x], a[b > x], a[(a > x) & (a < 5)], a[np.abs(b) < 2], a[a > b], a[~(a > x)]

    for a in layouts(values((3, 4))):
        for b in layouts(values((3, 4))[::-1] * 2):
            assert_same(f, a, b, 0.5)

    def g(a, x):
        a[a > x] = 0
        a[a < -x] *= 2
        a[a == 0] = a[a == 0] + 1
        a[np.isnan(a)] = -1

    for a in layouts(values((3, 4))):
        assert_same(g, a, 1.5)


def test_masks_of_a_wrong_shape():
    def get(a, m):
        return a[m]

    def put(a, m):
        a[m] = 1

    for a, m in ((values(4), values(3, bool)), (values((3, 4)), values((4,), bool)),
                 (values((3, 4)), values((3, 3), bool))):  # fmt: skip
        assert_same(get, a, m)
        assert_same(put, a, m)


def test_values_that_do_not_fit_a_mask():
    def f(a, m, v):
        a[m] = v

    a, m = values(4), np.array([True, False, True, False])
    for n in (0, 1, 2, 3):
        assert_same(f, a, m, values(n))
    assert_same(f, a, m, values((1, 2)))
    assert_same(f, values((4, 3)), m, values((2, 3)))
    assert_same(f, values((4, 3)), m, values(3))
    assert_same(f, values((4, 3)), m, values((2, 1)))


def test_single_bools():
    def f(a, x):
        return a[True], a[False], a[x], a[x, 1], a[None, x], a[..., x], a[[1, 0], x]

    def g(a, x):
        a[x] = 5
        a[not x] += 1

    for x in (True, False, np.bool_(True)):
        assert_same(f, values((2, 3)), x)
        assert_same(g, values((2, 3)), x)
        assert_same(g, values(()), x)


def test_zero_dimensional_indices():
    def f(a, i, m):
        return a[i], a[i, :], a[:, i], a[m], a[i, i]

    assert_same(f, values((3, 4)), np.array(1), np.array(True))
    assert_same(f, values((3, 4)), np.array(-2), np.array(False))


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint32, np.uint64, np.int64])
def test_index_dtypes(kind):
    def f(a, i):
        a[i] = a[i][::-1].copy()
        return a[i]

    assert_same(f, values(9), np.array([3, 1, 8], kind))
    assert_same(f, values((9, 2)), np.array([3, 1, 8], kind))


def test_every_dtype():
    def f(a, i, m):
        b = a.copy()
        b[i] = a[:3]
        b[m] = a[m][::-1]
        return a[i], a[m], b

    for dtype in DTYPES:
        assert_same(f, values(6, dtype), np.array([5, 0, 2]), values(6, bool))


@pytest.mark.parametrize("text", ["p", "p, 0", "0, p", ":, p", "p, p", "q[:2], p[:1]"])
def test_indices_outside(text):
    get, put, add = indexing(text)
    for bad in ([0, 5], [-6, 0], [100, 0]):
        p = np.array(bad)
        assert_same(get, values((5, 5)), p, I2, 0)
        assert_same(put, values((5, 5)), p, I2, 0, 1)  # nothing may be written
        assert_same(put, values((5, 5)), p, I2, 0, values(2))


def test_indices_that_do_not_broadcast():
    get, put, _ = indexing("p, q")
    assert_same(get, values((3, 3)), I1[:2], I1[:3], 0)
    assert_same(put, values((3, 3)), I1[:2], I1[:3], 0, 1)


def test_empty():
    get, put, _ = indexing("p")
    none = np.empty(0, int)
    assert_same(get, values(3), none, 0, 0)
    assert_same(get, values((0, 3)), none, 0, 0)
    assert_same(put, values((0, 3)), none, 0, 0, 1.5)
    assert_same(put, values(3), none, 0, 0, values(0))
    assert_same(get, values(0), np.zeros(0, bool), 0, 0)
    assert_same(get, values((3, 0)), np.zeros((3, 0), bool), 0, 0)


def test_same_memory():
    def permute(a, i):
        a[i] = a
        return a

    def indices_are_the_array(i):
        i[i] = i[::-1]
        return i

    def mask_is_the_array(m):
        m[m] = False
        return m

    def rows(a, i):
        a[i] = a[::-1]
        a[:, i] = a.T
        return a

    p = np.array([3, 1, 0, 2])
    assert_same(permute, values(4), p)
    assert_same(permute, values((4, 2)), p)
    assert_same(indices_are_the_array, p)
    assert_same(mask_is_the_array, values(7, bool))
    assert_same(rows, values((4, 4)), p)


def test_repeated_indices_add_once():
    def f(a, i):
        a[i] += 1
        a[i] = np.arange(len(i))

    assert_same(f, np.zeros(3), np.array([0, 0, 2, 0]))


def test_lists_of_indices():
    def f(a, n):
        picked = [i for i in range(n)]
        flags = [i % 2 == 0 for i in range(len(a))]
        a[picked] = 3
        return a[picked], a[flags], a[:, picked], a[[0, -1]]

    assert_same(f, values((4, 4)), 3)


def test_readonly():
    def f(a, i):
        return a[i], a[i > 0]

    a, i = values(4), np.array([1, 0])
    a.flags.writeable = i.flags.writeable = False
    with pytest.raises(NumbaError):

        @njit
        def g(a, i):
            a[i] = 1

        g(a, i)
    assert np.array_equal(compiled(lambda a, i: a[i])(a, i), a[i])


def test_refused():
    for index in (np.array([0.5]), (0.5, np.array([1])), np.zeros((2, 2), bool)):

        @njit
        def f(a, i):
            return a[i]

        with pytest.raises(NumbaError):
            f(values(4), index)


def test_ix_and_where():
    def f(a, r, c):
        a[np.ix_(c, r)] += 10
        return a[np.ix_(r, c)], a[np.nonzero(a > 2)]

    assert_same(f, values((4, 4)), np.array([2, 0]), np.array([1, 3, 3]))


def test_mixtures_at_random():
    """Every pair of kinds of index items, on three axes."""
    items = ["p", "q", "1", "::2", "None", "...", "m"]
    m = np.array([True, False, True])
    for pair in itertools.product(items, repeat=2):
        if pair.count("...") > 1:
            continue
        text = ", ".join(pair).replace("m", "r")
        get, _, add = indexing(text)
        a = values((3, 3, 3))
        p, q = np.array([0, -1]), np.array([[2, 1], [0, 0], [1, 1]])
        assert_same(get, a, p, q, m)
        assert_same(add, a, p, q, m)


def test_indices_outside_are_named():
    def f(a, where):
        return a[where]

    def rows(a, where):
        return a[:, where]

    def put(a, where):
        a[where] = 1

    a = np.arange(12).reshape(3, 4)
    assert_same(f, np.arange(3), np.array([0, 5]))
    assert_same(f, a, np.array([[0, 1], [-4, 9]]))
    assert_same(rows, a, np.array([4]))
    assert_same(put, np.arange(3), np.array([-7]))


def test_ranges_as_indices():
    def f(a, n):
        b = a.copy()
        b[range(n), range(n)] += 1
        b[range(n - 1, 0, -2)] = 7
        return b, a[range(1, n)], a[0, range(n)], a[range(n), 1:]

    assert_same(f, np.arange(12.0).reshape(3, 4), 3)
    assert_same(f, np.arange(4).reshape(2, 2), 2)
    assert_same(lambda a: a[range(5)], np.arange(4))
