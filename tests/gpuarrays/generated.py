"""The programs that tests/numpy makes of the parameters of NumPy's functions, over device arrays,
and where they differ from NumPy on purpose."""

import pathlib
import sys
import types
import warnings
from fnmatch import fnmatchcase

import numjit.cupy as cp
import numpy as np

_package = types.ModuleType("numpy_cases")  # tests/numpy, whose name is NumPy's own
_package.__path__ = [str(pathlib.Path(__file__).parents[1] / "numpy")]
sys.modules.setdefault("numpy_cases", _package)

from language.support import clone  # noqa: E402
from numpy_cases.comparison import SPECIAL, check_value, public_class, short  # noqa: E402
from numpy_cases.differences import CHECKS_ACCUMULATIONS  # noqa: E402


def beyond(call):
    """Whether an index lies beyond the end of what it indexes, or a mask is too long."""
    sizes = [np.size(each) for each in call.arguments() if np.ndim(each)]
    return any(1000 in np.asarray(each) for each in call.arguments() if np.ndim(each)) or (
        len(sizes) > 1
    )


def always(call):
    return True


def given(*words):
    """Whether one of these stands in the label of a combination."""
    return lambda call: any(word in call.case.label for word in words)


def first_is(condition):
    return lambda call: bool(call.values) and condition(np.asarray(call.first))


def scalar_first(call):
    return bool(call.values) and np.ndim(call.first) == 0


def huge_sum(call):
    """Sums of huge numbers that cancel, in single precision: what is left is rounding."""
    return "complex64" in call.case.label and np.asarray(call.first).dtype == np.int64


def unholdable(call):
    """Whether floats that no integer is become integers."""
    first = call.first if call.values else None
    return (
        "dtype=np.int" in call.case.label
        and isinstance(first, np.ndarray)
        and first.dtype.kind == "f"
        and not (np.abs(first) < 2.0**31).all()
    )


def rounds_up_to_2_63(call):
    first = np.asarray(call.first)
    return "decimals=-" in call.case.label and first.dtype == np.int64 and first.max() > 2**62


#: (names, kind, reason, when). Kinds: "types": only dtypes and shapes are compared; "lenient": what
#: NumPy refuses gives a result; "refused": what NumPy computes is refused; "unlike": not compared;
#: "sorted": elements may be in another order.
DIFFERENCES = [
    ("numpy.random.multivariate_normal", "refused", "CuPy's default factors by Cholesky's method",
     lambda call: np.linalg.det(np.asarray(call.values[1], float)) <= 0
     or call.values[1].shape[0] != call.values[1].shape[1]),
    ("numpy.random.*", "types", "sequences are not NumPy's", always),
    ("numpy.take", "lenient", "indices beyond the end wrap, as in CuPy", beyond),
    ("Array.take", "lenient", "indices beyond the end wrap, as in CuPy", beyond),
    ("*.put", "lenient", "indices beyond the end wrap; nothing on a device is read-only", always),
    ("*.compress", "lenient", "indices beyond the end wrap", always),
    ("numpy.extract", "lenient", "indices beyond the end wrap", always),
    ("numpy.insert", "lenient", "indices beyond the end wrap", beyond),
    ("numpy.delete", "lenient", "indices beyond the end wrap", beyond),
    ("numpy.choose", "unlike", "NumPy reads an out= with gaps wrongly", given("out=strided")),
    ("numpy.clip", "lenient", "each limit may be left out, as in the method", always),
    ("numpy.array", "lenient", "what is on the host is always copied", given("copy=False")),
    ("numpy.asarray", "lenient", "copy=False copies where it has to", given("copy=False")),
    ("*.argpartition", "refused", "CuPy sorts no array without axes",
     lambda call: scalar_first(call) and "None" not in call.case.label),
    ("Array.partition", "sorted", "elements on either side of the kth may be in any order", always),
    ("numpy.unique", "sorted", "sorted=False gives any order", given("sorted=False")),
    ("numpy.*share*_memory", "unlike", "arguments come to the device one by one", always),
    ("numpy.isnat", "refused", "device arrays hold no dates", always),
    ("numpy.*busday*", "refused", "device arrays hold no dates", always),
    ("numpy.frombuffer", "refused", "a device array is no buffer of the host", always),
    ("numpy.vectorize", "refused", "CuPy's vectorize takes functions of Python", always),
    ("numpy.polynomial.polynomial.Polynomial", "refused", "CuPy has no such class", always),
    ("numpy.lib.array_utils.*", "refused", "CuPy has no such module", always),
    ("numpy.fft.irfft", "unlike", "NumPy reads memory that nobody wrote",
     first_is(lambda a: not a.size)),
    ("*cum*", "unlike", "NumPy 2.5.2 does not check the shape of out",
     lambda call: "out=misshapen" in call.case.label and not CHECKS_ACCUMULATIONS),
    ("*.mean", "unlike", "the order of a sum", huge_sum),
    ("*sum", "unlike", "the order of a sum", huge_sum),
    ("*.round", "lenient", "one pass has no dtype in between", given("out=")),
    ("Array.sort", "unlike", "NumPy's error for an array without axes", scalar_first),
    ("numpy.nanstd", "refused", "a standard deviation that is no float, of an array without axes",
     given("dtype=np.bool_", "dtype=np.int32")),
    ("numpy.nan[sv]??", "types", "deviations are rounded to complex64 in between",
     lambda call: "dtype=np.float64" in call.case.label and call.first.dtype == np.complex64),
    ("numpy.fft.hfft", "unlike", "NumPy reads memory that nobody wrote",
     first_is(lambda a: not a.size)),
    ("*", "types", "integers hold no such number: each processor makes its own of it", unholdable),
    ("*.round", "types", "the same, after the division by a power of ten", rounds_up_to_2_63),
    ("*.around", "types", "the same", rounds_up_to_2_63),
]  # fmt: skip


