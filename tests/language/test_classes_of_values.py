"""type(x), x.__class__ and their names; classes, None and members of enumerations in tuples."""

from enum import IntEnum

import numpy as np
import pytest
from language.support import assert_same
from numjit import njit, typed
from numjit.errors import NumbaError

VALUES = [3, 2.5, True, 1j, "a", b"a", [1], (1, 2), {1: 2.5}, {1}, None, np.ones(2), range(3)]


def classes(x):
    return (
        type(x).__name__,
        x.__class__.__name__,
        type(x) is int,
        type(x) == float,  # noqa: E721
        type(x) in (int, float, str),
        type(x) not in (list, dict, np.ndarray),
        type(x) is type(None),
        x.__class__ is tuple,
    )


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_classes_of_values(value):
    assert njit(classes)(value) == classes(value)


def test_names_of_the_classes_of_numpy():
    def names(a):
        return (
            type(a[0]).__name__,
            a.dtype.type.__name__,
            a.dtype.type is np.float32,
            np.int8.__name__,
        )

    assert_same(names, np.ones(2, np.float32))


class Own(Exception):
    pass


class Derived(Own):
    pass


def raises(n):
    try:
        if n == 0:
            raise Own("own")
        if n == 1:
            raise Derived()
        if n == 2:
            raise KeyError(n)
        return str([1][n]), "", True, True, False
    except Exception as e:
        cls = type(e)
        text = f"{cls.__name__}: {e}"
        other = type(e) != IndexError  # noqa: E721
        return text, str(cls), cls is Own, e.__class__ in (Derived, KeyError), other


def test_classes_of_caught_exceptions():
    for n in range(4):
        assert_same(raises, n)


def test_the_class_of_a_caught_exception_is_a_class_in_python():
    @njit
    def caught(n):
        try:
            return None if [1][n] > 0 else None
        except IndexError as e:
            return type(e)

    assert caught(5) is IndexError
    assert caught(0) is None


class Colour(IntEnum):
    RED = 1
    BLUE = 2


def members(n):
    x = None
    if n > 0:
        x = n
    return (
        x in (None, 2),
        x in (1, 2.0),
        x not in (n, None),
        Colour.RED in (1, 5),
        n in (Colour.RED, Colour.BLUE),
        Colour.BLUE in (Colour.RED, 7),
    )


def test_none_and_enumerations_in_tuples():
    for n in (0, 1, 2):
        assert_same(members, n)


def test_numbers_of_arrays_without_axes():
    assert_same(lambda a: (int(a), float(a), complex(a), bool(a)), np.array(5))
    assert_same(lambda a: [int(x) for x in np.nditer(a)], np.arange(3.0))


def unions(x):
    return (
        isinstance(x, int | float),
        isinstance(x, int | None),
        isinstance(x, (str | list) | tuple),
        3 | 4,
    )


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_unions_of_classes(value):
    assert njit(unions)(value) == unions(value)


def test_unions_of_exceptions():
    def f(n):
        try:
            if n:
                raise Own("own")
            return [1][3] > 0, False
        except Exception as e:
            return isinstance(e, Own | KeyError), isinstance(e, IndexError | Derived)

    assert_same(f, 0)
    assert_same(f, 1)


def test_classes_whose_attributes_are_made_up():
    class Meta(type):
        def __getattr__(cls, name):
            if name.startswith("__"):
                raise AttributeError(name)
            return type(name, (Any,), {})

    class Any(metaclass=Meta):
        pass

    for call in (lambda n: Any(n), lambda n: Any.made(n)):
        with pytest.raises(NumbaError):
            njit(call)(1)


PLAIN = [3, 2.5, True, 1j, [1], np.int64(3), np.float64(2.5), np.complex128(1j)]
NARROW = [np.int8(1), np.uint16(2), np.int32(3), np.float32(1.5), np.complex64(1j), typed.List([1])]


@pytest.mark.parametrize("x", PLAIN + NARROW, ids=lambda x: type(x).__name__)
def test_python_s_classes_of_numbers_and_lists(x):
    def f(x):
        return (
            isinstance(x, int),
            isinstance(x, float),
            isinstance(x, complex),
            isinstance(x, (float, list)),
        )

    wanted = f(x)
    if type(x) is np.int64:  # which compiled code does not tell from an int
        wanted = (True, *wanted[1:])
    assert njit(f)(x) == wanted
