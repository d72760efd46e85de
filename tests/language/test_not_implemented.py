"""NotImplemented: operators of classes that leave an operand to the other one."""

import math
from dataclasses import dataclass

import pytest
from language.support import assert_same
from numjit import njit
from numjit.errors import TypingError


@dataclass
class Length:
    x: float

    def __add__(self, other):
        return Length(self.x + other.x) if isinstance(other, Length) else NotImplemented

    def __iadd__(self, other):
        return NotImplemented

    def __rsub__(self, other):
        return other - self.x

    def __eq__(self, other):
        if isinstance(other, Length):
            return self.x == other.x
        return NotImplemented

    def __lt__(self, other):
        if isinstance(other, Length):
            return self.x < other.x
        return NotImplemented


class Scaled:
    def __init__(self, x):
        self.x = x

    def __mul__(self, other):
        return Scaled(self.x * other) if isinstance(other, float) else NotImplemented

    def __rsub__(self, other):
        return other.x - self.x

    def __gt__(self, other):
        return NotImplemented if isinstance(other, Scaled) else other.x < self.x


def test_operators():
    def f(x):
        a, b = Length(x), Length(2.0)
        a += b
        return a.x, (a + b).x, a - Scaled(1.0), 3 - b, (Scaled(x) * 2.0).x

    def comparisons(x):
        a, b = Length(x), Length(2.0)
        return a == b, a != b, a == 3, a != 3, a == Scaled(x), a < b, a > b, a < Scaled(3.0)

    for x in (1.0, 2.0, -math.inf):
        assert_same(f, x)
        assert_same(comparisons, x)


def test_nobody_knows_the_operands():
    for f in (lambda x: Length(x) + 3, lambda x: Length(x) < 3, lambda x: Scaled(x) * 3):
        with pytest.raises(TypingError, match="No implementation of function operator"):
            njit(f)(1.0)


def test_as_a_value():
    def half(n):
        return n // 2 if n % 2 == 0 else NotImplemented

    def f(n):
        found = half(n)
        return -1 if found is NotImplemented else found

    def never(n):
        return NotImplemented

    for n in (4, 5):
        assert_same(f, n)
    assert njit(never)(1) is NotImplemented
    assert njit(lambda n: never(n) is NotImplemented)(1)
