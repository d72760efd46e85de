"""Modules of numjit.pycc where numjit is not there: what they take, give and raise."""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import textwrap

import pytest
from numjit.standalone import RUNTIME

_COMPILER = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
_HEADER = os.path.join(sysconfig.get_path("include"), "Python.h")

pytestmark = pytest.mark.skipif(
    not shutil.which(_COMPILER) or not os.path.exists(_HEADER) or not os.path.exists(RUNTIME),
    reason="pycc needs a C compiler, Python.h and a build without sanitizers",
)

PROGRAM = '''
import math
import sys
import warnings
from collections import namedtuple

import numpy as np

import errors_of_user
from numjit import njit, prange, typeof, types
from numjit.pycc import CC

warnings.simplefilter("error")
cc = CC("alone")
cc.output_dir = "."
TABLE = np.array([[1.5, 2.5], [3.5, 4.5]])
NAMES = ("zero", "one", "two")

NUMBERS = ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16"]
for name in NUMBERS:
    cc.export(f"same_{name}", f"{name}({name})")(lambda x: x)


@cc.export("discount", "f8(f8, i8)")
def discount(rate, years=10):
    """What money is worth then."""
    return (1 + rate) ** -years


@cc.export("weighted", "f8(f8, f8, i8, i8)")
def weighted(x, *others, factor=2):
    return factor * (x + others[0] + others[1])


@njit
def helper(x):
    return x + 1


@cc.export("nothing", "none(i8)")
def nothing(n):
    helper(n)


@cc.export("total", "f8(f8[:, :])")
@cc.export("total_c", "f8(f8[:, ::1])")
@cc.export("total_f", "f8(f8[::1, :])")
@cc.export("total_bytes", "i8(u1[:])")
def total(a):
    return a.sum()


@cc.export("total_half", "f8(f2[:])")
def total_half(a):
    s = 0.0
    for x in a:
        s += x
    return s


readonly = types.Array(types.float64, 1, "C", readonly=True)


@cc.export("largest", (readonly,))
def largest(a):
    return a.max()


@cc.export("doubled", "f8[:](f8[:])")
def doubled(a):
    return a * 2


@cc.export("itself", "f8[:](f8[:])")
def itself(a):
    return a


@cc.export("every_second", "f8[:](f8[:])")
def every_second(a):
    return a[::2]


@cc.export("turned", (types.float64[:, ::1],))
def turned(a):
    return a.T


@cc.export("fill", "none(f8[:], f8)")
def fill(a, value):
    a[:] = value


@cc.export("table", "f8[:, :](i8)")
def table(n):
    return TABLE * n


@cc.export("own_table", "f8(i8, i8)")
def own_table(i, j):
    return TABLE[i, j]


@cc.export("statistics", "Tuple((f8, f8, i8))(f8[:])")
def statistics(a):
    return a.mean(), a.std(), len(a)


@cc.export("swapped", "Tuple((f8[:], i8))(Tuple((i8, f8[:])))")
def swapped(pair):
    return pair[1], pair[0]


@cc.export("maybe", "optional(f8)(optional(f8))")
def maybe(x):
    return None if x is None or x < 0 else math.sqrt(x)


@cc.export("greeting", "unicode_type(unicode_type, i8)")
def greeting(name, n):
    return f"Hello, {name.upper()}" + "!" * n


@cc.export("named", "unicode_type(i8)")
def named(i):
    return NAMES[i]


@cc.export("reversed_bytes", (typeof(b""),))
def reversed_bytes(data):
    return data[0], len(data)


POINT = np.dtype([("x", "f8"), ("n", "i2")])


@cc.export("norms", (typeof(np.zeros(1, POINT)),))
def norms(points):
    result = np.zeros_like(points)
    for i in range(len(points)):
        result[i].x = abs(points[i].x)
        result[i].n = points[i].n + 1
    return result


point = typeof(np.zeros(1, POINT)).dtype


@cc.export("moved", (point, types.float64))
def moved(p, by):
    points = np.zeros(1, POINT)
    points[0].x = p.x + by
    points[0].n = p.n
    return points[0]


@cc.export("same_point", (point,))
def same_point(p):
    return p


@cc.export("next_day", (types.NPDatetime("D"), types.NPTimedelta("s")))
def next_day(day, time):
    return day + np.timedelta64(1, "D"), time * 2


@cc.export("days_later", (types.NPDatetime("D")[:], types.int64))
def days_later(days, n):
    return days + np.timedelta64(n, "D")


@cc.export("longest", (typeof(np.array(["abc"])),))
def longest(words):
    most = 0
    for word in words:
        most = max(most, len(word))
    return most


PRIMES = [2, 3, 5, 7]
SQUARES = {i: float(i * i) for i in range(100)}
ODD = frozenset(range(1, 100, 2))


UNITS = {f"u{i}": (i / 2, "?") for i in range(99)}
UNITS |= {"m": (1.0, "metre"), "km": (1000.0, "kilometre")}
CITIES = ["Oslo", "K\u00f8benhavn", "\u4eac\u90fd"]
VOWELS = frozenset("aeiou")


@cc.export("in_units", (types.unicode_type, types.int64))
def in_units(unit, i):
    factor, name = UNITS[unit]
    return factor, name, CITIES[i], len(CITIES), unit[0] in VOWELS, len(UNITS)


@cc.export("looked_up", (types.int64,))
def looked_up(i):
    return PRIMES[i], SQUARES[i], i in ODD, sum(PRIMES)


@cc.export("divisors", "i8(i8)")
def divisors(n):
    found = []
    for i in range(1, n + 1):
        if n % i == 0:
            found.append(i)
    seen = {i: i * i for i in found}
    return len(seen) + sum(found)


@cc.export("squares", (types.int64,))
def squares(n):
    return [i * i for i in range(n)]


@cc.export("extended", (types.List(types.float64, reflected=True), types.int64))
def extended(items, n):
    before = sum(items)
    for i in range(n):
        items.append(i / 2)
    if n > 5:
        items[0] = -1.0
        raise ValueError(f"{n} are too many")
    return before


@cc.export("last_of", (types.List(types.unicode_type, reflected=True),))
def last_of(names):
    names.sort()
    last = names.pop()
    return last, len(names)


@cc.export("same_list", (typeof([(1, 2.0)]), typeof([(1, 2.0)])))
def same_list(a, b):
    b.append((len(a), 0.5))
    return a


@cc.export("words", (types.unicode_type,))
def words(text):
    return text.split()


@cc.export("sorted_copy", "f8[:](f8[:])")
def sorted_copy(a):
    return np.sort(a)


@cc.export("draws", "f8[:](i8, i8)")
def draws(seed, n):
    np.random.seed(seed)
    return np.random.normal(0.0, 1.0, n)


@cc.export("solved", "f8[:](f8[:, ::1], f8[::1])")
def solved(a, b):
    return np.linalg.solve(a, b)


@cc.export("product", "c16[:, :](c16[:, ::1], c16[:, ::1])")
def product(a, b):
    return a @ b


@cc.export("curve", "f8[:](f8[:])")
def curve(x):
    return np.exp(np.sin(x)) + np.log1p(x * x) + np.arctan2(x, 2.0)


@cc.export("root", "c16(c16)")
def root(z):
    return np.sqrt(z) + z**2


@cc.export("fib", "i8(i8)")
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@cc.export("deep", "i8(i8)")
def deep(n):
    return 0 if n < 0 else deep(n + 1) + 1


class Own(ValueError):
    """Of the program that compiles."""


class Narrower(Own):
    pass


@cc.export("fails_on_its_own", "i8(i8)")
def fails_on_its_own(n):
    try:
        if n:
            raise Narrower("too narrow", n)
        raise Own("own")
    except Narrower:
        return -1


@cc.export("fails", "i8(i8)")
def fails(how):
    if how == 0:
        raise ValueError("plain text", how)
    if how == 1:
        raise errors_of_user.Refused("refused for good")
    if how == 2:
        raise KeyError
    if how == 3:
        raise IndexError(f"number {how}")
    if how == 4:
        return 1 // (how - 4)
    if how == 5:
        raise TypeError("inner") from ValueError("cause")
    return NAMES.index("four")


@cc.export("catches", "unicode_type(i8)")
def catches(n):
    try:
        if n == 0:
            raise errors_of_user.Refused("zero")
        if n == 1:
            raise LookupError("one")
        return "nothing"
    except errors_of_user.Refused:
        return "refused"
    except LookupError as error:
        return str(error)


@cc.export("says", "none(i8, f8)")
def says(n, x):
    print("says", n, x)


@njit(nogil=True)
def unlocked(n):
    s = 0.0
    for i in range(n):
        s += math.sin(i)
    return s


cc.export("unlocked", "f8(i8)")(unlocked)


@njit(parallel=True)
def parallel_sum(a):
    squares = np.empty(len(a))
    for i in prange(len(a)):
        squares[i] = a[i] * a[i]
    total = 0.0
    for i in prange(len(a)):
        total += squares[i]
    if not len(a):
        raise ValueError("nothing to add")
    return total


cc.export("parallel_sum", "f8(f8[:])")(parallel_sum)


@cc.export("forever", "i8(i8)")
def forever(n):
    i = 0
    while i >= 0:
        i = (i * 3 + n) % 1000003
    return i


if __name__ == "__main__":
    cc.compile()
'''

