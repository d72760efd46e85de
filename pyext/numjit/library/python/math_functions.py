"""Functions of ``math`` over whole numbers and sequences, comparisons with a tolerance, powers."""

import cmath
import math

import numpy as np

from ..core.exact_integers import checked
from ..core.intrinsics import mul_overflows
from ..core.registry import function

times = checked("the result does not fit an int64")[0]


@function("math.factorial")
def factorial(n):
    """OverflowError above 20, where the result does not fit an int64; ValueError below 0."""
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    if n > 20:
        raise OverflowError("factorial() of more than 20 does not fit an int64")
    result = 1
    for i in range(2, n + 1):
        result *= i
    return result


@function("math.isqrt")
def isqrt(n):
    """The square root in float64, corrected by integer comparisons: exact for all int64. ValueError
    below 0.
    """
    if n < 0:
        raise ValueError("isqrt() argument must be nonnegative")
    root = int(math.sqrt(n))
    # The float may be off by one on either side; the quotients don't overflow as squares would.
    while root > 0 and root > n // root:
        root -= 1
    while root + 1 <= n // (root + 1):
        root += 1
    return root


@function("math.comb")
def comb(n, k):
    """OverflowError where the result does not fit an int64; ValueError below 0."""
    if n < 0 or k < 0:
        raise ValueError("comb() arguments must be non-negative integers")
    if k > n:
        return 0
    result = 1
    for i in range(1, min(k, n - k) + 1):
        common = math.gcd(result, i)  # divided first: each product is a result that fits
        result = times(result // common, (n - i + 1) // (i // common))
    return result


@function("math.perm")
def perm(n, k=None):
    """OverflowError where the product does not fit an int64; ValueError below 0."""
    if k is None:
        return factorial(n)
    else:
        if n < 0 or k < 0:
            raise ValueError("perm() arguments must be non-negative integers")
        if k > n:
            return 0
        result = 1
        for i in range(k):
            result = times(result, n - i)
        return result


@function("math.prod")
def prod(iterable, start=1):
    """From left to right, in the type of the product: integers wrap."""
    result = start
    for x in iterable:
        result = result * x
    return result


@function("math.fsum")
def fsum(seq):
    """Shewchuk's sum: partial sums without common bits hold the exact total."""
    partials = [0.0]
    for item in seq:
        x = float(item)
        kept = 0
        for i in range(len(partials)):
            y = partials[i]
            if abs(x) < abs(y):
                x, y = y, x
            high = x + y
            low = y - (high - x)
            if low != 0.0:
                partials[kept] = low
                kept += 1
            x = high
        while len(partials) > kept:
            partials.pop()
        partials.append(x)
    total = 0.0
    while len(partials) > 0:
        total += partials.pop()
    return total


@function("math.dist")
def dist(p, q):
    """The root of the sum of squares, scaled by the largest difference, so that no square
    overflows. Within some ULP of CPython, which corrects the root. ValueError if the lengths
    differ.
    """
    if len(p) != len(q):
        raise ValueError("both points must have the same number of dimensions")
    largest = 0.0
    for a, b in zip(p, q):
        largest = max(largest, abs(float(a) - float(b)))
    if largest == 0.0 or math.isinf(largest):
        return largest
    total = 0.0
    for a, b in zip(p, q):
        part = (float(a) - float(b)) / largest
        total += part * part
    return largest * math.sqrt(total)


@function("math.hypot")
def hypot(*coordinates):
    return hypot_of(coordinates)


@function("math.hypot", when="star")
def hypot_of(coordinates):
    """Two coordinates by libm's hypot, other numbers of them scaled by the largest, so that no
    square overflows. Infinite if any coordinate is.
    """
    if len(coordinates) == 2:
        return np.hypot(coordinates[0], coordinates[1])
    else:
        largest = 0.0
        for x in coordinates:
            largest = max(largest, abs(float(x)))
            if math.isinf(x):
                return math.inf
        total = 0.0
        for x in coordinates:
            part = float(x) / largest if largest > 0.0 else float(x)
            total += part * part
        return largest * math.sqrt(total) if largest > 0.0 else math.sqrt(total)


def close(a, b, rel_tol, abs_tol):
    if rel_tol < 0.0 or abs_tol < 0.0:
        raise ValueError("tolerances must be non-negative")
    if a == b:
        return True
    if cmath.isinf(a) or cmath.isinf(b):
        return False
    distance = abs(b - a)
    return distance <= max(rel_tol * max(abs(a), abs(b)), abs_tol)


@function("math.isclose")
def isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0):
    """ValueError if a tolerance is negative."""
    return close(a, b, rel_tol, abs_tol)


