"""Calls: defaults, keywords, *args, recursion, closures, lambdas, functions as arguments."""

import enum
import functools
import math
import operator
import os
import subprocess
import sys

import numpy as np
import pytest
from language.support import assert_same, check_same, compiled, result_type
from numjit import cfunc, njit
from numjit.errors import NumbaError, TypingError, UnsupportedError

SCALE = 3
OFFSETS = (1, 2.5)
TABLE = np.array([1.5, 2.5, 4.0])
FLAGS = {"unused": 1}


def test_defaults():
    def f(a, b=3, c=0.5):
        return a + b * c

    assert_same(f, 1)
    assert_same(f, 1, 2)
    assert_same(f, 1, 2, 4)
    assert compiled(f)(1, c=2) == f(1, c=2)
    assert compiled(f)(c=2, a=1, b=4) == f(c=2, a=1, b=4)


def test_defaults_of_many_types():
    def f(a=1, b=(1, 2.5), c=None, d=True, e=1j):
        return a, b[1], c is None, d, e

    assert_same(f)
    assert_same(f, 2, (3, 4.5), 1)


def test_keyword_only_and_positional_only():
    def f(a, /, b, *, c=2):
        return a * 100 + b * 10 + c

    assert compiled(f)(1, 2) == 122
    assert compiled(f)(1, b=2, c=3) == 123


def test_star_args():
    def f(a, *rest):
        total = a
        for x in rest:
            total = total * 10 + x
        return total, len(rest)

    for args in ((1,), (1, 2), (1, 2, 3), (1, 2.5, 3)):
        assert_same(f, *args)


def test_star_args_are_passed_on():
    @njit
    def inner(a, b, c=5):
        return a * 100 + b * 10 + c

    def f(*args):
        return inner(*args), inner(1, *args[1:])

    assert njit(f)(3, 4) == (345, 145)


def test_calls_inside_with_keywords():
    @njit
    def inner(x, y=2, z=3):
        return x * 100 + y * 10 + z

    def f(x):
        return inner(x), inner(x, z=1), inner(y=x, x=1), inner(x, 5)

    assert njit(f)(4) == (423, 421, 143, 453)


def test_globals_are_constants():
    def f(i, x):
        return SCALE * x + OFFSETS[0], OFFSETS[1], TABLE[i], math.pi, len(TABLE), len(OFFSETS)

    assert_same(f, 2, 1.5)


def test_global_changes_are_not_seen():
    namespace = {"k": 2}
    exec("def f(x):\n    return x * k\n", namespace)
    g = njit(namespace["f"])
    assert g(5) == 10
    namespace["k"] = 3
    assert g(5) == 10


def test_writing_to_a_global_array_is_refused():
    def f():
        TABLE[0] = 1.0

    with pytest.raises(TypingError):
        njit(f)()


def test_closures():
    def make(k, table):
        @njit
        def f(x):
            return x * k + table[1]

        return f

    f, g = make(2, (1, 10)), make(0.5, (1, 20))
    assert f(3) == 16 and g(3) == 21.5


def test_inner_functions():
    def f(x, n):
        def power(y):
            result = y
            for i in range(n):
                result *= x
            return result

        scale = lambda y: power(y) + x
        return power(1) + scale(2)

    assert_same(f, 3, 4)
    assert_same(f, 1.5, 2)


def test_inner_function_with_defaults():
    def f(x):
        def g(y, k=3):
            return y * k

        return g(x), g(x, 2), g(k=5, y=x)

    assert_same(f, 4)


