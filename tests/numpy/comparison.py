"""Whether an outcome of compiled code is NumPy's, up to what NumPy's result determines."""

from __future__ import annotations

import numpy as np
from numjit.errors import NumbaError

# Relative to the greatest finite element; sums are rounded in another order.
TOLERANCES = {"f": 2e-5, "d": 1e-11, "F": 2e-5, "D": 1e-11, "e": 1e-2}


def check_outcome(name, actual, expected, result_type, difference, options=()):
    """`actual` and `expected` are ((result, exception), arguments afterwards)."""
    (result, error), mine = actual
    (wanted, wanted_error), theirs = expected
    if difference is not None and difference.kind == "refused" and wanted_error is None:
        assert error is not None, f"numjit now does this: delete its row ({difference.reason})"
        assert isinstance(error, NumbaError), f"raised {error!r}, not a NumbaError"
        return
    if difference is not None and difference.kind == "unlike":
        return
    if difference is not None and difference.kind == "casting" and wanted_error is not None:
        if public_class(wanted_error) is TypeError:
            return
    if wanted_error is not None:
        assert error is not None, f"gave {result!r}, not {wanted_error!r}"
        same = type(error) is public_class(wanted_error) or isinstance(error, NumbaError)
        # Where out does not fit either, any of the errors may come first.
        same = same or "out" in options
        assert same, f"raised {error!r}, not {wanted_error!r}"
        return
    assert error is None, (
        f"raised {type(error).__name__}: {first_line(error)}; NumPy gives {wanted!r}"
    )
    check = SPECIAL.get(name, check_value)
    kind = difference.kind if difference is not None else ""
    if kind == "float16":
        result, wanted, mine, theirs = map(rounded, (result, wanted, mine, theirs))
    check(result, wanted, kind in ("dtype", "copy"))
    check_value(mine, theirs, False, "arguments afterwards")
    if kind not in ("copy", "float16"):
        check_aliases(result, mine, wanted, theirs)
    if result_type is not None and isinstance(wanted, np.generic) and difference is None:
        check_scalar_type(result_type, wanted)


def first_line(error):
    return str(error).partition("\n")[0]


def public_class(error):
    """NumPy raises private subclasses of TypeError in ufuncs."""
    public = ("builtins", "numpy.exceptions", "numpy.linalg")
    return next(c for c in type(error).__mro__ if c.__module__ in public)


def check_scalar_type(result_type, wanted):
    """Scalars come to Python as int and float: the type inferred tells which."""
    text = str(result_type)
    dtype = {"bool": "boolean"}.get(wanted.dtype.name, wanted.dtype.name)
    expected = {dtype, wanted.dtype.name, "float64" if wanted.dtype.char == "e" else dtype}
    assert text in expected or text.startswith("array("), f"result is {text}, not {dtype}"


def kind_of(value):
    for kind, classes in {
        "bool": (bool, np.bool_),
        "int": (int, np.integer),
        "float": (float, np.floating),
        "complex": (complex, np.complexfloating),
    }.items():
        if isinstance(value, classes):
            return kind
    return type(value).__name__


def check_value(actual, expected, any_dtype=False, where="result"):
    """Equal up to rounding, through tuples and lists; a 0-d array may stand for a scalar."""
    if isinstance(expected, (tuple, list)):
        assert isinstance(actual, (tuple, list)), f"{where}: {actual!r} is not {expected!r}"
        assert len(actual) == len(expected), f"{where}: {actual!r} is not {expected!r}"
        for i, (a, b) in enumerate(zip(actual, expected)):
            check_value(a, b, any_dtype, f"{where}[{i}]")
    elif isinstance(expected, (np.ndarray, np.generic, bool, int, float, complex)):
        check_numbers(actual, expected, any_dtype, where)
    else:
        assert type(actual) is type(expected), f"{where}: {actual!r} is not {expected!r}"
        assert actual == expected, f"{where}: {actual!r} is not {expected!r}"


def check_numbers(actual, expected, any_dtype, where):
    a, b = np.asarray(actual), np.asarray(expected)
    assert a.shape == b.shape, f"{where}: shape {a.shape}, not {b.shape}"
    assert isinstance(actual, np.ndarray) or not b.ndim, f"{where}: {actual!r} is no array"
    if b.dtype.char != "e" and not any_dtype:  # numjit has no float16
        if isinstance(actual, np.ndarray) and isinstance(expected, (np.ndarray, np.generic)):
            assert a.dtype == b.dtype, f"{where}: {a.dtype}, not {b.dtype}"
        else:
            same = kind_of(a[()]) == kind_of(b[()])
            assert same, f"{where}: {actual!r} is not {expected!r}"
    close = are_close(a, b)
    assert close, f"{where}: {short(actual)} is not {short(expected)}"


