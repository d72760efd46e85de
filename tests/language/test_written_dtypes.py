"""Dtypes of fields that are written in a function, arrays of records from tuples, `device=`."""

import numpy as np
import pytest
from language.support import Programs, assert_same
from numjit import njit
from numjit.errors import TypingError

PROGRAMS = Programs()
program = PROGRAMS.add

POINT = np.dtype([("a", "i4"), ("b", "f8")])


@program(3)
def fields_of_texts(n):
    r = np.zeros(n, dtype=[("id", "i4"), ("val", "f8")])
    r["id"][0] = 3
    r[1]["val"] = 2.5
    return r


@program(3)
def fields_of_classes(n):
    dtype = np.dtype([("a", np.int64), ("b", np.float32), ("c", bool)])
    r = np.empty(n, dtype)
    r["a"] = 1
    r["b"] = r["a"] / 2
    r["c"] = r["b"] > 0
    return r


@program(3)
def one_text(n):
    r = np.zeros(n, dtype="i4,f8")
    r["f0"] = 2
    return r


@program()
def display_of_records():
    return np.array([(1, 2.0), (3, 4.0)], dtype=[("a", "i4"), ("b", "f8")])


@program(4)
def list_of_records(n):
    return np.array([(i, 2.5 * i) for i in range(n)], dtype=POINT)


@program(0)
def no_records(n):
    return np.array([(i, 2.5 * i) for i in range(n)], dtype=POINT)


@program()
def one_record():
    return np.array((1, 2.5), dtype=POINT), np.asarray((1, 2.5), POINT)["b"]


@program()
def lists_of_lists():
    return np.array([[(1, 2.0), (3, 4.0)], [(5, 6.0), (7, 8.0)]], dtype=POINT)


@program(2)
def assigned(n):
    r = np.zeros(n, POINT)
    r[:] = (7, 8.5)
    s = np.zeros(n, POINT)
    s[:] = [(7, 8.5), (1, 2)]
    r[-1] = (0, 1.5)
    return r, s


@program(3)
def without_a_device(n):
    a = np.zeros(n, device="cpu"), np.ones((n, 2), np.int32, device=None), np.eye(n, device="cpu")
    return a, np.arange(n, device="cpu"), np.full(n, 2.5, like=None), np.linspace(0, 1, n)


@program(3, "cpu")
def device_of_an_argument(n, device):
    return np.empty(n, np.int8, device=device) * 0


@program(3, "gpu")
def unknown_device(n, device):
    return np.empty(n, device=device)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    function, arguments = PROGRAMS[name]
    assert_same(function, *arguments)


def test_errors_of_functions_that_star_calls_reach():
    """np.rec.array() calls fromrecords(**kwds) with a dict."""

    @njit
    def f():
        return np.rec.array([(1, 2.0)], dtype=POINT)

    with pytest.raises(TypingError):
        f()