def test_nonlocal():
    def f(n):
        count, product = 0, 1.0

        def bump(k, scale=2, *, more=0):
            nonlocal count, product
            count += k + more
            if k > 2:
                product *= scale
                return product
            return -1.0

        def lower():
            nonlocal count
            count -= 1

        total = 0.0
        for i in range(n):
            total += bump(i if i != 1 else 5)
            lower()
        if n > 3:
            total += bump(k=3, scale=5)
        return count, product, total

    def keyword_only(n):
        last, longest = "", n

        def note(x, *, sign=1):
            nonlocal last, longest
            last, longest = last + "x", max(longest, sign * x)

        for i in range(n):
            note(i * i)
        note(30, sign=-1)
        return last, longest

    def nested(n):
        total = 0

        def outer(x):
            def inner(y):
                nonlocal total
                total += y

            inner(x)
            inner(2 * x)
            return total

        seen = []
        for i in range(n):
            seen.append(outer(i))
        return seen, total

    def parameter(n):
        def step(by):
            nonlocal n
            n += by

        step(1)
        step(0.5)
        return n

    assert_same(f, 5)
    assert_same(f, 0)
    assert_same(keyword_only, 7)
    assert_same(nested, 4)
    assert_same(parameter, 2)


def test_nonlocal_of_functions_that_are_values():
    def passed(n):
        def step():
            nonlocal n
            n += 1

        (lambda f: f())(step)
        return n

    def protected(n):
        def step():
            nonlocal n
            n += 1
            return 1 // (n - 3)

        try:
            step()
        except ZeroDivisionError:
            return n
        return n

    for f in (passed, protected):
        assert_same(f, 2)
        assert_same(f, 5)


def test_nonlocal_is_refused_where_it_could_be_seen():
    def captured(n):
        def step():
            nonlocal n
            n += 1

        def look():
            return n

        step()
        return look()

    def early(n):
        def step():
            nonlocal value
            value = n

        step()
        value += 1  # noqa: F821
        return value

    for f, message in (
        (captured, "changes after inner function 'look' captured it"),
        (early, "has no value yet"),
    ):
        with pytest.raises(NumbaError, match=message):
            njit(f)(2)


def test_captured_variables_that_change_where_nobody_sees_it():
    @njit
    def apply(g, x):
        return g(x)

    @njit
    def values(g, n):
        for i in range(n):
            yield g(i)

    def by_distance(a, n):
        for k in range(n):
            a = sorted(a, key=lambda v: abs(v - k))
            a.sort(key=lambda v: v % (k + 2))
        return a, max(a, key=lambda v: -v)

    def mapped(a, n):
        total, all_ = 0, [0]
        for k in range(n):
            if total > 10**6:
                break
            total += sum(map(lambda v: v * k, a))
            for i, v in enumerate(map(lambda v: v + k, a)):
                total = total * 3 + v * i
            a = list(filter(lambda v: v != k, a))
            all_ = [*all_, *map(lambda v: v + k, a)]
        return total, a, all_

    def folded(a, n):
        total = 0
        for k in range(n):
            if total > 10**9:
                break
            total = functools.reduce(lambda p, q: p * k + q, a, total)
        return total

    def called(a, n):
        out, total = np.zeros(n), 0
        for k in range(n):
            if total > 10**9:
                break
            out[k] = apply(lambda x: x * k + total, 3)
            total = apply(lambda x: x + k + total, 4)
            for v in values(lambda x: x * k, n):
                total += v
        return list(out), total, [apply(lambda x: x - k, 1) for k in range(n)]

    for f in (by_distance, mapped, folded, called):
        assert_same(f, [3, 1, 4, 1, 5], 4)


def test_captured_variables_that_change_where_it_is_seen():
    @njit
    def same(g):
        return g

    @njit
    def values(g, n):
        for i in range(n):
            yield g(i)

    def lazily(n):
        k = 1
        some = map(lambda x: x + k, range(n))
        k = 5
        return list(some)

    def paired(n):
        k = 1
        some = zip(range(n), map(lambda x: x + k, range(n)))
        k = 5
        return [b for _, b in some]

    def kept(n):
        fs = []
        for k in range(n):
            fs.append(lambda x: x + k)
        return fs[0](1)

    def popped(n):
        k = 1
        fs = [lambda x: x + k]
        k = 5
        return fs.pop()(n)

    def returned(n):
        k = 1
        g = same(lambda x: x + k)
        k = 5
        return g(n)

    def generated(n):
        k, total = 1, 0
        some = values(lambda x: x + k, n)
        k = 5
        for v in some:
            total += v
        return total

    for f in (lazily, paired, kept, popped, returned, generated):
        with pytest.raises(NumbaError, match="variable 'k' changes after inner function"):
            njit(f)(3)


