"""Methods of a random.Random of the program's own, which the interpreter executes."""

import random

import numpy as np
import pytest
from numjit import njit
from numjit.errors import TypingError

SOURCE = random.Random(3)
roll = SOURCE.randint
uniform, bits, draw, choose = SOURCE.uniform, SOURCE.getrandbits, SOURCE.random, SOURCE.choice


def numbers(n):
    out = np.empty(n)
    for i in range(n):
        out[i] = roll(1, 6) + uniform(0.0, 0.5) + draw() * 1e-3
    return out, bits(30)


def test_the_same_numbers():
    SOURCE.seed(3)
    expected = numbers(5)
    SOURCE.seed(3)
    found = njit(numbers)(5)
    assert np.array_equal(found[0], expected[0]) and found[1] == expected[1]


def test_those_of_the_module_have_a_state_of_their_own():
    state = random.getstate()
    assert 1 <= njit(lambda: roll(1, 6))() <= 6
    assert random.getstate() == state


def test_errors():
    with pytest.raises(ValueError):
        njit(lambda: roll(3, 1))()
    with pytest.raises(TypingError, match="random.Random.choice"):
        njit(lambda: choose([1, 2]))()