#: What every script begins with.
HEAD = """
import sys
sys.modules["numjit"] = None  # importing it raises ImportError
sys.path.insert(0, FOLDER)
import numpy as np
import alone

def raised(call, *arguments):
    try:
        return call(*arguments)
    except Exception as error:
        return type(error).__name__, str(error)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("alone")
    (folder / "program.py").write_text(PROGRAM)
    (folder / "errors_of_user.py").write_text("class Refused(Exception):\n    pass\n")
    made = subprocess.run(
        [sys.executable, "program.py"], cwd=folder, capture_output=True, text=True
    )
    assert made.returncode == 0, made.stderr
    (folder / "program.py").unlink()
    return folder


def run(folder, script, *options):
    head = HEAD.replace("FOLDER", repr(str(folder)))
    made = subprocess.run(
        [sys.executable, *options, "-c", head + textwrap.dedent(script)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert made.returncode == 0, made.stderr
    return made.stdout


def test_numbers(folder):
    run(
        folder,
        """
        for name in "b1 i1 i2 i4 i8 u1 u2 u4 u8 f4 f8 c8 c16".split():
            f, dtype = getattr(alone, "same_" + name), np.dtype(name)
            most = np.iinfo(dtype).max if dtype.kind in "iu" else 1.5
            for value in (0, 1, True, np.True_, 1.0, np.float32(1), np.int8(1), dtype.type(most)):
                expected = dtype.type(value).item()
                assert f(value) == expected and type(f(value)) is type(expected), (name, value)
            for value in ("1", None, [1], b"1"):
                assert raised(f, value)[0] == "TypeError", (name, value)
            if dtype.kind in "iu":
                low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
                assert f(low) == low and f(high) == high and f(2.9) == 2
                for value in (low - 1, high + 1, 2**70, 1e30):
                    assert raised(f, value)[0] == "OverflowError", (name, value)
                assert raised(f, float("nan"))[0] == "ValueError"
            if dtype.kind != "c":
                assert raised(f, 1j)[0] == "TypeError"
            else:
                assert f(1 + 2j) == 1 + 2j
        assert alone.same_f8(2**70) == 2.0**70 and alone.same_f4(0.1) == float(np.float32(0.1))
        """,
    )


def test_calls(folder):
    out = run(
        folder,
        """
        import inspect, pickle
        assert alone.discount(0.05, 10) == alone.discount(0.05) == 1.05**-10
        assert alone.discount(years=2, rate=1) == 0.25
        print(raised(alone.discount))
        print(raised(alone.discount, 1, 2, 3))
        print(raised(lambda: alone.discount(1, rate=2)))
        print(raised(lambda: alone.discount(1, year=2)))
        print(inspect.signature(alone.discount), alone.discount.__doc__)
        print(alone.discount.__name__, alone.discount.__module__)
        assert alone.weighted(1, 2, 3) == 12 and alone.weighted(1, 2, 3, factor=3) == 18
        assert raised(alone.weighted, 1, 2)[0] == "ValueError"
        assert raised(alone.weighted, 1, 2, 3, 4)[0] == "ValueError"
        assert raised(lambda: alone.weighted(1, 2, 3, others=4))[0] == "TypeError"
        assert str(inspect.signature(alone.weighted)) == "(x, *others, factor=2)"
        assert pickle.loads(pickle.dumps(alone.fib))(20) == 6765
        assert alone.nothing(3) is None
        alone.says(3, 0.5)
        """,
    )
    assert out.splitlines() == [
        "('TypeError', \"discount() missing a required argument: 'rate'\")",
        "('TypeError', 'discount() takes 2 argument(s) but 3 were given')",
        "('TypeError', \"discount() got multiple values for argument 'rate'\")",
        "('TypeError', \"discount() got an unexpected keyword argument 'year'\")",
        "(rate, years=10) What money is worth then.",
        "discount alone",
        "says 3 0.5",
    ]


def test_arrays(folder):
    run(
        folder,
        """
        import array
        a = np.arange(6.0).reshape(2, 3)
        assert alone.total(a) == alone.total(a.T) == alone.total_c(a) == alone.total_f(a.T) == 15
        assert alone.total_bytes(np.arange(5, dtype="u1")) == 10
        assert alone.total_bytes(array.array("B", b"abc")) == 294
        assert alone.total_bytes(memoryview(bytearray(b"abc"))) == 294
        assert alone.total_half(np.array([1.5, 2.5], "f2")) == 4
        for call, wrong in [
            (alone.total_c, a.T), (alone.total_f, a), (alone.total, a.ravel()), (alone.total, 1.0),
            (alone.total, a.astype("f4")), (alone.total, a.astype(">f8")),
            (alone.total, a.tolist()),
            (alone.total_c, a[:, ::2]), (alone.total, a.astype(object)),
            (alone.total, np.frombuffer(bytes(49), "u1")[1:].view("f8").reshape(2, 3)),
        ]:
            assert raised(call, wrong)[0] == "TypeError", wrong
        fixed = np.arange(3.0)
        fixed.flags.writeable = False
        assert alone.largest(fixed) == alone.largest(np.arange(3.0)) == 2
        assert raised(alone.fill, fixed, 1.0) == (
            "TypeError", "can't unbox numpy.ndarray as array(float64, 1d, A)")
        b = np.zeros(4)
        alone.fill(b[::2], 3)
        assert b.tolist() == [3, 0, 3, 0]
        assert alone.itself(b) is b
        half = alone.every_second(b)
        assert np.shares_memory(half, b) and half.tolist() == [3, 3]
        turned = alone.turned(a)
        assert turned.flags.f_contiguous and turned.base is not None and (turned == a.T).all()
        assert alone.table(2).tolist() == [[3, 5], [7, 9]] and alone.own_table(1, 0) == 3.5
        assert alone.swapped((1, b))[0] is b
        points = np.array([(-1.5, 1), (2.0, 2)], [("x", "f8"), ("n", "i2")])
        norms = alone.norms(points)
        assert norms.tolist() == [(1.5, 2), (2.0, 3)] and norms.dtype == points.dtype
        assert raised(alone.norms, points.astype([("x", "f8"), ("n", "i4")]))[0] == "TypeError"
        moved = alone.moved(points[1], 0.5)
        assert (moved.x, moved.n, type(moved)) == (2.5, 2, np.record)
        assert alone.same_point(points[0]).tolist() == (-1.5, 1)
        own = np.array((1.0, 2), points.dtype)[()].copy()
        assert alone.same_point(own).tolist() == (1.0, 2)
        assert raised(alone.moved, points, 0.5)[0] == "TypeError"
        assert raised(alone.moved, (1.0, 2), 0.5)[0] == "TypeError"
        day, time = alone.next_day(np.datetime64("2024-02-28"), np.timedelta64(2, "m"))
        assert (day, time) == (np.datetime64("2024-02-29"), np.timedelta64(240, "s"))
        assert (day.dtype, time.dtype) == ("M8[D]", "m8[s]")
        assert raised(alone.next_day, np.timedelta64(1, "D"), time)[0] == "TypeError"
        days = np.array(["2024-02-28", "NaT"], "M8[D]")
        assert alone.days_later(days, 2).tolist() == (days + 2).tolist()
        assert raised(alone.days_later, days.astype("M8[s]"), 2)[0] == "TypeError"
        assert alone.longest(np.array(["a", "bc"], "U3")) == 2
        assert raised(alone.longest, np.array(["a", "bcde"]))[0] == "TypeError"
        assert raised(alone.swapped, (1,))[0] == "ValueError"
        """,
    )


def test_memory(folder):
    """Results own their memory, and arguments get back every reference."""
    run(
        folder,
        """
        import gc, resource
        a = np.arange(1000.0)
        kept = [alone.doubled(a) for _ in range(100)]
        assert all((each == 2 * a).all() for each in kept)
        part = kept[0][10:]
        del kept
        gc.collect()
        assert part[0] == 20
        text = "".join(["ab", "cd"])
        points = np.zeros(2, [("x", "f8"), ("n", "i2")])
        calls = [
            lambda: alone.doubled(a), lambda: alone.every_second(a), lambda: alone.itself(a),
            lambda: alone.swapped((1, a)), lambda: alone.greeting(text, 3),
            lambda: alone.words("a bc def"), lambda: alone.squares(100), lambda: alone.divisors(60),
            lambda: raised(alone.fails, 3), lambda: raised(alone.fails, 5),
            lambda: alone.catches(1),
            lambda: raised(alone.doubled, text), lambda: alone.table(3), lambda: alone.same_f8(1.5),
            lambda: alone.total_bytes(memoryview(bytearray(b"abc"))),
            lambda: alone.in_units("km", 1),
            lambda: alone.moved(points[1], 1.0), lambda: alone.same_point(points[0]),
            lambda: alone.extended([1.5] * 20, 3), lambda: raised(alone.extended, [1.5, "a"], 3),
            lambda: alone.last_of([text, text]), lambda: alone.same_list([(1, 2.0)], [(1, 2.0)]),
            lambda: raised(alone.extended, [1.5, 2.5], 30),
            lambda: alone.parallel_sum(a), lambda: raised(alone.parallel_sum, a[:0]),
        ]
        for call in calls:
            call()
        gc.collect()
        before = sys.getrefcount(a), sys.getrefcount(text), sys.getrefcount(None)
        size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for call in calls:
            for _ in range(3000):
                call()
        after = sys.getrefcount(a), sys.getrefcount(text), sys.getrefcount(None)
        assert after[:2] == before[:2] and abs(after[2] - before[2]) < 50, (before, after)
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - size < 8000
        """,
    )


def test_other_values(folder):
    run(
        folder,
        """
        a = np.array([3.0, 1.0, 2.0])
        mean, deviation, count = alone.statistics(a)
        assert (mean, count) == (2, 3) and abs(deviation - a.std()) < 1e-15
        assert alone.maybe(4) == 2 and alone.maybe(None) is None and alone.maybe(-1.0) is None
        assert raised(alone.maybe, "4")[0] == "TypeError"
        assert alone.greeting("j\\u00f8rgen", 2) == "Hello, J\\u00d8RGEN!!"
        assert alone.greeting("\\U0001f600", 0) == "Hello, \\U0001f600"
        assert raised(alone.greeting, 3, 2)[0] == "TypeError"
        assert [alone.named(i) for i in range(3)] == ["zero", "one", "two"]
        assert alone.reversed_bytes(b"abc") == (97, 3)
        assert alone.squares(5) == [0, 1, 4, 9, 16] and alone.words(" a  bc ") == ["a", "bc"]
        assert alone.divisors(12) == 6 + 28
        assert alone.looked_up(3) == (7, 9.0, True, 17)
        assert alone.in_units("km", 1) == (1000, "kilometre", "K\\u00f8benhavn", 3, False, 101)
        assert alone.in_units("u42", -1) == (21, "?", "\\u4eac\\u90fd", 3, True, 101)
        assert raised(alone.in_units, "mm", 0)[0] == "KeyError"
        assert alone.looked_up(2) == (5, 4.0, False, 17)
        assert alone.sorted_copy(a).tolist() == [1, 2, 3]
        np.random.seed(7)
        assert np.allclose(alone.draws(7, 20), np.random.normal(0.0, 1.0, 20), rtol=1e-12)
        m = np.random.rand(5, 5) + 5 * np.eye(5)
        b = np.random.rand(5)
        assert np.allclose(alone.solved(m, b), np.linalg.solve(m, b))
        z = (m + 1j * m.T)
        z = np.kron(z, np.ones((8, 8)))
        assert np.allclose(alone.product(z, z), z @ z)
        x = np.linspace(-3, 3, 1001)
        curve = np.exp(np.sin(x)) + np.log1p(x * x) + np.arctan2(x, 2)
        assert np.allclose(alone.curve(x), curve, rtol=1e-14)
        assert alone.root(3 - 4j) == (2 - 1j) + (3 - 4j) ** 2
        """,
    )


def test_lists(folder):
    """Lists are copied in, and back where they changed."""
    run(
        folder,
        """
        items = [1, np.float64(2.5), True, 4.0]
        first = items[1]
        assert alone.extended(items, 2) == 8.5 and items == [1, 2.5, 1, 4, 0, 0.5]
        assert items[1] is first
        assert raised(alone.extended, items, 6) == ("ValueError", "6 are too many")
        assert items[0] == -1 and len(items) == 12
        for wrong in ([1.0, "a"], [1.0, None], [1j], (1.0,), np.ones(2), [2**70], [[1.0]]):
            assert raised(alone.extended, wrong, 1)[0] == "TypeError", wrong
        names = ["b", "\u00e9", "a"]
        assert alone.last_of(names) == ("\u00e9", 2) and names == ["a", "b"]
        pairs = [(1, 2.0)]
        assert alone.same_list(pairs, pairs) is pairs and pairs == [(1, 2.0), (1, 0.5)]
        assert alone.same_list([(3, 1.0)], pairs) == [(3, 1.0)] and len(pairs) == 3
        assert raised(alone.same_list, [(1, "a")], pairs)[0] == "TypeError"
        """,
    )


def test_errors(folder):
    run(
        folder,
        """
        import traceback
        import errors_of_user
        expected = [
            ("ValueError", "('plain text', 0)"), ("Refused", "refused for good"), ("KeyError", ""),
            ("IndexError", "number 3"), ("ZeroDivisionError", "integer division by zero"),
            ("TypeError", "inner"),
        ]
        for how, (name, text) in enumerate(expected):
            assert raised(alone.fails, how) == (name, text), raised(alone.fails, how)
        assert raised(alone.fails, 6)[0] == "ValueError"
        try:
            alone.fails(5)
        except TypeError as error:
            assert repr(error.__cause__) == "ValueError('cause')"
            last = traceback.extract_tb(error.__traceback__)[-1]
            assert (last.name, last.lineno > 100) == ("fails", True)
            assert last.filename.endswith("program.py")
        try:
            alone.solved(np.zeros((2, 2)), np.zeros(2))
        except np.linalg.LinAlgError as error:
            assert str(error)
        assert [alone.catches(n) for n in range(3)] == ["refused", "one", "nothing"]
        assert raised(alone.fails_on_its_own, 0) == ("Own", "own")
        assert alone.fails_on_its_own(1) == -1
        assert issubclass(alone.Own, ValueError) and issubclass(alone.Narrower, alone.Own)
        assert alone.Own.__module__ == "alone"
        assert raised(alone.draws, 1, 10**18)[0] == "MemoryError"
        assert raised(alone.deep, 0)[0] == "RecursionError"
        """,
    )


def test_threads_and_processes(folder):
    run(
        folder,
        """
        import multiprocessing, threading
        from concurrent.futures import ThreadPoolExecutor
        a = np.arange(1000.0)
        def work(i):
            for _ in range(200):
                assert alone.doubled(a)[i] == 2 * i and raised(alone.fails, 3)[1] == "number 3"
            return alone.unlocked(1000 * i)
        with ThreadPoolExecutor(16) as pool:
            results = list(pool.map(work, range(16)))
        assert results == [alone.unlocked(1000 * i) for i in range(16)]
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            assert pool.map(alone.fib, [10, 11]) == [55, 89]
        with multiprocessing.get_context("fork").Pool(1) as pool:
            assert pool.map(alone.fib, [10, 11]) == [55, 89]
        """,
    )


def test_interrupt(folder):
    assert "KeyboardInterrupt" in run(
        folder,
        """
        import signal, threading
        signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs of shells ignore it
        threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
        try:
            alone.forever(1)
        except KeyboardInterrupt:
            print("KeyboardInterrupt")
        def stop(*arguments):
            raise TimeoutError
        signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        assert raised(alone.draws, 1, 10**8)[0] == "TimeoutError"
        """,
    )


def test_parallel(folder):
    run(
        folder,
        """
        import multiprocessing, os
        a = np.arange(1e6)
        expected = float((a * a).sum())
        def check(_=0):
            return abs(alone.parallel_sum(a) / expected - 1) < 1e-12
        assert check() and raised(alone.parallel_sum, a[:0]) == ("ValueError", "nothing to add")
        assert len(os.listdir("/proc/self/task")) >= len(os.sched_getaffinity(0)) > 0
        with multiprocessing.get_context("fork").Pool(1) as pool:
            assert pool.map(check, [1, 2]) == [True, True]
        """,
    )


def test_import(folder):
    """Importing loads no more than NumPy; the module works beside numjit, too."""
    run(folder, "assert not any(name.startswith(('numjit.', 'scipy')) for name in sys.modules)")
    made = subprocess.run(
        [sys.executable, "-c", "import numjit, alone; print(alone.fib(20))"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert made.stdout == "6765\n", made.stderr


OTHER = """
    import sys
    from numjit.pycc import CC

    cc = CC("other")
    cc.output_dir = "."

    @cc.export("scaled", "f8[:](f8[:], f8)")
    def scaled(a, factor):
        return a * factor + 1
