"""Plain classes whose instances refer to instances of the same class: lists, trees, graphs."""

import collections
import heapq
import math
import subprocess
import sys
import textwrap
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Optional

import pytest
from language.support import Programs, assert_same
from numjit import njit
from numjit.errors import TypingError

PROGRAMS = Programs()
program = PROGRAMS.add


class DNode:
    def __init__(self, key, val):
        self.key, self.val = key, val
        self.prev = None
        self.next = None


class LRUCache:
    def __init__(self, capacity: int):
        self.cap = capacity
        self.map = {}
        self.head = DNode(0, 0)
        self.tail = DNode(0, 0)
        self.head.next = self.tail
        self.tail.prev = self.head

    def _remove(self, n):
        n.prev.next = n.next
        n.next.prev = n.prev

    def _add(self, n):
        p = self.tail.prev
        p.next = n
        n.prev = p
        n.next = self.tail
        self.tail.prev = n

    def get(self, key):
        if key in self.map:
            n = self.map[key]
            self._remove(n)
            self._add(n)
            return n.val
        return -1

    def put(self, key, val):
        if key in self.map:
            self._remove(self.map[key])
        n = DNode(key, val)
        self._add(n)
        self.map[key] = n
        if len(self.map) > self.cap:
            old = self.head.next
            self._remove(old)
            del self.map[old.key]


@program(20)
def lru(n):
    c = LRUCache(3)
    out = []
    for i in range(n):
        c.put(i % 5, i)
        out.append(c.get((i * 3) % 7))
    return out


class AVL:
    def __init__(self, k):
        self.k = k
        self.h = 1
        self.l = None
        self.r = None


def h(n):
    return n.h if n else 0


def upd(n):
    n.h = 1 + max(h(n.l), h(n.r))


def rot_r(y):
    x = y.l
    y.l = x.r
    x.r = y
    upd(y)
    upd(x)
    return x


def rot_l(x):
    y = x.r
    x.r = y.l
    y.l = x
    upd(x)
    upd(y)
    return y


def avl_insert(n, k):
    if not n:
        return AVL(k)
    if k < n.k:
        n.l = avl_insert(n.l, k)
    elif k > n.k:
        n.r = avl_insert(n.r, k)
    else:
        return n
    upd(n)
    b = h(n.l) - h(n.r)
    if b > 1:
        if k > n.l.k:
            n.l = rot_l(n.l)
        return rot_r(n)
    if b < -1:
        if k < n.r.k:
            n.r = rot_r(n.r)
        return rot_l(n)
    return n


@program(1000)
def avl(n):
    root = None
    for i in range(n):
        root = avl_insert(root, (i * 7919) % 1009)
    out = []
    st = []
    cur = root
    while st or cur:
        while cur:
            st.append(cur)
            cur = cur.l
        cur = st.pop()
        out.append(cur.k)
        cur = cur.r
    return root.h, out[:10], len(out)


@dataclass
class TreeNode:
    val: int = 0
    left: Optional["TreeNode"] = None
    right: Optional["TreeNode"] = None


def build(lo, hi):
    if lo > hi:
        return None
    m = (lo + hi) // 2
    return TreeNode(m, build(lo, m - 1), build(m + 1, hi))


@program(15)
def dc_tree(n):
    t = build(1, n)
    q = deque([t])
    levels = []
    while q:
        level = []
        for _ in range(len(q)):
            x = q.popleft()
            level.append(x.val)
            if x.left:
                q.append(x.left)
            if x.right:
                q.append(x.right)
        levels.append(level)
    return levels


def depth(t):
    return 0 if t is None else 1 + max(depth(t.left), depth(t.right))


def invert(t):
    if t is None:
        return None
    t.left, t.right = invert(t.right), invert(t.left)
    return t


@program(10)
def dc_invert(n):
    t = invert(build(1, n))
    out = []

    def walk(x):
        if x is None:
            return
        walk(x.left)
        out.append(x.val)
        walk(x.right)

    walk(t)
    return out, depth(t)


class Graph:
    def __init__(self):
        self.nodes = {}

    def add_edge(self, a, b, w):
        for k in (a, b):
            if k not in self.nodes:
                self.nodes[k] = GNode(k)
        self.nodes[a].adj.append((self.nodes[b], w))


class GNode:
    def __init__(self, name):
        self.name = name
        self.adj = []
        self.dist = math.inf


