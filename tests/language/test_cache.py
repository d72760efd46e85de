"""The cache on disk: what is a hit, what is a miss, and that nothing in a file can do harm."""

import importlib.util
import json
import os
import random
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from numjit import errors, njit


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An importable folder; entries lie in its __pycache__."""
    monkeypatch.delenv("NUMJIT_CACHE_DIR", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def load(path, **namespace):
    """The module of a file, made anew: its dispatchers know of nothing but what is on disk."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    vars(module).update(namespace)
    spec.loader.exec_module(module)
    return module


def write(folder, source, name="program.py"):
    path = folder / name
    path.write_text(textwrap.dedent(source))
    for compiled in folder.glob("__pycache__/*.pyc"):  # one second is too coarse for us
        compiled.unlink()
    return path


def entries(folder):
    return sorted(folder.glob("**/*.njc"))


def hits(function):
    return sum(function.stats.cache_hits.values())


def run(script, *arguments, **environment):
    """What a fresh process prints, as JSON."""
    done = subprocess.run(
        [sys.executable, *(["-c", script] if "\n" in str(script) else [script]), *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


PLAIN = """
    from numjit import njit
    import helper

    SCALE = 3

    @njit(cache=True)
    def f(x):
        return helper.double(x) * SCALE
"""
HELPER = """
    from numjit import njit

    OFFSET = 1

    @njit
    def deep(x):
        return x + OFFSET

    @njit
    def double(x):
        return deep(x) * 2
"""


@pytest.fixture
def program(folder, monkeypatch):
    """A function that calls others in another file; calls give (result, whether it was a hit)."""

    def call(source=PLAIN, helper=HELPER, argument=10, change=None):
        path, other = folder / "program.py", folder / "helper.py"
        for file, text in ((path, source), (other, helper)):
            text = textwrap.dedent(text)
            if not file.exists() or file.read_text() != text:
                write(folder, text, file.name)
        sys.modules["helper"] = load(other)
        module = load(path)
        if change:
            change(module)
        result = module.f(argument)
        return result, hits(module.f) == 1

    monkeypatch.setitem(sys.modules, "helper", None)
    return call


# -- hits and misses ----------------------------------------------------------------------------


def test_hit(program, folder):
    assert program() == (66, False)
    assert program() == (66, True)
    (entry,) = entries(folder)
    assert entry.parent == folder / "__pycache__"
    assert entry.name.startswith("program.f-")


def test_touching_is_no_change(program, folder):
    program()
    for name in ("program.py", "helper.py"):
        os.utime(folder / name, (1, 1))
    assert program() == (66, True)


@pytest.mark.parametrize(
    "old, new, result",
    [
        ("x + OFFSET", "x - OFFSET", 54),
        ("OFFSET = 1", "OFFSET = 2", 72),
        ("OFFSET = 1", "OFFSET = 1.0", 66.0),
        ("deep(x) * 2", "deep(x) * 4", 132),
        ("    @njit\n    def double", "    @njit(fastmath=True)\n    def double", 66),
    ],
)
def test_change_in_another_file(program, old, new, result):
    program()
    changed = HELPER.replace(old, new)
    assert changed != HELPER
    assert program(helper=changed) == (result, False)
    assert program(helper=changed) == (result, True)
    # What was changed is read, not what the file said at some time.
    assert program() == (66, False)


@pytest.mark.parametrize(
    "old, new, result",
    [
        ("SCALE = 3", "SCALE = 4", 88),
        ("* SCALE", "+ SCALE", 25),
        ("import helper\n", "import helper\n\n", 66),  # lines in tracebacks
        ("cache=True", "cache=True, boundscheck=True", 66),
        ("cache=True", "cache=True, error_model='numpy'", 66),
        ("def f(x):", "def f(x, y=1):", 66),
    ],
)
def test_change_of_the_function(program, old, new, result):
    program()
    changed = PLAIN.replace(old, new)
    assert changed != PLAIN
    assert program(changed) == (result, False)
    assert program(changed) == (result, True)


def test_what_a_name_means_is_asked_not_where_it_stands(program):
    program()

    def change(module):
        module.helper.OFFSET = 5

    assert program(change=change) == (90, False)
    assert program(change=change) == (90, True)


def test_types_have_entries_of_their_own(program, folder):
    assert program(argument=10) == (66, False)
    assert program(argument=1.5) == (15.0, False)
    assert program(argument=10) == (66, True)
    assert program(argument=1.5) == (15.0, True)
    assert len(entries(folder)) == 2


def test_closures_and_defaults(folder):
    path = write(
        folder,
        """
        from numjit import njit

        def make(n, function):
            @njit(cache=True)
            def f(x, y=n):
                return function(x) + y + n
            return f
        """,
    )

    def plus(x):
        return x + 1

    def minus(x):
        return x - 1

    for expected in (0, 1):
        for n, function, result in ((1, plus, 13), (2, plus, 15), (1, minus, 11)):
            f = load(path).make(n, function)
            assert f(10) == result
            assert hits(f) == expected


def test_functions_as_arguments(folder):
    path = write(
        folder,
        """
        from numjit import njit

        @njit(cache=True)
        def apply(f, x):
            return f(x)
        """,
    )
    plus, times = njit(lambda x: x + 2), njit(lambda x: x * 7)
    for expected in (0, 1):
        apply = load(path).apply
        assert (apply(plus, 5), apply(times, 5)) == (7, 35)
        assert hits(apply) == 2 * expected


def test_another_subclass_of_an_exception(folder):
    source = """
        from numjit import njit

        class Problem(ValueError):
            pass

        @njit(cache=True)
        def f(x):
            if x < 0:
                raise Problem("negative", x)
            return x
        """
    path = write(folder, source)
    for expected in (0, 1):
        module = load(path)
        with pytest.raises(module.Problem) as caught:
            module.f(-1)
        assert caught.value.args == ("negative", -1)
        assert caught.traceback[-1].lineno + 1 == 10
        assert hits(module.f) == expected
    module = load(write(folder, source.replace("(ValueError)", "(KeyError)")))
    with pytest.raises(KeyError):
        module.f(-1)
    assert hits(module.f) == 0


@pytest.mark.parametrize("inner", ["NAME", "deep()", "captured()"])
def test_entries_hold_for_the_values_that_they_were_compiled_with(folder, inner):
    path = write(
        folder,
        f"""
        from numjit import njit
        NAME = 3

        def deep():
            return NAME

        def make():
            value = NAME
            def get():
                return value
            def set(new):
                nonlocal value
                value = new
            return get, set

        captured, change = make()

        @njit(cache=True)
        def f(x):
            return x * {inner}
        """,
    )

    def changed(module, value):
        module.NAME = value
        module.change(value)

    module = load(path)
    assert module.f(1) == 3
    changed(module, 10)
    assert module.f(1.0) == 10
    same = load(path)
    assert same.f(1) == 3
    assert hits(same.f) == 1
    assert same.f(1.0) == 3
    assert hits(same.f) == 1
    later = load(path)
    changed(later, 10)
    assert later.f(1) == 10
    assert later.f(1.0) == 10
    assert hits(later.f) == 0


def test_global_arrays_are_read_where_they_are(folder):
    path = write(
        folder,
        """
        import numpy as np
        from numjit import njit

        TABLE = np.arange(6.0)
        PART = TABLE[1:]

        @njit(cache=True)
        def f(i):
            PART[i]
            return TABLE[i + 1], PART[i], TABLE
        """,
    )
    for expected in (0, 1):
        module = load(path)
        module.TABLE[2] = 20.0 + expected
        first, second, whole = module.f(1)
        assert first == second == 20.0 + expected
        assert np.shares_memory(whole, module.TABLE)
        assert hits(module.f) == expected


def test_explicit_signatures(folder):
    path = write(
        folder,
        """
        from numjit import njit

        @njit(["int32(int32)", "float64(float64)"], cache=True)
        def f(x):
            return x + 1
        """,
    )
    load(path)
    f = load(path).f
    assert hits(f) == 2 and not f.stats.cache_misses
    assert f(2.5) == 3.5


# -- the dispatcher -----------------------------------------------------------------------------


def test_statistics(program, folder):
    program()
    module = load(folder / "program.py")
    assert module.f.stats.cache_path == str(folder / "__pycache__")
    module.f(1)
    module.f(1.5)
    (hit,), (miss,) = module.f.stats.cache_hits, module.f.stats.cache_misses
    assert [str(hit[0]), str(miss[0])] == ["int64", "float64"]
    assert njit(lambda: 1).stats.cache_path is None


def test_inspection_of_loaded_code(program, folder):
    program()
    module = load(folder / "program.py")
    module.f(1)
    assert hits(module.f) == 1
    (text,) = module.f.inspect_llvm().values()
    assert "define" in text
    assert module.f.get_metadata()[module.f.signatures[0]]["code_bytes"] > 0


def test_recompile_compiles(program, folder):
    program()
    module = load(folder / "program.py")
    module.f(1)
    module.SCALE = 10
    module.f.recompile()
    assert module.f(1) == 40 and hits(module.f) == 0


def test_enable_caching(folder):
    path = write(
        folder,
        """
        from numjit import njit

        @njit
        def f(x):
            return -x

        f.enable_caching()
        """,
    )
    assert load(path).f(3) == -3
    f = load(path).f
    assert f(3) == -3 and hits(f) == 1


def test_what_cannot_be_kept_warns(folder):
    path = write(
        folder,
        """
        import ctypes
        from numjit import njit

        @ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)
        def callback(x):
            return x * 2

        @njit(cache=True)
        def f(x):
            return callback(x)
        """,
    )
    for _ in range(2):
        f = load(path).f
        with pytest.warns(errors.NumbaWarning, match='Cannot cache compiled function "f"'):
            assert f(3.0) == 6.0
        assert hits(f) == 0
    assert not entries(folder)


DECLINED = """
import json, os
from numjit import njit, types
from numjit.extending import overload

taken = {"text": types.UnicodeType, "float": types.Float}.get(os.environ["TAKEN"])
if taken:
    @overload(abs)
    def _(x):
        if isinstance(x, taken):
            return lambda x: 100

@njit(cache=True)
def f(x):
    return abs(x)

print(json.dumps([f(-2.0), sum(f.stats.cache_hits.values())]))
"""


@pytest.mark.one_python
@pytest.mark.parametrize(
    "runs",
    [
        [("text", [2.0, 0]), ("text", [2.0, 1]), ("none", [2.0, 1])],
        [("text", [2.0, 0]), ("float", [100, 0]), ("none", [2.0, 0]), ("none", [2.0, 1])],
        [("none", [2.0, 0]), ("none", [2.0, 1]), ("text", [2.0, 0]), ("text", [2.0, 1])],
    ],
)
def test_overloads_that_decline_do_no_harm(tmp_path, runs):
    """They are asked again when the entry is read. It is stale where one takes the arguments, or
    where a function has overloads that had none: nobody knows what they would have been asked."""
    script = write(tmp_path, DECLINED)
    for taken, found in runs:
        assert run(script, TAKEN=taken) == found, taken


# -- folders ------------------------------------------------------------------------------------

SCRIPT = """
import json
from numjit import njit

@njit(cache=True)
def f(x):
    return x * 2

assert f(4) == 8
print(json.dumps([f.stats.cache_path, sum(f.stats.cache_hits.values())]))
"""


def test_folder_from_the_environment(tmp_path):
    script = write(tmp_path, SCRIPT)
    chosen = tmp_path / "elsewhere" / "deep"
    for expected in (0, 1):
        path, found = run(script, NUMJIT_CACHE_DIR=str(chosen))
        assert path.startswith(str(chosen)) and found == expected
    assert not list(tmp_path.glob("__pycache__/*.njc"))
    assert run(script, NUMJIT_CACHE_DIR="", NUMBA_CACHE_DIR=str(chosen))[1] == 1


def test_functions_without_a_file(tmp_path):
    for expected in (0, 1):
        path, found = run(SCRIPT, XDG_CACHE_HOME=str(tmp_path))
        assert path == str(tmp_path / "numjit" / "interactive") and found == expected


def test_folders_that_cannot_be_written(tmp_path):
    script = write(tmp_path, SCRIPT)
    (tmp_path / "file").write_text("no folder")
    assert run(script, NUMJIT_CACHE_DIR=str(tmp_path / "file"))[1] == 0
    assert run(script, NUMJIT_CACHE_DIR="/proc/none")[1] == 0


def test_a_folder_stands_where_the_entry_belongs(program, folder):
    program()
    (entry,) = entries(folder)
    entry.unlink()
    entry.mkdir()
    assert program() == (66, False)
    assert program() == (66, False)
    assert [path.name for path in entry.parent.glob("*.tmp")] == []


# -- damage -------------------------------------------------------------------------------------


def test_damaged_files(program, folder):
    """Each is a miss, and is replaced."""
    program()
    (entry,) = entries(folder)
    good = entry.read_bytes()
    chance = random.Random(5)

    def flip(data, count):
        data = bytearray(data)
        for _ in range(count):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        return bytes(data)

    damaged = [b"", good[:7], good[:48], good[:-1], good + b"x", bytes(len(good)), b"x" * 5000]
    damaged += [flip(good, 1) for _ in range(6)] + [flip(good, 100)]
    for data in damaged:
        entry.write_bytes(data)
        assert program() == (66, False)
        assert entry.read_bytes() == good


def test_swapped_files(folder):
    path = write(
        folder,
        """
        from numjit import njit

        @njit(cache=True)
        def f(x):
            return x + 1

        @njit(cache=True)
        def g(x):
            return x + 2
        """,
    )
    module = load(path)
    assert (module.f(1), module.g(1)) == (2, 3)
    first, second = entries(folder)
    one, two = first.read_bytes(), second.read_bytes()
    first.write_bytes(two)
    second.write_bytes(one)
    module = load(path)
    assert (module.f(1), module.g(1)) == (2, 3)
    assert hits(module.f) == hits(module.g) == 0


def test_old_entries_go(program, folder):
    for number in range(70):
        program(PLAIN.replace("SCALE\n", f"SCALE + {number}\n"))
    assert 60 <= len(entries(folder)) <= 64


# -- other processes ----------------------------------------------------------------------------

ZOO = """
import json
import math
from collections import namedtuple

import numpy as np
from numjit import cfunc, float64, guvectorize, njit, prange, stencil, vectorize

Point = namedtuple("Point", "x y")
LIMITS = (2, 3.5, "text")
TABLE = np.arange(5.0)


@njit(cache=True)
def lists(n):
    rows = [(i, [float(i)]) for i in range(n)]
    rows.append((7, [1.0, 2.0]))
    return rows[-1][1], len(rows)


@njit(cache=True)
def product(a, b):
    return a @ b, np.linalg.solve(a, b[0])


@njit(cache=True)
def wide(a):
    return np.exp(a) + np.sin(a) * math.erf(0.5)


@njit(cache=True)
def rare(a, b):
    a[...] = b  # broadcasting, overlapping: functions that are compiled when they are called
    a[1:] = a[:-1]
    return a + b


@njit(cache=True, parallel=True)
def parallel(a):
    total, out = 0.0, np.empty_like(a)
    for i in prange(a.size):
        total += a[i]
        out[i] = a[i] * 2
    return total, out.sum()


@njit(cache=True)
def recursive(n):
    return n if n < 2 else recursive(n - 1) + recursive(n - 2)


@njit(cache=True)
def points(p):
    return Point(p.y, p.x + LIMITS[0])


@njit(cache=True)
def closures(n):
    def add(x):
        return x + n

    return add(add(1))


@njit(cache=True)
def prints(x):
    print("printed", x, (x, 1.5))
    return TABLE[x]


@njit(cache=True)
def fails(x):
    if x > 1:
        raise ValueError("too big", x)
    return [1, 2, 3][x]


@njit(cache=True)
def sorts(a, seed):
    np.random.seed(seed)
    a = np.sort(a)
    np.random.shuffle(a)
    return a, np.median(a), np.argsort(a)


@vectorize([float64(float64, float64)], cache=True)
def mean(x, y):
    return (x + y) / 2


@guvectorize([(float64[:], float64[:])], "(n)->(n)", cache=True)
def running(a, out):
    total = 0.0
    for i in range(a.size):
        total += a[i]
        out[i] = total


@cfunc("float64(float64)", cache=True)
def callback(x):
    return x + 0.25


@njit(cache=True)
def calls(x):
    return mean(x, 1.0) + callback(x)


@stencil
def kernel(a):
    return a[-1] + a[1]


@njit(cache=True)
def elementwise(a):
    return mean(a, 2.0), kernel(a)


@njit(cache=True)
def member(x):
    return x in {5, 10**9 + 7, 2.5}, x in (1, 2)


def caught(function, *arguments):
    try:
        return function(*arguments)
    except Exception as error:
        place = error.__traceback__
        while place.tb_next:
            place = place.tb_next
        return repr(error), place.tb_lineno


def plain(value):
    if isinstance(value, np.ndarray):
        return value.tolist()
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value


a = np.arange(1.0, 10).reshape(3, 3) + np.eye(3) * 4
results = [
    lists(3), product(a, a), wide(np.arange(40.0)), rare(np.arange(9.0).reshape(3, 3), np.ones(3)),
    parallel(np.arange(1000.0)), recursive(15), points(Point(1, 2.5)), closures(3), prints(2),
    caught(fails, 5), caught(fails, 1), sorts(np.array([3.0, 1, 2]), 5), mean(2.0, 3.0),
    mean(np.arange(4.0), 1.0), running(a), callback.ctypes(1.0), calls(3.0),
    elementwise(np.arange(6.0)), member(10**9 + 7),
]
found = {}
for name, value in list(globals().items()):
    if hasattr(value, "stats"):
        found[name] = sum(value.stats.cache_hits.values()), sum(value.stats.cache_misses.values())
print(json.dumps([plain(results), found]))
"""


def test_all_kinds_of_code_in_another_process(tmp_path):
    script = write(tmp_path, ZOO)
    first, made = run(script)
    assert all(counts == [0, 1] for name, counts in made.items() if name != "calls"), made
    count = len(entries(tmp_path))
    second, found = run(script)
    assert second == first
    misses = {name for name, counts in found.items() if counts != [1, 0]}
    # The address of a C callback is another one in each process.
    assert misses == {"calls"}
    assert len(entries(tmp_path)) == count
    # Ufuncs and callbacks, which tell nothing: nothing was written again.
    assert run(script)[0] == first


@pytest.mark.one_python
def test_many_processes(tmp_path):
    """The bounded form of tests/exhaustive/test_cache_stress.py."""
    from language.cache_stress import stress

    stress(tmp_path, processes=4, seconds=5, seed=1)


# -- blocks of object mode -------------------------------------------------------------------------


BLOCKS = """
    import numpy as np
    from numjit import njit, objmode

    ADD = 41

    @njit(cache=True)
    def seed(s):
        if s is None:
            with objmode(s="optional(int64)"):
                s = ADD + 1
        return s

    @njit(cache=True)
    def f(n):
        with objmode(r="float64[:]"):
            r = np.arange(n) * 0.5
        return r.sum() + seed(None)
"""


@pytest.mark.one_python
def test_blocks_of_object_mode_are_kept_and_are_those_of_the_program(program, recwarn):
    assert program(BLOCKS) == (64.5, False)
    assert program(BLOCKS) == (64.5, True)
    changed = BLOCKS.replace("ADD + 1", "ADD + 2").replace("* 0.5", "* 1.5")
    assert program(changed)[0] == 110.5  # what the interpreter runs is not in the entry
    assert program(changed) == (110.5, True)
    assert program(changed.replace("float64[:]", "float64[::1]")) == (110.5, False)
    assert not [each for each in recwarn if issubclass(each.category, errors.NumbaWarning)]


def test_folders_that_a_program_chooses(tmp_path, monkeypatch):
    """Numba's locators: the first that knows a function says where its entries lie."""
    from numjit.core.caching import CacheImpl, _CacheLocator

    chosen = tmp_path / "chosen"

    class Locator(_CacheLocator):
        @classmethod
        def from_function(cls, py_func, py_file):
            return cls() if py_func.__name__ == "located" else None

        def get_cache_path(self):
            return chosen

        def get_disambiguator(self):
            return "one"

    monkeypatch.setattr(CacheImpl, "_locator_classes", [Locator])
    monkeypatch.setenv("NUMJIT_CACHE_DIR", str(tmp_path / "others"))

    @njit(cache=True)
    def located(x):
        return x + 1

    @njit(cache=True)
    def other(x):
        return x + 2

    assert located(1) == 2 and other(1) == 3
    assert [path.name.partition("-")[0] for path in chosen.iterdir()][0].endswith("located")
    assert len(list(chosen.iterdir())) == 1


BOUND_METHODS = """
    from itertools import chain

    from numjit import njit, types
    from numjit.typed import Dict, List

    @njit(cache=True)
    def made():
        lists = List.empty_list(types.int64)
        lists.append(3)
        return Dict.empty(types.int64, types.int64), lists

    @njit(cache=True)
    def joined(n):
        return sum(list(chain.from_iterable([[n], [2]])))

    @njit(cache=True)
    def f(n):
        d, items = made()
        d[n] = items[0] + joined(n)
        return d[n]
"""


def test_callees_that_were_compiled_before_and_name_methods_of_classes(folder):
    """Dict.empty is another object each time that it is read."""
    path = write(folder, BOUND_METHODS)
    first = load(path)
    first.made()
    first.joined(1)
    assert first.f(5) == 10
    again = load(path)
    assert again.f(5) == 10
    assert hits(again.f) == 1
