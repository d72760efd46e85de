"""The programs that tests/numpy makes of the parameters of NumPy's functions, over
device arrays."""

import pathlib
import sys
import types
import warnings

import numjit.cupy as cp
import numpy as np

_package = types.ModuleType("numpy_cases")  # tests/numpy, whose name is NumPy's own
_package.__path__ = [str(pathlib.Path(__file__).parents[1] / "numpy")]
sys.modules.setdefault("numpy_cases", _package)

from language.support import clone  # noqa: E402
from numpy_cases.cases import cases_of, identifier  # noqa: E402, F401
from numpy_cases.comparison import (  # noqa: E402
    SPECIAL,
    check_value,
    public_class,
    short,
)


def device_array(array):
    """The same elements on the device, contiguous, in F order, reversed or with gaps as they
    are."""
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


def check(name, got, want, any_dtype=False):
    if not any_dtype:
        check_types(got, want)
    special = SPECIAL.get(name)
    if special is not None:
        special(to_host(got), want, any_dtype)
    else:
        check_value(to_host(got), want, any_dtype)


def outcome_of(name, case, call, difference=""):
    """None if a call does on the device what it does in NumPy, else what differs."""
    f = case.program()
    on_device = types.FunctionType(f.__code__, {"np": cp}, f.__name__)
    theirs = clone(call.arguments())
    memo = {}
    mine = tuple(to_device(each, memo) for each in clone(call.arguments()))
    want, expected = attempt(f, theirs)
    got, error = attempt(on_device, mine)
    try:
        if expected is not None:
            if difference == "lenient":
                return None
            if error is None:
                attempt(lambda: to_host(got), ())
                return f"gave {short(got)}, not {expected!r}"
            same = isinstance(error, public_class(expected)) or (
                isinstance(expected, type(error)) or "out" in case.chosen
            )
            return None if same else f"raised {error!r}, not {expected!r}"
        if error is not None:
            return f"raised {error!r}; NumPy gives {short(want)}"
        check(name, got, want, difference == "dtype")
        for one, other in zip(mine, theirs):
            if isinstance(one, cp.ndarray):
                check_value(to_host(one), other, False, "arguments afterwards")
    except AssertionError as failure:
        return str(failure)
    return None
