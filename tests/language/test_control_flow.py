"""Branches, loops, returns, and variables that change their type."""

import numpy as np
import pytest
from language.support import assert_same, check_same, compiled, result_type
from numjit import njit
from numjit.errors import TypingError


def test_if_elif_else():
    def f(x):
        if x > 10:
            y = 1
        elif x > 5:
            y = 2
        elif x == 0:
            pass
            y = 3
        else:
            y = 4
        if y == 3:
            y += 10
        return y

    for x in (20, 7, 0, -1):
        assert_same(f, x)


def test_for_else_break_continue():
    def f(n, stop):
        total = 0
        for i in range(n):
            if i % 3 == 1:
                continue
            if i == stop:
                total += 1000
                break
            total += i
        else:
            total += 100000
        return total, i if n > 0 else -1

    for n, stop in ((0, 0), (10, 5), (10, 6), (10, 20), (1, 0)):
        if n:
            assert_same(f, n, stop)


def test_while_else():
    def f(n):
        steps = 0
        while n > 0:
            n -= 3
            steps += 1
            if n == 7:
                break
        else:
            steps = -steps
        return steps

    for n in (0, 1, 9, 10, 13):
        assert_same(f, n)


def test_while_true():
    def f(n):
        i = 0
        while True:
            i += 1
            if i * i >= n:
                return i
            if i > 1000:
                break
        return -1

    for n in (1, 50, 10**7):
        assert_same(f, n)


def test_nested_loops_with_breaks():
    def f(n):
        found = 0
        for i in range(2, n):
            j = 2
            while j * j <= i:
                if i % j == 0:
                    break
                j += 1
            else:
                found += i
                for k in range(3):
                    if k == 1:
                        continue
                    found += k
        return found

    assert_same(f, 50)


def test_triangular_loops():
    def f(n):
        t = 0
        for i in range(n):
            for j in range(i, n):
                for k in range(j, -1, -1):
                    t += i - j * k
                    if t > 10**6:
                        return t
        return t

    for n in (0, 1, 9, 40):
        assert_same(f, n)


def test_loop_variable_after_the_loop():
    def f(n):
        i = -1
        for i in range(n):
            pass
        return i

    for n in (0, 5):
        assert_same(f, n)


def test_changing_the_loop_variable():
    def f(n):
        t = 0
        for i in range(n):
            i = i * 2
            t += i
        return t

    assert_same(f, 10)


def test_early_returns():
    def f(a, x):
        if len(a) == 0:
            return -1
        for i in range(len(a)):
            if a[i] == x:
                return i
            elif a[i] > x:
                return -2
        return -3

    for x in (1, 3, 4, 9):
        assert_same(f, (1, 3, 5), x)


def test_return_types_are_unified():
    def f(x):
        if x > 0:
            return x
        elif x < -5:
            return 0.5
        return True

    assert [compiled(f)(x) for x in (3, -10, -1)] == [3.0, 0.5, 1.0]
    assert result_type(f) == "float64"


def test_returning_none():
    def nothing(x):
        x + 1

    def bare(x):
        if x:
            return
        return None

    for f in (nothing, bare):
        assert_same(f, 1)
        assert result_type(f) == "none"


def test_optional_results():
    def f(x):
        if x > 0:
            return x * 2
        return None

    def g(x):
        if x > 0:
            return 1.5

    for h in (f, g):
        assert_same(h, 4)
        assert_same(h, -4)
        assert "Optional" in result_type(h)


def test_optional_values_inside():
    def find(a, x):
        for i in range(len(a)):
            if a[i] == x:
                return i
        return None

    find = njit(find)

    def f(a, x):
        at = find(a, x)
        if at is None:
            return -1
        return at + 100

    def unchecked(a, x):
        return find(a, x) + 1

    a = np.array([3, 1, 2])
    assert njit(f)(a, 1) == 101
    assert njit(f)(a, 9) == -1
    assert njit(unchecked)(a, 2) == 3
    with pytest.raises(TypeError):
        njit(unchecked)(a, 9)


def test_optional_arguments():
    def f(x, y=None):
        if y is None:
            return x
        return x + y

    assert_same(f, 1)
    assert_same(f, 1, None)
    assert_same(f, 1, 2.5)


