"""``fractions.Fraction``: numerator and denominator are int64, and the denominator is positive.

A result that does not fit raises OverflowError, where Python's integers would grow. The formulas
are those of Knuth's "The Art of Computer Programming", volume 2, section 4.5.1, which keep the
products small.
"""

import math
from fractions import Fraction

import numpy as np

from ..core.exact_integers import checked
from ..core.hashing import not_error, rotated
from ..core.intrinsics import new_struct, refuse
from ..core.registry import function

_CLASS = "fractions.Fraction"
_MODULUS = 2**61 - 1  # of hashes of numbers
_TOO_LARGE = "a Fraction in compiled code has a numerator and a denominator of 64 bits"


def method(name):
    return function(f"{_CLASS}.{name}")


# -- integers that do not wrap -------------------------------------------------------------------

times, plus, minus, negated = checked(_TOO_LARGE)


def common_divisor(a, b):
    """Of any integer and a positive one."""
    while b != 0:
        a, b = b, a % b
    return a


def as_integer(x):
    """An int64, where the number has its value."""
    n = np.int64(x)
    if n < 0 and x > 0:  # a uint64
        raise OverflowError(_TOO_LARGE)
    return n


# -- making fractions ----------------------------------------------------------------------------


def raw(numerator, denominator):
    """In lowest terms already."""
    return new_struct(Fraction, (np.int64(numerator), np.int64(denominator)))