@program(6)
def graph_nodes(n):
    g = Graph()
    for i in range(n):
        g.add_edge(i, (i + 1) % n, 1.5)
        g.add_edge(i, (i * i) % n, 0.5)
    s = g.nodes[0]
    s.dist = 0.0
    q = [s]
    while q:
        u = q.pop(0)
        for v, w in u.adj:
            if u.dist + w < v.dist:
                v.dist = u.dist + w
                q.append(v)
    return [g.nodes[i].dist for i in range(n)]


class Huff:
    def __init__(self, freq, ch, left=None, right=None):
        self.freq, self.ch, self.left, self.right = freq, ch, left, right

    def __lt__(self, o):
        return (self.freq, self.ch) < (o.freq, o.ch)


def codes(n, pre, out):
    if n.left is None:
        out[n.ch] = pre or "0"
    else:
        codes(n.left, pre + "0", out)
        codes(n.right, pre + "1", out)


@program("abracadabra")
def huffman(s):
    heap = [Huff(f, c) for c, f in collections.Counter(s).items()]
    heapq.heapify(heap)
    while len(heap) > 1:
        a = heapq.heappop(heap)
        b = heapq.heappop(heap)
        heapq.heappush(heap, Huff(a.freq + b.freq, min(a.ch, b.ch), a, b))
    out = {}
    codes(heap[0], "", out)
    return "".join([out[c] for c in s])


class BTree:
    def __init__(self, v):
        self.v = v
        self.left = None
        self.right = None

    def insert(self, v):
        if v < self.v:
            if self.left is None:
                self.left = BTree(v)
            else:
                self.left.insert(v)
        else:
            if self.right is None:
                self.right = BTree(v)
            else:
                self.right.insert(v)

    def total(self):
        return (
            self.v
            + (self.left.total() if self.left else 0)
            + (self.right.total() if self.right else 0)
        )

    def __iter__(self):
        if self.left:
            yield from self.left
        yield self.v
        if self.right:
            yield from self.right

    def walk(self):
        if self.left is not None:
            self.left.walk()
        self.seen = 1


@program([5.5, 2.5, 8.0, 1.0])
def method_tree(vs):
    t = BTree(vs[0])
    for v in vs[1:]:
        t.insert(v)
    return t.total()


@program([5, 2, 8, 1])
def iter_tree(vs):
    t = BTree(vs[0])
    for v in vs[1:]:
        t.insert(v)
    return list(t)


class KD:
    __slots__ = ("pt", "ax", "l", "r")

    def __init__(self, pt, ax, l, r):
        self.pt = pt
        self.ax = ax
        self.l = l
        self.r = r


def kd_build(pts, d):
    if not pts:
        return None
    ax = d % 2
    pts = sorted(pts, key=lambda p: p[ax])
    m = len(pts) // 2
    return KD(pts[m], ax, kd_build(pts[:m], d + 1), kd_build(pts[m + 1 :], d + 1))


def kd_near(n, q, best):
    if n is None:
        return best
    d = (n.pt[0] - q[0]) ** 2 + (n.pt[1] - q[1]) ** 2
    if d < best[0]:
        best = (d, n.pt)
    diff = q[n.ax] - n.pt[n.ax]
    a, b = (n.l, n.r) if diff < 0 else (n.r, n.l)
    best = kd_near(a, q, best)
    if diff * diff < best[0]:
        best = kd_near(b, q, best)
    return best


@program([(2.0, 3.0), (5.0, 4.0), (9.0, 6.0), (4.0, 7.0), (8.0, 1.0), (7.0, 2.0)])
def kdtree(pts):
    return kd_near(kd_build(pts, 0), (9.0, 2.0), (math.inf, (0.0, 0.0)))


class Skip:
    def __init__(self, v, lvl):
        self.v = v
        self.nxt = [None] * lvl


@program(10)
def skip_list(n):
    head = Skip(-1, 3)
    for i in range(n):
        lvl = 1 + (i % 3)
        node = Skip((i * 7) % 11, lvl)
        cur = head
        for L in range(2, -1, -1):
            while cur.nxt[L] is not None and cur.nxt[L].v < node.v:
                cur = cur.nxt[L]
            if L < lvl:
                node.nxt[L] = cur.nxt[L]
                cur.nxt[L] = node
    out = []
    cur = head.nxt[0]
    while cur is not None:
        out.append(cur.v)
        cur = cur.nxt[0]
    return out


class NTree:
    def __init__(self, name, parent=None):
        self.name = name
        self.parent = parent
        self.children = []
        if parent is not None:
            parent.children.append(self)

    def path(self):
        return (self.parent.path() + "/" if self.parent else "") + self.name


