"""What of array_api_compat means something in compiled code (array_api.py)."""

_MODULES = [
    f"{package}array_api_compat.common._helpers."
    for package in ("", "scipy._external.", "sklearn.externals.")
]
OURS = "is_numpy_array is_array_api_obj"
OTHERS = """
    is_cupy_array is_torch_array is_ndonnx_array is_dask_array is_jax_array is_pydata_sparse_array
    is_lazy_array
"""
OUR_NAMESPACE = "is_numpy_namespace"
OTHER_NAMESPACES = """
    is_cupy_namespace is_torch_namespace is_ndonnx_namespace is_dask_namespace is_jax_namespace
    is_pydata_sparse_namespace is_array_api_strict_namespace
"""
MORE = "is_writeable_array array_namespace device to_device size _check_device"


def keys(names):
    """The names that functions are registered by, one for each package with a copy."""
    return [module + name for module in _MODULES for name in names.split()]


KEYS = keys(" ".join((OURS, OTHERS, OUR_NAMESPACE, OTHER_NAMESPACES, MORE)))