def difference_of(name, call):
    for names, kind, _, when in DIFFERENCES:
        if fnmatchcase(name, names) and when(call):
            return kind
    return ""


def device_array(array):
    """The same elements on the device, in C or F order, reversed or with gaps, as they are."""
    if array.flags.c_contiguous:
        return cp.array(array)
    if array.flags.f_contiguous:
        return cp.array(array.T).T
    turn = tuple(slice(None, None, -1 if step < 0 else 1) for step in array.strides)
    straight = array[turn]
    if straight.flags.c_contiguous:
        return cp.array(straight)[turn]
    if straight.flags.f_contiguous:
        return cp.array(straight.T).T[turn]
    if array.ndim > 1 and abs(array.strides[-1]) == array.itemsize:
        return cp.array(np.repeat(straight, 2, axis=0))[::2][turn]
    return cp.array(np.repeat(straight, 2, axis=-1))[..., ::2][turn]


def to_device(value, memo):
    """Arguments with device arrays for arrays; what is one array stays one."""
    if isinstance(value, np.ndarray):
        if id(value) not in memo:
            memo[id(value)] = device_array(value) if value.dtype.kind in "biufc" else value
        return memo[id(value)]
    if isinstance(value, (tuple, list)):
        return type(value)(to_device(each, memo) for each in value)
    return value


def to_host(value):
    if isinstance(value, cp.ndarray):
        return value.get()
    if isinstance(value, (tuple, list)):
        found = [to_host(each) for each in value]
        return tuple(found) if isinstance(value, tuple) else found
    return value


def attempt(f, arguments):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return f(*arguments), None
        except Exception as error:
            return None, error


def check_types(got, want, where="result"):
    """Arrays and NumPy's scalars are device arrays of the same dtype and shape."""
    if isinstance(want, (tuple, list)):
        assert isinstance(got, (tuple, list)), f"{where}: {got!r} is not {want!r}"
        assert len(got) == len(want), f"{where}: {len(got)} results, not {len(want)}"
        for i, (one, other) in enumerate(zip(got, want)):
            check_types(one, other, f"{where}[{i}]")
    elif isinstance(want, (np.ndarray, np.generic)):
        assert isinstance(got, (cp.ndarray, np.generic)), f"{where}: {type(got)}, no device array"
        assert got.dtype == want.dtype, f"{where}: {got.dtype}, not {want.dtype}"
        assert got.shape == want.shape, f"{where}: shape {got.shape}, not {want.shape}"


def ordered(value):
    """Elements in order, of results that have none."""
    if isinstance(value, tuple):
        return tuple(map(ordered, value))
    return np.sort(value, axis=None)


def same_error(error, expected, chosen):
    # Where out does not fit either, any of the errors may come first.
    return isinstance(error, public_class(expected)) or isinstance(expected, type(error)) or (
        "out" in chosen
    )  # fmt: skip


def outcome_of(name, call):
    """None if a call does on the device what it does in NumPy, else what differs."""
    case, kind = call.case, difference_of(name, call)
    f = case.program()
    on_device = types.FunctionType(f.__code__, {"np": cp}, f.__name__)
    theirs, memo = clone(call.arguments()), {}
    mine = tuple(to_device(each, memo) for each in clone(call.arguments()))
    want, expected = attempt(f, theirs)
    got, error = attempt(on_device, mine)
    if kind == "unlike":
        return None
    try:
        if expected is not None:
            if error is None:
                return None if kind == "lenient" else f"gave {short(got)}, not {expected!r}"
            if kind == "refused" or same_error(error, expected, case.chosen):
                return None
            return f"raised {error!r}, not {expected!r}"
        if error is not None:
            return None if kind == "refused" else f"raised {error!r}; NumPy gives {short(want)}"
        if kind == "refused":
            return f"gave {short(got)}: delete the row of DIFFERENCES"
        check_types(got, want)
        if kind == "types":
            return None
        got, mine = to_host(got), [to_host(each) for each in mine]
        if kind == "sorted":
            want, got = (None, None) if want is None else (ordered(want), ordered(got))
            theirs = [ordered(each) if np.ndim(each) else each for each in theirs]
            mine = [ordered(each) if np.ndim(each) else each for each in mine]
        (SPECIAL.get(name) or check_value)(got, want, False)
        for one, other in zip(mine, theirs):
            if isinstance(other, np.ndarray):
                check_value(one, other, False, "arguments afterwards")
    except AssertionError as failure:
        return str(failure)
    return None
