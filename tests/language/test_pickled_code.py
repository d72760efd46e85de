"""Pickles of compiled functions take machine code along, which another process runs as it is."""

import functools
import os
import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from language.engine import ENGINE
from numjit import _core, config, njit, pickling

pytestmark = pytest.mark.skipif(ENGINE != "numjit", reason="others pickle source alone")

# One process makes everything, another takes it; each program in a fork, as the first that it does.
IN_FORKS = """
    import os, pickle, sys, traceback
    import numpy as np
    from numjit import *
    from numjit import _core, pickling
    dump = pickle.dump
    def in_fork(run, path):
        child = os.fork()
        if child == 0:
            try:
                run(path)
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(0)
        os.waitpid(child, 0)
"""
SENDER = """
    {way}
    def make(path):
        exec(compile(open(path + ".py").read(), path + ".py", "exec"), globals())
        expected = use(f)
        with open(path + ".pickle", "wb") as file:
            dump((f, ()), file)
        print(path, repr(expected), sep="\\t")
    for path in sys.argv[1:]:
        in_fork(make, path)
"""
# What the receiver calls is asked by name: the text of `use` is in both programs.
RECEIVER = """
    def take(path):
        global f
        with open(path + ".pickle", "rb") as file:
            f, _ = pickle.load(file)
        got = eval(open(path + ".use").read())
        stages = sorted({stage for stage, _ in _core.timings()})
        print(path, repr(got), *stages, sep="\\t")
    for path in sys.argv[1:]:
        in_fork(take, path)
"""

# What is made, and how it is used: of __main__, so that it travels by value.
MADE = {
    "dispatcher": (
        """
        K = 3
        def helper(x):
            return x + K
        @njit
        def f(x):
            return helper(x) * 2
        """,
        "f(4), f(2.5)",
    ),
    "closure": (
        """
        def outer(k):
            @njit
            def inner(a):
                return (a * k).sum()
            return inner
        f = outer(2.5)
        """,
        "f(np.arange(4.0))",
    ),
    "recursion": (
        """
        @njit
        def f(n):
            return n if n < 2 else f(n - 1) + f(n - 2)
        """,
        "f(12)",
    ),
    "functions that are compiled when they are called": (
        """
        @njit
        def f(points, row):
            found = np.argmin(np.sum((points - row) ** 2, axis=1))
            points[:2] = row
            return found, points.sum()
        """,
        "f(np.arange(12.0).reshape(4, 3), np.arange(3.0))",
    ),
    "signatures": (
        """
        @njit("f8(f8)")
        def f(x):
            return x * 2
        """,
        "f(2)",
    ),
    "exceptions": (
        """
        @njit
        def f(x):
            if x < 0:
                raise ValueError("negative")
            return np.sqrt(x)
        """,
        "f(4.0)",
    ),
    "parallel": (
        """
        @njit(parallel=True)
        def f(a):
            total = 0.0
            for i in prange(a.size):
                total += a[i]
            return total
        """,
        "f(np.ones(100))",
    ),
    "ufunc": (
        """
        @vectorize
        def f(a, b):
            return a * 2 + b
        """,
        "f(np.arange(4.0), np.ones(4)).tolist(), f(np.arange(3), 2).tolist()",
    ),
    "ufunc with signatures": (
        """
        @vectorize(["f8(f8, f8)", "i8(i8, i8)"])
        def f(a, b):
            return a * 2 + b
        """,
        "f(np.arange(4.0), np.ones(4)).tolist()",
    ),
    "gufunc": (
        """
        @guvectorize(["void(f8[:], f8[:])"], "(n)->(n)")
        def f(a, out):
            out[:] = a[::-1]
        """,
        "f(np.arange(6.0).reshape(2, 3)).tolist()",
    ),
    "stencil": (
        """
        @stencil
        def f(a):
            return a[-1] + a[1]
        """,
        "f(np.arange(6.0)).tolist()",
    ),
    "jitclass instance": (
        """
        from numjit.experimental import jitclass
        @jitclass([("n", int64), ("a", float64[:])])
        class Counter:
            def __init__(self, n):
                self.n = n
                self.a = np.ones(n)
            def total(self):
                return self.a.sum() + self.n
        f = Counter(3)
        """,
        "f.total(), f.n",
    ),
    "typed list": (
        """
        import numjit.typed
        f = numjit.typed.List([1.5, 2.5])
        """,
        "f[0], len(f), list(f)",
    ),
}


