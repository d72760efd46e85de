"""with objmode(...): blocks of compiled functions that the interpreter runs."""

import numpy as np
import pytest
from language.engine import live_blocks
from numjit import errors, float64, njit, objmode, types
from numjit.errors import UnsupportedError
from numjit.extending import overload

SCALE = 3
INT = types.int64


def helper(x):
    """What cannot be compiled."""
    return sorted({str(v): v for v in x}.values(), reverse=True)


def test_one_output():
    @njit
    def f(a):
        b = a * 2
        with objmode(y="float64[:]"):
            y = np.array(helper(b))
        return y.sum() + y[0]

    assert f(np.arange(4.0)) == 12 + 6


def test_types_as_objects_and_several_outputs():
    @njit
    def f(a, n):
        with objmode(x=INT, y=float64[:, :], z="int64"):
            x = len(helper(a)) * SCALE
            y = np.outer(a, a)
            z = int(f"{n + 1}")
        return x, y, z

    x, y, z = f(np.arange(3.0), 4)
    assert (x, z) == (9, 5)
    assert np.array_equal(y, np.outer(np.arange(3.0), np.arange(3.0)))


def test_no_output(capsys):
    @njit
    def f(x):
        with objmode():
            print("x is", {x: x})
        return x + 1

    assert f(3) == 4
    assert capsys.readouterr().out == "x is {3: 3}\n"


def test_in_a_loop_and_from_callers():
    @njit
    def inner(i):
        with objmode(r="int64"):
            r = int(f"{i}{i}")
        return r

    @njit
    def outer(n):
        total = 0
        for i in range(n):
            total += inner(i)
        return total

    assert outer(5) == 11 + 22 + 33 + 44


def test_exceptions_come_through():
    @njit
    def f(x):
        a = np.ones(3)
        with objmode(y="int64"):
            y = {1: 10}[x]
        return y + a.sum()

    assert f(1) == 13
    before = live_blocks()
    for _ in range(3):
        with pytest.raises(KeyError) as caught:
            f(2)
        assert caught.value.args == (2,)
    assert live_blocks() == before

    @njit
    def g(x):
        try:
            return f(x)
        except KeyError:
            return -1.0

    assert g(2) == -1.0 and g(1) == 13.0


def test_lists_are_reflected():
    @njit
    def f(n):
        items = [1, 2]
        with objmode():
            items.append(n)
            items.sort(reverse=True)
        items.append(7)
        return items

    assert f(5) == [5, 2, 1, 7]


def test_assigned_and_augmented():
    @njit
    def f(x, y):
        total = x
        with objmode(total="float64", flag="boolean"):
            total += float(str(y))
            flag = total > 3
        return total, flag

    assert f(1, 2.5) == (3.5, True)


def test_wrong_types_and_uses():
    @njit
    def wrong(x):
        with objmode(y="float64[:]"):
            y = x
        return y

    with pytest.raises(TypeError):
        wrong(1)

    @njit
    def leaves(x):
        with objmode(y="int64"):
            y = 1
            return y
        return 0

    with pytest.raises(UnsupportedError, match="control flow"):
        leaves(1)


def test_types_that_compiled_code_does_not_know():
    @njit
    def f(x):
        with objmode(y="pyobject"):
            y = {x}
        return x

    with pytest.raises(UnsupportedError, match="pyobject"):
        f(1)


def test_in_the_interpreter():
    def f(x):
        with objmode(y="int64"):
            y = x + 1
        return y

    assert f(2) == 3


def declared_of_an_overload():
    """A function whose overload declares what is gone when the block is compiled."""


@overload(declared_of_an_overload)
def _declared():
    kind = types.float64

    def implementation():
        with objmode(out=kind):  # noqa: F821 - deleted below
            out = 1.0
        return out

    del kind
    return implementation


def test_what_is_declared_must_be_a_type():
    def undefined():
        with objmode(v=undefined_type):  # noqa: F821 - the point
            v = 3
        return v

    def attribute():
        with objmode(v=types.flaot64):
            v = 3
        return v

    def number():
        with objmode(v=2):
            v = 3
        return v

    def text():
        with objmode(v="no type"):
            v = 3
        return v

    def overloaded():
        return declared_of_an_overload()

    for function, reason in (
        (undefined, "Global 'undefined_type' is not defined"),
        (attribute, "Getattr cannot be resolved at compile-time: .*no attribute 'flaot64'"),
        (number, "The value must be a compile-time constant .* refers to a Numba type. 2 is none"),
        (text, "invalid syntax"),
        (overloaded, "'kind' is not defined"),
    ):
        with pytest.raises(errors.CompilerError, match=f"objmode argument.*{reason}"):
            njit(function)()
