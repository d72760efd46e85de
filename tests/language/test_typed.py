"""What tools see of compiled functions: type checkers, inspect, doctest, copy, functools."""

import copy
import doctest
import functools
import inspect
import pathlib
import pickle
import pydoc
import re
import runpy
import sys
import typing

import numpy as np
import pytest
from numjit import (
    cfunc,
    cuda,
    errors,
    float32,
    float64,
    guvectorize,
    int64,
    jit,
    jit_module,
    njit,
    stencil,
    types,
    vectorize,
)
from numjit.experimental import jitclass
from numjit.options import OPTIONS

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULE = sys.modules[__name__]


@njit
def jitted(x: int, *, y: "float" = 2.0) -> float:
    """Adds.

    >>> jitted(1)
    3.0
    """
    return x + y


@vectorize
def ufunc(a: float) -> float:
    """Adds one."""
    return a + 1


@guvectorize("(n)->(n)")
def gufunc(a, r):
    """Copies."""
    r[:] = a


@stencil
def neighbours(a):
    """Sums."""
    return a[0] + a[1]


@cfunc("float64(float64)")
def callback(x: float) -> float:
    """Doubles."""
    return x * 2


@cuda.jit
def kernel(a: "float", *, b=1):
    """Does nothing."""


@jitclass({"x": float64})
class Point:
    """A point.

    >>> Point(1.0).moved(2.0)
    3.0
    """

    def __init__(self, x: float):
        self.x = x

    def moved(self, y: float) -> float:
        """The sum.

        >>> Point(1.0).moved(1.0)
        2.0
        """
        return self.x + y


FUNCTIONS = [jitted, ufunc, gufunc, neighbours, callback, kernel]
all_kinds = pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)


@all_kinds
def test_inspect(f):
    python = f.__wrapped__
    assert inspect.signature(f) == inspect.signature(python)
    assert inspect.getsource(f) == inspect.getsource(python)
    assert f"def {python.__name__}(" in inspect.getsource(f)
    assert inspect.getdoc(f) == inspect.getdoc(python)
    assert typing.get_type_hints(f) == typing.get_type_hints(python)
    assert inspect.getmodule(f) is MODULE
    assert f.__globals__ is globals() and f.__closure__ is None
    assert f.__code__ is python.__code__ and f.__kwdefaults__ == python.__kwdefaults__


@all_kinds
def test_copies_are_the_same_function(f):
    assert copy.copy(f) is f
    assert copy.deepcopy(f) is f
    assert copy.deepcopy([f])[0] is f
    assert pickle.loads(pickle.dumps(f)) is f


def test_get_type_hints_evaluates_text():
    assert typing.get_type_hints(jitted) == {"x": int, "y": float, "return": float}


def test_jitclass():
    assert str(inspect.signature(Point)) == "(x: float)"
    assert str(inspect.signature(Point.moved)) == "(self, y: float) -> float"
    assert Point.moved.__qualname__ == "Point.moved"
    assert Point.moved.__module__ == __name__
    assert "return self.x + y" in inspect.getsource(Point.moved)
    assert pickle.loads(pickle.dumps(Point.moved)) is Point.moved


def test_jitclass_without_init():
    @jitclass({"x": float64})
    class Empty:
        pass

    assert str(inspect.signature(Empty)) == "()"


def test_doctest_runs_their_examples():
    finder = doctest.DocTestFinder()
    found = {test.name.rpartition("test_typed.")[2]: test for test in finder.find(MODULE)}
    runner = doctest.DocTestRunner(verbose=False)
    for name in ("jitted", "Point", "Point.moved"):
        assert found[name].examples, name
        assert runner.run(found[name]).failed == 0


def test_wraps_a_compiled_function():
    pickle.dumps(jitted)

    @functools.wraps(jitted)
    def wrapper(x, *, y=2.0):
        return x * y

    assert inspect.signature(wrapper) == inspect.signature(jitted)
    compiled = njit(wrapper)  # its attributes are those of the other one, its code is not
    assert compiled(3, y=4.0) == 12.0
    assert jitted(3, y=4.0) == 7.0
    loaded = pickle.loads(pickle.dumps(compiled))
    assert loaded(3, y=4.0) == 12.0


def test_stencils_and_callbacks_in_pickles():
    @stencil
    def inner(a):
        return a[-1] - a[0]

    @cfunc("int64(int64)")
    def negative(x):
        return -x

    data = pickle.dumps((inner, negative))
    again, callback = pickle.loads(data)
    a = np.arange(5.0) ** 2
    assert np.array_equal(again(a), inner(a))
    assert callback.ctypes(3) == -3


# -- the options of decorators ---------------------------------------------------------------------

DECORATORS = [jit, njit, jit_module, vectorize, guvectorize, cfunc, stencil, cuda.jit]


