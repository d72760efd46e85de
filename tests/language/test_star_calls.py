"""f(*items) of what has its length at run time only."""

import collections
import dataclasses

import numpy as np
import pytest
from language.support import assert_same
from numjit import njit
from numjit.errors import TypingError


def three(a, b, c):
    return a + b * c


def test_displays():
    def several(x):
        items = [x, 2, 3.5]
        return three(*items), three(*[1, x, 3]), three(x, *[2, 3])

    inner = njit(three)
    scope = {"three": inner}
    exec(
        "def several(x):\n"
        "    items = [x, 2, 3.5]\n"
        "    return three(*items), three(*[1, x, 3]), three(x, *[2, 3])\n",
        scope,
    )
    assert njit(scope["several"])(4) == several(4)


@pytest.mark.parametrize("items", [[1, 2, 3], [1.5, 2.5, 3.5], np.arange(3), np.arange(6.0)[::2]])
def test_lists_and_arrays(items):
    assert njit(lambda items: three(*items))(items) == three(*items)


def test_beside_keywords_and_in_inner_functions():
    def f(items):
        def product(a, b):
            return a * b

        return three(*items[:2], c=items[2]) + product(*items[1:])

    assert njit(f)([2, 3, 4]) == f([2, 3, 4])


@pytest.mark.parametrize("items", [[1, 2], [1, 2, 3, 4], []])
def test_other_lengths(items):
    with pytest.raises(TypeError, match="takes 3 positional arguments but"):
        njit(lambda items: three(*items))(items or np.zeros(0))


def with_defaults(a, b=1, *more):
    return a, b, len(more)


class Point:
    def __init__(self, x, y=0):
        self.x, self.y = x, y


@pytest.mark.parametrize("items", [[3], [3, 4], [3, 4, 5]])
def test_defaults(items):
    def of_class(items):
        point = Point(*items[:2])
        return point.x, point.y

    assert njit(lambda items: with_defaults(*items))(items) == with_defaults(*items)
    assert njit(of_class)(items) == of_class(items)


@pytest.mark.parametrize(
    "count, text", [(0, "at least 1"), (3, "from 1 to 2 positional arguments but 3")]
)
def test_other_lengths_with_defaults(count, text):
    def f(items):
        return Point(*items).x

    with pytest.raises(TypeError, match=text):
        njit(f)(np.zeros(count))


def test_refused():
    def f(items):
        def with_default(a, b=items[0]):
            return a + b

        return with_default(*items)

    with pytest.raises(TypingError, match="must be a tuple"):
        njit(f)([1, 2])


Place = collections.namedtuple("Place", "x y z")


def test_other_iterables():
    def several(t, n):
        turned = three(*reversed(t)), three(*range(n)), three(*(x * x for x in t))
        return (
            turned,
            three(1, *range(5, 7)),
            Place(*range(3)),
            Place(*reversed(t)),
            Place(0, *t[1:]),
        )

    assert_same(several, (1.5, 2.5, 3.5), 3)
    assert_same(lambda l, a: (Place(*l), Place(*a), Place(*map(abs, l))), [1, -2, 3], np.ones(3))
    with pytest.raises(TypeError, match="3 positional arguments but 2 were given"):
        njit(lambda n: three(*range(n)))(2)
    with pytest.raises(TypeError, match="3 positional arguments but 4 were given"):
        njit(lambda l: Place(*l))([1, 2, 3, 4])


class Line:
    def __init__(self, a):
        self.a = a

    def __call__(self, x, y=2, *rest, z=0):
        return self.a + x * y + 100 * z + 1000 * len(rest)


@dataclasses.dataclass(frozen=True)
class FrozenLine:
    a: int
    __call__ = Line.__call__


LINES = Line(5), FrozenLine(5)


@pytest.mark.parametrize("line", LINES, ids=["plain", "frozen"])
def test_calls_of_values_with_keywords(line):
    def calls(line, rest):
        return line(3), line(3, y=4), line(3, z=1, y=5), line(3, 4, 6, z=2), line(3, *rest)

    expected = calls(line, (7, 8, 9))
    assert njit(calls)(line, (7, 8, 9)) == expected
    if dataclasses.is_dataclass(line):
        assert njit(lambda rest: calls(line, rest))((7, 8, 9)) == expected
    with pytest.raises(TypingError, match="unexpected keyword argument 'w'"):
        njit(lambda line: line(3, w=4))(line)


def test_ufuncs_take_as_many_as_they_have_operands():
    def spread(x):
        return np.subtract(*np.percentile(x, [75, 25])), np.hypot(*x[:2])

    assert_same(spread, np.arange(7.0) ** 2)

    @njit
    def power(items):
        return np.power(*items), np.negative(*items[1:])

    assert power([3, 2]) == (9, -2)
    for items in ([3], [3, 2, 1]):
        with pytest.raises(TypeError, match="power.. takes 2 positional arguments"):
            power(items)