def test_lambdas():
    square = njit(lambda x: x * x)

    def f(x):
        twice = lambda y: y + y
        return square(x) + twice(x)

    assert njit(f)(3) == 15 and njit(f)(0.5) == 1.25


def test_functions_as_arguments():
    @njit
    def apply(f, x):
        return f(x)

    @njit
    def double(x):
        return x * 2

    @njit
    def half(x):
        return x / 2

    assert apply(double, 3) == 6
    assert apply(half, 3) == 1.5
    assert apply(double, 1.5) == 3.0

    def f(x):
        return apply(double, x) + apply(half, x)

    assert njit(f)(4) == 10


def test_returned_and_chosen_functions():
    @njit
    def increment(x):
        return x + 1

    def f(x):
        g = increment
        h = g
        return h(g(x))

    assert njit(f)(1) == 3


def test_simpson_with_function_argument():
    @njit
    def integrate(f, a, b, n):
        h = (b - a) / n
        total = f(a) + f(b)
        for i in range(1, n):
            total += f(a + i * h) * (4 if i % 2 else 2)
        return total * h / 3

    @njit
    def g(x):
        return math.sin(x) * x

    expected = integrate.py_func(g.py_func, 0.0, 2.0, 100)
    assert integrate(g, 0.0, 2.0, 100) == pytest.approx(expected, rel=1e-14)


# -- recursion ------------------------------------------------------------------------------------


@njit
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


@njit
def factorial(n):
    return 1.0 if n <= 1 else n * factorial(n - 1)


@njit
def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


@njit
def is_even(n):
    if n == 0:
        return True
    return is_odd(n - 1)


@njit
def is_odd(n):
    if n == 0:
        return False
    return is_even(n - 1)


@njit
def type_changing(n, x):
    if n == 0:
        return x * 1.0
    return type_changing(n - 1, x * 0.5)


def test_self_recursion():
    assert [fib(n) for n in range(12)] == [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89]
    assert factorial(10) == 3628800.0
    assert ackermann(2, 3) == 9


def test_self_recursion_with_defaults():
    """The defaults of an inner function hold in its calls of itself, too."""

    def constants(n):
        def fib(k, step=1):
            return k if k < 2 else fib(k - step) + fib(k - 2 * step)

        return fib(n), fib(n, 2), fib(n, step=3)

    def computed(n, m):
        t = n + m

        def f(k, step=m, scale=2.5, *rest, base=0):
            if k <= 0:
                return base + t + scale
            return f(k - step) + f(k - 2 * step, step) + f(k - 3 * step, step, 1.5, base=1)

        return f(n), f(n, 2), f(n, scale=3.5)

    def array(n):
        def f(k, a=np.arange(3.0)):
            return a.sum() if k == 0 else f(k - 1)

        return f(n)

    def dictionary(n):
        def fib(k, memo={}):
            if k < 2:
                return k
            if k not in memo:
                memo[k] = fib(k - 1) + fib(k - 2)
            return memo[k]

        return fib(n)

    assert njit(constants)(10) == constants(10)
    assert njit(computed)(10, 2) == computed(10, 2)
    assert njit(array)(4) == array(4)
    assert njit(dictionary)(40) == dictionary(40)


def test_mutual_recursion():
    assert [is_even(n) for n in range(4)] == [True, False, True, False]
    assert is_odd(7) is True


def test_type_changing_recursion():
    assert type_changing(3, 8) == 1.0


