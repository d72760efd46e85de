"""Compiled functions in pickles, with and without cloudpickle, in this process and in others."""

import multiprocessing
import os
import pickle
import subprocess
import sys
import textwrap
import types

import numpy as np
import pytest
from numjit import njit, pickling

SCALE = 5


@njit
def module_level(x):
    return x * 2


def plain(x):
    return x + SCALE


def closure(factor):
    @njit
    def scaled(x):
        return x * factor + SCALE

    return scaled


def executed(text, **names):
    scope = {"njit": njit, "__name__": "__main__", **names}
    exec(textwrap.dedent(text), scope)
    return scope["f"]


def of_deleted_module():
    module = types.ModuleType("numjit_test_of_pickles")
    sys.modules[module.__name__] = module
    module.njit = njit
    exec("K = 7\n@njit\ndef f(x):\n    return x + K\n", module.__dict__)
    del sys.modules[module.__name__]
    return module.f


MADE = {
    "module level": lambda: module_level,
    "closure": lambda: closure(3),
    "lambda": lambda: njit(lambda x, y=2, *, z=3: x + y + z),
    "signatures": lambda: njit("f8(f8)")(lambda x: x * 2),
    "exec": lambda: executed("@njit\ndef f(x):\n    return g(x) + np.abs(x)\n", g=plain, np=np),
    "recursion": lambda: executed(
        "@njit\ndef f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\n"
    ),
    "recursion with a signature": lambda: executed(
        "@njit('i8(i8)')\ndef f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\n"
    ),
    "mutual recursion": lambda: executed(
        """
        def g(n):
            return n + f(n - 1) if n > 0 else 0
        @njit
        def f(n):
            return n * g(n - 1) if n > 0 else 1
        """
    ),
    "deleted module": of_deleted_module,
    "other compiled functions": lambda: executed(
        "@njit\ndef f(x):\n    return g(x) + h(x)\n", g=closure(10), h=module_level
    ),
}


@pytest.fixture(params=["cloudpickle", "plain"])
def way(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setattr(pickling, "_cloudpickle", lambda: None)
    else:
        pytest.importorskip("cloudpickle", reason="pickles functions by value")
    return request.param


def forgotten(data):
    """What another process makes of it: one that knows no tokens."""
    pickling._present.clear()
    return pickle.loads(data)


@pytest.mark.parametrize("name", MADE)
def test_in_one_process_it_is_the_same(way, name):
    f = MADE[name]()
    assert pickle.loads(pickle.dumps(f)) is f


@pytest.mark.parametrize("name", [name for name in MADE if name != "module level"])
def test_copies(way, name):
    f = MADE[name]()
    expected = f(6)
    data = pickle.dumps(f)
    copy = forgotten(data)
    assert copy is not f and copy(6) == expected
    assert copy.targetoptions == f.targetoptions
    assert pickle.loads(data) is copy  # once is enough
    assert pickle.loads(pickle.dumps([copy, copy])) == [copy, copy]


def test_options_and_signatures_of_copies(way):
    f = njit("f8(f8)", error_model="numpy")(lambda x: 1 / x)
    copy = forgotten(pickle.dumps(f))
    assert [str(s) for s in copy.nopython_signatures] == ["(float64,) -> float64"]
    assert copy(0) == np.inf
    with pytest.raises(TypeError):
        copy("text")
    assert njit(lambda x: copy(x))(2) == 0.5  # converted to its signature


def test_captured_containers_and_modules(way):
    import math

    pairs = (plain, (1, 2.5))

    @njit
    def f(x):
        return math.sqrt(x) + pairs[0](x) + pairs[1][1]

    copy = forgotten(pickle.dumps(f))
    assert copy(4) == f(4)


PROGRAM = """
    import multiprocessing, pickle, sys
    import numjit
    from numjit import njit, pickling
    if {plain}:
        pickling._cloudpickle = lambda: None
    OFFSET = 100

    def helper(x):
        return x + OFFSET

    @njit
    def f(x):
        return helper(x) * 2

    def make(k):
        @njit
        def g(x):
            return f(x) + k
        return g

    def run(job):
        function, x = job
        return function(x)

    if __name__ == "__main__":
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            print(pool.map(run, [(f, 1), (make(5), 2), (njit(lambda x: x - 1), 3)]))
        with open({file!r}, "wb") as out:
            pickle.dump((f, make(7)), out)
"""


@pytest.mark.parametrize("plain", [False, True])
def test_functions_of_main_in_other_processes(tmp_path, plain):
    program, file = tmp_path / "program.py", str(tmp_path / "functions.pickle")
    program.write_text(textwrap.dedent(PROGRAM).format(plain=plain, file=file))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

    def output(*command):
        return subprocess.run(
            [sys.executable, *command],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        ).stdout.strip()

    assert output(str(program)) == "[202, 209, 2]"
    load = f"import pickle; f, g = pickle.load(open({file!r}, 'rb')); print(f(1), g(2))"
    assert output("-c", load) == "202 211"


def test_pools_of_this_module():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(closure(4), [1, 2]) == [9, 13]
