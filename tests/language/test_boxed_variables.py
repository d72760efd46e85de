"""Variables that inner functions assign (nonlocal) which cannot be made anew at each call: they
call themselves, are passed on, or are called where an exception is caught."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from language.support import assert_same
from numjit import njit
from numjit.errors import UnsupportedError


def queens(n):
    count = 0
    columns, rising, falling = set(), set(), set()

    def place(row):
        nonlocal count
        if row == n:
            count += 1
            return
        for c in range(n):
            if c in columns or row + c in rising or row - c in falling:
                continue
            columns.add(c)
            rising.add(row + c)
            falling.add(row - c)
            place(row + 1)
            columns.remove(c)
            rising.remove(row + c)
            falling.remove(row - c)

    place(0)
    return count


def read_and_written_outside(n):
    total = 0.0

    def walk(k):
        nonlocal total
        total += k * 0.5
        if k > 0:
            walk(k - 1)
        return total

    first = walk(n)
    total = total + 1
    return first, walk(1), total, [total + i for i in range(2)]


def two_functions(n):
    odd = even = 0

    def is_even(k):
        nonlocal even
        even += 1
        return True if k == 0 else is_odd(k - 1)

    def is_odd(k):
        nonlocal odd
        odd += 1
        return False if k == 0 else is_even(k - 1)

    return is_even(n), odd, even


def parameter(n):
    def add(k):
        nonlocal n
        n += k
        if k > 0:
            add(k - 1)

    add(3)
    return n


def none_at_first(n):
    best = None

    def search(k, total):
        nonlocal best
        if k == n:
            if best is None or total > best:
                best = total
            return
        search(k + 1, total + k)
        search(k + 1, total - k)

    search(0, 0)
    return best


def depth_first(n):
    time = 0
    order = []
    seen = [False] * n
    neighbours = [[(i * 2) % n, (i + 1) % n] for i in range(n)]

    def visit(u):
        nonlocal time
        seen[u] = True
        time += 1
        for v in neighbours[u]:
            if not seen[v]:
                visit(v)
        order.append((u, time))

    for i in range(n):
        if not seen[i]:
            visit(i)
    return order, time


def list_that_is_empty_at_first(n):
    least, path = 10**9, []

    def go(i, current, cost):
        nonlocal least, path
        if cost >= least:
            return
        if i == n:
            least, path = cost, current[:]
            return
        for j in range(2):
            current.append(j)
            go(i + 1, current, cost + abs(i - 2 * j))
            current.pop()

    go(0, [], 0)
    return least, path


def a_float_later(n):
    total = 0

    def add(k):
        nonlocal total
        total += 0.5
        if k > 0:
            add(k - 1)

    add(n)
    return total


def functions_in_functions(n):
    count = 0

    def outer(k):
        def inner(q):
            nonlocal count
            count += q
            if q > 0:
                inner(q - 1)

        inner(k)
        if k > 0:
            outer(k - 1)

    outer(n)
    return count


def texts_and_arrays(n):
    text, sums = "", np.zeros(2)

    def spell(k):
        nonlocal text, sums
        text += chr(97 + k)
        sums = sums + k
        if k > 0:
            spell(k - 1)

    spell(n)
    return text, sums


def raised(n):
    count = 0

    def fail(k):
        nonlocal count
        try:
            count += 1
            if k == 0:
                raise ValueError("end")
            fail(k - 1)
        except ValueError:
            count += 100
            raise

    try:
        fail(n)
    except ValueError:
        return count
    return -1


def passed_on(n):
    total = 0

    def add(x):
        nonlocal total
        total += x
        return total

    def twice(f, x):
        f(x)
        return f(x)

    return list(map(add, range(n))), twice(add, n), total


def called_in_a_try_block(n):
    total = 0

    def add(x):
        nonlocal total
        total += x
        if x > 2:
            raise ValueError("large")

    for i in range(n):
        try:
            add(i)
        except ValueError:
            total += 1000
    return total


def generator(n):
    total = 0

    def sums(k):
        nonlocal total
        for i in range(k):
            total += i
            yield total

    return [x for x in sums(n)], total


def items_of_a_list(n):
    total = 0

    def add(x):
        nonlocal total
        total += x

    for f in [add, add]:
        f(n)
    return total


def key_of_a_sort(n):
    most = 0

    def key(x):
        nonlocal most
        most = max(most, x)
        return -x

    return sorted([3, 1, n], key=key), most


def counters(n):
    def counter():
        count = 0

        def step():
            nonlocal count
            count += 1
            return count

        return step

    first, second = counter(), counter()
    return first() + first() * 10 + second() * 100 + n


PROGRAMS = [
    passed_on,
    called_in_a_try_block,
    generator,
    items_of_a_list,
    key_of_a_sort,
    counters,
    queens,
    read_and_written_outside,
    two_functions,
    parameter,
    none_at_first,
    depth_first,
    list_that_is_empty_at_first,
    a_float_later,
    functions_in_functions,
    texts_and_arrays,
    raised,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [1, 5])
def test_programs(f, n):
    assert_same(f, n)


def test_threads_have_variables_of_their_own():
    f = njit(queens)
    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(f, [6, 5] * 32)) == [4, 10] * 32


def test_first_value_in_a_loop_is_refused():
    @njit
    def f(n):
        for _ in range(2):
            count = 0

            def add(k):
                nonlocal count
                count += 1
                if k > 0:
                    add(k - 1)

            add(n)
        return count

    with pytest.raises(UnsupportedError, match="'count' needs its first value in front of loops"):
        f(3)


def test_functions_that_share_a_variable_are_not_given_to_python():
    @njit
    def f():
        total = 0

        def add(x):
            nonlocal total
            total += x
            return total

        return add

    with pytest.raises(TypeError, match="'add' cannot be given to Python: it shares variable"):
        f()
