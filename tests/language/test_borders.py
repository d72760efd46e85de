"""Bounds, steps and numbers at the borders of 64 bits."""

import itertools

import numpy as np
import pytest
from language.support import assert_same
from numjit import njit
from numjit.errors import TypingError

pytestmark = pytest.mark.one_python

HUGE = [None, 0, 1, -1, 3, -3, 2**62, 2**63 - 1, -(2**63)]
STEPS = [None, 1, -2, 2**63 - 1, -(2**63) + 1, -(2**63)]
SEQUENCES = [[0, 1, 2, 3, 4], (0, 1, 2, 3), "abcde", b"abcd", np.arange(5), range(2, 20, 3)]


def equal(a, b):
    return np.array_equal(a, b) if isinstance(b, np.ndarray) else type(a) is type(b) and a == b


def written(bound):
    return "" if bound is None else str(bound)


@pytest.mark.parametrize("sequence", SEQUENCES, ids=lambda s: type(s).__name__)
def test_slices_of_run_time_bounds(sequence):
    def part(x, a, b, s):
        return x[a:b:s]

    compiled = njit(part)
    for bounds in itertools.product(HUGE, HUGE, STEPS):
        got = compiled(sequence, *bounds)
        assert equal(got, part(sequence, *bounds)), bounds


@pytest.mark.parametrize("step", STEPS)
def test_slices_of_constant_bounds(step):
    for start, stop in [(1, 3), (None, -(2**63)), (2**63 - 1, 1), (-(2**63), 2), (2**62, None)]:
        text = f"lambda x: x[{written(start)}:{written(stop)}:{written(step)}]"
        for sequence in ((0, 1, 2, 3), [0, 1, 2, 3], "abcd"):
            function = eval(text)
            assert equal(njit(function)(sequence), function(sequence)), (text, sequence)


def test_deleted_slices():
    def without(x, a, b, s):
        del x[a:b:s]
        return x

    compiled = njit(without)
    for bounds in itertools.product(HUGE, HUGE, STEPS):
        assert compiled(list(range(5)), *bounds) == without(list(range(5)), *bounds), bounds


def test_bits_of_narrow_integers():
    length, count = njit(lambda x: x.bit_length()), njit(lambda x: x.bit_count())
    for dtype in "bhilBHIL":
        info = np.iinfo(dtype)
        for x in {info.min, info.max, 0, 1, info.min + 1, info.max // 3}:
            assert length(np.dtype(dtype).type(x)) == x.bit_length()
            assert count(np.dtype(dtype).type(x)) == x.bit_count()


def test_memory_order():
    base = np.arange(24).reshape(2, 3, 4)
    views = [base.transpose(axes) for axes in itertools.permutations(range(3))]
    views += [base[::-1], base.T[:, ::-1], base[..., ::2], base[:, 1:2], base[:, :0], base[0, 0]]
    views += [np.broadcast_to(np.arange(3), (2, 3)), np.array(5), np.asfortranarray(base)]
    for order in "CFAK":
        ravelled = njit(lambda a: (a.ravel(order), np.ravel(a, order), a.flatten(order)))
        for a in views:
            for got in ravelled(a):
                assert np.array_equal(got, a.ravel(order)), (order, a.strides)


def test_ranges_that_a_dtype_does_not_hold():
    for text in ("300, 303", "-1, 3", "255, 258", "300", "3, 1, -1", "300, 300", "254, 300"):
        function = eval(f"lambda: np.arange({text}, dtype=np.uint8)", {"np": np})
        try:
            wanted = function()
        except OverflowError as error:
            with pytest.raises(OverflowError, match=str(error)):
                njit(function)()
        else:
            assert np.array_equal(njit(function)(), wanted), text


@pytest.mark.parametrize("value", ["300", "[300, 1]", "-1"])
@pytest.mark.parametrize("place", ["u.flat", "u.flat[:]", "u.flat[0]"])
def test_flat_does_not_wrap(place, value):
    if place.endswith("[0]") and value.startswith("["):
        return
    space = {}
    exec(f"def store(u):\n    {place} = {value}", space)
    with pytest.raises((OverflowError, ValueError)):
        space["store"](np.zeros(2, np.uint8))
    with pytest.raises(OverflowError):
        njit(space["store"])(np.zeros(2, np.uint8))


def test_identity_of_texts():
    same = njit(lambda x, y: (x is x, x is not x, x is y))
    assert same("abc", "abd") == (True, False, False)
    assert same(b"abc", b"abd") == (True, False, False)


def test_scalar_classes_without_an_argument():
    for name in ("int8", "uint64", "float32", "float64", "complex128", "bool_"):
        function = eval(f"lambda: np.{name}()", {"np": np})
        assert njit(function)() == function()


@pytest.mark.parametrize("count", [-1, 0, 1, 3])
def test_tuples_repeated_a_number_of_times(count):
    def f(n, x):
        ones, pairs = (1,) * n, n * (x, 2.5)
        return ones, pairs, len(ones), ones == (1, 1, 1), sum(ones)

    assert_same(f, count, 0.5)
    with pytest.raises(TypingError, match="unless its items are of one type"):
        njit(lambda n: (1, "a") * n)(count)
