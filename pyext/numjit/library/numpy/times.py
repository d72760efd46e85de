"""np.datetime64 and np.timedelta64: int64s with a unit in their type.

Everything is a function of two scalars; `map_elements` makes element-wise expressions of them.
Units are compile-time constants, so what they decide costs nothing.
"""

import numpy as np

from ..core.intrinsics import (
    cast,
    make_datetime,
    make_timedelta,
    map_elements,
    refuse,
    time_kind,
    time_unit,
    time_value,
)
from ..core.registry import function

NAT = -9223372036854775808
MONTH, WEEK, DAY, GENERIC = 1, 2, 4, 14
#: How many of the next unit one of a unit has: years, months, weeks, (none), days, hours, ...
NEXT = (12, 0, 7, 1, 24, 60, 60, 1000, 1000, 1000, 1000, 1000, 1000)


def factor(coarse, fine):
    """How many of the finer unit one of the coarser unit has."""
    if coarse == fine:
        return 1
    else:
        return NEXT[coarse] * factor(coarse + 1, fine)


def days_of_months(months):
    """Days from 1970-01-01 to the first day of a month, counted from January 1970."""
    year, month = 1970 + months // 12, months % 12 + 1
    if month <= 2:
        year -= 1
    era = year // 400
    of_era = year - era * 400
    of_year = (153 * ((month + 9) % 12) + 2) // 5
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468


def months_of_days(days):
    """Months from January 1970 to the month of a day."""
    days += 719468
    era = days // 146097
    of_era = days - era * 146097
    year = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153  # from March on
    return (year + era * 400 - 1970) * 12 + month + 2


def rescaled(value, unit, to):
    """A number of units as one of another unit, both of fixed length; rounded down."""
    if unit <= to:
        return value * factor(unit, to)
    else:
        return value // factor(to, unit)


def date_in(value, unit, to):
    """A datetime64's number in another unit."""
    if unit == to or unit == GENERIC or to == GENERIC:
        return value
    elif value == NAT:
        return NAT
    elif unit <= MONTH and to > MONTH:
        return rescaled(days_of_months(rescaled(value, unit, MONTH)), DAY, to)
    elif unit > MONTH and to <= MONTH:
        return rescaled(months_of_days(rescaled(value, unit, DAY)), MONTH, to)
    else:
        return rescaled(value, unit, to)


def delta_in(value, unit, to):
    """A timedelta64's number in another unit; NumPy rounds towards zero here."""
    if unit == to or unit == GENERIC or to == GENERIC:
        return value
    elif (unit <= MONTH) != (to <= MONTH):
        refuse("Cannot cast timedelta64 between units of years or months and shorter ones")
    elif value == NAT:
        return NAT
    elif unit < to:
        return value * factor(unit, to)
    else:
        whole = factor(to, unit)
        return value // whole if value >= 0 else -(-value // whole)


def finer(a, b):
    """The unit in which two values meet."""
    if a == GENERIC:
        return b
    elif b == GENERIC or a > b:
        return a
    else:
        return b


def number(x, unit):
    """The number of units in a value, an integer, or a value of another unit."""
    if time_kind(x) == "M":
        return date_in(time_value(x), time_unit(x), unit)
    elif time_kind(x) == "m":
        return delta_in(time_value(x), time_unit(x), unit)
    else:
        return time_value(x)


@function("numjit.convert_time")
def convert_time(x, dtype):
    """The same moment or duration in the unit of a dtype."""
    if time_kind(dtype) == "M":
        return make_datetime(number(x, time_unit(dtype)), time_unit(dtype))
    else:
        return make_timedelta(number(x, time_unit(dtype)), time_unit(dtype))


# -- arithmetic ------------------------------------------------------------------------------------


def check_whole(x):
    """Beside times only integers count."""
    if isinstance(x, (float, complex)):
        refuse("No implementation of this operator for a time and a number that is no integer")


def check_factor(x):
    """Durations are multiplied with and divided by integers and floats."""
    if isinstance(x, complex):
        refuse("No implementation of this operator for a time and a complex number")


def check_divisor(x):
    if isinstance(x, bool):
        refuse("No implementation of this operator for a time and a bool")
    check_factor(x)


def either_nat(a, b):
    return a == NAT or b == NAT


def add(x, y):
    check_whole(x)
    check_whole(y)
    unit = finer(time_unit(x), time_unit(y))
    a, b = number(x, unit), number(y, unit)
    value = NAT if either_nat(a, b) else a + b
    if time_kind(x) == "M" and time_kind(y) == "M":
        refuse("No implementation of function operator.add for two datetime64 values")
    elif time_kind(x) == "M" or time_kind(y) == "M":
        return make_datetime(value, unit)
    else:
        return make_timedelta(value, unit)


def subtract(x, y):
    check_whole(x)
    check_whole(y)
    unit = finer(time_unit(x), time_unit(y))
    a, b = number(x, unit), number(y, unit)
    value = NAT if either_nat(a, b) else a - b
    if time_kind(x) != "M" and time_kind(y) == "M":
        refuse("No implementation of function operator.sub for a timedelta64 and a datetime64")
    elif time_kind(x) == "M" and time_kind(y) != "M":
        return make_datetime(value, unit)
    else:
        return make_timedelta(value, unit)


