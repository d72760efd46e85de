"""copy.copy and copy.deepcopy."""

import copy

import numpy as np
import pytest
from language.support import assert_same, compiled
from numjit.errors import TypingError


def lists(n):
    x = [[1], [2]]
    deep, flat = copy.deepcopy(x), copy.copy(x)
    x[0].append(n)
    x.append([n])
    return deep, flat, x, copy.deepcopy([[["a"]]])


def dicts(n):
    d = {"a": [1], "b": [2]}
    deep, flat = copy.deepcopy(d), copy.copy(d)
    d["a"].append(n)
    d["c"] = [n]
    return sorted(deep.items()), sorted(flat.items()), sorted(copy.copy({1, 2, n}))


def arrays(n):
    x = np.arange(n)
    flat, deep = copy.copy(x), copy.deepcopy([x, x + 1])
    x[0] = 9
    return flat, deep[0], deep[1]


def tuples(n):
    t = ([1], n, ("a", [n]))
    deep, flat = copy.deepcopy(t), copy.copy(t)
    t[0].append(3)
    t[2][1].append(4)
    return deep, flat


def what_never_changes(n):
    return copy.copy(n), copy.deepcopy("s"), copy.deepcopy(2.5), copy.copy(None), copy.copy(b"ab")


@pytest.mark.parametrize("f", [lists, dicts, arrays, tuples, what_never_changes])
def test_copies(f):
    assert_same(f, 3)


def test_a_copy_of_an_argument():
    def f(x):
        y = copy.deepcopy(x)
        y[0][0] = 7.5
        return x, y

    assert_same(f, [[1.0], [2.0]])


def test_refused():
    with pytest.raises(TypingError, match="takes numbers, texts, containers, arrays and instances"):
        compiled(lambda n: copy.copy(lambda x: x + n)(1))(3)
    with pytest.raises(TypingError, match="takes one argument"):
        compiled(lambda n: copy.deepcopy(n, {1: 2}))(3)
