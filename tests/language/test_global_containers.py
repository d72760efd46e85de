"""Global and captured lists, dicts and sets: constants of what is compiled."""

import array
import bisect
import collections
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from language.support import assert_same
from numjit import njit
from numjit.errors import TypingError


@njit
def squared(x):
    return x * x


def cubed(x):
    return x * x * x


TABLE = {"a": 1, "b": 2}
NUMBERS = {1: 10.5, 2: 20.5}
PAIRS = {(1, 2): "x", (3, 4): "y"}
ROWS = {1: np.arange(3), 2: np.arange(4)}
ORDERED = collections.OrderedDict([("b", 1), ("a", 2)])
ORDERED.move_to_end("b")
LIST = [1, 2, 3]
WORDS = ["x", "yy"]
LISTS = [[1], [2, 3], []]
MIXED = [1, "a", 2.5]
SET = {1, 2}
FROZEN = frozenset({"a", "b"})
EMPTY_LIST, EMPTY_DICT, EMPTY_SET = [], {}, set()
SETTINGS = {"n": 10, "mode": "fast", "x": 2.5, "f": math.cos, "l": [1, 2], "none": None}
FUNCTIONS = {"square": squared, "cube": cubed}
NESTED = {"p": {"q": 1, "r": 2}, "s": {"t": 3}}

LOOK_UPS = [
    (lambda: TABLE["a"],),
    (lambda k: TABLE[k], "b"),
    (lambda k: TABLE.get(k, 5), "zz"),
    (lambda k: (k in TABLE, k not in TABLE), "a"),
    (lambda: [(k, v) for k, v in TABLE.items()],),
    (lambda: (len(TABLE), sum(TABLE.values()), list(TABLE.keys()), [k for k in TABLE]),),
    (lambda x: NUMBERS[x], 1),
    (lambda a, b: PAIRS[a, b], 3, 4),
    (lambda k: ROWS[k].copy(), 2),
    (lambda: list(ORDERED.items()),),
    (lambda i: (LIST[i], LIST[-1], len(LIST), i in LIST, sum(LIST), max(LIST)), 1),
    (lambda: ([x * 2 for x in LIST], LIST[1:], LIST + [4], LIST * 2, sorted(LIST), list(LIST)),),
    (lambda: (LIST.index(2), LIST.count(2), LIST.copy(), LIST == [1, 2, 3], np.array(LIST)),),
    (lambda i: (WORDS[i], ",".join(WORDS)), 1),
    (lambda i, j: (LISTS[i][j], [len(x) for x in LISTS]), 1, 1),
    (lambda: (MIXED[1], len(MIXED)),),
    (lambda x: (x in SET, sum(SET), len(SET | {3}), {1, 2} == SET, SET.copy()), 2),
    (lambda x: (x in FROZEN, len(FROZEN)), "c"),
    (lambda: (len(EMPTY_LIST), [x for x in EMPTY_LIST], len(EMPTY_DICT), "a" in EMPTY_DICT),),
    (lambda: len(EMPTY_SET),),
    (lambda: (SETTINGS["n"], SETTINGS["mode"] == "fast", SETTINGS["l"][1], len(SETTINGS)),),
    (lambda x: SETTINGS["f"](x), 1.0),
    (lambda: (SETTINGS["none"] is None, SETTINGS.get("q", 3), "n" in SETTINGS),),
    (lambda x: (FUNCTIONS["square"](x), FUNCTIONS["cube"](x)), 3),
    (lambda k: (NESTED["p"]["r"], NESTED["p"][k]), "q"),
    (lambda: LIST,),
]


@pytest.mark.parametrize("case", LOOK_UPS, ids=range(len(LOOK_UPS)))
def test_look_ups(case):
    assert_same(*case)


def test_what_is_returned_is_a_copy():
    got, items = njit(lambda: TABLE)(), njit(lambda: LIST)()
    assert type(got) is dict and got == TABLE and got is not TABLE
    assert items == LIST and items is not LIST


def test_missing_keys():
    for f, k in ((lambda k: TABLE[k], "c"), (lambda k: NUMBERS[k], 3)):
        with pytest.raises(KeyError):
            njit(f)(k)
    with pytest.raises(IndexError):
        njit(lambda i: LIST[i])(3)


def append_to(l):
    l.append(1)


def set_item():
    LIST[0] = 5


def set_value():
    TABLE["a"] = 5