def multiply(x, y):
    check_factor(x)
    check_factor(y)
    if time_kind(x) == "":
        return multiply(y, x)
    elif time_kind(x) != "m" or time_kind(y) != "":
        refuse("No implementation of function operator.mul for these datetime64 operands")
    elif isinstance(y, float):
        scaled = time_value(x) * y
        missing = time_value(x) == NAT or not np.isfinite(scaled)
        return make_timedelta(NAT if missing else int(scaled), time_unit(x))
    else:
        value = time_value(x)
        return make_timedelta(NAT if value == NAT else value * np.int64(y), time_unit(x))


def true_divide(x, y):
    check_divisor(y)
    if time_kind(x) != "m" or time_kind(y) == "M":
        refuse("No implementation of function operator.truediv for these datetime64 operands")
    elif time_kind(y) == "m":
        unit = finer(time_unit(x), time_unit(y))
        a, b = number(x, unit), number(y, unit)
        if either_nat(a, b):
            return np.nan
        elif b == 0:
            return np.nan if a == 0 else np.copysign(np.inf, float(a))
        else:
            return a / b
    elif isinstance(y, float):
        value = time_value(x)
        missing = value == NAT or y == 0.0 or not np.isfinite(value / y)
        return make_timedelta(NAT if missing else int(value / y), time_unit(x))
    else:
        return make_timedelta(truncated(time_value(x), np.int64(y)), time_unit(x))


