"""Where compiled functions differ from NumPy's on purpose: one row each, with its reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np
from numjit.library.catalogue import numpy_object


@dataclass(frozen=True)
class Difference:
    """For functions whose name matches one of ``names`` and calls that ``when`` holds for.

    kind   "refused": NumPy gives a result, compiled code raises a NumbaError
           "dtype": values agree, dtypes need not
           "float16": as "dtype", up to float16's precision
           "copy": as "dtype", and a result need not be a view where NumPy's is
           "unlike": not compared
    """

    names: str
    kind: str
    reason: str
    when: Callable = lambda call: True


def first_kind(kinds):
    return lambda call: np.asarray(call.first).dtype.kind in kinds


def is_small(call):
    """NumPy computes bool and 8-bit integers in float16."""
    return any(np.asarray(x).dtype.itemsize == 1 for x in call.arguments())


def goes_to_out(call):
    """What NumPy computes in float16 and stores elsewhere."""
    ufunc = isinstance(numpy_object(call.case.name, None), np.ufunc)
    return ufunc and "out" in call.case.chosen and is_small(call)


def leaves_memory_as_it_was(call):
    return "where" in call.case.chosen and "out" not in call.case.chosen


def has_run_time_scalar(call):
    arguments = call.arguments()
    scalars = [x for x in arguments if isinstance(x, (bool, int, float, complex))]
    return bool(scalars) and len(scalars) < len(arguments)


def not_contiguous(call):
    return not call.first.flags.c_contiguous


def has_complex_numbers(call):
    return any(np.asarray(x).dtype.kind == "c" for x in call.arguments())


def has_keys_of_dimensions(call):
    return any(np.ndim(key) != 1 for key in call.first)
def cancels(call):
    """The sum of both ends of int64 is what rounding leaves, so it depends on the order."""
    a = np.asarray(call.first)
    return a.dtype == np.int64 and a.size > 0 and a.max() == np.iinfo(a.dtype).max


DIFFERENCES = [
    Difference(
        "*mean *var *std numpy.average", "unlike", "float sums have an order of their own", cancels
    ),
    Difference(
        "numpy.cov numpy.corrcoef",
        "unlike",
        "a matrix with one row gives a matrix, since types do not depend on shapes",
        lambda call: np.shape(call.first)[0] == 1,
    ),
    Difference("numpy.spacing numpy.nextafter", "unlike", "float16 has another spacing", is_small),
    Difference(
        "*", "float16", "there is no float16: bool and 8-bit integers become float32", goes_to_out
    ),
    Difference(
        "*",
        "unlike",
        "elements of a new array that where= leaves out are 0; NumPy does not set them",
        leaves_memory_as_it_was,
    ),
    Difference("Array.conj Array.conjugate", "copy", "as in Numba they are the ufunc"),
    Difference(
        "Array.reshape numpy.reshape numpy.ravel Array.ravel",
        "copy",
        "arrays that are not contiguous are copied",
        not_contiguous,
    ),
    Difference(
        "Array.view",
        "refused",
        "another item size needs a C-contiguous array",
        lambda call: not_contiguous(call) and call.first.ndim > 0,
    ),
    Difference(
        "numpy.partition Array.partition numpy.argpartition Array.argpartition",
        "unlike",
        "the order within the parts is not determined; see test_sorting.py",
    ),
    Difference(
        "numpy.unique", "unlike", "always sorted", lambda call: "sorted" in call.case.chosen
    ),
    Difference(
        "numpy.bincount",
        "dtype",
        "weights make floats, even without elements",
        lambda call: "weights" in call.case.chosen and not call.first.size,
    ),
    Difference(
        "numpy.histogram2d", "refused", "complex numbers have no order", has_complex_numbers
    ),
    Difference("numpy.lexsort", "refused", "keys have one dimension", has_keys_of_dimensions),
    Difference(
        "numpy.squeeze Array.squeeze",
        "refused",
        "without axis the number of dimensions of the result depends on the shape",
        lambda call: getattr(call.case.chosen.get("axis"), "text", "None") == "None",
    ),
    Difference(
        "numpy.asfortranarray numpy.ascontiguousarray numpy.asarray numpy.asanyarray",
        "copy",
        "types say whether memory is contiguous, shapes do not",
    ),
    Difference("numpy.iinfo numpy.finfo", "unlike", "named tuples with the same fields"),
    Difference(
        "numpy.insert",
        "unlike",
        "NumPy adds to the indices in place, which their dtype may forbid",
        lambda call: np.asarray(call.arguments()[1]).dtype.kind in "ub",
        "numpy.linalg.matrix_power",
        "unlike",
        "the power is not known at compile time: the first one is a copy, and integers stay integers",
        lambda call: (
            call.arguments()[1] == 1 or call.arguments()[1] < 0 and first_kind("biu")(call)
        ),
    ),
    Difference(
        "*", "dtype", "a scalar argument has a type of its own, as in Numba", has_run_time_scalar
    ),
]


# What is wrong today: identifiers of tests/numpy/test_generated.py that fail, and why. A row whose
# test passes is an error too.
OPEN = {
    "Array.compress-axis=-1": "positions outside are an error in empty arrays too",
    "Array.item-index=-1": "the index is not checked",
    "Array.item-index=1,2": "too few indices give a view",
    "Array.item-index=100": "the index is not checked",
    "numpy.angle-plain": "bool gives float32",
    "numpy.ascontiguousarray-plain": "0-d arrays stay 0-d",
    "numpy.argmax-plain": "complex numbers are refused",
    "numpy.argmin-plain": "complex numbers are refused",
    "numpy.imag-plain": "gives a copy, not a view",
    "numpy.real-plain": "gives a copy, not a view",
    "numpy.power-plain": "negative integer powers of integers give 0, not ValueError",
}


def difference_of(call):
    for row in DIFFERENCES:
        if any(fnmatchcase(call.case.name, n) for n in row.names.split()) and row.when(call):
            return row
    return None