"""


def make(folder, program, *arguments):
    (folder / "other_program.py").write_text(textwrap.dedent(program))
    made = subprocess.run(
        [sys.executable, "other_program.py", *arguments], cwd=folder, capture_output=True, text=True
    )
    assert made.returncode == 0, made.stderr
    return made


USE_OTHER = "import other; print(raised(other.scaled, np.arange(3.0), 2.0))"


def test_processors(folder):
    """Code for other processors, and what an import says on one that lacks something."""
    make(folder, OTHER + "\n    cc.target_cpu = 'generic'\n    cc.compile()")
    assert run(folder, USE_OTHER) == "[1. 3. 5.]\n"
    make(folder, OTHER + "\n    cc.target_cpu = 'bdver2'\n    cc.compile()")
    script = "try: import other\nexcept ImportError as error: print(error)"
    said = run(folder, script)
    assert said.startswith("other was compiled for processors with") and "target_cpu" in said
    program = OTHER + "\n    cc.target_cpu = 'z80'\n    cc.compile()"
    (folder / "other_program.py").write_text(textwrap.dedent(program))
    made = subprocess.run(
        [sys.executable, "other_program.py"], cwd=folder, capture_output=True, text=True
    )
    assert "ValueError: there is no processor 'z80'" in made.stderr


def test_disabled(folder):
    """Exported functions are compiled also where decorators do nothing."""
    set_first = '    import os\n    os.environ["NUMJIT_DISABLE_JIT"] = "1"\n'
    made = make(folder, set_first + OTHER + "\n    cc.compile()")
    assert "needs numjit" not in made.stderr
    assert run(folder, USE_OTHER) == "[1. 3. 5.]\n"


def test_setuptools(folder):
    pytest.importorskip("setuptools", reason="it builds the extension")
    program = (
        OTHER
        + """
    from setuptools import setup

    setup(name="other", ext_modules=[cc.distutils_extension()])
    """
    )
    made = make(folder, program, "build_ext", "--inplace", "--force")
    assert "needs numjit" not in made.stderr
    assert run(folder, USE_OTHER) == "[1. 3. 5.]\n"
