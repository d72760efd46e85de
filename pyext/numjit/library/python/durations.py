"""``datetime.timedelta``: days, seconds and microseconds are int64, as Python normalises them.

Arithmetic is that of the microseconds, which have 64 bits: some 292,000 years. What needs more
raises OverflowError, where Python's durations end at 2.7 million years. Quotients and products with
floats round to the nearest microsecond, of two to the even one, as Python's do; what they are made
of has less than 2**53 microseconds, 285 years, else they raise OverflowError.
"""

import math
from datetime import timedelta

import numpy as np

from ..core.exact_integers import checked
from ..core.intrinsics import new_struct, refuse
from ..core.registry import function
from .fraction_numbers import as_float, of_ratio

_CLASS = "datetime.timedelta"
_TOO_LARGE = "a timedelta in compiled code has 64 bits of microseconds"
_INEXACT = "a timedelta of 285 years or more beside a float"
_EXACT = 9007199254740992  # 2**53
_SECOND = 1_000_000
_DAY = 86_400_000_000
_MOST_DAYS = 106_751_991 - 1  # whose microseconds fit


def method(name):
    return function(f"{_CLASS}.{name}")


# -- integers that do not wrap -------------------------------------------------------------------

times, plus, _, negated = checked(_TOO_LARGE)


# -- durations and their microseconds ------------------------------------------------------------


