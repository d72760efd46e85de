"""Special methods of numbers, containers, strings and arrays that are called by name:
``x.__len__()``, ``x.__add__(2)``."""

import math

import numpy as np

from ..core.intrinsics import refuse
from ..core.registry import function


def method(python_function):
    """Registers a function as what the special method of its name does."""
    return function(f"numjit.named.__{python_function.__name__.rstrip('_')}__")(python_function)


@method
def len_(self):
    return len(self)


@method
def contains(self, item):
    return item in self


@method
def getitem(self, key):
    return self[key]


@method
def setitem(self, key, value):
    self[key] = value


@method
def delitem(self, key):
    del self[key]


@method
def iter_(self):
    return iter(self)


@method
def reversed_(self):
    return reversed(self)


@method
def str_(self):
    return str(self)


@method
def repr_(self):
    return repr(self)


@method
def hash_(self):
    return hash(self)


@method
def format_(self, spec):
    return format(self, spec)


def takes(a, b):
    """Whether methods of number `a` take `b`: those of int take ints only, of float no complex."""
    if isinstance(a, int):
        return isinstance(b, int)
    elif isinstance(a, float):
        return isinstance(b, (int, float))
    else:
        return isinstance(a, (complex, np.generic)) and isinstance(b, (int, float, complex))


def same_class(a, b):
    """Otherwise the method returns NotImplemented, which is no value of compiled code."""
    for_both = (
        (isinstance(a, list) and isinstance(b, list))
        or (isinstance(a, dict) and isinstance(b, dict))
        or (isinstance(a, (set, frozenset)) and isinstance(b, (set, frozenset)))
        or (isinstance(a, str) and isinstance(b, str))
        or (isinstance(a, tuple) and isinstance(b, tuple))
        or (isinstance(a, (bytes, bytearray)) and isinstance(b, (bytes, bytearray)))
        or (isinstance(a, range) and isinstance(b, range))
        or isinstance(a, np.ndarray)
    )
    if not for_both and not takes(a, b):
        refuse("the method returns NotImplemented for this argument", "use the operator")


def for_numbers(a, b):
    if isinstance(a, (int, float, complex, np.generic)):
        same_class(a, b)


@method
def eq(self, other):
    same_class(self, other)
    return self == other


@method
def ne(self, other):
    same_class(self, other)
    return self != other


@method
def lt(self, other):
    same_class(self, other)
    return self < other


@method
def le(self, other):
    same_class(self, other)
    return self <= other


@method
def gt(self, other):
    same_class(self, other)
    return self > other


@method
def ge(self, other):
    same_class(self, other)
    return self >= other


@method
def add(self, other):
    for_numbers(self, other)
    return self + other


@method
def sub(self, other):
    for_numbers(self, other)
    return self - other


@method
def mul(self, other):
    for_numbers(self, other)
    return self * other


@method
def rmul(self, other):
    for_numbers(self, other)
    return other * self


@method
def radd(self, other):
    for_numbers(self, other)
    return other + self


@method
def rsub(self, other):
    for_numbers(self, other)
    return other - self


@method
def truediv(self, other):
    for_numbers(self, other)
    return self / other


@method
def rtruediv(self, other):
    for_numbers(self, other)
    return other / self


@method
def floordiv(self, other):
    for_numbers(self, other)
    return self // other


@method
def mod(self, other):
    for_numbers(self, other)
    return self % other


@method
def pow_(self, other):
    for_numbers(self, other)
    return self**other


@method
def matmul(self, other):
    return self @ other


@method
def and_(self, other):
    for_numbers(self, other)
    return self & other


@method
def or_(self, other):
    for_numbers(self, other)
    return self | other


@method
def xor(self, other):
    for_numbers(self, other)
    return self ^ other


@method
def neg(self):
    return -self


@method
def pos(self):
    return +self


@method
def abs_(self):
    return abs(self)


@method
def invert(self):
    return ~self


@method
def iadd(self, other):
    self += other
    return self


@method
def isub(self, other):
    self -= other
    return self


@method
def imul(self, other):
    self *= other
    return self


@method
def iand(self, other):
    self &= other
    return self


@method
def ior(self, other):
    self |= other
    return self


@method
def ixor(self, other):
    self ^= other
    return self


@method
def rfloordiv(self, other):
    for_numbers(self, other)
    return other // self


@method
def rmod(self, other):
    for_numbers(self, other)
    return other % self


@method
def rpow(self, other):
    for_numbers(self, other)
    return other**self


@method
def rand(self, other):
    for_numbers(self, other)
    return other & self


@method
def ror(self, other):
    for_numbers(self, other)
    return other | self


@method
def rxor(self, other):
    for_numbers(self, other)
    return other ^ self


@method
def lshift(self, other):
    for_numbers(self, other)
    return self << other


@method
def rshift(self, other):
    for_numbers(self, other)
    return self >> other


@method
def rlshift(self, other):
    for_numbers(self, other)
    return other << self


@method
def rrshift(self, other):
    for_numbers(self, other)
    return other >> self


@method
def divmod_(self, other):
    for_numbers(self, other)
    return divmod(self, other)


@method
def rdivmod(self, other):
    for_numbers(self, other)
    return divmod(other, self)


@method
def int_(self):
    return int(self)


@method
def float_(self):
    return float(self)


@method
def complex_(self):
    return complex(self)


@method
def bool_(self):
    return bool(self)


@method
def index(self):
    return int(self)


@method
def trunc(self):
    return int(self)


@method
def floor(self):
    return math.floor(self)


@method
def ceil(self):
    return math.ceil(self)


@method
def round_(self, ndigits=None):
    return round(self, ndigits)
