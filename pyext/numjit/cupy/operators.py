"""The operators of arrays: each is a ufunc."""

from __future__ import annotations

import numpy as np

from numjit import _core

from . import upcalls
from .kernel_text import is_bfloat16
from .ufuncs import NotAnOperand, apply, apply_in_place, known_loops, numpy_calls

_BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.true_divide,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
    "divmod": np.divmod,
    "pow": np.power,
    "lshift": np.left_shift,
    "rshift": np.right_shift,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
_COMPARISONS = {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}
_UNARY = {"neg": np.negative, "pos": np.positive, "abs": np.absolute, "invert": np.invert}


def _defers(self, other):
    """Whether the other operand is to be asked."""
    return not isinstance(other, type(self)) and (
        getattr(other, "__array_ufunc__", True) is None
        or (
            getattr(other, "__array_priority__", 0) > self.__array_priority__
            and not hasattr(other, "__array_ufunc__")
        )
    )


def _unlike(self, other, function):
    """What `==` and `!=` give for objects that equal themselves alone, and for texts: no element is
    like them."""
    if function not in (np.equal, np.not_equal):
        return NotImplemented
    alone = type(other).__eq__ is object.__eq__ or other is None
    if not alone and not isinstance(other, (str, bytes)):
        return NotImplemented
    return upcalls.full(self.shape, function is np.not_equal, bool)


def _by_fields(self, other, function):
    """Records are equal where all of their fields are."""
    other = upcalls.asarray(other)
    # Raises TypeError for fields that do not belong together.
    np.result_type(self.dtype, other.dtype)
    if self.dtype.names != other.dtype.names:
        raise TypeError("records with other names of fields are not compared")
    join = np.logical_and if function is np.equal else np.logical_or
    found = None
    for name in self.dtype.names:
        ours, theirs = self[name], other[name]
        compare = _by_fields if ours.dtype.names else lambda a, b, f: apply(f, (a, b))
        each = compare(ours, theirs, function)
        inside = len(self.dtype[name].shape)  # of a field that is an array
        if inside:
            axes = tuple(range(each.ndim - inside, each.ndim))
            each = each.all(axis=axes) if function is np.equal else each.any(axis=axes)
        found = each if found is None else apply(join, (found, each))
    return found


def _by_bytes(self, other, function):
    """Items of bytes alone are equal where all of these are."""
    other = upcalls.asarray(other)
    if other.dtype != self.dtype:
        raise TypeError(f"items of {self.dtype} are not compared with {other.dtype}")
    parts = [each.view(np.uint8).reshape(*each.shape, -1) for each in (self, other)]
    found = apply(function, tuple(parts))
    return found.all(axis=-1) if function is np.equal else found.any(axis=-1)


def _binary(function):
    def forward(self, other):
        if _defers(self, other):
            return NotImplemented
        is_bytes = self.dtype.kind == "V" and not is_bfloat16(self.dtype)
        if is_bytes and function in (np.equal, np.not_equal):
            return (_by_fields if self.dtype.names else _by_bytes)(self, other, function)
        try:
            return apply(function, (self, other))
        except NotAnOperand:
            return _unlike(self, other, function)

    def backward(self, other):
        if _defers(self, other):
            return NotImplemented
        try:
            return apply(function, (other, self))
        except NotAnOperand:
            return NotImplemented

    def in_place(self, other):
        try:
            return apply_in_place(function, self, other)
        except NotAnOperand:
            return NotImplemented

    # What dtypes were met before is C++'s (pyext/gpu/operators.cpp).
    _in_python[function] = forward
    return (
        _core.Operator(function, forward, known_loops, False),
        backward,
        _core.Operator(function, in_place, known_loops, True),
    )


#: ufunc -> its operator in Python.
_in_python: dict = {}


def _unary(function):
    return lambda self: apply(function, (self,))


def _multiplies(other):
    """Whether something is a matrix: in NumPy's own code arrays and lists of the host are, too."""
    return isinstance(other, Operators) or (
        numpy_calls.depth and isinstance(other, (list, tuple, np.ndarray))
    )


def _product(a, b):
    if type(a) is not type(b):
        a, b = upcalls.asarray(a), upcalls.asarray(b)
    return upcalls.matmul(a, b)


class Operators:
    """What ndarray inherits."""

    __slots__ = ()

    def __init_subclass__(cls, **keywords):
        """Results of a class with `__array_finalize__` are made in Python, which calls that."""
        super().__init_subclass__(**keywords)
        if "__array_finalize__" in vars(cls):
            for name, function in {**_BINARY, **_COMPARISONS}.items():
                if getattr(cls, f"__{name}__") is getattr(Operators, f"__{name}__"):
                    setattr(cls, f"__{name}__", _in_python[function])

    def __matmul__(self, other):
        return _product(self, other) if _multiplies(other) else NotImplemented

    def __rmatmul__(self, other):
        return _product(other, self) if _multiplies(other) else NotImplemented

    def __imatmul__(self, other):
        self[...] = self @ other
        return self


def _power(self, other, modulo=None):
    """Powers with NumPy's shorter roads, which have the same bits."""
    if type(other) in (int, float) and self.dtype.kind in "fc":
        if other == 2:
            return apply(np.square, (self,))
        if other == 0.5:
            return apply(np.sqrt, (self,))
    elif type(other) is int and other == 2 and self.dtype.kind in "iub":
        return apply(np.square, (self,))
    return _general_power(self, other)


_general_power = _binary(np.power)[0]

for _name, _function in _BINARY.items():
    _forward, _backward, _in_place = _binary(_function)
    setattr(Operators, f"__{_name}__", _forward)
    setattr(Operators, f"__r{_name}__", _backward)
    if _name != "divmod":
        setattr(Operators, f"__i{_name}__", _in_place)
Operators.__pow__ = _power
for _name, _function in _COMPARISONS.items():
    setattr(Operators, f"__{_name}__", _binary(_function)[0])
for _name, _function in _UNARY.items():
    setattr(Operators, f"__{_name}__", _unary(_function))
