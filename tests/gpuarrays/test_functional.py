"""cupy.vectorize, apply_along_axis and piecewise."""

import numjit.cupy as cp
import numpy as np
import pytest
from gpuarrays.arrays import check


@pytest.mark.parametrize("dtype", "bHifde")
@pytest.mark.parametrize(
    "function, result",
    [
        (lambda x, y: x + y * 2, None),
        (lambda x, y: min(x, y) if x > 1 else max(x, y), None),
        (lambda x, y: x if x > y else 0, None),
        (lambda x, y: x if x > y else 0.5, np.add),
        (lambda x, y: y / 2.0, np.divide),
        (lambda x, y: x * 2 + y * 3 - 1, None),
        (lambda x, y: x * x + y * y, None),
        (lambda x, y: 2 / (y * y), np.divide),
    ],
)
def test_dtypes_of_vectorized_functions(function, result, dtype):
    x, y = np.array([1, 3, 5, 2], dtype), np.array([[2], [4]], dtype)
    wanted = np.dtype(dtype) if result is None else result(x, 0.5).dtype
    found = cp.vectorize(function)(cp.asarray(x), cp.asarray(y))
    check(found, np.vectorize(function, otypes=[wanted])(x, y))


def test_vectorized_functions_of_several_results():
    x = np.array([1, 5, 3], np.int8)
    found = cp.vectorize(lambda x: (x - 1, x > 2, x / 2))(cp.asarray(x))
    for one, other in zip(found, (x - 1, x > 2, x / 2), strict=True):
        check(one, other)


def test_vectorized_functions_may_use_cupy():
    def function(x):
        return cp.sqrt(x) + cp.float32(1)

    x = np.arange(5, dtype=np.float32)
    check(cp.vectorize(function)(cp.asarray(x)), np.sqrt(x) + np.float32(1))
    assert cp.vectorize(lambda x: x * 1000)(cp.arange(3, dtype=np.int8)).dtype == np.int8


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("function", [np.sum, np.cumsum, np.outer, np.diff])
def test_results_take_the_place_of_their_axis(function, axis):
    x = np.arange(24.0).reshape(2, 3, 4)
    more = (np.arange(5.0),) if function is np.outer else ()
    expected = np.apply_along_axis(function, axis, x, *more)
    ours = getattr(cp, function.__name__)
    check(cp.apply_along_axis(ours, axis, cp.asarray(x), *map(cp.asarray, more)), expected)
    with pytest.raises(np.exceptions.AxisError):
        cp.apply_along_axis(ours, 3, cp.asarray(x))


def test_conditions_of_piecewise():
    x = np.arange(-3.0, 3)
    rows = np.stack([x < -1, x > 1])
    check(cp.piecewise(cp.asarray(x), cp.asarray(rows), [1, 2]), np.piecewise(x, rows, [1, 2]))
    found = cp.piecewise(cp.asarray(x), cp.asarray(x > 0), [5, 7])
    check(found, np.piecewise(x, x > 0, [5, 7]))
    check(cp.piecewise(cp.array(2.0), [cp.array(True)], [3]), np.piecewise(2.0, [True], [3]))
