"""types.FunctionType: functions as values of a fixed signature, wherever they are kept."""

import numpy as np
import pytest
from language.support import assert_same
from numjit import cfunc, float64, int64, njit, typed, types
from numjit.errors import TypingError
from numjit.experimental import jitclass

unary = types.FunctionType(float64(float64))


@njit(float64(float64))
def square(x):
    return x * x


@njit
def half(x):
    return x / 2


@cfunc("float64(float64)")
def cube(x):
    return x * x * x


@njit(float64(unary, float64))
def apply(f, x):
    return f(x) + 1


@njit
def apply_any(f, x):
    return f(x)


def test_arguments_of_a_signature():
    assert apply(square, 3.0) == 10.0
    assert apply(half, 3.0) == 2.5
    assert apply(cube, 2.0) == 9.0
    assert (
        str(apply.nopython_signatures[0]) == "(FunctionType[float64(float64)], float64) -> float64"
    )
    with pytest.raises(TypeError):
        apply(3, 1.0)


def test_a_caller_gives_functions_to_it():
    @njit
    def caller(x):
        return apply(square, x) + apply(half, x)

    assert caller(2.0) == 7.0


def test_lists_and_dicts_of_functions():
    @njit
    def total(functions, x):
        s = 0.0
        for f in functions:
            s += f(x)
        return s

    @njit
    def look(functions, name, x):
        return functions[name](x) if name in functions else -1.0

    functions = typed.List.empty_list(unary)
    functions.append(square)
    functions.append(half)
    functions.append(cube)
    assert total(functions, 2.0) == 13.0
    assert functions[0] is square
    named = typed.Dict.empty(types.unicode_type, unary)
    named["square"] = square
    named["half"] = half
    assert look(named, "square", 3.0) == 9.0
    assert look(named, "half", 3.0) == 1.5
    assert look(named, "cube", 3.0) == -1.0


def test_compiled_code_puts_functions_into_lists():
    @njit
    def run(x):
        def more(y):
            return y + 1.0

        functions = typed.List.empty_list(unary)
        functions.append(more)
        functions.append(square)
        functions[0] = half
        functions.append(more)
        return [f(x) for f in functions]

    assert run(4.0) == [2.0, 16.0, 5.0]


def test_functions_that_capture_values_are_refused():
    @njit
    def run(x):
        functions = typed.List.empty_list(unary)
        functions.append(lambda y: x + y)
        return functions[0](x)

    with pytest.raises(TypingError, match="an inner one that captures nothing"):
        run(1.0)


def test_fields_of_jitclasses():
    @jitclass([("f", unary), ("k", float64)])
    class Scaled:
        def __init__(self, f, k):
            self.f = f
            self.k = k

        def __call__(self, x):
            return self.f(x) * self.k

        def use_half(self):
            self.f = half

    scaled = Scaled(square, 3.0)
    assert scaled(2.0) == 12.0
    scaled.f = cube
    assert scaled(2.0) == 24.0
    scaled.use_half()
    assert scaled(2.0) == 3.0
    assert scaled.f is half


def test_arrays_tuples_and_errors_pass():
    signature = types.Tuple((float64, int64))(float64[:], int64)
    function = types.FunctionType(signature)

    @njit
    def mean(a, k):
        if k < 0:
            raise ValueError("a negative count", k)
        return a[:k].mean(), k

    @njit(types.Tuple((float64, int64))(function, float64[:], int64))
    def run(f, a, k):
        return f(a, k)

    @njit(float64(function, float64[:], int64))
    def safe(f, a, k):
        try:
            return f(a, k)[0]
        except ValueError:
            return -1.0

    a = np.arange(6.0)
    assert run(mean, a, 3) == (1.0, 3)
    assert safe(mean, a, 4) == 1.5 and safe(mean, a, -1) == -1.0
    with pytest.raises(ValueError) as raised:
        run(mean, a, -2)
    assert raised.value.args == ("a negative count", -2)


def test_arrays_are_given_and_taken():
    function = types.FunctionType(float64[::1](float64[::1]))

    @njit
    def doubled(a):
        return a * 2

    @njit(float64[::1](function, float64[::1], int64))
    def repeat(f, a, n):
        for _ in range(n):
            a = f(a)
        return a

    assert repeat(doubled, np.arange(3.0), 4).tolist() == [0.0, 16.0, 32.0]


def test_wrong_arguments_are_said():
    @njit
    def wrong(functions):
        return functions[0](1.0, 2.0)

    functions = typed.List.empty_list(unary)
    functions.append(square)
    with pytest.raises(TypingError, match="the function takes 1 argument.*, not 2"):
        wrong(functions)


def test_a_type_that_a_function_cannot_have():
    @njit
    def text(x):
        return str(x)

    with pytest.raises(TypingError):
        apply(text, 1.0)


def test_plain_functions_need_no_type():
    def run(x):
        functions = [lambda y: y + 1.0, lambda y: y * 3.0]
        return functions[0](x) + functions[1](x)

    assert_same(run, 2.0)
