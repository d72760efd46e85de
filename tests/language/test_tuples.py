"""Tuples: build, unpack, index, slice, compare, concatenate, iterate, nest, pass and return."""

import numpy as np
import pytest
from language.support import assert_same, check_same, compiled, result_type
from numjit import literal_unroll, njit
from numjit.errors import NumbaError, NumbaValueError, TypingError


def test_build_and_return():
    def f(a, b):
        return (), (a,), (a, b), (a, (b, a), ((), True)), (1, 2.5, None, 3j)

    assert_same(f, 1, 2)
    assert_same(f, 1, 2.5)


def test_result_types():
    def f(a, b):
        return a, b

    compiled(f)(1, 2)
    assert result_type(f) == "UniTuple(int64 x 2)"
    compiled(f)(1, 2.5)
    assert result_type(f) == "Tuple(int64, float64)"


def test_pass_in_and_out():
    def f(t):
        return t

    for t in ((), (1,), (1, 2, 3), (1, 2.5), (True, (1, (2j,))), (None, 1), ((), ((),))):
        assert_same(f, t)


def test_numpy_scalars_in_tuples():
    def f(t):
        return t[0] + t[1], t

    t = (np.int8(5), np.float32(0.5), np.uint16(7))
    check_same(compiled(f)(t), (5.5, (5, 0.5, 7)))


def test_arrays_in_tuples():
    def f(t):
        a, (b, k) = t
        return a + b * k, (b, k), t

    assert_same(f, (np.arange(3.0), (np.ones(3), 2)))


def test_unpack():
    def f(t):
        a, b, (c, d) = t
        (e,) = (a,)
        return a + b, c, d, e

    assert_same(f, (1, 2.5, (3, True)))


def test_star_displays_over_branches():
    """CPython copies the end of a function into branches, and comprehensions into functions."""

    def either(t, p, x):
        return (*t, x if p else -x)

    def several(t, p, x):
        return (*t[:1], *(t if p else t[::-1]), x, *((x,) if p else (7,)))

    def in_a_loop(t, p, x):
        for i in range(3):
            if i == 2:
                continue
            try:
                u = (*t[::-1][:2], sum([len(w) for w in ["a", "bc"] if p or len(w) > 1]))
                if x > 2:
                    raise ValueError
                t = u
            except ValueError:
                t = (x if p else 0, *t[1:])
        return t

    def nested(t, p, x):
        return ((*t, (x if p else 2)), (*(*t, 1.5 if p else 2.5), *t))

    def lists_too(t, p, x):
        items = [*t, x if p else 9]
        return (*t, len(items) if p else 0), items

    for f in (either, several, in_a_loop, nested, lists_too):
        compiled = njit(f)
        for p in (True, False):
            for x in (1, 5):
                assert compiled((1, 2, 3), p, x) == f((1, 2, 3), p, x)


def test_star_arguments_over_branches():
    @njit
    def given(*args):
        return args

    def f(t, p):
        return given.py_func(*t, 5 if p else 3, *t, 1)

    compiled = njit(lambda t, p: given(*t, 5 if p else 3, *t, 1))
    for p in (True, False):
        assert compiled((1, 2.5), p) == f((1, 2.5), p)


def test_unpacking_of_too_few_or_too_many_constants():
    def few():
        a, b, c = (1, 2)
        return a + b + c

    def many():
        a, b = (1, 2, 3)
        return a + b

    for f, text in ((few, "not enough values"), (many, "too many values")):
        with pytest.raises(ValueError, match=text):
            f()
        with pytest.raises(NumbaValueError, match=text):
            njit(f)()


def test_starred_unpack():
    def f(t):
        a, *b = t
        *c, d = t
        e, *g, h = t
        *i, j, k, l = t
        return a, len(b), len(c), d, e, len(g), h, len(i), j, k, l, sum(b)

    assert_same(f, (1, 2, 3))
    assert_same(f, (1, 2, 3, 4, 5))


def test_unpacking_of_texts_ranges_and_what_may_be_none():
    def of_each(s, r):
        a, b, c = s
        *d, e = s
        x, *y = r
        return c + b + a, d, e, x, y

    def of_optional(given, value):
        t = None
        if given:
            t = value
        a, *b = t
        return a, list(b)

    assert_same(of_each, "xäz", range(3))
    assert_same(of_optional, True, (1, 2, 3))
    assert_same(of_optional, True, "abc")
    for value in ((1, 2, 3), "abc"):
        with pytest.raises(TypeError, match="cannot unpack non-iterable NoneType object"):
            njit(of_optional)(False, value)
    for wrong in ("a", "abc"):
        with pytest.raises(ValueError, match="values to unpack"):
            two(wrong)