def add_value():
    TABLE["c"] = 5


def delete_item():
    del LIST[0]


def delete_key():
    del TABLE["a"]


def add_in_place():
    x = LIST
    x += [1]


CHANGES = [
    set_item,
    set_value,
    add_value,
    delete_item,
    delete_key,
    add_in_place,
    lambda: append_to(LIST),
    lambda: LIST.append(1),
    lambda: LIST.extend([1]),
    lambda: LIST.insert(0, 1),
    lambda: LIST.pop(),
    lambda: LIST.clear(),
    lambda: LIST.sort(),
    lambda: LIST.reverse(),
    lambda: LIST.remove(1),
    lambda: LISTS[0].append(1),
    lambda: TABLE.clear(),
    lambda: TABLE.pop("a"),
    lambda: TABLE.popitem(),
    lambda: TABLE.setdefault("c", 1),
    lambda: TABLE.update({"c": 1}),
    lambda: NESTED["p"].clear(),
    lambda: SET.add(3),
    lambda: SET.discard(1),
    lambda: SET.clear(),
    lambda: SET.update({3}),
]


@pytest.mark.parametrize("f", CHANGES, ids=range(len(CHANGES)))
def test_changes_are_refused(f):
    with pytest.raises(TypingError, match="cannot change a global"):
        njit(f)()
    assert LIST == [1, 2, 3] and TABLE == {"a": 1, "b": 2} and SET == {1, 2}


def test_each_compilation_reads_them_anew():
    table, items = {1: 2.5}, [1, 2]

    @njit
    def f(x):
        return table[x] + items[0]

    assert f(1) == 3.5
    table[1], items[0] = 10.5, 5
    assert f(1) == 3.5
    f.recompile()
    assert f(1) == 15.5


def test_default_arguments_and_attributes_of_classes():
    class Holder:
        TABLE = {1: 2}

    def f(x, table={1: 2}, items=[1, 2]):
        return table[x] + items[1] + Holder.TABLE[x]

    assert njit(f)(1) == 6 and njit(f)(1, {1: 5}, [0, 7]) == 14


def test_objects_of_other_classes_are_refused():
    table = {"a": object()}
    endless = []
    endless.append(endless)
    for f in (lambda: table["a"], lambda: len(endless)):
        with pytest.raises(TypingError, match="cannot determine Numba type"):
            njit(f)()


CACHED = """
import sys
from numjit import njit

TABLE = {contents}


@njit(cache=True)
def f(k):
    return TABLE[k]


print(f(1), f.stats.cache_hits and sum(f.stats.cache_hits.values()))
"""


def test_cache(tmp_path):
    """Code on disk is used for the same contents only."""
    program = tmp_path / "program.py"
    environment = {**os.environ, "NUMJIT_CACHE_DIR": str(tmp_path / "cache")}
    outputs = []
    for contents in ({1: 2.5}, {1: 2.5}, {1: 3.5}):
        program.write_text(CACHED.replace("{contents}", repr(contents)))
        os.utime(program, (1, 1))
        run = subprocess.run(
            [sys.executable, str(program)], env=environment, capture_output=True, text=True
        )
        assert run.returncode == 0, run.stderr
        outputs.append(run.stdout.split())
    assert [value for value, _ in outputs] == ["2.5", "2.5", "3.5"]
    assert outputs[1][1] == "1" and outputs[2][1] != "1"


PRIMES = array.array("L", [2, 3, 5, 7, 11])


class Primes:
    def __init__(self):
        self.known = PRIMES
        self.halves = array.array("d", [0.5, 1.5])

    def at(self, n):
        return self.known[bisect.bisect(self.known, n) - 1]


PRIME_TABLE = Primes()


def test_arrays_of_the_module_array():
    """Compiled code has a copy, so that the program's may still grow."""

    def f(n):
        rest = [x for x in PRIMES[1:3]]
        return (
            PRIME_TABLE.at(n),
            PRIME_TABLE.known[-1],
            len(PRIMES),
            rest,
            PRIME_TABLE.halves[1],
            n in PRIME_TABLE.known,
        )

    for n in (3, 6):
        assert_same(f, n)
    PRIMES.append(13)
    assert njit(lambda: PRIMES[-1])() == 13


def test_nothing_is_put_into_a_global_array():
    @njit
    def f(n):
        PRIMES.append(n)

    with pytest.raises(TypingError, match="cannot change a global list"):
        f(3)
