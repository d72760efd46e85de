"""Overloads of functions, operators, methods and attributes: what packages extend numjit with."""

import math
import os
import subprocess
import sys
import textwrap
import types as python_types

import numpy as np
import pytest
from language.support import assert_same
from numjit import errors, extending, literal_unroll, literally, njit, types
from numjit.extending import (
    SentryLiteralArgs,
    overload,
    overload_attribute,
    overload_classmethod,
    overload_method,
    register_jitable,
)

pytestmark = pytest.mark.usefixtures("overloads_end_with_their_test")


# -- overload ------------------------------------------------------------------------------------


def test_overloads_are_asked_in_order_and_by_type():
    def describe(x, scale=1):
        raise NotImplementedError

    @overload(describe)
    def of_integers(x, scale=1):
        if isinstance(x, types.Integer):
            return lambda x, scale=1: x * scale

    @overload(describe)
    def of_arrays(x, scale=1):
        if isinstance(x, types.Array):
            ndim = x.ndim
            return lambda x, scale=1: x.sum() * scale + ndim

    @overload(describe)
    def of_more_integers(x, scale=1):
        if isinstance(x, types.Integer):
            return lambda x, scale=1: -1

    @njit
    def f(x):
        return describe(x), describe(x, 2), describe(x, scale=x)

    @njit
    def g(x):
        return describe(x, 3)

    assert f(3) == (3, 6, 9)
    assert g(np.ones((2, 2))) == 14.0


def test_what_the_overloads_said_is_in_the_error():
    def picky(x):
        raise NotImplementedError

    @overload(picky)
    def of_tuples(x):
        if isinstance(x, types.UniTuple):
            return lambda x: len(x)

    @overload(picky)
    def of_weekdays(x):
        if not isinstance(x, types.UniTuple):
            raise errors.TypingError("only on weekdays")

    @njit
    def f(x):
        return picky(x)

    assert f((1, 2)) == 2
    with pytest.raises(errors.TypingError, match="No implementation of function") as caught:
        f(1.5)
    message = str(caught.value)
    assert "picky(float64)" in message
    assert "of_tuples" in message and "of_weekdays" in message and "only on weekdays" in message
    assert "return picky(x)" in message  # the line that is blamed


def test_an_exception_of_the_callback_is_an_error_with_a_place():
    def broken(x):
        raise NotImplementedError

    @overload(broken)
    def callback(x):
        return x.no_such_attribute

    @njit
    def f(x):
        return broken(x)

    with pytest.raises(errors.TypingError, match="AttributeError.*no_such_attribute") as caught:
        f(1)
    assert caught.value.line == f.py_func.__code__.co_firstlineno + 2


@pytest.mark.parametrize(
    "implementation, said",
    [
        (lambda y: y, r'differ in argument names: \[<Parameter "x">\] and \[<Parameter "y">\]'),
        (lambda x, y: y, "differ in argument names.* First difference: 'y'"),
        (lambda x=1: x, "differ in argument names.* First difference: 'x'"),
        (lambda x, y=1: x, r'keyword argument names: \[\] and \[<Parameter "y=1">\]'),
        (
            lambda x, **more: x,
            r"VAR_KEYWORD .* is unsupported, offending argument name is '\*\*more'",
        ),
        (3, "no Python function"),
    ],
)
def test_the_implementation_has_the_parameters_of_the_callback(implementation, said):
    def strict(x):
        raise NotImplementedError

    @overload(strict)
    def callback(x):
        return implementation

    @njit
    def f(x):
        return strict(x)

    with pytest.raises(errors.TypingError, match=said):
        f(1)


def test_parameters_that_differ_in_kinds_and_defaults():
    def calling(implementation):
        def strict(x, *rest, y=2):
            raise NotImplementedError

        @overload(strict)
        def callback(x, *rest, y=2):
            return implementation

        return njit(lambda x: strict(x, 1))

    with pytest.raises(errors.TypingError, match=r"VAR_POSITIONAL .* argument name is '\*rest'"):
        calling(lambda x, a, y=2: x)(1)
    said = r'default values: <Parameter "y=2"> and <Parameter "y=3">'
    with pytest.raises(errors.TypingError, match=said):
        calling(lambda x, *a, y=3: x)(1)
    assert calling(lambda x, *a, y=2: x + a[0] + y)(1) == 4


