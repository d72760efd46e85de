"""Lists and tuples of numbers beside arrays are arrays, as in NumPy."""

import operator

import numpy as np
import pytest
from numjit import njit
from numjit.errors import NumbaError

SEQUENCES = [
    [1, 2, 3],
    (1, 2, 3),
    [1.5, 2.0, 2.5],
    [[1, 2, 3], [4, 5, 6]],
    ((1, 2, 3),),
]
OPERATORS = ["add", "sub", "mul", "truediv", "floordiv", "pow", "lt", "eq", "ne", "ge"]


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("dtype", ["uint8", "int64", "float32"])
def test_operators(name, dtype):
    function = getattr(operator, name)
    forward, backward = njit(lambda a, b: function(a, b)), njit(lambda a, b: function(b, a))
    a = np.array([5, 200, 1]).astype(dtype)
    for b in SEQUENCES:
        for compiled, wanted in ((forward, function(a, b)), (backward, function(b, a))):
            got = compiled(a, b)
            assert got.dtype == wanted.dtype and np.allclose(got, wanted)


def test_in_place_and_products():
    def f(a):
        a += [1, 2, 3]
        a *= (2, 2, 2)
        return a, a @ [1, 2, 3], (1, 0, 1) @ a

    wanted = f(np.arange(3))
    got = njit(f)(np.arange(3))
    assert all(np.array_equal(x, y) for x, y in zip(got, wanted, strict=True))


def test_refusals():
    a = np.arange(3.0)
    with pytest.raises(NumbaError):
        njit(lambda a: a + ("x", "y", "z"))(a)
    with pytest.raises(ValueError):
        njit(lambda a: a + [1, 2])(a)


def test_a_list_in_place_is_an_array_too():
    def f(a):
        items = [1.0, 2.0, 3.0]
        items += a
        return items

    assert np.array_equal(njit(f)(np.arange(3.0)), f(np.arange(3.0)))
