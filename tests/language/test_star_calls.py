"""f(*items) of what has its length at run time only."""

import collections

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


def test_refused():
    def with_default(a, b=1):
        return a + b

    with pytest.raises(TypingError, match="must be a tuple"):
        njit(lambda items: with_default(*items))([1, 2])


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