def test_strict_may_be_switched_off():
    def lenient(x):
        raise NotImplementedError

    @overload(lenient, strict=False)
    def callback(*args):
        return lambda y: y + 1

    @njit
    def f(x):
        return lenient(x)

    assert f(1) == 2


def test_users_overloads_come_before_the_library():
    @overload(np.sum)
    def sum_of_many(a):
        if isinstance(a, types.Array) and a.ndim == 5:  # no other test has such
            return lambda a: -1

    @njit
    def f(a):
        return np.sum(a)

    assert f(np.ones((2, 1, 1, 2, 1))) == -1
    assert f(np.ones((2, 2))) == 4


def test_literals():
    def literal(x):
        raise NotImplementedError

    asked = []

    @overload(literal)
    def callback(x):
        asked.append(x)
        if isinstance(x, types.Literal):
            value = x.literal_value
            return lambda x: value

    def eager(x):
        raise NotImplementedError

    @overload(eager, prefer_literal=True)
    def eager_callback(x):
        return (lambda x: "literal") if isinstance(x, types.Literal) else (lambda x: "plain")

    @njit
    def f():
        return literal(42), literal("text"), literal(True)

    @njit
    def g(n):
        return eager(3) == "literal", eager(n) == "plain"

    assert f() == (42, "text", True)
    assert asked[0] is types.int64 and isinstance(asked[1], types.IntegerLiteral)
    assert types.unicode_type in asked
    assert g(5) == (True, True)


def test_literal_arguments_that_a_callback_asks_for():
    def step(x, way):
        raise NotImplementedError

    @overload(step)
    def choose(x, way):
        bound = SentryLiteralArgs(["way"]).for_function(choose).bind(x, way)
        assert list(bound.arguments) == ["x", "way"]
        if way.literal_value == "up":
            return lambda x, way: x + 1
        return lambda x, way: x - 1

    inner = njit(lambda x, way: step(x, way))
    assert njit(lambda x: (step(x, "up"), step(x, "down"), inner(x, "up")))(1) == (2, 0, 2)
    assert inner(1, "up") == 2 and inner(1, "down") == 0
    with pytest.raises(errors.TypingError, match="'way' must be known at compile time"):
        njit(lambda x: step(x, str(x)))(1)


def test_literally_asks_a_caller_that_knows_the_value():
    @njit
    def tuple_item(t, k):
        literally(k)
        return t[k]

    @njit
    def through(t, k):
        k = literally(k)
        return tuple_item(t, k)

    t = (1, "a", 2.5)
    assert njit(lambda t: (tuple_item(t, k=1), tuple_item(t, 2)))(t) == ("a", 2.5)
    assert njit(lambda t: (through(t, 1), tuple_item(t, 0)))(t) == ("a", 1)
    assert through(t, 2) == 2.5
    with pytest.raises(errors.LiteralTypingError, match="is not known at compile time"):
        njit(lambda t: tuple_item(t, int(t[2])))(t)


def test_literally_asks_for_the_value_of_an_argument():
    asked = []

    def power(x, n):
        raise NotImplementedError

    @overload(power)
    def choose(x, n):
        if isinstance(n, types.Literal):
            asked.append(n.literal_value)
            if n.literal_value == 2:
                return lambda x, n: x * x
            if n.literal_value == "half":
                return lambda x, n: x / 2
            return lambda x, n: x**n
        return lambda x, n: literally(n)

    @njit
    def inner(a, n):
        return power(a, n) + 0.5

    @njit
    def outer(b, x, n):
        return inner(x, n) + b

    assert outer(1.0, 3.0, 2) == 10.5
    assert outer(1.0, 3.0, 3) == 28.5
    assert outer(2.0, 4.0, 2) == 18.5
    assert asked == [2, 3]
    assert [str(each[2]) for each in outer.signatures] == ["Literal[int](2)", "Literal[int](3)"]
    assert outer.signatures[0][:2] == (types.float64, types.float64)

    @njit
    def constant(x):
        return power(x, 2), power(x, "half")

    assert constant(3.0) == (9.0, 1.5)

    @njit
    def by_text(x, how):
        return power(x, how)

    assert by_text(3.0, "half") == 1.5

    @njit
    def computed(x, n):
        return power(x, n + len(str(x)))

    with pytest.raises(errors.LiteralTypingError, match="Cannot request literal type"):
        computed(2.0, 3)