def test_variables_change_type():
    def f(n):
        x = n
        y = x * 2
        x = x / 2
        z = x + y
        x = z > 3
        if x:
            w = 1
        else:
            w = 2.5
        return x, y, z, w

    for n in (1, 4):
        result = compiled(f)(n)
        check_same(result[:3], f(n)[:3])
        check_same(result[3], float(f(n)[3]))


def test_type_grows_in_a_loop():
    def f(n):
        x = 0
        for i in range(n):
            x = x + 0.5
        return x

    assert_same(f, 3)
    check_same(compiled(f)(0), 0.0)


def test_type_grows_in_nested_loops():
    def f(n):
        x = 1
        y = 0
        for i in range(n):
            while y.real < i:
                y = y + x
                x = x * 1j * -1j
        return x, y

    x, y = compiled(f)(4)
    assert (x, y) == f(4)


def test_array_or_its_slice():
    def f(a, n):
        b = a
        for i in range(n):
            b = b[1:]
        return b.sum(), len(b)

    assert_same(f, np.arange(10.0), 3)


def test_branch_on_ndim():
    def f(a):
        if a.ndim == 1:
            return a[0]
        elif a.ndim == 2:
            return a[0, 1]
        return a[0, 0, 2]

    for shape in ((3,), (3, 3), (3, 3, 3)):
        assert_same(f, np.arange(float(np.prod(shape))).reshape(shape))


def test_undefined_variable_is_a_typing_error_or_a_value():
    def f(x):
        if x > 0:
            y = 1
        return y

    try:
        assert compiled(f)(1) == 1
    except TypingError as error:
        assert "y" in str(error)


def test_deleted_variables():
    def f(x):
        y = x + 1
        z = y * 2
        del y
        y = 0.5
        return y + z

    assert_same(f, 3)


def test_pass_and_docstrings():
    def f(x):
        """Nothing."""
        if x:
            pass
        else:
            pass
        for i in range(x):
            pass
        while False:
            x = 1
        return x

    assert_same(f, 3)


def test_multiple_assignment():
    def f(a, b):
        a, b = b, a
        x = y = a + b
        x += 1
        (c, d), e = (a, x), y
        [g, h] = d, e
        return a, b, x, y, c, d, e, g, h

    assert_same(f, 1, 2)
    assert_same(f, 1.5, 2.5)