def environment():
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def run(program, paths):
    """What the program prints for each path."""
    done = subprocess.run(
        [sys.executable, str(program), *paths.values()],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    found = {path: said for path, *said in lines}
    assert set(found) == set(paths.values()), done.stderr
    return {name: found[path] for name, path in paths.items()}


WAYS = {
    "plain": "pickling._cloudpickle = lambda: None",
    "cloudpickle": "from cloudpickle import dump",
}


@pytest.fixture(scope="module")
def exchanged(tmp_path_factory):
    """way -> (what the sender prints, what the receiver prints) for each name, made once."""

    @functools.cache
    def exchange(way):
        folder = tmp_path_factory.mktemp(way)
        paths = {}
        for number, (name, (made, use)) in enumerate(MADE.items()):
            if (way, name) != ("plain", "jitclass instance"):
                paths[name] = str(folder / str(number))
                text = textwrap.dedent(made) + f"\ndef use(f):\n    return {use}\n"
                (folder / f"{number}.py").write_text(text)
                (folder / f"{number}.use").write_text(use)
        sender, receiver = folder / "sender.py", folder / "receiver.py"
        sender.write_text(textwrap.dedent(IN_FORKS) + textwrap.dedent(SENDER).format(way=WAYS[way]))
        receiver.write_text(textwrap.dedent(IN_FORKS) + textwrap.dedent(RECEIVER))
        return run(sender, paths), run(receiver, paths)

    return exchange


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", MADE)
def test_the_receiver_compiles_nothing(exchanged, name, way):
    if way == "cloudpickle":
        pytest.importorskip("cloudpickle", reason="pickles functions by value")
    elif name == "jitclass instance":
        pytest.skip("plain pickle cannot take the class of __main__ along")
    sent, taken = exchanged(way)
    [expected], [got, *stages] = sent[name], taken[name]
    assert got == expected
    if name != "jitclass instance":  # what makes an instance without fields is compiled there
        assert "llvm optimise" not in stages


def copy_of(function, data):
    pickling._present.clear()
    copy = pickle.loads(data)
    assert copy is not function
    return copy


def loaded(function):
    return [each.loaded for each in function._specializations()]


SCALE = 5


def closure(factor):
    @njit
    def scaled(x):
        return x * factor + SCALE

    return scaled


def test_copies_run_the_code_that_came():
    f = closure(3)
    f(1), f(2.5)
    copy = copy_of(f, pickle.dumps(f))
    assert (copy(1), copy(2.5)) == (f(1), f(2.5))
    assert loaded(copy) == [True, True]
    assert copy(np.float32(1)) == f(np.float32(1))  # compiled where it is
    assert loaded(copy) == [True, True, False]
    again = copy_of(copy, pickle.dumps(copy))  # what came goes on
    assert again(1) == f(1) and loaded(again) == [True]


def test_code_that_does_not_fit_is_left_alone():
    f = closure(4)
    assert f(1) == 9
    copy = copy_of(f, pickle.dumps(f))
    before = SCALE  # without cloudpickle, the copy has this module's own globals
    copy.py_func.__globals__["SCALE"] = before + 1
    try:
        assert copy(1) == copy.py_func(1)
        assert loaded(copy) == [False]
    finally:
        copy.py_func.__globals__["SCALE"] = before


def test_damaged_code_is_left_alone():
    f = closure(7)
    f(1)
    entry = f._specializations()[0].portable()
    for cut in (0, 1, 20, 47, 48, len(entry) // 2, len(entry) - 1):
        _core.receive_code(entry[:cut])
    for place in range(0, len(entry), max(1, len(entry) // 60)):
        damaged = bytearray(entry)
        damaged[place] ^= 0x55
        _core.receive_code(bytes(damaged))
        copy = copy_of(f, _without_code(f))
        assert copy(1) == 12 and loaded(copy) == [False]


def _without_code(f):
    room, config.PICKLE_CODE = config.PICKLE_CODE, 0
    try:
        return pickle.dumps(f)
    finally:
        config.PICKLE_CODE = room


def test_size_is_bounded(monkeypatch):
    f = closure(8)
    f(1), f(2.5)
    sizes = [len(each.portable()) for each in f._specializations()]
    monkeypatch.setattr(config, "PICKLE_CODE", max(sizes))
    assert len(pickling.machine_code([f])) == 1
    monkeypatch.setattr(config, "PICKLE_CODE", 0)
    assert pickling.machine_code([f]) == ()
    assert f._specializations()[0].portable() not in pickle.dumps(f)


def test_what_cannot_travel_is_compiled_there():
    import ctypes

    callback = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(lambda x: x + 1)

    @njit
    def f(x):
        return callback(x)

    assert f(1.0) == 2.0
    assert pickling.machine_code([f]) == ()


def test_dask_names_stay():
    f = closure(9)
    before = f.__dask_tokenize__()
    f(1)
    assert f.__dask_tokenize__() == before
    assert closure(9).__dask_tokenize__() != before
