"""Loops over the members of jitclasses."""

import numpy as np
from kernel import Kernel
from numjit import deferred_type, float64, int64, njit, optional
from numjit.experimental import jitclass


@jitclass([("parent", int64[::1]), ("rank", int64[::1])])
class UnionFind:
    def __init__(self, n):
        self.parent = np.arange(n)
        self.rank = np.zeros(n, np.int64)

    def find(self, x):
        while self.parent[x] != x:
            self.parent[x] = self.parent[self.parent[x]]
            x = self.parent[x]
        return x

    def join(self, a, b):
        a, b = self.find(a), self.find(b)
        if a == b:
            return False
        if self.rank[a] < self.rank[b]:
            a, b = b, a
        self.parent[b] = a
        if self.rank[a] == self.rank[b]:
            self.rank[a] += 1
        return True


@njit
def member_read(n):
    uf = UnionFind(n)
    for i in range(n):
        uf.parent[i] = min(i + 1, n - 1)
    x = 0
    while uf.parent[x] != x:
        x = uf.parent[x]
    return x


@njit
def member_write(n):
    uf = UnionFind(1000)
    for i in range(n):
        uf.parent[i % 1000] = i
    return uf.parent[7]


@njit
def union_find(n, m):
    uf = UnionFind(n)
    sets, state = n, 12345
    for _ in range(m):
        state = (state * 1103515245 + 12345) % 2147483648
        a = state % n
        state = (state * 1103515245 + 12345) % 2147483648
        if uf.join(a, state % n):
            sets -= 1
    return sets


@jitclass([("data", float64[::1]), ("size", int64)])
class Stack:
    def __init__(self, n):
        self.data = np.zeros(n)
        self.size = 0

    def push(self, x):
        if self.size == len(self.data):
            larger = np.zeros(2 * self.size)
            larger[: self.size] = self.data
            self.data = larger
        self.data[self.size] = x
        self.size += 1

    def pop(self):
        self.size -= 1
        return self.data[self.size]


@njit
def stack(n):
    s = Stack(16)
    total = 0.0
    for i in range(n):
        s.push(i * 0.5)
        s.push(i * 0.25)
        total += s.pop()
    while s.size > 0:
        total -= s.pop()
    return total


@jitclass(
    [("bids", float64[::1]), ("asks", float64[::1]), ("best_bid", int64), ("best_ask", int64)]
)
class OrderBook:
    def __init__(self, levels):
        self.bids = np.zeros(levels)
        self.asks = np.zeros(levels)
        self.best_bid = -1
        self.best_ask = levels

    def buy(self, price, amount):
        while amount > 0 and self.best_ask <= price:
            filled = min(amount, self.asks[self.best_ask])
            self.asks[self.best_ask] -= filled
            amount -= filled
            while self.best_ask < len(self.asks) and self.asks[self.best_ask] <= 0:
                self.best_ask += 1
        if amount > 0:
            self.bids[price] += amount
            self.best_bid = max(self.best_bid, price)

    def sell(self, price, amount):
        while amount > 0 and self.best_bid >= price:
            filled = min(amount, self.bids[self.best_bid])
            self.bids[self.best_bid] -= filled
            amount -= filled
            while self.best_bid >= 0 and self.bids[self.best_bid] <= 0:
                self.best_bid -= 1
        if amount > 0:
            self.asks[price] += amount
            self.best_ask = min(self.best_ask, price)


@njit
def order_book(n):
    book = OrderBook(200)
    state = 1
    for i in range(n):
        state = (state * 1103515245 + 12345) % 2147483648
        price, amount = (state >> 8) % 200, 1.0 + (state >> 16) % 5
        if i % 2:
            book.buy(price, amount)
        else:
            book.sell(price, amount)
    return book.bids.sum() - book.asks.sum() + book.best_bid


@jitclass([("child", int64[:, ::1]), ("mass", float64[::1]), ("x", float64[::1]), ("count", int64)])
class Tree:
    """A one-dimensional Barnes-Hut tree."""

    def __init__(self, capacity):
        self.child = np.full((capacity, 2), -1)
        self.mass = np.zeros(capacity)
        self.x = np.zeros(capacity)
        self.count = 1

    def insert(self, x, mass, depth):
        node, low, high = 0, 0.0, 1.0
        for _ in range(depth):
            self.x[node] = (self.x[node] * self.mass[node] + x * mass) / (self.mass[node] + mass)
            self.mass[node] += mass
            middle = 0.5 * (low + high)
            side = 1 if x > middle else 0
            if side:
                low = middle
            else:
                high = middle
            if self.child[node, side] < 0:
                self.child[node, side] = self.count
                self.count += 1
            node = self.child[node, side]
        self.x[node] = x
        self.mass[node] += mass

    def pull(self, x, opening):
        todo = np.zeros(128, np.int64)
        size = np.ones(128)
        top, total = 1, 0.0
        while top > 0:
            top -= 1
            node, width = todo[top], size[top]
            distance = abs(self.x[node] - x) + 1e-3
            if width < opening * distance or self.child[node].max() < 0:
                total += self.mass[node] / (distance * distance)
                continue
            for side in range(2):
                if self.child[node, side] >= 0:
                    todo[top] = self.child[node, side]
                    size[top] = width * 0.5
                    top += 1
        return total


@njit
def barnes_hut(x):
    tree = Tree(20 * len(x))
    for i in range(len(x)):
        tree.insert(x[i], 1.0, 12)
    total = 0.0
    for i in range(len(x)):
        total += tree.pull(x[i], 0.5)
    return total


node_type = deferred_type()


@jitclass([("value", int64), ("next", optional(node_type))])
class Node:
    def __init__(self, value, next):
        self.value = value
        self.next = next


if hasattr(node_type, "define"):
    node_type.define(Node.class_type.instance_type)


@njit
def linked_stack(n):
    head = None
    total = 0
    for i in range(n):
        head = Node(i, head)
        if i % 3 == 2:
            total += head.value
            head = head.next
    while head is not None:
        total -= head.value
        head = head.next
    return total


@njit
def linked_queue(n):
    first = last = Node(0, None)
    total = 0
    for i in range(1, n):
        last.next = Node(i, None)
        last = last.next
        if i % 4 == 3:
            total += first.value
            first = first.next
    return total + last.value


@njit
def short_chains(n):
    total = 0
    for i in range(n):
        node = Node(i, Node(i + 1, Node(i + 2, None)))
        while node is not None:
            total += node.value
            node = node.next
    return total


def points(n):
    return (np.random.default_rng(3).random(n),)


KERNELS = {
    "member_read": Kernel(member_read, lambda: (1_000_000,), lambda: (50,)),
    "member_write": Kernel(member_write, lambda: (1_000_000,), lambda: (3000,)),
    "union_find": Kernel(union_find, lambda: (50_000, 100_000), lambda: (50, 60)),
    "stack": Kernel(stack, lambda: (500_000,), lambda: (100,)),
    "order_book": Kernel(order_book, lambda: (200_000,), lambda: (300,)),
    "barnes_hut": Kernel(barnes_hut, lambda: points(2000), lambda: points(20), tolerance=1e-9),
    "linked_stack": Kernel(linked_stack, lambda: (200_000,), lambda: (100,)),
    "linked_queue": Kernel(linked_queue, lambda: (200_000,), lambda: (100,)),
    "short_chains": Kernel(short_chains, lambda: (50_000,), lambda: (20,)),
}