@program(3)
def ntree(n):
    root = NTree("root")
    cur = root
    for i in range(n):
        cur = NTree(f"d{i}", cur)
    return cur.path(), len(root.children)


class Item:
    def __init__(self, v):
        self.v = v
        self.next = None
        self.w = None


@program(5)
def merge_sorted(n):
    def mk(vals):
        d = Item(0)
        t = d
        for v in vals:
            t.next = Item(v)
            t = t.next
        return d.next

    a = mk([1, 4, 6])
    b = mk([2, 3, 9])
    d = t = Item(0)
    while a and b:
        if a.v < b.v:
            t.next, a = a, a.next
        else:
            t.next, b = b, b.next
        t = t.next
    t.next = a or b
    out = []
    c = d.next
    while c:
        out.append(c.v)
        c = c.next
    return out


@program(7)
def cycle(n):
    nodes = [Item(i) for i in range(n)]
    for i in range(n):
        nodes[i].next = nodes[(i + 1) % n]
    slow = fast = nodes[0]
    steps = 0
    while True:
        slow = slow.next
        fast = fast.next.next
        steps += 1
        if slow is fast:
            break
    return steps


class Parent:
    def __init__(self):
        self.kids = []
        self.best = None


class Kid:
    def __init__(self, p, a):
        self.p = p
        self.a = a


@program(4)
def mutual(n):
    p = Parent()
    for i in range(n):
        k = Kid(p, i * 2)
        p.kids.append(k)
        if p.best is None or k.a > p.best.a:
            p.best = k
    return p.best.p.kids[1].a, len(p.best.p.kids)


class St:
    def __init__(self, s, prev=None, cost=0):
        self.s = s
        self.prev = prev
        self.cost = cost


@program(3, 4)
def grid_path(n, m):
    start = St((0, 0))
    seen = {(0, 0)}
    q = deque([start])
    while q:
        u = q.popleft()
        if u.s == (n, m):
            path = []
            while u is not None:
                path.append(u.s)
                u = u.prev
            return path[::-1]
        x, y = u.s
        for dx, dy in ((1, 0), (0, 1)):
            v = (x + dx, y + dy)
            if v not in seen and v[0] <= n and v[1] <= m:
                seen.add(v)
                q.append(St(v, u, u.cost + 1))
    return None


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    f, args = PROGRAMS[name]
    assert_same(f, *args)


def ring(n):
    nodes = [Item(i) for i in range(n)]
    for i in range(n):
        nodes[i].next = nodes[(i + 1) % n]
    return nodes


def test_instances_that_refer_to_each_other_become_objects():
    a, b, c = njit(ring)(3)
    assert type(a) is Item and a.next is b and b.next is c and c.next is a
    assert [x.v for x in (a, b, c)] == [0, 1, 2] and a.w is None


def chain(n):
    first = None
    for i in range(n):
        item = Item(i)
        item.next = first
        first = item
    return first


def test_long_chains_need_no_deep_stack():
    first, length = njit(chain)(200_000), 0
    while first is not None:
        first, length = first.next, length + 1
    assert length == 200_000


def widened(n):
    first = Item(1)
    for i in range(n):
        item = Item(i * 0.5)
        item.next = first
        first = item
    return first.v, first.next.v


def test_fields_hold_what_any_instance_gets():
    assert repr(njit(widened)(3)) == "(1.0, 0.5)"
    with pytest.raises(TypingError, match="Unknown attribute 'w2' of type instance.Item"):
        njit(lambda n: chain(n).w2)(3)


def too_far(n):
    return chain(n).next.next.next.v


def test_attributes_of_none():
    assert njit(too_far)(4) == 0
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'v'"):
        njit(too_far)(3)


def test_threads_compile_and_call():
    f = njit(avl)
    with ThreadPoolExecutor(16) as pool:
        assert set(map(repr, pool.map(f, [50] * 64))) == {repr(avl(50))}


def test_the_disk_cache_keeps_such_classes(tmp_path):
    program = textwrap.dedent("""\
        from numjit import njit

        class Node:
            def __init__(self, v):
                self.v = v
                self.next = None

        @njit(cache=True)
        def f(n):
            first = None
            for i in range(n):
                node = Node(i)
                node.next = first
                first = node
            return first

        print(f(3).next.v, sum(f.stats.cache_hits.values()))
        """)
    (tmp_path / "linked.py").write_text(program)
    runs = [
        subprocess.run(
            [sys.executable, "linked.py"], cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert runs == ["1 0\n", "1 1\n"]
