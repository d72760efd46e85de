"""Functions of arrays of datetime64 and timedelta64: over their int64s, with NaT last."""

import numpy as np

from ..core.intrinsics import is_scalar, make_timedelta, refuse, time_kind, time_unit, time_value
from ..core.registry import function
from .statistics import number_reduced
from .times import GENERIC, NAT, convert_time, finer, number, of_kind, time_like

#: In texts of dtypes, by the number of a unit.
UNITS = (
    *("[Y]", "[M]", "[W]", "", "[D]", "[h]", "[m]", "[s]"),
    *("[ms]", "[us]", "[ns]", "[ps]", "[fs]", "[as]", ""),
)


def refuse_dates(unit):
    of = "ufunc 'add' cannot use operands with types dtype('<M8"
    refuse((of, unit, "') and dtype('<M8", unit, "')"))


def as_numbers(a):
    return np.asarray(a).view(np.int64)


def as_times(like, numbers):
    """Numbers as what `like` holds."""
    if is_scalar(numbers):
        return of_kind(like, numbers, time_unit(like))
    else:
        return numbers.view(like.dtype)


def unless_nat(lowest, numbers):
    """NaT where there was one."""
    if is_scalar(numbers):
        return NAT if lowest == NAT else numbers
    else:
        return np.where(lowest == NAT, NAT, numbers)


@function("numpy.min", when="times")
@function("numpy.amin", when="times")
@function("Array.min", when="times")
def time_array_min(a, axis=None, *, keepdims=False):
    return as_times(a, np.min(as_numbers(a), axis, keepdims=keepdims))


@function("numpy.max", when="times")
@function("numpy.amax", when="times")
@function("Array.max", when="times")
def time_array_max(a, axis=None, *, keepdims=False):
    numbers = as_numbers(a)
    greatest = np.max(numbers, axis, keepdims=keepdims)
    return as_times(a, unless_nat(np.min(numbers, axis, keepdims=keepdims), greatest))


@function("numpy.nanmin", when="times")
def time_array_nanmin(a):
    numbers = as_numbers(a)
    if numbers.size == 0:
        raise ValueError("zero-size array to reduction operation fmin which has no identity")
    # One less NaT is the greatest number.
    return as_times(a, np.min(nat_last(a)) + 1)


@function("numpy.nanmax", when="times")
def time_array_nanmax(a):
    numbers = as_numbers(a)
    if numbers.size == 0:
        raise ValueError("zero-size array to reduction operation fmax which has no identity")
    return as_times(a, np.max(numbers))


@function("numpy.median", when="times")
def time_array_median(a):
    """The mean of the two in the middle; NaT where there is one."""
    if time_kind(a) == "M":
        refuse_dates(UNITS[time_unit(a)])
    numbers = np.sort(as_numbers(a).flatten())
    n = numbers.size
    if n == 0 or numbers[0] == NAT:
        return as_times(a, NAT)
    total = numbers[(n - 1) // 2] + numbers[n // 2]
    half = total // 2 if total >= 0 else -(-total // 2)  # towards zero, as NumPy divides
    return as_times(a, half)


@function("numpy.sum", when="times")
@function("Array.sum", when="times")
def time_array_sum(a, axis=None, *, keepdims=False):
    if time_kind(a) == "M":
        refuse_dates(UNITS[time_unit(a)])
    else:
        numbers = as_numbers(a)
        total = np.sum(numbers, axis, keepdims=keepdims)
        if numbers.size == 0:
            return as_times(a, total)
        else:
            return as_times(a, unless_nat(np.min(numbers, axis, keepdims=keepdims), total))


@function("numpy.mean", when="times")
@function("Array.mean", when="times")
def time_array_mean(a, axis=None, *, keepdims=False):
    total = time_array_sum(a, axis, keepdims=keepdims)
    return total / number_reduced(a, axis, keepdims, True)


@function("numpy.cumsum", when="times")
@function("Array.cumsum", when="times")
def time_array_cumsum(a):
    if time_kind(a) == "M":
        refuse_dates(UNITS[time_unit(a)])
    numbers = as_numbers(a).flatten()
    total = 0
    for i in range(numbers.size):
        total = NAT if total == NAT or numbers[i] == NAT else total + numbers[i]
        numbers[i] = total
    return numbers.view(a.dtype)


@function("numpy.arange", when="times")
def time_arange(start, stop=None, step=None, dtype=None):
    if dtype is not None:
        return time_arange(start, stop, step).astype(dtype)
    if stop is None:
        if time_kind(start) == "M":
            raise ValueError("arange requires both a start and a stop for datetime64 ranges")
        return as_times(np.asarray(start), np.arange(time_value(start)))
    elif step is None:
        return time_numbers(start, stop, 1, finer(time_unit(start), time_unit(stop)))
    else:
        unit = finer(finer(time_unit(start), time_unit(stop)), time_unit(step))
        return time_numbers(start, stop, step, unit)


def time_numbers(start, stop, step, unit):
    first, end = number(start, unit), number(stop, unit)
    if time_kind(start) == "M" and time_kind(stop) != "M":  # counted from the start
        end += first
    like = np.asarray(of_kind(start, first, unit))
    return as_times(like, np.arange(first, end, number(step, unit)))


@function("numpy.argmin", when="times")
@function("Array.argmin", when="times")
def time_array_argmin(a):
    return np.argmin(as_numbers(a))


@function("numpy.argmax", when="times")
@function("Array.argmax", when="times")
def time_array_argmax(a):
    numbers = as_numbers(a)
    if np.min(numbers) == NAT:
        return np.argmin(numbers)
    else:
        return np.argmax(numbers)


def nat_last(a):
    """Numbers in the order in which NumPy sorts times: one less, of which NaT is the greatest."""
    return as_numbers(a) - 1


@function("numpy.sort", when="times")
def time_array_sort(a, axis=-1):
    return (np.sort(nat_last(a), axis) + 1).view(a.dtype)


@function("Array.sort", when="times")
def time_array_sort_in_place(a, axis=-1):
    a[...] = time_array_sort(a, axis)


@function("numpy.argsort", when="times")
@function("Array.argsort", when="times")
def time_array_argsort(a, axis=-1, kind="quicksort"):
    return np.argsort(nat_last(a), axis, kind)


@function("numpy.unique", when="times")
def time_array_unique(a):
    return (np.unique(nat_last(a)) + 1).view(a.dtype)


@function("numpy.searchsorted", when="times")
def time_array_searchsorted(a, v, side="left"):
    if is_scalar(v):
        return np.searchsorted(nat_last(a), number(v, time_unit(a)) - 1, side)
    else:
        return np.searchsorted(nat_last(a), nat_last(v.astype(a.dtype)), side)


@function("Array.astype", when="times", lazy=True)
def time_array_astype(a, dtype):
    if time_kind(dtype) == "":
        return as_numbers(a).astype(dtype)
    else:
        return time_like(a, convert_time(make_timedelta(0, GENERIC), dtype))