def test_initial_values_of_containers():
    """They are seen once an overload has asked for the value, as Numba's documentation has it."""

    def seen(x):
        raise NotImplementedError

    shown = []

    @overload(seen)
    def _(x):
        shown.append(x.initial_value)
        return (lambda x: literally(x)) if x.initial_value is None else (lambda x: x)

    @njit
    def of_a_list(n):
        x = [1, 2, 3]
        x[2] = n
        x.append(30)
        return seen(x)

    assert of_a_list(20) == [1, 2, 20, 30] and shown == [None, [1, 2, 3]]

    @njit
    def of_a_dict():
        d = {"a": 1, "b": 2}
        d["b"] = 20
        return seen(x=d)

    shown.clear()
    assert dict(of_a_dict()) == {"a": 1, "b": 20} and shown == [None, {"a": 1, "b": 2}]

    given = {"a": 1}
    shown.clear()
    assert dict(njit(lambda: seen(given))()) == given and not any(shown)

    @njit
    def unknown(n):
        return seen([n, 2])

    shown.clear()
    assert unknown(1) == [1, 2] and not any(shown)


def test_literally_of_two_arguments():
    def pick(a, b):
        raise NotImplementedError

    @overload(pick, prefer_literal=True)
    def choose(a, b):
        if isinstance(a, types.Literal) and isinstance(b, types.Literal):
            which = (a.literal_value, b.literal_value)
            return lambda a, b: which
        return lambda a, b: (literally(a), literally(b))

    @njit
    def use(a, b, c):
        return pick(a, b), c

    assert use(1, True, 3) == ((1, True), 3)
    assert use(2, False, 4) == ((2, False), 4)


def test_each_overload_compiles_its_answer_with_its_own_options():
    more = 0.0

    def ratio(x, y):
        return x / y + more

    asked = {}
    for model in ("python", "numpy"):

        def function(x, y):
            raise NotImplementedError

        overload(function, jit_options={"error_model": model})(lambda x, y: ratio)
        asked[model] = function

    as_python, as_numpy = asked["python"], asked["numpy"]

    def call_python():
        return njit(lambda x, y: as_python(x, y))(1.0, 0.0)

    def call_numpy():
        return njit(lambda x, y: as_numpy(x, y))(1.0, 0.0)

    for more in (0.0, 2.0):  # what the answer captured changes
        assert call_numpy() == np.inf
        with pytest.raises(ZeroDivisionError):
            call_python()
        assert njit(lambda x, y: (as_python(x, y), as_numpy(x, y)))(1.0, 2.0) == (0.5 + more,) * 2

    plain, other = njit(error_model="numpy")(ratio), njit(error_model="python")(ratio)
    assert njit(lambda x, y: plain(x, y))(1.0, 0.0) == np.inf
    for function in (other, ratio):
        with pytest.raises(ZeroDivisionError):
            njit(lambda x, y: function(x, y))(1.0, 0.0)


def values_through(ask):
    """An overloaded power whose answer to plain types asks for `n`, by what it captured."""

    def power(x, n):
        raise NotImplementedError

    def ask_deeper(n):
        return ask(n)

    @overload(power)
    def choose(x, n):
        assert not isinstance(x, types.Literal), "nobody asked for x"
        if isinstance(n, types.Literal):
            return (lambda x, n: x * x) if n.literal_value == 2 else (lambda x, n: x**n)
        return lambda x, n: ask_deeper(n)

    return power


def test_literally_in_what_an_answer_captured():
    power = values_through(literally)

    @njit
    def of_arguments(x, n):
        return power(x, n)

    assert [of_arguments(3, 2), of_arguments(3, 3), of_arguments(1.5, 2)] == [9, 27, 2.25]
    assert [str(each[1]) for each in of_arguments.signatures[:2]] == [
        "Literal[int](2)",
        "Literal[int](3)",
    ]

    @njit
    def of_constants(x):
        return power(x, 2), power(x, n=3), power(3, 2), power(n=2, x=7)

    assert of_constants(2.0) == (4.0, 8.0, 9, 49)

    @njit
    def of_computed(x, n):
        return power(x, int(n))

    with pytest.raises(errors.LiteralTypingError, match="is not known at compile time"):
        of_computed(2.0, 2.5)


