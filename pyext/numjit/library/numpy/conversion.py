"""What NumPy's own functions in Python ask to convert their arguments (`_array_converter`), and
what the array API tells of NumPy's module."""

import numpy as np
from numpy._core._multiarray_umath import _array_converter

from ..core.intrinsics import is_scalar, new_struct, promote
from ..core.registry import function

_CONVERTER = "numpy._core._multiarray_umath._array_converter"
_INFO = "numpy.__array_namespace_info__"


def each_converted(values, keeps_numbers):
    if len(values) == 0:
        return ()
    first = values[0] if keeps_numbers and is_scalar(values[0]) else np.asarray(values[0])
    return (first,) + each_converted(values[1:], keeps_numbers)


def all_scalars(values):
    return len(values) == 0 or (is_scalar(values[0]) and all_scalars(values[1:]))


def each_is_scalar(values):
    return () if len(values) == 0 else (is_scalar(values[0]),) + each_is_scalar(values[1:])


# -- _array_converter ----------------------------------------------------------------------------


@function(_CONVERTER)
def converter(*array_likes):
    return new_struct(_array_converter, (array_likes, each_is_scalar(array_likes)))


@function(_CONVERTER + ".as_arrays")
def as_arrays(self, /, subok=True, pyscalars="convert_if_no_array"):
    """Numbers of Python and scalars of NumPy are the same here."""
    if pyscalars == "convert_if_no_array":
        return each_converted(self._values, not all_scalars(self._values))
    else:
        return each_converted(self._values, pyscalars == "preserve")


@function(_CONVERTER + ".result_type")
def result_type(self, /, extra_dtype=None, ensure_inexact=False):
    dtype = np.result_type(*each_converted(self._values, True))
    if extra_dtype is not None:
        return promote(dtype, np.dtype(extra_dtype))
    elif ensure_inexact and dtype.kind in "biu":
        return np.dtype(np.float64)
    else:
        return dtype


@function(_CONVERTER + ".wrap")
def wrap(self, arr, /, to_scalar=None):
    scalar = all_scalars(self._values) if to_scalar is None else to_scalar
    if not isinstance(arr, np.ndarray):
        return arr
    elif scalar and arr.ndim == 0:
        return arr[()]
    else:
        return arr


@function(_CONVERTER + ".__len__")
def converter_len(self):
    return len(self._values)


@function(_CONVERTER + ".__iter__")
def converter_iter(self):
    return iter(self.as_arrays())


@function(_CONVERTER + ".__getitem__")
def converter_item(self, index):
    return self.as_arrays()[index]


@function("numpy._core._multiarray_umath._unique_hash")
def unique_hash(ar, *, equal_nan=True):
    """`numpy.unique` sorts then."""
    return NotImplemented


# -- the array API -------------------------------------------------------------------------------


@function(_INFO)
def namespace_info():
    return new_struct(np.__array_namespace_info__, ())


@function(_INFO + ".capabilities")
def capabilities(self):
    return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}


@function(_INFO + ".default_device")
def default_device(self):
    return "cpu"


@function(_INFO + ".devices")
def devices(self):
    return ("cpu",)


@function(_INFO + ".default_dtypes")
def default_dtypes(self, *, device=None):
    if device is not None and device != "cpu":
        raise ValueError('Device not understood. Only "cpu" is allowed')
    return {
        "real floating": np.dtype(np.float64),
        "complex floating": np.dtype(np.complex128),
        "integral": np.dtype(np.int64),
        "indexing": np.dtype(np.int64),
    }