@function("cmath.isclose")
def complex_isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0):
    """ValueError if a tolerance is negative."""
    return close(a, b, rel_tol, abs_tol)


# -- overflow='raise' ------------------------------------------------------------------------------


@function("numjit.checked_pow", inline=False)
def checked_pow(base, exponent):
    """OverflowError unless base ** exponent is an int64 or a uint64."""
    result = base
    if exponent > 0 and base != 0 and base != 1:
        if exponent > 63 and base != -1:
            raise OverflowError("integer overflow in **")
        for _ in range(min(exponent, 64) - 1):
            if mul_overflows(result, base):
                raise OverflowError("integer overflow in **")
            result = result * base


@function("numjit.checked_lshift")
def checked_lshift(value, count):
    """OverflowError unless no bit is shifted out."""
    if value != 0 and (count > 63 or (value << count) >> count != value):
        raise OverflowError("integer overflow in <<")


@function("math.gcd", when="keywords")
def gcd_of_many(*integers):
    """0 of no integers; from right to left otherwise."""
    if len(integers) == 0:
        return 0
    else:
        return gcd_of(integers)


def gcd_of(integers):
    if len(integers) == 1:
        return abs(int(integers[0]))
    else:
        return np.gcd(int(integers[0]), gcd_of(integers[1:]))


@function("math.lcm", when="keywords")
def lcm_of_many(*integers):
    """1 of no integers; from right to left otherwise. Wraps where it does not fit an int64."""
    if len(integers) == 0:
        return 1
    else:
        return lcm_of(integers)


def lcm_of(integers):
    if len(integers) == 1:
        return abs(int(integers[0]))
    else:
        return np.lcm(int(integers[0]), lcm_of(integers[1:]))


@function("math.nextafter", when="keywords")
def nextafter_steps(x, y, *, steps=None):
    """Takes a step at a time, so that the time grows with steps. ValueError below 0."""
    if steps is None:
        return math.nextafter(x, y)
    if steps < 0:
        raise ValueError("steps must be a non-negative integer")
    for _ in range(steps):
        if x == y or x != x:
            break
        x = math.nextafter(x, y)
    return x if y == y else y


@function("math.sumprod")
def sumprod(p, q):
    """Products are added from left to right in the type of the items, where CPython adds floats
    with extended precision. ValueError if the lengths differ.
    """
    if len(p) != len(q):
        raise ValueError("Inputs are not the same length")
    total = 0
    for i in range(len(p)):
        total += p[i] * q[i]
    return total


# -- pow(base, exponent, modulus) ------------------------------------------------------------------


@function("numjit.power_modulo")
def power_modulo(base, exp, mod):
    """Squares and multiplies; beyond moduli of 32 bits products are sums of doubled ones, so that
    none overflows. A negative exponent takes the inverse, and raises ValueError if there is none.
    """
    if mod == 0:
        raise ValueError("pow() 3rd argument cannot be 0")
    size = np.uint64(abs(mod))
    square = np.uint64(base % mod if mod > 0 else base % -mod)
    if exp < 0:
        square = inverse_modulo(square, size)
        exp = -exp
    result = np.uint64(1) % size
    while exp > 0:
        if exp & 1:
            result = product_modulo(result, square, size)
        square = product_modulo(square, square, size)
        exp >>= 1
    return np.int64(result) + (mod if mod < 0 and result != 0 else 0)


def product_modulo(a, b, size):
    """a * b % size for a and b below size, which may have 63 bits."""
    if size <= np.uint64(4294967296):
        return a * b % size
    total, one = np.uint64(0), np.uint64(1)
    while b != 0:
        if b & one:
            total = (total + a) % size
        a = (a + a) % size
        b = b >> one
    return total


def inverse_modulo(a, size):
    before, now = np.int64(size), np.int64(a)
    previous, factor = 0, 1
    while now != 0:
        quotient = before // now
        before, now = now, before - quotient * now
        previous, factor = factor, previous - quotient * factor
    if before != 1:
        raise ValueError("base is not invertible for the given modulus")
    return np.uint64(previous % np.int64(size))