@njit
def quicksort(a, low, high):
    if low < high:
        pivot = a[high]
        i = low
        for j in range(low, high):
            if a[j] < pivot:
                a[i], a[j] = a[j], a[i]
                i += 1
        a[i], a[high] = a[high], a[i]
        quicksort(a, low, i - 1)
        quicksort(a, i + 1, high)


def test_recursion_over_arrays():
    a = np.random.default_rng(1).integers(0, 1000, 200)
    expected = np.sort(a)
    quicksort(a, 0, len(a) - 1)
    assert np.array_equal(a, expected)


@njit
def endless_types(x):
    return endless_types((x, x))


@njit
def never_returns(x):
    return never_returns(x)


def test_recursion_without_end_is_a_typing_error():
    for f in (endless_types, never_returns):
        with pytest.raises(TypingError):
            f(1)


# -- calls between compiled functions -------------------------------------------------------------


def test_arrays_through_calls():
    @njit
    def scaled(a, k):
        return a * k

    @njit
    def total(a):
        return scaled(a, 2.0).sum() + scaled(a[1:], 3.0)[0]

    a = np.arange(4.0)
    assert total(a) == 2 * a.sum() + 3 * a[1]


def test_callee_changes_the_array():
    @njit
    def put(a, i, x):
        a[i] = x

    def f(a):
        for i in range(len(a)):
            put(a, i, i * i)
        return a

    check_same(njit(f)(np.zeros(4)), np.arange(4.0) ** 2)


def test_tuples_through_calls():
    @njit
    def swap(t):
        a, b = t
        return b, a

    def f(x, y):
        return swap(swap((x, y)))

    assert njit(f)(1, 2.5) == (1, 2.5)


def test_one_function_many_types():
    @njit
    def identity(x):
        return x

    def f(a):
        return identity(1), identity(2.5), identity(a), identity((1, a))[0], identity(None) is None

    a = np.arange(3)
    result = njit(f)(a)
    assert result[:2] == (1, 2.5) and np.array_equal(result[2], a) and result[3:] == (1, True)


def test_passing_numpy_functions():
    @njit
    def apply(f, a):
        return f(a)

    def f(a):
        return apply(np.sqrt, a), apply(np.sum, a)

    a = np.array([1.0, 4.0])
    check_same(njit(f)(a), (np.sqrt(a), 5.0))


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 7


class Limits:
    TOP = 4.5


def test_modules_and_classes_as_arguments():
    @njit
    def use(library, x):
        return library.sqrt(x) + library.pi

    @njit
    def by_default(x, library=np, levels=Level):
        return library.abs(x) * levels.HIGH

    @njit
    def member(cls, values):
        return cls.TOP + len(values)

    @njit
    def call(x):
        return use(np, x), use(math, x), by_default(x), by_default(x, library=operator)

    expected = 2 + math.pi, 2 + math.pi, 28.0, 28.0
    assert use(np, 4.0) == use(math, 4.0) == expected[0]
    assert by_default(-4.0) == 28.0
    assert call(4.0) == expected
    assert njit(lambda x: member(Limits, x))([1, 2]) == member(Limits, [1, 2]) == 6.5
    with pytest.raises(TypingError, match="Unknown attribute 'nothing' of type module math"):
        njit(lambda m: m.nothing)(math)


def test_module_attributes():
    def f(x):
        return np.pi * x, np.float64(x), math.inf

    assert_same(f, 2)


def test_result_type_of_calls():
    @njit
    def g(x):
        return x

    def f(x):
        return g(x)

    compiled(f)(np.float32(1))
    assert result_type(f) == "float32"


def test_unjitted_function_is_called():
    def plain(x):
        return x + 1

    def f(x):
        return plain(x)

    # Numba refuses plain Python functions; compiling them along is as good an answer.
    try:
        assert njit(f)(1) == 2
    except TypingError as error:
        assert "plain" in str(error)


