"""The text of datetime64 and timedelta64: ISO 8601 as far as the unit goes, or a count of units."""

from ..core.intrinsics import time_unit, time_value
from ..core.registry import function
from .times import (
    DAY,
    GENERIC,
    HOUR,
    MINUTE,
    MONTH,
    NAT,
    SECOND,
    days_of_months,
    factor,
    months_of_days,
)

CODES = ("Y", "M", "W", "B", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as")
WORDS = (
    ("years", "months", "weeks", "business days", "days", "hours", "minutes", "seconds")
    + ("milliseconds", "microseconds", "nanoseconds", "picoseconds", "femtoseconds")
    + ("attoseconds",)
)


@function("Datetime.__str__", inline=False)
def text_of_datetime(x):
    value, unit = time_value(x), time_unit(x)
    if value == NAT or unit == GENERIC:
        return "NaT"
    elif unit == 0:
        return f"{1970 + value:04}"
    elif unit == MONTH:
        return text_of_month(value)
    elif unit <= DAY:
        return text_of_day(value * factor(unit, DAY))
    elif unit <= SECOND:
        return text_of_clock(value * factor(unit, SECOND), unit)
    else:
        parts = factor(SECOND, unit)
        fraction = str(value % parts).zfill(3 * (unit - SECOND))
        return text_of_clock(value // parts, SECOND) + "." + fraction


def text_of_month(months):
    return f"{1970 + months // 12:04}-{months % 12 + 1:02}"


def text_of_day(days):
    months = months_of_days(days)
    return f"{text_of_month(months)}-{days - days_of_months(months) + 1:02}"


def text_of_clock(seconds, unit):
    rest = seconds % 86400
    hours = f"{text_of_day(seconds // 86400)}T{rest // 3600:02}"
    if unit == HOUR:
        return hours
    elif unit == MINUTE:
        return f"{hours}:{rest // 60 % 60:02}"
    else:
        return f"{hours}:{rest // 60 % 60:02}:{rest % 60:02}"


@function("Datetime.__repr__", inline=False)
def repr_of_datetime(x):
    unit = time_unit(x)
    if unit == GENERIC:
        return "np.datetime64('NaT','generic')"
    elif unit == HOUR or time_value(x) == NAT:
        return f"np.datetime64('{text_of_datetime(x)}','{CODES[unit]}')"
    else:
        return f"np.datetime64('{text_of_datetime(x)}')"


@function("Timedelta.__str__", inline=False)
def text_of_timedelta(x):
    value, unit = time_value(x), time_unit(x)
    if value == NAT:
        return "NaT"
    elif unit == GENERIC:
        return f"{value} generic time units"
    else:
        return f"{value} {WORDS[unit]}"


@function("Timedelta.__repr__", inline=False)
def repr_of_timedelta(x):
    value, unit = time_value(x), time_unit(x)
    text = "'NaT'" if value == NAT else str(value)
    if unit == GENERIC:
        return f"np.timedelta64({text})"
    else:
        return f"np.timedelta64({text},'{CODES[unit]}')"
