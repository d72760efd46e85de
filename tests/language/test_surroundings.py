"""What globals, captured variables and attributes of modules mean: read anew for every compilation,
frozen in what was compiled."""

import gc
import types as python_types

import numpy as np
import pytest
from numjit import njit
from numjit.errors import TypingError
from numjit.extending import overload, register_jitable


def _module(**names):
    module = python_types.ModuleType("surroundings")
    vars(module).update(names)
    return module


def _by_global(value):
    namespace = {"NAME": value}
    exec("def f(x):\n    return x * NAME", namespace)
    return namespace["f"], lambda value: namespace.update(NAME=value)


def _by_capture(value):
    def f(x):
        return x * value

    def change(new):
        nonlocal value
        value = new

    return f, change


def _by_attribute(value):
    module = _module(NAME=value)

    def f(x):
        return x * module.NAME

    return f, lambda value: setattr(module, "NAME", value)


def _by_function(value):
    module = _module(inner=lambda: value)

    def f(x):
        return x * module.inner()

    def change(new):
        module.inner = lambda: new

    return f, change


def _by_inner_function(value):
    namespace = {"NAME": value}
    exec("def f(x):\n    return (lambda y: y * NAME)(x)", namespace)
    return namespace["f"], lambda value: namespace.update(NAME=value)


def _by_comprehension(value):
    namespace = {"NAME": value}
    exec("def f(x):\n    return [x * NAME for i in range(1)][0]", namespace)
    return namespace["f"], lambda value: namespace.update(NAME=value)


WAYS = [
    _by_global,
    _by_capture,
    _by_attribute,
    _by_function,
    _by_inner_function,
    _by_comprehension,
]
VALUES = [(3, 10), (3, 2.5), (2.5, 3), (True, 4), (np.float32(1.5), np.int8(2))]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("old", "new"), VALUES)
def test_a_new_signature_sees_the_present_value(way, old, new):
    f, change = way(old)
    jitted = njit(f)
    assert jitted(1) == old
    change(new)
    assert jitted(1) == old
    got = jitted(1.0)
    assert got == new
    change(old)
    assert jitted(np.float32(1)) == old
    assert jitted(1.0) == new


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("wrap", [lambda f: f, register_jitable])
def test_a_new_caller_sees_the_present_value_of_its_callee(way, wrap):
    f, change = way(3)
    callee = wrap(f)
    callers = [njit(lambda x: callee(x) + 1), njit(lambda x: callee(x) + 2, nogil=True)]
    assert callers[0](1) == 4
    change(10)
    assert callers[1](1) == 12
    assert callers[0](1) == 4
    assert callers[0](1.0) == 11.0


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("by_itself", [True, False])
def test_a_new_caller_calls_the_version_that_there_is(way, by_itself):
    f, change = way(3)
    callee = njit(f)
    first = njit(lambda x: callee(x) + 1)
    assert callee(1) == 3 if by_itself else first(1) == 4
    change(10)
    assert njit(lambda x: callee(x) + 2)(1) == 5
    assert njit(lambda x: callee(x) + 2)(1.0) == 12.0  # compiled now
    assert callee(1) == 3 and callee(1.0) == 10.0
    callee.recompile()
    assert callee(1) == 10 and njit(lambda x: callee(x) + 3)(1) == 13


def test_versions_for_other_types_keep_to_themselves():
    namespace = {"NAME": 1}
    exec("def inner(x):\n    return x * 0 + NAME", namespace)
    inner = njit(namespace["inner"])
    outer = njit(lambda x: inner(x))
    assert outer(1) == 1
    namespace["NAME"] = 2
    assert njit(lambda x: (outer(1), inner(x)))(1.5) == (1, 2.0)
    assert njit(lambda x: (inner(x), outer(1), inner(2)))(1.5) == (2.0, 1, 1)
    assert njit(lambda x: (inner(1), inner(x), outer(x)))(1j) == (1, 2, 2)