@function("numjit.fraction_of_ratio", inline=False)
def of_ratio(numerator, denominator):
    if denominator == 0:
        raise ZeroDivisionError(f"Fraction({numerator}, 0)")
    if denominator < 0:
        numerator, denominator = negated(numerator), negated(denominator)
    divisor = common_divisor(numerator, denominator)
    return raw(numerator // divisor, denominator // divisor)


@function("numjit.fraction_of_float", inline=False)
def of_float(x):
    if math.isnan(x):
        raise ValueError("cannot convert NaN to integer ratio")
    if math.isinf(x):
        raise OverflowError("cannot convert Infinity to integer ratio")
    mantissa, exponent = math.frexp(x)
    numerator = np.int64(mantissa * 9007199254740992.0)  # 2**53
    exponent -= 53
    if numerator == 0:
        return raw(0, 1)
    while numerator % 2 == 0:
        numerator //= 2
        exponent += 1
    if exponent >= 0:
        if exponent > 62:
            raise OverflowError(_TOO_LARGE)
        return raw(times(numerator, np.int64(1) << exponent), 1)
    if exponent < -62:
        raise OverflowError(_TOO_LARGE)
    return raw(numerator, np.int64(1) << -exponent)


def fraction_of(x):
    """A number as a Fraction."""
    if isinstance(x, Fraction):
        return x
    elif isinstance(x, float):
        return of_float(np.float64(x))
    elif isinstance(x, int):
        return raw(as_integer(x), 1)
    else:
        refuse("Fraction() takes integers, floats and Fractions in compiled code")


@function(_CLASS)
def made(numerator=0, denominator=None):
    if denominator is None:
        return fraction_of(numerator)
    elif isinstance(numerator, int) and isinstance(denominator, int):
        return of_ratio(as_integer(numerator), as_integer(denominator))
    elif isinstance(numerator, float) or isinstance(denominator, float):
        refuse("both arguments of Fraction() should be integers or Fractions")
    else:
        return divided(fraction_of(numerator), fraction_of(denominator))


# -- arithmetic ----------------------------------------------------------------------------------


@function("numjit.fraction_sum", inline=False)
def added(a, b, combined):
    """a + b or a - b, as `combined` is of their parts."""
    divisor = common_divisor(a.denominator, b.denominator)
    if divisor == 1:
        left, right = times(a.numerator, b.denominator), times(b.numerator, a.denominator)
        return raw(combined(left, right), times(a.denominator, b.denominator))
    part = a.denominator // divisor
    left, right = times(a.numerator, b.denominator // divisor), times(b.numerator, part)
    total = combined(left, right)
    rest = common_divisor(total, divisor)
    return raw(total // rest, times(part, b.denominator // rest))


@function("numjit.fraction_product", inline=False)
def multiplied(a, b):
    first = common_divisor(a.numerator, b.denominator)
    second = common_divisor(b.numerator, a.denominator)
    return raw(
        times(a.numerator // first, b.numerator // second),
        times(a.denominator // second, b.denominator // first),
    )


def inverse(a):
    if a.numerator == 0:
        raise ZeroDivisionError("Fraction(1, 0)")
    if a.numerator < 0:
        return raw(negated(a.denominator), negated(a.numerator))
    return raw(a.denominator, a.numerator)


@function("numjit.fraction_quotient", inline=False)
def divided(a, b):
    if b.numerator == 0:
        raise ZeroDivisionError(f"Fraction({times(a.numerator, b.denominator)}, 0)")
    return multiplied(a, inverse(b))


@function("numjit.fraction_floor", inline=False)
def floor_quotient(a, b):
    if b.numerator == 0:
        raise ZeroDivisionError("integer division or modulo by zero")
    return floor(multiplied(a, inverse(b)))


def remainder(a, b):
    whole = raw(floor_quotient(a, b), 1)
    return added(a, multiplied(whole, b), minus)


def quotient_and_remainder(a, b):
    whole = floor_quotient(a, b)
    return whole, added(a, multiplied(raw(whole, 1), b), minus)


def class_name(x):
    if isinstance(x, str):
        return "str"
    elif isinstance(x, bytes):
        return "bytes"
    elif isinstance(x, list):
        return "list"
    elif isinstance(x, tuple):
        return "tuple"
    elif isinstance(x, dict):
        return "dict"
    elif isinstance(x, set):
        return "set"
    elif x is None:
        return "NoneType"
    else:
        return "object"


def is_rational(x):
    return isinstance(x, (Fraction, int))


def refuse_operands(symbol, left, right):
    refuse(("unsupported operand type(s) for ", symbol, ": '", left, "' and '", right, "'"))


def operator(name, symbol, exact, inexact):
    """An operator and its reflected form. Beside floats and complex numbers it is theirs."""

    @method(f"__{name}__")
    def forward(self, other):
        if isinstance(other, (float, complex)):
            return inexact(as_float(self), other)
        elif is_rational(other):
            return exact(self, fraction_of(other))
        else:
            return refuse_operands(symbol, "Fraction", class_name(other))

    @method(f"__r{name}__")
    def reflected(self, other):
        if isinstance(other, (float, complex)):
            return inexact(other, as_float(self))
        elif is_rational(other):
            return exact(fraction_of(other), self)
        else:
            return refuse_operands(symbol, class_name(other), "Fraction")


operator("add", "+", lambda a, b: added(a, b, plus), lambda a, b: a + b)
operator("sub", "-", lambda a, b: added(a, b, minus), lambda a, b: a - b)
operator("mul", "*", multiplied, lambda a, b: a * b)
operator("truediv", "/", divided, lambda a, b: a / b)
operator("floordiv", "//", floor_quotient, lambda a, b: a // b)
operator("mod", "%", remainder, lambda a, b: a % b)
operator("divmod", "divmod()", quotient_and_remainder, divmod)


@function("numjit.fraction_power", inline=False)
def whole_power(a, n):
    if n < 0:
        if a.numerator == 0:
            raise ZeroDivisionError("Fraction(1, 0)")
        a, n = inverse(a), -n
    result, base = raw(1, 1), a
    while True:
        if n & 1:
            result = raw(
                times(result.numerator, base.numerator),
                times(result.denominator, base.denominator),
            )
        n >>= 1
        if n == 0:
            return result
        base = raw(times(base.numerator, base.numerator), times(base.denominator, base.denominator))


@method("__pow__")
def power(self, exponent):
    """By a Fraction the result is a float, as its type cannot depend on the value."""
    if isinstance(exponent, int):
        return whole_power(self, np.int64(exponent))
    elif isinstance(exponent, Fraction):
        return as_float(self) ** as_float(exponent)
    else:
        return as_float(self) ** exponent


@method("__rpow__")
def power_of(self, base):
    return base ** as_float(self)


@method("__neg__")
def negative(self):
    return raw(negated(self.numerator), self.denominator)


@method("__pos__")
def positive(self):
    return self


@method("__abs__")
def absolute(self):
    if self.numerator < 0:
        return raw(negated(self.numerator), self.denominator)
    return self


# -- comparisons and hash ------------------------------------------------------------------------


def is_less(a, b):
    """By whole parts, then by the inverses of what is left: nothing overflows."""
    n, d, m, e = a.numerator, a.denominator, b.numerator, b.denominator
    turned = False
    while True:
        left, right = n // d, m // e
        if left != right:
            return (left < right) != turned
        n, m = n - left * d, m - right * e
        if n == 0 or m == 0:
            return (n == 0 and m != 0) if not turned else (n != 0 and m == 0)
        n, d, m, e = d, n, e, m
        turned = not turned


@function("numjit.fraction_less", inline=False)
def less(a, b):
    return is_less(a, b)


def same(a, b):
    return a.numerator == b.numerator and a.denominator == b.denominator


def comparison(name, symbol, exact, inexact):
    """Beside floats, too, exact."""

    @method(f"__{name}__")
    def compared(self, other):
        if isinstance(other, (float, complex)):
            return inexact(self, other)
        elif is_rational(other):
            return exact(self, fraction_of(other))
        elif symbol == "==":
            return False
        elif symbol == "!=":
            return True
        else:
            return refuse_comparison(symbol, class_name(other))


def refuse_comparison(symbol, other):
    refuse(("'", symbol, "' not supported between instances of 'Fraction' and '", other, "'"))


@function("numjit.fraction_beside_float", inline=False)
def order(a, x):
    """-1, 0 or 1: less than a float, equal, greater; 2: it is NaN."""
    value, rounding = rounded_quotient(a)
    if value < x:
        return -1
    elif value > x:
        return 1
    elif value == x:
        return -rounding
    else:
        return 2


def is_number(a, x):
    if isinstance(x, complex):
        return x.imag == 0 and order(a, np.float64(x.real)) == 0
    else:
        return order(a, np.float64(x)) == 0


comparison("eq", "==", same, is_number)
comparison("ne", "!=", lambda a, b: not same(a, b), lambda a, x: not is_number(a, x))
comparison("lt", "<", less, lambda a, x: order(a, np.float64(x)) == -1)
comparison("gt", ">", lambda a, b: less(b, a), lambda a, x: order(a, np.float64(x)) == 1)
comparison("le", "<=", lambda a, b: not less(b, a), lambda a, x: order(a, np.float64(x)) <= 0)
comparison("ge", ">=", lambda a, b: not less(a, b), lambda a, x: 0 <= order(a, np.float64(x)) <= 1)


@method("__bool__")
def truth(self):
    return self.numerator != 0


def modular_product(a, b):
    """Of two numbers below 2**61, modulo 2**61 - 1."""
    modulus, low = np.uint64(_MODULUS), np.uint64(0xFFFFFFFF)
    x, y, half = np.uint64(a), np.uint64(b), np.uint64(32)
    middle = (x >> half) * (y & low) + (x & low) * (y >> half)
    total = ((x >> half) * (y >> half)) << np.uint64(3)
    total = total % modulus + rotated(middle % modulus, 32)
    total = total % modulus + ((x & low) * (y & low)) % modulus
    return np.int64(total % modulus)


def modular_inverse(a):
    """Modulo 2**61 - 1; 0 if there is none."""
    before, now = 0, 1
    n, d = _MODULUS, a % _MODULUS
    while d != 0:
        whole = n // d
        n, d = d, n - whole * d
        before, now = now, before - whole * now
    return before % _MODULUS if n == 1 else 0


@method("__hash__")
def hash_of_fraction(self):
    """As CPython's: equal to the hash of an equal integer or float."""
    size = np.int64(magnitude(self.numerator) % np.uint64(_MODULUS))
    turned = modular_inverse(self.denominator)
    h = modular_product(size, turned) if turned != 0 else 314159
    return not_error(-h if self.numerator < 0 else h)


# -- conversions ---------------------------------------------------------------------------------


def as_float(self):
    n, d = self.numerator, self.denominator
    if -9007199254740992 <= n <= 9007199254740992 and d <= 9007199254740992:
        return np.float64(n) / np.float64(d)
    return rounded_quotient(self)[0]


def magnitude(n):
    return np.uint64(n) if n >= 0 else np.uint64(0) - np.uint64(n)


@function("numjit.fraction_rounded", inline=False)
def rounded_quotient(a):
    """The nearest float, as the quotient of two integers is in Python; and on which side it is: -1
    if it is less than the fraction, 0 if it is equal, 1 if it is greater."""
    if a.numerator == 0:
        return 0.0, 0
    one, d = np.uint64(1), np.uint64(a.denominator)
    whole = magnitude(a.numerator) // d
    rest = magnitude(a.numerator) - whole * d
    exponent = 0
    while whole < np.uint64(1 << 54):  # to 55 bits
        whole <<= one
        rest <<= one  # below 2**64, as the denominator is below 2**63
        if rest >= d:
            rest -= d
            whole |= one
        exponent -= 1
    while whole >= np.uint64(1 << 55):
        rest |= whole & one
        whole >>= one
        exponent += 1
    if rest != np.uint64(0):
        whole |= one
    # The two last bits are rounded away, to even.
    kept, lost = whole >> np.uint64(2), whole & np.uint64(3)
    side = 0 if lost == np.uint64(0) else -1
    if lost > np.uint64(2) or (lost == np.uint64(2) and kept & one != np.uint64(0)):
        kept += one
        side = 1
    value = math.ldexp(np.float64(np.int64(kept)), exponent + 2)
    return (-value, -side) if a.numerator < 0 else (value, side)


@method("__float__")
def to_float(self):
    return as_float(self)


@method("__complex__")
def to_complex(self):
    return complex(as_float(self), 0.0)


@method("__trunc__")
def truncated(self):
    return ceiling(self) if self.numerator < 0 else floor(self)


@method("__int__")
def to_int(self):
    return truncated(self)


@method("__floor__")
def floor(self):
    return self.numerator // self.denominator


@method("__ceil__")
def ceiling(self):
    whole = self.numerator // self.denominator
    return whole + (whole * self.denominator != self.numerator)


@method("__round__")
def rounded(self, ndigits=None):
    if ndigits is None:
        whole = floor(self)
        twice = self.numerator - whole * self.denominator
        rest = self.denominator - twice
        if twice > rest or (twice == rest and whole % 2 != 0):
            whole += 1
        return whole
    else:
        shift = whole_power(raw(10, 1), np.int64(ndigits))
        return divided(raw(rounded(multiplied(self, shift)), 1), shift)


@method("as_integer_ratio")
def as_integer_ratio(self):
    return self.numerator, self.denominator


@method("is_integer")
def is_integer(self):
    return self.denominator == 1


@method("conjugate")
def conjugate(self):
    return self


@function("numjit.fraction_limited", inline=False)
def limited(self, most):
    """The nearest fraction with a denominator of at most `most`: by continued fractions."""
    if self.denominator <= most:
        return self
    p0, q0, p1, q1 = 0, 1, 1, 0
    n, d = self.numerator, self.denominator
    while True:
        whole = n // d
        q2 = q0 + whole * q1
        if q2 > most:
            break
        p0, q0, p1, q1 = p1, q1, p0 + whole * p1, q2
        n, d = d, n - whole * d
    k = (most - q0) // q1
    # Of the two neighbours the one that is nearer; of equals the one with the smaller denominator.
    near = d * (q0 + k * q1)  # not above the denominator
    if near <= self.denominator - near:
        return raw(p1, q1)
    return raw(p0 + k * p1, q0 + k * q1)


@method("limit_denominator")
def limit_denominator(self, max_denominator=1000000):
    if max_denominator < 1:
        raise ValueError("max_denominator should be at least 1")
    return limited(self, np.int64(max_denominator))


@method("__str__")
def text(self):
    return str(self.numerator) if self.denominator == 1 else f"{self.numerator}/{self.denominator}"


@method("__repr__")
def representation(self):
    return f"Fraction({self.numerator}, {self.denominator})"
