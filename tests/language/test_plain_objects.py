"""Objects of plain classes as arguments: their attributes that have types are fields."""

import io

import numpy as np
import pytest
from numjit import njit
from numjit.errors import NumbaError, TypingError


class Body:
    gravity = 9.5

    def __init__(self, mass, size):
        self.mass = mass
        self.size = size
        self.places = np.arange(3.0)
        self.log = open  # nothing that compiled code knows
        self.name = "body"

    def weight(self, factor):
        return self.mass * self.gravity * factor

    @property
    def density(self):
        return self.mass / self.size

    @density.setter
    def density(self, value):
        self.mass = value * self.size

    @staticmethod
    def double(x):
        return 2 * x


class Planet(Body):
    def __init__(self, mass, size, moons):
        super().__init__(mass, size)
        self.moons = moons

    def weight(self, factor):
        return super().weight(factor) + self.moons


def read(b):
    return b.mass + b.size + b.places.sum() + b.weight(2.0) + b.density + b.double(3)


@pytest.mark.parametrize(
    "b",
    [Body(2.0, 4), Body(2, 4.0), Planet(1.0, 2, 3)],
    ids=lambda b: f"{type(b).__name__}-{b.mass}",
)
def test_attributes_methods_and_properties(b):
    assert njit(read)(b) == read(b)
    assert njit(lambda b: b.name + "!")(b) == "body!"


def test_changes_are_seen_in_python():
    @njit
    def f(b):
        b.mass += 1.5
        b.density = b.density * 2
        b.places[0] = 7.0
        return b

    b = Body(2.0, 4)
    assert f(b) is b
    assert b.mass == 7.0 and b.places[0] == 7.0


def test_methods_that_are_jitted():
    class Sum:
        def __init__(self, start):
            self.total = start

        @njit
        def add(self, x):
            self.total += x
            return self.total

    s = Sum(1)
    assert s.add(2) == 3 and s.add(3) == 6 and s.total == 6
    assert Sum(0.5).add(2) == 2.5


def test_other_attributes_are_another_type():
    @njit
    def f(b):
        return b.mass

    b = Body(2, 4)
    assert f(b) == 2
    b.extra = 5
    assert f(b) == 2
    b.mass = 2.5
    assert f(b) == 2.5
    assert len(f.signatures) == 3


def test_objects_in_objects_and_rings():
    class Node:
        def __init__(self, value, other=None):
            self.value = value
            self.other = other

    inner = Node(2)
    inner.other = inner
    outer = Node(3, inner)

    @njit
    def f(n):
        n.other.value += 5
        return n.value + n.other.value

    assert f(outer) == 10 and inner.value == 7


def test_what_is_missing():
    with pytest.raises(NumbaError, match="Unknown attribute 'log'"):
        njit(lambda b: b.log)(Body(1, 2))

    class Nothing:
        pass

    nothing = Nothing()
    assert njit(lambda b: b)(nothing) is nothing
    nothing.log = io.StringIO()
    with pytest.raises(NumbaError, match="cannot determine Numba type of"):
        njit(lambda b: b)(nothing)


def test_attributes_without_a_type_are_told():
    class Model:
        def __init__(self):
            self.weights = np.ones(3)
            self.log = io.StringIO()

    @njit
    def logged(model):
        return model.log

    @njit
    def misspelt(model):
        return model.weigths

    with pytest.raises(TypingError, match="attributes whose values have a type there: weights"):
        logged(Model())
    with pytest.raises(TypingError, match="did you mean weights"):
        misspelt(Model())
