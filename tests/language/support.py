"""Comparison of compiled functions with the interpreter."""

import math

import numpy as np
from numjit import njit


def compiled(f, **options):
    """njit(f), the same one each time a test asks."""
    cache = f.__dict__.setdefault("compiled", {})
    key = tuple(sorted(options.items()))
    if key not in cache:
        cache[key] = njit(**options)(f) if options else njit(f)
    return cache[key]


def result_type(f):
    """Text of the result type that the latest call of compiled(f) was compiled for."""
    return str(compiled(f).nopython_signatures[-1].return_type)


# -- copies of arguments -----------------------------------------------------------------------


def _clone_array(array, memo):
    """A copy with the same strides over a copy of the same memory: views stay views."""
    root = array
    while isinstance(root.base, np.ndarray):
        root = root.base
    if id(root) not in memo:
        memo[id(root)] = (root.copy(order="K"), root)
    copy = memo[id(root)][0]
    if copy.strides != root.strides:
        return array.copy(order="K")
    if array is root:
        copy.flags.writeable = array.flags.writeable
        return copy
    offset = array.__array_interface__["data"][0] - root.__array_interface__["data"][0]
    memory = copy if copy.flags.c_contiguous else copy.T
    view = np.ndarray(array.shape, array.dtype, memory, offset, array.strides)
    view.flags.writeable = array.flags.writeable
    return view


def clone(value, memo=None):
    """A deep copy; arrays and lists that occur twice stay one object."""
    memo = {} if memo is None else memo
    if isinstance(value, np.ndarray):
        return _clone_array(value, memo)
    if isinstance(value, list):
        if id(value) not in memo:
            memo[id(value)] = ([clone(item, memo) for item in value], value)
        return memo[id(value)][0]
    if isinstance(value, set):
        return memo.setdefault(id(value), (set(value), value))[0]
    if isinstance(value, tuple):
        items = [clone(item, memo) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value


# -- equality ----------------------------------------------------------------------------------


def same_float(a, b, rtol=0.0):
    """Equal as results: NaN is NaN, zeros have signs."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    if a == b:
        return a != 0 or math.copysign(1, a) == math.copysign(1, b) or rtol > 0
    return rtol > 0 and abs(a - b) <= rtol * max(abs(a), abs(b), 1e-300)


def same_complex(a, b, rtol=0.0):
    if same_float(a.real, b.real, rtol) and same_float(a.imag, b.imag, rtol):
        return True
    return rtol > 0 and abs(a - b) <= rtol * max(abs(a), abs(b))


def _kind(value):
    if isinstance(value, (bool, np.bool_)):
        return "bool"
    if isinstance(value, (int, np.integer)):
        return "int"
    if isinstance(value, (float, np.floating)):
        return "float"
    if isinstance(value, (complex, np.complexfloating)):
        return "complex"
    return type(value).__name__


def check_array(actual, expected, rtol=0.0, where="result"):
    assert isinstance(actual, np.ndarray), f"{where}: {type(actual)}, not an array"
    assert actual.dtype == expected.dtype, f"{where}: {actual.dtype}, not {expected.dtype}"
    assert actual.shape == expected.shape, f"{where}: {actual.shape}, not {expected.shape}"
    if expected.dtype.kind in "fc":
        close = np.isclose(actual, expected, rtol=rtol, atol=0, equal_nan=True)
        if not rtol:
            parts = ("real", "imag") if expected.dtype.kind == "c" else ("real",)
            for part in parts:
                a, b = getattr(actual, part), getattr(expected, part)
                close = close & ((np.signbit(a) == np.signbit(b)) | (b != 0))
        assert np.all(close), f"{where}: {actual} is not {expected}"
    else:
        assert np.array_equal(actual, expected), f"{where}: {actual} is not {expected}"


def check_same(actual, expected, rtol=0.0, where="result"):
    """Values, kinds of numbers, dtypes and shapes agree, through tuples, lists, dicts and sets; the
    order of dicts does, that of sets does not."""
    if isinstance(expected, np.ndarray):
        check_array(actual, expected, rtol, where)
        return
    if isinstance(expected, (tuple, list)):
        assert type(actual) is type(expected), f"{where}: {actual!r} is not {expected!r}"
        assert len(actual) == len(expected), f"{where}: {actual!r} is not {expected!r}"
        for i, (a, b) in enumerate(zip(actual, expected)):
            check_same(a, b, rtol, f"{where}[{i}]")
        return
    if isinstance(expected, dict):
        assert type(actual).__name__ == "Dict", f"{where}: {actual!r} is not {expected!r}"
        check_same(list(actual.items()), list(expected.items()), rtol, where)
        return
    if isinstance(expected, set):
        assert type(actual) is set, f"{where}: {actual!r} is not {expected!r}"
        check_same(sorted(actual), sorted(expected), rtol, where)
        return
    assert _kind(actual) == _kind(expected), f"{where}: {actual!r} is not {expected!r}"
    if _kind(expected) == "float":
        same = same_float(float(actual), float(expected), rtol)
    elif _kind(expected) == "complex":
        same = same_complex(complex(actual), complex(expected), rtol)
    else:
        same = actual == expected
    assert same, f"{where}: {actual!r} is not {expected!r}"


# -- the comparison ----------------------------------------------------------------------------


def _outcome(f, args):
    try:
        return f(*args), None
    except Exception as error:
        return None, error


def assert_same(f, *args, rtol=0.0, **options):
    """The compiled function gives, raises and changes what the plain one does; its result."""
    mine, theirs = clone(args), clone(args)
    with np.errstate(all="ignore"):
        expected, expected_error = _outcome(f, theirs)
    actual, error = _outcome(compiled(f, **options), mine)
    if expected_error is not None:
        if error is None:
            raise AssertionError(f"gave {actual!r}, not {expected_error!r}") from expected_error
        if type(error) is not type(expected_error):
            raise error
        return None
    if error is not None:
        raise error
    check_same(actual, expected, rtol)
    check_same(mine, theirs, rtol, "arguments afterwards")
    return actual


class Programs(dict):
    """Functions by name, each with the arguments of a call."""

    def add(self, *args):
        """A decorator that enters a function."""

        def enter(function):
            self[function.__name__] = function, args
            return function

        return enter


# -- expressions as text -----------------------------------------------------------------------


def expression(text):
    """The function of up to three arguments a, b, c that a text computes with NumPy."""
    return eval(f"lambda a, b=None, c=None: ({text})", {"np": np})


def check(text, *args, rtol=1e-12):
    """assert_same of an expression."""
    return assert_same(expression(text), *args, rtol=rtol)