def test_mappings_of_the_program_as_keywords_are_refused():
    @njit
    def inner(a, b=1, c=2):
        return a, b, c

    assert njit(lambda t: inner(*t, c=7))((1, 2)) == (1, 2, 7)
    assert njit(lambda t: inner(*t, **{"c": 5}))((1, 2)) == (1, 2, 5)

    def mapping(t):
        keywords = {"c": 5}
        keywords["b"] = 3
        return inner(*t, **keywords)

    with pytest.raises(TypingError, match=r"argument after \*\* must be a dict whose keys"):
        njit(mapping)((1, 2))


def test_recursion_under_explicit_signatures():
    """These are compiled before the decorator returns, when the name means nothing yet."""

    @njit("int64(int64)")
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    assert fib(10) == 55

    # As at module level, where the name is a global.
    scope = {"njit": njit}
    source = "def fac(n):\n    return 1 if n < 2 else n * fac(n - 1)\n"
    exec(f"@njit(['int64(int64)', 'float64(float64)'])\n{source}", scope)
    assert scope["fac"](5) == 120 and scope["fac"](5.0) == 120.0


def test_calls_with_more_arguments_than_the_interpreter_puts_on_its_stack():
    names = [f"a{i}" for i in range(40)]
    namespace = {"njit": njit}
    exec(
        f"""
@njit
def take({", ".join(names[:20])}, {", ".join(name + "='-'" for name in names[20:])}):
    return a0 + 2 * a19, a20, a39

def positional(x):
    return take({", ".join(f"x + {i}" for i in range(20))}, {"'-', " * 20})

def by_name(x):
    return take({", ".join(f"{name}=x + {i}" for i, name in enumerate(names[:20]))}, a39='end')

def both(x):
    return take({", ".join(f"x + {i}" for i in range(20))},
                {", ".join(f"{name}=(x, '{name}')" for name in names[20:])})

def twenty(x):
    d = {{{", ".join(f"'k{i}': x + {i}" for i in range(20))}}}
    d['k0'] += len(d)
    return d

def twenty_values_of_two_types(x):
    return {{{", ".join(f"'k{i}': {'x' if i % 2 else repr('s')}" for i in range(20))}}}['k13']

def twenty_by_number(x):
    return {{{", ".join(f"x + {i}: {i}" for i in range(20))}}}
""",
        namespace,
    )
    for name in ("positional", "by_name", "both", "twenty_values_of_two_types"):
        f = namespace[name]
        assert njit(f)(3) == f(3), name
    for name in ("twenty", "twenty_by_number"):
        f = namespace[name]
        assert list(njit(f)(3).items()) == list(f(3).items())


def test_async_functions_are_refused():
    async def coroutine(x):
        return x

    async def generator(x):
        yield x

    async def waits(x):
        return await coroutine(x)

    for function in (coroutine, generator, waits):
        with pytest.raises(UnsupportedError, match="async functions cannot be compiled"):
            njit(function)(1)
        compiled = njit(function)
        with pytest.raises(UnsupportedError, match="async functions cannot be compiled"):
            njit(lambda x: compiled(x))(1)
    with pytest.raises(UnsupportedError, match="async functions cannot be compiled"):
        cfunc("int64(int64)")(coroutine)


def test_dump_of_lookups():
    """NUMJIT_DUMP=lookup says which meanings of a name were asked, and why each declined."""
    program = (
        "import numpy as np, numjit\n"
        "numjit.njit(lambda a: np.cumsum(a) + min(2, 1, 3))(np.arange(3.0))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "NUMJIT_DUMP": "lookup"},
        capture_output=True,
        text=True,
        check=True,
    )
    head, _, rest = run.stderr.partition("; lookup of numpy.cumsum(array(float64, 1d, C))\n")
    assert rest, run.stderr
    meanings = rest.partition("; lookup")[0].splitlines()
    assert "an overload of the user's: it has no overloads" in meanings[0]
    assert "a rule of the compiler: no rule of the compiler" in meanings[-1]
    assert ";   the library: takes it" in rest  # after the look-ups in its body