@pytest.mark.parametrize("decorator", DECORATORS, ids=lambda each: each.__qualname__)
def test_help_shows_every_option(decorator):
    text = pydoc.render_doc(decorator, renderer=pydoc.plaintext)
    parameters = inspect.signature(decorator).parameters.values()
    assert not [each for each in parameters if each.kind is each.VAR_KEYWORD]
    options = [each for each in parameters if each.kind is each.KEYWORD_ONLY]
    assert options
    for each in options:
        found = re.search(rf"^    {each.name}: .+ = .+\n        \S.+", text, re.MULTILINE)
        assert found, each.name


def test_help_of_njit_is_the_table():
    named = set(inspect.signature(njit).parameters)
    for name, row in OPTIONS.items():
        hidden = name.startswith(("_", "no_")) or name in ("nopython", "forceobj", "looplift")
        assert (name in named) != hidden, name


# -- signatures out of annotations -----------------------------------------------------------------


def test_annotations_are_the_signature():
    @njit(annotations=True)
    def f(x: float64[:], n: int, k: np.float32 = 2.0) -> float64:
        return x[0] * n + k

    assert f.nopython_signatures == [float64(float64[:], int64, float32)]
    assert f(np.array([3.0]), 2) == 8.0
    with pytest.raises(TypeError):
        f("a", 2)


def test_annotations_as_text_and_without_result():
    @njit(annotations=True)
    def f(x: "float64[:, ::1]", y: "tuple[int, bool]"):
        return x.sum() + y[0]

    ((matrix, pair),) = f.signatures
    assert (matrix.ndim, matrix.layout) == (2, "C")
    assert pair == types.Tuple((int64, types.boolean))
    assert f(np.ones((2, 2)), (1, True)) == 5.0


def test_annotations_of_numpy_arrays():
    @njit(annotations=True)
    def f(x: np.ndarray[tuple[int, int], np.dtype[np.float32]]) -> float:
        return x[0, 0]

    assert f.signatures == [(float32[:, :],)]


def test_annotations_of_ufuncs_and_callbacks():
    @vectorize(annotations=True)
    def add(a: float, b: float) -> float:
        return a + b

    @guvectorize("(n)->(n)", annotations=True)
    def double(a: float64[:], r: float64[:]):
        r[:] = a * 2

    @cfunc(annotations=True)
    def negative(x: float) -> float:
        return -x

    assert add.types == ["dd->d"] and not add.is_dynamic
    assert double.types == ["d->d"]
    assert double(np.arange(3)).tolist() == [0.0, 2.0, 4.0]
    assert negative.ctypes(2.0) == -2.0


@pytest.mark.parametrize(
    "annotations, why",
    [
        ({}, "x has none"),
        ({"x": "no_such_type"}, "NameError"),
        ({"x": np.ndarray}, "says no type"),
        ({"x": np.ndarray[typing.Any, np.dtype[np.float64]]}, "says no type"),
        ({"x": object}, "says no type"),
        ({"x": 3}, "says no type"),
    ],
)
def test_annotations_that_say_no_types(annotations, why):
    def f(x):
        return x

    f.__annotations__ = annotations
    with pytest.raises(errors.SignatureError) as caught:
        njit(annotations=True)(f)
    assert why in caught.value.msg
    assert caught.value.line == f.__code__.co_firstlineno


def test_annotations_are_left_alone_by_default():
    @njit
    def f(x: float64[:]) -> float64:
        return x

    assert f(3) == 3 and f.signatures == [(int64,)]


# -- type checkers ---------------------------------------------------------------------------------


def test_stubs_say_what_the_tables_say():
    stubs = runpy.run_path(str(ROOT / ".ci" / "make_stubs.py"))
    assert [str(path) for path, _ in stubs["stale"]()] == []


def revealed(tmp_path, monkeypatch, text):
    """The lines that mypy prints of a program."""
    api = pytest.importorskip("mypy.api", reason="mypy is installed with the extra lint")
    program = tmp_path / "program.py"
    program.write_text(text)
    monkeypatch.setenv("MYPYPATH", str(ROOT / "pyext"))
    settings = [f"--config-file={ROOT / 'pyproject.toml'}", f"--cache-dir={tmp_path}"]
    printed, complaints, _ = api.run([*settings, str(program)])
    assert complaints == ""
    return re.findall(r"program\.py:(\d+): \w+: (.*)", printed)


def test_mypy_sees_the_function(tmp_path, monkeypatch):
    program = (pathlib.Path(__file__).parent / "data" / "typed_program.txt").read_text()
    expected = {
        str(number): line.partition("#: ")[2]
        for number, line in enumerate(program.splitlines(), 1)
        if "#: " in line
    }
    found = dict(reversed(revealed(tmp_path, monkeypatch, program)))
    assert found.keys() == expected.keys()
    for number, text in expected.items():
        assert text in found[number], f"line {number}: {found[number]}"
