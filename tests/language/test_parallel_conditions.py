"""Variables and elements of loops over prange that conditions decide about."""

import numpy as np
import pytest
from language.engine import ENGINE
from language.parallel_loops import same
from numjit import prange
from numjit.errors import NumbaParallelSafetyWarning

pytestmark = pytest.mark.skipif(ENGINE != "numjit", reason="compares with numjit's own rules")


@pytest.mark.parametrize("step", [0, 1, 2])
def test_accesses_that_a_condition_of_the_whole_loop_keeps_apart(step):
    def alternate(even, odd, step):
        for back in prange(1, len(even)):
            j = len(even) - back
            if step % 2 == 0:
                even[j] = odd[j - 1] + 1
            else:
                odd[j] = even[j - 1] - 1
        return even, odd

    same(alternate, np.arange(50.0), np.arange(50.0) * 3, step)

    def not_apart(even, odd, step):
        for j in prange(1, len(even)):
            if j % 2 == 0:
                even[j] = odd[j - 1] + 1
            else:
                odd[j] = even[j - 1] - 1

    with pytest.warns(NumbaParallelSafetyWarning, match="an element of array"):
        same(not_apart, np.arange(5.0), np.arange(5.0), step)


@pytest.mark.parametrize("own", [False, True])
def test_variables_that_a_condition_of_the_whole_loop_decides_about(own):
    def bounds(n, own):
        out = np.zeros((n, n))
        if not own:
            m = np.arange(3.0)
        for i in prange(n):
            for j in range(i + 1, n):
                if own:
                    m = np.full(i + 1, 2.0 * j)
                out[i, j] = m.sum()
                out[j, i] = out[i, j] + len(m)
        return out

    def two_conditions(n, own, b):
        x = 1.0
        out = np.zeros(n)
        for i in prange(n):
            if own:
                x = i * 2.0
            elif b > 3:
                x = i * 3.0
            if not own and b <= 3:
                out[i] = x
            out[i] += x
        return out

    same(bounds, 9, own)
    for b in (1, 5):
        same(two_conditions, 9, own, b)


def test_variables_that_a_condition_of_the_iteration_decides_about():
    def twice(x):
        out = np.zeros(len(x))
        for i in prange(len(x)):
            norm = x[i] > 3
            if norm:
                m = x[i] * 2
                s = x[i] + 1
            else:
                v = x[i]
            if norm:
                v = m - s
            out[i] = v
            if norm:
                out[i] += m
        return out

    def in_an_inner_loop(x):
        out = np.zeros((2, len(x)))
        for i in prange(len(x)):
            for j in range(3):
                norm = int(x[(i + j) % len(x)]) % 2
                if norm:
                    m, s = x[i] * 2, 3.0
                else:
                    v = x[i]
                if norm:
                    v = m - s
                out[norm, i] += v
        return out

    def leaves(x):
        m = 0.0
        out = np.zeros(len(x))
        for i in prange(len(x)):
            norm = x[i] > 3
            if not norm:
                m = x[i] * 2
            if norm:
                continue
            out[i] = m
        return out

    for f in (twice, in_an_inner_loop, leaves):
        same(f, np.arange(20.0))


def test_conditions_that_change_between_assignment_and_use():
    def another(x, out):
        m = 0.0
        for i in prange(len(x)):
            norm = x[i] > 3
            if norm:
                m = x[i] * 2
            norm = x[i] > 2
            if norm:
                out[i] = m

    def not_always(x, out):
        m = 0.0
        for i in prange(len(x)):
            for j in range(3):
                norm = x[(i + j) % len(x)] > 3
                if j == 1 and norm:
                    m = x[i] * 2
                if norm:
                    out[i] = m

    def of_the_turn_before(x, out):
        m = 0.0
        for i in prange(len(x)):
            norm = False
            for j in range(3):
                if norm:
                    out[i] = m
                norm = x[i] > j
                if norm and j > 1:
                    m = x[i]

    def a_list(x, out):
        m = 0.0
        for i in prange(len(x)):
            norm = [i][:0]
            if norm:
                m = x[i]
            norm.append(i)
            if norm:
                out[i] = m

    for f in (another, not_always, of_the_turn_before, a_list):
        with pytest.warns(NumbaParallelSafetyWarning, match="carries a value from one iteration"):
            same(f, np.arange(9.0), np.zeros(9))


def test_variables_that_no_condition_of_the_whole_loop_decides_about():
    def carries(x, own):
        m = 1.0
        for i in prange(len(x)):
            if own:
                m = m * 2
            x[i] = m

    def reads_first(x, own):
        m = 1.0
        for i in prange(len(x)):
            x[i] = m
            if own:
                m = i * 2.0

    def condition_changes(x, own):
        m = 1.0
        for i in prange(len(x)):
            if i > 3:
                own = not own
            if own:
                m = i * 2.0
            x[i] = m

    def condition_is_read(x, own):
        m = 1.0
        flags = np.array([own])
        for i in prange(len(x)):
            if flags[0]:
                m = i * 2.0
            x[i] = m

    for f in (carries, reads_first, condition_changes, condition_is_read):
        with pytest.warns(NumbaParallelSafetyWarning, match="carries a value from one iteration"):
            same(f, np.zeros(9), True)
