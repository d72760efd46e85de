"""cupy.testing: comparisons of device arrays, and decorators that run a test with NumPy, too."""

from __future__ import annotations

import importlib

_PLACES = {
    "comparisons": (
        "assert_allclose assert_array_almost_equal assert_array_almost_equal_nulp "
        "assert_array_max_ulp assert_array_equal assert_array_less assert_equal "
        "assert_almost_equal assert_array_list_equal assert_warns"
    ),
    "with_numpy": (
        "numpy_cupy_allclose numpy_cupy_array_almost_equal numpy_cupy_array_almost_equal_nulp "
        "numpy_cupy_array_max_ulp numpy_cupy_array_equal numpy_cupy_array_list_equal "
        "numpy_cupy_array_less numpy_cupy_equal numpy_cupy_raises numpy_satisfies"
    ),
    "loops": (
        "for_dtypes for_all_dtypes for_float_dtypes for_signed_dtypes for_unsigned_dtypes "
        "for_int_dtypes for_complex_dtypes for_dtypes_combination for_all_dtypes_combination "
        "for_signed_dtypes_combination for_unsigned_dtypes_combination for_int_dtypes_combination "
        "for_orders for_CF_orders for_contiguous_axes"
    ),
    "samples": (
        "shaped_arange shaped_reverse_arange shaped_random shaped_linspace shaped_sparse_random "
        "generate_matrix empty fix_random generate_seed DummyObjectWithCudaArrayInterface "
        "DummyObjectWithCuPyGetNDArray"
    ),
    "parameters": (
        "parameterize product product_dict with_requires installed slow multi_gpu "
        "AssertFunctionIsCalled assert_function_is_called is_after_baseline "
        "skip_if_after_baseline NumpyAliasTestBase NumpyAliasBasicTestBase "
        "NumpyAliasValuesTestBase"
    ),
}  # fmt: skip
_FROM = {name: place for place, names in _PLACES.items() for name in names.split()}


def __getattr__(name):
    if name not in _FROM:
        raise AttributeError(f"module 'numjit.cupy.testing' has no attribute {name!r}")
    module = importlib.import_module(f"numjit.cupy.testing.{_FROM[name]}")
    value = globals()[name] = getattr(module, name)
    return value


def __dir__():
    return sorted(_FROM)
