"""import statements inside of compiled functions."""

import sys
import types

import pytest
from language.support import assert_same, compiled
from numjit import njit


def test_import_of_modules():
    def f(x):
        import math
        import os.path

        import numpy as np
        import numpy.linalg as la

        return math.cos(x) + np.sin(x) + la.norm(np.ones(3)), len(os.path.sep)

    assert_same(f, 0.5)


def test_from_import():
    def f(x):
        from math import floor as down
        from math import pi, sqrt

        from numpy import array, linalg
        from numpy.linalg import norm

        return sqrt(x) + down(x) + pi, norm(array([3.0, 4.0])), linalg.det(array([[2.0]]))

    assert_same(f, 5.5)


def test_import_in_branches_and_loops():
    def f(n):
        total = 0.0
        for i in range(n):
            if i % 2:
                from math import sin as g
            else:
                from math import cos as g
            total += g(i)
        return total

    assert_same(f, 5)


def test_import_in_inner_functions_and_generators():
    def f(n):
        def roots():
            from math import sqrt

            for i in range(n):
                yield sqrt(i)

        return sum(roots())

    assert_same(f, 6)


def test_missing_modules_raise_when_the_statement_runs():
    def f(wanted):
        if wanted:
            import no_such_module_at_all

            return no_such_module_at_all.f()
        return 1

    assert compiled(f)(False) == 1
    with pytest.raises(ModuleNotFoundError, match="^No module named 'no_such_module_at_all'$"):
        compiled(f)(True)


def test_missing_names_raise_when_the_statement_runs():
    def f():
        from math import no_such_name

        return no_such_name

    with pytest.raises(ImportError) as expected:
        f()
    with pytest.raises(ImportError) as raised:
        compiled(f)()
    assert str(raised.value) == str(expected.value)


def test_failed_imports_are_caught():
    def f(x):
        try:
            from no_such_module_at_all import g
        except ImportError as error:
            return x + 1, str(error)
        return g(x), ""

    assert_same(f, 2)

    def h(x):
        try:
            from math import no_such_name as g
        except ImportError:
            from math import sqrt as g
        return g(x)

    assert_same(h, 2.0)


def test_import_of_one_s_own_module():
    module = types.ModuleType("numjit_test_of_imports")
    module.scale = 3
    module.twice = lambda x: 2 * x
    sys.modules[module.__name__] = module
    try:

        def f(x):
            import numjit_test_of_imports as m
            from numjit_test_of_imports import scale, twice

            return twice(x) * scale + m.scale

        assert_same(f, 5)
        module.scale = 10
        assert njit(f)(5) == f(5) == 110  # a new compilation reads anew
    finally:
        del sys.modules[module.__name__]


def test_import_of_functions_that_are_compiled_too():
    def f(x):
        from operator import add
        from statistics import _ss as unused  # noqa: F401 - reached and never called

        return add(x, 1)

    assert_same(f, 3)


def test_versions_of_the_interpreter():
    def f(x):
        if sys.version_info >= (3, 8):
            y = x + 1
        else:
            y = "old"
        return y, sys.version_info[:2] == (2, 7), sys.version_info.major, sys.version_info[0]

    assert_same(f, 3)
