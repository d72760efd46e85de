"""Threads without the GIL that replace what fields, items and values hold: each is freed once."""

import subprocess
import sys
import weakref

import numpy as np
import pytest
from language.engine import live_blocks
from numjit import njit, typed, types
from numjit.experimental import jitclass

PROGRAM = """
import sys, threading
import numpy as np
import numjit
from numjit import _core, njit, prange, typed, types
from numjit.experimental import jitclass, structref

@structref.register
class NodeType(types.StructRef):
    def preprocess_fields(self, fields):
        return tuple((name, types.unliteral(type)) for name, type in fields)

class Node(structref.StructRefProxy):
    def __new__(cls, a, s, l):
        return structref.StructRefProxy.__new__(cls, a, s, l)

structref.define_proxy(Node, NodeType, ["a", "s", "l"])

@jitclass([("a", types.float64[::1]), ("l", types.ListType(types.int64))])
class Box:
    def __init__(self):
        self.a = np.zeros(3)
        self.l = typed.List.empty_list(types.int64)
    def put(self, k):
        self.a = np.full(k, float(k))

def array_field(x, n, k):
    for i in range(n):
        x.a = np.full(k, float(k))

def text_field(x, n, k):
    for i in range(n):
        x.s = str(i) * k

def list_field(x, n, k):
    for i in range(n):
        x.l = [i] * k

def typed_field(x, n, k):
    for i in range(n):
        l = typed.List.empty_list(types.int64)
        l.append(k)
        x.l = l

def method(x, n, k):
    for i in range(n):
        x.put(k)

def array_item(x, n, k):
    for i in range(n):
        x[i % 4] = np.full(k, float(k))

def text_item(x, n, k):
    for i in range(n):
        x[i % 4] = str(i) * k

def in_prange(x, n, k):
    for i in prange(n):
        x.a = np.full(i % 7 + 1, i % 7 + 1.0)

def node():
    return Node(np.zeros(1), "a", [1])

def arrays():
    l = typed.List.empty_list(types.float64[::1])
    for i in range(4):
        l.append(np.zeros(1))
    return l

def texts():
    return typed.List(["a", "b", "c", "d"])

def table():
    d = typed.Dict.empty(types.int64, types.float64[::1])
    for i in range(4):
        d[i] = np.zeros(1)
    return d

def numbers(x):
    "What Python reads from it while it is replaced."
    read = x[1] if isinstance(x, (typed.List, typed.Dict)) else getattr(x, "a", None)
    return read if isinstance(read, np.ndarray) else np.zeros(0)

name, make, seen = sys.argv[1], sys.argv[2], sys.argv[3] == "read"
x = globals()[make]()
function = globals()[name]
f = njit(nogil=True, parallel=name == "in_prange")(function)
f(x, 1, 1)
before = _core.live_blocks()
threads = [threading.Thread(target=f, args=(x, 60000, 1 + k % 7)) for k in range(16)]
for thread in threads:
    thread.start()
while seen and any(thread.is_alive() for thread in threads):
    a = numbers(x)
    assert not a.any() or (a == a.size).all(), a
    del a
for thread in threads:
    thread.join()
f(x, 8, 1)
assert _core.live_blocks() - before in (0, 3), (before, _core.live_blocks())
print("done")
"""

CASES = [
    ("array_field", "node", ""),
    ("array_field", "Box", "read"),
    ("text_field", "node", ""),
    ("list_field", "node", ""),
    ("typed_field", "Box", "read"),
    ("method", "Box", "read"),
    ("array_item", "arrays", "read"),
    ("text_item", "texts", ""),
    ("array_item", "table", "read"),
    ("in_prange", "Box", "read"),
]


@pytest.mark.parametrize(("function", "maker", "reads"), CASES)
def test_threads_replace_one_value(function, maker, reads):
    command = [sys.executable, "-c", PROGRAM, function, maker, reads]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.stdout == "done\n", run.stderr


def test_old_values_are_released_behind_the_store():
    """Python that runs when an array dies sees the new one."""

    @jitclass([("a", types.float64[::1])])
    class Box:
        def __init__(self, a):
            self.a = a

    @njit
    def replace(box):
        box.a = np.ones(2)

    old = np.zeros(3)
    box, seen = Box(old), []
    weakref.finalize(old, lambda: seen.append(box.a.tolist()))
    del old
    replace(box)
    assert seen == [[1.0, 1.0]]


def test_an_item_is_replaced_by_itself():
    @njit
    def f(l, d):
        l[0] = l[0]
        l[0], l[1] = l[1], l[0]
        d[1] = d[1]
        d[1] = l[0]
        return l[0].sum(), l[1].sum(), d[1].sum()

    l = [np.ones(3), np.ones(2)]
    d = typed.Dict.empty(types.int64, types.float64[::1])
    d[1] = np.ones(5)
    for _ in range(3):
        f(l, d)
    before = live_blocks()
    assert f(l, d) in ((2.0, 3.0, 2.0), (3.0, 2.0, 3.0))
    f(l, d)
    assert live_blocks() == before
