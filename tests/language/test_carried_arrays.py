"""Small arrays that a loop replaces by new ones, which live in registers meanwhile."""

import threading

import numpy as np
import pytest
from language.support import Programs, assert_same, compiled
from numjit import njit
from numjit.dump import dump_function

PROGRAMS = Programs()
program = PROGRAMS.add


@njit
def slope(s):
    return np.array([10.0 * (s[1] - s[0]), s[0] * (28.0 - s[2]) - s[1], s[0] * s[1] - s[2]])


@program(50)
def state_of_the_end(n):
    s = np.array([1.0, 2.0, 3.0])
    for _ in range(n):
        s = s + 0.001 * slope(s)
    return s


@program(0)
def no_iteration(n):
    s = np.array([1.0, 2.0, 3.0])
    for _ in range(n):
        s = s * 2
    return s


@program(30)
def stages(n):
    s, h = np.array([1.0, 2.0, 3.0]), 0.01
    for _ in range(n):
        k1 = slope(s)
        k2 = slope(s + h / 2 * k1)
        k3 = slope(s + h / 2 * k2)
        k4 = slope(s + h * k3)
        s = s + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return s.sum()


@program(20)
def trajectory(n):
    out, s = np.empty((n, 3)), np.array([1.0, 2.0, 3.0])
    for i in range(n):
        out[i] = s
        s = s + 0.001 * slope(s)
    return out, s


@program(6)
def states_before_are_kept(n):
    s, seen = np.array([1.0, 2.0]), []
    for _ in range(n):
        seen.append(s)
        s = s * 2
    return s, seen


@program(6)
def the_one_before(n):
    s = before = np.array([1.0, 2.0])
    for _ in range(n):
        before = s
        s = s * 2 + before[::-1]
    return s, before


@program(7)
def two_change_places(n):
    a, b = np.array([0, 1]), np.array([1, 5])
    for _ in range(n):
        a, b = b, a + b
    return a, b


@program(7)
def first_is_kept(n):
    first = s = np.array([1.0, 2.0])
    for _ in range(n):
        s = s + first
    return s, first


@program(7)
def first_is_written(n):
    s = np.array([1.0, 2.0])
    first = s
    for i in range(n):
        s[0] += i
        s = s + 1
    return s, first


@program(9)
def replaced_sometimes(n):
    s = np.array([1.0, 2.0])
    for i in range(n):
        if i % 3:
            s = s * 2
        else:
            s[1] -= i
    return s


@program(9)
def left_by_break(n):
    s = np.array([1.0, 2.0])
    for i in range(n):
        if s[0] > 20:
            break
        s = s * 3
        if i == 5:
            return s - 1
    return s


@program(1e-12)
def two_ends(eps):
    x, n = np.array([1.0, 1.0]), 0
    while True:
        y = np.array([(x[0] + 2 / x[0]) / 2, (x[1] + 3 / x[1]) / 2])
        n += 1
        if abs(y[0] - x[0]) + abs(y[1] - x[1]) < eps:
            break
        x = y
    return x, y, n


@program(5)
def nested(n):
    total = np.zeros(2)
    for i in range(n):
        s = np.array([1.0, i])
        for j in range(i):
            s = s * 2 + j
            for _ in range(2):
                s = s - 1
        total = total + s
    return total


@program(5)
def outlives_the_inner_loop(n):
    s = np.ones(2)
    found = []
    for i in range(n):
        for _ in range(i):
            s = s * 2
        found.append(s)
        s = s + 1
    return s, found


@program(4)
def matrices(n):
    m, step = np.eye(2), np.array([[1, 1], [1, 0]])
    for _ in range(n):
        m = m @ step
    return m


@program(4)
def powers(n):
    m = np.array([[1, 1], [1, 0]])
    for _ in range(n):
        m = np.array(
            [
                [m[0, 0] + m[0, 1], m[0, 0]],
                [m[1, 0] + m[1, 1], m[1, 0]],
            ]
        )
    return m


@program(4)
def other_dtypes(n):
    a, b = np.array([1, 2, 3], np.int8), np.array([1j, 2.0])
    c, d = np.array([True, False]), np.array([1, 2], np.float32)
    for i in range(n):
        a, b, c, d = a * a, b * 1j + i, ~c, d / 2
    return a, b, c, d


@program(4)
def views_of_it(n):
    s, total = np.arange(6.0), 0.0
    for _ in range(n):
        t = s[1:4]
        t[0] = -1
        total += t.sum()
        s = s[::-1] * 1.5
    return s, total


@program(4)
def as_large_as_may_be(n):
    s, t = np.arange(128.0), np.arange(129.0)
    for i in range(n):
        s = s + i
        t = t + s[0]
    return s, t


@program(3)
def many_of_them(n):
    a = b = c = d = e = f = g = h = p = q = np.ones(100)
    for i in range(n):
        a, b, c, d, e = b + i, c + i, d + i, e + i, f + i
        f, g, h, p, q = g + i, h + i, p + i, q + i, a + i
    return a, b, c, d, e, f, g, h, p, q


@program(3)
def in_a_handler(n):
    s = np.array([1.0, 2.0])
    for i in range(2 * n):
        try:
            if i == n:
                raise ValueError("no more")
            s = s * 2
        except ValueError:
            return s, i
    return s, -1


@program(3)
def raises_in_the_middle(n):
    s = np.array([1.0, 2.0])
    for i in range(2 * n):
        s = s * 2
        if i == n:
            raise ValueError("no more")
    return s


@program(3)
def is_an_argument_of_others(n):
    s = np.array([1.0, 2.0, 3.0])
    for i in range(n):
        s[:] = np.sort(-s)
        s = np.cumsum(s) + np.linalg.norm(s) * i
    return s


@program(5)
def empty_ones(n):
    s = np.empty(0)
    for _ in range(n):
        s = s + 1
    return s


@program(np.array([1.0, 2.0]), 3)
def of_an_argument(s, n):
    for _ in range(n):
        s = s + 1
    return s


@program(3)
def overlaps_itself(n):
    s = np.arange(5.0)
    for _ in range(n):
        s[1:] = s[:-1] + 1
        s = s * 2
        s[:] = s[::-1]
    return s


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    function, arguments = PROGRAMS[name]
    assert_same(function, *arguments, rtol=1e-12)


def test_no_memory_is_asked_for_in_the_loop():
    text = dump_function(compiled(state_of_the_end), "(int64,)", "llvm")
    body = text[text.index("@numjit.entry(") : text.index("\n}")]
    assert body.count("numjit_new_block") == 1  # of the result


def test_threads():
    results = [None] * 16

    def work(i):
        results[i] = compiled(trajectory)(i + 20)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, (out, s) in enumerate(results):
        want, end = compiled(trajectory)(i + 20)
        assert (out == want).all() and (s == end).all()