def truncated(a, b):
    """a / b rounded towards zero; NaT where there is no quotient."""
    if a == NAT or b == 0:
        return NAT
    elif (a < 0) == (b < 0):
        return abs(a) // abs(b)
    else:
        return -(abs(a) // abs(b))


def floor_divide(x, y):
    if time_kind(x) != "m" or time_kind(y) == "M":
        refuse("No implementation of function operator.floordiv for these datetime64 operands")
    elif time_kind(y) == "m":
        unit = finer(time_unit(x), time_unit(y))
        a, b = number(x, unit), number(y, unit)
        # NumPy's int64, which wraps around where constants are computed, too.
        return np.int64(0) if either_nat(a, b) or b == 0 else np.int64(a // b)
    else:  # by a number NumPy rounds towards zero here, too
        return true_divide(x, y)


def remainder(x, y):
    if time_kind(x) != "m" or time_kind(y) != "m":
        refuse("No implementation of function operator.mod for these datetime64 operands")
    else:
        unit = finer(time_unit(x), time_unit(y))
        a, b = number(x, unit), number(y, unit)
        return make_timedelta(NAT if either_nat(a, b) or b == 0 else a % b, unit)


def check_duration(x):
    if time_kind(x) == "M":
        refuse("No implementation of this operator for a datetime64")


def negative(x):
    check_duration(x)
    value = time_value(x)
    return make_timedelta(-value, time_unit(x))  # -NaT is NaT


def positive(x):
    check_duration(x)
    return make_timedelta(time_value(x), time_unit(x))


def absolute(x):
    check_duration(x)
    value = time_value(x)
    return make_timedelta(-value if value < 0 else value, time_unit(x))


def sign(x):
    value = time_value(x)
    return np.nan if value == NAT else float(value > 0) - float(value < 0)


# -- comparison ------------------------------------------------------------------------------------


def check_comparable(x, y):
    if time_kind(x) != time_kind(y) and time_kind(x) != "" and time_kind(y) != "":
        refuse("No implementation of function comparison for a datetime64 and a timedelta64")
    elif time_kind(x) != time_kind(y) and (time_kind(x) == "M" or time_kind(y) == "M"):
        refuse("No implementation of function comparison for a datetime64 and a number")


def equal(x, y):
    check_comparable(x, y)
    unit = finer(time_unit(x), time_unit(y))
    a, b = number(x, unit), number(y, unit)
    return a == b and a != NAT


def not_equal(x, y):
    return not equal(x, y)


def less(x, y):
    check_comparable(x, y)
    unit = finer(time_unit(x), time_unit(y))
    a, b = number(x, unit), number(y, unit)
    return a < b and a != NAT  # b is not NaT: that is the least number


def less_equal(x, y):
    check_comparable(x, y)
    unit = finer(time_unit(x), time_unit(y))
    a, b = number(x, unit), number(y, unit)
    return a <= b and a != NAT


def greater(x, y):
    return less(y, x)


def greater_equal(x, y):
    return less_equal(y, x)


def is_nat(x):
    return time_value(x) == NAT


def is_not_nat(x):
    return time_value(x) != NAT


def never(x):
    return False


def minimum(x, y):
    unit = finer(time_unit(x), time_unit(y))
    a, b = number(x, unit), number(y, unit)
    return of_kind(x, min(a, b), unit)  # NaT is the least number, and wins


def maximum(x, y):
    unit = finer(time_unit(x), time_unit(y))
    a, b = number(x, unit), number(y, unit)
    return of_kind(x, NAT if either_nat(a, b) else max(a, b), unit)


def fmin(x, y):
    unit = finer(time_unit(x), time_unit(y))
    a, b = number(x, unit), number(y, unit)
    return of_kind(x, max(a, b) if either_nat(a, b) else min(a, b), unit)


def fmax(x, y):
    unit = finer(time_unit(x), time_unit(y))
    return of_kind(x, max(number(x, unit), number(y, unit)), unit)


def python_min(x, y):
    return y if less(y, x) else x


def python_max(x, y):
    return y if less(x, y) else x


def of_kind(like, value, unit):
    """A number of units as a value like another one."""
    if time_kind(like) == "M":
        return make_datetime(value, unit)
    else:
        return make_timedelta(value, unit)


# -- names -----------------------------------------------------------------------------------------


@function("numjit.time_add", lazy=True)
def time_add(x, y):
    return map_elements(add, (), x, y)


@function("numjit.time_sub", lazy=True)
def time_sub(x, y):
    return map_elements(subtract, (), x, y)


@function("numjit.time_mul", lazy=True)
def time_mul(x, y):
    return map_elements(multiply, (), x, y)


@function("numjit.time_truediv", lazy=True)
def time_truediv(x, y):
    return map_elements(true_divide, (), x, y)


@function("numjit.time_floordiv", lazy=True)
def time_floordiv(x, y):
    return map_elements(floor_divide, (), x, y)


@function("numjit.time_mod", lazy=True)
def time_mod(x, y):
    return map_elements(remainder, (), x, y)


@function("numjit.time_eq", lazy=True)
def time_eq(x, y):
    return map_elements(equal, (), x, y)


@function("numjit.time_ne", lazy=True)
def time_ne(x, y):
    return map_elements(not_equal, (), x, y)


@function("numjit.time_lt", lazy=True)
def time_lt(x, y):
    return map_elements(less, (), x, y)


@function("numjit.time_le", lazy=True)
def time_le(x, y):
    return map_elements(less_equal, (), x, y)


@function("numjit.time_gt", lazy=True)
def time_gt(x, y):
    return map_elements(greater, (), x, y)


@function("numjit.time_ge", lazy=True)
def time_ge(x, y):
    return map_elements(greater_equal, (), x, y)


@function("numjit.time_neg", lazy=True)
def time_neg(x):
    return map_elements(negative, (), x)


@function("numjit.time_pos", lazy=True)
def time_pos(x):
    return map_elements(positive, (), x)


@function("numjit.time_abs", lazy=True)
def time_abs(x):
    return map_elements(absolute, (), x)


@function("numjit.time_sign", lazy=True)
def time_sign(x):
    return map_elements(sign, (), x)


@function("numjit.time_minimum", lazy=True)
def time_minimum(x, y):
    return map_elements(minimum, (), x, y)


@function("numjit.time_maximum", lazy=True)
def time_maximum(x, y):
    return map_elements(maximum, (), x, y)


@function("numjit.time_fmin", lazy=True)
def time_fmin(x, y):
    return map_elements(fmin, (), x, y)


@function("numjit.time_fmax", lazy=True)
def time_fmax(x, y):
    return map_elements(fmax, (), x, y)


@function("numjit.time_min", lazy=True)
def time_min(x, y):
    return map_elements(python_min, (), x, y)


@function("numjit.time_max", lazy=True)
def time_max(x, y):
    return map_elements(python_max, (), x, y)


def as_unit_of(x, like):
    return of_kind(like, number(x, time_unit(like)), time_unit(like))


@function("numjit.time_like", lazy=True)
def time_like(x, like):
    """Times or integers in the unit of another time."""
    return map_elements(as_unit_of, (), x, like)


@function("numpy.isnat", lazy=True)
def isnat(x: "times"):
    if time_kind(x) == "":
        refuse("ufunc 'isnat' is only defined for np.datetime64 and np.timedelta64.")
    else:
        return map_elements(is_nat, (), x)


@function("numjit.time_isnan", lazy=True)
def time_isnan(x):
    return map_elements(is_nat, (), x)


@function("numjit.time_isfinite", lazy=True)
def time_isfinite(x):
    return map_elements(is_not_nat, (), x)


@function("numjit.time_isinf", lazy=True)
def time_isinf(x):
    return map_elements(never, (), x)


@function("numjit.time_select", lazy=True)
@function("numjit.select_items", lazy=True)
def select_items(condition, x, y):
    """np.where for what is no number."""
    return map_elements(chosen, (), condition, x, y)


def chosen(condition, x, y):
    return x if condition else y


@function("Datetime.astype")
@function("Timedelta.astype")
def time_astype(x, dtype):
    if time_kind(dtype) == "":
        return cast(time_value(x), dtype)
    else:
        return convert_time(x, dtype)


@function("Datetime.view")
@function("Timedelta.view")
def time_view(x, dtype):
    return cast(time_value(x), dtype)


# -- texts ----------------------------------------------------------------------------------------

HOUR, MINUTE, SECOND = 5, 6, 7
