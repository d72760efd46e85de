"""Where compiled functions differ from NumPy's on purpose: one row each, with its reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np
from numjit.library.core.catalogue import numpy_object
from numjit.library.numpy.decompositions import eig_is_complex


@dataclass(frozen=True)
class Difference:
    """For functions whose name matches one of ``names`` and calls that ``when`` holds for.

    kind   "refused": NumPy gives a result, compiled code raises a NumbaError
           "dtype": values agree, dtypes need not
           "float16": as "dtype", up to float16's precision
           "copy": as "dtype", and a result need not be a view where NumPy's is
           "unlike": not compared
           "casting": compared unless NumPy raises TypeError and compiled code does not
    """

    names: str
    kind: str
    reason: str
    when: Callable = lambda call: True


def first_kind(kinds):
    return lambda call: np.asarray(call.first).dtype.kind in kinds


def is_small(call):
    """NumPy computes bool and 8-bit integers in float16."""
    return any(np.asarray(x).dtype.itemsize == 1 for x in call.values)


def is_ufunc(call):
    return isinstance(numpy_object(call.case.name, None), np.ufunc)


def goes_to_out(call):
    """What NumPy computes in float16 and stores elsewhere."""
    return is_ufunc(call) and "out" in call.case.chosen and is_small(call)


def leaves_memory_as_it_was(call):
    return "where" in call.case.chosen and "out" not in call.case.chosen


def has_run_time_scalar(call):
    arguments = call.arguments()
    scalars = [x for x in arguments if isinstance(x, (bool, int, float, complex))]
    return bool(scalars) and len(scalars) < len(arguments)


def names_a_dtype(call):
    """dtype, casting or out: NumPy checks that what is converted may be."""
    return any(p in call.case.chosen for p in ("dtype", "casting", "out"))


def is_empty(call):
    return np.size(call.first) == 0


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


def has_negative_integer_power(call):
    base, exponent = (np.asarray(x) for x in call.arguments()[:2])
    return base.dtype.kind in "iub" and exponent.dtype.kind == "i" and (exponent < 0).any()


def has_complex_eigenvalues(call):
    if eig_is_complex or np.asarray(call.first).dtype.kind == "c":
        return False
    try:
        return np.linalg.eigvals(call.first).dtype.kind == "c"
    except np.linalg.LinAlgError:
        return False


def option(call, parameter):
    """How the program passes a parameter, None if it does not."""
    choice = call.case.chosen.get(parameter)
    return getattr(choice, "text", None) or getattr(choice, "label", None)


CHECKS_ACCUMULATIONS = np.lib.NumpyVersion(np.__version__) >= "2.5.5"

DIFFERENCES = [
    Difference(
        "*",
        "unlike",
        "NumPy lets axis 0 and -1 of some functions pass for 0-d arrays",
        lambda call: (
            getattr(call.first, "ndim", 1) == 0 and option(call, "axis") not in (None, "None")
        ),
    ),
    Difference(
        "numpy.fft.irfft* numpy.fft.hfft",
        "unlike",
        "NumPy reads memory behind an empty array, where we put a zero",
        is_empty,
    ),
    Difference(
        "numpy.intersect1d",
        "unlike",
        "values that are said to be unique and are not",
        lambda call: {"assume_unique", "return_indices"} <= call.case.chosen.keys(),
    ),
    Difference(
        "numpy.polyval",
        "dtype",
        "promotion does not depend on the number of coefficients",
        is_empty,
    ),
    Difference(
        "numpy.random.default_rng",
        "unlike",
        "without a seed it is seeded by the system",
        lambda call: not call.case.chosen,
    ),
    Difference(
        "numpy.apply_over_axes",
        "unlike",
        "NumPy lets axis 0 and -1 of some functions pass for 0-d arrays",
        lambda call: np.ndim(call.first) == 0,
    ),
    Difference(
        "*sum *mean *var *std numpy.average",
        "unlike",
        "wrong today: beside where=, dtype= of ufuncs converts the result, not the operands",
        lambda call: {"dtype", "where"} <= call.case.chosen.keys() and is_ufunc(call),
    ),
    Difference(
        "*sum *mean *var *std numpy.average",
        "unlike",
        "float sums have an order of their own",
        cancels,
    ),
    Difference(
        "numpy.cov numpy.corrcoef",
        "unlike",
        "a matrix with one row gives a matrix, since types do not depend on shapes",
        lambda call: np.shape(call.first)[0] == 1,
    ),
    Difference(
        "numpy.linalg.eig numpy.linalg.eigvals",
        "unlike",
        "before NumPy 2.5 the type depends on whether the eigenvalues of a real matrix are real",
        has_complex_eigenvalues,
    ),
    Difference(
        "numpy.roots",
        "unlike",
        "real coefficients must have real roots, since types do not depend on values",
        lambda call: np.asarray(call.first).dtype.kind != "c",
    ),
    Difference(
        "numpy.polynomial.polynomial.polyint",
        "unlike",
        "the constant of integration is 0 also beside infinities",
        lambda call: not np.all(np.isfinite(call.first)),
    ),
    Difference(
        "numpy.polynomial.polynomial.Polynomial",
        "unlike",
        "polynomials with NaN are not equal to themselves",
        lambda call: not np.all(np.isfinite(call.first)),
    ),
    Difference("numpy.cov numpy.corrcoef", "dtype", "NumPy has float64 for no variables", is_empty),
    Difference(
        "numpy.average",
        "unlike",
        "NumPy divides 0 by 0 for the sum of no weights",
        lambda call: "returned" in call.case.chosen and is_empty(call),
    ),
    Difference(
        "numpy.nanmedian numpy.nanpercentile numpy.nanquantile",
        "unlike",
        "NumPy does not check the shape of out",
        lambda call: option(call, "out") == "misshapen",
    ),
    Difference(
        "*cum*",
        "unlike",
        "NumPy 2.5.2 does not check the shape of out",
        lambda call: option(call, "out") == "misshapen" and not CHECKS_ACCUMULATIONS,
    ),
    Difference(
        "numpy.choose",
        "unlike",
        "without bounds to check NumPy takes a strided out for a contiguous one",
        lambda call: option(call, "out") == "strided" and "mode" in call.case.chosen,
    ),
    Difference(
        "numpy.random.seed",
        "unlike",
        "without a seed the numbers are the system's",
        lambda call: not call.case.chosen,
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
    Difference(
        "Array.partition numpy.partition *.argpartition *.compress",
        "unlike",
        "NumPy checks no positions in empty arrays",
        is_empty,
    ),
    Difference("Array.partition", "unlike", "only the kth is in its place"),
    Difference("Array.conj Array.conjugate", "copy", "as in Numba they are the ufunc"),
    Difference(
        "Array.reshape numpy.reshape numpy.ravel Array.ravel",
        "copy",
        "arrays that are not contiguous are copied",
        not_contiguous,
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
    Difference(
        "numpy.nanvar numpy.nanstd",
        "unlike",
        "NumPy rounds deviations of a wider dtype to complex64",
        lambda call: option(call, "dtype") == "np.float64" and call.first.dtype == np.complex64,
    ),
    Difference(
        "numpy.piecewise",
        "refused",
        "the length of a list of conditions is not known to the compiler",
        lambda call: isinstance(call.values[1], list) and len(call.values[2]) > 1,
    ),
    Difference(
        "numpy.gradient",
        "refused",
        "one axis or all of them",
        lambda call: option(call, "axis") == "(0, 1)" and np.ndim(call.first) > 1,
    ),
    Difference("numpy.lexsort", "refused", "keys have one dimension", has_keys_of_dimensions),
    Difference(
        "numpy.squeeze Array.squeeze",
        "refused",
        "without axis, which extents of a list are one is not known at compile time",
        lambda call: (
            isinstance(call.first, (list, tuple)) and option(call, "axis") in (None, "None")
        ),
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
    ),
    Difference(
        "numpy.linalg.matrix_power",
        "unlike",
        "at compile time the power is unknown: the first is a copy, integers stay integers",
        lambda call: (
            call.arguments()[1] == 1 or call.arguments()[1] < 0 and first_kind("biu")(call)
        ),
    ),
    Difference(
        "numpy.power numpy.pow",
        "unlike",
        "as in Numba, integers to negative powers are 0, 1 or -1; NumPy raises ValueError",
        has_negative_integer_power,
    ),
    Difference(
        "numpy.kron",
        "unlike",
        "arrays of at most two dimensions, as in Numba",
        lambda call: any(np.ndim(a) > 2 for a in call.arguments()),
    ),
    Difference(
        "*.dot numpy.matmul numpy.outer",
        "unlike",
        "out may have any layout",
        lambda call: option(call, "out") == "strided",
    ),
    Difference(
        "*.put *.place *.putmask *.fill *.fill_diagonal *.round *.around numpy.full* *.copyto"
        " *.insert *.append *.choose",
        "casting",
        "assignments convert, as a[i] = x does",
    ),
    Difference(
        "numpy.bitwise_* numpy.gcd numpy.lcm",
        "unlike",
        "a run-time int is int64, which has no integer type in common with uint64",
        lambda call: has_run_time_scalar(call) and call.first.dtype == np.uint64,
    ),
    Difference("*.clip", "casting", "one bound may be left out without naming the other"),
    Difference("*", "casting", "conversions are not checked for losses", names_a_dtype),
    Difference(
        "*", "dtype", "a scalar argument has a type of its own, as in Numba", has_run_time_scalar
    ),
]


# What is wrong today: identifiers of tests/numpy/test_generated.py that fail, and why.
OPEN: dict[str, str] = {}


def open_reason(label):
    return next((reason for pattern, reason in OPEN.items() if fnmatchcase(label, pattern)), None)


def difference_of(call):
    for row in DIFFERENCES:
        if any(fnmatchcase(call.case.name, n) for n in row.names.split()) and row.when(call):
            return row
    return None