def are_close(a, b):
    if a.dtype.kind not in "fc" and b.dtype.kind not in "fc":
        return np.array_equal(a, b, equal_nan=a.dtype.kind in "mM")
    tolerance = max(TOLERANCES.get(x.dtype.char, 0) for x in (a, b))
    if b.dtype.char == "e":  # it overflows early
        with np.errstate(all="ignore"):
            a = a.astype(b.dtype)
    sizes = np.abs(b[np.isfinite(b)])
    atol = tolerance * (sizes.max() if sizes.size else 0)
    with np.errstate(all="ignore"):
        return bool(np.all(np.isclose(a, b, rtol=tolerance, atol=atol, equal_nan=True)))


def short(value):
    text = repr(value).replace("\n", "")
    return text if len(text) < 400 else text[:400] + "..."


def rounded(value):
    """Arrays and scalars as float16."""
    if isinstance(value, tuple):
        return tuple(map(rounded, value))
    inexact = np.asarray(value).dtype.kind == "f"
    with np.errstate(all="ignore"):
        return np.asarray(value).astype("e") if inexact else value


def arrays_in(value):
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, (tuple, list)):
        return [a for item in value for a in arrays_in(item)]
    return []


def check_aliases(result, mine, wanted, theirs):
    """A result is a view of an argument where NumPy's is one, else memory of its own."""
    for i, (a, b) in enumerate(zip(arrays_in(result), arrays_in(wanted))):
        for x, y in zip(arrays_in(list(mine)), arrays_in(list(theirs))):
            if a.size and b.size:
                view, wanted_view = np.may_share_memory(a, x), np.may_share_memory(b, y)
                assert view == wanted_view, (
                    f"result {i} is {'' if view else 'not '}a view of an argument"
                )


# -- results that are determined up to phases ---------------------------------------------------


def without_phases(vectors):
    """Columns turned so that the greatest element of each is real and positive."""
    vectors = np.asarray(vectors)
    if not vectors.size:
        return vectors
    greatest = np.argmax(np.abs(vectors) > 0.999 * np.abs(vectors).max(axis=-2), axis=-2)
    pivots = np.take_along_axis(vectors, np.expand_dims(greatest, -2), -2)
    return vectors * np.conj(pivots) / np.abs(pivots)


def check_eigenvectors(actual, expected, any_dtype):
    check_value(actual[0], expected[0], any_dtype, "eigenvalues")
    check_value(without_phases(actual[1]), without_phases(expected[1]), any_dtype, "eigenvectors")


def check_svd(actual, expected, any_dtype):
    if not isinstance(expected, tuple):
        check_value(actual, expected, any_dtype)
        return
    check_value(actual[1], expected[1], any_dtype, "singular values")
    for got, wanted in (actual[0], expected[0]), (actual[2], expected[2]):
        assert got.shape == wanted.shape and got.dtype == wanted.dtype
        identity = np.eye(*np.intersect1d(got.shape, got.shape)[:1])
        product = got.conj().T @ got if got.shape[0] >= got.shape[1] else got @ got.conj().T
        assert np.allclose(product, identity[: len(product), : len(product)], atol=1e-4)
    k = actual[1].shape[-1]
    products = [(u[:, :k] * s) @ vh[:k] for u, s, vh in (actual, expected)]
    check_value(products[0], products[1], any_dtype, "u @ diag(s) @ vh")


def check_qr(actual, expected, any_dtype):
    if not isinstance(expected, tuple):
        check_value(np.abs(actual), np.abs(expected), any_dtype, "|r|")
        return
    for got, wanted, part in zip(actual, expected, "qr"):
        check_value(np.abs(got), np.abs(wanted), any_dtype, f"|{part}|")
    check_value(actual[0] @ actual[1], expected[0] @ expected[1], any_dtype, "q @ r")


def check_order_only_at_kth(actual, expected, any_dtype):
    """Elements on either side of the kth may be in any order."""
    if expected is None:
        assert actual is None
        return
    assert actual.shape == expected.shape
    check_value(np.sort(actual, axis=None), np.sort(expected, axis=None), any_dtype)


SPECIAL = {
    "numpy.partition": check_order_only_at_kth,
    "numpy.argpartition": check_order_only_at_kth,
    "Array.argpartition": check_order_only_at_kth,
    "numpy.linalg.eigh": check_eigenvectors,
    "numpy.linalg.eig": check_eigenvectors,
    "numpy.linalg.svd": check_svd,
    "numpy.linalg.qr": check_qr,
}