def test_one_function_compiled_with_several_globals():
    namespace = {"FIELD": 2}
    exec("def add(a, b):\n    return (a + b) % FIELD", namespace)
    adders = []
    for namespace["FIELD"] in (2, 3, 5):
        adders.append(njit("int64(int64, int64)")(namespace["add"]))
    two, three, five = adders
    assert njit(lambda a, b: (two(a, b), three(a, b), five(a, b)))(4, 4) == (0, 2, 3)


@pytest.mark.parametrize("way", WAYS)
def test_a_callee_marked_again_sees_the_present_value(way):
    f, change = way(3)

    def caller(**options):
        g = register_jitable(f)

        @njit(**options)
        def call(x):
            return g(x)

        return call

    assert caller(nogil=True)(2) == 6
    change(7)
    assert caller(nogil=True, fastmath=True)(2) == 14


def test_a_parallel_loop_sees_the_present_value():
    namespace = {"NAME": 3, "prange": __import__("numjit").prange}
    exec(
        "def f(a):\n    for i in prange(len(a)):\n        a[i] = NAME\n    return a.sum()",
        namespace,
    )
    f = njit(parallel=True)(namespace["f"])
    assert f(np.zeros(4)) == 12
    namespace["NAME"] = 5
    assert f(np.zeros(4, np.int64)) == 20
    assert f(np.zeros(4)) == 12


def test_what_an_overload_gives_sees_the_present_value():
    def function(x): ...

    value = 3

    @overload(function)
    def choose(x):
        return implementation

    def implementation(x):
        return x * value

    assert njit(lambda x: function(x))(1) == 3
    value = 10
    assert njit(lambda x: function(x))(1) == 10


def test_a_name_may_become_defined_and_undefined():
    namespace = {}
    exec("def f(x):\n    return NAME if x else 0", namespace)
    f = njit(namespace["f"])
    with pytest.raises(Exception, match="NAME"):
        f(1)
    namespace["NAME"] = 5
    assert f(1) == 5
    del namespace["NAME"]
    with pytest.raises(Exception, match="NAME"):
        f(1.0)
    assert f(1) == 5


def test_recursion_and_captured_functions_stay_one_function():
    def fact(n):
        return n * fact(n - 1) if n > 1 else one

    one = 1
    fact = njit(fact)
    assert fact(4) == 24
    one = 2
    assert fact(4.0) == 48.0


def test_inspection_shows_what_was_compiled():
    f, change = _by_global(1234)
    f = njit(f)
    f(1)
    change(5678)
    f(1.0)
    dumps = {str(args[0]): text for args, text in f.inspect_llvm().items()}
    assert "1234" in dumps["int64"]
    assert "1234" not in dumps["float64"]


def test_recompile_reads_callees_anew():
    f, change = _by_global(3)
    callee = njit(f)
    caller = njit(lambda x: callee(x))
    assert caller(1) == 3
    change(10)
    caller.recompile()
    assert caller(1) == 3  # the callee has a version for an int
    callee.recompile()
    caller.recompile()
    assert caller(1) == 10


def test_callees_keep_only_what_they_need():
    """What else a callee was compiled with may change, and ends with its program."""
    namespace = {"G": 1}
    exec("def plain(x):\n    return x + G", namespace)
    plain = namespace["plain"]
    callee = njit(lambda x: x * 2)
    assert njit(lambda x: plain(callee(x)))(1) == 3
    namespace["G"] = 10
    assert njit(lambda x: plain(callee(x)))(1) == 12

    for value in range(20):
        namespace = {"callee": callee, "G": value}
        exec("def f(x):\n    inner = lambda y: y + G\n    return callee(inner(x))", namespace)
        assert njit(namespace.pop("f"))(1) == 2 * value + 2
        del namespace
        gc.collect()


def test_attributes_of_functions():
    def scaled(x):
        return x * scaled.factor + len(scaled.name)

    scaled.factor, scaled.name = 2, "ab"
    assert njit(scaled)(3) == 8
    scaled.factor = 3
    assert njit(scaled)(3) == 11
    with pytest.raises(TypingError, match="Unknown attribute 'offset'"):
        njit(lambda x: x + scaled.offset)(3)
