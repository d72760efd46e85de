"""Lists, sets and dataclasses that compiled code and a block of objmode both change."""

import array
import dataclasses
import gc

import numpy as np
import pytest
from language.engine import live_blocks
from numjit import njit, objmode

seen: list = []


@dataclasses.dataclass
class Point:
    x: float
    y: int


def append(x):
    x[0] = x[1]
    with objmode():
        x.append(x[0])
    return x[0], len(x), x[-1]


def read(x):
    x[0] = x[1]
    with objmode():
        seen.append(list(x))
    return x[0]


def clear(x):
    del x[0]
    with objmode():
        x.clear()
    return len(x)


def not_handed_over(x):
    x[0] = x[1]
    with objmode():
        seen.append(1)
    x.append(x[0])
    return x[0], len(x)


def in_tuple(x):
    y = (x, [x[0]], 1)
    x[0] = x[1]
    with objmode():
        y[0].append(y[0][0])
        y[1].append(y[0][1])
    return y[0][0], len(x), len(y[1]), y[1][-1]


def optional(x):
    y = None
    if len(x) > 1:
        y = x
    x[0] = x[1]
    with objmode():
        y.append(x[0])
    return x[0], len(x)


def made(x):
    y = [x[0], x[0]]
    with objmode():
        y.append(x[1])
    y.append(x[0])
    with objmode():
        y.append(y[-1])
    return y, len(y)


def nested(x):
    y = [[x[0]], [x[0], x[1]]]
    inner = y[0]
    twice = [inner, inner]
    with objmode():
        y[0].append(x[1])
        y.append([x[0]])
        twice[1].append(x[0])
    inner.append(x[0])
    return y, inner, twice, len(y)


def several_times(x):
    for _ in range(3):
        x[len(x) - 1] = x[0]
        with objmode():
            x.append(x[-1])
    return len(x), x[-1]


@njit
def append_first(y):
    with objmode():
        y.append(y[0])


def called(x):
    x[0] = x[1]
    append_first(x)
    return x[0], len(x)


def returned(x):
    x[0] = x[1]
    with objmode():
        x.append(x[0])
    return x


def raising(x):
    x[0] = x[1]
    try:
        with objmode():
            x.append(x[0])
            raise ValueError("stop")
    except ValueError:
        pass
    return x[0], len(x)


LISTS = [append, read, clear, not_handed_over, in_tuple, optional, made, nested]
LISTS += [several_times, called, returned, raising]


@pytest.mark.parametrize("items", [[1, 2], [1.5, 2.5], ["a", "bc"], [True, False]], ids=str)
@pytest.mark.parametrize("function", LISTS, ids=lambda f: f.__name__)
def test_lists(function, items):
    expected, argument = list(items), list(items)
    seen.clear()
    result = function(expected)
    shown = list(seen)
    seen.clear()
    compiled = njit(function)
    before = live_blocks()
    assert compiled(argument) == result
    assert argument == expected
    assert seen == shown
    gc.collect()
    assert live_blocks() == before


def test_lists_of_arrays_keep_what_was_written():
    @njit
    def f(x):
        x[0] = x[1]
        with objmode():
            x.append(x[0] + 1)
        return x[0][0], len(x), x[2][0]

    x = [np.zeros(2), np.ones(2)]
    assert f(x) == (1.0, 3, 2.0)
    assert x[0][0] == 1 and x[2][0] == 2


def test_a_list_under_two_names_is_one():
    @njit
    def f(x, y):
        x[0] = 50
        with objmode():
            y.append(7)
        x.append(8)
        return y[0], len(x), len(y)

    x = [1, 2]
    assert f(x, x) == (50, 4, 4)
    assert x == [50, 2, 7, 8]


def test_a_list_that_comes_back_is_the_one_that_was_given():
    @njit
    def f(x):
        with objmode(y="List(int64)"):
            x.append(3)
            y = x
        y.append(4)
        return len(x), x is y

    x = [1, 2]
    assert f(x) == (4, True)
    assert x == [1, 2, 3, 4]


def test_sets():
    @njit
    def f(s):
        s.add(50)
        with objmode(n="int64"):
            n = len(s)
            s.add(7)
            s.discard(1)
        s.add(8)
        return n, len(s), 1 in s, 7 in s

    s = {1, 2}
    assert f(s) == (3, 4, False, True)
    assert s == {2, 50, 7, 8}


def test_sets_made_in_compiled_code():
    @njit
    def f(a):
        s = {a, 2}
        with objmode():
            s.add(9)
        return len(s), 9 in s

    assert f(1) == (3, True)


def test_dataclasses():
    @njit
    def f(p):
        p.x = 5.0
        with objmode():
            seen.append(p.x)
            p.y = 7
        p.x += 1
        return p.x, p.y

    seen.clear()
    p = Point(1.0, 2)
    assert f(p) == (6.0, 7)
    assert p == Point(6.0, 7)
    assert seen == [5.0]


def test_dataclasses_made_in_compiled_code():
    @njit
    def f(x):
        p = Point(x, 1)
        both = [p, p]
        with objmode():
            p.y = 7
            both[1].x += 1.0
        return p.x, p.y, both[0].x

    assert f(1.0) == (2.0, 7, 2.0)


def test_an_exception_leaves_what_both_sides_did():
    @njit
    def f(x):
        x[0] = 50
        with objmode():
            x.append(7)
            raise ValueError("stop")

    x = [1, 2]
    with pytest.raises(ValueError, match="stop"):
        f(x)
    assert x == [50, 2, 7]


def test_an_item_of_another_class_is_an_error_and_stays():
    @njit
    def f(x):
        x[0] = 50
        with objmode():
            x.append("seven")

    x = [1, 2]
    with pytest.raises(TypeError, match="heterogeneous list: str"):
        f(x)
    assert x == [50, 2, "seven"]


def test_print_shows_what_compiled_code_wrote(capfd):
    @njit
    def f(x, s):
        x[0] = 50
        s.add(3)
        print(x, (x, s))
        x.append(1)

    x, s = [1, 2], {1}
    f(x, s)
    assert capfd.readouterr().out == "[50, 2] ([50, 2], {1, 3})\n"
    assert x == [50, 2, 1]


def test_exceptions_hold_lists_as_they_are():
    @njit
    def f(x):
        x[0] = 50
        raise ValueError(x)

    x = [1, 2]
    with pytest.raises(ValueError) as caught:
        f(x)
    assert caught.value.args == ([50, 2],)


@pytest.mark.parametrize("make", [bytearray, lambda b: array.array("B", b)], ids=["bytes", "array"])
def test_memory_that_compiled_code_works_on_is_not_moved(make):
    @njit
    def f(x):
        x[0] = 50
        with objmode():
            x[1] = 60
            try:
                seen[0].extend(bytes(100000))
            except BufferError:
                seen.append("refused")
        return x[0], x[1], len(x)

    x = make(b"abc")
    seen[:] = [x]
    assert f(x) == (50, 60, 3)
    assert seen == [x, "refused"]
    x.extend(b"d")
    assert len(x) == 4
