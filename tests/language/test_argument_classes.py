"""What an argument is follows from its class, which is remembered: also where classes come late."""

import array
import collections
import enum
from dataclasses import dataclass

import numpy as np
import pytest
from numjit import njit, types
from numjit.errors import TypingError
from numjit.extending import typeof_impl


@njit
def itself(x):
    return x


@njit
def length(x):
    return len(x)


def test_more_classes_than_are_remembered_in_front():
    for base, value in ((int, 3), (str, "abc"), (tuple, (1, 2.5)), (list, [1, 2]), (dict, {1: 2})):
        for number in range(120):
            cls = type(f"C{number}", (base,), {})
            assert itself(cls(value)) == value
        assert itself(value) == value


def test_named_tuples_made_anew():
    for number in range(5):
        cls = collections.namedtuple("Point", ["x", f"y{number}"])
        made = itself(cls(1, 2.5))
        assert type(made) is cls and made == (1, 2.5)


def test_the_nearest_base_counts():
    class Text(str):
        pass

    class Level(int, enum.Enum):
        LOW = 1

    @dataclass(frozen=True)
    class Pair:
        x: int
        y: float

    class Other(Pair):
        pass

    assert itself(Text("a")) == "a"
    assert itself(Level.LOW) is Level.LOW
    assert itself(Pair(1, 2.0)) == Pair(1, 2.0)
    assert njit(lambda p: p.x + p.y)(Other(1, 2.0)) == 3.0
    assert njit(lambda a: len(a))(array.array("d", [1.5, 2.0])) == 2
    assert itself(np.str_("b")) == "b"


def test_bytearrays_of_subclasses_are_changed():
    class Buffer(bytearray):
        pass

    @njit
    def fill(b):
        for i in range(len(b)):
            b[i] = i

    for cls in (bytearray, Buffer):
        buffer = cls(3)
        fill(buffer)
        assert buffer == b"\0\1\2"


def test_a_class_registered_after_it_was_seen():
    class Celsius:
        __slots__ = ("degrees",)

    hot = Celsius()
    with pytest.raises(TypingError, match="cannot determine"):
        itself(hot)
    assert length([hot.__class__.__name__]) == 1

    @typeof_impl.register(Celsius)
    def typeof_celsius(value, context):
        return types.float64

    with pytest.raises((TypingError, TypeError, NotImplementedError)) as raised:
        itself(hot)
    assert "cannot determine" not in str(raised.value)
