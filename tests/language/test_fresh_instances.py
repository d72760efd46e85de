"""Fields that constructors set: nothing is released that was not there, nothing is lost."""

import numpy as np
import pytest
from numjit import deferred_type, float64, int64, njit, optional
from numjit.experimental import jitclass

node_type = deferred_type()


class Plain:
    def __init__(self, value, next):
        self.value = value
        self.data = np.zeros(2)
        if value % 3 == 0:
            self.data = np.full(3, float(value))
        self.next = next
        if value % 4 == 0:
            self.next = None
            self.next = next


Node = jitclass([("value", int64), ("next", optional(node_type)), ("data", float64[:])])(Plain)
node_type.define(Node.class_type.instance_type)


@njit
def chain(n):
    head = None
    for i in range(n):
        head = Node(i, head)
    total = 0.0
    while head is not None:
        total = total * 0.5 + head.value + head.data.sum() + len(head.data)
        head = head.next
    return total


@njit
def ring(n):
    first = Node(0, None)
    node = first
    for i in range(1, n):
        node.next = Node(i, None)
        node = node.next
    node.next = first
    total = 0
    for _ in range(2 * n):
        node = node.next
        total = (3 * total + node.value) % 1000003
    node.next = None
    return total


@njit
def linked_to_itself(n):
    total = 0
    for i in range(n):
        node = Node(i, None)
        node.next = node
        node.next.next = node
        total += node.next.next.value
        node.next = None
    return total


@njit
def kept(n):
    nodes = [Node(0, None)]
    for i in range(1, n):
        node = Node(i, nodes[-1])
        nodes.append(node)
        node.next = nodes[i // 2]
    total = 0
    for node in nodes:
        while node is not None:
            total += node.value
            node = node.next
    return total


@njit
def walks(n):
    """Of nodes that others hold, and of nodes that nobody else does."""
    first = None
    for i in range(n):
        first = Node(i, first)
    total = 0
    for _ in range(3):
        node = first
        while node is not None:
            total = 3 * total % 1000003 + node.value
            node = node.next
    middle = first
    for _ in range(n // 2):
        middle = middle.next
    while first is not None:
        total += first.value
        first = first.next
    while middle is not None:
        total = 2 * total % 1000003 + middle.value
        middle = middle.next
    return total


@njit
def branches(n):
    other = None
    total = 0
    for i in range(n):
        node = Node(i, None)
        if i % 2:
            node.next = other
        if i % 3 == 0:
            other = node
        else:
            node.next = Node(2 * i, node.next)
        following = node.next
        total += 0 if following is None else following.value
    return total


def plain(function):
    """The same with Python's class."""
    return type(function.py_func)(function.py_func.__code__, {**globals(), "Node": Plain})


@pytest.mark.parametrize("function", [chain, ring, linked_to_itself, kept, walks, branches])
@pytest.mark.parametrize("n", [1, 2, 5, 12, 40])
def test_constructors(function, n):
    assert function(n) == plain(function)(n)


@njit
def long_list(n):
    first = last = Node(0, None)
    for i in range(1, n):
        last.next = Node(i, None)
        last = last.next
    return first


@njit
def values_of(node):
    total = 0
    while node is not None:
        total += node.value
        node = node.next
    return total


def test_lists_of_any_length_are_released():
    n = 200_000
    assert values_of(long_list(n)) == n * (n - 1) // 2


def test_nodes_that_python_holds():
    nodes = long_list(50)
    third = nodes.next.next
    assert values_of(nodes) == values_of(nodes) == 1225
    del nodes
    assert values_of(third) == 1224
