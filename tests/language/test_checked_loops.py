"""Loops whose indices are checked: what they raise, where, and what they did before.

The compiler moves such tests out of loops. Arrays of all short lengths meet all bounds here.
"""

import inspect
import itertools
import re

import numpy as np
import pytest
from numjit import njit

pytestmark = pytest.mark.one_python


def products(a, b, c, low, high):
    for i in range(low, high):
        c[i] = a[i] + 2 * b[i]


def total(a, b, c, low, high):
    s = 0.0
    for i in range(low, high):
        s += a[i] * b[i]
    return s


def stored_between(a, b, c, low, high):
    for i in range(low, high):
        c[i] = a[i]
        c[0] += b[i]


def shifted(a, b, c, low, high):
    for i in range(low, high):
        c[i] = a[i + 1] - b[i - low]


def downwards(a, b, c, low, high):
    s = 0.0
    for i in range(high, low, -1):
        s = s / 2 + a[i] - b[i - 1]
    return s


def by_two(a, b, c, low, high):
    s = 0.0
    for i in range(low, high, 2):
        s = s / 2 + a[i] - b[i]
    return s


def caught(a, b, c, low, high):
    s, last = 0.0, -1
    try:
        for i in range(low, high):
            s += a[i]
            last = i
            s += b[i]
    except IndexError:
        s = -s
    return s, last


def caught_in_a_loop(a, b, c, low, high):
    s = 0.0
    for shift in range(3):
        try:
            for i in range(low, high):
                s += a[i + shift] * b[i]
        except IndexError:
            s += 1000
    return s


def nested(a, b, c, low, high):
    s = 0.0
    for i in range(low, high):
        for j in range(low, high):
            s = s / 2 + a[i] * b[j]
        c[i] = s


def nested_twice(a, b, c, low, high):
    s = 0.0
    for i in range(low, high):
        for j in range(low, i + 1):
            s = s / 2 + a[j] - b[j + i]
    return s


def left_early(a, b, c, low, high):
    s = 0.0
    for i in range(low, high):
        if i == 2:
            break
        s += a[i] + b[i]
    else:
        s = -s
    return s


def left_for_the_same_place(a, b, c, low, high):
    s = 0.0
    for i in range(low, high):
        s = s * 0.5 + a[i + 2]
        for j in range(len(a)):
            s = s * 0.5 + b[i]
            if j == high:
                break
    return s


def returned_early(a, b, c, low, high):
    s = 0.0
    for i in range(low, high):
        s += a[i]
        if i == 2:
            return s, i
        s += b[i]
    return s, -1


def left_at_a_length(a, b, c, low, high):
    s, i = 0.0, low
    while i < high:
        if i == len(b):
            break
        s += a[i]
        i += 1
    return s, i


def fibonacci(a, b, c, low, high):
    before, now = 0.0, 1.0
    try:
        for i in range(low, high):
            before, now = now, before + now * a[i]
    except IndexError:
        return before, now
    return now, before


def rows(a, b, c, low, high):
    table = np.outer(a, b)
    for i in range(low, high):
        for j in range(low, high):
            table[i, j] += table[j, i]
    return table


PROGRAMS = [
    products,
    total,
    stored_between,
    shifted,
    downwards,
    by_two,
    caught,
    caught_in_a_loop,
    nested,
    nested_twice,
    left_early,
    left_for_the_same_place,
    returned_early,
    left_at_a_length,
    fibonacci,
    rows,
]


def from_zero(f):
    """The same program with indices that the compiler knows for not negative."""
    scope = {"np": np}
    exec(inspect.getsource(f).replace("range(low, ", "range("), scope)
    return scope[f.__name__]


def outcome(f, lengths, low, high):
    """What it gives or raises, and the arrays afterwards; as text, in which NaN is NaN. Unlike
    assert_same it compares the text of an error, and what was stored before it."""
    arrays = [np.arange(1.0, n + 1) * scale for n, scale in zip(lengths, (1, 10, 100))]
    try:
        result = f(*arrays, low, high)
        result = result if result is None else np.array(result, float).tolist()
    except (IndexError, ValueError) as error:
        result = error
    return repr((result, [a.tolist() for a in arrays]))


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("change", [lambda f: f, from_zero], ids=["from low", "from zero"])
def test_checked_loops_raise_where_the_interpreter_does(f, change):
    f = change(f)
    compiled = njit(boundscheck=True)(f)
    for lengths in itertools.product((0, 1, 2, 5, 9), (0, 1, 3, 5, 9), (0, 4, 9)):
        for low, high in ((0, 0), (0, 1), (0, 5), (0, 9), (1, 4), (-2, 2), (3, 1)):
            assert outcome(compiled, lengths, low, high) == outcome(f, lengths, low, high)


def test_no_iteration_tests_its_indices():
    """The loop is one block that jumps to itself; with a test in it there are two."""

    @njit(boundscheck=True)
    def f(a, b):
        s = 0.0
        for i in range(len(a)):
            s = s * 0.5 + a[i] * b[i]
        return s

    assert f(np.arange(3.0), np.arange(4.0)) == 4.5
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 5"):
        f(np.arange(20.0), np.arange(5.0))
    blocks = re.split(r"\n(?=[\w.$\"]+:)", f.inspect_llvm(f.signatures[0]))
    loops = [
        block
        for block in blocks
        if "fmul" in block
        and re.search(rf"br i1 .*label %{re.escape(block.split(':', 1)[0])}\b", block)
    ]
    assert len(loops) in (1, 2)  # one that makes several steps, and one for what that leaves over
