"""Special methods of containers, strings and arrays that are called by name: ``x.__len__()``."""

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
    if not for_both:
        refuse("the method returns NotImplemented for this argument", "use the operator")


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
    return self + other


@method
def sub(self, other):
    return self - other


@method
def mul(self, other):
    return self * other


@method
def rmul(self, other):
    return other * self


@method
def radd(self, other):
    return other + self


@method
def rsub(self, other):
    return other - self


@method
def truediv(self, other):
    return self / other


@method
def rtruediv(self, other):
    return other / self


@method
def floordiv(self, other):
    return self // other


@method
def mod(self, other):
    return self % other


@method
def pow_(self, other):
    return self**other


@method
def matmul(self, other):
    return self @ other


@method
def and_(self, other):
    return self & other


@method
def or_(self, other):
    return self | other


@method
def xor(self, other):
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