def test_literally_that_is_never_reached_asks_for_nothing():
    def times(x, n):
        raise NotImplementedError

    @overload(times)
    def choose(x, n):
        assert not isinstance(n, types.Literal)
        if isinstance(x, types.Tuple):
            return lambda x, n: literally(n)
        return lambda x, n: literally(n) if isinstance(x, tuple) else x * n

    assert njit(lambda x, n: times(x, n))(3, 4) == 12
    assert njit(lambda x: times(x, 5))(3) == 15


def test_literally_of_a_slice():
    def stop_of(x, part):
        raise NotImplementedError

    @overload(stop_of)
    def choose(x, part):
        if isinstance(part, types.SliceLiteral):
            stop = part.literal_value.stop
            return lambda x, part: (stop, x[part])
        return lambda x, part: literally(part)

    of_argument = njit(lambda x, part: stop_of(x, part))
    assert of_argument((1, 2.5, True), slice(1, 3)) == (3, (2.5, True))
    assert of_argument((1, 2.5, True), slice(0, 2)) == (2, (1, 2.5))
    assert njit(lambda x: stop_of(x, slice(0, 1)))((1, 2.5)) == (1, (1,))


def test_class_methods():
    @overload_classmethod(types.Array, "make")
    def make(cls, n):
        if isinstance(cls, types.TypeRef) and isinstance(n, types.Integer):
            return lambda cls, n: np.arange(n)

    @overload_classmethod(types.Array, "zeros")
    def zeros(cls, n):
        if isinstance(cls.instance_type, types.Array):
            dtype = cls.instance_type.dtype
            return lambda cls, n: np.zeros(n, dtype)

    vector = types.float32[:]

    @njit
    def use(n):
        return types.Array.make(n), vector.zeros(n)

    made, empty = use(3)
    assert made.tolist() == [0, 1, 2] and empty.dtype == np.float32

    @njit
    def of_value(a):
        return a.make(3)

    with pytest.raises(errors.TypingError, match="make"):
        of_value(np.zeros(2))


def test_defaults_none_and_varargs():
    def maybe(x=None):
        raise NotImplementedError

    @overload(maybe)
    def callback(x=None):
        if x in (None, types.none):
            return lambda x=None: 0
        return lambda x=None: x

    def count(*args):
        raise NotImplementedError

    @overload(count)
    def count_callback(*args):
        n = len(args)
        return lambda *args: n

    @njit
    def f(a):
        return maybe(), maybe(None), maybe(3), count(), count(a, 1)

    assert f(1.0) == (0, 0, 3, 0, 2)


def test_an_overload_may_call_itself():
    def factorial(n):
        raise NotImplementedError

    @overload(factorial)
    def callback(n):
        def implementation(n):
            return 1 if n < 2 else n * factorial(n - 1)

        return implementation

    @njit
    def f(n):
        return factorial(n)

    assert f(6) == 720


def test_errors_inside_the_implementation_show_both_places():
    def outer(x):
        raise NotImplementedError

    @overload(outer)
    def callback(x):
        return lambda x: x.nothing

    @njit
    def f(x):
        return outer(x)

    with pytest.raises(errors.TypingError, match="nothing") as caught:
        f(1)
    assert "x.nothing" in str(caught.value) and "return outer(x)" in str(caught.value)


def test_overloads_of_one_name_do_not_mix():
    def make(value):
        def same_name(x):
            raise NotImplementedError

        @overload(same_name)
        def callback(x):
            return lambda x: value

        return same_name

    first, second = make(1), make(2)

    @njit
    def f(x):
        return first(x), second(x)

    assert f(0) == (1, 2)


def test_an_overload_registered_later_is_seen_by_new_functions():
    def late(x):
        return x + 1  # compiled as it stands, without an overload

    @njit
    def before(x):
        return late(x)

    assert before(1) == 2

    @overload(late)
    def callback(x):
        return lambda x: x + 100

    @njit
    def after(x):
        return late(x)

    assert after(1) == 101


def test_functions_as_arguments_of_overloads():
    def apply(function, x):
        raise NotImplementedError

    seen = []

    @overload(apply)
    def callback(function, x):
        seen.append(function)
        return lambda function, x: function(x)

    @njit
    def double(x):
        return 2 * x

    @njit
    def f(x):
        return apply(double, x)

    assert f(4) == 8
    assert isinstance(seen[0], types.Dispatcher) and seen[0].dispatcher is double


