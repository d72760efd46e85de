"""`try` blocks that ask what an object can do: exceptions where an operation has no type."""

import operator

import numpy as np
import pytest
from language.support import Programs, assert_same
from numjit import njit
from numjit.errors import TypingError

PROGRAMS = Programs()
program = PROGRAMS.add


@program(3)
def length(x):
    try:
        return len(x)
    except TypeError:
        return -1


@program([3, 4])
def length_of_a_list(x):
    try:
        return len(x)
    except TypeError:
        return -1


@program(3)
def iterable(x):
    try:
        it = iter(x)
    except TypeError:
        return [x]
    return [v for v in x]


def as_nodes(n):
    try:
        nodes = list(range(n))
    except TypeError:
        nodes = list(n)
    return nodes


@program(3)
def nodes_of_a_number(n):
    return as_nodes(n)


@program([3, 4])
def nodes_of_a_list(n):
    return as_nodes(n)


@program(3)
def sum_of_a_number(x):
    try:
        return sum(x)
    except TypeError:
        return -x


@program(3)
def attribute(x):
    try:
        return x.foo
    except AttributeError:
        return 0


@program("abc")
def message(x):
    try:
        return x + 1.5
    except TypeError as e:
        return 0
    except Exception:
        return 1


@program(None)
def length_of_none(x):
    try:
        return len(x)
    except Exception:
        return 0


@program(3)
def item(x):
    try:
        return x[0]
    except TypeError:
        return x


@program(3)
def text_of_the_error(x):
    try:
        return str(len(x))
    except TypeError as e:
        return str(e)


@program(3)
def in_a_loop(x):
    found = 0
    for k in range(x):
        try:
            found += 1
            found += len(x)
        except TypeError:
            found += 10
        finally:
            found += 100
    return found


@program(3.5)
def shape(x):
    try:
        return x.shape[0]
    except (AttributeError, IndexError):
        return 1


WHEN = {"end": 0, "begin": 1, 0: 0, 1: 1}


@program(1)
def in_a_handler(when):
    if isinstance(when, np.ndarray):
        return when
    try:
        return WHEN[when]
    except (KeyError, TypeError):
        for x in when:
            return WHEN[x]


@program("ab")
def number(x):
    try:
        return float(x)
    except ValueError:
        return -1.0


@program("ab")
def sum_with_a_text(x):
    try:
        return x + 1
    except TypeError:
        return x + "1"


@program(3)
def first_of_several_handlers(x):
    try:
        n = len(x)
    except TypeError:
        n = 1
    except Exception:
        n = 2
    return n


def is_number(x):
    try:
        float(x)
        return True
    except TypeError:
        return False


def as_integer(x):
    try:
        return int(x)
    except (TypeError, ValueError) as error:
        return str(error)


def as_index(x):
    try:
        return operator.index(x)
    except TypeError as error:
        return str(error)


@pytest.mark.parametrize("function", [is_number, as_integer, as_index])
@pytest.mark.parametrize("x", [3, 2.5, "5", [1.0], (1, 2), None], ids=repr)
def test_conversions(function, x):
    assert njit(function)(x) == function(x)


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    f, args = PROGRAMS[name]
    assert_same(f, *args)


def not_taken(x):
    try:
        return len(x)
    except ValueError:
        return 0


def not_known(x):
    try:
        return np.lib.scimath.sqrt(x)
    except Exception:
        return 0.0


def without_try(x):
    return len(x)


@pytest.mark.parametrize("f", [not_taken, not_known, without_try])
def test_what_is_refused_as_before(f):
    with pytest.raises(TypingError):
        njit(f)(3)


def test_index_of_arrays():
    @njit
    def index(x):
        return operator.index(x)

    assert index(np.array(7, np.int8)) == 7
    for array in (np.arange(3), np.arange(1), np.array(2.5)):
        with pytest.raises(TypeError):
            operator.index(array)
        with pytest.raises(TypingError, match="an integer is wanted"):
            index(array)
