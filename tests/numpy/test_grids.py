"""np.mgrid, np.ogrid, np.r_, np.c_, np.s_, and lists as shapes."""

import numpy as np
import pytest
from language.support import assert_same, check, compiled
from numjit import njit, types
from numjit.errors import TypingError
from numjit.experimental import jitclass

GRIDS = """
0:3, 0:4
:3, 1:8:2
0:3,
0:3
-1:1:3j, 0:2
0:1:5j
0:1:0.25
0:1:0.25, 0:2:0.5, 0:2
5:0:-1, 0:0
0:1:1j
""".split("\n")[1:-1]


@pytest.mark.parametrize("name", ["mgrid", "ogrid"])
@pytest.mark.parametrize("key", GRIDS)
def test_grids(name, key):
    check(f"np.{name}[{key}]", rtol=1e-15)


def test_grids_of_run_time_numbers():
    check("np.mgrid[0:a, 0:b:2]", 3, 7)
    check("np.mgrid[a:b:0.5], np.ogrid[0:1 : complex(0, b)]", 1.5, 4)
    assert_same(lambda n: np.mgrid[0 : n - 5, 0:2], 3)  # ValueError


ROWS = """
a, 1.5, a
1, 2, 3
1, 2.5, 3
0:5
0:5, 1:2:3j
0:1:0.25, [1, 2], 5
b, 1.5
b, True
a
m, m
"1", m, m
"-1", m, m
"0,2", a, a
"1,2,0", a, a
"0,3,1", m, m
""".split("\n")[1:-1]


@pytest.mark.parametrize("key", ROWS)
def test_r(key):
    namespace = {"np": np}
    exec(f"def f(a, b, m):\n    return np.r_[{key}]", namespace)
    assert_same(namespace["f"], np.arange(3.0), np.array([4, 5]), np.arange(6.0).reshape(2, 3))


@pytest.mark.parametrize("key", ["a, a", "a", "m, a[:2]", "1, 2", "0:3, a", "a, a, a"])
def test_c(key):
    namespace = {"np": np}
    exec(f"def f(a, m):\n    return np.c_[{key}]", namespace)
    assert_same(namespace["f"], np.arange(3.0), np.arange(6).reshape(2, 3))


def test_indices_as_values():
    check("a[np.s_[0:2, 1]], a[np.index_exp[1]], np.s_[1:2], np.index_exp[1:2, 0]", np.eye(3))


def test_wrong_strings():
    with pytest.raises(TypingError, match="does not say an axis"):
        compiled(lambda a: np.r_["r", a])(np.arange(3))


@pytest.mark.parametrize("index", ["0.5:2", "::1j", "0:2.0, 0"])
def test_slices_of_other_numbers_are_no_indices(index):
    namespace = {}
    exec(f"def f(a):\n    return a[{index}]", namespace)
    with pytest.raises(TypingError, match="slice indices must be integers"):
        compiled(namespace["f"])(np.eye(3))


SHAPES = """
np.zeros([2, n])
np.ones([n], np.int32)
np.full([2, n, 1], 7.5)
np.empty([n, 2]).shape
np.ndarray([n, 2], np.int8).shape
np.reshape(np.arange(6), [2, n])
np.broadcast_to(np.arange(n), [2, n])
np.transpose(np.eye(n), [1, 0])
np.tile(np.arange(n), [2, 1])
np.tensordot(np.eye(n), np.eye(n), axes=([0, 1], [1, 0]))
np.pad(np.arange(n), [1, 2])
np.arange(6).reshape([2, n])
np.arange(6).reshape([n, -1])
np.expand_dims(np.arange(n), [0, 2])
np.flip(np.eye(n, 2), [0, 1])
np.unravel_index([3, 7], [n, 5])
np.ravel_multi_index([[1], [2]], [n, 5])
""".split("\n")[1:-1]


@pytest.mark.parametrize("text", SHAPES)
def test_lists_as_shapes(text):
    namespace = {"np": np}
    exec(f"def f(n):\n    return {text}", namespace)
    assert_same(namespace["f"], 3)


def test_a_list_whose_length_is_not_known_is_no_shape():
    def f(n):
        shape = [n, n]
        for _ in range(n):
            shape.append(2)
        return np.zeros(shape)

    with pytest.raises(TypingError, match="a shape is an integer or a tuple"):
        compiled(f)(3)


@pytest.mark.parametrize("call", ["np.transpose(a, o)", "a.transpose(o)", "a.transpose(tuple(o))"])
def test_orders_of_axes_that_are_known_at_run_time(call):
    namespace = {"np": np}
    exec(f"def f(a, o):\n    return {call}", namespace)
    f = namespace["f"]
    a = np.arange(24).reshape(2, 3, 4)
    for order in ([0, 1, 2], [2, 0, 1], [-1, 0, 1], [1, 0, -1]):
        for given in (order, np.array(order), np.array(order, np.int8)):
            assert_same(f, a, given)
    for order in ([0, 1], [0, 1, 5], [0, 0, 1]):
        with pytest.raises(ValueError):  # AxisError is one
            compiled(f)(a, order)


def test_reshape_of_other_classes_takes_lists():
    @jitclass([("count", types.int64)])
    class Shapes:
        def __init__(self):
            self.count = 0

        def reshape(self, shape):
            shape.append(4)
            self.count += len(shape)
            return self.count

    assert njit(lambda: Shapes().reshape([1, 2]))() == 3