def of_microseconds(total):
    days, rest = total // _DAY, total % _DAY
    return new_struct(timedelta, (days, rest // _SECOND, rest % _SECOND))


@function("numjit.timedelta_microseconds", inline=False)
def microseconds_of(x):
    if not -_MOST_DAYS <= x.days <= _MOST_DAYS:
        raise OverflowError(_TOO_LARGE)
    return x.days * _DAY + x.seconds * _SECOND + x.microseconds


def whole_part(x, factor):
    """The whole multiples of a unit of `factor` microseconds, and the whole microseconds of the
    rest."""
    if isinstance(x, float):
        if math.isnan(x):
            raise ValueError("cannot convert float NaN to integer")
        if math.isinf(x):
            raise OverflowError("cannot convert float infinity to integer")
        if abs(x) >= 9.2e18:
            raise OverflowError(_TOO_LARGE)
        whole = np.int64(x)
        return plus(times(whole, factor), np.int64((x - whole) * factor))
    elif isinstance(x, int):
        return times(np.int64(x), factor)
    else:
        refuse("timedelta() takes integers and floats in compiled code")


def rest(x, factor):
    """The part of a microsecond that is left."""
    if isinstance(x, float):
        part = (x - np.int64(x)) * factor
        return part - np.int64(part)
    else:
        return 0.0


@function(_CLASS)
def made(days=0, seconds=0, microseconds=0, milliseconds=0, minutes=0, hours=0, weeks=0):
    total = whole_part(microseconds, 1)
    total = plus(total, whole_part(milliseconds, 1000))
    total = plus(total, whole_part(seconds, _SECOND))
    total = plus(total, whole_part(minutes, 60 * _SECOND))
    total = plus(total, whole_part(hours, 3600 * _SECOND))
    total = plus(total, whole_part(days, _DAY))
    total = plus(total, whole_part(weeks, 7 * _DAY))
    left = rest(microseconds, 1) + rest(milliseconds, 1000) + rest(seconds, _SECOND)
    left += rest(minutes, 60 * _SECOND) + rest(hours, 3600 * _SECOND)
    left += rest(days, _DAY) + rest(weeks, 7 * _DAY)
    return of_microseconds(plus(total, nearest(left, total & 1)))


def nearest(x, odd):
    """The integer that makes the sum with an odd or even one the nearest, of two an even one."""
    whole = math.floor(x)
    part = x - whole
    if part > 0.5 or (part == 0.5 and (whole + odd) & 1):
        whole += 1
    return whole


# -- arithmetic ----------------------------------------------------------------------------------


@method("__add__")
def added(self, other):
    if isinstance(other, timedelta):
        return of_microseconds(plus(microseconds_of(self), microseconds_of(other)))
    else:
        refuse("a timedelta is added to a timedelta")


@method("__sub__")
def subtracted(self, other):
    if isinstance(other, timedelta):
        return of_microseconds(plus(microseconds_of(self), negated(microseconds_of(other))))
    else:
        refuse("a timedelta is subtracted from a timedelta")


@method("__neg__")
def negative(self):
    return of_microseconds(negated(microseconds_of(self)))


@method("__pos__")
def positive(self):
    return self


@method("__abs__")
def absolute(self):
    return negative(self) if self.days < 0 else self


def exact_product(a, b):
    """The product of two floats as a float and what that lost (Dekker 1971, Veltkamp's split)."""
    product = a * b
    high, other_high = split(a), split(b)
    low, other_low = a - high, b - other_high
    lost = ((high * other_high - product) + high * other_low + low * other_high) + low * other_low
    return product, lost


def split(a):
    """The upper half of a float's digits."""
    large = a * 134217729.0  # 2**27 + 1
    return large - (large - a)


def rounded(x, more):
    """x + more to the nearest integer, of two the even one; `more` is less than a digit of x."""
    if math.isnan(x):
        raise ValueError("cannot convert NaN to integer ratio")
    if abs(x) >= 9007199254740992.0:
        raise OverflowError(_INEXACT)
    whole = math.floor(x)
    part = x - whole
    if part > 0.5 or (part == 0.5 and (more > 0.0 or (more == 0.0 and whole & 1))):
        return whole + 1
    return whole


@function("numjit.timedelta_times_float", inline=False)
def scaled(total, x):
    if math.isinf(x):
        raise OverflowError("cannot convert Infinity to integer ratio")
    if abs(total) >= _EXACT:
        raise OverflowError(_INEXACT)
    product, lost = exact_product(np.float64(total), x)
    return of_microseconds(rounded(product, lost))


@method("__mul__")
def multiplied(self, other):
    if isinstance(other, float):
        return scaled(microseconds_of(self), np.float64(other))
    elif isinstance(other, int):
        return of_microseconds(times(microseconds_of(self), np.int64(other)))
    else:
        refuse("a timedelta is multiplied by an integer or a float")


@method("__rmul__")
def multiple(self, other):
    return multiplied(self, other)


@function("numjit.timedelta_quotient", inline=False)
def nearest_quotient(a, b):
    """Of integers, of two the even one."""
    if b == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    whole, left = a // b, a % b  # `left` has the sign of b
    other = b - left  # the same sign
    nearer_above = other < left if b > 0 else other > left
    if nearer_above or (other == left and whole & 1):
        whole += 1
    return of_microseconds(whole)


@function("numjit.timedelta_by_float", inline=False)
def float_quotient(total, x):
    if x == 0.0:
        raise ZeroDivisionError("division by zero")
    if math.isinf(x):
        raise OverflowError("cannot convert Infinity to integer ratio")
    if abs(total) >= _EXACT:
        raise OverflowError(_INEXACT)
    quotient = np.float64(total) / x
    product, lost = exact_product(quotient, x)
    more = (np.float64(total) - product) - lost  # what is left, with the sign of quotient's error
    return of_microseconds(rounded(quotient, more if x > 0 else -more))


@method("__truediv__")
def divided(self, other):
    if isinstance(other, timedelta):
        divisor = microseconds_of(other)
        if divisor == 0:
            raise ZeroDivisionError("division by zero")
        return as_float(of_ratio(microseconds_of(self), divisor))
    elif isinstance(other, float):
        return float_quotient(microseconds_of(self), np.float64(other))
    elif isinstance(other, int):
        return nearest_quotient(microseconds_of(self), np.int64(other))
    else:
        refuse("a timedelta is divided by a timedelta, an integer or a float")


def divisor_of(x):
    divisor = microseconds_of(x) if isinstance(x, timedelta) else np.int64(x)
    if divisor == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    return divisor


@method("__floordiv__")
def floor_quotient(self, other):
    if isinstance(other, timedelta):
        return microseconds_of(self) // divisor_of(other)
    elif isinstance(other, int):
        return of_microseconds(microseconds_of(self) // divisor_of(other))
    else:
        refuse("a timedelta is divided with // by a timedelta or an integer")


@method("__mod__")
def remainder(self, other):
    if isinstance(other, timedelta):
        return of_microseconds(microseconds_of(self) % divisor_of(other))
    else:
        refuse("the remainder of a timedelta is that by a timedelta")


@method("__divmod__")
def quotient_and_remainder(self, other):
    return floor_quotient(self, other), remainder(self, other)


@method("total_seconds")
def total_seconds(self):
    return as_float(of_ratio(microseconds_of(self), _SECOND))


# -- comparisons, hash, text ---------------------------------------------------------------------


def parts(x):
    return x.days, x.seconds, x.microseconds


@method("__eq__")
def equal(self, other):
    if isinstance(other, timedelta):
        return parts(self) == parts(other)
    else:
        return False


@method("__ne__")
def different(self, other):
    return not equal(self, other)


def comparison(name, compare):
    @method(f"__{name}__")
    def compared(self, other):
        if isinstance(other, timedelta):
            return compare(parts(self), parts(other))
        else:
            refuse("a timedelta is compared with a timedelta")


comparison("lt", lambda a, b: a < b)
comparison("le", lambda a, b: a <= b)
comparison("gt", lambda a, b: a > b)
comparison("ge", lambda a, b: a >= b)


@method("__bool__")
def truth(self):
    return self.days != 0 or self.seconds != 0 or self.microseconds != 0


@method("__hash__")
def hash_of_timedelta(self):
    return hash(parts(self))


def two_digits(n):
    return str(n).zfill(2)


@method("__str__")
def text(self):
    minutes = self.seconds // 60
    clock = f"{minutes // 60}:{two_digits(minutes % 60)}:{two_digits(self.seconds % 60)}"
    if self.days != 0:
        plural = "" if abs(self.days) == 1 else "s"
        clock = f"{self.days} day{plural}, " + clock
    if self.microseconds != 0:
        clock += "." + str(self.microseconds).zfill(6)
    return clock


@method("__repr__")
def representation(self):
    made = ""
    if self.days != 0:
        made += f", days={self.days}"
    if self.seconds != 0:
        made += f", seconds={self.seconds}"
    if self.microseconds != 0:
        made += f", microseconds={self.microseconds}"
    return f"datetime.timedelta({made[2:]})" if made else "datetime.timedelta(0)"