@njit
def two(s):
    a, b = s
    return a + b


def test_unpack_of_wrong_length():
    def f(t):
        a, b = t
        return a

    for t in ((1,), (1, 2, 3)):
        with pytest.raises((TypingError, ValueError)):
            njit(f)(t)


def test_unpack_of_lists_and_arrays():
    def f(l):
        a, b = l
        return a + b

    assert_same(f, np.array([1.0, 2.0]))
    assert_same(f, [1, 2])
    for wrong in ([1], [1, 2, 3], np.zeros(3)):
        with pytest.raises(ValueError):
            compiled(f)(wrong)


def test_constant_index():
    def f(t):
        return t[0], t[2], t[-1], t[-3], t[1 + 1], len(t)

    assert_same(f, (1, 2, 3))
    assert_same(f, (1, 2.5, 3j))


def test_constant_index_out_of_range():
    with pytest.raises(NumbaError):
        njit(lambda t: t[3])((1, 2, 3))


def test_variable_index():
    def f(t, i):
        return t[i]

    for i in (0, 2, -1, -3):
        assert_same(f, (10, 20, 30), i)
        assert_same(f, ((1, 2.5), (3, 4.5), (5, 6.5)), i)
    for i in (3, -4):
        with pytest.raises(IndexError):
            compiled(f)((10, 20, 30), i)
    with pytest.raises(TypingError):
        njit(f)((1, 2.5), 0)


def test_variable_index_into_arrays():
    def f(t, i):
        return t[i] * 2, t[i].sum()

    assert_same(f, (np.arange(3.0), np.ones(2)), 1)
    assert_same(f, (np.arange(3.0), np.ones(2)), -2)


def test_slices():
    def f(t):
        return t[1:], t[:2], t[:-1], t[::2], t[::-1], t[1:1], t[-2:], t[5:], t[:]

    assert_same(f, (1, 2, 3, 4))
    assert_same(f, (1, 2.5, 3j))


def test_concatenate_and_repeat():
    def f(a, b):
        return a + b, b + a + (1,), () + a, (a,) + b

    assert_same(f, (1, 2), (3.5,))
    assert_same(f, (), (1, True))


def test_repeat_by_a_constant():
    def f(a):
        return (a,) * 3, (a, 1.5) * 2, (a,) * 0

    assert_same(f, 7)


def test_compare():
    def f(a, b):
        return a == b, a != b, a < b, a <= b, a > b, a >= b

    for a in ((1, 2), (1, 3), (0, 9)):
        for b in ((1, 2), (1, 2, 0), (1,), (1.5, 0)):
            assert_same(f, a, b)
    assert_same(f, (), ())
    assert_same(f, (1, (2, 3)), (1, (2, 4)))


def test_truth_and_membership():
    def f(t, x):
        return bool(t), not t, x in t, x not in t

    assert_same(f, (1, 2), 2)
    assert_same(f, (0,), 2)


def test_methods():
    def f(t, x):
        return t.index(x), t.count(x)

    assert_same(f, (1, 2, 3, 2), 2)
    assert_same(f, (1, 2), 7)


def test_iterate():
    def f(t):
        total = 0
        for i, x in enumerate(t):
            total = total * 7 + x * i
        for x in t[1:]:
            if x == 2:
                continue
            if x > 5:
                break
            total -= x
        else:
            total += 1000
        return total

    assert_same(f, (1, 2, 3))
    assert_same(f, (1, 7, 3))


def test_iterate_over_nothing():
    def f(t):
        n = 0
        for x in t:
            n += 1
        return n

    assert_same(f, ())


def test_iterate_mixed():
    def f(t):
        total = 0.0
        for x in literal_unroll(t):
            total = total * 2 + x
        return total

    assert_same(f, (1, 2.5, True, np.float32(0.5)))


def test_iterate_mixed_arrays():
    def f(t):
        total = 0.0
        for x in literal_unroll(t):
            total += x.sum() / x.ndim
        return total

    assert_same(f, (np.arange(3), np.ones((2, 2)), np.ones(2, np.float32)))