def test_modules_as_arguments_of_overloads():
    def largest(namespace):
        raise NotImplementedError

    @overload(largest)
    def callback(namespace):
        assert isinstance(namespace, types.Module)
        assert namespace == types.Module(namespace.pymod)
        if namespace.pymod is math:
            return lambda namespace: namespace.inf
        return (lambda namespace: 1e308) if namespace.pymod is np else None

    assert njit(lambda: (largest(math), largest(np)))() == (math.inf, 1e308)
    with pytest.raises(errors.TypingError, match=r"largest\(Module\(os\)\)"):
        njit(lambda: largest(os))()


OPERATORS = """
import numpy as np
import operator
from numjit import njit, types
from numjit.extending import overload

@overload(operator.add)
def join(text, number):
    if isinstance(text, types.UnicodeType) and isinstance(number, types.Integer):
        return lambda text, number: text + str(number)

@overload(operator.contains)
def divides(number, by):
    if isinstance(number, types.Integer) and isinstance(by, types.Integer):
        return lambda number, by: number % by == 0

@overload(operator.getitem)
def scaled(number, by):
    if isinstance(number, types.Float):
        return lambda number, by: number * by

@overload(operator.neg)
def backwards(text):
    if isinstance(text, types.UnicodeType):
        return lambda text: text[::-1]

assert njit(lambda a, b: a + b)("x", 3) == "x3"
assert njit(lambda a, b: (b in a, b not in a))(12, 4) == (True, False)
assert njit(lambda a, b: a[b])(1.5, 2) == 3.0
assert njit(lambda a: -a)("abc") == "cba"

@njit
def in_place(text):
    for i in range(3):
        text += i
    return text

assert in_place("x") == "x012"

# What the overloads are not for means what it meant.
@njit
def plain(a, b, values):
    return a + b, b in values, values[0], -a, (values + a).sum()

assert plain(1, 2, np.array([2, 3])) == (3, True, 2, -1, 7)
"""


def test_overloads_of_operators():
    """In a process of its own: code that adds is not kept on disk once + has an overload."""
    subprocess.run([sys.executable, "-c", OPERATORS], check=True)


# -- methods and attributes ----------------------------------------------------------------------


def test_methods_and_attributes():
    @overload_method(types.Array, "times_for_test")
    def times(array, k=2):
        if array.ndim == 1:
            return lambda array, k=2: array * k

    @overload_attribute(types.Array, "first_for_test")
    def first(array):
        return lambda array: array.ravel()[0]

    @overload_attribute(types.Integer, "first_for_test")
    def first_of_integer(n):
        return lambda n: n % 10

    @njit
    def f(a, n):
        b = (a + 1).times_for_test()  # an expression that is evaluated for it
        return a.times_for_test(k=3).sum(), b.sum(), a.first_for_test, n.first_for_test

    assert f(np.ones(2), 123) == (6.0, 8.0, 1.0, 3)

    @njit
    def g(x):
        return x.times_for_test()

    with pytest.raises(errors.TypingError, match="Unknown attribute 'times_for_test'"):
        g(1.5)
    with pytest.raises(errors.TypingError, match="No implementation of function times_for_test"):
        g(np.ones((2, 2)))


def test_methods_need_a_class_of_types():
    with pytest.raises(TypeError, match="class of types"):
        overload_method(np.ndarray, "something")


# -- register_jitable, is_jitted -----------------------------------------------------------------


def test_options_of_one_function_registered_twice():
    def ratio(x):
        return 1.0 / x

    plain = register_jitable(ratio)
    numpy_like = register_jitable(error_model="numpy")(ratio)
    python_like = register_jitable(error_model="python")(ratio)
    assert register_jitable(error_model="numpy")(numpy_like) is numpy_like
    assert plain is ratio and numpy_like.__qualname__ == ratio.__qualname__

    for callee in (plain, python_like):
        with pytest.raises(ZeroDivisionError):
            njit(lambda x, callee=callee: callee(x))(0.0)
    assert njit(lambda x: numpy_like(x))(0.0) == math.inf
    with pytest.raises(ZeroDivisionError):
        njit(error_model="numpy")(lambda x: python_like(x))(0.0)

    # where one of them is registered first
    def scaled(u):
        return u * 255

    u = np.array([5, 200], np.uint8)
    as_numba, as_numpy = register_jitable(promotion="numba")(scaled), register_jitable(scaled)
    assert njit(lambda u: as_numba(u))(u).tolist() == [1275, 51000]
    assert njit(lambda u: as_numpy(u))(u).tolist() == [251, 56]