def test_walrus():
    def f(n):
        total = 0
        while (m := n // 2) > 0:
            total += m
            n = m
        return total, (k := n + 1) * k

    assert_same(f, 100)


def test_fibonacci_swaps():
    def f(n):
        a, b = 0, 1
        for _ in range(n):
            a, b = b, a + b
        return a

    for n in (0, 1, 50):
        assert_same(f, n)


def test_loops_over_everything():
    def f(r, a, t, l):
        s = 0.0
        for x in r:
            s += x
        for x in a:
            s *= 1.5
            s += x
        for x in t:
            s -= x
        for x in l:
            s += 2 * x
        return s

    def g(n):
        s = 0
        for i in (3, 1, n):
            for j in [1, 2, n]:
                s = s * 3 + i * j
        return s

    assert_same(f, (1, 2), np.array([1.0, 2.0]), (0.5, 0.25), [1.0, 2.0])
    assert_same(g, 7)


def test_rows_of_an_array():
    def f(a):
        s = 0.0
        for row in a:
            for x in row:
                s = s * 0.5 + x
            s += row[0] + len(row)
        return s

    a = np.arange(12.0).reshape(3, 4)
    for b in (a, a.T, a[::-1, ::2], np.asfortranarray(a)):
        assert_same(f, b)


def test_state_machine():
    def f(a):
        state = 0
        count = 0
        for x in a:
            if state == 0:
                if x == 1:
                    state = 1
                elif x == 2:
                    state = 2
            elif state == 1:
                count += 1
                state = 0 if x == 0 else 2
            else:
                if x != 2:
                    state = 0
                    continue
                count += 10
        return state, count

    rng = np.random.default_rng(0)
    for _ in range(5):
        assert_same(f, rng.integers(0, 3, 30))


def test_many_variables():
    source = "def f(x):\n"
    source += "".join(f"    v{i} = x * {i} + {i % 7}\n" for i in range(200))
    source += "    for k in range(3):\n"
    source += "".join(f"        v{i} += v{(i * 7 + 1) % 200}\n" for i in range(200))
    source += "    return " + " + ".join(f"v{i}" for i in range(200)) + "\n"
    namespace = {}
    exec(compile(source, __file__, "exec"), namespace)
    assert_same(namespace["f"], 3)


def test_deep_nesting():
    depth = 15
    source = "def f(n):\n    t = 0\n"
    for i in range(depth):
        source += "    " * (i + 1) + f"for i{i} in range(1 + (n > {i} and {i} < 3)):\n"
    source += "    " * (depth + 1) + "t += i0 + 2 * i1 + 3 * i2 + 1\n    return t\n"
    namespace = {}
    exec(compile(source, __file__, "exec"), namespace)
    assert_same(namespace["f"], 5)


def test_match_on_numbers():
    def f(x):
        match x:
            case 0:
                return 10
            case 1 | 2:
                return 20
            case _ if x > 100:
                return 30
        return 40

    for x in (0, 1, 2, 3, 101):
        assert_same(f, x)


def test_loops_over_what_widens_in_a_loop_before():
    def numbers(n):
        a = 0
        for _ in range(n):
            a = a + 0.5
        total = 0.0
        for x in [a, a]:
            total += x
        for x in (a, a):
            total += x
        for i, x in enumerate([a]):
            total += i + x
        for _, x in {1: a}.items():
            total += x
        for x in {a}:
            total += x
        return total

    def texts(n):
        s = ""
        for i in range(n):
            for a, b in zip(s, s + "z"):
                if a == b:
                    continue
            s += chr(97 + i)
        n = 0
        for i, _ in enumerate(s):
            n += i
        return s, n

    def within(n):
        a, out = 0, []
        for _ in range(n):
            for j, (x, y) in enumerate(zip([a, 1], (a, a))):
                a = x + y + 0.25 * j
                out.append(a)
                if a > 100:
                    break
        return a, out

    def parts(n):
        a = 0
        for i in range(n):
            a = a + 0.5
        t = ([a], 1)
        for i in range(n):
            t = ([a, a], i)
        return t

    for f in (numbers, texts, within, parts):
        assert_same(f, 3)


def test_variables_of_loops_in_displays():
    def f(n):
        for i in range(n):
            x = i + 0.5
        return [i], {i: x}, [i, "a", x], sorted({i})

    assert_same(f, 3)


@pytest.mark.parametrize("width", [0, 0.0, -0.5, False, 2, 2.5, float("nan")])
def test_branches_on_captured_numbers_are_pruned(width):
    """What a function is made for decides which branches are compiled at all."""
    wide = (lambda x: x * 2) if width > 0 else None
    thin = (lambda x: -x) if not width > 0 else None

    def f(x):
        if width > 0.0:
            y = wide(x)
        else:
            y = thin(x)
        if not width <= 0.0 and width != 0:
            y += 1
        return y

    if wide is not None:
        wide = njit(wide)
    if thin is not None:
        thin = njit(thin)
    assert_same(f, 3)


@pytest.mark.parametrize("n", [-3, 0, 1, 2, 7])
def test_counting_while_loops(n):
    def up(n):
        i, s, last = 0, 0, -1
        while i < n:
            s = s * 3 + i
            last = i * i
            i += 1
        return i, s, last

    def by_steps(n):
        i, s = n, 0.0
        while i > -10:
            s += 1 / (i + 0.5)
            i -= 3
        return i, s

    def else_and_break(n):
        i, s = 0, 0
        while i < n:
            s += i
            if s == 3:
                break
            i = i + 2
        else:
            s = -s
        return i, s

    def bound_that_moves(n):
        i, items = 0, [n]
        while i < len(items):
            if items[i] > 0:
                items.append(items[i] - 1)
            i += 1
        return items

    def nested(n):
        i, s = 0, 0
        while i < n:
            j = i
            while j < n:
                s = (s * 7 + i * j) % 1000003
                j += 1
            i += 1
        return i, s

    def negative_index(n):
        a, i, s = np.arange(5.0), n - 3, 0.0
        while i < 4:
            s = s * 2 + a[i]
            i += 1
        return s

    for f in (up, by_steps, else_and_break, bound_that_moves, nested, negative_index):
        if f is not negative_index or n > -2:
            assert_same(f, n)
