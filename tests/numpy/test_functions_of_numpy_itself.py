"""NumPy's own functions in Python, compiled from their source, and the helpers that they use."""

import inspect

import numpy as np
import pytest
from language.support import assert_same
from numjit import njit
from numpy._core import fromnumeric, function_base, numeric
from numpy._core._multiarray_umath import _array_converter, c_einsum
from numpy.lib import _arraysetops_impl, _function_base_impl, _twodim_base_impl

CALLS = [
    (fromnumeric.around, ([1.5, 2.25], 1)),
    (fromnumeric.cumsum, ([1, 2, 3],)),
    (fromnumeric.nonzero, ([0, 1, 2],)),
    (fromnumeric.repeat, ([1, 2], 2)),
    (fromnumeric.reshape, ([1, 2, 3, 4], (2, 2))),
    (fromnumeric.searchsorted, ([1, 2, 3], 2)),
    (fromnumeric.squeeze, ([[1, 2]], 0)),
    (fromnumeric.take, ([1, 2, 3], [0, 2])),
    (fromnumeric.transpose, ([[1, 2], [3, 4]],)),
    (numeric.count_nonzero, ([[0, 2], [3, 0]],)),
    (numeric.convolve, ([1.0, 2, 3], [0.0, 1, 0.5])),
    (numeric.convolve, ([1, 2], [3, 4, 5], "same")),
    (numeric.correlate, ([1.0, 2, 3], [0.0, 1])),
    (_function_base_impl.interp, ([0.5, 1.5, 9], [0, 1, 2], [0.0, 10, 30])),
    (_function_base_impl.interp, (0.5, [0, 1], [1j, 2], 0.0)),
    (_function_base_impl.digitize, ([0.2, 6.4, 3.0], [0.0, 1, 2.5, 4, 10])),
    (_function_base_impl.digitize, ([1, 3], [3, 2, 1], True)),
    (_function_base_impl.place, (np.arange(6), np.arange(6) > 2, [44, 55])),
    (function_base.linspace, (0, 1, 5)),
    (function_base.linspace, (np.zeros(2), np.ones(2, np.float32), 5)),
    (_arraysetops_impl.ediff1d, ([1, 2, 4],)),
    (_arraysetops_impl.ediff1d, (np.array([1.0, 2, 5]), 0.0, [7.0])),
    (_arraysetops_impl.unique, ([3, 1, 1],)),
    (_twodim_base_impl.diagflat, ([[1, 2], [3, 4]], 1)),
]


@pytest.mark.parametrize("function, args", CALLS, ids=[each[0].__name__ for each in CALLS])
def test_functions(function, args):
    assert_same(inspect.unwrap(function), *args)


@pytest.mark.parametrize(
    "a, b",
    [([1, 2], 3.0), (1, 2), (np.array(3), 4), ((1, 2), [3.0]), (2.0, np.ones(2))],
    ids=repr,
)
def test_array_converter(a, b):
    def arrays(a, b):
        converter = _array_converter(a, b)
        first, second = converter[0], converter[1]
        dtype = converter.result_type(ensure_inexact=True)
        return first, second, converter.scalar_input, dtype, len(converter)

    def as_arrays(a, b):
        first, second = _array_converter(a, b).as_arrays()
        return np.add(first, second), _array_converter(a, b).as_arrays(pyscalars="convert")

    def wrapped(a, b):
        converter = _array_converter(a, b)
        zero_d = np.asarray(3.0)
        kept, taken = (
            converter.wrap(zero_d, to_scalar=False),
            converter.wrap(zero_d, to_scalar=True),
        )
        return converter.wrap(zero_d), kept, taken, converter.wrap(np.ones(2))

    for function in (arrays, as_arrays, wrapped):
        assert_same(function, a, b)


def test_einsum_in_c():
    def f(a, b):
        return c_einsum("ij,jk->ik", a, b), c_einsum("ij->ji", a)

    assert_same(f, np.ones((2, 3)), np.arange(6.0).reshape(3, 2))


def test_classes_of_dtypes():
    def f(x):
        dtype = x.dtype
        known = isinstance(dtype, np.dtypes.Float32DType), type(dtype) is np.dtypes.Float64DType
        return (
            known,
            np.zeros(2, type(dtype)),
            np.add(x, x, dtype=type(dtype)),
            type(dtype).__name__,
        )

    for dtype in "f4 f8 i1 c16 ?".split():
        assert_same(f, np.ones(2, dtype))


def test_namespace_info():
    def f():
        info = np.__array_namespace_info__()
        dtypes = info.default_dtypes()
        known = info.capabilities()
        return info.default_device(), info.devices(), dtypes["integral"], known["max dimensions"]

    assert njit(f)() == f()


def zeros_and_poles(xp, n):
    return xp.asarray([], dtype=xp.float64), xp.reshape(xp.ones(n), [1, n])


class Maker:
    def __init__(self, item):
        self.item = item

    def asarray(self, items):
        items.append(self.item)
        return items


def test_empty_displays_for_a_module_that_a_variable_holds():
    assert_same(lambda n: zeros_and_poles(np, n), 3)
    assert njit(lambda n: Maker(n).asarray([]))(3) == [3]