def test_unrolling_with_control_flow():
    def f(t, limit):
        total = 0
        for x in literal_unroll(t):
            if x < limit:
                for i in range(3):
                    if i == 2:
                        break
                    total += int(x) + i
        return total

    assert_same(f, (1, 2.5, 7), 3)


def test_mixed_without_literal_unroll():
    def f(t):
        total = 0.0
        for i, x in enumerate(t):
            if isinstance(x, tuple):
                total += len(x)
            else:
                total += x * i
        return total

    assert_same(f, (1, (2, 3), 2.5))


def test_zip_of_tuples():
    def f(a, b):
        total = 0.0
        for x, y in zip(a, b):
            total += x * y
        return total

    assert_same(f, (1, 2, 3), (0.5, 0.25, 2.0))
    assert_same(f, (1, 2.5), (3, True))


def test_zip_of_a_mixed_tuple_and_what_has_no_places():
    def numbers(n):
        for i in range(n):
            yield i

    made = njit(numbers)

    def over_dict(n):
        return [b for a, b in zip((1, 2.5), {n: 1, 2 * n: 2})]

    def over_set(n):
        return [b for a, b in zip((1, 2.5), {n, 2 * n})]

    def over_view(n):
        return [b for a, b in zip((1, 2.5), {n: 1.5, 2 * n: 2.5}.values())]

    def over_generator(n):
        return [b for a, b in zip((1, 2.5), made(n))]

    def nested(n):
        return [b for a, (i, b) in zip((1, 2.5), enumerate(made(n)))]

    for f in (over_dict, over_set, over_view, over_generator, nested):
        with pytest.raises(
            TypingError, match=r"zip\(\) of a tuple whose items have different types"
        ):
            compiled(f)(3)

    def over_list(n):
        return [a * 0.5 + b for a, b in zip((1, 2.5), list(made(n)))]

    assert_same(over_list, 3)


def test_tuple_of():
    def f(t):
        return tuple(t), tuple()

    assert_same(f, (1, 2.5))


def test_in_a_loop():
    def f(n):
        t = (0, 1.0)
        for i in range(n):
            t = (t[0] + i, t[1] * 1.5)
        return t

    assert_same(f, 5)


def test_growing_in_branches():
    def f(c, x):
        t = (x, 1) if c else (2.5, x)
        return t

    check_same(compiled(f)(True, 3), (3.0, 1))
    check_same(compiled(f)(False, 3), (2.5, 3))


def test_nested_access():
    def f(t):
        (a, b), ((c,), d) = t
        return t[1][0][0] + t[0][1], a, b, c, d

    assert_same(f, ((1, 2), ((3.5,), 4)))


def test_as_shape_and_index():
    def f(t, a):
        b = np.zeros(t)
        b[t[0] - 1, t[1] - 1] = a[(0, 1)]
        i, j = b.shape
        return b, i, j, b.shape[::-1], a[t[:1]]

    assert_same(f, (2, 3), np.arange(12.0).reshape(3, 4))


def test_long_tuples():
    def f(t):
        return sum(t), t[99], len(t)

    assert_same(f, tuple(range(100)))


def test_global_tuple():
    def f(i):
        return TABLE[i], TABLE[1:], MIXED[1]

    assert_same(f, 2)


TABLE = (1, 2, 3)
MIXED = (1, 2.5, (3, 4))


def test_tuples_of_a_known_length():
    from numjit.cpython.unsafe.tuple import tuple_setitem
    from numjit.np.unsafe.ndarray import to_fixed_tuple

    def f(a, i):
        t = to_fixed_tuple(a, 3)
        return t, tuple_setitem(t, i, a[3]), tuple_setitem((1, "a", 2.5), 1, "b")

    for i in (0, 2):
        assert_same(f, np.arange(5), i)
        assert_same(f, [1.5, 2.5, 3.5, 4.5], i)

    def reshaped(a, shape):
        return a.reshape(to_fixed_tuple(shape, 2))

    assert_same(reshaped, np.arange(6.0), np.array([2, 3]))


def test_equality_of_slices():
    def f(s, n):
        return s == slice(1, n), s != slice(1, n), s == slice(n), slice(None) == slice(None)

    assert_same(f, slice(1, 4), 4)
    assert_same(f, slice(4), 4)
    assert_same(f, slice(1, 4, 1), 4)