def test_register_jitable():
    @register_jitable
    def plain(x):
        return x + 1

    @register_jitable(error_model="numpy", inline="always")
    def with_options(x):
        return x / 0

    @njit
    def f(x):
        return plain(x), with_options(x)

    assert isinstance(plain, python_types.FunctionType) and plain(1) == 2
    assert f(1.0) == (2.0, np.inf)
    assert extending.is_jitted(f) and not extending.is_jitted(plain)


def install_extensions(tmp_path):
    """Two packages with entry points, one of which cannot be imported."""
    (tmp_path / "shapes.py").write_text(
        textwrap.dedent(
            """
            print("imported")

            def area(side):
                raise NotImplementedError

            def init():
                from numjit.extending import overload

                print("init")

                @overload(area)
                def area_of(side):
                    return lambda side: side * side
            """
        )
    )
    info = tmp_path / "shapes-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shapes\nVersion: 1.0\n")
    points = "[numba_extensions]\ninit = shapes:init\n[numjit_other]\nx = nothing:f\n"
    (info / "entry_points.txt").write_text(points)
    broken = tmp_path / "broken-1.0.dist-info"
    broken.mkdir()
    (broken / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (broken / "entry_points.txt").write_text("[numba_extensions]\ninit = no_such_module:init\n")


def test_extensions_of_installed_packages(tmp_path):
    """They are loaded before the first function is compiled."""
    install_extensions(tmp_path)
    program = textwrap.dedent(
        """
        import sys
        import warnings
        from numjit import njit

        one = njit(lambda x: x + 1)
        print("shapes" in sys.modules)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            print(one(1))
        print([str(each.message).partition(" failed")[0] for each in told])
        import shapes
        f = njit(lambda x: shapes.area(x))
        print(f(3), f(4.0))
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"},
        check=False,
    )
    assert done.stdout.split("\n") == [
        "False",
        "imported",
        "init",
        "2",
        "[\"extension module 'no_such_module'\"]",
        "9 16.0",
        "",
    ], done.stderr


@pytest.mark.parametrize("name", ["ndim", "shape", "size", "dtype"])
def test_attributes_of_a_type_do_not_touch_expressions(name):
    """An expression of arrays is evaluated by its own attributes."""

    class OfNobody(types.Type):
        def __init__(self):
            super().__init__(name="OfNobody" + name)

    @overload_attribute(OfNobody, name)
    def attribute(x):
        return lambda x: 1

    def f(a, p):
        w = a[:, 0] * p + a[:, 1]
        return np.sum(w), np.sum((a[:, 0] - w) ** 2) ** 0.5, (a + p).ndim, (a + p).shape

    assert_same(f, np.array([[1.0, 2.0], [3.0, 4.0]]), 3.0)


def test_errors_tell_what_overloads_of_known_functions_said():
    @overload(np.roll)
    def roll(a, shift, axis=None):
        raise errors.TypingError("the shift is to be a number")

    @overload(np.roll)
    def roll_of_nothing(a, shift, axis=None):
        return None

    @njit
    def f(a):
        return np.roll(a, None)

    with pytest.raises(errors.TypingError, match="the shift is to be a number") as caught:
        f(np.ones(3))
    assert "not for these types" not in str(caught.value)


def test_unrolled_items_are_literals():
    def named(value):
        raise NotImplementedError

    @overload(named)
    def overload_named(value):
        if isinstance(value, types.IntegerLiteral):
            number = value.literal_value
            return lambda value: number * 10
        if isinstance(value, types.StringLiteral):
            length = len(value.literal_value)
            return lambda value: length

    @njit
    def total(x):
        result = 0
        for each in literal_unroll((1, "ab", x)):
            result += named(each)
        return result

    with pytest.raises(errors.TypingError, match="named"):
        total(5)  # x is no literal

    @njit
    def known_total():
        result = 0
        for each in literal_unroll((3, "abcd", 2**40)):
            result += named(each)
        return result

    assert known_total() == 30 + 4 + 10 * 2**40
