"""Days on which people work: ``np.busday_offset``, ``busday_count``, ``is_busday``."""

import numpy as np

from ..core.intrinsics import (
    is_scalar,
    is_text,
    make_datetime,
    map_elements,
    refuse,
    time_kind,
    time_value,
)
from ..core.registry import function
from .times import DAY, NAT, convert_time, months_of_days

_NAMES = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def mask_of(weekmask):
    """Which days of the week, from Monday on, are worked on."""
    mask = np.zeros(7, np.bool_)
    if is_text(weekmask):
        mark_days(mask, weekmask)
    else:
        if len(weekmask) != 7:
            raise ValueError("A business day weekmask array must have length 7")
        for i, each in enumerate(weekmask):
            mask[i] = each
    if not mask.any():
        raise ValueError("the business day weekmask must have at least one valid business day")
    return mask


def mark_days(mask, text):
    if len(text) == 7 and text[0] in "01":
        for i in range(7):
            if text[i] not in "01":
                raise ValueError(f'Invalid business day weekmask string "{text}"')
            mask[i] = text[i] == "1"
    else:
        rest = text.replace(" ", "")
        while len(rest) > 0:
            known = False
            for i, name in enumerate(_NAMES):
                if rest.startswith(name):
                    mask[i] = known = True
            if not known:
                raise ValueError(f'Invalid business day weekmask string "{text}"')
            rest = rest[3:]


def days_of(dates):
    """Dates as numbers of days."""
    if isinstance(dates, (tuple, list)):
        return days_of(np.asarray(dates))
    elif is_text(dates):
        return time_value(np.datetime64(dates, "D"))
    elif time_kind(dates) != "M":
        return refuse("business days are those of datetime64[D], not of ", "", "TypingError", dates)
    elif is_scalar(dates):
        return time_value(convert_time(dates, np.dtype("datetime64[D]")))
    else:
        return dates.astype("datetime64[D]").view(np.int64)


def holidays_of(holidays, mask):
    """The holidays that are no days off anyway, in order."""
    if holidays is None:
        return np.empty(0, np.int64)
    elif isinstance(holidays, tuple) and len(holidays) == 0:
        return np.empty(0, np.int64)
    else:
        days = np.unique(np.atleast_1d(np.asarray(days_of(holidays))))
        return np.array([day for day in days if day != NAT and mask[(day + 3) % 7]], np.int64)


def is_holiday(day, off):
    i = np.searchsorted(off, day)
    return i < off.size and off[i] == day


def is_worked(day, mask, off):
    return mask[(day + 3) % 7] and not is_holiday(day, off)


def next_worked(day, step, mask, off):
    while not is_worked(day, mask, off):
        day += step
    return day


def rolled(day, roll, mask, off):
    """The day itself if it is a business day, else one near it."""
    if is_worked(day, mask, off):
        return day
    elif roll == "forward" or roll == "following":
        return next_worked(day, 1, mask, off)
    elif roll == "backward" or roll == "preceding":
        return next_worked(day, -1, mask, off)
    elif roll == "modifiedfollowing":
        found = next_worked(day, 1, mask, off)
        if months_of_days(found) != months_of_days(day):
            found = next_worked(day, -1, mask, off)
        return found
    elif roll == "modifiedpreceding":
        found = next_worked(day, -1, mask, off)
        if months_of_days(found) != months_of_days(day):
            found = next_worked(day, 1, mask, off)
        return found
    elif roll == "nat":
        return NAT
    else:
        raise ValueError("Non-business day date in busday_offset")


def moved(day, count, mask, off):
    """The business day so many business days later."""
    step = 1 if count > 0 else -1
    if off.size == 0:
        weeks = abs(count) // mask.sum()
        day += step * weeks * 7
        count -= step * weeks * mask.sum()
    while count != 0:
        day += step
        if is_worked(day, mask, off):
            count -= step
    return day


def count_between(first, last, mask, off):
    """Business days from the first one to before the last one."""
    if first == NAT or last == NAT:
        raise ValueError("Cannot compute a business day count with a NaT (not-a-time) date")
    if first > last:
        return -count_between(last + 1, first + 1, mask, off)
    weeks = (last - first) // 7
    count = weeks * mask.sum()
    for day in range(first + weeks * 7, last):
        count += mask[(day + 3) % 7]
    return count - (np.searchsorted(off, last) - np.searchsorted(off, first))


def check_roll(roll):
    if roll not in (
        "raise",
        "nat",
        "forward",
        "following",
        "backward",
        "preceding",
        "modifiedfollowing",
        "modifiedpreceding",
    ):
        raise ValueError('Invalid business day roll parameter "' + roll + '"')


@function("numpy.busday_offset")
def busday_offset(dates, offsets, roll="raise", weekmask="1111100", holidays=None):
    check_roll(roll)
    mask = mask_of(weekmask)
    off = holidays_of(holidays, mask)

    def later(day, count):
        if day == NAT:
            if roll == "raise":
                raise ValueError("NaT input in busday_offset")
            return make_datetime(NAT, DAY)
        start = rolled(day, roll, mask, off)
        return make_datetime(NAT if start == NAT else moved(start, count, mask, off), DAY)

    return map_elements(later, (), days_of(dates), offsets)


@function("numpy.busday_count")
def busday_count(begindates, enddates, weekmask="1111100", holidays=()):
    mask = mask_of(weekmask)
    off = holidays_of(holidays, mask)

    def between(first, last):
        return count_between(first, last, mask, off)

    return map_elements(between, (), days_of(begindates), days_of(enddates))


@function("numpy.is_busday")
def is_busday(dates, weekmask="1111100", holidays=None):
    mask = mask_of(weekmask)
    off = holidays_of(holidays, mask)

    def worked(day):
        return day != NAT and is_worked(day, mask, off)

    return map_elements(worked, (), days_of(dates))
